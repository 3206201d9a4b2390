/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The form of the requests and replies, in tables made from
 * the specs in uapi/ by ../grammar.py; and whether bytes are of that form.
 */
#ifndef GRAMMAR_H
#define GRAMMAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum grammar_kind {
	GRAMMAR_U32,
	GRAMMAR_UINT,		/* 4 or 8 bytes */
	GRAMMAR_BINARY,
	GRAMMAR_STRING,
	GRAMMAR_NEST,
	GRAMMAR_FLAG,
};

struct grammar_set;

/**
 * struct grammar_attr - an attribute
 * @name: its name, NULL of a number that is no attribute's
 * @kind: type of its payload
 * @multi: it may be there more than once
 * @min: lowest value of a number
 * @max: highest
 * @len_min: least bytes of a binary or string, without the string's end
 * @len_max: most
 * @nest: the set inside of a nest
 */
struct grammar_attr {
	const char *name;
	enum grammar_kind kind;
	bool multi;
	uint64_t min;
	uint64_t max;
	uint32_t len_min;
	uint32_t len_max;
	const struct grammar_set *nest;
};

/* @attr is by number, up to @last. */
struct grammar_set {
	const char *name;
	const struct grammar_attr *attr;
	unsigned int last;
};

/**
 * struct grammar_op - a request or a notification
 * @name: its name
 * @cmd: WEIR_CMD_*
 * @set: its attributes
 * @admin: it takes CAP_NET_ADMIN
 * @do_it: it can be asked for once
 * @dump_it: it can be dumped
 * @do_request: the attributes of a request, bits by number
 * @do_reply: of the answer; none where there is only an acknowledgment
 * @dump_request: of the request for a dump
 * @dump_reply: of each object dumped
 * @said: of a notification
 */
struct grammar_op {
	const char *name;
	uint8_t cmd;
	const struct grammar_set *set;
	bool admin;
	bool do_it;
	bool dump_it;
	uint64_t do_request;
	uint64_t do_reply;
	uint64_t dump_request;
	uint64_t dump_reply;
	uint64_t said;
};

extern const struct grammar_op *const grammar_ops;
extern const unsigned int grammar_ops_count;

/* By WEIR_CMD_*, or NULL. */
const struct grammar_op *grammar_op(unsigned int cmd);

/* An attribute of a set by its name; ends the program where it is not there. */
unsigned int grammar_number(const struct grammar_set *set, const char *name);

/**
 * grammar_request_fault() - find a fault of form that the kernel must refuse in a request's
 * attributes
 * @set: of the request
 * @allowed: the attributes that it may have, bits by number
 * @data: the attributes
 * @len: bytes of them
 *
 * Return: NULL where the form is right, else the fault.
 */
const char *grammar_request_fault(const struct grammar_set *set, uint64_t allowed,
				  const void *data, size_t len);

/* Likewise in a reply or notification, in which nothing may be there twice. */
const char *grammar_reply_fault(const struct grammar_set *set, uint64_t allowed,
				const void *data, size_t len);

#endif

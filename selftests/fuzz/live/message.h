/* SPDX-License-Identifier: GPL-2.0 */
/* Requests: good ones, ones at the edges of the allowed ranges, and broken ones. */
#ifndef MESSAGE_H
#define MESSAGE_H

#include <linux/netlink.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "grammar.h"
#include "rng.h"

#define MESSAGE_MAX	16384
#define MESSAGE_HEAD	20	/* struct nlmsghdr and struct genlmsghdr */

/**
 * struct message - a request
 * @op: the operation that it was made for
 * @dump: it asks for a dump
 * @odd: its headers are broken, so that nothing is promised about the answer
 * @len: bytes in @data, which may be others than its header says
 * @data: the message
 */
struct message {
	const struct grammar_op *op;
	bool dump;
	bool odd;
	size_t len;
	_Alignas(8) uint8_t data[MESSAGE_MAX];
};

/* The values of an attribute, most of the time: see hints.c. */
struct hint {
	const char *set;
	const char *attr;
	unsigned int percent;
	uint64_t (*value)(struct rng *rng);
	size_t (*bytes)(struct rng *rng, uint8_t *to);
};

const struct hint *hint_find(const struct grammar_set *set, const struct grammar_attr *attr);

void message_begin(struct message *m, const struct grammar_op *op, bool dump);
void message_put(struct message *m, uint16_t type, const void *data, size_t len);
void message_put_u32(struct message *m, const char *attr, uint32_t value);
uint16_t message_get_u16(const struct message *m, size_t off);
void message_set_u16(struct message *m, size_t off, uint16_t value);

/* A fault in the form of its attributes, or NULL. */
const char *message_fault(const struct message *m);

/* Any request, most of them such as are taken. */
void message_any(struct message *m, struct rng *rng);

/* One of @op, with values that make sense more often than not. */
void message_good(struct message *m, struct rng *rng,
		  const struct grammar_op *op, bool dump);

/* Breaks a good one in one place. */
void message_break(struct message *m, struct rng *rng);

#endif

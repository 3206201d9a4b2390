/* SPDX-License-Identifier: GPL-2.0 */
/* A command line that has been understood. */
#ifndef WEIR_ARGS_H
#define WEIR_ARGS_H

#include <stddef.h>
#include <stdint.h>

#include "base/addr.h"
#include "base/units.h"
#include "grammar/action.h"
#include "grammar/class.h"
#include "grammar/dscp.h"
#include "grammar/grammar.h"
#include "grammar/match.h"
#include "grammar/rate.h"

#define ARGS_MAX 128

/**
 * struct value - a key's value on the command line
 * @word: the value as it was written
 * @written: the words as they were written
 * @span: number of words in @written
 * @attr: the netlink attribute that carries it, where the word decides it; else the
 *	key's
 * @share: of a VALUE_SHARE, millionths of all, which is still to become a number;
 *	0 where a number was given
 * @none: key->none was given
 */
struct value {
	const struct key *key;
	const char *word;
	char **written;
	int span;
	uint64_t number;
	uint16_t attr;
	uint32_t share;
	struct addr addr;
	bool none;
	struct rate rate;
	struct match match;
	struct action action;
	struct dscp_map map;
	struct class_map classes;
	struct class class;
};

struct args {
	const struct object *object;
	const struct verb *verb;
	size_t count;
	struct value value[ARGS_MAX];
	int words;		/* positional words, of verbs that take those */
	char **word;
};

/* Returns 0, or an exit status with the reason printed. */
int args_parse(struct args *args, int count, char **words);

/*
 * Reads a number with one of the units, or without one where @bare is given, and
 * reports a mistake in the key, or in @what of it. Returns an exit status.
 */
int args_units(const char *key, const char *what, const char *word,
	       const struct units *units, const struct unit *bare, uint64_t *result);

/* Reads digits alone, of a number in the bounds of the key. Returns an exit status. */
int args_digits(const struct value *value, const char *digits, uint64_t *result);

/* Adds keys and values to those that there are. Returns an exit status. */
int args_add(struct args *args, int count, char **words);

struct value *args_find(struct args *args, const char *key);
const struct value *args_get(const struct args *args, const char *key);

/* The key's value as it was written; NULL where it was not given. */
const char *args_word(const struct args *args, const char *key);
uint32_t args_number(const struct args *args, const char *key, uint32_t otherwise);
const struct value *args_by_attr(const struct args *args, uint16_t attr);

#endif

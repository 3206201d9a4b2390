/* SPDX-License-Identifier: GPL-2.0 */
/* A command line that has been understood. */
#ifndef WEIR_ARGS_H
#define WEIR_ARGS_H

#include <stddef.h>
#include <stdint.h>

#include "addr.h"
#include "grammar.h"
#include "rate.h"

#define ARGS_MAX 40

/**
 * struct value - of a key that was given
 * @word: the value as it was written
 * @share: of a VALUE_SHARE, millionths of all, which is still to become a number;
 *	0 where a number was given
 * @none: key->none was given
 */
struct value {
	const struct key *key;
	const char *word;
	uint32_t number;
	uint32_t share;
	struct addr addr;
	bool none;
	struct rate rate;
};

struct args {
	const struct object *object;
	const struct verb *verb;
	size_t count;
	struct value value[ARGS_MAX];
	int words;		/* positional words, of verbs that take those */
	char **word;
};

/* Returns 0, or an exit status with the reason told. */
int args_parse(struct args *args, int count, char **words);

struct value *args_find(struct args *args, const char *key);
const struct value *args_get(const struct args *args, const char *key);
uint32_t args_number(const struct args *args, const char *key, uint32_t otherwise);
const struct value *args_by_attr(const struct args *args, uint16_t attr);

#endif

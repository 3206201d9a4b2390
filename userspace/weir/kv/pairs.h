/* SPDX-License-Identifier: GPL-2.0 */
/* Pairs as lines: the key, a tab, the value. */
#ifndef WEIR_KV_PAIRS_H
#define WEIR_KV_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct pair - of a line
 * @key: the key, of any bytes but tabs and line feeds
 * @length: of the key
 * @is_integer: the value is in @integer, and 1 where the line has none; else in @real
 */
struct pair {
	const char *key;
	size_t length;
	bool is_integer;
	int64_t integer;
	double real;
};

/* Reads a line. Returns an exit status, with a sentence about the value. */
int pair_read(struct pair *pair, const char *line, size_t length, bool integers);

#endif

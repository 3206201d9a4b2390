/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Numbers with units. Exact ones are written as the command line takes them; the
 * others are for readers, with three digits or four.
 */
#ifndef WEIR_UNITS_H
#define WEIR_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UNITS_TEXT 32

/**
 * struct unit - a word behind a number, and what it stands for
 * @times: number of base units that it is
 * @over: number of them that make one base unit, 0 for one
 */
struct unit {
	const char *word;
	uint64_t times;
	uint64_t over;
};

struct units {
	size_t count;
	const struct unit *unit;
};

extern const struct units time_units;	/* microseconds */
extern const struct units rate_units;	/* bytes a second */
extern const struct units size_units;	/* bytes */

/* Digits alone: no sign, no blank, no other base; @end is the first character behind them. */
bool units_digits(const char *word, char **end, uint64_t *number);

/* NULL where there is no such unit. */
const struct unit *units_find(const struct units *units, const char *word);

/* Base units; false where 64 bits do not hold them. */
bool units_scale(const struct unit *unit, uint64_t number, uint64_t *result);

/* "us, ms and s" */
void units_list(const struct units *units, char *buffer, size_t size);

/* Exact. */
const char *units_micros(char text[static UNITS_TEXT], uint64_t micros);
const char *units_rate(char text[static UNITS_TEXT], uint64_t bytes);
const char *units_size(char text[static UNITS_TEXT], uint64_t bytes);

/* For readers: "1.23ms", "12.3k", "498MiB". */
const char *units_duration(char text[static UNITS_TEXT], uint64_t nanos);
const char *units_count(char text[static UNITS_TEXT], double number);
const char *units_bytes(char text[static UNITS_TEXT], uint64_t bytes);

#endif

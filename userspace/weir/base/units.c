// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The largest last, as it is the one to write a number with where it divides it. */
static const struct unit times[] = {
	{ "us", 1, 0 }, { "ms", 1000, 0 }, { "s", 1000000, 0 },
};

/* As tc(8) has them: bits by their names, and bps for bytes. */
static const struct unit rates[] = {
	{ "bit", 1, 8 }, { "kbit", 125, 0 }, { "mbit", 125000, 0 },
	{ "gbit", 125000000, 0 }, { "tbit", 125000000000, 0 },
	{ "bps", 1, 0 }, { "kbps", 1000, 0 }, { "mbps", 1000000, 0 },
	{ "gbps", 1000000000, 0 },
};

static const struct unit sizes[] = {
	{ "b", 1, 0 }, { "kb", 1 << 10, 0 }, { "k", 1 << 10, 0 }, { "mb", 1 << 20, 0 },
	{ "m", 1 << 20, 0 }, { "gb", 1 << 30, 0 }, { "g", 1 << 30, 0 },
};

const struct units time_units = { COUNT(times), times };
const struct units rate_units = { COUNT(rates), rates };
const struct units size_units = { COUNT(sizes), sizes };

bool units_digits(const char *word, char **end, uint64_t *number)
{
	if (!isdigit((unsigned char)*word))
		return false;
	errno = 0;
	*number = strtoull(word, end, 10);
	return errno == 0;
}

const struct unit *units_find(const struct units *units, const char *word)
{
	size_t i;

	for (i = 0; i < units->count; i++) {
		if (!strcmp(units->unit[i].word, word))
			return &units->unit[i];
	}
	return NULL;
}

bool units_scale(const struct unit *unit, uint64_t number, uint64_t *result)
{
	if (__builtin_mul_overflow(number, unit->times, result))
		return false;
	if (unit->over)
		*result /= unit->over;
	return true;
}

void units_list(const struct units *units, char *buffer, size_t size)
{
	size_t i, used = 0;

	for (i = 0; i < units->count && used < size; i++) {
		const char *comma = !i ? "" : i + 1 < units->count ? ", " : " and ";

		used += snprintf(buffer + used, size - used, "%s%s", comma,
				 units->unit[i].word);
	}
}

/* With the largest unit that divides it. */
static const char *exact(char *text, const struct units *units, uint64_t number)
{
	size_t i = units->count - 1;

	while (i && (!number || number % units->unit[i].times))
		i--;
	snprintf(text, UNITS_TEXT, "%" PRIu64 "%s", number / units->unit[i].times,
		 units->unit[i].word);
	return text;
}

const char *units_micros(char text[static UNITS_TEXT], uint64_t micros)
{
	return exact(text, &time_units, micros);
}

/* In bits where thousands of them are exact, else in bytes. */
const char *units_rate(char text[static UNITS_TEXT], uint64_t bytes)
{
	static const struct units kilo = { 4, rates + 1 };

	if (bytes && bytes % kilo.unit[0].times == 0)
		return exact(text, &kilo, bytes);
	snprintf(text, UNITS_TEXT, "%" PRIu64 "bps", bytes);
	return text;
}

const char *units_size(char text[static UNITS_TEXT], uint64_t bytes)
{
	return exact(text, &size_units, bytes);
}

/* Three digits, without trailing zeroes behind the point. */
static const char *three(char *text, double number, const char *unit)
{
	int digits = number < 9.995 ? 2 : number < 99.95 ? 1 : 0;
	char value[UNITS_TEXT / 2];
	char *end;

	snprintf(value, sizeof(value), "%.*f", digits, number);
	if (strchr(value, '.')) {
		for (end = value + strlen(value) - 1; *end == '0'; end--)
			*end = '\0';
		if (*end == '.')
			*end = '\0';
	}
	snprintf(text, UNITS_TEXT, "%s%s", value, unit);
	return text;
}

static const char *steps(char *text, double number, double step, const char *const units[],
			 size_t count)
{
	size_t i;

	for (i = 0; i + 1 < count && number >= step * 0.9995; i++)
		number /= step;
	return three(text, number, units[i]);
}

const char *units_duration(char text[static UNITS_TEXT], uint64_t nanos)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };

	return steps(text, nanos, 1000, units, COUNT(units));
}

const char *units_count(char text[static UNITS_TEXT], double number)
{
	static const char *const units[] = { "", "k", "M", "G", "T" };

	/* Four digits are as short as three with a unit. */
	if (number < 9999.5)
		return three(text, number, "");
	return steps(text, number, 1000, units, COUNT(units));
}

const char *units_bytes(char text[static UNITS_TEXT], uint64_t bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };

	return steps(text, bytes, 1024, units, COUNT(units));
}

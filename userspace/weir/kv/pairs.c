// SPDX-License-Identifier: GPL-2.0
#include "kv/pairs.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/tool.h"

/* Digits of the longest number that anybody writes. */
#define VALUE_BYTES 64

static int read_integer(int64_t *value, const char *text, size_t length)
{
	long long number;
	char *end;

	errno = 0;
	number = strtoll(text, &end, 10);
	if (end == text || end != text + length)
		return refused(0, "'%s' is no integer", text);
	if (errno)
		return refused(0, "the value %s is beyond 64 bits", text);
	*value = number;
	return WEIR_OK;
}

static int read_real(double *value, const char *text, size_t length)
{
	char *end;

	errno = 0;
	*value = strtod(text, &end);
	if (end == text || end != text + length)
		return refused(0, "'%s' is no number", text);
	if (errno && isinf(*value))
		return refused(0, "the value %s is too large for the type float32", text);
	return WEIR_OK;
}

int pair_read(struct pair *pair, const char *line, size_t length, bool integers)
{
	const char *tab = memchr(line, '\t', length);
	size_t digits = tab ? length - (size_t)(tab + 1 - line) : 0;
	char text[VALUE_BYTES] = "";

	pair->key = line;
	pair->length = tab ? (size_t)(tab - line) : length;
	pair->is_integer = integers || !tab;
	pair->integer = 1;
	if (!tab)
		return WEIR_OK;
	if (digits >= sizeof(text))
		return refused(0, "the value has %zu characters, and no number has so many", digits);
	memcpy(text, tab + 1, digits);
	return integers ? read_integer(&pair->integer, text, digits) :
			  read_real(&pair->real, text, digits);
}

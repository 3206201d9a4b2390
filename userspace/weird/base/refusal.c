// SPDX-License-Identifier: GPL-2.0
#include "base/refusal.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/quote.h"

/* Drop bytes that are not UTF-8: characters that were cut, by the room here or in what was quoted. */
static void drop_cut(char *text)
{
	size_t left = strlen(text), step;
	char *to = text;

	for (; left; left -= step, text += step) {
		step = quote_utf8(text, left);
		memmove(to, text, step);
		to += step;
		step = step ?: 1;
	}
	*to = '\0';
}

bool refuse(struct refusal *refusal, int status, const char *format, ...)
{
	va_list args;

	if (refusal->status)
		return false;
	refusal->status = status;
	va_start(args, format);
	vsnprintf(refusal->text, sizeof(refusal->text), format, args);
	va_end(args);
	drop_cut(refusal->text);
	return false;
}

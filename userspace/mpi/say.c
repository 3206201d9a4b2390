// SPDX-License-Identifier: BSD-2-Clause
/* Messages of the library. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"

static void say_line(const char *prefix, const char *format, va_list list)
{
	char line[512];

	vsnprintf(line, sizeof(line), format, list);
	fprintf(stderr, "%s%s\n", prefix, line);
}

void say(const char *format, ...)
{
	va_list list;

	va_start(list, format);
	say_line("weir: ", format, list);
	va_end(list);
}

bool say_is_debugging(void)
{
	const char *wanted = getenv("WEIR_DEBUG");

	return wanted && *wanted && strcmp(wanted, "0");
}

void say_debug(int rank, const char *format, ...)
{
	char prefix[32];
	va_list list;

	if (!say_is_debugging())
		return;
	snprintf(prefix, sizeof(prefix), "weir: rank %d: ", rank);
	va_start(list, format);
	say_line(prefix, format, list);
	va_end(list);
}

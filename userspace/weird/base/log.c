// SPDX-License-Identifier: GPL-2.0
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void line(const char *format, va_list args)
{
	char text[1024];

	vsnprintf(text, sizeof(text), format, args);
	fprintf(stderr, "weird: %s\n", text);
}

void log_line(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	line(format, args);
	va_end(args);
}

void log_die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	line(format, args);
	va_end(args);
	exit(1);
}

void *zalloc(unsigned long size)
{
	void *memory = calloc(1, size);

	if (!memory)
		log_die("no memory");
	return memory;
}

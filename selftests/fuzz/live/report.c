// SPDX-License-Identifier: GPL-2.0
#include <err.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "report.h"

struct run *run;

static const char *name = "";
static const uint8_t *about;
static size_t about_len;

void report_init(void)
{
	run = mmap(NULL, sizeof(*run), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (run == MAP_FAILED)
		err(1, "shared memory");
}

void report_as(const char *who)
{
	name = who;
}

void report_about(const void *data, size_t len)
{
	about = data;
	about_len = len;
}

void fault(const char *format, ...)
{
	va_list args;
	size_t i;

	printf("# %s: ", name);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n# %zu bytes: ", about_len);
	for (i = 0; i < about_len && i < 2048; i++)
		printf("%02x", about[i]);
	putchar('\n');
	fflush(stdout);
	run->stop = true;
	_exit(1);
}

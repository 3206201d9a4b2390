/* SPDX-License-Identifier: GPL-2.0 */
/* Test results in KTAP, for suites in C. */
#ifndef KTAP_H
#define KTAP_H

#include <stdbool.h>
#include <stdio.h>

static int ktap_n, ktap_failed;

static inline void ktap_header(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("KTAP version 1");
}

/* One result; the reasons of a failure come before, in lines that begin with '#'. */
#define ktap_ok(ok, ...) do {						\
	bool __ok = ok;							\
	ktap_failed += !__ok;						\
	printf("%s %d ", __ok ? "ok" : "not ok", ++ktap_n);		\
	printf(__VA_ARGS__);						\
	putchar('\n');							\
} while (0)

static inline int ktap_end(void)
{
	printf("1..%d\n", ktap_n);
	return !!ktap_failed;
}

#endif /* KTAP_H */

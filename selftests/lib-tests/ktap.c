// SPDX-License-Identifier: GPL-2.0
#include "ktap.h"

#include <pthread.h>
#include <regex.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of a test with sanitizers in an emulated machine beside busy ones. */
#define TEST_SECONDS 600

/* More complaints of one test say nothing new. */
#define COMPLAINTS 20

static atomic_int complaints;
static const char *skipped;

void ktap_complain(const char *file, int line, const char *format, ...)
{
	char text[1024];
	va_list arguments;

	if (atomic_fetch_add(&complaints, 1) >= COMPLAINTS)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	printf("# %s:%d: %s\n", file, line, text);
}

bool check_eq(const char *file, int line, const char *text, long long a, long long b)
{
	if (a == b)
		return true;
	ktap_complain(file, line, "%s: %lld and %lld", text, a, b);
	return false;
}

void ktap_skip(const char *why)
{
	skipped = why;
}

bool ktap_failed(void)
{
	return atomic_load(&complaints);
}

static bool names_differ(const struct ktap_test *tests, size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < i; j++)
			if (!strcmp(tests[i].name, tests[j].name)) {
				printf("Bail out! two tests are named %s\n", tests[i].name);
				return false;
			}
	return true;
}

static bool may_skip(void)
{
	const char *never = getenv("WEIR_NO_SKIP");

	return !never || strcmp(never, "1");
}

/* By its whole name, and where WEIR_ONLY is set by that regular expression. */
static bool is_wanted(const char *name, const char *only)
{
	const char *pattern = getenv("WEIR_ONLY");
	regex_t regex;
	bool matches;

	if (only && strcmp(only, name))
		return false;
	if (!pattern || regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB))
		return true;
	matches = !regexec(&regex, name, 0, NULL, 0);
	regfree(&regex);
	return matches;
}

unsigned long ktap_seed(void)
{
	const char *text = getenv("WEIR_SEED");

	return text ? strtoul(text, NULL, 0) : 1;
}

/* Hash a test's name with ktap_seed(): a test alone has the same events as among others. */
static unsigned int seed_of(const char *name)
{
	unsigned int seed = (unsigned int)ktap_seed();

	for (; *name; name++)
		seed = seed * 31 + (unsigned char)*name;
	return seed;
}

int ktap_main(const struct ktap_test *tests, size_t count, const char *only)
{
	int number = 0, pass = 0, fail = 0, skip = 0;

	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("KTAP version 1");
	if (!names_differ(tests, count))
		return 1;
	printf("# WEIR_SEED=%lu\n", ktap_seed());
	for (size_t i = 0; i < count; i++) {
		if (!is_wanted(tests[i].name, only))
			continue;
		atomic_store(&complaints, 0);
		skipped = NULL;
		/* A hang is a failure too, and the last result says of which. */
		alarm(TEST_SECONDS);
		srandom(seed_of(tests[i].name));
		tests[i].run();
		alarm(0);
		if (skipped && !ktap_failed() && may_skip()) {
			skip++;
			printf("ok %d %s # SKIP %s\n", ++number, tests[i].name, skipped);
			continue;
		}
		if (skipped)
			ktap_complain(tests[i].name, 0, "a skip counts as a failure here: %s", skipped);
		*(ktap_failed() ? &fail : &pass) += 1;
		printf("%sok %d %s\n", ktap_failed() ? "not " : "", ++number, tests[i].name);
	}
	printf("1..%d\n", number);
	printf("# Totals: pass:%d fail:%d xfail:0 xpass:0 skip:%d error:0\n", pass, fail, skip);
	if (fail || !number)
		return 1;
	return pass ? 0 : 4;
}

/* SPDX-License-Identifier: GPL-2.0 */
/* Test results in KTAP, for suites in C. */
#ifndef KTAP_H
#define KTAP_H

#include <stdbool.h>
#include <stddef.h>

struct ktap_test {
	const char *name;
	void (*run)(void);
};

#define KTAP_TEST(function) { #function, function }

/*
 * Runs all tests, or the ones that @only names, and prints the report. Returns
 * the exit status: 0, 1 when one has failed, 4 when all were skipped. srandom() is called before each
 * test, with a hash of ktap_seed() and the test's name.
 */
int ktap_main(const struct ktap_test *tests, size_t count, const char *only);

/* Return the number of the environment's WEIR_SEED, 1 without it: the seed of random events. */
unsigned long ktap_seed(void);

/* May be called from any thread of a test. */
__attribute__((format(printf, 3, 4)))
void ktap_complain(const char *file, int line, const char *format, ...);

/* The test cannot run here. */
void ktap_skip(const char *why);

/* Return true if the running test has failed already. */
bool ktap_failed(void);

/* Notes a failure when the condition does not hold, and tells. */
#define CHECK(condition) \
	((condition) || (ktap_complain(__FILE__, __LINE__, "%s", #condition), false))

#define CHECK_EQ(a, b) check_eq(__FILE__, __LINE__, #a " == " #b, (long long)(a), (long long)(b))

bool check_eq(const char *file, int line, const char *text, long long a, long long b);

#endif

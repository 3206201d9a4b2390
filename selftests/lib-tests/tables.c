// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "tests.h"

#define TESTS_MAX 240

bool own_network;

int run_tables(const struct test_table *const *tables, size_t count, const char *only)
{
	struct ktap_test all[TESTS_MAX];
	size_t tests = 0;

	for (size_t i = 0; i < count; i++) {
		if (tests + tables[i]->count > TESTS_MAX)
			return 1;
		memcpy(all + tests, tables[i]->tests, tables[i]->count * sizeof(all[0]));
		tests += tables[i]->count;
	}
	return ktap_main(all, tests, only);
}

// SPDX-License-Identifier: GPL-2.0
#include <string.h>
#include <unistd.h>

#include "cluster.h"
#include "tests.h"

#define TESTS_MAX 240

bool own_network;

int main(int argc, char **argv)
{
	const struct test_table *tables[] = {
#ifdef __SANITIZE_THREAD__
		/* What threads may do to each other. */
		&driver_table, &guard_table, &trees_table,
#else
		&agree_table, &comm_table, &congestion_table, &driver_table, &guard_table,
		&merged_table, &missing_table, &numbers_table, &partial_table, &reload_table,
		&standby_table, &trees_table,
#endif
	};
	struct ktap_test all[TESTS_MAX];
	size_t count = 0;

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		if (count + tables[i]->count > TESTS_MAX)
			return 1;
		memcpy(all + count, tables[i]->tests, tables[i]->count * sizeof(all[0]));
		count += tables[i]->count;
	}
	own_network = cluster_network();
	/* A hang is a failure too. */
	alarm(300);
	return ktap_main(all, count, argc > 1 ? argv[1] : NULL);
}

// SPDX-License-Identifier: GPL-2.0
#include <stddef.h>

#include "cluster.h"
#include "tests.h"

int main(int argc, char **argv)
{
	const struct test_table *tables[] = {
#ifdef __SANITIZE_THREAD__
		/* Tests in which threads share something. */
		&behind_table, &driver_table, &guard_table, &trees_table,
#else
		&agree_table, &behind_table, &comm_table, &congestion_table, &driver_table, &guard_table,
		&merged_table, &missing_table, &numbers_table, &partial_table, &reload_table,
		&share_table, &standby_table, &trees_table,
#endif
	};

	own_network = cluster_network();
	return run_tables(tables, sizeof(tables) / sizeof(tables[0]), argc > 1 ? argv[1] : NULL);
}

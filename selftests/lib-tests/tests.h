/* SPDX-License-Identifier: GPL-2.0 */
/* The tests of the library against the reference box: one program, a file a subject. */
#ifndef TESTS_H
#define TESTS_H

#include <stdbool.h>
#include <stddef.h>

#include "ktap.h"

struct test_table {
	const struct ktap_test *tests;
	size_t count;
};

extern const struct test_table agree_table, behind_table, comm_table, congestion_table, driver_table, guard_table,
	merged_table, missing_table, numbers_table, partial_table, reload_table, share_table, standby_table, trees_table;

/* Key-value streams, a program of their own. */
extern const struct test_table kv_parts_table, kv_streams_table, kv_bad_table;

/* Those of the congestion window and of loss detection, without a network. */
extern const struct test_table pace_table, recovery_table;

/* Runs the tests of tables, as ktap_main(). */
int run_tables(const struct test_table *const *tables, size_t count, const char *only);

/* True if the network is the tests' own, so that they may change it. */
extern bool own_network;

#endif

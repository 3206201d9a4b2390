// SPDX-License-Identifier: GPL-2.0
/* Who is let into a generation, and when it begins. */
#include "kernel.h"

#include "join.h"
#include "unit.h"

static struct weir_join_table table;

#define JOIN(v, source, nonce, now) \
	CHECK_EQ(weir_join(&table, source, nonce, now), WEIR_JOIN_##v)

static void setup(unsigned int sources)
{
	CHECK_EQ(weir_join_init(&table, sources), 0);
}

static void teardown(void)
{
	weir_join_uninit(&table);
	CHECK_EQ(mock_locks, 0);
}

static void join_all(void)
{
	setup(3);
	JOIN(WAIT, 0, 10, 0);
	JOIN(WAIT, 2, 12, 0);
	JOIN(WAIT, 0, 10, 1);
	JOIN(START, 1, 11, 1);
	JOIN(AGAIN, 0, 10, 1);
	JOIN(AGAIN, 2, 12, 10000);
	CHECK_EQ(weir_join_nonce(&table, 1), 11);
	teardown();
}

static void join_one(void)
{
	setup(1);
	JOIN(START, 0, 0, 0);
	JOIN(AGAIN, 0, 0, 0);
	JOIN(START, 0, 1, 0);
	teardown();
}

/* One that comes back waits until all do; the others go on as they were. */
static void join_restart(void)
{
	setup(2);
	JOIN(WAIT, 0, 1, 0);
	JOIN(START, 1, 2, 0);
	JOIN(WAIT, 0, 3, 5);
	JOIN(AGAIN, 1, 2, 6);
	JOIN(START, 1, 4, 7);
	CHECK_EQ(weir_join_nonce(&table, 0), 3);
	/* A late packet of the one before. */
	JOIN(WAIT, 0, 1, 8);
	JOIN(AGAIN, 1, 4, 8);
	teardown();
}

/* One that has died while it waited is not counted in. */
static void join_dead_waiter(void)
{
	setup(2);
	JOIN(WAIT, 0, 1, 0);
	JOIN(WAIT, 1, 2, 4 * HZ);
	JOIN(START, 0, 5, 4 * HZ + 1);
	CHECK_EQ(weir_join_nonce(&table, 0), 5);
	teardown();
}

static void join_jiffies_wrap(void)
{
	setup(2);
	JOIN(WAIT, 0, 1, -1UL);
	JOIN(START, 1, 2, 1);
	teardown();
}

static void join_without_memory(void)
{
	mock_fail_after = 0;
	CHECK_EQ(weir_join_init(&table, 4), -ENOMEM);
	mock_fail_after = -1;
	weir_join_uninit(&table);
}

const struct ktap_test join_tests[] = {
	KTAP_TEST(join_all),
	KTAP_TEST(join_one),
	KTAP_TEST(join_restart),
	KTAP_TEST(join_dead_waiter),
	KTAP_TEST(join_jiffies_wrap),
	KTAP_TEST(join_without_memory),
};
SUITE_END(join);

// SPDX-License-Identifier: GPL-2.0
/* How long a result is retained. */
#include "kernel.h"

#include "sum/horizon.h"
#include "unit.h"

static struct weir_horizon horizon;

/* All of @sources are there; a table of @size slots. */
static void setup(u16 sources, u32 size)
{
	u16 i;

	memset(&horizon, 0, sizeof(horizon));
	CHECK_EQ(weir_horizon_init(&horizon, sources, size), 0);
	for (i = 0; i < sources; i++)
		weir_horizon_return(&horizon, i);
}

static void teardown(void)
{
	weir_horizon_uninit(&horizon);
}

#define SHOW(...)	weir_horizon_show(&horizon, __VA_ARGS__)
#define HAS(...)	weir_horizon_has(&horizon, __VA_ARGS__)
#define REACH(...)	weir_horizon_reach(&horizon, __VA_ARGS__)
#define NOBODY		WEIR_SOURCES_MAX

/* A block a table further may be opened, as far as all sources are concerned. */
#define PASSED(seq) \
	(REACH(NOBODY, (seq) + horizon.size) == WEIR_REACH_NEAR)

/* To the block: a source has the results half a table before the block that it sends. */
static void horizon_is_half_a_table(void)
{
	setup(1, 8);
	CHECK(!PASSED(0));
	SHOW(0, 3);
	CHECK(!HAS(0, 0));
	CHECK(!PASSED(0));
	SHOW(0, 4);
	CHECK(HAS(0, 0));
	CHECK(!HAS(0, 1));
	CHECK(PASSED(0));
	CHECK(!PASSED(1));
	teardown();
}

static void horizon_waits_for_the_last(void)
{
	u16 i;

	setup(256, 8);
	for (i = 0; i < 255; i++)
		SHOW(i, 100);
	CHECK(!PASSED(0));
	SHOW(255, 5);
	CHECK(PASSED(1));
	CHECK(!PASSED(2));
	/* The last look is remembered, and not taken for more. */
	CHECK(PASSED(0));
	SHOW(255, 100);
	CHECK(PASSED(96));
	CHECK(!PASSED(97));
	teardown();
}

/* A late packet does not make a source look further behind. */
static void horizon_only_goes_forward(void)
{
	setup(1, 8);
	SHOW(0, 10);
	SHOW(0, 2);
	CHECK(HAS(0, 6));
	CHECK(!HAS(0, 7));
	teardown();
}

static void horizon_nobody_is_waited_for(void)
{
	setup(2, 8);
	weir_horizon_leave(&horizon, 0);
	weir_horizon_leave(&horizon, 1);
	CHECK(PASSED(1000));
	teardown();
}

static void horizon_absent_from_the_start(void)
{
	memset(&horizon, 0, sizeof(horizon));
	CHECK_EQ(weir_horizon_init(&horizon, 2, 8), 0);
	CHECK(PASSED(0));
	weir_horizon_return(&horizon, 1);
	CHECK(!PASSED(0));
	SHOW(1, 4);
	CHECK(PASSED(0));
	teardown();
}

static void horizon_does_not_wait_for_the_absent(void)
{
	setup(2, 8);
	SHOW(0, 50);
	CHECK(!PASSED(0));
	weir_horizon_leave(&horizon, 1);
	CHECK(PASSED(46));
	/* Its blocks meanwhile count when it is back. */
	SHOW(1, 30);
	weir_horizon_return(&horizon, 1);
	CHECK(PASSED(26));
	CHECK(!PASSED(27));
	teardown();
}

/* A source that is back is waited for from then on, wherever the others are. */
static void horizon_waits_for_who_is_back(void)
{
	setup(2, 8);
	SHOW(1, 10);
	weir_horizon_leave(&horizon, 1);
	SHOW(0, 50);
	CHECK(PASSED(46));
	weir_horizon_return(&horizon, 1);
	CHECK(PASSED(6));
	CHECK(!PASSED(7));
	CHECK(!PASSED(46));
	teardown();
}

static void horizon_ids_wrap(void)
{
	setup(2, 8);
	weir_horizon_begin(&horizon, 0xfffffff0);
	SHOW(0, 0xfffffffd);
	SHOW(1, 1);
	CHECK(HAS(1, 0xfffffffd));
	CHECK(!HAS(1, 0xfffffffe));
	CHECK(PASSED(0xfffffff9));
	CHECK(!PASSED(0xfffffffa));
	SHOW(0, 2);
	CHECK(PASSED(0xfffffffd));
	CHECK(!PASSED(0xfffffffe));
	/* Late ones on the other side of the seam. */
	SHOW(0, 0xffffffff);
	CHECK(HAS(0, 0xfffffffe));
	teardown();
}

/* Nothing was shown, which is not the same as block 0. */
static void horizon_never_shown(void)
{
	setup(1, 1);
	CHECK(!HAS(0, 0));
	CHECK(!PASSED(0));
	SHOW(0, 0);
	CHECK(HAS(0, 0));
	CHECK(PASSED(0));
	teardown();
}

/* Half a table ahead of the slowest, for each source. */
static void horizon_reach(void)
{
	setup(3, 8);
	CHECK_EQ(REACH(0, 3), WEIR_REACH_NEAR);
	CHECK_EQ(REACH(0, 4), WEIR_REACH_FAR);
	CHECK_EQ(REACH(0, 7), WEIR_REACH_FAR);
	CHECK_EQ(REACH(0, 8), WEIR_REACH_BEYOND);
	CHECK_EQ(REACH(0, 0x7fffffff), WEIR_REACH_BEYOND);
	/* Only a lie about a near block is taken. */
	SHOW(0, 3);
	CHECK_EQ(REACH(0, 4), WEIR_REACH_FAR);
	CHECK_EQ(REACH(0, 11), WEIR_REACH_FAR);
	CHECK_EQ(REACH(0, 12), WEIR_REACH_BEYOND);
	/* A source that is behind all others by more than that may catch up at once. */
	SHOW(0, 103);
	SHOW(1, 103);
	CHECK_EQ(REACH(2, 107), WEIR_REACH_NEAR);
	CHECK_EQ(REACH(0, 104), WEIR_REACH_FAR);
	weir_horizon_leave(&horizon, 2);
	CHECK_EQ(REACH(0, 107), WEIR_REACH_NEAR);
	CHECK_EQ(REACH(0, 108), WEIR_REACH_FAR);
	teardown();
}

/* The next block follows all that were shown, and all sources stand before it. */
static void horizon_begins(void)
{
	setup(2, 8);
	CHECK_EQ(weir_horizon_end(&horizon, 0), 0);
	SHOW(0, 999);
	SHOW(1, 990);
	CHECK_EQ(weir_horizon_end(&horizon, 0), 1000);
	CHECK_EQ(weir_horizon_end(&horizon, 2000), 2000);
	CHECK_EQ(REACH(0, 1000), WEIR_REACH_FAR);
	weir_horizon_begin(&horizon, 1000);
	CHECK_EQ(weir_horizon_end(&horizon, 0), 1000);
	CHECK_EQ(REACH(0, 1003), WEIR_REACH_NEAR);
	CHECK_EQ(REACH(0, 1004), WEIR_REACH_FAR);
	CHECK_EQ(REACH(0, 1008), WEIR_REACH_BEYOND);
	/* An older block does not move a source. */
	SHOW(1, 10);
	CHECK_EQ(REACH(0, 1003), WEIR_REACH_NEAR);
	/* A source that was away for long is behind. */
	weir_horizon_begin(&horizon, 0x70000000);
	horizon.shown[1].seq = 5;
	CHECK_EQ(weir_horizon_end(&horizon, 0x70000000), 0x70000000);
	teardown();
}

static void return_meanwhile(void)
{
	mock_meanwhile = NULL;
	weir_horizon_return(&horizon, 1);
}

/* A source comes back just when a look that has not seen it is to be remembered. */
static void horizon_return_under_a_look(void)
{
	setup(2, 8);
	weir_horizon_leave(&horizon, 1);
	SHOW(0, 50);
	mock_meanwhile = return_meanwhile;
	CHECK(PASSED(46));
	CHECK(!mock_meanwhile);
	CHECK(!PASSED(46));
	/* Likewise where nothing was remembered at the time. */
	weir_horizon_leave(&horizon, 1);
	CHECK(PASSED(46));
	SHOW(0, 60);
	mock_meanwhile = return_meanwhile;
	CHECK(PASSED(56));
	CHECK(!mock_meanwhile);
	CHECK(!PASSED(56));
	teardown();
}

static u32 other_cpu_shows;

static void show_meanwhile(void)
{
	mock_meanwhile = NULL;
	horizon.shown[0].seq = other_cpu_shows;
}

/* Two packets of a source on two CPUs: the further one stays. */
static void horizon_two_cpus(void)
{
	u32 behind, ahead;

	setup(1, 8);
	SHOW(0, 20);
	behind = horizon.shown[0].seq;
	SHOW(0, 40);
	ahead = horizon.shown[0].seq;
	other_cpu_shows = ahead;
	horizon.shown[0].seq = behind - 10;
	mock_meanwhile = show_meanwhile;
	SHOW(0, 30);
	CHECK_EQ(horizon.shown[0].seq, ahead);
	other_cpu_shows = behind;
	horizon.shown[0].seq = behind - 10;
	mock_meanwhile = show_meanwhile;
	SHOW(0, 40);
	CHECK_EQ(horizon.shown[0].seq, ahead);
	CHECK(!mock_meanwhile);
	teardown();
}

/* An update that is lost keeps a result longer, and never shorter. */
static void horizon_lost_update_keeps(void)
{
	u32 before;

	setup(2, 8);
	SHOW(0, 20);
	SHOW(1, 20);
	before = horizon.shown[1].seq;
	SHOW(0, 40);
	SHOW(1, 40);
	horizon.shown[1].seq = before;
	CHECK(PASSED(16));
	CHECK(!PASSED(17));
	SHOW(1, 41);
	CHECK(PASSED(36));
	teardown();
}

static void horizon_without_memory(void)
{
	mock_fail_after = 0;
	CHECK_EQ(weir_horizon_init(&horizon, 2, 8), -ENOMEM);
	mock_fail_after = -1;
	teardown();
}

const struct ktap_test horizon_tests[] = {
	KTAP_TEST(horizon_is_half_a_table),
	KTAP_TEST(horizon_waits_for_the_last),
	KTAP_TEST(horizon_only_goes_forward),
	KTAP_TEST(horizon_nobody_is_waited_for),
	KTAP_TEST(horizon_absent_from_the_start),
	KTAP_TEST(horizon_does_not_wait_for_the_absent),
	KTAP_TEST(horizon_waits_for_who_is_back),
	KTAP_TEST(horizon_ids_wrap),
	KTAP_TEST(horizon_never_shown),
	KTAP_TEST(horizon_reach),
	KTAP_TEST(horizon_begins),
	KTAP_TEST(horizon_return_under_a_look),
	KTAP_TEST(horizon_two_cpus),
	KTAP_TEST(horizon_lost_update_keeps),
	KTAP_TEST(horizon_without_memory),
};
SUITE_END(horizon);

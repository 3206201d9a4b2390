// SPDX-License-Identifier: GPL-2.0
/* Retention of results, and the sources that blocks wait for. */
#include "kernel.h"

#include "agg/slots/retention.h"
#include "unit.h"

static struct weir_retention ret;

/* All of @sources are there; a table of @slots, of which half may be outstanding. */
static void setup(u16 sources, u32 slots)
{
	u16 i;

	memset(&ret, 0, sizeof(ret));
	CHECK_EQ(weir_retention_init(&ret, sources, slots, max(slots / 2, 1U)), 0);
	for (i = 0; i < sources; i++)
		weir_retention_return(&ret, i);
}

static void teardown(void)
{
	weir_retention_uninit(&ret);
}

#define SENT(...)	weir_retention_sent(&ret, __VA_ARGS__, true)
#define ASKED(...)	weir_retention_sent(&ret, __VA_ARGS__, false)
#define ACK(...)	weir_retention_ack(&ret, __VA_ARGS__)
#define HAS(...)	weir_retention_has(&ret, __VA_ARGS__)
#define ADMIT(...)	weir_retention_admit(&ret, __VA_ARGS__)
#define OPENED(seq)	weir_retention_opened(&ret, seq)
#define NO_SOURCE	WEIR_SOURCES_MAX

/* A block a table further may be opened, as far as all sources are concerned. */
#define PASSED(seq) \
	(ADMIT(NO_SOURCE, (seq) + ret.slots) == WEIR_ADMIT)

/* By the block that it sends, a source has the results of a window before it. */
static void retention_of_a_window(void)
{
	setup(1, 8);
	CHECK(!PASSED(0));
	SENT(0, 3);
	CHECK(!HAS(0, 0));
	CHECK(!PASSED(0));
	SENT(0, 4);
	CHECK(HAS(0, 0));
	CHECK(!HAS(0, 1));
	CHECK(PASSED(0));
	CHECK(!PASSED(1));
	teardown();
}

/* A window may be less than half of the table: more results are retained then. */
static void retention_of_more_than_a_window(void)
{
	memset(&ret, 0, sizeof(ret));
	CHECK_EQ(weir_retention_init(&ret, 2, 32, 4), 0);
	weir_retention_return(&ret, 0);
	weir_retention_return(&ret, 1);
	SENT(0, 40);
	SENT(1, 10);
	CHECK(HAS(1, 6));
	CHECK(!HAS(1, 7));
	CHECK_EQ(ADMIT(0, 38), WEIR_ADMIT);
	CHECK_EQ(ADMIT(0, 39), WEIR_ADMIT_HELD);
	teardown();
}

/* Only its own blocks show where a source is, not what it has been sent. */
static void retention_is_at(void)
{
	setup(1, 8);
	OPENED(8);
	SENT(0, 5);
	CHECK(ACK(0, 8, false));
	CHECK(weir_retention_is_at(&ret, 0, 4));
	CHECK(weir_retention_is_at(&ret, 0, 5));
	CHECK(!weir_retention_is_at(&ret, 0, 6));
	teardown();
}

/* Explicit acknowledgments count for more than what a source sends; none counts back. */
static void retention_acknowledged(void)
{
	setup(2, 8);
	SENT(0, 6);
	OPENED(6);
	SENT(1, 6);
	CHECK(!HAS(0, 3));
	CHECK(ACK(0, 7, false));
	CHECK(HAS(0, 6));
	CHECK(!HAS(0, 7));
	CHECK(!PASSED(3));
	CHECK(ACK(1, 5, false));
	CHECK(PASSED(4));
	CHECK(!PASSED(5));
	CHECK(ACK(0, 3, false));
	CHECK(HAS(0, 6));
	/* A source may resume a table ahead, and not further. */
	CHECK(ACK(0, 14, false));
	CHECK(!ACK(1, 15, false));
	teardown();
}

static void retention_waits_for_the_last(void)
{
	u16 i;

	setup(256, 8);
	for (i = 0; i < 255; i++)
		SENT(i, 100);
	CHECK(!PASSED(0));
	SENT(255, 5);
	CHECK(PASSED(1));
	CHECK(!PASSED(2));
	/* The last look is remembered, and not taken for more. */
	CHECK(PASSED(0));
	SENT(255, 100);
	CHECK(PASSED(96));
	CHECK(!PASSED(97));
	teardown();
}

/* A late packet does not make a source look further behind. */
static void retention_only_goes_forward(void)
{
	setup(1, 8);
	SENT(0, 10);
	SENT(0, 2);
	CHECK(HAS(0, 6));
	CHECK(!HAS(0, 7));
	teardown();
}

static void retention_without_sources(void)
{
	setup(2, 8);
	weir_retention_leave(&ret, 0);
	weir_retention_leave(&ret, 1);
	CHECK(PASSED(1000));
	teardown();
}

static void retention_absent_from_the_start(void)
{
	memset(&ret, 0, sizeof(ret));
	CHECK_EQ(weir_retention_init(&ret, 2, 8, 4), 0);
	CHECK(PASSED(0));
	weir_retention_return(&ret, 1);
	CHECK(!PASSED(0));
	SENT(1, 4);
	CHECK(PASSED(0));
	teardown();
}

static void retention_does_not_wait_for_the_absent(void)
{
	setup(2, 8);
	SENT(0, 50);
	CHECK(!PASSED(0));
	weir_retention_leave(&ret, 1);
	CHECK(PASSED(46));
	/* Its blocks meanwhile count when it is back. */
	SENT(1, 30);
	weir_retention_return(&ret, 1);
	CHECK(PASSED(26));
	CHECK(!PASSED(27));
	teardown();
}

/* A source that is back is waited for from then on, wherever the others are. */
static void retention_waits_for_who_is_back(void)
{
	setup(2, 8);
	SENT(1, 10);
	weir_retention_leave(&ret, 1);
	SENT(0, 50);
	OPENED(50);
	CHECK(PASSED(46));
	weir_retention_return(&ret, 1);
	CHECK(PASSED(6));
	CHECK(!PASSED(7));
	CHECK(!PASSED(46));
	teardown();
}

/* Unless results may be evicted: then what it lacks is gone, and it is behind. */
static void retention_does_not_wait_for_who_is_behind(void)
{
	setup(2, 8);
	ret.evict_after = 0;
	SENT(1, 10);
	weir_retention_leave(&ret, 1);
	SENT(0, 50);
	OPENED(50);
	weir_retention_return(&ret, 1);
	CHECK(test_bit(1, ret.behind));
	CHECK(PASSED(46));
	teardown();
}

/* A source that lacks an evicted result is behind, until it has what the table has. */
static void retention_evicts(void)
{
	setup(3, 8);
	SENT(0, 20);
	SENT(1, 20);
	SENT(2, 8);
	OPENED(20);
	CHECK_EQ(ADMIT(0, 13), WEIR_ADMIT_HELD);
	CHECK(weir_retention_evict(&ret, 0, 5));
	CHECK(!test_bit(0, ret.behind));
	CHECK(!test_bit(1, ret.behind));
	CHECK(test_bit(2, ret.behind));
	CHECK(weir_retention_report(&ret, 2));
	CHECK(!weir_retention_report(&ret, 2));
	CHECK(!weir_retention_report(&ret, 1));
	CHECK_EQ(weir_retention_oldest(&ret), 13);
	CHECK_EQ(ADMIT(0, 24), WEIR_ADMIT);
	/* Once is enough. */
	CHECK(!weir_retention_evict(&ret, 0, 6));
	/* 13 is there yet: to have all before it is to have caught up. */
	SENT(2, 15);
	CHECK(test_bit(2, ret.behind));
	SENT(2, 16);
	CHECK(!test_bit(2, ret.behind));
	CHECK_EQ(ADMIT(0, 21), WEIR_ADMIT_HELD);
	/* The next time is another one. */
	CHECK(weir_retention_evict(&ret, 0, 13));
	CHECK(weir_retention_report(&ret, 2));
	/* An acknowledgment does as well: the source has resumed. */
	CHECK(ACK(2, 13, false));
	CHECK(!test_bit(2, ret.behind));
	teardown();
}

/* Blocks do not wait for a source that one has timed out without, until it has caught up. */
static void retention_of_a_straggler(void)
{
	setup(2, 8);
	SENT(0, 40);
	OPENED(40);
	SENT(1, 9);
	/* It has sent this one, which was lost. */
	weir_retention_straggle(&ret, 1, 9);
	CHECK(!test_bit(1, ret.stragglers));
	weir_retention_straggle(&ret, 1, 10);
	CHECK(test_bit(1, ret.stragglers));
	/* Once it is waited for when it sends something, which a question does not tell. */
	ASKED(1, 40);
	CHECK(test_bit(1, ret.stragglers));
	SENT(1, 20);
	CHECK(!test_bit(1, ret.stragglers));
	weir_retention_straggle(&ret, 1, 40);
	SENT(1, 35);
	CHECK(test_bit(1, ret.stragglers));
	SENT(1, 36);
	CHECK(!test_bit(1, ret.stragglers));
	/* Now it has caught up, and has another chance. */
	OPENED(50);
	weir_retention_straggle(&ret, 1, 50);
	SENT(1, 37);
	CHECK(!test_bit(1, ret.stragglers));
	teardown();
}

/* A source that lacks an evicted result is not waited for until it goes on later. */
static void retention_of_a_straggler_that_is_behind(void)
{
	setup(2, 8);
	SENT(0, 40);
	OPENED(40);
	CHECK(weir_retention_evict(&ret, 0, 32));
	weir_retention_straggle(&ret, 1, 40);
	SENT(1, 9);
	CHECK(test_bit(1, ret.stragglers));
	CHECK(ACK(1, 41, true));
	CHECK(!test_bit(1, ret.stragglers));
	teardown();
}

static void retention_of_a_program_that_is_late(void)
{
	setup(2, 8);
	SENT(0, 40);
	OPENED(40);
	/* Results alone do not show that its program is there. */
	weir_retention_straggle(&ret, 1, 40);
	CHECK(ACK(1, 41, false));
	CHECK(test_bit(1, ret.stragglers));
	CHECK(ACK(1, 41, true));
	CHECK(!test_bit(1, ret.stragglers));
	weir_retention_straggle(&ret, 1, 50);
	weir_retention_wait_for_all(&ret);
	CHECK(!test_bit(1, ret.stragglers));
	teardown();
}

static void retention_ids_wrap(void)
{
	setup(2, 8);
	weir_retention_begin(&ret, 0xfffffff0);
	SENT(0, 0xfffffffd);
	SENT(1, 1);
	CHECK(HAS(1, 0xfffffffd));
	CHECK(!HAS(1, 0xfffffffe));
	CHECK(PASSED(0xfffffff9));
	CHECK(!PASSED(0xfffffffa));
	SENT(0, 2);
	CHECK(PASSED(0xfffffffd));
	CHECK(!PASSED(0xfffffffe));
	/* Late ones on the other side of the seam. */
	SENT(0, 0xffffffff);
	CHECK(HAS(0, 0xfffffffe));
	teardown();
}

/* To have sent nothing is not the same as to have sent block 0. */
static void retention_before_the_first(void)
{
	setup(1, 1);
	CHECK(!HAS(0, 0));
	CHECK(!PASSED(0));
	SENT(0, 1);
	CHECK(HAS(0, 0));
	CHECK(PASSED(0));
	teardown();
}

/* A table ahead of what the slowest lacks, for each source. */
static void retention_admits(void)
{
	setup(3, 8);
	CHECK_EQ(ADMIT(0, 7), WEIR_ADMIT);
	CHECK_EQ(ADMIT(0, 8), WEIR_ADMIT_BEYOND);
	CHECK_EQ(ADMIT(0, 0x7fffffff), WEIR_ADMIT_BEYOND);
	/* Only a lie about a near block is taken. */
	SENT(0, 3);
	CHECK_EQ(ADMIT(0, 8), WEIR_ADMIT_HELD);
	CHECK_EQ(ADMIT(0, 11), WEIR_ADMIT_HELD);
	CHECK_EQ(ADMIT(0, 12), WEIR_ADMIT_BEYOND);
	/* A source that is behind all others by more than that may catch up at once. */
	SENT(0, 103);
	SENT(1, 103);
	CHECK_EQ(ADMIT(2, 107), WEIR_ADMIT);
	CHECK_EQ(ADMIT(0, 104), WEIR_ADMIT_HELD);
	weir_retention_leave(&ret, 2);
	CHECK_EQ(ADMIT(0, 107), WEIR_ADMIT);
	CHECK_EQ(ADMIT(0, 108), WEIR_ADMIT_HELD);
	teardown();
}

/* The next block follows all that were sent, and all sources stand before it. */
static void retention_begins(void)
{
	setup(2, 8);
	CHECK_EQ(weir_retention_end(&ret, 0), 0);
	SENT(0, 999);
	SENT(1, 990);
	weir_retention_straggle(&ret, 1, 995);
	CHECK_EQ(weir_retention_end(&ret, 0), 1000);
	CHECK_EQ(weir_retention_end(&ret, 2000), 2000);
	CHECK_EQ(ADMIT(0, 1000), WEIR_ADMIT_HELD);
	weir_retention_begin(&ret, 1000);
	CHECK(!test_bit(1, ret.stragglers));
	CHECK_EQ(weir_retention_end(&ret, 0), 1000);
	CHECK_EQ(ADMIT(0, 1007), WEIR_ADMIT);
	CHECK_EQ(ADMIT(0, 1008), WEIR_ADMIT_BEYOND);
	/* An older block does not move a source. */
	SENT(1, 10);
	CHECK_EQ(ADMIT(0, 1007), WEIR_ADMIT);
	/* A source that was away for long is behind. */
	weir_retention_begin(&ret, 0x70000000);
	ret.progress[1].sent = 5;
	CHECK_EQ(weir_retention_end(&ret, 0x70000000), 0x70000000);
	teardown();
}

static void return_meanwhile(void)
{
	mock_meanwhile = NULL;
	weir_retention_return(&ret, 1);
}

/* A source comes back just when a look that has not seen it is to be remembered. */
static void retention_return_under_a_look(void)
{
	setup(2, 8);
	weir_retention_leave(&ret, 1);
	SENT(0, 50);
	mock_meanwhile = return_meanwhile;
	CHECK(PASSED(46));
	CHECK(!mock_meanwhile);
	CHECK(!PASSED(46));
	/* Likewise where nothing was remembered at the time. */
	weir_retention_leave(&ret, 1);
	CHECK(PASSED(46));
	SENT(0, 60);
	mock_meanwhile = return_meanwhile;
	CHECK(PASSED(56));
	CHECK(!mock_meanwhile);
	CHECK(!PASSED(56));
	teardown();
}

static u32 other_cpu_sent;

static void send_meanwhile(void)
{
	mock_meanwhile = NULL;
	ret.progress[0].sent = other_cpu_sent;
}

/* Two packets of a source on two CPUs: the further one stays. */
static void retention_two_cpus(void)
{
	u32 behind, ahead;

	setup(1, 8);
	SENT(0, 20);
	behind = ret.progress[0].sent;
	SENT(0, 40);
	ahead = ret.progress[0].sent;
	other_cpu_sent = ahead;
	ret.progress[0].sent = behind - 10;
	mock_meanwhile = send_meanwhile;
	SENT(0, 30);
	CHECK_EQ(ret.progress[0].sent, ahead);
	other_cpu_sent = behind;
	ret.progress[0].sent = behind - 10;
	mock_meanwhile = send_meanwhile;
	SENT(0, 40);
	CHECK_EQ(ret.progress[0].sent, ahead);
	CHECK(!mock_meanwhile);
	teardown();
}

/* An update that is lost keeps a result longer, and never shorter. */
static void retention_lost_update_keeps(void)
{
	u32 before;

	setup(2, 8);
	SENT(0, 20);
	SENT(1, 20);
	before = ret.progress[1].sent;
	SENT(0, 40);
	SENT(1, 40);
	ret.progress[1].sent = before;
	CHECK(PASSED(16));
	CHECK(!PASSED(17));
	SENT(1, 41);
	CHECK(PASSED(36));
	teardown();
}

static void retention_without_memory(void)
{
	mock_fail_after = 0;
	CHECK_EQ(weir_retention_init(&ret, 2, 8, 4), -ENOMEM);
	mock_fail_after = -1;
	teardown();
}

const struct ktap_test retention_tests[] = {
	KTAP_TEST(retention_of_a_window),
	KTAP_TEST(retention_of_more_than_a_window),
	KTAP_TEST(retention_is_at),
	KTAP_TEST(retention_acknowledged),
	KTAP_TEST(retention_waits_for_the_last),
	KTAP_TEST(retention_only_goes_forward),
	KTAP_TEST(retention_without_sources),
	KTAP_TEST(retention_absent_from_the_start),
	KTAP_TEST(retention_does_not_wait_for_the_absent),
	KTAP_TEST(retention_waits_for_who_is_back),
	KTAP_TEST(retention_does_not_wait_for_who_is_behind),
	KTAP_TEST(retention_evicts),
	KTAP_TEST(retention_of_a_straggler),
	KTAP_TEST(retention_of_a_straggler_that_is_behind),
	KTAP_TEST(retention_of_a_program_that_is_late),
	KTAP_TEST(retention_ids_wrap),
	KTAP_TEST(retention_before_the_first),
	KTAP_TEST(retention_admits),
	KTAP_TEST(retention_begins),
	KTAP_TEST(retention_return_under_a_look),
	KTAP_TEST(retention_two_cpus),
	KTAP_TEST(retention_lost_update_keeps),
	KTAP_TEST(retention_without_memory),
};
SUITE_END(retention);

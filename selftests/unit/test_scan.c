// SPDX-License-Identifier: GPL-2.0
/* Timers that look for blocks that have aged. */
#include "box.h"
#include "unit.h"

#define MS		1000000ULL
#define TIMEOUT		(16 * MS)
#define PART		MS
#define SLOTS		64
#define BUDGET		16		/* answers a visit */

static struct weir_job *job;
static int moments;

static struct weir_job *setup(u8 policy, u64 timeout, u16 sources, u32 slots,
			      u16 timers)
{
	u16 i;

	box_up();
	box.policy.mode = policy;
	box.policy.timeout = timeout;
	box.policy.dead_after = 3600 * NSEC_PER_SEC;
	box.timers = timers;
	job = box_job(7, sources, slots, 16);
	/*
	 * One source alone may open all slots, however silent the others are. They have sent later
	 * blocks, so that no block goes on without waiting for them.
	 */
	weir_blocks_advance(&job->blocks, 0, 0);
	for (i = 1; i < sources; i++) {
		weir_retention_leave(&job->blocks.retention, i);
		weir_retention_sent(&job->blocks.retention, i, 1U << 20, true);
	}
	mock_visits = 0;
	mock_answers = 0;
	return job;
}

static void set_policy(u8 policy, u64 timeout)
{
	struct weir_policy_config changed = job->policy;

	changed.mode = policy;
	changed.timeout = timeout;
	weir_job_set_policy(job, &changed);
}

/* Some time passes. */
static void after(u64 ns)
{
	mock_run(mock_ns + ns);
}

static u64 answered(void)
{
	return box_counter(WEIR_C_BLOCKS);
}

static void scan_idle_arms_nothing(void)
{
	setup(WEIR_POLICY_PARTIAL, TIMEOUT, 2, SLOTS, 8);
	CHECK_EQ(mock_timers(), 0);
	box_give(job, 0, 0, 1);
	CHECK_EQ(mock_timers(), 1);
	box_give(job, 1, 0, 1);
	after(2 * TIMEOUT);
	CHECK_EQ(mock_timers(), 0);
	CHECK_EQ(mock_visits, 1);
	CHECK_EQ(box_counter(WEIR_C_AGED), 0);
	box_down();
}

/* A block that one contribution completes, or a quorum of one, needs none. */
static void scan_complete_at_once_arms_nothing(void)
{
	setup(WEIR_POLICY_PARTIAL, TIMEOUT, 1, SLOTS, 8);
	box_give(job, 0, 0, 1);
	CHECK_EQ(mock_timers(), 0);
	CHECK_EQ(answered(), 1);
	box_down();
}

static void scan_without_timeout_arms_nothing(void)
{
	setup(WEIR_POLICY_WAIT, 0, 2, SLOTS, 8);
	box_give(job, 0, 0, 1);
	CHECK_EQ(mock_timers(), 0);
	after(3600 * NSEC_PER_SEC);
	CHECK_EQ(answered(), 0);
	CHECK_EQ(weir_blocks_open(&job->blocks), 1);
	box_down();
}

/* Blocks opened at any time age after the timeout, and a sixteenth later at most. */
static void ages_in_time(u16 timers)
{
	u64 start[SLOTS];
	unsigned int i;
	u64 took;

	setup(WEIR_POLICY_PARTIAL, TIMEOUT, 2, SLOTS, timers);
	for (i = 0; i < SLOTS; i++) {
		after(random() % (TIMEOUT / 8));
		start[i] = mock_ns;
		box_give(job, 0, i, 1);
	}
	after(2 * TIMEOUT);
	CHECK_EQ(answered(), SLOTS);
	CHECK_EQ(box.sent, 2 * SLOTS);
	for (i = 0; i < box.sent; i++) {
		took = box.packet[i].at - start[box_block(&box.packet[i])];
		CHECK(took >= TIMEOUT);
		CHECK(took <= TIMEOUT + PART);
	}
	CHECK_EQ(box_counter(WEIR_C_DEGRADED), SLOTS);
	CHECK_EQ(box_counter(WEIR_C_AGED), SLOTS);
	CHECK_EQ(box_counter(WEIR_C_STRAGGLES), SLOTS);
	box_down();
}

static void scan_ages_in_time(void)
{
	ages_in_time(1);
	ages_in_time(3);
	ages_in_time(16);
	ages_in_time(SLOTS);
	ages_in_time(WEIR_TIMERS_MAX);
}

/* One timer for many slots looks only at those in which blocks were opened. */
static void scan_many_slots(void)
{
	u32 i, many = 8192;

	setup(WEIR_POLICY_PARTIAL, TIMEOUT, 2, many, 1);
	mock_looked = 0;
	for (i = 0; i < many; i += 500)
		box_give(job, 0, i, 1);
	after(TIMEOUT + 2 * PART);
	CHECK_EQ(answered(), 17);
	CHECK(mock_looked <= 17);
	CHECK(mock_visits <= 4);
	/* The one that stays is that which watches the sources. */
	CHECK_EQ(mock_timers(), 1);
	/* Slots with results are looked at once more, and again when a block is opened in them. */
	box_give(job, 0, 500 + many, 1);
	after(TIMEOUT + 2 * PART);
	CHECK_EQ(answered(), 18);
	mock_looked = 0;
	box_give(job, 0, 1000 + many, 1);
	after(TIMEOUT + 2 * PART);
	CHECK_EQ(answered(), 19);
	CHECK(mock_looked <= 2);
	CHECK_EQ(mock_timers(), 1);
	box_down();
}

/* One timer for many open blocks looks at some of them at a time, and finds all. */
static void scan_many_open_blocks(void)
{
	u32 i, many = 3000;

	setup(WEIR_POLICY_WAIT, 100 * TIMEOUT, 2, 8192, 1);
	for (i = 0; i < many; i++)
		box_give(job, 0, i, 1);
	mock_looked = 0;
	mock_visits = 0;
	set_policy(WEIR_POLICY_WAIT, 50 * TIMEOUT);
	after(1);
	CHECK_EQ(mock_looked, 1024);
	CHECK_EQ(mock_visits, 3);
	CHECK_EQ(box_counter(WEIR_C_AGED), 0);
	/* A block that is opened between two visits of a round is found behind it, too. */
	box_give(job, 0, 4000, 1);
	after(60 * TIMEOUT);
	CHECK_EQ(box_counter(WEIR_C_AGED), many + 1);
	CHECK_EQ(mock_timers(), 1);
	box_down();
}

/* As long as contributions come within a sixteenth of each other. */
static void scan_contributions_put_it_off(void)
{
	u64 last;
	u16 i;

	setup(WEIR_POLICY_PARTIAL, TIMEOUT, 16, SLOTS, 1);
	box_give(job, 0, 0, 1);
	after(TIMEOUT - 1);
	for (i = 1; i < 15; i++) {
		CHECK_EQ(box_give(job, i, 0, 1), 0);
		CHECK_EQ(answered(), 0);
		last = mock_ns;
		after(PART - 1);
	}
	after(2 * PART);
	CHECK_EQ(answered(), 1);
	CHECK(box.packet[0].at >= last + PART);
	CHECK(box.packet[0].at <= last + 2 * PART);
	CHECK_EQ(box.packet[0].hdr.src_cnt, 15);
	box_down();
}

/* Early contributions do not make it age later. */
static void scan_early_contributions_change_nothing(void)
{
	u64 start;

	setup(WEIR_POLICY_PARTIAL, TIMEOUT, 3, SLOTS, 1);
	start = mock_ns;
	box_give(job, 0, 0, 1);
	after(TIMEOUT / 2);
	box_give(job, 1, 0, 1);
	after(TIMEOUT);
	CHECK_EQ(answered(), 1);
	CHECK(box.packet[0].at <= start + TIMEOUT + PART);
	box_down();
}

/* Others have their turn after so many answers; none is left out. */
static void scan_budget(void)
{
	u32 i;

	setup(WEIR_POLICY_PARTIAL, TIMEOUT, 2, 256, 1);
	for (i = 0; i < 200; i++)
		box_give(job, 0, i, 1);
	after(TIMEOUT + PART);
	CHECK_EQ(answered(), 200);
	CHECK_EQ(mock_answers, BUDGET);
	CHECK(mock_visits >= 200 / BUDGET);
	after(2 * TIMEOUT);
	CHECK_EQ(mock_timers(), 1);	/* the watch's */
	box_down();
}

/* Nor is one visit thousands of packets, where each block is one to many sources. */
static void scan_budget_of_packets(void)
{
	u32 i;

	setup(WEIR_POLICY_PARTIAL, TIMEOUT, 200, 64, 1);
	for (i = 0; i < 5; i++)
		box_give(job, 0, i, 1);
	after(TIMEOUT + PART);
	CHECK_EQ(answered(), 5);
	CHECK_EQ(mock_answers, 1);
	CHECK(mock_visits >= 5);
	box_down();
}

/* Far into a merged packet, of blocks that are complete at once. */
static void merged_setup(u16 sources)
{
	setup(WEIR_POLICY_WAIT, 0, sources, SLOTS, 1);
	job->blocks.quorum = 1;
	box.sent_before = 1024;
}

/* One packet does not make as many as its datagrams complete blocks: the timer does. */
static void scan_sends_what_was_left_unsent(void)
{
	u32 i;

	merged_setup(200);
	box.sent_before = 1023;
	box_give(job, 0, 0, 1);
	CHECK_EQ(answered(), 1);
	CHECK_EQ(mock_timers(), 0);
	box.sent_before = 1024;
	box_forget();
	for (i = 1; i < 6; i++)
		box_give(job, 0, i, 1);
	CHECK_EQ(answered(), 1);
	CHECK_EQ(box.sent, 0);
	/* A source that asks meanwhile is answered, and the others later. */
	box_ask(job, 0, 3);
	CHECK_EQ(box.sent, 1);
	box_forget();
	after(0);
	CHECK_EQ(answered(), 6);
	CHECK_EQ(box.sent, 5 * 200);
	CHECK_EQ(mock_answers, 1);
	CHECK_EQ(mock_timers(), 0);
	box_forget();
	after(TIMEOUT);
	CHECK_EQ(box.sent, 0);
	box_down();
}

static void unsent_meanwhile(void)
{
	if (moments--)
		return;
	mock_meanwhile = NULL;
	box_give(job, 0, 2, 1);
	box_give(job, 1, 2, 1);
}

/* Left unsent just as the timer looks, stops, or rests until the next block is due. */
static void scan_unsent_while_it_stops(void)
{
	int moment;

	for (moment = 0; moment < 6; moment++) {
		merged_setup(2);
		if (moment > 2)
			set_policy(WEIR_POLICY_PARTIAL, 1000 * TIMEOUT);
		after(0);
		job->blocks.quorum = 0;
		if (moment > 2)
			box_give(job, 0, 9, 1);
		box_give(job, 0, 1, 1);
		box_give(job, 1, 1, 1);
		moments = moment % 3;
		mock_meanwhile = unsent_meanwhile;
		after(10 * PART);
		if (mock_meanwhile)
			after(2000 * TIMEOUT);
		CHECK(!mock_meanwhile);
		CHECK(answered() >= 2);
		CHECK_EQ(weir_blocks_slot(&job->blocks, 2)->unsent, 0);
		box_down();
	}
}

/* A slot that goes on takes nothing along. */
static void scan_unsent_and_the_next_block(void)
{
	merged_setup(2);
	box_give(job, 0, 1, 1);
	box.sent_before = 0;
	job->blocks.quorum = 2;
	box_give(job, 0, 1 + SLOTS, 1);
	after(0);
	CHECK_EQ(answered(), 0);
	CHECK_EQ(weir_blocks_open(&job->blocks), 1);
	box_down();
}

/* A visit that goes on behind a full one has not seen the slots before it. */
static void scan_budget_forgets_no_block(void)
{
	u64 start;
	u32 i;

	setup(WEIR_POLICY_PARTIAL, TIMEOUT, 2, 128, 1);
	for (i = 1; i < 128; i++)
		box_give(job, 0, i, 1);
	after(TIMEOUT - 1);
	start = mock_ns;
	box_give(job, 0, 0, 1);
	after(TIMEOUT);
	CHECK_EQ(answered(), 127);
	box_forget();
	after(2 * PART);
	CHECK_EQ(answered(), 128);
	CHECK(box.packet[0].at >= start + TIMEOUT);
	CHECK(box.packet[0].at <= start + TIMEOUT + PART);
	box_down();
}

static void no_timeout_meanwhile(void)
{
	mock_meanwhile = NULL;
	set_policy(WEIR_POLICY_WAIT, 0);
}

/* Nor one that goes on where there was no timeout for a while. */
static void scan_budget_and_no_timeout(void)
{
	u32 i;

	setup(WEIR_POLICY_PARTIAL, TIMEOUT, 2, 128, 1);
	weir_source_unbind(job, 1);
	for (i = 0; i < 128; i++)
		box_give(job, 0, i, 1);
	mock_meanwhile = no_timeout_meanwhile;
	after(2 * TIMEOUT);
	CHECK_EQ(answered(), BUDGET);
	for (i = 0; i < BUDGET; i++)
		CHECK_EQ(box_give(job, 0, i + 128, 1), 0);
	set_policy(WEIR_POLICY_PARTIAL, TIMEOUT);
	after(TIMEOUT + PART);
	CHECK_EQ(answered(), 128 + BUDGET);
	CHECK_EQ(weir_blocks_open(&job->blocks), 0);
	box_down();
}

static void scan_timeout_becomes_shorter(void)
{
	setup(WEIR_POLICY_PARTIAL, 100 * TIMEOUT, 2, SLOTS, 4);
	box_give(job, 0, 5, 1);
	after(TIMEOUT / 2);
	set_policy(WEIR_POLICY_PARTIAL, TIMEOUT);
	after(TIMEOUT / 2 - 1);
	CHECK_EQ(answered(), 0);
	after(PART + 1);
	CHECK_EQ(answered(), 1);
	/* One that is overdue goes at once. */
	box_give(job, 0, 6, 1);
	after(TIMEOUT / 2);
	set_policy(WEIR_POLICY_PARTIAL, TIMEOUT / 4);
	after(0);
	CHECK_EQ(answered(), 2);
	box_down();
}

static void scan_timeout_becomes_longer(void)
{
	u64 start;

	setup(WEIR_POLICY_PARTIAL, TIMEOUT, 2, SLOTS, 4);
	start = mock_ns;
	box_give(job, 0, 5, 1);
	after(TIMEOUT / 2);
	set_policy(WEIR_POLICY_PARTIAL, 4 * TIMEOUT);
	after(4 * TIMEOUT);
	CHECK_EQ(answered(), 1);
	CHECK(box.packet[0].at >= start + 4 * TIMEOUT);
	CHECK(box.packet[0].at <= start + 4 * TIMEOUT + 4 * PART);
	box_down();
}

static void scan_timeout_comes_and_goes(void)
{
	u64 start;

	setup(WEIR_POLICY_PARTIAL, TIMEOUT, 2, SLOTS, 4);
	start = mock_ns;
	box_give(job, 0, 5, 1);
	set_policy(WEIR_POLICY_WAIT, 0);
	after(10 * TIMEOUT);
	CHECK_EQ(answered(), 0);
	CHECK_EQ(box_counter(WEIR_C_AGED), 0);
	CHECK_EQ(mock_timers(), 0);
	/* Open blocks are seen when there is one again. */
	set_policy(WEIR_POLICY_PARTIAL, 20 * TIMEOUT);
	after(9 * TIMEOUT);
	CHECK_EQ(answered(), 0);
	after(3 * TIMEOUT);
	CHECK_EQ(answered(), 1);
	CHECK(box.packet[0].at >= start + 20 * TIMEOUT);
	box_down();
}

/* Missing sources are counted once, and the block goes on. */
static void scan_wait_counts_once(void)
{
	setup(WEIR_POLICY_WAIT, TIMEOUT, 3, SLOTS, 4);
	box_give(job, 0, 5, 1);
	after(10 * TIMEOUT);
	CHECK_EQ(box_counter(WEIR_C_AGED), 1);
	CHECK_EQ(box_counter(WEIR_C_STRAGGLES), 2);
	CHECK_EQ(weir_source_get(job, 0)->stats->c[WEIR_C_STRAGGLES], 0);
	CHECK_EQ(weir_source_get(job, 2)->stats->c[WEIR_C_STRAGGLES], 1);
	CHECK_EQ(answered(), 0);
	CHECK_EQ(mock_timers(), 1);	/* the watch's */
	box_give(job, 1, 5, 1);
	after(10 * TIMEOUT);
	box_give(job, 2, 5, 1);
	CHECK_EQ(answered(), 1);
	CHECK_EQ(box_counter(WEIR_C_DEGRADED), 0);
	CHECK_EQ(box.packet[0].hdr.flags, 0);
	box_down();
}

/* Blocks that were only counted are answered when the policy says so. */
static void scan_policy_becomes_partial(void)
{
	setup(WEIR_POLICY_WAIT, TIMEOUT, 3, SLOTS, 4);
	box_give(job, 0, 5, 1);
	after(10 * TIMEOUT);
	set_policy(WEIR_POLICY_PARTIAL, TIMEOUT);
	after(0);
	CHECK_EQ(answered(), 1);
	CHECK_EQ(box.packet[0].hdr.flags, WEIR_TRIO_DEGRADED | WEIR_TRIO_AGED);
	/* Once is enough. */
	CHECK_EQ(box_counter(WEIR_C_AGED), 1);
	CHECK_EQ(box_counter(WEIR_C_STRAGGLES), 2);
	box_down();
}

static void set_quorum(u16 quorum)
{
	struct weir_policy_config changed = job->policy;

	changed.quorum = quorum;
	weir_job_set_policy(job, &changed);
}

/* The sources in an open block have no packet left that would end it. */
static void quorum_is_lowered(u64 timeout, bool aged)
{
	setup(WEIR_POLICY_WAIT, timeout, 4, SLOTS, 4);
	box_give(job, 0, 5, 1);
	box_give(job, 1, 5, 1);
	box_give(job, 0, 6, 1);
	after(aged ? 2 * TIMEOUT : TIMEOUT / 2);
	CHECK_EQ(box_counter(WEIR_C_AGED), aged ? 2 : 0);
	set_quorum(3);
	after(0);
	CHECK_EQ(answered(), 0);
	set_quorum(2);
	after(0);
	CHECK_EQ(answered(), 1);
	CHECK_EQ(box.packet[0].hdr.flags,
		 WEIR_TRIO_DEGRADED | (aged ? WEIR_TRIO_AGED : 0));
	CHECK_EQ(box.packet[0].hdr.src_cnt, 2);
	CHECK_EQ(weir_blocks_open(&job->blocks), 1);
	CHECK_EQ(box_counter(WEIR_C_AGED), aged ? 2 : 0);
	CHECK_EQ(box_counter(WEIR_C_STRAGGLES), aged ? 2 + 3 : 0);
	box_down();
}

static void scan_quorum_is_lowered(void)
{
	quorum_is_lowered(0, false);
	quorum_is_lowered(TIMEOUT, false);
	quorum_is_lowered(TIMEOUT, true);
}

static void scan_sweeps_old_generations(void)
{
	setup(WEIR_POLICY_PARTIAL, TIMEOUT, 2, SLOTS, 4);
	box_give(job, 0, 5, 1);
	weir_blocks_advance(&job->blocks, 1, 0);
	after(2 * TIMEOUT);
	CHECK_EQ(box_counter(WEIR_C_ABANDONED), 1);
	CHECK_EQ(box_counter(WEIR_C_AGED), 0);
	CHECK_EQ(box.sent, 0);
	CHECK_EQ(weir_blocks_slot(&job->blocks, 5)->state, WEIR_BLOCK_FREE);
	CHECK_EQ(mock_timers(), 0);
	box_down();
}

/* Every slot has one timer, which is the one that it arms. */
static void shares(u16 timers, u32 slots)
{
	struct weir_scanner *s;
	unsigned int i;
	u32 slot, end = 0;

	setup(WEIR_POLICY_PARTIAL, TIMEOUT, 2, slots, timers);
	CHECK_EQ(job->scan.n, min(timers, slots));
	for (i = 0; i < job->scan.n; i++) {
		s = &job->scan.scanner[i];
		CHECK_EQ(s->first, end);
		CHECK(s->end > s->first);
		CHECK(s->end - s->first <= slots / job->scan.n + 1);
		end = s->end;
		for (slot = s->first; slot < s->end; slot++) {
			CHECK_EQ(s->armed, slot > s->first);
			box_give(job, 0, slot, 1);
			CHECK(s->armed);
		}
	}
	CHECK_EQ(end, slots);
	box_down();
}

static void scan_shares(void)
{
	shares(1, 1);
	shares(1, 64);
	shares(7, 16);
	shares(16, 16);
	shares(100, 128);
	shares(100, 16);
}

/* Their phases are a timeout / N apart, so that they do not come all at once. */
static void scan_phases(void)
{
	u32 i;

	setup(WEIR_POLICY_PARTIAL, TIMEOUT, 2, 16, 16);
	for (i = 0; i < 16; i++)
		CHECK_EQ(job->scan.scanner[i].phase, i * TIMEOUT / 16);
	set_policy(WEIR_POLICY_PARTIAL, 2 * TIMEOUT);
	CHECK_EQ(job->scan.scanner[3].phase, 3 * 2 * TIMEOUT / 16);
	box_down();
}

/* However short the timeout, timers leave each other ten microseconds. */
static void scan_parts_have_a_least(void)
{
	u64 start;

	setup(WEIR_POLICY_PARTIAL, 1000, 2, SLOTS, 1);
	start = mock_ns;
	box_give(job, 0, 0, 1);
	after(30000);
	CHECK_EQ(answered(), 1);
	CHECK(box.packet[0].at >= start + 10000);
	CHECK(box.packet[0].at <= start + 20000);
	CHECK(mock_visits <= 3);
	box_down();
}


static void open_meanwhile(void)
{
	if (moments--)
		return;
	mock_meanwhile = NULL;
	box_give(job, 0, 9, 1);
}

/*
 * A block that is opened while its timer finds nothing to do: before it says
 * that it stops, or just after.
 */
static void scan_opened_while_it_stops(void)
{
	int moment;
	u64 start;

	for (moment = 0; moment < 2; moment++) {
		setup(WEIR_POLICY_PARTIAL, TIMEOUT, 2, SLOTS, 1);
		box_give(job, 0, 8, 1);
		box_give(job, 1, 8, 1);
		box_forget();
		moments = moment;
		mock_meanwhile = open_meanwhile;
		while (mock_meanwhile)
			after(1000);
		start = weir_blocks_slot(&job->blocks, 9)->start;
		CHECK_EQ(weir_blocks_open(&job->blocks), 1);
		CHECK_EQ(mock_timers(), 1);
		after(TIMEOUT + PART);
		CHECK_EQ(answered(), 2);
		CHECK(box.packet[0].at >= start + TIMEOUT);
		CHECK(box.packet[0].at <= start + TIMEOUT + PART);
		box_down();
	}
}

const struct ktap_test scan_tests[] = {
	KTAP_TEST(scan_idle_arms_nothing),
	KTAP_TEST(scan_complete_at_once_arms_nothing),
	KTAP_TEST(scan_without_timeout_arms_nothing),
	KTAP_TEST(scan_ages_in_time),
	KTAP_TEST(scan_contributions_put_it_off),
	KTAP_TEST(scan_early_contributions_change_nothing),
	KTAP_TEST(scan_many_slots),
	KTAP_TEST(scan_many_open_blocks),
	KTAP_TEST(scan_budget),
	KTAP_TEST(scan_budget_of_packets),
	KTAP_TEST(scan_sends_what_was_left_unsent),
	KTAP_TEST(scan_unsent_while_it_stops),
	KTAP_TEST(scan_unsent_and_the_next_block),
	KTAP_TEST(scan_budget_forgets_no_block),
	KTAP_TEST(scan_budget_and_no_timeout),
	KTAP_TEST(scan_timeout_becomes_shorter),
	KTAP_TEST(scan_timeout_becomes_longer),
	KTAP_TEST(scan_timeout_comes_and_goes),
	KTAP_TEST(scan_wait_counts_once),
	KTAP_TEST(scan_policy_becomes_partial),
	KTAP_TEST(scan_quorum_is_lowered),
	KTAP_TEST(scan_sweeps_old_generations),
	KTAP_TEST(scan_shares),
	KTAP_TEST(scan_phases),
	KTAP_TEST(scan_parts_have_a_least),
	KTAP_TEST(scan_opened_while_it_stops),
};
SUITE_END(scan);

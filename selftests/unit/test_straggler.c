// SPDX-License-Identifier: GPL-2.0
/* Sources that are late for now, and sources that are gone. */
#include "agg/member/straggler.h"
#include "box.h"
#include "unit.h"

#define MS		1000000ULL
#define TIMEOUT		(16 * MS)
#define PART		MS
#define PERIOD		(200 * MS)	/* dead-after */

static struct weir_job *job;
static u32 next_block;

static void setup(u8 policy, u16 sources)
{
	box_up();
	box.policy.mode = policy;
	box.policy.timeout = TIMEOUT;
	box.policy.dead_after = PERIOD;
	box.timers = 1;
	job = box_job(7, sources, 64, 16);
	box_all_joined(job);
	next_block = 0;
}

static void set_policy(u8 policy, u64 dead_after)
{
	struct weir_policy_config changed = job->policy;

	changed.mode = policy;
	changed.dead_after = dead_after;
	weir_job_set_policy(job, &changed);
}

static void set_timeout(u64 timeout)
{
	struct weir_policy_config changed = job->policy;

	changed.timeout = timeout;
	weir_job_set_policy(job, &changed);
}

static void after(u64 ns)
{
	mock_run(mock_ns + ns);
}

/* The next block, to which all but @silent contribute. */
static void block_without(int silent)
{
	u16 i;

	for (i = 0; i < job->blocks.sources; i++)
		if (i != silent)
			box_give(job, i, next_block, 1);
	next_block++;
}

/*
 * Blocks time out for want of a silent source, for two periods; in a third one no
 * source sends.
 */
static void silence_of(int source)
{
	u64 end = mock_ns + 2 * PERIOD;

	while (mock_ns < end) {
		block_without(source);
		after(2 * TIMEOUT);
	}
	after(PERIOD);
}

static u8 state(unsigned int source)
{
	return job->watch.watched[source].state;
}

static bool is_absent(unsigned int source)
{
	return test_bit(source, job->blocks.retention.absent);
}

#define STATE(source, is) CHECK_EQ(state(source), WEIR_SOURCE_STATE_##is)
#define EVENTS(event, n) CHECK_EQ(box.events[WEIR_EVENT_##event], n)
#define NOTICES(n) CHECK_EQ(box_counter(WEIR_C_NOTICES), n)

static const struct box_sent *last_notice(void)
{
	unsigned int i = box.sent;

	while (i && !(box.packet[i - 1].hdr.flags & WEIR_TRIO_CONTROL))
		i--;
	CHECK(i);
	return &box.packet[i ? i - 1 : 0];
}

static void straggler_all_in_time(void)
{
	setup(WEIR_POLICY_EXCLUDE, 3);
	block_without(-1);
	after(PERIOD);
	STATE(0, ACTIVE);
	STATE(2, ACTIVE);
	CHECK_EQ(mock_timers(), 0);
	NOTICES(0);
	box_down();
}

/* Late, but there. */
static void straggler_is_heard(void)
{
	setup(WEIR_POLICY_EXCLUDE, 3);
	block_without(1);
	after(2 * TIMEOUT);
	box_give(job, 1, 0, 1);
	STATE(1, ACTIVE);
	after(PERIOD);
	STATE(1, STRAGGLER);
	STATE(0, ACTIVE);
	EVENTS(STRAGGLER, 1);
	EVENTS(DEAD, 0);
	NOTICES(0);
	CHECK(!is_absent(1));
	CHECK(bitmap_empty(job->blocks.excluded, WEIR_SOURCES_MAX));
	box_down();
}

static void straggler_is_in_time_again(void)
{
	setup(WEIR_POLICY_PARTIAL, 3);
	block_without(1);
	after(2 * TIMEOUT);
	box_give(job, 1, 0, 1);
	after(PERIOD);
	STATE(1, STRAGGLER);
	block_without(-1);
	after(PERIOD);
	STATE(1, ACTIVE);
	EVENTS(RECOVERED, 1);
	CHECK_EQ(mock_timers(), 0);
	box_down();
}

static void straggler_goes_on(void)
{
	int i;

	setup(WEIR_POLICY_PARTIAL, 3);
	for (i = 0; i < 5; i++) {
		block_without(1);
		after(2 * TIMEOUT);
		box_give(job, 1, next_block - 1, 1);
		after(PERIOD);
		STATE(1, STRAGGLER);
	}
	EVENTS(STRAGGLER, 1);
	EVENTS(RECOVERED, 0);
	box_down();
}

/* Nothing is heard of it, and all are told, again and again. */
static void straggler_is_dead(void)
{
	setup(WEIR_POLICY_PARTIAL, 3);
	silence_of(1);
	STATE(1, DEAD);
	STATE(0, ACTIVE);
	EVENTS(DEAD, 1);
	CHECK(is_absent(1));
	CHECK(!test_bit(1, job->blocks.excluded));
	CHECK_EQ(box_counter(WEIR_C_NOTICES) % 3, 0);
	CHECK_EQ(last_notice()->hdr.flags, WEIR_TRIO_NOTICE);
	CHECK_EQ(ntohl(last_notice()->notice.dead[0]), 1 << 1);
	CHECK_EQ(last_notice()->notice.excluded[0], 0);
	box_forget();
	after(PERIOD);
	CHECK_EQ(box.sent, 3);
	after(PERIOD);
	CHECK_EQ(box.sent, 6);
	EVENTS(DEAD, 1);
	STATE(1, DEAD);
	box_down();
}

/* Being heard is enough, and all are told. */
static void straggler_was_not_dead(void)
{
	setup(WEIR_POLICY_PARTIAL, 3);
	silence_of(1);
	STATE(1, DEAD);
	box_forget();
	block_without(-1);
	box_forget();
	after(PERIOD);
	STATE(1, ACTIVE);
	EVENTS(RECOVERED, 1);
	CHECK(!is_absent(1));
	CHECK_EQ(box.sent, 3);
	CHECK_EQ(last_notice()->notice.dead[0], 0);
	/* A notice may be lost: all are told four times in all. */
	after(4 * PERIOD);
	CHECK_EQ(box.sent, 12);
	CHECK_EQ(last_notice()->notice.dead[0], 0);
	CHECK_EQ(mock_timers(), 0);
	box_down();
}

static void straggler_was_not_dead_but_late(void)
{
	u32 i;

	setup(WEIR_POLICY_PARTIAL, 3);
	silence_of(1);
	/* Blocks do not wait for it, and go on until it is more than a window behind. */
	box_forget();
	for (i = 0; i < 40; i++)
		block_without(1);
	CHECK_EQ(box.sent, 3 * 40);
	/* When it sends something, a block waits for it once more. */
	box_give(job, 1, next_block - 40, 1);
	block_without(1);
	CHECK_EQ(box_counter(WEIR_C_BLOCKS), next_block - 1);
	after(2 * TIMEOUT);
	CHECK_EQ(box_counter(WEIR_C_BLOCKS), next_block);
	box_give(job, 1, next_block - 40, 1);
	after(PERIOD);
	STATE(1, STRAGGLER);
	CHECK(!is_absent(1));
	block_without(1);
	CHECK_EQ(box_counter(WEIR_C_BLOCKS), next_block);
	/* Within a window it has caught up, and the next block waits for it. */
	box_give(job, 1, next_block - 20, 1);
	block_without(1);
	CHECK_EQ(box_counter(WEIR_C_BLOCKS), next_block - 1);
	after(2 * TIMEOUT);
	CHECK_EQ(box_counter(WEIR_C_BLOCKS), next_block);
	box_down();
}

/* Blocks do not wait for it any more, and it is told when it speaks. */
static void straggler_is_excluded(void)
{
	setup(WEIR_POLICY_EXCLUDE, 3);
	silence_of(1);
	STATE(1, EXCLUDED);
	EVENTS(DEAD, 1);
	CHECK(is_absent(1));
	CHECK(test_bit(1, job->blocks.excluded));
	CHECK_EQ(ntohl(last_notice()->notice.dead[0]), 1 << 1);
	CHECK_EQ(ntohl(last_notice()->notice.excluded[0]), 1 << 1);
	box_forget();
	block_without(1);
	CHECK_EQ(box.sent, 3);
	CHECK_EQ(box.packet[0].hdr.flags, WEIR_TRIO_DEGRADED);
	CHECK_EQ(box.packet[0].hdr.src_cnt, 2);
	box_forget();
	CHECK_EQ(box_give(job, 1, next_block, 1), WEIR_REASON_EXCLUDED);
	CHECK_EQ(box_ask(job, 1, next_block), WEIR_REASON_EXCLUDED);
	CHECK_EQ(box.sent, 2);
	CHECK_EQ(box.packet[0].hdr.src_id, 1);
	CHECK_EQ(ntohl(box.packet[0].notice.excluded[0]), 1 << 1);
	/* To speak is not enough. */
	after(PERIOD);
	STATE(1, EXCLUDED);
	box_down();
}

static void join_all(u32 nonce)
{
	u16 i;

	for (i = 0; i < job->blocks.sources; i++)
		CHECK_EQ(box_join(job, i, nonce + i), 0);
	/* An excluded source is not waited for, so it has to be in time. */
	while (i--)
		CHECK_EQ(box_join(job, i, nonce + i), 0);
}

static void straggler_comes_back_by_joining(void)
{
	setup(WEIR_POLICY_EXCLUDE, 3);
	join_all(10);
	silence_of(1);
	STATE(1, EXCLUDED);
	box_forget();
	/* The others are told that it waits; it is not. */
	CHECK_EQ(box_join(job, 1, 99), 0);
	CHECK_EQ(box.sent, 2);
	CHECK_EQ(ntohl(box.packet[0].notice.waiting[0]), 1 << 1);
	CHECK_EQ(box.packet[0].hdr.src_id, 0);
	CHECK_EQ(box.packet[1].hdr.src_id, 2);
	STATE(1, EXCLUDED);
	join_all(100);
	STATE(1, ACTIVE);
	CHECK(!is_absent(1));
	CHECK(!test_bit(1, job->blocks.excluded));
	EVENTS(RECOVERED, 1);
	/* And is heard, as far as the next period knows. */
	after(PERIOD);
	STATE(1, ACTIVE);
	box_down();
}

/*
 * A member's late blocks before the generation do not count, and it counts as
 * heard as that begins, whenever its last packet came.
 */
static void straggler_begins_afresh(void)
{
	setup(WEIR_POLICY_EXCLUDE, 2);
	block_without(1);
	after(2 * TIMEOUT);
	join_all(10);
	after(PERIOD);
	STATE(1, ACTIVE);
	EVENTS(STRAGGLER, 0);
	box_join(job, 0, 20);
	box_join(job, 1, 21);
	/* A period ends here. */
	job->watch.watched[1].heard = false;
	box_join(job, 0, 20);
	CHECK_EQ(box.generations, 2);
	block_without(1);
	after(PERIOD + 2 * TIMEOUT);
	STATE(1, STRAGGLER);
	box_down();
}

/* A generation that begins without it leaves it where it is. */
static void straggler_stays_excluded(void)
{
	setup(WEIR_POLICY_EXCLUDE, 3);
	join_all(10);
	silence_of(1);
	box_join(job, 0, 50);
	box_join(job, 2, 52);
	box_join(job, 0, 50);
	CHECK_EQ(box.generations, 1);
	after(10 * NSEC_PER_SEC);
	box_join(job, 2, 52);
	CHECK_EQ(box.generations, 2);
	STATE(1, EXCLUDED);
	STATE(0, ACTIVE);
	box_down();
}

/* A block waits as long as it takes, but a dead source is recognized. */
static void straggler_is_dead_where_blocks_wait(void)
{
	setup(WEIR_POLICY_WAIT, 3);
	block_without(1);
	after(PERIOD + 2 * TIMEOUT);
	STATE(1, DEAD);
	STATE(0, ACTIVE);
	CHECK_EQ(box_counter(WEIR_C_BLOCKS), 0);
	CHECK_EQ(box_counter(WEIR_C_NOTICES), 3);
	CHECK_EQ(box_give(job, 1, 0, 1), 0);
	CHECK_EQ(box_counter(WEIR_C_BLOCKS), 1);
	CHECK_EQ(box_counter(WEIR_C_DEGRADED), 0);
	after(PERIOD);
	STATE(1, ACTIVE);
	box_down();
}

/* Of a large table one visit looks at some slots, and all of them count. */
static void straggler_of_a_large_table(void)
{
	u32 before = 0, steps = 0;
	int i;

	box_up();
	box.policy = (struct weir_policy_config) {
		.mode = WEIR_POLICY_WAIT, .timeout = TIMEOUT, .dead_after = PERIOD,
	};
	box.timers = 16;
	job = box_job(7, 3, 8192, 16);
	box_all_joined(job);
	/* The first slots wait for one source, the last one for another. */
	next_block = 0;
	block_without(1);
	for (i = 0; i < 3; i++)
		weir_retention_leave(&job->blocks.retention, i);
	next_block = 8191;
	block_without(2);
	after(2 * TIMEOUT);
	for (i = 0; i < 2; i++) {
		box_ask(job, 1, 0);
		box_ask(job, 2, 8191);
		after(PERIOD);
	}
	STATE(1, STRAGGLER);
	STATE(2, STRAGGLER);
	/* Silent from now on, they die when all slots have been looked at, and not before. */
	after(PERIOD - 20 * MS);
	while (state(1) != WEIR_SOURCE_STATE_DEAD && steps < 200) {
		CHECK_EQ(state(2), WEIR_SOURCE_STATE_STRAGGLER);
		before = job->watch.next;
		after(100 * NSEC_PER_USEC);
		CHECK(job->watch.next - before <= 1024 || !job->watch.next);
		steps++;
	}
	CHECK_EQ(state(2), WEIR_SOURCE_STATE_DEAD);
	CHECK(steps >= 7);
	box_down();
}

/* It is still awaited, and dies later: no block times out once more. */
static void straggler_dies_while_blocks_wait(void)
{
	int i;

	setup(WEIR_POLICY_WAIT, 3);
	block_without(1);
	after(2 * TIMEOUT);
	for (i = 0; i < 3; i++) {
		box_ask(job, 1, 0);
		after(PERIOD);
		STATE(1, STRAGGLER);
	}
	EVENTS(STRAGGLER, 1);
	after(2 * PERIOD);
	STATE(1, DEAD);
	box_down();
}

/* No block waits for it, but results are retained for it. */
static void straggler_is_dead_where_results_wait(void)
{
	u32 i;

	setup(WEIR_POLICY_WAIT, 3);
	set_timeout(0);
	after(0);
	for (i = 0; i < 64; i++) {
		block_without(-1);
		box_forget();
	}
	CHECK_EQ(box_counter(WEIR_C_BLOCKS), 64);
	CHECK_EQ(mock_timers(), 0);
	box_give(job, 2, 90, 1);
	CHECK_EQ(box_give(job, 0, 96, 1), WEIR_REASON_BUSY);
	CHECK_EQ(mock_timers(), 1);
	/* While it is heard it may be slow. */
	box_ask(job, 1, 0);
	after(PERIOD);
	STATE(1, ACTIVE);
	CHECK_EQ(box_ask(job, 0, 96), WEIR_REASON_BUSY);
	after(PERIOD);
	STATE(1, DEAD);
	STATE(0, ACTIVE);
	STATE(2, ACTIVE);
	CHECK_EQ(box_give(job, 0, 96, 1), 0);
	box_down();
}

/* With a quorum no source waits for another to take a result: who lacks an evicted one is behind. */
static void straggler_is_behind(void)
{
	struct weir_policy_config changed;
	u32 i;

	setup(WEIR_POLICY_WAIT, 3);
	changed = job->policy;
	changed.quorum = 2;
	changed.timeout = TIMEOUT;
	weir_job_set_policy(job, &changed);
	for (i = 0; i < 64; i++) {
		block_without(1);
		box_forget();
	}
	/* Its results are retained for the timeout. */
	CHECK_EQ(box_give(job, 0, 64, 1), WEIR_REASON_BUSY);
	after(TIMEOUT);
	block_without(1);
	CHECK_EQ(weir_straggler_state(job, 1), WEIR_SOURCE_STATE_BEHIND);
	EVENTS(BEHIND, 1);
	CHECK_EQ(box_counter(WEIR_C_BEHIND), 1);
	for (i = 65; i < 100; i++) {
		box_forget();
		block_without(1);
	}
	CHECK_EQ(box_counter(WEIR_C_BLOCKS), 100);
	EVENTS(BEHIND, 1);
	CHECK_EQ(weir_straggler_state(job, 0), WEIR_SOURCE_STATE_ACTIVE);
	/* It may continue at the oldest result that is there, which an acknowledgment reports. */
	box_forget();
	CHECK_EQ(box_give(job, 1, 3, 1), WEIR_REASON_STALE);
	CHECK_EQ(box.packet[0].hdr.flags, WEIR_TRIO_BEHIND);
	CHECK_EQ(box_ack(job, 1, 35, false), 0);
	CHECK_EQ(weir_straggler_state(job, 1), WEIR_SOURCE_STATE_BEHIND);
	CHECK_EQ(box_ack(job, 1, 36, false), 0);
	CHECK_EQ(weir_straggler_state(job, 1), WEIR_SOURCE_STATE_ACTIVE);
	CHECK_EQ(box_counter(WEIR_C_ACKS), 2);
	box_down();
}

/* No source is dead where none has anything to send. */
static void straggler_idle_job(void)
{
	setup(WEIR_POLICY_EXCLUDE, 3);
	block_without(1);
	after(2 * TIMEOUT);
	box_give(job, 1, 0, 1);
	after(PERIOD);
	STATE(1, STRAGGLER);
	after(100 * PERIOD);
	STATE(1, ACTIVE);
	STATE(0, ACTIVE);
	EVENTS(DEAD, 0);
	CHECK_EQ(mock_timers(), 0);
	box_down();
}

/* Work begins again a moment before the timer looks. */
static void straggler_is_a_moment_later(void)
{
	setup(WEIR_POLICY_EXCLUDE, 3);
	block_without(1);
	after(2 * TIMEOUT);
	box_give(job, 1, 0, 1);
	while (state(1) == WEIR_SOURCE_STATE_ACTIVE)
		after(PART);
	after(PERIOD - 2 * PART);
	STATE(1, STRAGGLER);
	box_give(job, 0, 1, 1);
	after(3 * PART);
	STATE(1, ACTIVE);
	box_give(job, 1, 1, 1);
	box_give(job, 2, 1, 1);
	CHECK_EQ(box_counter(WEIR_C_DEGRADED), 1);
	box_down();
}

/* One whose address is taken away says nothing, and nothing is kept for it. */
static void straggler_without_an_address(void)
{
	struct weir_source_config config = { .addr = box_addr(2),
					     .vlan = WEIR_VLAN_ANY };

	setup(WEIR_POLICY_PARTIAL, 3);
	CHECK(!is_absent(1));
	weir_source_unbind(job, 1);
	CHECK(is_absent(1));
	CHECK_EQ(weir_source_bind(job, 1, &config), 0);
	CHECK(!is_absent(1));
	/* Another address in its place leaves no gap. */
	config.addr = box_addr(77);
	CHECK_EQ(weir_source_bind(job, 1, &config), 0);
	CHECK(!is_absent(1));
	weir_source_unbind(job, 1);
	silence_of(1);
	STATE(1, DEAD);
	config.addr = box_addr(2);
	CHECK_EQ(weir_source_bind(job, 1, &config), 0);
	CHECK(is_absent(1));
	block_without(-1);
	after(PERIOD);
	STATE(1, ACTIVE);
	CHECK(!is_absent(1));
	box_down();
}

/* Recovered in name, as a joiner is, but nothing can be sent to it. */
static void straggler_unbound_stays_absent(void)
{
	setup(WEIR_POLICY_PARTIAL, 2);
	silence_of(1);
	box_give(job, 1, next_block - 1, 1);
	weir_source_unbind(job, 1);
	after(PERIOD);
	STATE(1, ACTIVE);
	CHECK(is_absent(1));
	box_down();
}

static void straggler_exclude_is_switched(void)
{
	setup(WEIR_POLICY_PARTIAL, 3);
	silence_of(1);
	STATE(1, DEAD);
	set_policy(WEIR_POLICY_EXCLUDE, PERIOD);
	STATE(1, DEAD);
	after(PERIOD);
	STATE(1, EXCLUDED);
	set_policy(WEIR_POLICY_PARTIAL, PERIOD);
	after(3 * PERIOD);
	STATE(1, EXCLUDED);
	CHECK(test_bit(1, job->blocks.excluded));
	box_down();
}

/* The period that is under way ends as it was to. */
static void straggler_period_changes(void)
{
	u64 start;

	setup(WEIR_POLICY_PARTIAL, 3);
	block_without(1);
	after(TIMEOUT + PART);
	start = mock_ns;
	set_policy(WEIR_POLICY_PARTIAL, 10 * PERIOD);
	while (state(1) != WEIR_SOURCE_STATE_DEAD && mock_ns < start + 2 * PERIOD)
		after(PART);
	CHECK(mock_ns <= start + PERIOD + PART);
	box_forget();
	after(9 * PERIOD);
	CHECK_EQ(box.sent, 0);
	after(2 * PERIOD);
	CHECK_EQ(box.sent, 3);
	box_down();
}

/* Where nothing is said it is so many timeouts, or so many of the usual ones. */
static void straggler_default_period(void)
{
	struct weir_policy_config changed = { .timeout = 5 * MS };

	CHECK_EQ(weir_policy_dead_after(&changed),
		 5 * MS * WEIR_DEAD_AFTER_DEFAULT);
	changed.timeout = 0;
	CHECK_EQ(weir_policy_dead_after(&changed),
		 WEIR_TIMEOUT_DEFAULT * NSEC_PER_USEC * WEIR_DEAD_AFTER_DEFAULT);
	changed.dead_after = 3;
	CHECK_EQ(weir_policy_dead_after(&changed), 3);
}

static void miss_meanwhile(void)
{
	unsigned long missing[WEIR_SOURCES_MAX / 64] = { 1 << 2 };

	mock_meanwhile = NULL;
	weir_straggler_missing(job, missing);
}

/* A block that times out while the watch looks is not overlooked. */
static void straggler_missing_while_it_looks(void)
{
	setup(WEIR_POLICY_PARTIAL, 3);
	block_without(1);
	after(2 * TIMEOUT);
	box_ask(job, 1, 0);
	after(PERIOD);
	STATE(1, STRAGGLER);
	block_without(-1);
	mock_meanwhile = miss_meanwhile;
	after(PERIOD);
	CHECK(!mock_meanwhile);
	STATE(1, ACTIVE);
	STATE(2, STRAGGLER);
	CHECK_EQ(mock_timers(), 1);
	box_down();
}

const struct ktap_test straggler_tests[] = {
	KTAP_TEST(straggler_all_in_time),
	KTAP_TEST(straggler_is_heard),
	KTAP_TEST(straggler_is_in_time_again),
	KTAP_TEST(straggler_goes_on),
	KTAP_TEST(straggler_is_dead),
	KTAP_TEST(straggler_was_not_dead),
	KTAP_TEST(straggler_was_not_dead_but_late),
	KTAP_TEST(straggler_is_excluded),
	KTAP_TEST(straggler_comes_back_by_joining),
	KTAP_TEST(straggler_begins_afresh),
	KTAP_TEST(straggler_stays_excluded),
	KTAP_TEST(straggler_is_dead_where_blocks_wait),
	KTAP_TEST(straggler_of_a_large_table),
	KTAP_TEST(straggler_dies_while_blocks_wait),
	KTAP_TEST(straggler_is_dead_where_results_wait),
	KTAP_TEST(straggler_is_behind),
	KTAP_TEST(straggler_idle_job),
	KTAP_TEST(straggler_is_a_moment_later),
	KTAP_TEST(straggler_without_an_address),
	KTAP_TEST(straggler_unbound_stays_absent),
	KTAP_TEST(straggler_exclude_is_switched),
	KTAP_TEST(straggler_period_changes),
	KTAP_TEST(straggler_default_period),
	KTAP_TEST(straggler_missing_while_it_looks),
};
SUITE_END(straggler);

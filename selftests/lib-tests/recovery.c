// SPDX-License-Identifier: GPL-2.0
/* Loss detection, rule by rule: each fails without its test's rule. Times are in ns; a round trip is RTT. */
#include "flow/recovery.h"
#include "ktap.h"
#include "tests.h"

#define ELEMENTS(array)	(sizeof(array) / sizeof((array)[0]))
#define MS		NSEC_PER_MSEC
#define RTT		(2 * MS)

/* A block whose contribution was sent once. */
static struct window_slot sent_at(uint64_t when)
{
	return (struct window_slot) { .sent = when, .contributed = when, .tries = 1, .waiting = true };
}

/* And was asked about later. */
static struct window_slot asked_at(uint64_t contributed, uint64_t when, enum window_asked why)
{
	return (struct window_slot) {
		.sent = when, .contributed = contributed, .tries = 2, .waiting = true, .asked = why,
	};
}

/* Answers so far have taken RTT; the last one was to a packet sent at @newest. */
static struct recovery after_answers(uint64_t newest)
{
	struct recovery recovery = { .timer = 0 };
	struct window_slot slot;

	for (uint64_t when = newest - 4 * RTT; when <= newest; when += RTT) {
		slot = sent_at(when);
		recovery_answered(&recovery, &slot, when + RTT, true);
	}
	return recovery;
}

static void answered(struct recovery *recovery, struct window_slot slot, uint64_t now)
{
	recovery_answered(recovery, &slot, now, true);
}

static void lost_by_the_time_threshold(void)
{
	struct recovery recovery = after_answers(100 * MS);
	struct window_slot slot = sent_at(100 * MS - RTT - 1);

	CHECK_EQ(recovery.rtt.min, RTT);
	/* Overtaken by more than packets change places by: at once. */
	CHECK_EQ(recovery_lost_at(&recovery, &slot), slot.sent);
	/* By less: when its answer is late by as much. */
	slot = sent_at(100 * MS - RTT);
	CHECK_EQ(recovery_lost_at(&recovery, &slot), slot.sent + 2 * RTT);
	slot = sent_at(100 * MS - 1);
	CHECK_EQ(recovery_lost_at(&recovery, &slot), slot.sent + 2 * RTT);
	/* Not overtaken: left to the probe timeout. */
	slot = sent_at(100 * MS);
	CHECK(recovery_lost_at(&recovery, &slot) == UINT64_MAX);
}

static void samples_by_karns_rule(void)
{
	struct recovery recovery = after_answers(100 * MS);

	/* Sent twice: the answer may be to either. It moves the order of sendings all the same. */
	answered(&recovery, asked_at(101 * MS, 110 * MS, WINDOW_ASKED_SILENCE), 150 * MS);
	CHECK_EQ(recovery.rtt.latest, RTT);
	CHECK_EQ(recovery.newest, 110 * MS);
	answered(&recovery, sent_at(111 * MS), 116 * MS);
	CHECK_EQ(recovery.rtt.latest, 5 * MS);
}

static void no_sample_of_what_was_overtaken(void)
{
	struct recovery recovery = after_answers(100 * MS);

	answered(&recovery, sent_at(99 * MS), 130 * MS);
	CHECK_EQ(recovery.rtt.latest, RTT);
	CHECK_EQ(recovery.newest, 100 * MS);
}

static void no_sample_across_a_probe_timeout(void)
{
	struct recovery recovery = after_answers(100 * MS);

	recovery_expired(&recovery, 120 * MS);
	answered(&recovery, sent_at(110 * MS), 150 * MS);
	CHECK_EQ(recovery.rtt.latest, RTT);
	CHECK_EQ(recovery.newest, 110 * MS);
	answered(&recovery, sent_at(121 * MS), 124 * MS);
	CHECK_EQ(recovery.rtt.latest, 3 * MS);
}

/* The program was away, or the block is one that this rank only follows. */
static void no_sample_unless_awaited(void)
{
	struct recovery recovery = after_answers(100 * MS);
	struct window_slot slot = sent_at(101 * MS);

	recovery_answered(&recovery, &slot, 140 * MS, false);
	CHECK_EQ(recovery.rtt.latest, RTT);
	CHECK_EQ(recovery.newest, 101 * MS);
}

static void answers_to_earlier_sendings_overtake_nothing(void)
{
	struct recovery recovery = after_answers(100 * MS);
	struct window_slot slot;

	/* A result that was under way already. */
	answered(&recovery, asked_at(99 * MS, 110 * MS, WINDOW_NOT_ASKED), 110 * MS + RTT - 1);
	CHECK_EQ(recovery.newest, 100 * MS);
	/* The box lacked it, and could not answer before. */
	slot = asked_at(99 * MS, 110 * MS, WINDOW_NOT_ASKED);
	slot.has_reply = true;
	answered(&recovery, slot, 110 * MS + RTT - 1);
	CHECK_EQ(recovery.newest, 100 * MS);
	slot.is_wanted = true;
	answered(&recovery, slot, 110 * MS + RTT - 1);
	CHECK_EQ(recovery.newest, 110 * MS);
	/* A probe is answered at once. */
	answered(&recovery, asked_at(99 * MS, 112 * MS, WINDOW_ASKED_SILENCE), 112 * MS + 1);
	CHECK_EQ(recovery.newest, 112 * MS);
}

/* The box answers a question at once, while contributions sent before it wait for other ranks. */
static void questions_overtake_by_their_contributions(void)
{
	struct recovery recovery = after_answers(100 * MS);

	answered(&recovery, asked_at(101 * MS, 110 * MS, WINDOW_ASKED_OVERTAKEN), 110 * MS + RTT);
	CHECK_EQ(recovery.newest, 101 * MS);
	CHECK_EQ(recovery.newest_contributed, 101 * MS);
	answered(&recovery, asked_at(99 * MS, 111 * MS, WINDOW_ASKED_SILENCE), 111 * MS + RTT);
	CHECK_EQ(recovery.newest, 111 * MS);
	CHECK_EQ(recovery.newest_contributed, 101 * MS);
}

/* Blocks sent again in a silence were only late, if one that was sent once is answered after them. */
static void a_silence_ends_in_order(void)
{
	struct recovery recovery = after_answers(100 * MS);

	recovery_expired(&recovery, 130 * MS);
	answered(&recovery, asked_at(101 * MS, 130 * MS, WINDOW_ASKED_SILENCE), 131 * MS);
	CHECK_EQ(recovery.newest, 130 * MS);
	answered(&recovery, sent_at(102 * MS), 131 * MS + 1);
	CHECK_EQ(recovery.newest, 102 * MS);
	/* Not one from before the silence: others that were sent after it were answered then. */
	answered(&recovery, sent_at(100 * MS - 1), 131 * MS + 2);
	CHECK_EQ(recovery.newest, 102 * MS);
	/* Nor one that was sent again in a silence before this one. */
	recovery_expired(&recovery, 140 * MS);
	recovery_expired(&recovery, 160 * MS);
	answered(&recovery, asked_at(103 * MS, 160 * MS, WINDOW_ASKED_SILENCE), 161 * MS);
	answered(&recovery, asked_at(104 * MS, 140 * MS, WINDOW_ASKED_SILENCE), 161 * MS + 1);
	CHECK_EQ(recovery.newest, 160 * MS);
}

/* The box replies to questions in their order, whatever contributions wait for. */
static void questions_are_lost_by_replies_to_later_ones(void)
{
	struct recovery recovery = after_answers(100 * MS);
	struct window_slot replied = asked_at(99 * MS, 120 * MS, WINDOW_ASKED_OVERTAKEN);
	struct window_slot lost = asked_at(99 * MS, 120 * MS - RTT - 1, WINDOW_ASKED_SILENCE);
	struct window_slot late = asked_at(99 * MS, 120 * MS - 1, WINDOW_ASKED_OVERTAKEN);
	struct window_slot contribution = sent_at(101 * MS);

	CHECK(recovery_lost_at(&recovery, &lost) == UINT64_MAX);
	recovery_replied(&recovery, &replied);
	CHECK_EQ(recovery_lost_at(&recovery, &lost), lost.sent);
	CHECK_EQ(recovery_lost_at(&recovery, &late), late.sent + 2 * RTT);
	CHECK(recovery_lost_at(&recovery, &replied) == UINT64_MAX);
	CHECK(recovery_lost_at(&recovery, &contribution) == UINT64_MAX);
	/* A late reply moves nothing back. */
	recovery_replied(&recovery, &late);
	CHECK_EQ(recovery_lost_at(&recovery, &lost), lost.sent);
	/* Contributions that are answered tell it of questions, too. */
	answered(&recovery, sent_at(130 * MS), 130 * MS + RTT);
	CHECK_EQ(recovery_lost_at(&recovery, &replied), replied.sent);
}

/* Asked twice: the reply may be to the first question. Not asked: it is a second reply. */
static void replies_count_by_karns_rule(void)
{
	struct recovery recovery = after_answers(100 * MS);
	struct window_slot slot = asked_at(99 * MS, 120 * MS, WINDOW_ASKED_OVERTAKEN);

	slot.asked_again = true;
	recovery_replied(&recovery, &slot);
	CHECK_EQ(recovery.newest_question, 0);
	slot = sent_at(120 * MS);
	recovery_replied(&recovery, &slot);
	CHECK_EQ(recovery.newest_question, 0);
}

static void held_blocks_wait_for_later_ones(void)
{
	struct recovery recovery = after_answers(100 * MS);
	struct window_slot slot = sent_at(99 * MS);

	slot.replied = 105 * MS;
	CHECK_EQ(recovery_held_at(&recovery, &slot), 105 * MS + rtt_timeout(&recovery.rtt));
	slot.contributed = 100 * MS;
	CHECK(recovery_held_at(&recovery, &slot) == UINT64_MAX);
}

static void lost_results_are_told_from_late_ones(void)
{
	struct recovery recovery = after_answers(100 * MS);
	struct window_slot slot = asked_at(90 * MS, 110 * MS, WINDOW_ASKED_OVERTAKEN);

	CHECK(!recovery_was_lost(&recovery, &slot, 110 * MS + RTT - 1));
	CHECK(recovery_was_lost(&recovery, &slot, 110 * MS + RTT));
	slot.asked = WINDOW_ASKED_SILENCE;
	CHECK(!recovery_was_lost(&recovery, &slot, 110 * MS + RTT));
}

static void probes_and_timeouts_double(void)
{
	static const uint32_t probes[] = { 1, 2, 4, 4 };
	struct window_slot replied = asked_at(99 * MS, 101 * MS, WINDOW_ASKED_SILENCE);
	struct recovery recovery = after_answers(100 * MS), answer;
	uint64_t now = recovery.timer;

	CHECK_EQ(now, 100 * MS + RTT);
	for (size_t i = 0; i < ELEMENTS(probes); i++) {
		uint64_t end = recovery_timeout(&recovery);

		CHECK_EQ(end - now, RTO_FLOOR << i);
		now = end;
		CHECK_EQ(recovery_expired(&recovery, now), probes[i]);
	}
	/* A reply, or an answer, shows that the path lives: most of the back-off ends. */
	answer = recovery;
	recovery_replied(&recovery, &replied);
	CHECK_EQ(recovery_timeout(&recovery) - now, RTO_FLOOR << 2);
	recovery = answer;
	answered(&recovery, asked_at(99 * MS, now, WINDOW_ASKED_SILENCE), now + 1);
	CHECK_EQ(recovery_timeout(&recovery) - (now + 1), RTO_FLOOR << 2);
	CHECK_EQ(recovery_expired(&recovery, now + MS), 1);
	answered(&recovery, sent_at(now + 2 * MS), now + 4 * MS);
	CHECK_EQ(recovery_timeout(&recovery) - (now + 4 * MS), RTO_FLOOR);
}

static const struct ktap_test tests[] = {
	KTAP_TEST(lost_by_the_time_threshold),
	KTAP_TEST(samples_by_karns_rule),
	KTAP_TEST(no_sample_of_what_was_overtaken),
	KTAP_TEST(no_sample_across_a_probe_timeout),
	KTAP_TEST(no_sample_unless_awaited),
	KTAP_TEST(answers_to_earlier_sendings_overtake_nothing),
	KTAP_TEST(questions_overtake_by_their_contributions),
	KTAP_TEST(a_silence_ends_in_order),
	KTAP_TEST(questions_are_lost_by_replies_to_later_ones),
	KTAP_TEST(replies_count_by_karns_rule),
	KTAP_TEST(held_blocks_wait_for_later_ones),
	KTAP_TEST(lost_results_are_told_from_late_ones),
	KTAP_TEST(probes_and_timeouts_double),
};

const struct test_table recovery_table = { tests, ELEMENTS(tests) };

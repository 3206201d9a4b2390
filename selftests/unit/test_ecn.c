// SPDX-License-Identifier: GPL-2.0
/* Congestion marks: those of contributions, on results; and the room that workers are told of. */
#include "box.h"
#include "agg/base/payload.h"
#include "agg/format/format.h"
#include "unit.h"

/* Not-ECT 0, ECT(1) 1, ECT(0) 2, CE 3. */
enum { NOT_ECT, ECT_1, ECT_0, CE };

/* A contribution of one gradient, or a query (@count 0), whose IP header has @tos. */
static int give(const struct weir_job *job, u16 source, u32 block, u16 count, u8 tos)
{
	struct weir_contrib c = box_contrib(job, source, block, count);
	static const s32 grads[2] = { 1, 1 };

	c.tos = tos;
	return box_send(&c, grads, 0);
}

/* Of two contributions, in both orders; the DSCP of neither is on the result. */
static void ecn_of_two(void)
{
	static const u8 want[4][4] = {
		{ NOT_ECT, NOT_ECT, NOT_ECT, CE }, { NOT_ECT, ECT_0, ECT_0, CE },
		{ NOT_ECT, ECT_0, ECT_0, CE }, { CE, CE, CE, CE },
	};
	unsigned int a, b;

	for (a = 0; a < 4; a++) {
		for (b = 0; b < 4; b++) {
			struct weir_job *job;

			box_up();
			job = box_job(7, 2, 4, 4);
			CHECK_EQ(give(job, 0, 0, 1, 10 << 2 | a), 0);
			CHECK_EQ(give(job, 1, 0, 1, 46 << 2 | b), 0);
			CHECK_EQ(box.sent, 2);
			CHECK_EQ(box.packet[0].tos, want[a][b]);
			CHECK_EQ(box.packet[1].tos, want[a][b]);
			box_down();
		}
	}
}

/* One mark of many is enough, whenever it comes, and the next block in the slot has none of it. */
static void ecn_of_many(void)
{
	unsigned int marked, s;

	for (marked = 0; marked < 5; marked++) {
		struct weir_job *job;

		box_up();
		job = box_job(7, 5, 1, 4);
		for (s = 0; s < 5; s++)
			CHECK_EQ(give(job, s, 0, 1, s == marked ? CE : ECT_0), 0);
		CHECK_EQ(box.sent, 5);
		CHECK_EQ(box.packet[4].tos, CE);
		box_forget();
		for (s = 0; s < 5; s++)
			CHECK_EQ(give(job, s, 1, 1, ECT_0), 0);
		CHECK_EQ(box.sent, 5);
		CHECK_EQ(box.packet[0].tos, ECT_0);
		box_down();
	}
}

/* A contribution to a block that is answered changes nothing: the result is repeated as it was. */
static void ecn_of_repeats(void)
{
	static const u8 first[] = { CE, ECT_0, NOT_ECT };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(first); i++) {
		struct weir_job *job;

		box_up();
		box.policy.mode = WEIR_POLICY_PARTIAL;
		box.policy.quorum = 2;
		job = box_job(7, 3, 4, 4);
		box_all_joined(job);
		CHECK_EQ(give(job, 0, 0, 1, ECT_0), 0);
		/* Not the mark of what is not summed. */
		CHECK_EQ(give(job, 0, 0, 1, CE), WEIR_REASON_DUPLICATE);
		CHECK_EQ(give(job, 1, 0, 1, first[i]), 0);
		CHECK_EQ(box.sent, 3);
		CHECK_EQ(give(job, 1, 0, 1, CE), 0);
		CHECK_EQ(give(job, 0, 0, 0, NOT_ECT), 0);
		CHECK_EQ(give(job, 2, 0, 1, CE), 0);
		CHECK_EQ(box.sent, 6);
		for (unsigned int p = 1; p < 6; p++)
			CHECK_EQ(box.packet[p].tos, box.packet[0].tos);
		CHECK_EQ(box.packet[0].tos, first[i]);
		box_down();
	}
}

/* A contribution of another form has come through the same queues. */
static void ecn_of_what_is_unlike(void)
{
	struct weir_contrib c;
	struct weir_job *job;
	static const s32 grads[2];

	box_up();
	job = box_job(7, 2, 4, 4);
	box_all_joined(job);
	CHECK_EQ(give(job, 0, 0, 1, ECT_0), 0);
	c = box_contrib(job, 1, 0, 2);
	c.flags |= WEIR_CONTRIB_JOINED;
	c.tos = CE;
	CHECK_EQ(box_send(&c, grads, 0), WEIR_REASON_COUNT);
	CHECK_EQ(box.sent, 2);
	CHECK_EQ(box.packet[0].tos, CE);
	box_down();
}

/* Nothing else that a box sends is ECN-capable, whatever the packet was that it answers. */
static void ecn_of_replies(void)
{
	struct weir_job *job;

	box_up();
	job = box_job(7, 2, 4, 4);
	box_all_joined(job);
	CHECK_EQ(give(job, 0, 0, 1, CE), 0);
	CHECK_EQ(give(job, 0, 0, 0, CE), 0);
	CHECK_EQ(box.sent, 1);
	CHECK_EQ(box.packet[0].tos, 0);
	box_down();
}

/* Workers of other formats take no notice of marks: their results say nothing of them. */
static void ecn_of_other_formats(void)
{
	static const struct weir_format_ops *const formats[] = {
		&weir_format_lab, &weir_format_lab_ethernet, &weir_format_switchml,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(formats); i++) {
		CHECK(!formats[i]->ecn);
		CHECK_EQ(formats[i]->dscp, 0);
	}
	CHECK(weir_format_trio.ecn && weir_format_panama.ecn);
}

/* Half of the table, in what answers a join. */
static void ecn_room(void)
{
	static const struct {
		u32 blocks;
		u16 want;
	} cases[] = { { 1, 1 }, { 2, 1 }, { 64, 32 }, { 65536, 32768 } };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct weir_job *job;

		box_up();
		job = box_job(7, 1, cases[i].blocks, 4);
		CHECK_EQ(box_join(job, 0, 77), 0);
		CHECK_EQ(box.sent, 1);
		CHECK_EQ(ntohs(box.packet[0].join.cwnd_cap), cases[i].want);
		CHECK_EQ(box.packet[0].tos, 0);
		box_down();
	}
}

const struct ktap_test ecn_tests[] = {
	KTAP_TEST(ecn_of_two),
	KTAP_TEST(ecn_of_many),
	KTAP_TEST(ecn_of_repeats),
	KTAP_TEST(ecn_of_what_is_unlike),
	KTAP_TEST(ecn_of_replies),
	KTAP_TEST(ecn_of_other_formats),
	KTAP_TEST(ecn_room),
};

SUITE_END(ecn);

// SPDX-License-Identifier: GPL-2.0
/*
 * Contributions without gradients, and results without them: reduce-scatter, where a source needs a
 * share of the result, and all-gather, where each has a share of the vector.
 */
#include "agg/base/payload.h"
#include "agg/hook/merged.h"
#include "agg/type/reduce.h"
#include "box.h"
#include "unit.h"

/* The flags of a worker that has a share. */
enum { EMPTY = WEIR_CONTRIB_EMPTY, BRIEF = WEIR_CONTRIB_BRIEF };

static struct weir_job *up_with(u8 dtype, u8 op, u16 sources)
{
	struct weir_job_config cfg;
	struct weir_job *job;

	box_up();
	cfg = box_config(&weir_format_trio, 7, sources, 4, 4);
	cfg.blocks.reduction = weir_reduction_find(dtype, op, dtype == WEIR_DTYPE_FLOAT32 ? WEIR_ORDER_ARRIVAL : 0);
	job = box_job_of(&cfg);
	box_all_joined(job);
	return job;
}

static struct weir_job *up(u16 sources)
{
	return up_with(WEIR_DTYPE_INT32, WEIR_OP_SUM, sources);
}

/* A contribution of two gradients, @grad twice. */
static struct weir_contrib share(const struct weir_job *job, u16 source, u32 block, u16 flags)
{
	struct weir_contrib c = box_contrib(job, source, block, 2);

	c.flags |= flags;
	if (flags & EMPTY)
		c.udp_len = 20;
	return c;
}

static int give(const struct weir_job *job, u16 source, u32 block, s32 grad, u16 flags)
{
	struct weir_contrib c = share(job, source, block, flags);
	s32 grads[2] = { grad, grad };

	return box_send(&c, grads, 0);
}

/* The packet that a source got; NULL for none. */
static const struct box_sent *sent_to(u16 source)
{
	struct in6_addr to = box_addr(source + 1);
	unsigned int i;

	for (i = 0; i < box.sent; i++)
		if (ipv6_addr_equal(&box.packet[i].to, &to))
			return &box.packet[i];
	return NULL;
}

/* A source got the result: whole with @grad, or without its gradients. */
static void check_whole(u16 source, s32 grad)
{
	const struct box_sent *got = sent_to(source);

	CHECK(got);
	CHECK_EQ(got->len, 8);
	CHECK(!(got->hdr.flags & WEIR_TRIO_EMPTY));
	CHECK_EQ(box_result(got, 0), grad);
	CHECK_EQ(box_result(got, 1), grad);
}

static void check_brief(u16 source)
{
	const struct box_sent *got = sent_to(source);

	CHECK(got);
	CHECK_EQ(got->len, 0);
	CHECK(got->hdr.flags & WEIR_TRIO_EMPTY);
	CHECK_EQ(get_unaligned_be16(got->hdr.grad_cnt), WEIR_TRIO_DOWN | 2);
}

/* All-gather: the sources without gradients are in the block, and change no bit of it. */
static void share_of_the_vector(void)
{
	u16 owner, s;

	for (owner = 0; owner < 3; owner++) {
		struct weir_job *job = up(3);

		for (s = 0; s < 3; s++)
			CHECK_EQ(give(job, s, 0, 5, s == owner ? BRIEF : EMPTY), 0);
		CHECK_EQ(box.sent, 3);
		for (s = 0; s < 3; s++) {
			if (s == owner)
				check_brief(s);
			else
				check_whole(s, 5);
			CHECK_EQ(sent_to(s)->hdr.src_cnt, 3);
			CHECK(!(sent_to(s)->hdr.flags & WEIR_TRIO_DEGRADED));
		}
		box_down();
	}
}

/* Reduce-scatter: one source gets the sum of the others. */
static void share_of_the_result(void)
{
	u16 owner, s;

	for (owner = 0; owner < 3; owner++) {
		struct weir_job *job = up(3);

		for (s = 0; s < 3; s++)
			CHECK_EQ(give(job, s, 0, 5 << s, s == owner ? EMPTY : BRIEF), 0);
		for (s = 0; s < 3; s++)
			if (s == owner)
				check_whole(s, 35 - (5 << s));
			else
				check_brief(s);
		box_down();
	}
}

/* Floats that are copied keep their bits, also those of -0.0 and of subnormal ones. */
static void share_is_copied(void)
{
	static const u32 bits[] = { 0x80000000, 0x80000001, 0x7f800000, 0x3f800001 };
	unsigned int i;
	u16 s;

	for (i = 0; i < ARRAY_SIZE(bits); i++) {
		struct weir_job *job = up_with(WEIR_DTYPE_FLOAT32, WEIR_OP_SUM, 3);

		for (s = 0; s < 3; s++)
			CHECK_EQ(give(job, s, 0, bits[i], s == 1 ? 0 : EMPTY), 0);
		check_whole(0, bits[i]);
		box_down();
	}
}

/* A block without any gradients has the neutral element, and the next one in its slot none of that. */
static void share_of_none(void)
{
	struct weir_job *job = up_with(WEIR_DTYPE_FLOAT32, WEIR_OP_SUM, 2);
	u32 block;

	for (block = 0; block < 2; block++)
		give(job, block, 0, 0, EMPTY);
	check_whole(0, 0x80000000);
	box_forget();
	give(job, 0, 1, 0, EMPTY | WEIR_CONTRIB_LITTLE);
	give(job, 1, 1, 0, EMPTY | WEIR_CONTRIB_LITTLE);
	check_whole(1, 0x00000080);
	for (block = 2; block < 5; block++) {
		box_forget();
		CHECK_EQ(give(job, 0, block, 0x3f800000, 0), 0);
		CHECK_EQ(give(job, 1, block, 0x40000000, 0), 0);
		check_whole(0, 0x40400000);
	}
	box_down();
	job = up(2);
	give(job, 0, 0, 0, EMPTY);
	give(job, 1, 0, 0, EMPTY);
	check_whole(0, 0);
	box_down();
}

/* A result is repeated as the packet that asks for it needs it. */
static void share_of_repeats(void)
{
	struct weir_job *job = up(2);

	give(job, 0, 0, 3, BRIEF);
	give(job, 1, 0, 0, EMPTY);
	check_brief(0);
	check_whole(1, 3);
	box_forget();
	CHECK_EQ(give(job, 0, 0, 3, BRIEF), 0);
	check_brief(0);
	box_forget();
	CHECK_EQ(give(job, 0, 0, 3, 0), 0);
	check_whole(0, 3);
	box_forget();
	CHECK_EQ(box_ask(job, 0, 0), 0);
	check_whole(0, 3);
	box_forget();
	CHECK_EQ(give(job, 1, 0, 0, EMPTY), 0);
	check_whole(1, 3);
	CHECK_EQ(box_counter(WEIR_C_REPEATS), 4);
	box_down();
}

/* The next block in the slot has other sources that do not need its gradients. */
static void share_is_of_one_block(void)
{
	struct weir_job *job = up(2);
	u32 block;

	for (block = 0; block < 8; block++) {
		box_forget();
		give(job, 0, block, 3, block % 2 ? 0 : BRIEF);
		give(job, 1, block, 4, block % 2 ? BRIEF : 0);
		check_brief(block % 2);
		check_whole(1 - block % 2, 7);
	}
	box_forget();
	give(job, 0, 8, 3, 0);
	give(job, 1, 8, 4, 0);
	check_whole(0, 7);
	check_whole(1, 7);
	box_down();
}

/* Blocks that age are answered so, too; a source that is not in them has said nothing. */
static void share_of_degraded(void)
{
	struct weir_job *job;

	box_up();
	box.policy.mode = WEIR_POLICY_PARTIAL;
	box.policy.timeout = 1000000;
	box.timers = 1;
	job = box_job(7, 3, 4, 4);
	box_all_joined(job);
	give(job, 0, 0, 6, BRIEF);
	give(job, 1, 0, 0, EMPTY);
	mock_run(mock_ns + 10000000);
	CHECK_EQ(box.sent, 3);
	check_brief(0);
	check_whole(1, 6);
	check_whole(2, 6);
	CHECK(sent_to(0)->hdr.flags & WEIR_TRIO_DEGRADED);
	CHECK_EQ(sent_to(0)->mask_len, 4);
	CHECK_EQ(sent_to(0)->mask[0], 3);
	CHECK_EQ(sent_to(0)->bytes, sizeof(struct weir_trio) + 4);
	box_down();
}

/* A contribution of another form is not in the sums, which may lack all gradients then. */
static void share_that_is_unlike(void)
{
	struct weir_job *job = up(3);
	struct weir_contrib c;
	static const s32 grads[1];

	give(job, 0, 0, 0, EMPTY);
	c = box_contrib(job, 1, 0, 1);
	CHECK_EQ(box_send(&c, grads, 0), WEIR_REASON_COUNT);
	CHECK_EQ(give(job, 2, 0, 9, 0), 0);
	check_whole(0, 9);
	CHECK(sent_to(0)->hdr.flags & WEIR_TRIO_UNLIKE);
	box_down();
}

static void share_that_is_refused(void)
{
	struct weir_job *job = up(2);
	struct weir_contrib c = share(job, 0, 0, EMPTY);

	c.flags &= ~WEIR_CONTRIB_JOINED;
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_FLAGS);
	c = share(job, 0, 0, EMPTY);
	c.count = 0;
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_FLAGS);
	c = share(job, 0, 0, EMPTY | WEIR_CONTRIB_UP);
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_FLAGS);
	c = share(job, 0, 0, EMPTY);
	c.udp_len += 8;
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_LENGTH);
	c = share(job, 0, 0, BRIEF);
	c.udp_len -= 8;
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_LENGTH);
	/* It would get more than it has paid for, perhaps at another's address. */
	weir_source_get(job, 0)->hears = false;
	CHECK_EQ(give(job, 0, 0, 0, EMPTY), WEIR_REASON_JOIN);
	CHECK_EQ(give(job, 0, 0, 5, BRIEF), 0);
	CHECK_EQ(box.sent, 0);
	box_down();
	job = up_with(WEIR_DTYPE_INT32, WEIR_OP_MIN, 2);
	CHECK_EQ(give(job, 0, 0, 0, EMPTY), WEIR_REASON_FLAGS);
	CHECK_EQ(give(job, 0, 0, 0, BRIEF), WEIR_REASON_FLAGS);
	box_down();
}

/* Contributions cost as much of a rate as if they had their gradients. */
static void share_that_is_charged(void)
{
	const struct weir_source_config cfg = {
		.addr = box_addr(1), .vlan = WEIR_VLAN_ANY,
		.rate = { .bytes = 1, .bytes_burst = 2 * (20 + 8) - 1 },
	};
	struct weir_job *job = up(2);

	weir_source_unbind(job, 0);
	weir_source_bind(job, 0, &cfg);
	box_all_joined(job);
	CHECK_EQ(give(job, 0, 0, 0, EMPTY), 0);
	CHECK_EQ(give(job, 0, 1, 0, EMPTY), WEIR_REASON_SOURCE_RATE);
	CHECK_EQ(box_counter(WEIR_C_CONTRIBUTIONS), 1);
	box_down();
}

/* A group gets one packet. */
static void share_in_a_group(void)
{
	struct weir_job *job = up(2);
	struct in6_addr group = box_addr(9);

	weir_job_set(job, &group, NULL);
	give(job, 0, 0, 3, BRIEF);
	give(job, 1, 0, 4, BRIEF);
	CHECK_EQ(box.sent, 1);
	CHECK_EQ(box.packet[0].len, 8);
	CHECK_EQ(box_result(&box.packet[0], 0), 7);
	box_down();
}

/* A merged packet from bytes on: its results go to each receiver as one, with and without gradients. */
static void share_is_merged(void)
{
	static u8 bytes[42 + 4 * 12];
	struct weir_job *job = up(3);
	struct weir_contrib c = box_contrib(job, 2, 0, 0);
	struct sk_buff skb = { .data = bytes, .tail = bytes + sizeof(bytes), .dev = &box.dev };
	u32 block;
	u16 s;

	for (block = 0; block < 4; block++)
		for (s = 0; s < 2; s++)
			CHECK_EQ(give(job, s, block, 5 << s, BRIEF), 0);
	c.flags = 0;
	c.udp_off = 34;
	c.udp_len = sizeof(bytes) - 34;
	for (block = 0; block < 4; block++) {
		struct weir_trio *hdr = (void *)(bytes + 42 + 12 * block);

		hdr->job_id = 7;
		put_unaligned_be32(block, hdr->block_id);
		hdr->flags = WEIR_TRIO_EMPTY;
		hdr->src_id = 2;
		hdr->src_cnt = 1;
		put_unaligned_be16(weir_blocks_generation(&job->blocks), hdr->gen_id);
		put_unaligned_be16(2 | WEIR_TRIO_JOINED, hdr->grad_cnt);
	}
	skb.shinfo.gso_size = 12;
	CHECK_EQ(weir_contribute_merged(&skb, &c, true), 0);
	CHECK_EQ(box.sent, 12);
	CHECK_EQ(box.merged, 3);
	check_brief(0);
	check_brief(1);
	check_whole(2, 15);
	box_down();
}

/* The box says that it takes them, in a job of sums. */
static void share_is_announced(void)
{
	struct weir_job_config cfg;
	struct weir_job *job;
	u8 op;

	for (op = WEIR_OP_SUM; op <= WEIR_OP_MAX; op++) {
		box_up();
		cfg = box_config(&weir_format_trio, 7, 1, 4, 4);
		cfg.blocks.reduction = weir_reduction_find(WEIR_DTYPE_INT32, op, 0);
		job = box_job_of(&cfg);
		CHECK_EQ(box_join(job, 0, 77), 0);
		CHECK_EQ(box.packet[0].join.features & WEIR_JOIN_SHARES,
			 op == WEIR_OP_SUM ? WEIR_JOIN_SHARES : 0);
		box_down();
	}
}

const struct ktap_test share_tests[] = {
	KTAP_TEST(share_of_the_vector),
	KTAP_TEST(share_of_the_result),
	KTAP_TEST(share_is_copied),
	KTAP_TEST(share_of_none),
	KTAP_TEST(share_of_repeats),
	KTAP_TEST(share_is_of_one_block),
	KTAP_TEST(share_of_degraded),
	KTAP_TEST(share_that_is_unlike),
	KTAP_TEST(share_that_is_refused),
	KTAP_TEST(share_that_is_charged),
	KTAP_TEST(share_in_a_group),
	KTAP_TEST(share_is_merged),
	KTAP_TEST(share_is_announced),
};

SUITE_END(share);

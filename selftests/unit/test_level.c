// SPDX-License-Identifier: GPL-2.0
/* Jobs that span boxes: what goes up to a parent, what comes down, and whose sums they are. */
#include "box.h"
#include "agg/base/payload.h"
#include "agg/job/join.h"
#include "agg/tree/level.h"
#include "agg/member/notice.h"
#include "agg/tree/parent.h"
#include "agg/type/reduce.h"
#include "unit.h"

/* The parent, as a host of the box's link, and this box as a source of it. */
#define PARENT		200
#define PARENT_SOURCE	5

static struct weir_job *job;

/* A box of @sources whose job has @ranks in all, below a parent or at the root. */
static void setup(u16 sources, u16 ranks, bool above)
{
	struct weir_job_config cfg;

	box_up();
	cfg = box_config(&weir_format_trio, 7, sources, 8, 16);
	cfg.blocks.ranks = ranks;
	cfg.blocks.above = above;
	cfg.has_parent = above;
	cfg.parent = (struct weir_parent_config) {
		.addr = box_addr(PARENT), .port = 12000, .source = PARENT_SOURCE,
		.vlan = WEIR_VLAN_ANY,
	};
	job = box_job_of(&cfg);
}

/* A worker's join, which says its rank; 0 for none. */
static int join_rank(u16 source, u32 nonce, u16 member)
{
	const struct weir_join join = {
		.nonce = nonce, .ranks = htonl(job->map->ranks), .grads = htonl(8),
		.member = htons(member),
	};

	return box_join_as(job, source, 0, &join);
}

static int join(u16 source, u32 nonce) { return join_rank(source, nonce, source + 1); }

/* Both of two workers, the first one again: after each new number all have to say theirs. */
static void join_both(void)
{
	join(0, 11);
	join(1, 12);
	join(0, 11);
}

/* A packet of @len bytes behind the header of Trio-ML. */
static int hand_over(struct weir_contrib *c, const void *body, unsigned int len)
{
	u8 head[20] = { };
	struct weir_payload pl = {
		.n = 1 + !!len,
		.seg = { { head, sizeof(head) }, { body, len } },
	};

	c->udp_len = sizeof(head) + len;
	return weir_contribute(&box.dev, c, &pl, true);
}

/* The join of a box, with the ranks below it, the first 32 of them as bits. */
static int join_box(u16 source, u32 nonce, u32 lacks, u32 ranks)
{
	struct weir_contrib c = box_contrib(job, source, lacks, 0);
	struct {
		struct weir_join join;
		__be32 ranks;
	} __packed body = {
		.join = {
			.nonce = nonce, .ranks = htonl(job->map->ranks), .grads = htonl(8),
			.dtype = job->blocks.reduction->dtype, .op = job->blocks.reduction->op,
			.format = job->format->id,
			.cookie = weir_source_cookie(weir_source_get(job, source), 12000, nonce),
		},
		.ranks = htonl(ranks),
	};

	c.flags = WEIR_CONTRIB_JOIN | WEIR_CONTRIB_UP;
	c.said[0] = WEIR_TRIO_CONTROL;
	return hand_over(&c, &body, sizeof(body));
}

/* A packet of the parent. */
static struct weir_contrib from_parent(u32 block, u8 flags, u16 count)
{
	struct weir_contrib c = box_contrib(job, 0, block, count);
	struct in6_addr parent = box_addr(PARENT);

	memcpy(c.saddr, &parent, sizeof(parent));
	c.flags = WEIR_CONTRIB_DOWN | (flags & WEIR_TRIO_CONTROL ? WEIR_CONTRIB_JOIN : 0);
	c.said[0] = flags;
	return c;
}

static int parent_answers(u8 flags, u16 generation, u32 start, const struct weir_join *answer)
{
	struct weir_contrib c = from_parent(start, WEIR_TRIO_CONTROL | flags, 0);

	c.generation = generation;
	return hand_over(&c, answer, sizeof(*answer));
}

/* Number of blocks that the parent reports to have room for; 0 of one that does not mark results. */
static u16 parent_room;

/* The parent takes the last join that went up. */
static void parent_begins(u16 generation, u32 start)
{
	const struct weir_join answer = {
		.nonce = box.packet[box.sent - 1].join.nonce, .blocks = htonl(4),
		.grads = htonl(12), .ranks = htonl(job->map->ranks),
		.cwnd_cap = htons(parent_room),
	};

	CHECK_EQ(parent_answers(0, generation, start, &answer), 0);
}

/* The result of a block of one gradient; @ranks: of one that is degraded, those in it. */
static int parent_result(u32 block, u8 flags, u32 grad, u32 ranks)
{
	struct weir_contrib c = from_parent(block, flags, 1);
	__be32 body[2] = { htonl(grad), htonl(ranks) };

	return hand_over(&c, body, flags & WEIR_TRIO_DEGRADED ? 8 : 4);
}

static bool went_up(const struct box_sent *p)
{
	struct in6_addr parent = box_addr(PARENT);

	return ipv6_addr_equal(&p->to, &parent) && p->hdr.src_id == PARENT_SOURCE &&
	       p->hdr.grad_cnt[0] & (WEIR_TRIO_UP >> 8) &&
	       !(p->hdr.grad_cnt[0] & (WEIR_TRIO_DOWN >> 8));
}

/* Two workers, ranks 0 and 1 of 4, in generation 77 of the parent. */
static void begun(void)
{
	setup(2, 4, true);
	join_both();
	parent_begins(77, 0);
	box_forget();
}

/* Both contribute to a block, and the sum goes up. */
static void summed(u32 block)
{
	CHECK_EQ(box_give(job, 0, block, 3), 0);
	CHECK_EQ(box_give(job, 1, block, 4), 0);
}

static void level_join_goes_up(void)
{
	const struct box_sent *p = &box.packet[0];

	setup(2, 70, true);
	join_rank(0, 11, 3);
	CHECK_EQ(box.sent, 0);
	join_rank(1, 12, 70);
	join_rank(0, 11, 3);
	CHECK_EQ(box.sent, 1);
	CHECK(went_up(p));
	CHECK_EQ(p->hdr.flags, WEIR_TRIO_CONTROL);
	CHECK_EQ(ntohl(p->join.ranks), 70);
	CHECK_EQ(ntohl(p->join.grads), 8);
	CHECK_EQ(p->mask_len, 12);
	CHECK_EQ(p->mask[0], 1 << 2);
	CHECK_EQ(p->mask[1], 0);
	CHECK_EQ(p->mask[2], 1 << 5);
	CHECK_EQ(box_counter(WEIR_C_PARENT_QUERIES), 1);
	/* A repeated join goes up again, but not at once. */
	join_rank(1, 12, 70);
	CHECK_EQ(box.sent, 1);
	mock_ns += 19 * NSEC_PER_MSEC;
	join_rank(0, 11, 3);
	CHECK_EQ(box.sent, 1);
	mock_ns += NSEC_PER_MSEC;
	join_rank(0, 11, 3);
	CHECK_EQ(box.sent, 2);
	CHECK_EQ(box.packet[1].join.nonce, p->join.nonce);
	/* Another number of a worker makes another one of the box, at the same rate. */
	join_rank(0, 13, 3);
	join_rank(1, 12, 70);
	CHECK_EQ(box.sent, 2);
	mock_ns += 20 * NSEC_PER_MSEC;
	join_rank(1, 12, 70);
	CHECK_EQ(box.sent, 3);
	CHECK(box.packet[2].join.nonce != p->join.nonce);
	box_down();
}

/* The same workers with the same numbers join as the same box, though it was set up anew. */
static void level_number_is_made_of_the_workers(void)
{
	u32 nonce[2];
	int i;

	for (i = 0; i < 2; i++) {
		setup(2, 4, true);
		join(i, 11 + i);
		join(!i, 11 + !i);
		join(i, 11 + i);
		nonce[i] = box.packet[0].join.nonce;
		box_down();
	}
	CHECK_EQ(nonce[0], nonce[1]);
}

static void level_generation_is_the_parents(void)
{
	unsigned int i;

	setup(2, 4, true);
	join_both();
	parent_begins(77, 9);
	CHECK_EQ(box.generations, 1);
	CHECK_EQ(weir_blocks_generation(&job->blocks), 77);
	CHECK_EQ(box.sent, 3);
	for (i = 1; i < 3; i++) {
		CHECK_EQ(box.packet[i].hdr.gen_id[1], 77);
		CHECK_EQ(box_block(&box.packet[i]), 9);
		/* All boxes have room for these. */
		CHECK_EQ(ntohl(box.packet[i].join.blocks), 4);
		CHECK_EQ(ntohl(box.packet[i].join.grads), 12);
		CHECK_EQ(ntohl(box.packet[i].join.ranks), 4);
	}
	/* The answer once more has no effect; a worker that lost it has it again. */
	parent_begins(78, 0);
	CHECK_EQ(weir_blocks_generation(&job->blocks), 77);
	join(1, 12);
	CHECK_EQ(box.sent, 4);
	CHECK_EQ(box.packet[3].hdr.gen_id[1], 77);
	box_down();
}

static void level_cookie_of_the_parent(void)
{
	struct weir_join answer = { .cookie = 4711 };

	setup(2, 4, true);
	join_both();
	CHECK_EQ(box.packet[0].join.cookie, 0);
	answer.nonce = box.packet[0].join.nonce;
	parent_answers(WEIR_TRIO_COOKIE, 0, 0, &answer);
	CHECK_EQ(box.sent, 2);
	CHECK_EQ(box.packet[1].join.cookie, 4711);
	CHECK(!job->joined);
	/* The same cookie answers an earlier join; a join takes one cookie. */
	parent_answers(WEIR_TRIO_COOKIE, 0, 0, &answer);
	answer.cookie = 4712;
	parent_answers(WEIR_TRIO_COOKIE, 0, 0, &answer);
	CHECK_EQ(box.sent, 2);
	/* The address has answered: joins are repeated faster, and a join of later takes another. */
	mock_ns += NSEC_PER_MSEC;
	join(1, 12);
	CHECK_EQ(box.sent, 3);
	parent_answers(WEIR_TRIO_COOKIE, 0, 0, &answer);
	CHECK_EQ(box.sent, 4);
	CHECK_EQ(box.packet[3].join.cookie, 4712);
	box_down();
}

/* The workers are told of the parent's refusal, with its figures. */
static void level_refusal_comes_down(void)
{
	struct weir_join answer = { .ranks = htonl(6), .blocks = htonl(64), .grads = htonl(2) };
	unsigned int i;

	setup(2, 4, true);
	join_both();
	answer.nonce = box.packet[0].join.nonce;
	parent_answers(WEIR_TRIO_DEGRADED, 0, 0, &answer);
	CHECK_EQ(box.sent, 3);
	for (i = 1; i < 3; i++) {
		CHECK_EQ(box.packet[i].hdr.flags, WEIR_TRIO_CONTROL | WEIR_TRIO_DEGRADED);
		CHECK_EQ(box.packet[i].join.nonce, 10 + i);
		CHECK_EQ(ntohl(box.packet[i].join.ranks), 6);
		CHECK_EQ(ntohl(box.packet[i].join.grads), 2);
	}
	/* Once for each join. */
	parent_answers(WEIR_TRIO_DEGRADED, 0, 0, &answer);
	CHECK_EQ(box.sent, 3);
	box_down();
}

static void level_late_answer_is_ignored(void)
{
	setup(2, 4, true);
	join_both();
	/* One starts anew while the answer is on its way. */
	join(0, 13);
	parent_begins(77, 0);
	CHECK(!job->joined);
	CHECK_EQ(box.sent, 1);
	box_down();
}

static void level_sum_goes_up(void)
{
	const struct box_sent *p = &box.packet[0];

	begun();
	summed(3);
	CHECK_EQ(box.sent, 1);
	CHECK(went_up(p));
	CHECK_EQ(p->hdr.flags, 0);
	CHECK_EQ(p->hdr.src_cnt, 2);
	CHECK_EQ(p->hdr.gen_id[1], 77);
	CHECK_EQ(box_block(p), 3);
	CHECK_EQ(p->mask_len, 0);
	CHECK_EQ(box_result(p, 0), 7);
	CHECK_EQ(box_counter(WEIR_C_PARENT_SUMS), 1);
	CHECK_EQ(box_counter(WEIR_C_BLOCKS), 0);
	CHECK_EQ(weir_blocks_open(&job->blocks), 1);
	box_down();
}

static void level_result_comes_down(void)
{
	unsigned int i;

	begun();
	summed(3);
	CHECK_EQ(parent_result(3, 0, 100, 0), 0);
	CHECK_EQ(box.sent, 3);
	for (i = 1; i < 3; i++) {
		CHECK_EQ(box.packet[i].hdr.flags, 0);
		CHECK_EQ(box.packet[i].hdr.src_cnt, 4);
		CHECK_EQ(box_result(&box.packet[i], 0), 100);
	}
	/* The packet that went up may still be on its way, and has not changed. */
	CHECK_EQ(box_result(&box.packet[0], 0), 7);
	CHECK_EQ(box_counter(WEIR_C_BLOCKS), 1);
	CHECK_EQ(box_counter(WEIR_C_PARENT_RESULTS), 1);
	CHECK_EQ(parent_result(3, 0, 101, 0), WEIR_REASON_DUPLICATE);
	CHECK_EQ(box.sent, 3);
	/* The same bits to a worker that asks. */
	CHECK_EQ(box_ask(job, 1, 3), 0);
	CHECK_EQ(box_result(&box.packet[3], 0), 100);
	box_down();
}

/* The least room of the boxes on the way; none where one of them does not mark results. */
static void level_room_is_the_least(void)
{
	static const struct {
		u16 above, want;
	} cases[] = { { 3, 3 }, { 4, 4 }, { 100, 4 }, { 0, 0 } };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		parent_room = cases[i].above;
		setup(2, 4, true);
		join_both();
		parent_begins(77, 0);
		CHECK_EQ(ntohs(box.packet[box.sent - 1].join.cwnd_cap), cases[i].want);
		box_down();
	}
}

static int give_marked(u16 source, u32 block, u8 tos)
{
	struct weir_contrib c = box_contrib(job, source, block, 1);
	static const s32 grads[1];

	c.tos = tos;
	return box_send(&c, grads, 0);
}

static int parent_marks(u32 block, u8 tos)
{
	struct weir_contrib c = from_parent(block, 0, 1);
	__be32 sum = 0;

	c.tos = tos;
	return hand_over(&c, &sum, sizeof(sum));
}

/* CE below goes up, and CE from above goes down; to a parent that would not tell of it none goes. */
static void level_marks_go_both_ways(void)
{
	static const struct {
		u16 room;
		u8 below[2], up, above, down;
	} cases[] = {
		{ 4, { 2, 2 }, 2, 2, 2 }, { 4, { 2, 3 }, 3, 3, 3 }, { 4, { 3, 0 }, 3, 3, 3 },
		{ 4, { 2, 2 }, 2, 3, 3 }, { 4, { 2, 0 }, 0, 0, 0 }, { 4, { 2, 2 }, 2, 0, 0 },
		{ 0, { 3, 2 }, 0, 0, 3 },
	};
	unsigned int i, p;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		parent_room = cases[i].room;
		begun();
		CHECK_EQ(give_marked(0, 3, cases[i].below[0]), 0);
		CHECK_EQ(give_marked(1, 3, cases[i].below[1]), 0);
		CHECK_EQ(box.sent, 1);
		CHECK(went_up(&box.packet[0]));
		CHECK_EQ(box.packet[0].tos, cases[i].up);
		CHECK_EQ(parent_marks(3, cases[i].above), 0);
		CHECK_EQ(box.sent, 3);
		for (p = 1; p < 3; p++)
			CHECK_EQ(box.packet[p].tos, cases[i].down);
		/* Once more, as it was. */
		CHECK_EQ(box_ask(job, 1, 3), 0);
		CHECK_EQ(box.packet[3].tos, cases[i].down);
		box_down();
	}
	parent_room = 0;
}

/* Many ask, and one question goes up, until the parent answers or its answer is lost. */
static void level_question_goes_up(void)
{
	struct weir_contrib c;

	begun();
	summed(3);
	CHECK_EQ(box_ask(job, 0, 3), 0);
	CHECK_EQ(box_ask(job, 1, 3), 0);
	CHECK_EQ(box_give(job, 0, 3, 3), 0);
	CHECK_EQ(box.sent, 2);
	CHECK(went_up(&box.packet[1]));
	CHECK_EQ(box.packet[1].bytes, 12);
	CHECK_EQ(box_block(&box.packet[1]), 3);
	mock_ns += 10 * NSEC_PER_MSEC;
	c = box_contrib(job, 1, 3, 0);
	c.flags |= WEIR_CONTRIB_EXPONENT;
	box_send(&c, NULL, 0);
	CHECK_EQ(box.sent, 3);
	CHECK_EQ(box.packet[2].bytes, 16);
	/* One that is not complete here is answered here. */
	CHECK_EQ(box_give(job, 0, 4, 1), 0);
	CHECK_EQ(box_ask(job, 0, 4), 0);
	CHECK(!went_up(&box.packet[3]));
	CHECK_EQ(box_counter(WEIR_C_QUERIES), 4);
	box_down();
}

/* A worker is silent, and this box keeps a result for it: it has no sum, but it is there. */
static void level_box_that_waits_is_there(void)
{
	begun();
	summed(0);
	CHECK_EQ(parent_result(0, 0, 100, 0), 0);
	CHECK_EQ(box.sent, 3);
	CHECK_EQ(box_give(job, 0, 8, 3), WEIR_REASON_BUSY);
	CHECK_EQ(box.sent, 4);
	CHECK(went_up(&box.packet[3]));
	CHECK_EQ(box.packet[3].bytes, 12);
	CHECK_EQ(box_block(&box.packet[3]), 8);
	/* Workers that are many and repeat themselves make no more of it. */
	CHECK_EQ(box_give(job, 0, 8, 3), WEIR_REASON_BUSY);
	CHECK_EQ(box.sent, 4);
	mock_ns += NSEC_PER_MSEC;
	CHECK_EQ(box_give(job, 0, 8, 3), WEIR_REASON_BUSY);
	CHECK_EQ(box.sent, 5);
	box_down();
}

static void level_parent_wants_the_sum_again(void)
{
	struct weir_contrib c;

	begun();
	summed(3);
	c = from_parent(3, WEIR_TRIO_WANTED, 0);
	/* Nobody has asked: whoever says so, it is nobody who has the question. */
	CHECK_EQ(hand_over(&c, NULL, 0), WEIR_REASON_STALE);
	CHECK_EQ(box.sent, 1);
	box_ask(job, 0, 3);
	box_forget();
	CHECK_EQ(hand_over(&c, NULL, 0), 0);
	CHECK_EQ(box.sent, 1);
	CHECK(went_up(&box.packet[0]));
	CHECK_EQ(box_result(&box.packet[0], 0), 7);
	/* One question, one sum. */
	CHECK_EQ(hand_over(&c, NULL, 0), WEIR_REASON_STALE);
	CHECK_EQ(box.sent, 1);
	/* Not of a block that has its result, or has no sum. */
	parent_result(3, 0, 100, 0);
	CHECK_EQ(hand_over(&c, NULL, 0), WEIR_REASON_STALE);
	c.block = 4;
	CHECK_EQ(hand_over(&c, NULL, 0), WEIR_REASON_STALE);
	box_down();
}

static void level_parents_reply_comes_down(void)
{
	__be32 ranks = htonl(7);
	struct weir_contrib c;

	begun();
	summed(3);
	box_ask(job, 0, 3);
	box_forget();
	c = from_parent(3, 0, 0);
	c.weight = 3;
	/* To who has asked, and once. */
	CHECK_EQ(hand_over(&c, &ranks, 4), 0);
	CHECK_EQ(box.sent, 1);
	CHECK_EQ(box.packet[0].hdr.src_id, 0);
	CHECK_EQ(box.packet[0].hdr.src_cnt, 3);
	CHECK_EQ(box.packet[0].mask[0], 7);
	CHECK_EQ(hand_over(&c, &ranks, 4), WEIR_REASON_STALE);
	CHECK_EQ(box.sent, 1);
	/* The parent has answered, and may be asked again: two ask, and one question goes up. */
	box_ask(job, 1, 3);
	CHECK(went_up(&box.packet[1]));
	box_ask(job, 0, 3);
	CHECK_EQ(box.sent, 2);
	CHECK_EQ(hand_over(&c, &ranks, 4), 0);
	CHECK_EQ(box.sent, 4);
	CHECK_EQ(box.packet[2].hdr.src_id, 0);
	CHECK_EQ(box.packet[3].hdr.src_id, 1);
	/* No rank is beyond the last. */
	ranks = htonl(0x17);
	CHECK_EQ(hand_over(&c, &ranks, 4), WEIR_REASON_FLAGS);
	box_down();
}

/* The parent has evicted a result: of the workers those that have asked for it are told. */
static void level_evicted_result_is_reported(void)
{
	const struct weir_behind behind = { .oldest = htonl(5), .next = htonl(9) };
	const struct box_sent *p = &box.packet[0];
	struct weir_contrib c;

	begun();
	c = from_parent(3, WEIR_TRIO_BEHIND, 0);
	summed(3);
	CHECK_EQ(box_ask(job, 1, 3), 0);
	box_forget();
	CHECK_EQ(hand_over(&c, &behind, sizeof(behind) - 1), WEIR_REASON_LENGTH);
	CHECK_EQ(hand_over(&c, (__be32[3]){}, sizeof(behind) + 4), WEIR_REASON_LENGTH);
	CHECK_EQ(box.sent, 0);
	CHECK_EQ(hand_over(&c, &behind, sizeof(behind)), 0);
	CHECK_EQ(box.sent, 1);
	CHECK_EQ(p->hdr.flags, WEIR_TRIO_BEHIND);
	CHECK_EQ(p->hdr.src_id, 1);
	CHECK_EQ(box_block(p), 3);
	CHECK_EQ(ntohl(p->behind.oldest), 5);
	CHECK_EQ(ntohl(p->behind.next), 9);
	/* Once, and not for a block that is not there. */
	CHECK_EQ(hand_over(&c, &behind, sizeof(behind)), WEIR_REASON_STALE);
	c.block = 4;
	CHECK_EQ(hand_over(&c, &behind, sizeof(behind)), WEIR_REASON_STALE);
	CHECK_EQ(box.sent, 1);
	box_down();
}

/* The tree went on without this box: its workers have the result, and none of them is in it. */
static void level_result_of_an_open_block(void)
{
	begun();
	CHECK_EQ(box_give(job, 0, 3, 3), 0);
	CHECK_EQ(parent_result(3, WEIR_TRIO_DEGRADED | WEIR_TRIO_AGED, 50, 0xc), 0);
	CHECK_EQ(box.sent, 2);
	CHECK_EQ(box.packet[0].hdr.flags, WEIR_TRIO_DEGRADED | WEIR_TRIO_AGED);
	CHECK_EQ(box.packet[0].hdr.src_cnt, 2);
	CHECK_EQ(box.packet[0].mask[0], 0xc);
	CHECK_EQ(box_result(&box.packet[0], 0), 50);
	/* The other one is late, and gets the same. */
	CHECK_EQ(box_give(job, 1, 3, 4), 0);
	CHECK_EQ(box.sent, 3);
	CHECK_EQ(box.packet[2].mask[0], 0xc);
	CHECK_EQ(box_counter(WEIR_C_LATE), 1);
	/* Of a block that nobody here has opened none is taken: it is asked for later. */
	CHECK_EQ(parent_result(4, 0, 1, 0), WEIR_REASON_STALE);
	box_down();
}

/* A sum without all of this box's ranks names those that it has. */
static void level_degraded_sum_goes_up(void)
{
	const struct box_sent *p = &box.packet[0];

	begun();
	job->blocks.quorum = 1;
	CHECK_EQ(box_give(job, 1, 3, 4), 0);
	CHECK(went_up(p));
	CHECK_EQ(p->hdr.flags, WEIR_TRIO_DEGRADED);
	CHECK_EQ(p->hdr.src_cnt, 1);
	CHECK_EQ(p->mask_len, 4);
	CHECK_EQ(p->mask[0], 2);
	/* The other one comes too late for the sum, and asks by that. */
	CHECK_EQ(box_give(job, 0, 3, 3), 0);
	CHECK_EQ(box_counter(WEIR_C_LATE), 1);
	CHECK_EQ(box.sent, 2);
	CHECK_EQ(box.packet[1].bytes, 12);
	box_down();
}

/* The second worker's contributions to blocks @from and @from + 1, in one merged packet. */
static void give_two(u32 from)
{
	struct weir_pass pass;
	u8 datagram[24] = { };
	u32 i;

	box_forget();
	box.merged = 0;
	weir_pass_begin(&pass, &box.dev);
	for (i = 0; i < 2; i++) {
		struct weir_contrib c = box_contrib(job, 1, from + i, 1);
		struct weir_payload pl = { .n = 1, .seg = { { datagram, sizeof(datagram) } } };

		weir_payload_pull(&pl, sizeof(struct udphdr));
		CHECK_EQ(weir_pass_take(&pass, &c, &pl, true), 0);
	}
	weir_pass_end(&pass);
	CHECK_EQ(box.sent, 2);
	CHECK(went_up(&box.packet[1]));
	CHECK_EQ(box.packet[1].hdr.flags, WEIR_TRIO_DEGRADED);
	CHECK_EQ(box.packet[1].mask_len, 4);
}

/* Sums of a merged packet go up as one, with the bitmaps behind them, where the path takes these. */
static void level_degraded_sums_go_up_merged(void)
{
	begun();
	job->blocks.quorum = 1;
	give_two(0);
	CHECK_EQ(box.merged, 1);
	box.mtu = 28 + box.packet[0].bytes;
	give_two(2);
	CHECK_EQ(box.merged, 1);
	box.mtu--;
	give_two(4);
	CHECK_EQ(box.merged, 0);
	box_down();
}

static void level_exponents_and_flags_go_both_ways(void)
{
	struct weir_contrib c;
	__be32 grad = htonl(1);
	int i;

	begun();
	for (i = 0; i < 2; i++) {
		c = box_contrib(job, i, 3, 1);
		c.flags |= WEIR_CONTRIB_EXPONENT;
		c.exponent = 10 + i;
		box_send(&c, (s32[]) { S32_MAX }, 0);
	}
	CHECK_EQ(box.packet[0].hdr.flags, WEIR_TRIO_OVERFLOW | WEIR_TRIO_UNLIKE);
	CHECK_EQ(get_unaligned_be32(box.packet[0].head + 12), 11);
	c = from_parent(3, WEIR_TRIO_OVERFLOW | WEIR_TRIO_UNLIKE, 1);
	c.flags |= WEIR_CONTRIB_EXPONENT;
	c.exponent = 40;
	CHECK_EQ(hand_over(&c, &grad, 4), 0);
	CHECK_EQ(box.packet[1].hdr.flags, WEIR_TRIO_OVERFLOW | WEIR_TRIO_UNLIKE);
	CHECK_EQ(get_unaligned_be32(box.packet[1].head + 12), 40);
	box_down();
}

/* A packet that goes down is of a job's parent, or it is refused. */
static void level_down_is_the_parents_alone(void)
{
	__be32 grad = htonl(1);
	struct weir_contrib c;
	struct in6_addr other;

	begun();
	summed(3);
	c = from_parent(3, 0, 1);
	c.sport = 12001;
	CHECK_EQ(hand_over(&c, &grad, 4), WEIR_REASON_DIRECTION);
	c.sport = 12000;
	other = box_addr(1);
	memcpy(c.saddr, &other, sizeof(other));
	CHECK_EQ(hand_over(&c, &grad, 4), WEIR_REASON_DIRECTION);
	c = from_parent(3, 0, 1);
	c.dport = 12001;
	CHECK_EQ(hand_over(&c, &grad, 4), WEIR_REASON_NOT_LOCAL);
	c = from_parent(3, 0, 1);
	job->parent->config.ifindex = box.dev.ifindex + 1;
	CHECK_EQ(hand_over(&c, &grad, 4), WEIR_REASON_DIRECTION);
	job->parent->config.ifindex = box.dev.ifindex;
	job->parent->config.vlan = 7;
	CHECK_EQ(hand_over(&c, &grad, 4), WEIR_REASON_DIRECTION);
	CHECK_EQ(box.sent, 1);
	c.vlan = 7;
	CHECK_EQ(hand_over(&c, &grad, 4), 0);
	CHECK_EQ(box.sent, 3);
	box_down();

	/* A job without a parent has none that it could be of. */
	setup(2, 2, false);
	c = from_parent(3, 0, 1);
	CHECK_EQ(hand_over(&c, &grad, 4), WEIR_REASON_DIRECTION);
	box_down();
}

static void level_down_of_a_wrong_length(void)
{
	__be32 body[4] = { htonl(1) };
	struct weir_contrib c;

	begun();
	summed(3);
	c = from_parent(3, 0, 1);
	CHECK_EQ(hand_over(&c, body, 8), WEIR_REASON_LENGTH);
	CHECK_EQ(hand_over(&c, body, 3), WEIR_REASON_LENGTH);
	c = from_parent(3, WEIR_TRIO_DEGRADED, 1);
	CHECK_EQ(hand_over(&c, body, 4), WEIR_REASON_LENGTH);
	c = from_parent(3, 0, 17);
	CHECK_EQ(hand_over(&c, (__be32[17]) { 0 }, 68), WEIR_REASON_TOO_LONG);
	c = from_parent(3, 0, 2);
	CHECK_EQ(hand_over(&c, body, 8), WEIR_REASON_COUNT);
	c = from_parent(0, WEIR_TRIO_CONTROL, 0);
	CHECK_EQ(hand_over(&c, body, 16), WEIR_REASON_LENGTH);
	c = from_parent(0, WEIR_TRIO_NOTICE, 0);
	CHECK_EQ(hand_over(&c, body, 16), WEIR_REASON_LENGTH);
	/* No rank is in it, or one that is not there. */
	CHECK_EQ(parent_result(3, WEIR_TRIO_DEGRADED, 1, 0), WEIR_REASON_FLAGS);
	CHECK_EQ(parent_result(3, WEIR_TRIO_DEGRADED, 1, 0x10), WEIR_REASON_FLAGS);
	CHECK_EQ(box.sent, 1);
	box_down();
}

/* A parent that was set up anew: the workers are told, and join with the numbers that they have. */
static void level_parent_is_new(void)
{
	const struct box_sent *probe;
	struct weir_contrib c;
	unsigned int sent;

	begun();
	summed(3);
	c = from_parent(0, WEIR_TRIO_NOTICE | WEIR_TRIO_DEGRADED, 0);
	c.generation = 0;
	mock_ns += NSEC_PER_SEC;
	/* Anyone can say so. The box asks, and only who has the question can answer it. */
	CHECK_EQ(hand_over(&c, NULL, 0), 0);
	CHECK(job->joined);
	CHECK_EQ(box.sent, 2);
	probe = &box.packet[1];
	CHECK(went_up(probe));
	CHECK_EQ(probe->bytes, 12);
	CHECK(box_block(probe) != 0);
	CHECK(probe->hdr.gen_id[0] != 0 || probe->hdr.gen_id[1] != 77);
	/* It asks twenty times a second at most, and with the same number. */
	CHECK_EQ(hand_over(&c, NULL, 0), 0);
	CHECK_EQ(box.sent, 2);
	mock_ns += 50 * NSEC_PER_MSEC;
	c.block = box_block(probe) + 1;
	CHECK_EQ(hand_over(&c, NULL, 0), 0);
	CHECK_EQ(box.sent, 3);
	CHECK_EQ(box_block(&box.packet[2]), box_block(probe));
	CHECK(job->joined);
	c.block = box_block(probe);
	CHECK_EQ(hand_over(&c, NULL, 0), 0);
	CHECK(!job->joined);
	CHECK_EQ(box.sent, 5);
	CHECK_EQ(box.packet[3].hdr.flags, WEIR_TRIO_NOTICE | WEIR_TRIO_DEGRADED);
	/* A worker that goes on meanwhile is told again. */
	CHECK_EQ(box_give(job, 0, 4, 1), WEIR_REASON_GENERATION);
	box_forget();
	join_both();
	sent = box.sent;
	CHECK_EQ(sent, 1);
	CHECK(went_up(&box.packet[0]));
	/* Any generation is new, also the same. */
	parent_begins(77, 3);
	CHECK(job->joined);
	box_forget();
	summed(3);
	CHECK_EQ(box.sent, 1);
	CHECK_EQ(box_result(&box.packet[0], 0), 7);
	box_down();
}

static void level_notices_come_down(void)
{
	__be32 bits[3 * WEIR_BITMAP_WORDS] = { [2 * WEIR_BITMAP_WORDS] = htonl(8) };
	struct weir_contrib c;

	begun();
	mock_ns += NSEC_PER_SEC;
	c = from_parent(9, WEIR_TRIO_NOTICE, 0);
	CHECK_EQ(hand_over(&c, bits, sizeof(bits)), 0);
	CHECK_EQ(box.sent, 2);
	CHECK_EQ(ntohl(box.packet[1].notice.waiting[0]), 8);
	CHECK_EQ(box.packet[1].hdr.gen_id[1], 77);
	CHECK_EQ(box_block(&box.packet[1]), 9);
	CHECK_EQ(box.packet[1].hdr.flags, WEIR_TRIO_NOTICE);
	/* One packet is not to cause many, over and over. */
	CHECK_EQ(hand_over(&c, bits, sizeof(bits)), 0);
	CHECK_EQ(box.sent, 2);
	mock_ns += 50 * NSEC_PER_MSEC;
	CHECK_EQ(hand_over(&c, NULL, 0), 0);
	CHECK_EQ(box.sent, 4);
	/* Another generation would end this one: the parent has to say so again. */
	mock_ns += 50 * NSEC_PER_MSEC;
	c.generation = 78;
	CHECK_EQ(hand_over(&c, bits, sizeof(bits)), 0);
	CHECK_EQ(box.sent, 5);
	CHECK(went_up(&box.packet[4]));
	c.block = box_block(&box.packet[4]);
	CHECK_EQ(hand_over(&c, bits, sizeof(bits)), 0);
	CHECK_EQ(box.sent, 7);
	CHECK_EQ(box.packet[6].hdr.gen_id[1], 78);
	/* It has been said once. */
	mock_ns += 50 * NSEC_PER_MSEC;
	CHECK_EQ(hand_over(&c, bits, sizeof(bits)), 0);
	CHECK_EQ(box.sent, 8);
	CHECK(went_up(&box.packet[7]));
	CHECK(job->joined);
	box_down();
}

/* Before a generation the parent names those that a join waits for; it knows this box then. */
static void level_notices_while_a_join_waits(void)
{
	__be32 bits[3 * WEIR_BITMAP_WORDS] = { [2 * WEIR_BITMAP_WORDS] = htonl(8) };
	struct weir_contrib c;

	setup(2, 4, true);
	mock_ns += NSEC_PER_SEC;
	c = from_parent(0, WEIR_TRIO_NOTICE | WEIR_TRIO_DEGRADED, 0);
	CHECK_EQ(hand_over(&c, bits, sizeof(bits)), 0);
	CHECK_EQ(box.sent, 0);
	join_both();
	box_forget();
	/* A header of a few bytes is not worth a packet to each. */
	CHECK_EQ(hand_over(&c, NULL, 0), 0);
	CHECK_EQ(box.sent, 0);
	CHECK_EQ(hand_over(&c, bits, sizeof(bits)), 0);
	CHECK_EQ(box.sent, 2);
	CHECK_EQ(ntohl(box.packet[0].notice.waiting[0]) & 8, 8);
	CHECK_EQ(hand_over(&c, bits, sizeof(bits)), 0);
	CHECK_EQ(box.sent, 2);
	box_down();
}

/* A client that has only the paper cannot be in a job that spans boxes. */
static void level_takes_joined_workers_alone(void)
{
	setup(2, 2, false);
	CHECK_EQ(box_give(job, 0, 0, 1), WEIR_REASON_GENERATION);
	CHECK_EQ(box.sent, 0);
	box_down();
}

/* The root: two boxes with ranks 0, 1 and 2, 3. */
static void rooted(void)
{
	setup(2, 4, false);
	CHECK_EQ(join_box(0, 21, 0, 0x3), 0);
	CHECK_EQ(join_box(1, 22, 0, 0xc), 0);
	CHECK_EQ(join_box(0, 21, 0, 0x3), 0);
	CHECK(job->joined);
	CHECK_EQ(box.sent, 2);
	box_forget();
}

/* A box's sum of one gradient; @ranks: of one that is degraded, those in it. */
static int give_sum(u16 source, u32 block, u8 flags, u16 weight, u32 grad, u32 ranks)
{
	struct weir_contrib c = box_contrib(job, source, block, 1);
	__be32 body[2] = { htonl(grad), htonl(ranks) };

	c.flags |= WEIR_CONTRIB_UP;
	c.weight = weight;
	c.said[0] = flags;
	return hand_over(&c, body, flags & WEIR_TRIO_DEGRADED ? 8 : 4);
}

/* Report the ranks behind a box that are dead or excluded, the first 32 of them as bits. */
static int say_gone(u16 source, u16 generation, u32 dead, u32 excluded)
{
	struct weir_contrib c = box_contrib(job, source, 0, 0);
	__be32 bits[3 * WEIR_BITMAP_WORDS] = { htonl(dead), [WEIR_BITMAP_WORDS] = htonl(excluded) };

	c.flags = WEIR_CONTRIB_JOIN | WEIR_CONTRIB_UP | WEIR_CONTRIB_JOINED;
	c.said[0] = WEIR_TRIO_NOTICE;
	c.generation = generation;
	return hand_over(&c, bits, sizeof(bits));
}

static void check_notice(const struct box_sent *p, u32 dead, u32 excluded)
{
	CHECK_EQ(p->hdr.flags, WEIR_TRIO_NOTICE);
	CHECK_EQ(ntohl(p->notice.dead[0]), dead);
	CHECK_EQ(ntohl(p->notice.excluded[0]), excluded);
}

static u32 dead_ranks(void)
{
	DECLARE_BITMAP(dead, WEIR_RANKS_MAX);
	DECLARE_BITMAP(excluded, WEIR_RANKS_MAX);

	weir_notice_gone_ranks(job, dead, excluded);
	return dead[0];
}

/* A worker of one rack is dead: the root hears of it, and those of all other racks. */
static void level_dead_ranks_of_a_box_below(void)
{
	u16 generation;

	rooted();
	mock_ns += NSEC_PER_SEC;
	generation = weir_blocks_generation(&job->blocks);
	/* It does not speak for rank 2, which is behind the other box. */
	CHECK_EQ(say_gone(0, generation, 0x6, 0x4), 0);
	CHECK_EQ(box.sent, 2);
	check_notice(&box.packet[0], 0x2, 0);
	check_notice(&box.packet[1], 0x2, 0);
	CHECK_EQ(dead_ranks(), 0x2);
	/* One packet is not to cause many, over and over; but what it says holds. */
	CHECK_EQ(say_gone(1, generation, 0x8, 0x8), 0);
	CHECK_EQ(box.sent, 2);
	CHECK_EQ(dead_ranks(), 0xa);
	mock_ns += 50 * NSEC_PER_MSEC;
	CHECK_EQ(say_gone(0, generation, 0, 0), 0);
	CHECK_EQ(box.sent, 4);
	check_notice(&box.packet[3], 0x8, 0x8);
	/* All that is of the generation, and of boxes that are in it. */
	CHECK_EQ(say_gone(0, generation + 1, 0x1, 0), WEIR_REASON_GENERATION);
	CHECK_EQ(dead_ranks(), 0x8);
	join_box(0, 31, 0, 0x3);
	join_box(1, 32, 0, 0xc);
	join_box(0, 31, 0, 0x3);
	CHECK_EQ(dead_ranks(), 0);
	box_down();
}

/* Of who has not shown that it hears, or in a job of one box, a notice changes nothing. */
static void level_notices_of_strangers(void)
{
	setup(2, 4, false);
	CHECK_EQ(say_gone(0, 0, 0x1, 0), WEIR_REASON_JOIN);
	CHECK_EQ(box.sent, 0);
	box_down();

	box_up();
	job = box_job(7, 2, 8, 16);
	CHECK_EQ(say_gone(0, 0, 0x1, 0), WEIR_REASON_JOIN);
	CHECK_EQ(box.sent, 0);
	box_down();
}

static void level_dead_ranks_go_up(void)
{
	begun();
	job->watch.watched[1].state = WEIR_SOURCE_STATE_EXCLUDED;
	set_bit(1, job->blocks.excluded);
	weir_notice_up(job);
	CHECK_EQ(box.sent, 1);
	CHECK(went_up(&box.packet[0]));
	check_notice(&box.packet[0], 0x2, 0x2);
	CHECK_EQ(box.packet[0].hdr.gen_id[1], 77);
	box_down();

	/* Nobody is above a root. */
	rooted();
	weir_notice_up(job);
	CHECK_EQ(box.sent, 0);
	box_down();
}

/* The parent's bits for this box's own ranks are ignored: it has them from this box. */
static void level_dead_ranks_come_down(void)
{
	__be32 bits[3 * WEIR_BITMAP_WORDS] = { htonl(0xd) };
	struct weir_contrib c;

	begun();
	mock_ns += NSEC_PER_SEC;
	c = from_parent(9, WEIR_TRIO_NOTICE, 0);
	c.generation = 77;
	CHECK_EQ(hand_over(&c, bits, sizeof(bits)), 0);
	CHECK_EQ(dead_ranks(), 0xc);
	/* Without bitmaps it says nothing of them; and there are four ranks. */
	CHECK_EQ(hand_over(&c, NULL, 0), 0);
	CHECK_EQ(dead_ranks(), 0xc);
	bits[0] = htonl(0x1c);
	CHECK_EQ(hand_over(&c, bits, sizeof(bits)), 0);
	CHECK_EQ(dead_ranks(), 0);
	box_down();
}

/* A box knows when its parent goes on without it. */
static void level_timeout_of_the_parent(void)
{
	struct weir_join answer = { .blocks = htonl(4), .cookie = cpu_to_be64(20 * NSEC_PER_MSEC) };

	setup(2, 4, true);
	join_both();
	answer.nonce = box.packet[0].join.nonce;
	CHECK_EQ(parent_answers(0, 77, 0, &answer), 0);
	CHECK_EQ(job->parent->timeout, 20 * NSEC_PER_MSEC);
	/* Its workers are told its own. */
	CHECK_EQ(box.packet[1].join.cookie, 0);
	job->scan.timeout = 10 * NSEC_PER_MSEC;
	job->scan.answer = true;
	join(1, 12);
	CHECK_EQ(be64_to_cpu(box.packet[3].join.cookie), 10 * NSEC_PER_MSEC);
	box_down();
}

/* Sources 0 and 1 join, which can send and receive little-endian gradients, or one cannot. */
static void join_little(bool second)
{
	struct weir_join join[2] = {
		{ .nonce = 11, .features = WEIR_JOIN_LITTLE, .member = htons(1) },
		{ .nonce = 12, .features = second ? WEIR_JOIN_LITTLE : 0, .member = htons(2) },
	};
	unsigned int i;

	for (i = 0; i < 3; i++) {
		join[i & 1].ranks = htonl(job->map->ranks);
		join[i & 1].grads = htonl(job->grads);
		box_join_as(job, i & 1, 0, &join[i & 1]);
	}
}

/* A box joins as a worker does, and its workers have the byte order of the parent's generation. */
static void level_byte_order_is_the_parents(void)
{
	struct weir_join answer = { .blocks = htonl(4), .grads = htonl(12) };
	struct weir_contrib c;
	const u32 sum = 0x04030201;
	unsigned int i;

	for (i = 0; i < 4; i++) {
		bool all = i & 1, parent = i & 2;

		setup(2, 4, true);
		join_little(all);
		CHECK_EQ(box.packet[box.sent - 1].join.features, all ? WEIR_JOIN_LITTLE : 0);
		answer.nonce = box.packet[box.sent - 1].join.nonce;
		answer.features = WEIR_JOIN_ACKS | WEIR_JOIN_SHARES | (parent ? WEIR_JOIN_LITTLE : 0);
		CHECK_EQ(parent_answers(0, 77, 0, &answer), 0);
		CHECK_EQ(box.packet[box.sent - 1].join.features, answer.features);
		box_down();
	}
	setup(2, 4, true);
	join_little(true);
	answer.nonce = box.packet[box.sent - 1].join.nonce;
	CHECK_EQ(parent_answers(0, 77, 0, &answer), 0);
	box_forget();
	for (i = 0; i < 2; i++) {
		c = box_contrib(job, i, 0, 1);
		c.flags |= WEIR_CONTRIB_LITTLE;
		CHECK_EQ(box_send(&c, &(s32){ 0x10000000 << i }, 0), 0);
	}
	CHECK_EQ(box.sent, 1);
	CHECK_EQ(box.packet[0].hdr.flags, WEIR_TRIO_LITTLE);
	CHECK(!memcmp(box.packet[0].pages[0]->data, "\x30\0\0\0", 4));
	/* The parent's result is passed on as it is. */
	c = from_parent(0, WEIR_TRIO_LITTLE, 1);
	c.flags |= WEIR_CONTRIB_LITTLE;
	CHECK_EQ(hand_over(&c, &sum, sizeof(sum)), 0);
	CHECK_EQ(box.sent, 3);
	CHECK_EQ(box.packet[1].hdr.flags, WEIR_TRIO_LITTLE);
	CHECK(!memcmp(box.packet[1].pages[0]->data, &sum, 4));
	box_down();
}

static void level_root_sums_boxes(void)
{
	rooted();
	CHECK_EQ(give_sum(0, 3, 0, 2, 7, 0), 0);
	CHECK_EQ(box.sent, 0);
	CHECK_EQ(give_sum(1, 3, 0, 2, 8, 0), 0);
	CHECK_EQ(box.sent, 2);
	CHECK_EQ(box.packet[0].hdr.flags, 0);
	CHECK_EQ(box.packet[0].hdr.src_cnt, 4);
	CHECK_EQ(box_result(&box.packet[0], 0), 15);
	box_down();
}

static void level_root_states_ranks(void)
{
	rooted();
	CHECK_EQ(give_sum(0, 3, WEIR_TRIO_DEGRADED | WEIR_TRIO_AGED | WEIR_TRIO_OVERFLOW, 1, 7, 0x2), 0);
	CHECK_EQ(give_sum(1, 3, WEIR_TRIO_UNLIKE, 2, 8, 0), 0);
	CHECK_EQ(box.packet[0].hdr.flags,
		 WEIR_TRIO_DEGRADED | WEIR_TRIO_OVERFLOW | WEIR_TRIO_UNLIKE);
	CHECK_EQ(box.packet[0].hdr.src_cnt, 3);
	CHECK_EQ(box.packet[0].mask_len, 4);
	CHECK_EQ(box.packet[0].mask[0], 0xe);
	box_down();
}

static void level_sums_that_cannot_be(void)
{
	rooted();
	/* Another number of ranks than it has joined with. */
	CHECK_EQ(give_sum(0, 3, 0, 1, 7, 0), WEIR_REASON_WEIGHT);
	CHECK_EQ(give_sum(0, 3, 0, 3, 7, 0), WEIR_REASON_WEIGHT);
	CHECK_EQ(box_give(job, 0, 3, 7), WEIR_REASON_WEIGHT);
	/* Ranks of another box, none, or others than it counts. */
	CHECK_EQ(give_sum(0, 3, WEIR_TRIO_DEGRADED, 1, 7, 0x4), WEIR_REASON_WEIGHT);
	CHECK_EQ(give_sum(0, 3, WEIR_TRIO_DEGRADED, 0, 7, 0), WEIR_REASON_WEIGHT);
	CHECK_EQ(give_sum(0, 3, WEIR_TRIO_DEGRADED, 2, 7, 0x1), WEIR_REASON_WEIGHT);
	CHECK_EQ(weir_blocks_open(&job->blocks), 0);
	box_down();

	/* A job of one box has no sums. */
	box_up();
	job = box_job(7, 2, 8, 16);
	CHECK_EQ(give_sum(0, 3, 0, 1, 7, 0), WEIR_REASON_WEIGHT);
	box_down();
}

static void check_refused(u16 ranks, u16 member)
{
	const struct box_sent *p = &box.packet[box.sent - 1];

	CHECK_EQ(p->hdr.flags, WEIR_TRIO_CONTROL | WEIR_TRIO_DEGRADED);
	CHECK_EQ(ntohl(p->join.ranks), ranks);
	CHECK_EQ(ntohs(p->join.member), member);
}

/* A rank that two have, ranks that are not there, and boxes that name none or too many. */
static void level_joins_that_do_not_fit(void)
{
	setup(3, 6, false);
	CHECK_EQ(join_box(0, 21, 0, 0x3), 0);
	CHECK_EQ(join_box(1, 22, 0, 0x6), WEIR_REASON_JOIN);
	check_refused(6, 2);
	CHECK_EQ(join_rank(1, 22, 1), WEIR_REASON_JOIN);
	check_refused(6, 1);
	CHECK_EQ(join_box(1, 22, 0, 0), WEIR_REASON_JOIN);
	CHECK_EQ(join_box(1, 22, 0, 0x40), WEIR_REASON_JOIN);
	CHECK_EQ(join_rank(1, 22, 7), WEIR_REASON_JOIN);
	CHECK_EQ(join_box(1, 22, 0, 0xc), 0);
	CHECK_EQ(join_box(0, 21, 0, 0x3), 0);
	/* All sources have come, but not all ranks: each that says so again is told. */
	CHECK_EQ(join_rank(2, 23, 5), 0);
	CHECK_EQ(join_box(1, 22, 0, 0xc), 0);
	CHECK_EQ(join_box(0, 21, 0, 0x3), WEIR_REASON_JOIN);
	check_refused(5, 0);
	CHECK_EQ(join_rank(2, 23, 5), WEIR_REASON_JOIN);
	check_refused(5, 0);
	CHECK(!job->joined);
	CHECK_EQ(join_box(2, 24, 0, 0x30), 0);
	CHECK_EQ(join_box(1, 22, 0, 0xc), 0);
	CHECK_EQ(join_box(0, 21, 0, 0x3), 0);
	CHECK(job->joined);
	box_down();

	/* Nor is there a rank of one box that is not its source's. */
	box_up();
	job = box_job(7, 2, 8, 16);
	CHECK_EQ(box_join_as(job, 0, 0, &(struct weir_join) {
		.nonce = 1, .ranks = htonl(2), .grads = htonl(8), .member = htons(2),
	}), WEIR_REASON_JOIN);
	CHECK_EQ(box_join_as(job, 0, 0, &(struct weir_join) {
		.nonce = 1, .ranks = htonl(2), .grads = htonl(8), .member = htons(1),
	}), 0);
	box_down();
}

/* Workers may change places when all of them start anew. */
static void level_ranks_change_places(void)
{
	setup(2, 2, false);
	join_both();
	CHECK_EQ(box.generations, 1);
	CHECK_EQ(join_rank(0, 13, 2), 0);
	CHECK_EQ(join_rank(1, 14, 1), 0);
	CHECK_EQ(join_rank(0, 13, 2), 0);
	CHECK_EQ(box.generations, 2);
	CHECK(test_bit(1, weir_rank_map_of(job->map, 0)));
	box_down();
}

/*
 * A box that was set up anew says the number that it has had: it goes on where its workers do. One
 * that has not heard the answer yet begins where all others do.
 */
static void level_box_comes_back(void)
{
	rooted();
	CHECK_EQ(join_box(0, 21, 2, 0x3), 0);
	CHECK_EQ(box.sent, 1);
	CHECK_EQ(box_block(&box.packet[0]), 0);
	CHECK_EQ(give_sum(0, 3, 0, 2, 7, 0), 0);
	CHECK_EQ(join_box(0, 21, 2, 0x3), 0);
	CHECK_EQ(box.sent, 2);
	CHECK_EQ(box_block(&box.packet[1]), 2);
	CHECK_EQ(box.generations, 1);
	box_down();
}

/* Workers of a box that is gone move to another one, and are not gone with the first one. */
static void level_ranks_of_a_box_that_is_gone(void)
{
	DECLARE_BITMAP(dead, WEIR_RANKS_MAX);
	DECLARE_BITMAP(excluded, WEIR_RANKS_MAX);

	rooted();
	set_bit(1, job->blocks.excluded);
	CHECK_EQ(join_box(0, 31, 0, 0x3), 0);
	mock_run(mock_ns + 10 * NSEC_PER_SEC);
	CHECK_EQ(join_box(0, 31, 0, 0xf), 0);
	CHECK_EQ(box.generations, 2);
	weir_notice_gone_ranks(job, dead, excluded);
	CHECK_EQ(dead[0], 0);
	CHECK_EQ(excluded[0], 0);
	CHECK_EQ(give_sum(0, 3, 0, 4, 7, 0), 0);
	box_down();
}

/* A notice names ranks: of a source that is gone, all those behind it. */
static void level_notice_names_ranks(void)
{
	rooted();
	job->watch.watched[1].state = WEIR_SOURCE_STATE_DEAD;
	set_bit(1, job->blocks.excluded);
	mock_ns += NSEC_PER_SEC;
	CHECK_EQ(give_sum(1, 3, 0, 2, 7, 0), WEIR_REASON_EXCLUDED);
	CHECK_EQ(box.sent, 1);
	check_notice(&box.packet[0], 0xc, 0xc);
	clear_bit(1, job->blocks.excluded);
	box_down();
}

/* 4,096 ranks behind sources of one box: the counts are modulo 256, the bitmaps have them all. */
static void level_as_many_ranks_as_there_may_be(void)
{
	DECLARE_BITMAP(ranks, WEIR_RANKS_MAX) = {};
	unsigned int i;

	setup(2, WEIR_RANKS_MAX, false);
	bitmap_set(ranks, 0, 2048);
	spin_lock(&job->join.lock);
	job->join.joiner[0].is_alive = true;
	CHECK_EQ(job->map->ops->claim(job->map, &job->join, 0, ranks), 0);
	bitmap_zero(ranks, WEIR_RANKS_MAX);
	bitmap_set(ranks, 2048, 2048);
	CHECK_EQ(job->map->ops->claim(job->map, &job->join, 1, ranks), 0);
	job->join.joiner[1].is_alive = true;
	job->map->ops->begin(job->map, &job->join);
	spin_unlock(&job->join.lock);
	box_all_joined(job);
	weir_blocks_begin(&job->blocks, 77, 0);
	job->blocks.quorum = 1;
	CHECK_EQ(give_sum(1, 3, 0, 0, 7, 0), 0);
	CHECK_EQ(box.sent, 2);
	CHECK_EQ(box.packet[0].hdr.flags, WEIR_TRIO_DEGRADED);
	CHECK_EQ(box.packet[0].hdr.src_cnt, 0);
	CHECK_EQ(box.packet[0].mask_len, 512);
	for (i = 0; i < 128; i++)
		CHECK_EQ(box.packet[0].mask[i], i < 64 ? 0 : ~0u);
	box_down();
}

/* Each part of such a job that needs memory fails once, and nothing is left. */
static void level_short_of_memory(void)
{
	struct netlink_ext_ack extack = { };
	struct weir_job_config cfg;
	long fail, left;

	for (fail = 0;; fail++) {
		box_up();
		cfg = box_config(&weir_format_trio, 7, 2, 4, 16);
		cfg.blocks.ranks = 70;
		cfg.blocks.above = true;
		cfg.has_parent = true;
		cfg.parent.addr = box_addr(PARENT);
		mock_fail_after = fail;
		job = weir_job_add(&box.wn, &cfg, &extack);
		left = mock_fail_after;
		mock_fail_after = -1;
		box_down();
		if (left >= 0)
			break;
		CHECK_EQ(PTR_ERR(job), -ENOMEM);
	}
	CHECK(fail > 8);
}

const struct ktap_test level_tests[] = {
	KTAP_TEST(level_join_goes_up),
	KTAP_TEST(level_number_is_made_of_the_workers),
	KTAP_TEST(level_generation_is_the_parents),
	KTAP_TEST(level_cookie_of_the_parent),
	KTAP_TEST(level_refusal_comes_down),
	KTAP_TEST(level_late_answer_is_ignored),
	KTAP_TEST(level_sum_goes_up),
	KTAP_TEST(level_result_comes_down),
	KTAP_TEST(level_room_is_the_least),
	KTAP_TEST(level_marks_go_both_ways),
	KTAP_TEST(level_question_goes_up),
	KTAP_TEST(level_box_that_waits_is_there),
	KTAP_TEST(level_parent_wants_the_sum_again),
	KTAP_TEST(level_parents_reply_comes_down),
	KTAP_TEST(level_evicted_result_is_reported),
	KTAP_TEST(level_result_of_an_open_block),
	KTAP_TEST(level_degraded_sum_goes_up),
	KTAP_TEST(level_degraded_sums_go_up_merged),
	KTAP_TEST(level_exponents_and_flags_go_both_ways),
	KTAP_TEST(level_down_is_the_parents_alone),
	KTAP_TEST(level_down_of_a_wrong_length),
	KTAP_TEST(level_parent_is_new),
	KTAP_TEST(level_notices_come_down),
	KTAP_TEST(level_notices_while_a_join_waits),
	KTAP_TEST(level_takes_joined_workers_alone),
	KTAP_TEST(level_dead_ranks_of_a_box_below),
	KTAP_TEST(level_notices_of_strangers),
	KTAP_TEST(level_dead_ranks_go_up),
	KTAP_TEST(level_dead_ranks_come_down),
	KTAP_TEST(level_timeout_of_the_parent),
	KTAP_TEST(level_byte_order_is_the_parents),
	KTAP_TEST(level_root_sums_boxes),
	KTAP_TEST(level_root_states_ranks),
	KTAP_TEST(level_sums_that_cannot_be),
	KTAP_TEST(level_joins_that_do_not_fit),
	KTAP_TEST(level_ranks_change_places),
	KTAP_TEST(level_box_comes_back),
	KTAP_TEST(level_ranks_of_a_box_that_is_gone),
	KTAP_TEST(level_notice_names_ranks),
	KTAP_TEST(level_as_many_ranks_as_there_may_be),
	KTAP_TEST(level_short_of_memory),
};
SUITE_END(level);

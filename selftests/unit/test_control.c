// SPDX-License-Identifier: GPL-2.0
/* The box's packets: results, replies, answers and notices, to the byte. */
#include "box.h"
#include "agg/member/notice.h"
#include "unit.h"

static struct weir_job *job;

static void setup(u16 sources)
{
	box_up();
	job = box_job(7, sources, 8, 16);
}

static bool has_bit(const __be32 *words, unsigned int source)
{
	return ntohl(words[source / 32]) >> source % 32 & 1;
}

/* Return the number of bits set in a status message's bitmap. */
static int weight(const __be32 *words)
{
	int i, n = 0;

	for (i = 0; i < WEIR_BITMAP_WORDS; i++)
		n += __builtin_popcount(words[i]);
	return n;
}

/* All contribute to block 3 but the first and the last, and it is answered. */
static const struct box_sent *degraded_result(u16 sources)
{
	u16 i;

	setup(sources);
	box_all_joined(job);
	job->blocks.quorum = sources - 2;
	for (i = 1; i < sources - 1; i++)
		CHECK_EQ(box_give(job, i, 3, i), 0);
	CHECK_EQ(box.sent, sources);
	return &box.packet[sources - 1];
}

static void check_bitmap(u16 sources, unsigned int bytes)
{
	const struct box_sent *p = degraded_result(sources);
	unsigned int i;

	CHECK_EQ(p->hdr.flags, WEIR_TRIO_DEGRADED);
	CHECK_EQ(p->hdr.src_cnt, sources - 2);
	CHECK_EQ(p->mask_len, bytes);
	for (i = 0; i < 8 * bytes; i++)
		CHECK_EQ(p->mask[i / 32] >> i % 32 & 1,
			 i > 0 && i + 1 < sources);
	CHECK_EQ(box_counter(WEIR_C_DEGRADED), 1);
	box_down();
}

/* As many words as the job's sources need, behind the sums. */
static void control_bitmap_of_contributors(void)
{
	check_bitmap(3, 4);
	check_bitmap(32, 4);
	check_bitmap(33, 8);
	check_bitmap(65, 12);
	check_bitmap(256, 32);
}

static void control_whole_result_has_no_bitmap(void)
{
	setup(3);
	box_give(job, 0, 3, 1);
	box_give(job, 1, 3, 1);
	box_give(job, 2, 3, 1);
	CHECK_EQ(box.sent, 3);
	CHECK_EQ(box.packet[0].hdr.flags, 0);
	CHECK_EQ(box.packet[0].mask_len, 0);
	CHECK_EQ(box.packet[0].len, 4);
	box_down();
}

/* The same bits again, for any source and any question. */
static void control_repeats_are_the_same(void)
{
	struct box_sent first = *degraded_result(3), *p = &box.packet[3];
	s32 sum = box_result(&first, 0);
	unsigned int i;

	CHECK_EQ(box_give(job, 0, 3, 99), 0);
	CHECK_EQ(box_give(job, 0, 3, 99), 0);
	CHECK_EQ(box_give(job, 1, 3, 99), 0);
	CHECK_EQ(box_ask(job, 2, 3), 0);
	CHECK_EQ(box.sent, 7);
	for (i = 0; i < 4; i++, p++) {
		CHECK(!memcmp(&p->hdr, &first.hdr, sizeof(p->hdr)));
		CHECK_EQ(p->mask_len, 4);
		CHECK_EQ(p->mask[0], first.mask[0]);
		CHECK_EQ(box_result(p, 0), sum);
	}
	CHECK_EQ(box_counter(WEIR_C_REPEATS), 4);
	CHECK_EQ(box_counter(WEIR_C_LATE), 1);
	CHECK_EQ(box_counter(WEIR_C_QUERIES), 1);
	CHECK_EQ(box_counter(WEIR_C_CONTRIBUTIONS), 1);
	box_down();
}

static void check_reply(u16 source, u32 block, u8 flags, u8 count)
{
	struct in6_addr to = box_addr(source + 1);
	const struct box_sent *p = &box.packet[0];

	box_forget();
	CHECK_EQ(box_ask(job, source, block), 0);
	CHECK_EQ(box.sent, 1);
	CHECK(ipv6_addr_equal(&p->to, &to));
	CHECK_EQ(p->hdr.flags, flags);
	CHECK_EQ(p->hdr.src_id, source);
	CHECK_EQ(p->hdr.src_cnt, count);
	CHECK_EQ(box_block(p), block);
	CHECK_EQ(p->hdr.grad_cnt[0] << 8 | p->hdr.grad_cnt[1],
		 WEIR_TRIO_DOWN);
	CHECK_EQ(p->len + p->mask_len, 0);
}

static void control_replies(void)
{
	setup(3);
	weir_blocks_advance(&job->blocks, 0x1234, 0);
	check_reply(1, 3, WEIR_TRIO_WANTED, 0);
	CHECK_EQ(box.packet[0].hdr.gen_id[0], 0x12);
	CHECK_EQ(box.packet[0].hdr.gen_id[1], 0x34);
	box_give(job, 1, 3, 1);
	check_reply(1, 3, 0, 1);
	check_reply(2, 3, WEIR_TRIO_WANTED, 1);
	box_give(job, 2, 3, 1);
	check_reply(0, 3, WEIR_TRIO_WANTED, 2);
	CHECK_EQ(box_counter(WEIR_C_REPLIES), 4);
	CHECK_EQ(box_counter(WEIR_C_QUERIES), 4);
	CHECK_EQ(weir_source_get(job, 1)->stats->c[WEIR_C_REPLIES], 2);
	/* Nothing was opened by asking. */
	CHECK_EQ(weir_blocks_open(&job->blocks), 1);
	box_down();
}

/* A longer question has the contributors named, where the source hears. */
static void control_reply_names_who_is_in(void)
{
	struct weir_contrib c;
	int hears;

	setup(70);
	box_give(job, 1, 3, 1);
	box_give(job, 69, 3, 1);
	for (hears = 0; hears < 2; hears++) {
		weir_source_get(job, 1)->hears = hears;
		box_forget();
		box_ask(job, 1, 3);
		c = box_contrib(job, 1, 3, 0);
		c.flags |= WEIR_CONTRIB_EXPONENT;
		CHECK_EQ(box_send(&c, NULL, 0), 0);
		CHECK_EQ(box.sent, 2);
		CHECK_EQ(box.packet[0].mask_len, 0);
		CHECK_EQ(box.packet[1].mask_len, hears ? 12 : 0);
		CHECK_EQ(box.packet[1].hdr.src_cnt, 2);
	}
	CHECK_EQ(box.packet[1].mask[0], 1 << 1);
	CHECK_EQ(box.packet[1].mask[1], 0);
	CHECK_EQ(box.packet[1].mask[2], 1 << 5);

	/* Nobody is in a block that is not there. */
	c.block = 2;
	CHECK_EQ(box_send(&c, NULL, 0), 0);
	CHECK_EQ(box.packet[2].hdr.flags, WEIR_TRIO_WANTED);
	CHECK_EQ(box.packet[2].mask_len, 12);
	CHECK_EQ(box.packet[2].mask[0] | box.packet[2].mask[1] | box.packet[2].mask[2], 0);
	box_down();
}

/* A source that waits for long is told which others do. */
static void control_long_join_is_told(void)
{
	setup(3);
	box_join(job, 0, 1);
	box_join(job, 2, 3);
	CHECK_EQ(box.sent, 0);
	mock_ns += NSEC_PER_SEC;
	box_join(job, 2, 3);
	CHECK_EQ(box.sent, 1);
	CHECK_EQ(box.packet[0].hdr.flags, WEIR_TRIO_NOTICE | WEIR_TRIO_DEGRADED);
	CHECK_EQ(box.packet[0].hdr.src_id, 2);
	CHECK(has_bit(box.packet[0].notice.waiting, 0) && has_bit(box.packet[0].notice.waiting, 2));
	CHECK_EQ(weight(box.packet[0].notice.waiting), 2);
	box_down();
}

static void control_notice(void)
{
	const struct box_sent *p = &box.packet[0];
	struct in6_addr to = box_addr(201);

	setup(256);
	weir_source_get(job, 200)->hears = true;
	weir_blocks_advance(&job->blocks, 77, 0);
	job->watch.watched[37].state = WEIR_SOURCE_STATE_DEAD;
	job->watch.watched[255].state = WEIR_SOURCE_STATE_EXCLUDED;
	set_bit(255, job->blocks.excluded);
	box_join(job, 64, 1);
	weir_notice(job, 200, 0x01020304);
	CHECK_EQ(box.sent, 1);
	CHECK(ipv6_addr_equal(&p->to, &to));
	CHECK_EQ(p->hdr.flags, WEIR_TRIO_NOTICE | WEIR_TRIO_DEGRADED);
	CHECK_EQ(p->hdr.src_id, 200);
	CHECK_EQ(p->hdr.src_cnt, 0);
	CHECK_EQ(p->hdr.gen_id[1], 77);
	CHECK_EQ(box_block(p), 0x01020304);
	CHECK(has_bit(p->notice.dead, 37) && has_bit(p->notice.dead, 255));
	CHECK_EQ(weight(p->notice.dead), 2);
	CHECK(has_bit(p->notice.excluded, 255));
	CHECK_EQ(weight(p->notice.excluded), 1);
	CHECK(has_bit(p->notice.waiting, 64));
	CHECK_EQ(weight(p->notice.waiting), 1);
	CHECK_EQ(box_counter(WEIR_C_NOTICES), 1);
	box_down();
}

/* A source that lacks an evicted result is told where it can continue. */
static void control_behind(void)
{
	const struct box_sent *p = &box.packet[0];

	setup(40);
	weir_notice_behind(job, 33, 9);
	CHECK_EQ(box.sent, 0);
	box_all_joined(job);
	weir_retention_opened(&job->blocks.retention, job->blocks.gens.base + 99);
	weir_notice_behind(job, 33, 9);
	CHECK_EQ(box.sent, 1);
	CHECK_EQ(p->hdr.flags, WEIR_TRIO_BEHIND);
	CHECK_EQ(p->hdr.src_id, 33);
	CHECK_EQ(box_block(p), 9);
	CHECK_EQ(ntohl(p->behind.oldest), 100 - job->blocks.size);
	CHECK_EQ(ntohl(p->behind.next), 100);
	CHECK_EQ(box_counter(WEIR_C_NOTICES), 1);
	box_down();
}

/* An acknowledgment is taken from a member of the generation, for blocks that are near. */
static void control_ack(void)
{
	struct weir_contrib c;

	setup(2);
	CHECK_EQ(box_ack(job, 0, 1, true), WEIR_REASON_GENERATION);
	box_all_joined(job);
	box_forget();
	CHECK_EQ(box_ack(job, 0, 1, true), 0);
	CHECK_EQ(box_ack(job, 0, 7, true), 0);
	CHECK_EQ(box_ack(job, 0, 8, true), WEIR_REASON_AHEAD);
	CHECK_EQ(box.sent, 0);
	CHECK_EQ(box_counter(WEIR_C_ACKS), 2);
	c = box_contrib(job, 0, 1, 0);
	c.flags |= WEIR_CONTRIB_JOINED | WEIR_CONTRIB_ACK;
	c.generation++;
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_GENERATION);
	CHECK_EQ(box.packet[0].hdr.flags, WEIR_TRIO_NOTICE);
	set_bit(0, job->blocks.excluded);
	CHECK_EQ(box_ack(job, 0, 2, true), WEIR_REASON_EXCLUDED);
	box_down();
}

/* The parser makes none of another format; a BPF program may. */
static void control_ack_of_another_format(void)
{
	struct weir_job_config cfg;
	struct weir_contrib c;

	box_up();
	cfg = box_config(&weir_format_switchml, 7, 2, 8, 64);
	c = box_contrib(box_job_of(&cfg), 0, 1, 0);
	c.format = WEIR_FORMAT_SWITCHML;
	c.dport = weir_format_switchml.udp;
	c.flags = WEIR_CONTRIB_UNNAMED | WEIR_CONTRIB_ACK;
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_FLAGS);
	box_down();
}

static void control_notice_to_all_who_have_joined(void)
{
	setup(3);
	weir_source_unbind(job, 1);
	weir_notice_all(job);
	weir_notice_members(job);
	CHECK_EQ(box.sent, 0);
	box_all_joined(job);
	weir_notice_all(job);
	CHECK_EQ(box.sent, 2);
	CHECK_EQ(box.packet[0].hdr.src_id, 0);
	CHECK_EQ(box.packet[1].hdr.src_id, 2);
	weir_notice(job, 1, 0);
	CHECK_EQ(box.sent, 2);
	box_down();
}

/* Sources 0 and 1 have joined, where blocks are sent with the joined bit. */
static void join_both(void)
{
	box_join(job, 0, 1);
	box_join(job, 1, 2);
	box_join(job, 0, 1);
	CHECK_EQ(box.generations, 1);
	box_forget();
}

static int give_joined(u16 source, u32 block, u16 generation)
{
	struct weir_contrib c = box_contrib(job, source, block, 1);

	c.flags = WEIR_CONTRIB_JOINED;
	c.generation = generation;
	return box_send(&c, NULL, 0);
}

/* Sources 0 and 1 join as workers that can send and receive little-endian gradients, or not. */
static void join_with(bool first, bool second)
{
	struct weir_join join[2] = {
		{ .nonce = 1, .features = first ? WEIR_JOIN_LITTLE : 0 },
		{ .nonce = 2, .features = second ? WEIR_JOIN_LITTLE : 0 },
	};
	unsigned int i;

	for (i = 0; i < 3; i++) {
		join[i & 1].ranks = htonl(2);
		join[i & 1].grads = htonl(job->grads);
		box_join_as(job, i & 1, 0, &join[i & 1]);
	}
	CHECK_EQ(box.generations, 1);
	CHECK_EQ(box.sent, 2);
}

/* 0x01020304 and 0x10203040, in one byte order or the other; the bytes of the result. */
static const u8 *sum_in(bool first, bool second)
{
	struct weir_contrib c = box_contrib(job, 0, 0, 1);
	s32 grad = first ? 0x04030201 : 0x01020304;

	box_forget();
	c.flags |= first ? WEIR_CONTRIB_LITTLE : 0;
	CHECK_EQ(box_send(&c, &grad, 0), 0);
	c = box_contrib(job, 1, 0, 1);
	c.flags |= second ? WEIR_CONTRIB_LITTLE : 0;
	grad = second ? 0x40302010 : 0x10203040;
	CHECK_EQ(box_send(&c, &grad, 0), first == second ? 0 : WEIR_REASON_COUNT);
	CHECK_EQ(box.sent, 2);
	return box.packet[0].pages[0]->data;
}

/* All workers and the job have to agree to little-endian gradients; results are as contributions. */
static void control_byte_order(void)
{
	unsigned int i;

	for (i = 0; i < 8; i++) {
		bool agreed = i == 7;

		setup(2);
		if (!(i & 4))
			job->settings.byte_order = WEIR_BYTE_ORDER_NETWORK;
		join_with(i & 1, i & 2);
		CHECK_EQ(box.packet[0].join.features & ~WEIR_JOIN_SHARES, WEIR_JOIN_ACKS | (agreed ? WEIR_JOIN_LITTLE : 0));
		CHECK_EQ(box.packet[1].join.features, box.packet[0].join.features);
		CHECK(!memcmp(sum_in(agreed, agreed), agreed ? "\x44\x33\x22\x11" : "\x11\x22\x33\x44", 4));
		CHECK_EQ(box.packet[0].hdr.flags, agreed ? WEIR_TRIO_LITTLE : 0);
		box_down();
	}
}

/* A contribution in another byte order is in no sum, and all workers are told. */
static void control_byte_orders_differ(void)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		setup(2);
		join_with(true, true);
		CHECK(!memcmp(sum_in(i, !i), i ? "\x04\x03\x02\x01" : "\x01\x02\x03\x04", 4));
		CHECK_EQ(box.packet[0].hdr.flags, WEIR_TRIO_UNLIKE | (i ? WEIR_TRIO_LITTLE : 0));
		box_down();
	}
}

/* The box was set up anew: it does not recognize its former generations. */
static void control_box_set_up_anew(void)
{
	setup(2);
	CHECK_EQ(give_joined(1, 5, weir_blocks_generation(&job->blocks)),
		 WEIR_REASON_GENERATION);
	CHECK_EQ(give_joined(1, 5, 4711), WEIR_REASON_GENERATION);
	CHECK_EQ(weir_blocks_generation(&job->blocks), 0);
	CHECK_EQ(box.sent, 2);
	CHECK_EQ(box.packet[0].hdr.flags, WEIR_TRIO_NOTICE | WEIR_TRIO_DEGRADED);
	CHECK_EQ(box_block(&box.packet[0]), 5);
	CHECK_EQ(box.packet[0].hdr.src_id, 1);
	CHECK_EQ(weight(box.packet[0].notice.dead), 0);
	box_down();
}

/* A worker that has joined gets a notice; it begins no generation by itself. */
static void control_another_generation_of_a_member(void)
{
	u16 generation;

	setup(2);
	join_both();
	generation = weir_blocks_generation(&job->blocks);
	CHECK_EQ(give_joined(0, 0, generation), 0);
	CHECK_EQ(give_joined(1, 0, generation - 1), WEIR_REASON_GENERATION);
	CHECK_EQ(give_joined(1, 0, generation + 1), WEIR_REASON_GENERATION);
	CHECK_EQ(weir_blocks_generation(&job->blocks), generation);
	CHECK_EQ(box.sent, 2);
	CHECK_EQ(box.packet[0].hdr.flags, WEIR_TRIO_NOTICE);
	CHECK_EQ(box.packet[0].hdr.gen_id[1], generation & 255);
	box_down();
}

/* No packet ends a generation that all have joined, however new its own. */
static void control_generation_of_a_joined_job(void)
{
	static const u16 ahead[] = { 1, 2, 32767, 32768, 65535 };
	struct weir_contrib c;
	unsigned int i;
	u16 generation;

	setup(2);
	join_both();
	generation = weir_blocks_generation(&job->blocks);
	for (i = 0; i < ARRAY_SIZE(ahead); i++) {
		c = box_contrib(job, 0, 0, 1);
		c.flags = 0;
		c.generation += ahead[i];
		CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_GENERATION);
	}
	CHECK_EQ(weir_blocks_generation(&job->blocks), generation);
	CHECK_EQ(box.sent, 0);
	CHECK_EQ(give_joined(0, 0, generation), 0);
	box_down();
}

/* A job that is new has no generation that another could be older than. */
static void control_first_generation_is_any(void)
{
	static const u16 first[] = { 0, 1, 32767, 32768, 65535 };
	struct weir_contrib c;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(first); i++) {
		setup(2);
		c = box_contrib(job, 0, 0, 1);
		c.generation = first[i];
		CHECK_EQ(box_send(&c, NULL, 0), 0);
		CHECK_EQ(weir_blocks_generation(&job->blocks), first[i]);
		c.generation = first[i] - 1;
		CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_GENERATION);
		box_down();
	}
}

/* A worker without joins begins newer ones, and gets no notice of older ones. */
static void control_generation_without_joins(void)
{
	struct weir_contrib c;

	setup(2);
	c = box_contrib(job, 0, 0, 1);
	c.generation = 5;
	CHECK_EQ(box_send(&c, NULL, 0), 0);
	CHECK_EQ(weir_blocks_generation(&job->blocks), 5);
	c.generation = 4;
	CHECK_EQ(box_send(&c, NULL, 0), WEIR_REASON_GENERATION);
	CHECK_EQ(box.sent, 0);
	box_down();
}

/*
 * Source 1 was away while the others continued: it gets a status message that the result of its block
 * was evicted. A contribution to a block that it has acknowledged gets none; a query does.
 */
static void control_stale(void)
{
	u32 b;

	setup(2);
	box_all_joined(job);
	weir_retention_leave(&job->blocks.retention, 1);
	job->blocks.quorum = 1;
	for (b = 0; b < 12; b++)
		box_give(job, 0, b, 1);
	box_forget();
	CHECK_EQ(box_give(job, 1, 2, 1), WEIR_REASON_STALE);
	CHECK_EQ(box.sent, 1);
	CHECK_EQ(box.packet[0].hdr.flags, WEIR_TRIO_BEHIND);
	CHECK_EQ(box_block(&box.packet[0]), 2);
	CHECK_EQ(box_ask(job, 1, 3), WEIR_REASON_STALE);
	CHECK_EQ(box.sent, 2);
	/* Old packets of a source that has gone on since. */
	box_give(job, 1, 8, 1);
	box_forget();
	CHECK_EQ(box_give(job, 1, 3, 1), WEIR_REASON_STALE);
	CHECK_EQ(box.sent, 0);
	CHECK_EQ(box_ask(job, 1, 3), WEIR_REASON_STALE);
	CHECK_EQ(box.sent, 1);
	CHECK_EQ(box.packet[0].hdr.flags, WEIR_TRIO_BEHIND);
	box_down();
}

/* A generation begins with the first block that any of its members lacks. */
static void control_answer_says_where_to_begin(void)
{
	struct weir_join join = { .ranks = htonl(2), .grads = htonl(16) };

	setup(2);
	join.nonce = 1;
	box_join_as(job, 0, 1000, &join);
	join.nonce = 2;
	box_join_as(job, 1, 990, &join);
	join.nonce = 1;
	box_join_as(job, 0, 1000, &join);
	CHECK_EQ(box.sent, 2);
	CHECK_EQ(box_block(&box.packet[0]), 990);
	CHECK_EQ(box_block(&box.packet[1]), 990);
	CHECK_EQ(box.packet[0].hdr.src_id, 0);
	CHECK_EQ(box.packet[1].hdr.src_id, 1);
	CHECK_EQ(box_counter(WEIR_C_ANSWERS), 2);
	CHECK_EQ(box_counter(WEIR_C_JOINS), 3);
	box_down();
}

/* Another CPU, which would wait where the lock is held. */
static void repeat_meanwhile(void)
{
	mock_meanwhile = NULL;
	CHECK(!test_bit(1, job->blocks.excluded));
	if (!job->join.lock.held)
		box_join(job, 1, 2);
}

/*
 * A join that is repeated just as the generation begins is not answered with the one
 * before, and a source excluded in that gets no notice in the new one.
 */
static void control_join_repeated_as_it_begins(void)
{
	unsigned int i;

	setup(2);
	box_join(job, 0, 1);
	job->watch.watched[1].state = WEIR_SOURCE_STATE_EXCLUDED;
	set_bit(1, job->blocks.excluded);
	box_join(job, 1, 2);
	mock_random = 4710;
	mock_meanwhile = repeat_meanwhile;
	box_join(job, 0, 1);
	mock_random = 0;
	CHECK(!mock_meanwhile);
	CHECK(box.sent >= 2);
	for (i = 0; i < box.sent; i++)
		CHECK_EQ(box.packet[i].hdr.gen_id[0] << 8 | box.packet[i].hdr.gen_id[1], 4711);
	box_down();
}

/* Bytes that have gone to a source's address. */
static unsigned int bytes_to(u16 source)
{
	struct in6_addr to = box_addr(source + 1);
	unsigned int i, n = 0;

	for (i = 0; i < box.sent; i++)
		if (ipv6_addr_equal(&box.packet[i].to, &to))
			n += box.packet[i].bytes;
	return n;
}

/* Answers to joins without a cookie; a worker with one joins once. */
static void control_join_is_challenged(void)
{
	struct weir_join join = {
		.nonce = 5, .ranks = htonl(1), .grads = htonl(16), .cookie = 1,
		.dtype = WEIR_DTYPE_INT32, .op = WEIR_OP_SUM,
		.format = WEIR_FORMAT_TRIO,
	};
	const struct box_sent *p = &box.packet[0];
	unsigned int i;

	setup(1);
	for (i = 0; i < 3; i++)
		CHECK_EQ(box_join_without(job, 0, 9, &join), 0);
	CHECK_EQ(box.sent, 3);
	for (i = 0; i < 3; i++, p++) {
		CHECK_EQ(p->hdr.flags, WEIR_TRIO_COOKIE);
		CHECK_EQ(p->hdr.src_id, 0);
		CHECK_EQ(p->join.nonce, 5);
		CHECK_EQ(ntohl(p->join.ranks), 1);
		CHECK(p->join.cookie == box.packet[0].join.cookie);
		CHECK_EQ(p->bytes, sizeof(struct weir_trio) + sizeof(join));
	}
	CHECK(!job->joined && !job->join.joiner[0].is_waiting);
	CHECK(!weir_source_hears(weir_source_get(job, 0)));
	CHECK_EQ(box.generations, 0);
	CHECK_EQ(box_counter(WEIR_C_JOINS), 3);
	CHECK_EQ(box_counter(WEIR_C_ANSWERS), 3);

	join.cookie = box.packet[0].join.cookie;
	box_forget();
	CHECK_EQ(box_join_without(job, 0, 9, &join), 0);
	CHECK_EQ(box.generations, 1);
	CHECK(weir_source_hears(weir_source_get(job, 0)));
	CHECK_EQ(box.packet[0].hdr.flags, WEIR_TRIO_CONTROL);
	CHECK(!box.packet[0].join.cookie);
	/* Not for another number. */
	join.nonce = 6;
	box_forget();
	CHECK_EQ(box_join_without(job, 0, 9, &join), 0);
	CHECK_EQ(box.packet[0].hdr.flags, WEIR_TRIO_COOKIE);
	CHECK_EQ(box.generations, 1);
	box_down();
}

/* A challenge tells a rank that looks for the others how many wait here now. */
static void control_challenge_counts_who_waits(void)
{
	const struct weir_join join = {
		.nonce = 5, .ranks = htonl(3), .grads = htonl(16), .format = WEIR_FORMAT_TRIO,
	};

	setup(3);
	CHECK_EQ(box_join_without(job, 2, 0, &join), 0);
	CHECK_EQ(box.packet[box.sent - 1].join.member, 0);
	CHECK_EQ(box_join(job, 0, 11), 0);
	CHECK_EQ(box_join(job, 1, 12), 0);
	CHECK_EQ(box_join_without(job, 2, 0, &join), 0);
	CHECK_EQ(box.packet[box.sent - 1].hdr.flags, WEIR_TRIO_COOKIE);
	CHECK_EQ(ntohs(box.packet[box.sent - 1].join.member), 2);
	/* A source that has not sent anything for two seconds has gone. */
	mock_ns += NSEC_PER_SEC;
	CHECK_EQ(box_join(job, 1, 12), 0);
	mock_ns += NSEC_PER_SEC;
	CHECK_EQ(box_join_without(job, 2, 0, &join), 0);
	CHECK_EQ(ntohs(box.packet[box.sent - 1].join.member), 1);
	CHECK_EQ(box.generations, 0);
	box_down();
}

/* A cookie is one source's, at one port of one address. */
static void control_cookie_is_of_one_source(void)
{
	struct weir_source_config other = {
		.addr = box_addr(77), .vlan = WEIR_VLAN_ANY,
	};
	struct weir_source *source;
	u64 cookie;

	setup(2);
	source = weir_source_get(job, 0);
	cookie = weir_source_cookie(source, 12000, 5);
	CHECK(cookie == weir_source_cookie(source, 12000, 5));
	CHECK(cookie != weir_source_cookie(source, 12001, 5));
	CHECK(cookie != weir_source_cookie(source, 12000, 6));
	CHECK(cookie != weir_source_cookie(weir_source_get(job, 1), 12000, 5));
	box_join(job, 0, 1);
	CHECK(weir_source_hears(source));
	/* Another rate is no other place. */
	other.addr = source->config.addr;
	other.rate.packets = 1000;
	other.rate.packets_burst = 1000;
	CHECK_EQ(weir_source_bind(job, 0, &other), 0);
	source = weir_source_get(job, 0);
	CHECK(weir_source_hears(source));
	CHECK(cookie == weir_source_cookie(source, 12000, 5));
	/* All else is. */
	other.vlan = 3;
	CHECK_EQ(weir_source_bind(job, 0, &other), 0);
	source = weir_source_get(job, 0);
	CHECK(!weir_source_hears(source));
	CHECK(cookie != weir_source_cookie(source, 12000, 5));
	box_join(job, 0, 1);
	other.addr = box_addr(78);
	CHECK_EQ(weir_source_bind(job, 0, &other), 0);
	CHECK(!weir_source_hears(weir_source_get(job, 0)));
	box_down();
}

/* A generation begins with a source that was bound to another address since its join. */
static void control_start_is_not_told_elsewhere(void)
{
	struct weir_source_config other = { .vlan = WEIR_VLAN_ANY, .addr = box_addr(78) };
	u16 i;

	setup(3);
	/* A new number makes the others repeat theirs. */
	for (i = 0; i < 3; i++)
		box_join(job, i, 1);
	box_join(job, 1, 1);
	CHECK(!job->joined);
	CHECK_EQ(weir_source_bind(job, 1, &other), 0);
	box_forget();
	box_join(job, 0, 1);
	CHECK(job->joined);
	CHECK(bytes_to(0) && bytes_to(2));
	CHECK_EQ(bytes_to(77), 0);
	box_down();
}

static struct weir_source *replaced;

static void hear_meanwhile(void)
{
	mock_meanwhile = NULL;
	WRITE_ONCE(replaced->hears, true);
}

static void heard_meanwhile(void)
{
	mock_meanwhile = NULL;
	CHECK(weir_source_get(job, 0) != replaced);
	CHECK(weir_source_hears(weir_source_get(job, 0)));
}

/* A join that finds a source whose rate is changed just now is not forgotten. */
static void control_hears_meanwhile(void)
{
	struct weir_source_config config;

	setup(2);
	replaced = weir_source_get(job, 0);
	config = replaced->config;
	mock_meanwhile = hear_meanwhile;
	CHECK_EQ(weir_source_bind(job, 0, &config), 0);
	CHECK(!mock_meanwhile);
	CHECK(weir_source_hears(weir_source_get(job, 0)));
	/* Nor for a moment. */
	replaced = weir_source_get(job, 0);
	mock_meanwhile = heard_meanwhile;
	CHECK_EQ(weir_source_bind(job, 0, &config), 0);
	CHECK(!mock_meanwhile);
	box_down();
}

/*
 * In the name of a source that has shown nothing no packet makes more go there than came
 * from there: each is answered with nothing, or with a packet that is no longer.
 */
static void control_no_more_than_came(void)
{
	static const u8 flags[] = { 0, WEIR_CONTRIB_JOINED };
	struct weir_join join = {
		.nonce = 5, .grads = htonl(16), .dtype = WEIR_DTYPE_INT32,
		.op = WEIR_OP_SUM, .format = WEIR_FORMAT_TRIO,
	};
	struct weir_contrib c;
	unsigned int kind, generation, block, sent;
	u16 to = 2;

	setup(3);
	box_join(job, 0, 1);
	box_join(job, 1, 1);
	job->blocks.quorum = 2;
	for (block = 0; block < 4; block++) {
		box_give(job, 0, block, 1);
		box_give(job, 1, block, 1);
	}
	box_give(job, 0, 4, 1);
	set_bit(to, job->blocks.excluded);
	for (kind = 0; kind < 24; kind++) {
		if (kind == 12)
			clear_bit(to, job->blocks.excluded);
		for (block = 0; block < 40; block++) {
			for (generation = 0; generation < 2; generation++) {
				c = box_contrib(job, to, block, kind % 2);
				c.flags = flags[kind / 2 % 2];
				c.generation -= generation;
				box_forget();
				box_send(&c, NULL, 0);
				sent = c.udp_len - sizeof(struct udphdr);
				CHECK(bytes_to(to) <= sent);
			}
		}
		if (kind == 6)
			job->joined = true;
	}
	join.ranks = htonl(3);
	for (kind = 0; kind < 4; kind++) {
		join.nonce = kind;
		join.cookie = kind % 2;
		if (kind == 3)
			join.grads = htonl(17);
		box_forget();
		box_join_without(job, to, 0, &join);
		sent = sizeof(struct weir_trio) + sizeof(join);
		CHECK_EQ(box.sent, 1);
		CHECK(bytes_to(to) <= sent);
	}
	/* Nor is it told of others. */
	box_forget();
	job->join.joiner[to].is_member = true;
	weir_notice_all(job);
	weir_notice_members(job);
	CHECK_EQ(bytes_to(to), 0);
	box_down();
}

/* Its contribution fetches the result that its question does not. */
static void control_result_for_a_contribution(void)
{
	struct weir_contrib c;

	setup(2);
	job->blocks.quorum = 1;
	box_give(job, 0, 3, 7);
	box_forget();
	CHECK_EQ(box_ask(job, 1, 3), 0);
	CHECK_EQ(box.sent, 1);
	CHECK_EQ(box.packet[0].hdr.flags, WEIR_TRIO_WANTED);
	CHECK_EQ(box.packet[0].hdr.src_cnt, 1);
	CHECK_EQ(box.packet[0].bytes, sizeof(struct weir_trio));
	CHECK_EQ(box_counter(WEIR_C_QUERIES), 1);
	CHECK_EQ(box_give(job, 1, 3, 9), 0);
	CHECK_EQ(box.sent, 2);
	CHECK_EQ(box.packet[1].hdr.flags, WEIR_TRIO_DEGRADED);
	CHECK_EQ(box_result(&box.packet[1], 0), 7);
	CHECK_EQ(box.packet[1].mask_len, 0);
	/* Of a generation that is over, too. */
	weir_blocks_advance(&job->blocks, 9, 0);
	c = box_contrib(job, 1, 3, 0);
	c.generation = 0;
	box_forget();
	CHECK_EQ(box_send(&c, NULL, 0), 0);
	CHECK_EQ(box.packet[0].hdr.flags, WEIR_TRIO_WANTED);
	CHECK_EQ(box.packet[0].hdr.gen_id[1], 0);
	/* To one that hears a question is enough. */
	weir_source_get(job, 1)->hears = true;
	box_forget();
	CHECK_EQ(box_send(&c, NULL, 0), 0);
	CHECK_EQ(box.packet[0].hdr.flags, WEIR_TRIO_DEGRADED);
	CHECK_EQ(box.packet[0].mask_len, 4);
	box_down();
}

/* A worker that claims to have joined gets a notice of a refusal, a header alone at first. */
static void control_notice_of_a_header(void)
{
	setup(2);
	CHECK_EQ(give_joined(1, 5, 4711), WEIR_REASON_GENERATION);
	CHECK_EQ(box.packet[0].hdr.flags, WEIR_TRIO_NOTICE | WEIR_TRIO_DEGRADED);
	CHECK_EQ(box.packet[0].bytes, sizeof(struct weir_trio));
	join_both();
	CHECK_EQ(give_joined(1, 5, weir_blocks_generation(&job->blocks) - 1),
		 WEIR_REASON_GENERATION);
	CHECK_EQ(box.packet[0].bytes,
		 sizeof(struct weir_trio) + sizeof(struct weir_notice));
	box_down();
}

/* The bitmap is for workers that have joined, in the same result. */
static void control_bitmap_for_who_has_joined(void)
{
	setup(3);
	job->blocks.quorum = 2;
	box_join(job, 1, 5);
	box_give(job, 0, 3, 1);
	box_give(job, 1, 3, 1);
	CHECK_EQ(box.sent, 3);
	CHECK_EQ(box.packet[0].mask_len, 0);
	CHECK_EQ(box.packet[1].mask_len, 4);
	CHECK_EQ(box.packet[1].mask[0], 3);
	CHECK_EQ(box.packet[2].mask_len, 0);
	CHECK_EQ(box.packet[2].hdr.flags, WEIR_TRIO_DEGRADED);
	box_down();
}

static void control_bitmap_for_a_group(void)
{
	struct in6_addr group = box_addr(200);

	setup(3);
	CHECK_EQ(weir_job_set(job, &group, NULL), 0);
	job->blocks.quorum = 2;
	box_give(job, 0, 3, 1);
	box_give(job, 1, 3, 1);
	CHECK_EQ(box.sent, 1);
	CHECK_EQ(box.packet[0].mask_len, 0);
	job->joined = true;
	box_give(job, 0, 2, 1);
	box_give(job, 1, 2, 1);
	CHECK_EQ(box.sent, 2);
	CHECK_EQ(box.packet[1].mask_len, 4);
	box_down();
}

const struct ktap_test control_tests[] = {
	KTAP_TEST(control_bitmap_of_contributors),
	KTAP_TEST(control_whole_result_has_no_bitmap),
	KTAP_TEST(control_repeats_are_the_same),
	KTAP_TEST(control_replies),
	KTAP_TEST(control_notice),
	KTAP_TEST(control_behind),
	KTAP_TEST(control_ack),
	KTAP_TEST(control_ack_of_another_format),
	KTAP_TEST(control_notice_to_all_who_have_joined),
	KTAP_TEST(control_byte_order),
	KTAP_TEST(control_byte_orders_differ),
	KTAP_TEST(control_box_set_up_anew),
	KTAP_TEST(control_another_generation_of_a_member),
	KTAP_TEST(control_generation_of_a_joined_job),
	KTAP_TEST(control_first_generation_is_any),
	KTAP_TEST(control_generation_without_joins),
	KTAP_TEST(control_stale),
	KTAP_TEST(control_answer_says_where_to_begin),
	KTAP_TEST(control_join_repeated_as_it_begins),
	KTAP_TEST(control_join_is_challenged),
	KTAP_TEST(control_challenge_counts_who_waits),
	KTAP_TEST(control_cookie_is_of_one_source),
	KTAP_TEST(control_start_is_not_told_elsewhere),
	KTAP_TEST(control_hears_meanwhile),
	KTAP_TEST(control_no_more_than_came),
	KTAP_TEST(control_result_for_a_contribution),
	KTAP_TEST(control_notice_of_a_header),
	KTAP_TEST(control_bitmap_for_who_has_joined),
	KTAP_TEST(control_reply_names_who_is_in),
	KTAP_TEST(control_long_join_is_told),
	KTAP_TEST(control_bitmap_for_a_group),
};
SUITE_END(control);

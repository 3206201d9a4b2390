// SPDX-License-Identifier: GPL-2.0
/* The block table: each rule by itself. */
#include "kernel.h"

#include "agg/base/payload.h"
#include "agg/slots/block.h"
#include "agg/type/reduce.h"
#include "agg/type/vector.h"
#include "unit.h"

static struct weir_blocks table;

static struct weir_blocks_config config(u32 size, u16 sources, u16 grads)
{
	return (struct weir_blocks_config) {
		.size = size, .slots = size, .sources = sources, .grads = grads,
		.reduction = weir_reduction_find(WEIR_DTYPE_INT32, WEIR_OP_SUM,
						 WEIR_ORDER_ARRIVAL),
	};
}

static void setup(u32 size, u16 sources, u16 grads)
{
	struct weir_blocks_config like = config(size, sources, grads);

	weir_vector_init();
	memset(&table, 0, sizeof(table));
	CHECK_EQ(weir_blocks_init(&table, &like), 0);
}

static void teardown(void)
{
	weir_blocks_uninit(&table);
	CHECK_EQ(mock_pages, 0);
	CHECK_EQ(mock_locks, 0);
}

struct outcome {
	int verdict;
	bool opened;
	bool abandoned;
	u64 lateness;
	struct weir_result res;
	s32 first;		/* gradient 0 of the result */
};

/* @count gradients, all of them @value. The result is put at once. */
static struct outcome contribute(u16 source, u32 block, u16 generation,
				 u16 count, s32 value)
{
	struct weir_block_key key = { .id = block, .generation = generation,
				      .source = source, .count = count };
	static u8 packet[4 * 2048];
	struct weir_payload pl = { .n = 1, .seg = { { packet, 4 * count } } };
	struct weir_outcome out = { };
	struct outcome o = { };
	u32 v = htonl(value);
	unsigned int i;

	for (i = 0; i < count; i++)
		memcpy(packet + 4 * i, &v, 4);
	if (weir_generation_after(generation, weir_blocks_generation(&table)))
		weir_blocks_advance(&table, generation, 0);
	o.verdict = weir_block_contribute(&table, &key, &pl, mock_ns, &out);
	o.opened = out.opened;
	o.abandoned = out.abandoned;
	o.lateness = out.lateness;
	if (o.verdict >= WEIR_VERDICT_COMPLETE) {
		o.res = out.res;
		o.first = get_unaligned_be32(o.res.pages[0]->data);
		CHECK_EQ(o.res.npages, DIV_ROUND_UP(count * 4, PAGE_SIZE));
		weir_result_put(&o.res);
	}
	return o;
}

#define VERDICT(v, ...) CHECK_EQ(contribute(__VA_ARGS__).verdict, v)
#define REFUSED(r, ...) VERDICT(-WEIR_REASON_##r, __VA_ARGS__)

static void block_completes(void)
{
	u64 start = mock_ns;
	struct outcome o;

	setup(4, 3, 1024);
	VERDICT(WEIR_VERDICT_SUMMED, 2, 9, 0, 1024, 5);
	CHECK_EQ(weir_blocks_open(&table), 1);
	VERDICT(WEIR_VERDICT_SUMMED, 0, 9, 0, 1024, -7);
	mock_ns += 70;
	o = contribute(1, 9, 0, 1024, 100);
	CHECK_EQ(o.verdict, WEIR_VERDICT_COMPLETE);
	CHECK_EQ(o.first, 98);
	CHECK_EQ(o.res.id, 9);
	CHECK_EQ(o.res.count, 1024);
	CHECK_EQ(o.res.received, 3);
	CHECK_EQ(o.res.overflow, 0);
	CHECK_EQ(o.res.start, start);
	CHECK_EQ(weir_blocks_open(&table), 0);
	teardown();
}

static void block_one_source(void)
{
	setup(1, 1, 1);
	VERDICT(WEIR_VERDICT_COMPLETE, 0, 0, 0, 1, 5);
	VERDICT(WEIR_VERDICT_REPEAT, 0, 0, 0, 1, 5);
	VERDICT(WEIR_VERDICT_COMPLETE, 0, 1, 0, 1, 5);
	REFUSED(STALE, 0, 0, 0, 1, 5);
	teardown();
}

static void block_refusals(void)
{
	struct outcome o;

	setup(4, 2, 16);
	weir_blocks_advance(&table, 7, 0);
	VERDICT(WEIR_VERDICT_SUMMED, 0, 5, 7, 16, 1);
	REFUSED(DUPLICATE, 0, 5, 7, 16, 1);
	REFUSED(COUNT, 1, 5, 7, 15, 1);
	REFUSED(BUSY, 1, 9, 7, 16, 1);
	REFUSED(STALE, 1, 1, 7, 16, 1);
	REFUSED(GENERATION, 1, 5, 6, 16, 1);
	REFUSED(GENERATION, 1, 9, 6, 16, 1);
	o = contribute(1, 5, 7, 16, 2);
	CHECK_EQ(o.verdict, WEIR_VERDICT_COMPLETE);
	CHECK_EQ(o.first, 3);
	o = contribute(0, 5, 7, 16, 1000);
	CHECK_EQ(o.verdict, WEIR_VERDICT_REPEAT);
	CHECK_EQ(o.first, 3);
	REFUSED(COUNT, 0, 5, 7, 15, 1);
	teardown();
}

static void block_new_generation_sweeps(void)
{
	struct outcome o;

	setup(4, 2, 16);
	table.gens.now = 65535;
	VERDICT(WEIR_VERDICT_SUMMED, 0, 5, 65535, 16, 1);
	/* Block 0 is in the slot behind that of block 5, so block 3 is in it. */
	o = contribute(1, 3, 0, 16, 4);
	CHECK_EQ(o.verdict, WEIR_VERDICT_SUMMED);
	CHECK(o.abandoned);
	CHECK_EQ(weir_blocks_open(&table), 1);
	o = contribute(0, 3, 0, 16, 5);
	CHECK_EQ(o.first, 9);
	CHECK(!o.abandoned);
	teardown();
}

/* The same 16 bits again are another generation, and its blocks are gone. */
static void block_generation_comes_round(void)
{
	setup(4, 2, 16);
	contribute(0, 5, 0, 16, 1);
	CHECK_EQ(contribute(1, 5, 0, 16, 1).verdict, WEIR_VERDICT_COMPLETE);
	contribute(0, 6, 0, 16, 1);
	weir_blocks_advance(&table, 32767, 0);
	weir_blocks_advance(&table, 65534, 0);
	CHECK_EQ(weir_blocks_advance(&table, 0, 0), 0);
	CHECK_EQ(weir_blocks_open(&table), 0);
	VERDICT(WEIR_VERDICT_SUMMED, 0, 5, 0, 16, 10);
	CHECK_EQ(contribute(1, 5, 0, 16, 10).first, 20);
	CHECK(contribute(1, 7, 0, 16, 1).abandoned);
	teardown();
}

static u16 sooner;

static void advance_sooner(void)
{
	mock_meanwhile = NULL;
	weir_blocks_advance(&table, sooner, 0);
}

/* Two CPUs see new generations at once: the later one is the job's, whichever CPU is first. */
static void block_generations_race(void)
{
	setup(4, 2, 16);
	weir_blocks_advance(&table, 7, 0);
	sooner = 8;
	mock_meanwhile = advance_sooner;
	CHECK_EQ(weir_blocks_advance(&table, 9, 0), 9);
	CHECK(!mock_meanwhile);
	CHECK_EQ(weir_blocks_generation(&table), 9);
	sooner = 11;
	mock_meanwhile = advance_sooner;
	CHECK_EQ(weir_blocks_advance(&table, 10, 0), 11);
	CHECK(!mock_meanwhile);
	CHECK_EQ(weir_blocks_generation(&table), 11);
	teardown();
}

static void block_ids_wrap(void)
{
	setup(4, 1, 1);
	weir_blocks_begin(&table, 0, 0xfffffffe);
	VERDICT(WEIR_VERDICT_COMPLETE, 0, 0xfffffffe, 0, 1, 5);
	VERDICT(WEIR_VERDICT_COMPLETE, 0, 2, 0, 1, 5);
	REFUSED(STALE, 0, 0xfffffffe, 0, 1, 5);
	teardown();
}

static struct weir_outcome ask(u16 source, u32 block, u16 generation,
			       int verdict)
{
	struct weir_block_key key = { .id = block, .generation = generation,
				      .source = source };
	struct weir_outcome out;
	int found;

	memset(&out, 0xa5, sizeof(out));
	found = weir_block_query(&table, &key, mock_ns, &out);
	CHECK_EQ(found, verdict);
	if (found == WEIR_VERDICT_REPEAT)
		weir_result_put(&out.res);
	return out;
}

/* Answers to a source that asks; asking opens no block. */
static void block_query(void)
{
	setup(4, 2, 16);
	weir_blocks_advance(&table, 7, 0);
	CHECK_EQ(ask(0, 5, 7, WEIR_VERDICT_WANTED).received, 0);
	CHECK_EQ(weir_blocks_open(&table), 0);
	contribute(0, 5, 7, 16, 1);
	CHECK_EQ(ask(0, 5, 7, WEIR_VERDICT_HELD).received, 1);
	CHECK_EQ(ask(1, 5, 7, WEIR_VERDICT_WANTED).received, 1);
	CHECK(!ask(0, 9, 7, -WEIR_REASON_BUSY).retained);
	ask(0, 1, 7, -WEIR_REASON_STALE);
	ask(0, 5, 6, -WEIR_REASON_GENERATION);
	ask(0, 5, 8, -WEIR_REASON_GENERATION);
	contribute(1, 5, 7, 16, 1);
	CHECK_EQ(ask(0, 5, 7, WEIR_VERDICT_REPEAT).res.received, 2);
	ask(1, 9, 7, WEIR_VERDICT_WANTED);
	VERDICT(WEIR_VERDICT_REPEAT, 1, 5, 7, 16, 1);
	teardown();
}

/* To ask is not to be heard of a block: the first contribution is late still. */
static void block_query_before_it_is_late(void)
{
	setup(4, 2, 16);
	table.quorum = 1;
	VERDICT(WEIR_VERDICT_COMPLETE, 0, 0, 0, 16, 1);
	ask(1, 0, 0, WEIR_VERDICT_REPEAT);
	VERDICT(WEIR_VERDICT_LATE, 1, 0, 0, 16, 1);
	VERDICT(WEIR_VERDICT_REPEAT, 1, 0, 0, 16, 1);
	REFUSED(COUNT, 1, 0, 0, 15, 1);
	teardown();
}

static void check_mask(const struct weir_result *res, unsigned long mask)
{
	CHECK_EQ(res->mask[0], mask);
	CHECK(!res->mask[1] && !res->mask[2] && !res->mask[3]);
}

/* Answered with the sources that are in it, and so it stays. */
static void block_quorum(void)
{
	struct outcome o;

	setup(4, 4, 16);
	table.quorum = 2;
	VERDICT(WEIR_VERDICT_SUMMED, 3, 0, 0, 16, 1);
	o = contribute(1, 0, 0, 16, 10);
	CHECK_EQ(o.verdict, WEIR_VERDICT_COMPLETE);
	CHECK_EQ(o.first, 11);
	CHECK(o.res.degraded && !o.res.aged);
	check_mask(&o.res, 1 << 3 | 1 << 1);
	mock_ns += 10;
	o = contribute(0, 0, 0, 16, 100);
	CHECK_EQ(o.verdict, WEIR_VERDICT_LATE);
	CHECK_EQ(o.lateness, 10);
	CHECK_EQ(o.first, 11);
	check_mask(&o.res, 1 << 3 | 1 << 1);
	VERDICT(WEIR_VERDICT_REPEAT, 0, 0, 0, 16, 100);
	VERDICT(WEIR_VERDICT_REPEAT, 3, 0, 0, 16, 1);
	VERDICT(WEIR_VERDICT_LATE, 2, 0, 0, 16, 1);
	/* The slot's next block has no late source. */
	contribute(3, 4, 0, 16, 1);
	contribute(1, 4, 0, 16, 1);
	VERDICT(WEIR_VERDICT_LATE, 0, 4, 0, 16, 1);
	teardown();
}

static void block_quorum_changes(void)
{
	setup(4, 4, 16);
	contribute(0, 0, 0, 16, 1);
	contribute(1, 0, 0, 16, 1);
	table.quorum = 2;
	CHECK_EQ(contribute(2, 0, 0, 16, 1).res.received, 3);
	contribute(0, 1, 0, 16, 1);
	table.quorum = 0;
	VERDICT(WEIR_VERDICT_SUMMED, 1, 1, 0, 16, 1);
	VERDICT(WEIR_VERDICT_SUMMED, 2, 1, 0, 16, 1);
	CHECK(!contribute(3, 1, 0, 16, 1).res.degraded);
	teardown();
}

/* Not by number: an excluded source may be in, where others are missing. */
static void block_without_the_excluded(void)
{
	struct outcome o;

	setup(4, 3, 16);
	contribute(2, 0, 0, 16, 1);
	set_bit(2, table.excluded);
	VERDICT(WEIR_VERDICT_SUMMED, 0, 0, 0, 16, 1);
	o = contribute(1, 0, 0, 16, 1);
	CHECK_EQ(o.verdict, WEIR_VERDICT_COMPLETE);
	CHECK(!o.res.degraded);
	contribute(0, 1, 0, 16, 1);
	o = contribute(1, 1, 0, 16, 1);
	CHECK_EQ(o.verdict, WEIR_VERDICT_COMPLETE);
	CHECK(o.res.degraded);
	check_mask(&o.res, 1 << 0 | 1 << 1);
	clear_bit(2, table.excluded);
	contribute(0, 2, 0, 16, 1);
	VERDICT(WEIR_VERDICT_SUMMED, 1, 2, 0, 16, 1);
	teardown();
}

/* A slot stays a block's as long as a source may lack its result. */
static void block_is_retained(void)
{
	struct weir_outcome out;

	setup(4, 2, 16);
	weir_retention_return(&table.retention, 0);
	weir_retention_return(&table.retention, 1);
	contribute(0, 1, 0, 16, 1);
	contribute(1, 1, 0, 16, 1);
	REFUSED(BUSY, 0, 5, 0, 16, 1);
	out = ask(0, 5, 0, -WEIR_REASON_BUSY);
	CHECK(out.retained);
	CHECK_EQ(out.retained_seq, 1);
	/* It lost the result, and gets it. */
	VERDICT(WEIR_VERDICT_REPEAT, 1, 1, 0, 16, 1);
	contribute(1, 2, 0, 16, 1);
	REFUSED(BUSY, 0, 5, 0, 16, 1);
	contribute(1, 3, 0, 16, 1);
	VERDICT(WEIR_VERDICT_SUMMED, 0, 5, 0, 16, 1);
	teardown();
}

/*
 * A worker without joins begins a generation with each iteration. The other source lost a
 * result of the one before: it asks, or sends again, and gets the same bits, although the
 * first one is a whole window further.
 */
static void block_left_of_the_generation_before(void)
{
	struct outcome o;
	u32 b;

	setup(4, 2, 16);
	weir_retention_return(&table.retention, 0);
	weir_retention_return(&table.retention, 1);
	for (b = 0; b < 3; b++) {
		contribute(0, b, 1, 16, 1);
		contribute(1, b, 1, 16, 1);
	}
	VERDICT(WEIR_VERDICT_SUMMED, 0, 0, 2, 16, 5);
	VERDICT(WEIR_VERDICT_SUMMED, 0, 1, 2, 16, 5);
	REFUSED(BUSY, 0, 2, 2, 16, 5);
	for (b = 1; b < 3; b++) {
		ask(1, b, 1, WEIR_VERDICT_REPEAT);
		o = contribute(1, b, 1, 16, 1);
		CHECK_EQ(o.verdict, WEIR_VERDICT_REPEAT);
		CHECK_EQ(o.first, 2);
		CHECK_EQ(o.res.generation, 1);
		CHECK_EQ(o.res.id, b);
	}
	/*
	 * Its first block was a table ago. A contribution that was never summed is not summed
	 * now.
	 */
	REFUSED(GENERATION, 1, 0, 1, 16, 1);
	REFUSED(GENERATION, 1, 3, 1, 16, 1);
	ask(1, 3, 1, -WEIR_REASON_GENERATION);
	VERDICT(WEIR_VERDICT_COMPLETE, 1, 0, 2, 16, 5);
	VERDICT(WEIR_VERDICT_COMPLETE, 1, 1, 2, 16, 5);
	VERDICT(WEIR_VERDICT_SUMMED, 0, 2, 2, 16, 5);
	/* A generation of the box begins anew. */
	weir_blocks_begin(&table, 3, 0);
	ask(1, 1, 2, -WEIR_REASON_GENERATION);
	teardown();
}

/* A block before the first of its generation would keep an honest one out for good. */
static void block_before_the_first(void)
{
	setup(4, 2, 16);
	weir_retention_return(&table.retention, 0);
	weir_retention_return(&table.retention, 1);
	REFUSED(STALE, 1, -2, 0, 16, 1);
	ask(1, -2, 0, -WEIR_REASON_STALE);
	weir_blocks_begin(&table, 1, 1000);
	REFUSED(STALE, 1, 998, 1, 16, 1);
	REFUSED(STALE, 1, 999 + 0x80000001, 1, 16, 1);
	contribute(0, 1000, 1, 16, 1);
	contribute(1, 1000, 1, 16, 1);
	contribute(0, 1001, 1, 16, 1);
	contribute(1, 1001, 1, 16, 1);
	VERDICT(WEIR_VERDICT_SUMMED, 0, 1002, 1, 16, 1);
	teardown();
}

/* One packet with an id that is far ahead has no slot, nor says that its sender is. */
static void block_far_ahead(void)
{
	static const u32 ids[] = { 4, 5, 6, 7, 1 << 20, 0x7ffffffe };
	unsigned int i;

	setup(4, 2, 16);
	weir_retention_return(&table.retention, 0);
	weir_retention_return(&table.retention, 1);
	for (i = 0; i < ARRAY_SIZE(ids); i++) {
		REFUSED(AHEAD, 1, ids[i], 0, 16, 1);
		CHECK(!ask(1, ids[i], 0, -WEIR_REASON_AHEAD).retained);
	}
	CHECK_EQ(weir_blocks_open(&table), 0);
	/* The slot is free, and the source still where it was. */
	contribute(0, 0, 0, 16, 1);
	VERDICT(WEIR_VERDICT_COMPLETE, 1, 0, 0, 16, 1);
	REFUSED(BUSY, 0, 4, 0, 16, 1);
	VERDICT(WEIR_VERDICT_REPEAT, 1, 0, 0, 16, 1);
	teardown();
}

/* Counted once and then left alone, or answered; until when it is looked at. */
static void block_ages(void)
{
	struct weir_ageing count = { .timeout = 160, .grace = 10 };
	struct weir_ageing answer = { .timeout = 160, .grace = 10,
				      .answer = true };
	struct weir_block *block;
	struct weir_result res;
	u64 start = mock_ns;

#define AGE(found, ageing, at) \
	CHECK_EQ(weir_block_age(&table, block, &(ageing), at, &res), \
		 WEIR_AGE_##found)

	setup(4, 3, 16);
	block = weir_blocks_slot(&table, 1);
	CHECK_EQ(weir_block_due(&table, block, &answer), U64_MAX);
	AGE(NONE, answer, start + 1000);
	contribute(0, 1, 0, 16, 7);
	CHECK_EQ(weir_block_due(&table, block, &count), start + 160);
	AGE(NONE, count, start + 159);
	mock_ns = start + 155;
	contribute(1, 1, 0, 16, 7);
	CHECK_EQ(weir_block_due(&table, block, &count), start + 165);
	AGE(NONE, count, start + 164);
	AGE(COUNTED, count, start + 165);
	CHECK_EQ(res.npages, 0);
	CHECK(res.aged && res.degraded);
	check_mask(&res, 3);
	CHECK_EQ(weir_block_due(&table, block, &count), U64_MAX);
	AGE(NONE, count, start + 1000);
	CHECK_EQ(weir_block_due(&table, block, &answer), start + 165);
	AGE(DONE, answer, start + 1000);
	CHECK(res.aged);
	CHECK_EQ(res.received, 2);
	CHECK_EQ(get_unaligned_be32(res.pages[0]->data), 14);
	weir_result_put(&res);
	AGE(NONE, answer, start + 2000);
	VERDICT(WEIR_VERDICT_LATE, 2, 1, 0, 16, 7);
	mock_ns = start + 1000;
	contribute(0, 5, 0, 16, 7);
	AGE(ANSWERED, answer, start + 1160);
	CHECK(res.aged);
	weir_result_put(&res);
	teardown();
}

/* With no timeout at all it stays open, until no source is waited for any more. */
static void block_is_done_without_a_packet(void)
{
	struct weir_ageing never = { .timeout = 0, .answer = true };
	struct weir_block *block;
	struct weir_result res;

	setup(4, 3, 16);
	block = weir_blocks_slot(&table, 1);
	contribute(0, 1, 0, 16, 7);
	contribute(1, 1, 0, 16, 7);
	CHECK_EQ(weir_block_due(&table, block, &never), U64_MAX);
	AGE(NONE, never, U64_MAX - 1);
	table.quorum = 2;
	CHECK_EQ(weir_block_due(&table, block, &never), 0);
	AGE(DONE, never, mock_ns);
	CHECK(res.degraded && !res.aged);
	CHECK_EQ(res.received, 2);
	weir_result_put(&res);
	CHECK_EQ(weir_block_due(&table, block, &never), U64_MAX);
	teardown();
}

static void block_of_an_old_generation_is_swept(void)
{
	struct weir_ageing ageing = { .timeout = 0 };
	struct weir_block *block;
	struct weir_result res;

	setup(4, 3, 16);
	block = weir_blocks_slot(&table, 1);
	contribute(0, 1, 0, 16, 7);
	CHECK(weir_block_look(&table, block, &res));
	CHECK_EQ(res.received, 1);
	weir_blocks_advance(&table, 1, 0);
	CHECK(!weir_block_look(&table, block, &res));
	AGE(SWEPT, ageing, mock_ns);
	AGE(NONE, ageing, mock_ns);
	/* Swept once, and not for the block that takes the slot. */
	CHECK(!contribute(0, 1, 1, 16, 7).abandoned);
	teardown();
}

static bool glances(u32 block, u16 source, bool complete, bool aged, bool in)
{
	struct weir_glance glance;

	weir_block_glance(&table, block, source, &glance);
	return glance.complete == complete && glance.aged == aged && glance.in == in;
}

static void block_at_a_glance(void)
{
	setup(4, 2, 8);
	CHECK(glances(0, 0, false, false, false));
	VERDICT(WEIR_VERDICT_SUMMED, 0, 0, 0, 8, 1);
	CHECK(glances(0, 0, false, false, true));
	CHECK(glances(0, 1, false, false, false));
	CHECK(glances(1, 0, false, false, false));
	/* The slot has another block. */
	CHECK(glances(4, 0, false, false, false));
	weir_blocks_slot(&table, 0)->aged = true;
	CHECK(glances(0, 1, false, true, false));
	VERDICT(WEIR_VERDICT_COMPLETE, 1, 0, 0, 8, 1);
	CHECK(glances(0, 1, true, false, true));
	weir_blocks_advance(&table, 1, 0);
	CHECK(glances(0, 1, false, false, false));
	teardown();
}

/* Its contributions count no more, and its sources may contribute again. */
static void block_begins_anew(void)
{
	struct outcome o;

	setup(4, 2, 8);
	weir_block_drop(&table, 0);
	VERDICT(WEIR_VERDICT_SUMMED, 0, 0, 0, 8, 100);
	weir_block_drop(&table, 4);
	REFUSED(DUPLICATE, 0, 0, 0, 8, 1);
	weir_block_drop(&table, 0);
	CHECK_EQ(weir_blocks_open(&table), 0);
	/* Another length is no matter. */
	VERDICT(WEIR_VERDICT_SUMMED, 0, 0, 0, 7, 1);
	o = contribute(1, 0, 0, 7, 2);
	CHECK_EQ(o.verdict, WEIR_VERDICT_COMPLETE);
	CHECK_EQ(o.first, 3);
	/* One that is complete stays. */
	weir_block_drop(&table, 0);
	VERDICT(WEIR_VERDICT_REPEAT, 0, 0, 0, 7, 1);
	teardown();
}

static void block_overflow_is_flagged(void)
{
	setup(4, 3, 16);
	contribute(0, 0, 0, 16, 0x3fffffff);
	contribute(1, 0, 0, 16, 0x3fffffff);
	CHECK_EQ(contribute(2, 0, 0, 16, 1).res.overflow, 0);
	contribute(0, 1, 0, 16, 0x3fffffff);
	contribute(1, 1, 0, 16, 0x40000000);
	CHECK_EQ(contribute(2, 1, 0, 16, 1).res.overflow, 1);
	/* The flags do not stay for the slot's next block. */
	contribute(0, 5, 1, 16, 1);
	contribute(1, 5, 1, 16, 1);
	CHECK_EQ(contribute(2, 5, 1, 16, 1).res.overflow, 0);
	/* A small one can overflow behind large ones. */
	contribute(0, 2, 1, 16, INT32_MIN);
	contribute(1, 2, 1, 16, -1);
	CHECK_EQ(contribute(2, 2, 1, 16, 0).res.overflow, 1);
	teardown();
}

/* The result has the largest; and all contributions to a block have one, or none has. */
static void block_exponents(void)
{
	static const s32 exponents[] = { -7, 3, -100 };
	struct weir_payload pl = { .n = 1, .seg = { { (u8 *)"\0\0\0\7", 4 } } };
	struct weir_block_key key = { .count = 1, .has_exponent = true };
	struct weir_outcome out;
	int i;

	setup(4, 3, 16);
	for (i = 0; i < 3; i++) {
		key.source = i;
		key.exponent = exponents[i];
		CHECK_EQ(weir_block_contribute(&table, &key, &pl, mock_ns, &out),
			 i < 2 ? WEIR_VERDICT_SUMMED : WEIR_VERDICT_COMPLETE);
		if (i == 1)
			REFUSED(COUNT, 2, 0, 0, 1, 1);
	}
	CHECK_EQ(out.res.has_exponent, 1);
	CHECK_EQ(out.res.exponent, 3);
	CHECK_EQ(out.res.unlike, 1);
	weir_result_put(&out.res);

	/* The next block in the slot has none, whichever bytes the first left there. */
	VERDICT(WEIR_VERDICT_SUMMED, 0, 1, 0, 1, 1);
	key.id = 1;
	CHECK_EQ(weir_block_contribute(&table, &key, &pl, mock_ns, &out), -WEIR_REASON_COUNT);
	VERDICT(WEIR_VERDICT_SUMMED, 1, 1, 0, 1, 1);
	CHECK_EQ(contribute(2, 1, 0, 1, 1).res.has_exponent, 0);
	teardown();
}

/* The third of three contributions has another exponent, or none has. */
static void block_unlike_exponents(void)
{
	struct weir_payload pl = { .n = 1, .seg = { { (u8 *)"\0\0\0\7", 4 } } };
	struct weir_block_key key = { .count = 1, .has_exponent = true };
	struct weir_outcome out;
	s32 last;

	setup(4, 3, 16);
	for (last = 4; last <= 6; last++, key.id++) {
		key.exponent = 5;
		for (key.source = 0; key.source < 2; key.source++)
			weir_block_contribute(&table, &key, &pl, mock_ns, &out);
		key.exponent = last;
		CHECK_EQ(weir_block_contribute(&table, &key, &pl, mock_ns, &out),
			 WEIR_VERDICT_COMPLETE);
		CHECK_EQ(out.res.unlike, last != 5);
		CHECK_EQ(out.res.exponent, max(last, 5));
		weir_result_put(&out.res);
	}
	teardown();
}

static int spoil(u16 source, u32 block, struct weir_outcome *out)
{
	struct weir_block_key key = { .id = block, .source = source, .count = 3 };

	return weir_block_spoil(&table, &key, mock_ns, out);
}

/* Two sources leave block @id open, and go on to the one that needs its slot. */
static int pass_by(u32 id, u16 generation)
{
	VERDICT(WEIR_VERDICT_SUMMED, 0, id, generation, 16, 1);
	VERDICT(WEIR_VERDICT_SUMMED, 0, id + 2, generation, 16, 1);
	VERDICT(WEIR_VERDICT_COMPLETE, 1, id + 2, generation, 16, 1);
	return contribute(0, id + 4, generation, 16, 1).verdict;
}

/* An open block that sources have passed by is given up in a generation that was resumed, only. */
static void block_is_left_over(void)
{
	setup(4, 2, 16);
	CHECK_EQ(pass_by(0, 0), -WEIR_REASON_BUSY);
	teardown();
	setup(4, 2, 16);
	weir_generations_resume(&table.gens, &table.retention, 5, 10);
	CHECK_EQ(pass_by(10, 5), WEIR_VERDICT_SUMMED);
	weir_blocks_advance(&table, 6, 0);
	CHECK_EQ(pass_by(0, 6), -WEIR_REASON_BUSY);
	teardown();
}

/* Only a block that is open in this generation can be. */
static void block_is_not_spoiled_later(void)
{
	struct weir_outcome out;

	setup(4, 3, 16);
	table.quorum = 2;
	VERDICT(WEIR_VERDICT_SUMMED, 0, 1, 0, 2, 5);
	VERDICT(WEIR_VERDICT_COMPLETE, 1, 1, 0, 2, 5);
	CHECK_EQ(spoil(2, 1, &out), -WEIR_REASON_COUNT);
	VERDICT(WEIR_VERDICT_LATE, 2, 1, 0, 2, 5);
	VERDICT(WEIR_VERDICT_SUMMED, 0, 2, 0, 2, 5);
	weir_blocks_advance(&table, 1, 0);
	CHECK_EQ(spoil(1, 2, &out), -WEIR_REASON_COUNT);
	teardown();
}

/* A source whose contribution does not fit is in the block, and its gradients are not. */
static void block_is_spoiled(void)
{
	struct weir_outcome out;

	setup(4, 3, 16);
	CHECK_EQ(spoil(0, 1, &out), -WEIR_REASON_COUNT);
	VERDICT(WEIR_VERDICT_SUMMED, 0, 1, 0, 2, 5);
	CHECK_EQ(spoil(0, 1, &out), -WEIR_REASON_COUNT);
	CHECK_EQ(spoil(1, 5, &out), -WEIR_REASON_COUNT);
	CHECK_EQ(spoil(1, 1, &out), WEIR_VERDICT_SUMMED);
	REFUSED(DUPLICATE, 1, 1, 0, 2, 5);
	CHECK_EQ(spoil(2, 1, &out), WEIR_VERDICT_COMPLETE);
	CHECK_EQ(out.res.received, 3);
	CHECK_EQ(out.res.count, 2);
	CHECK_EQ(out.res.unlike, 1);
	CHECK_EQ(out.res.has_exponent, 0);
	CHECK_EQ(get_unaligned_be32(out.res.pages[0]->data), 5);
	weir_result_put(&out.res);
	CHECK_EQ(spoil(2, 1, &out), -WEIR_REASON_COUNT);
	CHECK_EQ(contribute(1, 1, 0, 2, 5).res.unlike, 1);

	/* The next block in the slot is like any other. */
	VERDICT(WEIR_VERDICT_SUMMED, 0, 5, 0, 2, 5);
	VERDICT(WEIR_VERDICT_SUMMED, 1, 5, 0, 2, 5);
	CHECK_EQ(contribute(2, 5, 0, 2, 5).res.unlike, 0);
	teardown();
}

/* A result with a reader is not written to. */
static void block_leaves_pages_to_readers(void)
{
	struct weir_block_key key = { .id = 0, .count = 1 };
	struct weir_payload pl = { .n = 1, .seg = { { (u8 *)"\0\0\0\7", 4 } } };
	struct weir_outcome out;

	long pages;

	setup(1, 1, 1024);
	pages = mock_pages;
	CHECK_EQ(weir_block_contribute(&table, &key, &pl, mock_ns, &out),
		 WEIR_VERDICT_COMPLETE);
	VERDICT(WEIR_VERDICT_COMPLETE, 0, 1, 0, 1, 9);
	CHECK_EQ(get_unaligned_be32(out.res.pages[0]->data), 7);
	weir_result_put(&out.res);
	VERDICT(WEIR_VERDICT_COMPLETE, 0, 2, 0, 1, 9);
	CHECK_EQ(mock_pages, pages);
	teardown();
}

/* Without a free page the block is refused and the old result stays. */
static void block_without_memory(void)
{
	struct weir_block_key key = { .id = 0, .count = 1025 };
	static u8 packet[4 * 1025] = { 0, 0, 0, 7 };
	struct weir_payload pl = { .n = 1, .seg = { { packet, 4100 } } };
	struct weir_outcome out;

	setup(1, 1, 2048);
	weir_block_contribute(&table, &key, &pl, mock_ns, &out);
	mock_fail_after = 0;
	REFUSED(NOMEM, 0, 1, 0, 1025, 9);
	mock_fail_after = -1;
	CHECK_EQ(contribute(0, 0, 0, 1025, 9).first, 7);
	VERDICT(WEIR_VERDICT_COMPLETE, 0, 1, 0, 1025, 9);
	CHECK_EQ(get_unaligned_be32(out.res.pages[0]->data), 7);
	weir_result_put(&out.res);
	teardown();
}

static void block_table_without_memory(void)
{
	struct weir_blocks_config like = config(4, 2, 2048);
	int fail;

	for (fail = 0; fail < 6; fail++) {
		memset(&table, 0, sizeof(table));
		mock_fail_after = fail;
		CHECK_EQ(weir_blocks_init(&table, &like), -ENOMEM);
		CHECK_EQ(mock_pages, 0);
	}
	mock_fail_after = -1;
}

static void block_all_open(void)
{
	u32 i;

	setup(65536, 2, 1);
	for (i = 0; i < 65536; i++)
		VERDICT(WEIR_VERDICT_SUMMED, 0, i, 0, 1, i);
	CHECK_EQ(weir_blocks_open(&table), 65536);
	for (i = 0; i < 65536; i++)
		if (!CHECK_EQ(contribute(1, i, 0, 1, 1).first, i + 1))
			break;
	CHECK_EQ(weir_blocks_open(&table), 0);
	teardown();
}

const struct ktap_test block_tests[] = {
	KTAP_TEST(block_completes),
	KTAP_TEST(block_one_source),
	KTAP_TEST(block_refusals),
	KTAP_TEST(block_new_generation_sweeps),
	KTAP_TEST(block_generation_comes_round),
	KTAP_TEST(block_generations_race),
	KTAP_TEST(block_ids_wrap),
	KTAP_TEST(block_query),
	KTAP_TEST(block_query_before_it_is_late),
	KTAP_TEST(block_quorum),
	KTAP_TEST(block_quorum_changes),
	KTAP_TEST(block_without_the_excluded),
	KTAP_TEST(block_is_retained),
	KTAP_TEST(block_left_of_the_generation_before),
	KTAP_TEST(block_before_the_first),
	KTAP_TEST(block_far_ahead),
	KTAP_TEST(block_ages),
	KTAP_TEST(block_is_done_without_a_packet),
	KTAP_TEST(block_of_an_old_generation_is_swept),
	KTAP_TEST(block_at_a_glance),
	KTAP_TEST(block_begins_anew),
	KTAP_TEST(block_overflow_is_flagged),
	KTAP_TEST(block_exponents),
	KTAP_TEST(block_unlike_exponents),
	KTAP_TEST(block_is_left_over),
	KTAP_TEST(block_is_not_spoiled_later),
	KTAP_TEST(block_is_spoiled),
	KTAP_TEST(block_leaves_pages_to_readers),
	KTAP_TEST(block_without_memory),
	KTAP_TEST(block_table_without_memory),
	KTAP_TEST(block_all_open),
};
SUITE_END(block);

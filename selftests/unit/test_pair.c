// SPDX-License-Identifier: GPL-2.0
/*
 * Blocks in pairs that take turns: each rule by itself, and then random events for the table
 * and for a model that numbers all turns, and looks at nothing else.
 */
#include "kernel.h"

#include "agg/base/payload.h"
#include "agg/slots/block.h"
#include "agg/type/reduce.h"
#include "agg/type/vector.h"
#include "unit.h"

#define GRADS		8
#define H		(7 * NSEC_PER_MSEC)

static struct weir_blocks table;

static void setup(u32 size, u16 sources, u64 repeat_after)
{
	const struct weir_blocks_config like = {
		.size = size, .slots = size, .sources = sources, .grads = GRADS,
		.reduction = weir_reduction_find(WEIR_DTYPE_INT32, WEIR_OP_SUM,
						 WEIR_ORDER_ARRIVAL),
		.paired = true, .modular = true, .repeat_after = repeat_after,
	};

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
	struct weir_result res;
	s32 first;		/* gradient 0 of the result */
};

static struct outcome contribute(struct weir_block_key key, s32 value)
{
	static u8 packet[4 * GRADS];
	struct weir_payload pl = { .n = 1, .seg = { { packet, 4 * GRADS } } };
	struct weir_outcome out = { };
	struct outcome o = { };
	u32 v = htonl(value);
	unsigned int i;

	for (i = 0; i < GRADS; i++)
		memcpy(packet + 4 * i, &v, 4);
	key.count = key.count ?: GRADS;
	o.verdict = weir_block_contribute_paired(&table, &key, &pl, mock_ns, &out);
	if (o.verdict >= WEIR_VERDICT_COMPLETE) {
		o.res = out.res;
		o.first = get_unaligned_be32(out.res.pages[0]->data);
		weir_result_put(&out.res);
	}
	return o;
}

#define KEY(...)	((struct weir_block_key){ __VA_ARGS__ })
#define GIVES(v, value, ...) \
	CHECK_EQ(contribute(KEY(__VA_ARGS__), value).verdict, WEIR_VERDICT_##v)
#define REFUSED(r, ...) \
	CHECK_EQ(contribute(KEY(__VA_ARGS__), 1).verdict, -WEIR_REASON_##r)

/* One turn of all sources. */
static void all(u16 sources, u16 pair, bool second, u16 generation, u32 id)
{
	u16 i;

	for (i = 0; i < sources; i++)
		CHECK_EQ(contribute(KEY(.source = i, .pair = pair, .second = second,
					.generation = generation, .id = id), 1).verdict,
			 i + 1 < sources ? WEIR_VERDICT_SUMMED : WEIR_VERDICT_COMPLETE);
}

static void pair_takes_turns(void)
{
	struct outcome o;

	setup(8, 2, 0);
	GIVES(SUMMED, 5, .source = 0, .pair = 3, .id = 0);
	REFUSED(DUPLICATE, .source = 0, .pair = 3, .id = 0);
	CHECK_EQ(weir_blocks_open(&table), 1);
	o = contribute(KEY(.source = 1, .pair = 3, .id = 0), 7);
	CHECK_EQ(o.verdict, WEIR_VERDICT_COMPLETE);
	CHECK_EQ(o.first, 12);
	/* Repeated, to a source that asks for it. */
	o = contribute(KEY(.source = 0, .pair = 3, .id = 0), 99);
	CHECK_EQ(o.verdict, WEIR_VERDICT_REPEAT);
	CHECK_EQ(o.first, 12);
	/* The source that goes on has it. The other one lacks it, and is answered. */
	GIVES(SUMMED, 1, .source = 0, .pair = 3, .second = true, .id = 4);
	REFUSED(BUSY, .source = 0, .pair = 3, .id = 0);
	GIVES(REPEAT, 1, .source = 1, .pair = 3, .id = 0);
	/* And nothing takes its place. */
	REFUSED(BUSY, .source = 0, .pair = 3, .id = 8);
	REFUSED(BUSY, .source = 1, .pair = 3, .id = 8);
	GIVES(REPEAT, 1, .source = 1, .pair = 3, .id = 0);
	/* Until it has gone on, too. */
	GIVES(COMPLETE, 2, .source = 1, .pair = 3, .second = true, .id = 4);
	REFUSED(STALE, .source = 1, .pair = 3, .id = 0);
	REFUSED(STALE, .source = 1, .pair = 3, .id = 4);
	o = contribute(KEY(.source = 1, .pair = 3, .id = 8), 3);
	CHECK_EQ(o.verdict, WEIR_VERDICT_SUMMED);
	GIVES(REPEAT, 1, .source = 0, .pair = 3, .second = true, .id = 4);
	o = contribute(KEY(.source = 0, .pair = 3, .id = 8), 4);
	CHECK_EQ(o.verdict, WEIR_VERDICT_COMPLETE);
	CHECK_EQ(o.first, 7);
	CHECK_EQ(o.res.id, 8);
	teardown();
}

/* One may be any number of turns ahead of the others. */
static void pair_by_itself(void)
{
	u32 turn;

	setup(8, 3, 0);
	GIVES(SUMMED, 1, .source = 2, .pair = 0, .id = 0);
	for (turn = 0; turn < 100000; turn++)
		all(3, 1, turn & 1, turn / 7, turn % 7);
	GIVES(SUMMED, 1, .source = 0, .pair = 0, .id = 0);
	GIVES(COMPLETE, 1, .source = 1, .pair = 0, .id = 0);
	CHECK_EQ(weir_blocks_open(&table), 0);
	teardown();
}

/* Names go up, by generation and id; generations come round. */
static void pair_names(void)
{
	setup(2, 1, 0);
	GIVES(COMPLETE, 1, .generation = 65534, .id = 9);
	GIVES(COMPLETE, 1, .second = true, .generation = 65535, .id = 5);
	REFUSED(STALE, .generation = 65534, .id = 100);
	REFUSED(STALE, .generation = 65535, .id = 5);
	REFUSED(STALE, .generation = 65535, .id = 4);
	GIVES(COMPLETE, 1, .generation = 1, .id = 0);
	REFUSED(STALE, .second = true, .generation = 0, .id = 1000);
	GIVES(COMPLETE, 1, .second = true, .generation = 1, .id = 1);
	/* A name that was in this place before is another block's. */
	GIVES(COMPLETE, 1, .generation = 32000, .id = 0);
	GIVES(COMPLETE, 1, .second = true, .generation = 64000, .id = 0);
	GIVES(COMPLETE, 1, .generation = 1000, .id = 3);
	teardown();
}

static void pair_refusals(void)
{
	setup(8, 2, 0);
	REFUSED(AHEAD, .pair = 4);
	REFUSED(AHEAD, .pair = 65535, .second = true);
	GIVES(SUMMED, 1, .source = 0, .pair = 2, .id = 7);
	REFUSED(BUSY, .source = 1, .pair = 2, .id = 8);
	REFUSED(BUSY, .source = 1, .pair = 2, .generation = 1, .id = 7);
	REFUSED(COUNT, .source = 1, .pair = 2, .id = 7, .count = 3);
	GIVES(COMPLETE, 1, .source = 1, .pair = 2, .id = 7);
	REFUSED(COUNT, .source = 1, .pair = 2, .id = 7, .count = 3);
	teardown();
}

/* A source that takes all turns alone goes nowhere, and the others lose nothing. */
static void pair_liar(void)
{
	struct outcome o;
	u32 id;

	setup(2, 2, 0);
	all(2, 0, false, 0, 0);
	GIVES(SUMMED, 1, .source = 0, .second = true, .id = 1);
	for (id = 2; id < 10; id++) {
		REFUSED(BUSY, .source = 0, .id = id);
		REFUSED(BUSY, .source = 0, .second = true, .id = id);
	}
	GIVES(REPEAT, 1, .source = 1, .id = 0);
	o = contribute(KEY(.source = 1, .second = true, .id = 1), 10);
	CHECK_EQ(o.verdict, WEIR_VERDICT_COMPLETE);
	CHECK_EQ(o.first, 11);
	teardown();
}

static void pair_claims(void)
{
	setup(4, 2, 0);
	/* Neither claim makes a block that is not there. */
	REFUSED(AHEAD, .claim = WEIR_CLAIM_JOIN, .pair = 1, .id = 3);
	REFUSED(AHEAD, .claim = WEIR_CLAIM_ASK, .pair = 1, .id = 3);
	CHECK_EQ(weir_blocks_open(&table), 0);
	GIVES(SUMMED, 1, .source = 0, .pair = 1, .id = 3);
	REFUSED(AHEAD, .claim = WEIR_CLAIM_JOIN, .source = 1, .pair = 1, .id = 2);
	/* A source that asks is not summed, in the block or not. */
	REFUSED(DUPLICATE, .claim = WEIR_CLAIM_ASK, .source = 1, .pair = 1, .id = 3);
	REFUSED(DUPLICATE, .claim = WEIR_CLAIM_ASK, .source = 0, .pair = 1, .id = 3);
	GIVES(COMPLETE, 1, .claim = WEIR_CLAIM_JOIN, .source = 1, .pair = 1, .id = 3);
	GIVES(REPEAT, 1, .claim = WEIR_CLAIM_ASK, .source = 0, .pair = 1, .id = 3);
	GIVES(REPEAT, 1, .claim = WEIR_CLAIM_JOIN, .source = 1, .pair = 1, .id = 3);
	/* Nor where a block might be made. */
	all(2, 1, true, 0, 4);
	REFUSED(AHEAD, .claim = WEIR_CLAIM_ASK, .source = 0, .pair = 1, .id = 5);
	REFUSED(AHEAD, .claim = WEIR_CLAIM_JOIN, .source = 0, .pair = 1, .id = 5);
	teardown();
}

/* Once, and not where nothing was sent yet; else it is as if the block were not there. */
static void pair_reminds(void)
{
	setup(2, 2, H);
	mock_ns = 5 * H;
	REFUSED(AHEAD, .claim = WEIR_CLAIM_REMIND, .id = 7);
	GIVES(SUMMED, 1, .source = 0, .id = 7);
	REFUSED(AHEAD, .claim = WEIR_CLAIM_REMIND, .source = 0, .id = 7);
	REFUSED(AHEAD, .claim = WEIR_CLAIM_REMIND, .source = 1, .id = 7);
	GIVES(COMPLETE, 1, .source = 1, .id = 7);
	REFUSED(DUPLICATE, .claim = WEIR_CLAIM_REMIND, .source = 0, .id = 7);
	mock_ns += H;
	GIVES(REPEAT, 1, .claim = WEIR_CLAIM_REMIND, .source = 0, .id = 7);
	REFUSED(AHEAD, .claim = WEIR_CLAIM_REMIND, .source = 0, .id = 7);
	mock_ns += 2 * H;
	REFUSED(AHEAD, .claim = WEIR_CLAIM_REMIND, .source = 0, .id = 7);
	GIVES(REPEAT, 1, .claim = WEIR_CLAIM_ASK, .source = 0, .id = 7);
	/* To each by itself, and anew in the place's next block. */
	GIVES(REPEAT, 1, .claim = WEIR_CLAIM_REMIND, .source = 1, .id = 7);
	all(2, 0, true, 0, 8);
	all(2, 0, false, 0, 9);
	mock_ns += H;
	GIVES(REPEAT, 1, .claim = WEIR_CLAIM_REMIND, .source = 0, .id = 9);
	teardown();
	/* No time is kept. */
	setup(2, 1, 0);
	GIVES(COMPLETE, 1, .id = 7);
	REFUSED(AHEAD, .claim = WEIR_CLAIM_REMIND, .id = 7);
	teardown();
}

static void pair_repeats(void)
{
	setup(2, 3, H);
	mock_ns = 5 * H;
	all(3, 0, false, 0, 0);
	REFUSED(DUPLICATE, .source = 0, .id = 0);
	mock_ns += H - 1;
	REFUSED(DUPLICATE, .source = 0, .id = 0);
	mock_ns += 1;
	GIVES(REPEAT, 1, .source = 0, .id = 0);
	/* To each by itself, from when it was last sent to that one. */
	mock_ns += H / 2;
	REFUSED(DUPLICATE, .source = 0, .id = 0);
	GIVES(REPEAT, 1, .source = 1, .id = 0);
	mock_ns += H / 2;
	GIVES(REPEAT, 1, .source = 0, .id = 0);
	REFUSED(DUPLICATE, .source = 1, .id = 0);
	GIVES(REPEAT, 1, .claim = WEIR_CLAIM_ASK, .source = 2, .id = 0);
	REFUSED(DUPLICATE, .claim = WEIR_CLAIM_ASK, .source = 2, .id = 0);
	/* The place's next block has its own time. */
	all(3, 0, true, 0, 1);
	all(3, 0, false, 0, 2);
	mock_ns += H / 2;
	REFUSED(DUPLICATE, .source = 1, .id = 2);
	mock_ns += H / 2;
	GIVES(REPEAT, 1, .source = 1, .id = 2);
	GIVES(REPEAT, 1, .source = 0, .id = 2);
	teardown();
}

/* A sum that leaves 32 bits is what it is, and no word is lost about it. */
static void pair_modular(void)
{
	struct outcome o;

	setup(2, 3, 0);
	GIVES(SUMMED, INT32_MAX, .source = 0);
	GIVES(SUMMED, INT32_MAX, .source = 1);
	o = contribute(KEY(.source = 2), 3);
	CHECK_EQ(o.verdict, WEIR_VERDICT_COMPLETE);
	CHECK_EQ(o.first, 1);
	CHECK_EQ(o.res.overflow, 0);
	teardown();
}

/* Nothing of other generations is swept away: there are none. */
static void pair_ages(void)
{
	const struct weir_ageing ageing = { .timeout = 100, .grace = 10 };
	struct weir_block *block;
	struct weir_result res;

	setup(4, 2, 0);
	mock_ns = 1000;
	GIVES(SUMMED, 1, .source = 1, .pair = 1, .second = true, .generation = 9, .id = 3);
	block = weir_blocks_slot(&table, 3);
	CHECK(weir_block_look(&table, block, &res));
	CHECK_EQ(res.id, 3);
	CHECK_EQ(weir_blocks_open(&table), 1);
	CHECK_EQ(weir_block_age(&table, block, &ageing, 1050, &res), WEIR_AGE_NONE);
	CHECK_EQ(weir_block_age(&table, block, &ageing, 1100, &res), WEIR_AGE_COUNTED);
	GIVES(COMPLETE, 1, .source = 0, .pair = 1, .second = true, .generation = 9, .id = 3);
	CHECK(!weir_block_look(&table, block, &res));
	teardown();
}

/* As it was handed out. */
static void pair_unsent(void)
{
	const struct weir_ageing ageing = { };
	struct weir_block_key key = { .source = 0, .pair = 1, .generation = 300, .count = GRADS };
	u8 packet[4 * GRADS] = { };
	struct weir_payload pl = { .n = 1, .seg = { { packet, sizeof(packet) } } };
	struct weir_outcome out = { };
	struct weir_result res;

	setup(4, 1, 0);
	CHECK_EQ(weir_block_contribute_paired(&table, &key, &pl, 1, &out), WEIR_VERDICT_COMPLETE);
	CHECK(weir_block_leave_unsent(&table, out.seq, &out.res));
	CHECK_EQ(weir_block_age(&table, weir_blocks_slot(&table, out.seq), &ageing, 2, &res),
		 WEIR_AGE_DONE);
	weir_result_put(&res);
	weir_result_put(&out.res);
	teardown();
}

static void pair_table_without_memory(void)
{
	const struct weir_blocks_config like = {
		.size = 4, .slots = 4, .sources = 32, .grads = 256, .paired = true, .repeat_after = H,
		.marking = { .size = 70 },
		.reduction = weir_reduction_find(WEIR_DTYPE_INT32, WEIR_OP_SUM,
						 WEIR_ORDER_ARRIVAL),
	};
	int fail;

	for (fail = 0; fail < 6; fail++) {
		memset(&table, 0, sizeof(table));
		mock_fail_after = fail;
		CHECK_EQ(weir_blocks_init(&table, &like), -ENOMEM);
		CHECK_EQ(mock_pages, 0);
	}
	mock_fail_after = -1;
	/* The slots are as long as is charged for them, times and all. */
	CHECK_EQ(weir_blocks_init(&table, &like), 0);
	CHECK(table.layout.stride >= offsetof(struct weir_block, pages[1]) + 72 + 32 * 8);
	CHECK_EQ(weir_blocks_bytes(&like),
		 4 * (PAGE_SIZE + table.layout.stride));
	teardown();
}

/* The model: of each pair the turns so far, of which the last two are still there. */
#define PAIRS		3
#define SOURCES		4
#define STEPS		300000

struct turn {
	bool is_there;
	u16 generation;
	u32 id;
	s32 sum;
	bool in[SOURCES];
	unsigned int received;
};

static struct {
	struct turn turn[PAIRS][2];
	unsigned int last[PAIRS];	/* which of the two is the later one */
	u64 random;
	unsigned long seen[8];
} run;

static u32 any(u32 below)
{
	run.random = run.random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (run.random >> 33) % below;
}

static bool is_complete(const struct turn *t)
{
	return t->is_there && t->received == SOURCES;
}

/* Return true if a key is later than that of a turn. */
static bool is_later(const struct weir_block_key *key, const struct turn *t)
{
	if (key->generation != t->generation)
		return (u16)(key->generation - t->generation) < 0x8000;
	return key->id > t->id;
}

static int expect(const struct weir_block_key *key, s32 value)
{
	struct turn *t = &run.turn[key->pair][key->second];
	struct turn *other = &run.turn[key->pair][!key->second];
	bool other_is_later = other->is_there && run.last[key->pair] != key->second;
	bool is_it = t->is_there && t->generation == key->generation && t->id == key->id;
	bool has_it = is_complete(t) && other_is_later && other->in[key->source];

	if (!is_it || has_it) {
		if (key->claim != WEIR_CLAIM_SUM)
			return -WEIR_REASON_AHEAD;
		if (t->is_there && !(is_complete(t) && other_is_later && is_complete(other)))
			return -WEIR_REASON_BUSY;
		if (t->is_there && !is_later(key, other))
			return -WEIR_REASON_STALE;
		*t = (struct turn){ .is_there = true, .generation = key->generation,
				    .id = key->id };
		run.last[key->pair] = key->second;
	} else if (is_complete(t)) {
		return WEIR_VERDICT_REPEAT;
	}
	if (key->claim == WEIR_CLAIM_ASK || t->in[key->source])
		return -WEIR_REASON_DUPLICATE;
	t->in[key->source] = true;
	t->sum += value;
	return ++t->received == SOURCES ? WEIR_VERDICT_COMPLETE : WEIR_VERDICT_SUMMED;
}

/* Mostly what an honest worker might say, or nearly. */
static struct weir_block_key any_key(void)
{
	struct weir_block_key key = { .source = any(SOURCES), .pair = any(PAIRS) };
	const struct turn *t;

	key.second = run.last[key.pair] ^ !any(2);
	t = &run.turn[key.pair][key.second];
	key.generation = t->generation;
	key.id = t->id;
	if (is_complete(t) && any(3)) {
		t = &run.turn[key.pair][!key.second];
		key.generation = t->generation + (any(4) ? 0 : any(3));
		key.id = t->id + any(3) - !any(8);
	}
	if (!any(16))
		key.claim = 1 + any(2);
	return key;
}

static void pair_model(void)
{
	struct weir_block_key key;
	struct outcome o;
	unsigned int i;
	s32 value;
	int want;

	setup(2 * 4, SOURCES, 0);
	memset(&run, 0, sizeof(run));
	run.random = 1;
	for (i = 0; i < STEPS && !ktap_failed(); i++) {
		key = any_key();
		value = any(1000);
		want = expect(&key, value);
		o = contribute(key, value);
		if (!CHECK_EQ(o.verdict, want))
			break;
		run.seen[want < 0 ? 4 + (want == -WEIR_REASON_BUSY) +
				    2 * (want == -WEIR_REASON_STALE) : want]++;
		if (want < WEIR_VERDICT_COMPLETE)
			continue;
		CHECK_EQ(o.first, run.turn[key.pair][key.second].sum);
		CHECK_EQ(o.res.id, key.id);
		CHECK_EQ(o.res.received, SOURCES);
	}
	for (i = 0; i < 7; i++)
		if (i != WEIR_VERDICT_LATE)
			CHECK(run.seen[i] > STEPS / 1000);
	teardown();
}

const struct ktap_test pair_tests[] = {
	KTAP_TEST(pair_takes_turns),
	KTAP_TEST(pair_by_itself),
	KTAP_TEST(pair_names),
	KTAP_TEST(pair_refusals),
	KTAP_TEST(pair_liar),
	KTAP_TEST(pair_claims),
	KTAP_TEST(pair_reminds),
	KTAP_TEST(pair_repeats),
	KTAP_TEST(pair_modular),
	KTAP_TEST(pair_ages),
	KTAP_TEST(pair_unsent),
	KTAP_TEST(pair_table_without_memory),
	KTAP_TEST(pair_model),
};
SUITE_END(pair);

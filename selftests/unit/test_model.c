// SPDX-License-Identifier: GPL-2.0
/*
 * A million random events for the block table and for the model: they must
 * agree on every verdict, on every bit of every result, on open blocks and
 * their ageing, and on memory. WEIR_SEED names other events than the usual.
 */
#include "kernel.h"

#include "agg/base/payload.h"
#include <uapi/weir_bpf.h>

#include "model.h"
#include "agg/slots/block.h"
#include "agg/type/reduce.h"
#include "agg/type/vector.h"
#include "unit.h"

#define STEPS		1000000
#define READERS		24

/* A receiver that still reads a result, and the bytes that it must go on to read. */
struct reader {
	bool is_there;
	struct weir_result res;
	struct model_memory *memory;
	u32 bits[MODEL_GRADS];
};

/* Cases that have occurred, as a run without them has shown nothing. */
enum seen {
	SEEN_VERDICT,
	SEEN_REASON = SEEN_VERDICT + WEIR_VERDICT_WANTED + 1,
	SEEN_AGE = SEEN_REASON + WEIR_REASON_MAX + 1,
	SEEN_OVERFLOW = SEEN_AGE + WEIR_AGE_DONE + 1,
	SEEN_DEGRADED,
	SEEN_ABANDONED,
	SEEN_RETAINED,
	SEEN_EVICTED,
	SEEN_REPLACED,
	SEEN_BEHIND,
	SEEN_STRAGGLES,
	SEEN_RETRIED,
	SEEN_LATER,
	SEEN_ACKED,
	SEEN_NOT_ACKED,
	SEEN_RESUMED,
	SEEN_CIRCLE,
	SEEN_LEFT,
	SEEN_MAX,
};

static struct {
	struct weir_blocks table;
	struct model model;
	u64 random;
	u32 base;			/* where most ids are near */
	u16 grads;			/* most of a block */
	struct reader reader[READERS];
	unsigned long seen[SEEN_MAX];
} run;

static u32 any(u32 below)
{
	run.random = run.random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (run.random >> 33) % below;
}

static bool one_in(u32 n)
{
	return !any(n);
}

/* Where ids and generations begin, often just before one wraps. */
static u32 any_base(void)
{
	static const u32 bases[] = { 0, 0x7ffffff0, 0xfffffff0, 0xffffff00 };

	return bases[any(ARRAY_SIZE(bases))] + any(16);
}

/* A generation that a packet has begun, or that the box has given out. */
static void begin(u16 generation)
{
	u64 old = run.model.now.generation;
	bool given = one_in(2);
	u32 start = given || one_in(2) ? any_base() : 0;
	u16 want = given ? model_begin(&run.model, generation, start) :
			   model_advance(&run.model, generation, start);

	CHECK_EQ(given ? weir_blocks_begin(&run.table, generation, start) :
			 weir_blocks_advance(&run.table, generation, start), want);
	run.seen[SEEN_LATER] += !given && start > MODEL_SLOTS;
	if (run.model.now.generation != old)
		run.base = start;
}

static void make(void)
{
	static const u16 sources[] = { 1, 2, 3, 4, 5, 8, 16 };
	u16 n = sources[any(ARRAY_SIZE(sources))];
	u32 slots = 1U << any(5);
	u32 size = slots >> any(2) ?: 1;
	/* A result's memory is a page, or two. */
	const u16 grads = one_in(4) ? 1024 : MODEL_GRADS;
	const struct weir_blocks_config like = {
		.size = size, .slots = slots, .sources = n, .grads = grads,
		.reduction = weir_reduction_find(WEIR_DTYPE_INT32, WEIR_OP_SUM,
						 WEIR_ORDER_ARRIVAL),
	};

	memset(&run.table, 0, sizeof(run.table));
	CHECK_EQ(weir_blocks_init(&run.table, &like), 0);
	model_make(&run.model, slots, size / 2, n);
	run.grads = grads;
	begin(any(65536));
}

static void unmake(void)
{
	weir_blocks_uninit(&run.table);
	model_unmake(&run.model);
}

/* Sums on the wire, as the module's pages have them. */
static bool same_bits(const struct weir_result *res, const u32 *bits)
{
	unsigned int i, n;

	for (i = 0; i < res->count; i += n) {
		n = min(res->count - i, 1024U);
		if (memcmp(res->pages[i / 1024]->data, bits + i, 4 * n))
			return false;
	}
	return true;
}

static void sums_on_the_wire(const struct model_block *b, u32 *bits)
{
	unsigned int i;

	for (i = 0; i < b->count; i++)
		bits[i] = b->little ? (u32)b->sum[i] : htonl(b->sum[i]);
}

static bool same_mask(const unsigned long *mask, const bool *in)
{
	unsigned int i;

	for (i = 0; i < WEIR_SOURCES_MAX; i++)
		if (test_bit(i, mask) != (i < MODEL_SOURCES && in[i]))
			return false;
	return true;
}

static const unsigned long no_source[BITS_TO_LONGS(WEIR_SOURCES_MAX)];

/* All that a result says but its sums. */
static bool same_description(const struct weir_result *res,
			     const struct model_block *b)
{
	return CHECK_EQ(res->id, b->id) &&
	       CHECK_EQ(res->generation, (u16)b->generation) &&
	       CHECK_EQ(res->count, b->count) &&
	       CHECK_EQ(res->received, b->received) &&
	       CHECK_EQ(res->overflow, b->overflow) &&
	       CHECK_EQ(res->aged, b->aged) &&
	       CHECK_EQ(res->degraded, b->received < run.model.sources) &&
	       CHECK_EQ(res->start, b->start) &&
	       CHECK(same_mask(res->has_briefs ? res->brief : no_source, b->brief)) &&
	       CHECK(same_mask(res->mask, b->in));
}

static struct reader *free_reader(void)
{
	struct reader *r = &run.reader[any(READERS)];

	return r->is_there ? NULL : r;
}

static void keep(struct reader *r, const struct weir_result *res,
		 const struct model_block *b)
{
	r->is_there = true;
	r->res = *res;
	sums_on_the_wire(b, r->bits);
	r->memory = b->memory;
	model_hold(r->memory);
}

/* It has read the same bytes up to the end. */
static void let_go(struct reader *r)
{
	if (!r->is_there)
		return;
	CHECK(same_bits(&r->res, r->bits));
	model_put(r->memory);
	weir_result_put(&r->res);
	r->is_there = false;
}

static void let_all_go(void)
{
	unsigned int i;

	for (i = 0; i < READERS; i++)
		let_go(&run.reader[i]);
}

static void check_result(struct weir_result *res, const struct model_block *b)
{
	static u32 bits[MODEL_GRADS];
	struct reader *r = one_in(4) ? free_reader() : NULL;

	same_description(res, b);
	run.seen[SEEN_LEFT] += res->generation != (u16)run.model.now.generation;
	CHECK_EQ(res->npages, model_pages_of(b->count));
	sums_on_the_wire(b, bits);
	CHECK(same_bits(res, bits));
	run.seen[SEEN_OVERFLOW] += res->overflow;
	run.seen[SEEN_DEGRADED] += res->degraded;
	if (r)
		keep(r, res, b);
	else
		weir_result_put(res);
}

static void see(int verdict)
{
	run.seen[verdict < 0 ? SEEN_REASON - verdict : SEEN_VERDICT + verdict]++;
}

/* Small ones, as a rule, and such that sums overflow now and then. */
static s32 any_value(void)
{
	static const s32 large[] = { 1 << 30, -(1 << 30), INT32_MAX, INT32_MIN,
				     1 << 27, -(1 << 27) - 1 };

	if (one_in(128))
		return large[any(ARRAY_SIZE(large))];
	return (s32)any(2000001) - 1000000;
}

static u16 any_generation(void)
{
	u16 current = run.model.now.generation;

	if (one_in(8) && run.model.before.generation)
		return run.model.before.generation;
	if (one_in(128))
		return current - 1 - any(32767);
	if (one_in(512))
		return current + 1 + any(32767);
	return current;
}

static u32 any_id(u16 generation)
{
	if (generation != (u16)run.model.now.generation)
		return run.model.block[any(run.model.slots)].id + !any(4);
	if (one_in(2000))
		return run.base + any(1 << 30) - (1 << 29);
	return run.base + any(2 * run.model.slots + 2) - 2;
}

/* A block's own number, from which few packets differ. */
static u16 count_of(u32 id)
{
	u16 count = id * 2654435761U % 13 + 1;

	if (id % 64 == 7)
		count = 1022 + id / 64 % 9;
	count = min(count, run.grads);
	return one_in(64) ? count % run.grads + 1 : count;
}

static struct weir_block_key any_key(bool query)
{
	u16 generation = any_generation();
	u32 id = any_id(generation);

	return (struct weir_block_key){
		.id = id, .generation = generation,
		.source = any(run.model.sources),
		.count = query ? 0 : count_of(id),
		.little = (id & 1) ^ one_in(64),
		.shares = query ? 0 : (one_in(4) ? WEIR_CONTRIB_EMPTY : 0) | (one_in(4) ? WEIR_CONTRIB_BRIEF : 0),
	};
}

/* Gradients in one to three pieces, in the bytes of the wire. */
static struct weir_payload any_payload(const struct weir_block_key *key,
				       s32 *grads)
{
	static u32 packet[MODEL_GRADS];
	struct weir_payload pl = { .n = 0 };
	u32 i, n, len = 4 * key->count;
	u8 *at = (u8 *)packet;

	for (i = 0; i < key->count; i++) {
		grads[i] = any_value();
		packet[i] = key->little ? (u32)grads[i] : htonl(grads[i]);
	}
	while (len) {
		n = pl.n == 2 ? len : 1 + any(len);
		pl.seg[pl.n++] = (struct weir_seg){ at, n };
		at += n;
		len -= n;
	}
	return pl;
}

/* Checks the report of a result that keeps a packet out. */
static void check_retained(const struct weir_outcome *out,
			   const struct model_outcome *want)
{
	CHECK_EQ(out->retained, want->retained);
	if (out->retained)
		CHECK_EQ(out->retained_seq, want->retained_seq);
	run.seen[SEEN_RETAINED] += out->retained;
}

static void contribute(void)
{
	static s32 grads[MODEL_GRADS];
	struct weir_block_key key = any_key(false);
	struct weir_payload pl = any_payload(&key, grads);
	u64 now = one_in(64) ? mock_ns - any(50) : mock_ns;
	struct weir_outcome out = { };
	struct model_outcome want;
	int verdict;

	run.model.no_memory = one_in(8);
	if (run.model.no_memory)
		mock_fail_after = 0;
	want = model_contribute(&run.model, &key, grads, now);
	verdict = weir_block_contribute(&run.table, &key, &pl, now, &out);
	mock_fail_after = -1;
	see(verdict);
	run.seen[SEEN_ABANDONED] += out.abandoned;
	if (!CHECK_EQ(verdict, want.verdict))
		return;
	CHECK_EQ(out.opened, want.opened);
	CHECK_EQ(out.abandoned, want.abandoned);
	check_retained(&out, &want);
	CHECK_EQ(out.replaced, want.replaced ? run.table.unit : 0);
	run.seen[SEEN_REPLACED] += want.replaced;
	if (verdict < 0)
		return;
	CHECK_EQ(out.evicted, want.evicted);
	run.seen[SEEN_EVICTED] += want.evicted;
	CHECK_EQ(out.lateness, want.lateness);
	if (verdict <= WEIR_VERDICT_COMPLETE)
		CHECK_EQ(out.received, want.received);
	if (verdict != WEIR_VERDICT_SUMMED)
		check_result(&out.res, model_slot(&run.model, &key));
}

static void query(void)
{
	struct weir_block_key key = any_key(true);
	struct weir_outcome out = { };
	struct model_outcome want;
	int verdict;

	want = model_query(&run.model, &key, mock_ns);
	verdict = weir_block_query(&run.table, &key, mock_ns, &out);
	see(verdict);
	if (!CHECK_EQ(verdict, want.verdict))
		return;
	check_retained(&out, &want);
	if (verdict == WEIR_VERDICT_REPEAT)
		check_result(&out.res, model_slot(&run.model, &key));
	else if (verdict >= 0)
		CHECK_EQ(out.received, want.received);
}

static void age(u32 slot, const struct weir_ageing *ageing)
{
	struct model_block *b = &run.model.block[slot];
	struct weir_block *block = weir_blocks_slot(&run.table, slot);
	struct weir_result res;
	enum weir_age found, want;

	CHECK_EQ(weir_block_due(&run.table, block, ageing),
		 model_due(&run.model, b, ageing));
	want = model_age(&run.model, b, ageing, mock_ns);
	found = weir_block_age(&run.table, block, ageing, mock_ns, &res);
	run.seen[SEEN_AGE + found]++;
	if (!CHECK_EQ(found, want))
		return;
	if (found == WEIR_AGE_ANSWERED || found == WEIR_AGE_DONE)
		check_result(&res, b);
	else if (found == WEIR_AGE_COUNTED)
		CHECK(same_description(&res, b) && !res.npages);
}

static void age_some(void)
{
	static const u64 timeouts[] = { 0, 1, 100, 1000, 10000 };
	struct weir_ageing ageing = {
		.timeout	= timeouts[any(ARRAY_SIZE(timeouts))],
		.grace		= any(400),
		.answer		= any(3),
	};
	u32 i;

	if (any(8)) {
		age(any(run.model.slots), &ageing);
		return;
	}
	for (i = 0; i < run.model.slots; i++)
		age(i, &ageing);
}

static void look(void)
{
	u32 slot = any(run.model.slots);
	struct model_block *b = &run.model.block[slot];
	struct weir_result res;
	bool open;

	open = weir_block_look(&run.table, weir_blocks_slot(&run.table, slot), &res);
	if (!CHECK_EQ(open, model_is_open(&run.model, b)) || !open)
		return;
	CHECK(same_description(&res, b) && !res.npages);
}

static void advance(u16 ahead)
{
	begin(run.model.now.generation + ahead);
}

/* One further, far ahead, back, or once around all that 16 bits can say. */
static void other_generation(void)
{
	switch (any(8)) {
	case 0:
		advance(32767);
		advance(32767);
		advance(2);
		run.seen[SEEN_CIRCLE]++;
		break;
	case 1:
		advance(1 + any(32767));
		break;
	case 2:
		advance(-1 - any(32767));
		break;
	default:
		advance(1);
		break;
	}
}

/* Sources go and come, more often the latter. */
static void other_sources(void)
{
	unsigned int i = any(run.model.sources);

	if (one_in(4)) {
		run.model.absent[i] = true;
		weir_retention_leave(&run.table.retention, i);
	} else {
		model_return(&run.model, i);
		weir_retention_return(&run.table.retention, i);
	}
	run.model.excluded[i] = one_in(8);
	if (run.model.excluded[i])
		set_bit(i, run.table.excluded);
	else
		clear_bit(i, run.table.excluded);
}

static void acknowledge_to(unsigned int source, u32 id, bool present)
{
	s64 at = model_place(&run.model, id);
	bool taken;

	taken = weir_retention_ack(&run.table.retention, source, run.table.gens.base + id, present);
	CHECK_EQ(taken, model_ack(&run.model, source, at, present));
	run.seen[taken ? SEEN_ACKED : SEEN_NOT_ACKED]++;
}

static void acknowledge(void)
{
	u32 id = any_id(run.model.now.generation);

	acknowledge_to(any(run.model.sources), id, one_in(2));
}

/* A worker that was left behind resumes after the last block of the others. */
static void resume(void)
{
	const struct model_epoch *now = &run.model.now;
	unsigned int source = 0;

	while (source < run.model.sources && !run.model.behind[source])
		source++;
	if (source == run.model.sources || run.model.front < now->first)
		return;
	acknowledge_to(source, now->start + (u32)(run.model.front + 1 - now->first), true);
	run.seen[SEEN_RESUMED] += !run.model.behind[source];
}

/* Change the time after which results are evicted. If they never are, the job waits for all sources. */
static void other_policy(void)
{
	static const u64 after[] = { U64_MAX, 0, 100, 1000 };

	run.model.evict_after = after[any(ARRAY_SIZE(after))];
	run.table.retention.evict_after = run.model.evict_after;
	if (run.model.evict_after != U64_MAX)
		return;
	memset(run.model.straggles, 0, sizeof(run.model.straggles));
	memset(run.model.retried, 0, sizeof(run.model.retried));
	weir_retention_wait_for_all(&run.table.retention);
}

static void other_quorum(void)
{
	run.model.quorum = one_in(2) ? 0 : any(run.model.sources + 1);
	run.table.quorum = run.model.quorum;
}

static void step(void)
{
	u32 dice = any(1000);

	mock_ns += any(20);
	if (one_in(4 * run.model.sources))
		run.base++;
	if (dice < 700)
		contribute();
	else if (dice < 730)
		acknowledge();
	else if (dice < 740)
		resume();
	else if (dice < 830)
		query();
	else if (dice < 880)
		age_some();
	else if (dice < 900)
		look();
	else if (dice < 980)
		let_go(&run.reader[any(READERS)]);
	else if (dice < 990)
		other_sources();
	else if (dice < 993)
		other_quorum();
	else if (dice < 995)
		other_policy();
	else if (dice < 998)
		other_generation();
	else if (one_in(4)) {
		unmake();
		make();
	}
}

/* Pieces of memory of the table, whose number never changes. */
static long pages_of_table(void)
{
	return run.table.size * run.table.pages / run.table.unit;
}

static bool is_in_table(const struct page *head)
{
	struct weir_block *block;
	unsigned int p;
	u32 i;

	for (i = 0; i < run.table.size; i++) {
		block = weir_blocks_slot(&run.table, i);
		for (p = 0; p < run.table.pages; p++)
			if (block->pages[p]->head == head)
				return true;
	}
	return false;
}

/* Return true if no earlier page of the readers is the same as this one. */
static bool is_first(unsigned int reader, unsigned int page)
{
	unsigned int r, p;

	for (r = 0; r <= reader; r++)
		for (p = 0; run.reader[r].is_there && p < run.reader[r].res.npages; p++)
			if (run.reader[r].res.pages[p]->head ==
			    run.reader[reader].res.pages[page]->head)
				return r == reader && p == page;
	return false;
}

/* Pages that were left to readers, by tables that are gone, too. */
static long pages_left(void)
{
	unsigned int r, p;
	long n = 0;

	for (r = 0; r < READERS; r++)
		for (p = 0; run.reader[r].is_there && p < run.reader[r].res.npages; p++)
			n += is_first(r, p) && !is_in_table(run.reader[r].res.pages[p]->head);
	return n;
}

/* Sources of which something is known. */
static bool same_sources(void)
{
	const struct weir_retention *ret = &run.table.retention;
	unsigned int i;

	for (i = 0; i < run.model.sources; i++) {
		if (!CHECK_EQ(test_bit(i, ret->behind), run.model.behind[i]) ||
		    !CHECK_EQ(test_bit(i, ret->stragglers), run.model.straggles[i]))
			return false;
		run.seen[SEEN_RETRIED] += run.model.retried[i];
		run.seen[SEEN_BEHIND] += run.model.behind[i];
		run.seen[SEEN_STRAGGLES] += run.model.straggles[i];
	}
	return true;
}

static bool agree(void)
{
	return CHECK_EQ(weir_blocks_open(&run.table),
			model_count_open(&run.model)) &&
	       CHECK_EQ(run.table.gens.now & 0xffff,
			run.model.now.generation & 0xffff) &&
	       CHECK_EQ(mock_pages, pages_of_table() + pages_left()) &&
	       same_sources() && CHECK_EQ(mock_locks, 0) && !ktap_failed();
}

#define SEEN(what, least) \
	CHECK(run.seen[what] >= (least))

static void check_seen(void)
{
	static const u8 reasons[] = {
		WEIR_REASON_COUNT, WEIR_REASON_GENERATION, WEIR_REASON_STALE,
		WEIR_REASON_BUSY, WEIR_REASON_DUPLICATE, WEIR_REASON_AHEAD,
	};
	unsigned int i;

	for (i = 0; i <= WEIR_VERDICT_WANTED; i++)
		SEEN(SEEN_VERDICT + i, 1000);
	for (i = 0; i < ARRAY_SIZE(reasons); i++)
		SEEN(SEEN_REASON + reasons[i], 1000);
	SEEN(SEEN_REASON + WEIR_REASON_NOMEM, 100);
	SEEN(SEEN_AGE + WEIR_AGE_SWEPT, 100);
	SEEN(SEEN_AGE + WEIR_AGE_COUNTED, 1000);
	SEEN(SEEN_AGE + WEIR_AGE_ANSWERED, 1000);
	SEEN(SEEN_AGE + WEIR_AGE_DONE, 1000);
	SEEN(SEEN_OVERFLOW, 1000);
	SEEN(SEEN_DEGRADED, 1000);
	SEEN(SEEN_ABANDONED, 100);
	SEEN(SEEN_RETAINED, 1000);
	SEEN(SEEN_EVICTED, 1000);
	SEEN(SEEN_REPLACED, 1000);
	SEEN(SEEN_BEHIND, 1000);
	SEEN(SEEN_STRAGGLES, 1000);
	SEEN(SEEN_RETRIED, 1000);
	SEEN(SEEN_LATER, 100);
	SEEN(SEEN_ACKED, 1000);
	SEEN(SEEN_NOT_ACKED, 100);
	SEEN(SEEN_RESUMED, 100);
	SEEN(SEEN_CIRCLE, 100);
	SEEN(SEEN_LEFT, 100);
}

static void model_and_module_agree(void)
{
	long i;

	weir_vector_init();
	memset(&run, 0, sizeof(run));
	run.random = ktap_seed();
	make();
	for (i = 0; i < STEPS; i++) {
		step();
		if (!agree()) {
			printf("# they part at step %ld\n", i);
			break;
		}
	}
	let_all_go();
	unmake();
	CHECK_EQ(mock_pages, 0);
	if (i == STEPS)
		check_seen();
}

const struct ktap_test model_tests[] = {
	KTAP_TEST(model_and_module_agree),
};
SUITE_END(model);

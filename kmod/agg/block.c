// SPDX-License-Identifier: GPL-2.0
/*
 * The block table of a job: sums contributions, detects complete and aged blocks, and keeps
 * a result until no source needs it and another block needs the slot.
 */
#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/gfp.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <net/inet_ecn.h>

#include "base/payload.h"
#include "agg/block.h"
#include "agg/pair.h"
#include "type/reduce.h"

static u16 weir_blocks_stride(const struct weir_blocks_config *config, unsigned int pages)
{
	size_t bytes = offsetof(struct weir_block, pages[pages]) +
		       ALIGN(config->marking.size, sizeof(u64)) +
		       BITS_TO_LONGS(config->ranks) * sizeof(long);

	if (config->above)
		bytes += BITS_TO_LONGS(config->sources) * sizeof(long);
	if (config->repeat_after)
		bytes += config->sources * sizeof(u64);
	return ALIGN(bytes, SMP_CACHE_BYTES);
}

static void *weir_block_mark(const struct weir_blocks *blocks,
			     const struct weir_block *block)
{
	return (void *)&block->pages[blocks->pages];
}

/* The ranks that are in it. */
static unsigned long *weir_block_ranks(const struct weir_blocks *blocks,
				       const struct weir_block *block)
{
	return weir_block_mark(blocks, block) + ALIGN(blocks->marking.size, sizeof(u64));
}

/* In a table with a parent, the sources that wait for the parent's reply. */
static unsigned long *weir_block_askers(const struct weir_blocks *blocks,
					const struct weir_block *block)
{
	return weir_block_ranks(blocks, block) + BITS_TO_LONGS(blocks->ranks);
}

/* When a result was last repeated to a source. */
static u64 *weir_block_repeated(const struct weir_blocks *blocks,
				const struct weir_block *block, u16 source)
{
	unsigned int askers = blocks->above ? BITS_TO_LONGS(blocks->sources) : 0;

	return (u64 *)(weir_block_askers(blocks, block) + askers) + source;
}

/* A result of two pages is one piece of memory, for those who send and read it. */
static unsigned int weir_blocks_unit(const struct weir_blocks_config *config)
{
	return weir_reduction_bytes(config->reduction, config->grads) > PAGE_SIZE ? 2 : 1;
}

static unsigned int weir_blocks_pages(const struct weir_blocks_config *config)
{
	return round_up(weir_reduction_pages(config->reduction, config->grads),
			weir_blocks_unit(config));
}

static u64 weir_blocks_slot_bytes(const struct weir_blocks_config *config)
{
	return weir_blocks_pages(config) * PAGE_SIZE;
}

/**
 * weir_blocks_slots() - how many slots a table has that retains results in so much memory
 * @config: its other properties
 * @retain: bytes, beyond those of blocks that may be open
 *
 * Return: a power of two, WEIR_BLOCKS_MAX at most or as many as may be open.
 */
u32 weir_blocks_slots(const struct weir_blocks_config *config, u64 retain)
{
	u64 slots = config->size + div64_u64(retain, weir_blocks_slot_bytes(config));

	return max_t(u32, config->size, rounddown_pow_of_two(min_t(u64, slots, WEIR_BLOCKS_MAX)));
}

/**
 * weir_blocks_slots_default() - how many slots a table has unless told otherwise
 * @config: its other properties
 *
 * Results take three times the memory of open blocks, or as much of WEIR_RETAIN_DEFAULT_MAX as the
 * size of the table, a power of two, allows.
 */
u32 weir_blocks_slots_default(const struct weir_blocks_config *config)
{
	u64 retain = 3 * config->size * weir_blocks_slot_bytes(config);

	return weir_blocks_slots(config, min_t(u64, retain, WEIR_RETAIN_DEFAULT_MAX));
}

/**
 * weir_blocks_retain() - get the memory of retained results
 * @blocks: the table
 *
 * Return: bytes, beyond those of blocks that may be open.
 */
u64 weir_blocks_retain(const struct weir_blocks *blocks)
{
	return (u64)(blocks->size - blocks->open_max) * blocks->pages * PAGE_SIZE;
}

/**
 * weir_blocks_bytes() - memory that a table's pages and slots take
 * @config: its properties
 */
u64 weir_blocks_bytes(const struct weir_blocks_config *config)
{
	unsigned int pages = weir_blocks_pages(config);

	return (u64)config->slots * (pages * PAGE_SIZE + weir_blocks_stride(config, pages));
}

static int weir_block_init(struct weir_block *block, unsigned int pages, unsigned int unit)
{
	unsigned int i;

	spin_lock_init(&block->lock);
	for (i = 0; i < pages; i += unit)
		if (weir_pool_alloc(&block->pages[i], unit))
			return -ENOMEM;
	return 0;
}

/**
 * weir_blocks_init() - make a table with all its memory
 * @blocks: the table, zeroed
 * @config: its properties; without a size it has no memory, and may be asked for what it has
 *
 * Sleeps. Return: 0 or -ENOMEM, and nothing is left behind.
 */
int weir_blocks_init(struct weir_blocks *blocks, const struct weir_blocks_config *config)
{
	u32 i;

	weir_generations_init(&blocks->gens);
	blocks->size = config->slots;
	blocks->open_max = config->size;
	blocks->unit = weir_blocks_unit(config);
	blocks->reduction = config->reduction;
	blocks->marking = config->marking;
	blocks->paired = config->paired;
	blocks->repeat_after = config->repeat_after;
	blocks->sources = config->sources;
	blocks->ranks = config->ranks;
	blocks->above = config->above;
	/* A single number is never too large. */
	blocks->bias = weir_reduce_bias(config->modular ? 1 : config->sources);
	bitmap_set(blocks->all, 0, config->sources);
	if (!config->size)
		return 0;
	blocks->pages = weir_blocks_pages(config);
	blocks->stride = weir_blocks_stride(config, blocks->pages);
	blocks->slot = kvcalloc(blocks->size, blocks->stride, WEIR_POOL_GFP);
	if (!blocks->slot)
		return -ENOMEM;
	if (weir_retention_init(&blocks->retention, config->sources, blocks->size,
				blocks->open_max / 2))
		goto nomem;

	for (i = 0; i < blocks->size; i++) {
		if (weir_block_init(weir_blocks_slot(blocks, i), blocks->pages, blocks->unit))
			goto nomem;
		cond_resched();
	}
	return 0;

nomem:
	weir_blocks_uninit(blocks);
	return -ENOMEM;
}

/**
 * weir_blocks_uninit() - free a table
 * @blocks: the table, which no packet can reach any more
 *
 * Sleeps. Receivers free the pages that they still hold.
 */
void weir_blocks_uninit(struct weir_blocks *blocks)
{
	struct weir_block *block;
	unsigned int p;
	u32 i;

	for (i = 0; i < blocks->size; i++) {
		block = weir_blocks_slot(blocks, i);
		for (p = 0; p < blocks->pages; p += blocks->unit)
			if (block->pages[p])
				put_page(block->pages[p]);
		cond_resched();
	}
	weir_retention_uninit(&blocks->retention);
	kvfree(blocks->slot);
	blocks->slot = NULL;
}

/* It has no result yet. */
static bool weir_block_is_pending(const struct weir_block *block)
{
	u8 state = READ_ONCE(block->state);

	return state == WEIR_BLOCK_OPEN || state == WEIR_BLOCK_ABOVE;
}

/**
 * weir_blocks_open() - how many blocks are open
 * @blocks: the table
 *
 * Sleeps. Counted on request, so that packets need not count it.
 */
u32 weir_blocks_open(struct weir_blocks *blocks)
{
	u32 generation = READ_ONCE(blocks->gens.now);
	u32 i, n = 0;

	for (i = 0; i < blocks->size; i++) {
		const struct weir_block *block = weir_blocks_slot(blocks, i);

		n += weir_block_is_pending(block) &&
		     (blocks->paired || READ_ONCE(block->generation) == generation);
		if (!(i & 1023))
			cond_resched();
	}
	return n;
}

/*
 * A block of another generation than the current one is older, however many
 * generations ago it was: no slot is ever opened for a newer one. Of pairs every block is
 * current until its next turn.
 */
static bool weir_block_is_current(const struct weir_blocks *blocks,
				  const struct weir_block *block)
{
	return block->state != WEIR_BLOCK_FREE &&
	       (blocks->paired || block->generation == READ_ONCE(blocks->gens.now));
}

/*
 * A packet that was under way when its job was set up again may have opened a block that its source
 * has the result of by now, so that it never completes. When all sources have shown that they
 * have the result, the block is given up.
 */
static bool weir_block_is_left_over(const struct weir_blocks *blocks)
{
	u32 resumed = READ_ONCE(blocks->gens.resumed);

	return resumed && resumed == READ_ONCE(blocks->gens.now);
}

/* May what a slot holds be evicted though some source lacks its result? */
static bool weir_block_may_evict(const struct weir_blocks *blocks,
				 const struct weir_block *block, u64 now)
{
	u64 after = READ_ONCE(blocks->retention.evict_after);

	return after != U64_MAX && !weir_block_is_pending(block) &&
	       (block->state != WEIR_BLOCK_COMPLETE || now >= block->done + after);
}

/*
 * May the block that @key names take this slot? A source may lie about how far ahead it is: a block
 * that no source is near is refused without a trace. A block that has no result yet stays; so does
 * a result that some source lacks, in this slot or not, until it may be evicted.
 */
static int weir_block_may_open(struct weir_blocks *blocks,
			       const struct weir_block *block,
			       const struct weir_block_key *key,
			       const struct weir_place *place, u64 now,
			       struct weir_outcome *out)
{
	bool current_slot = weir_block_is_current(blocks, block);
	struct weir_retention *ret = &blocks->retention;
	enum weir_admission admission;

	/* A block before the generation's first is not opened: it would stay in its slot. */
	if (current_slot ? (s32)(key->id - block->id) < 0 : place->past)
		return -WEIR_REASON_STALE;
	admission = weir_retention_admit(ret, key->source, place->seq);
	if (admission == WEIR_ADMIT_BEYOND)
		return -WEIR_REASON_AHEAD;
	weir_retention_sent(ret, key->source, place->seq, key->count);
	if (admission == WEIR_ADMIT_HELD) {
		out->evicted = weir_block_may_evict(blocks, block, now);
		out->retained = !out->evicted;
		out->retained_seq = place->seq - blocks->size;
		return out->evicted ? 0 : -WEIR_REASON_BUSY;
	}
	/* A source at this block has the result that the slot held a table earlier. */
	return current_slot && weir_block_is_pending(block) && !weir_block_is_left_over(blocks) ?
	       -WEIR_REASON_BUSY : 0;
}

/* A block takes its slot. */
static int weir_block_begin(struct weir_blocks *blocks, struct weir_block *block,
			    const struct weir_block_key *key, u32 generation, u64 now,
			    struct weir_outcome *out)
{
	int left = weir_pool_refresh(block->pages,
				     weir_reduction_pages(blocks->reduction, key->count),
				     blocks->unit);

	if (left < 0)
		return -WEIR_REASON_NOMEM;
	out->replaced = left;
	out->opened = true;
	out->abandoned = weir_block_is_pending(block);
	block->id = key->id;
	WRITE_ONCE(block->generation, generation);
	block->overflow = false;
	block->aged = false;
	block->unsent = false;
	block->has_exponent = key->has_exponent;
	block->unlike = false;
	block->count = key->count;
	block->received = 0;
	block->asked = 0;
	block->exponent = key->exponent;
	block->ecn = key->ecn;
	WRITE_ONCE(block->start, now);
	bitmap_zero(block->mask, WEIR_SOURCES_MAX);
	bitmap_zero(block->late, WEIR_SOURCES_MAX);
	if (blocks->ranks)
		bitmap_zero(weir_block_ranks(blocks, block), blocks->ranks);
	if (blocks->above)
		bitmap_zero(weir_block_askers(blocks, block), blocks->sources);
	WRITE_ONCE(block->state, WEIR_BLOCK_OPEN);
	return 0;
}

static int weir_block_open(struct weir_blocks *blocks, struct weir_block *block,
			   const struct weir_block_key *key,
			   const struct weir_place *place, u64 now,
			   struct weir_outcome *out)
{
	int err = weir_block_may_open(blocks, block, key, place, now, out) ?:
		  weir_block_begin(blocks, block, key, place->generation, now, out);

	if (err)
		return err;
	block->seq = place->seq;
	weir_retention_opened(&blocks->retention, place->seq);
	if (unlikely(out->evicted))
		out->evicted = weir_retention_evict(&blocks->retention, key->source,
						    out->retained_seq);
	return 0;
}

static __always_inline void weir_block_sum(const struct weir_blocks *blocks,
					   struct weir_block *block,
					   const struct weir_payload *pl)
{
	const struct weir_reduction *reduction = blocks->reduction;
	u32 guard;

	if (!block->received) {
		guard = weir_reduce_set(reduction, block->pages, pl, block->count,
					blocks->bias);
		block->wide = weir_reduce_wide(guard, blocks->bias);
		return;
	}
	guard = weir_reduce_add(reduction, block->pages, pl, block->count,
				blocks->bias);
	if (likely(!block->wide && !weir_reduce_wide(guard, blocks->bias)))
		return;
	block->wide = true;
	if (weir_reduce_check(reduction, block->pages, pl, block->count))
		block->overflow = true;
}

/* A result of a job that spans boxes states ranks. */
static noinline void weir_block_describe_ranks(const struct weir_blocks *blocks,
					       const struct weir_block *block,
					       struct weir_result *res)
{
	bitmap_copy(res->ranks, weir_block_ranks(blocks, block), blocks->ranks);
	res->received = bitmap_weight(res->ranks, blocks->ranks);
	res->degraded = res->received < blocks->ranks;
}

/* ECT(1) is not the same as ECT(0) to a queue (RFC 9331): no result says that it is of those. */
static u8 weir_block_result_ecn(const struct weir_block *block)
{
	return block->ecn == INET_ECN_ECT_1 ? INET_ECN_ECT_0 : block->ecn;
}

/* All of a result but its sums. */
static void weir_block_describe(const struct weir_blocks *blocks,
				const struct weir_block *block,
				struct weir_result *res)
{
	res->id = block->id;
	res->generation = block->generation;
	res->count = block->count;
	res->len = weir_reduction_bytes(blocks->reduction, block->count);
	res->received = block->received;
	res->overflow = block->overflow;
	res->aged = block->aged;
	res->degraded = block->received < blocks->sources;
	res->has_exponent = block->has_exponent;
	res->unlike = block->unlike;
	res->exponent = block->exponent;
	res->ecn = weir_block_result_ecn(block);
	res->start = block->start;
	bitmap_copy(res->mask, block->mask, WEIR_SOURCES_MAX);
	res->above = block->state == WEIR_BLOCK_ABOVE;
	if (blocks->ranks)
		weir_block_describe_ranks(blocks, block, res);
	if (blocks->marking.size)
		memcpy(res->mark, weir_block_mark(blocks, block), blocks->marking.size);
	res->npages = 0;
}

static void weir_block_result(const struct weir_blocks *blocks,
			      const struct weir_block *block,
			      struct weir_result *res)
{
	unsigned int i;

	weir_block_describe(blocks, block, res);
	res->npages = DIV_ROUND_UP(res->len, PAGE_SIZE);
	for (i = 0; i < res->npages; i++) {
		get_page(block->pages[i]);
		res->pages[i] = block->pages[i];
	}
}

/**
 * weir_result_put() - give a result's pages back
 * @res: the result
 */
void weir_result_put(struct weir_result *res)
{
	unsigned int i;

	for (i = 0; i < res->npages; i++)
		put_page(res->pages[i]);
}

/* No contribution is added any more: all copies of the result, or the sum, have these bits. */
static void weir_block_finish(const struct weir_blocks *blocks, struct weir_block *block,
			      u64 now, struct weir_result *res)
{
	weir_reduce_finish(blocks->reduction, block->pages, block->count);
	block->done = now;
	WRITE_ONCE(block->state, blocks->above ? WEIR_BLOCK_ABOVE : WEIR_BLOCK_COMPLETE);
	weir_block_result(blocks, block, res);
}

/* Return true if blocks do not wait for some source. Inlined, as each contribution runs it. */
static bool weir_blocks_skip(const struct weir_blocks *blocks)
{
	unsigned long any = atomic_read(&blocks->retention.straggling);
	const unsigned long *word = blocks->excluded;
	unsigned int i;

	for (i = 0; i < BITS_TO_LONGS(WEIR_SOURCES_MAX); i++)
		any |= READ_ONCE(word[i]);
	return any;
}

/* The number of contributions does not suffice, as sources that are not waited for may be in it. */
static noinline bool weir_block_has_the_rest(const struct weir_blocks *blocks,
					     const struct weir_block *block)
{
	DECLARE_BITMAP(in, WEIR_SOURCES_MAX);

	bitmap_or(in, block->mask, blocks->excluded, WEIR_SOURCES_MAX);
	bitmap_or(in, in, blocks->retention.stragglers, WEIR_SOURCES_MAX);
	return bitmap_subset(blocks->all, in, WEIR_SOURCES_MAX);
}

/* All sources that the block waits for are in. */
static bool weir_block_is_full(const struct weir_blocks *blocks,
			       const struct weir_block *block)
{
	return block->received == blocks->sources ||
	       (unlikely(weir_blocks_skip(blocks)) &&
		weir_block_has_the_rest(blocks, block));
}

static __always_inline bool weir_block_is_done(const struct weir_blocks *blocks,
					       const struct weir_block *block)
{
	u16 quorum = READ_ONCE(blocks->quorum);

	return (quorum && block->received >= quorum) ||
	       weir_block_is_full(blocks, block);
}

static struct weir_block *weir_block_at(struct weir_blocks *blocks, u32 seq)
{
	return weir_blocks_slot(blocks, weir_block_slot(blocks, seq));
}

static bool weir_block_is(const struct weir_block *block,
			  const struct weir_block_key *key, u32 generation)
{
	return block->state != WEIR_BLOCK_FREE && block->id == key->id &&
	       block->generation == generation;
}

/* Was a source sent the result so lately that it may not have had it when it sent this? */
static bool weir_block_is_early(const struct weir_blocks *blocks,
				const struct weir_block *block, u16 source, u64 now)
{
	u64 *repeated = weir_block_repeated(blocks, block, source);

	/* An older time is of another block that the slot had before. */
	if (now < max(block->last, *repeated) + blocks->repeat_after)
		return true;
	*repeated = now;
	return false;
}

/* The block is complete. A source that is not in it and contributes now is late. */
static int weir_block_repeat(const struct weir_blocks *blocks,
			     struct weir_block *block,
			     const struct weir_block_key *key, u64 now,
			     struct weir_result *res)
{
	if (blocks->repeat_after && weir_block_is_early(blocks, block, key->source, now))
		return -WEIR_REASON_DUPLICATE;
	weir_block_result(blocks, block, res);
	if (test_bit(key->source, block->mask) ||
	    __test_and_set_bit(key->source, block->late))
		return WEIR_VERDICT_REPEAT;
	return WEIR_VERDICT_LATE;
}

/*
 * Of the generation before only results are left, for sources that lack them. The same is so
 * of @place's generation where another began since the place was found.
 */
static bool weir_block_is_over(const struct weir_blocks *blocks,
			       const struct weir_place *place)
{
	return place->generation != READ_ONCE(blocks->gens.now);
}

static bool weir_block_is_left(const struct weir_block *block,
			       const struct weir_block_key *key,
			       const struct weir_place *place)
{
	return weir_block_is(block, key, place->generation) &&
	       block->state == WEIR_BLOCK_COMPLETE;
}

/*
 * Is the block in its slot? A source that names it shows how far it is. Returns 0 where it
 * is there, 1 where it might be opened, else a negated enum weir_reason.
 */
static __always_inline int weir_block_find(struct weir_blocks *blocks, struct weir_block *block,
					   const struct weir_block_key *key,
					   const struct weir_place *place)
{
	if (weir_block_is_over(blocks, place))
		return weir_block_is_left(block, key, place) ? 0 :
		       -WEIR_REASON_GENERATION;
	if (!weir_block_is(block, key, place->generation))
		return 1;
	weir_retention_sent(&blocks->retention, key->source, place->seq, key->count);
	return 0;
}

/* Of packets without exponents none comes by here. */
static noinline void weir_block_unlike(struct weir_block *block, s32 exponent)
{
	block->unlike = true;
	block->exponent = max(block->exponent, exponent);
}

/* What a contribution to a table with ranks stands for, and what a box says of its sum. */
static noinline void weir_block_add_ranks(const struct weir_blocks *blocks,
					  struct weir_block *block,
					  const struct weir_block_key *key)
{
	unsigned long *ranks = weir_block_ranks(blocks, block);

	bitmap_or(ranks, ranks, key->ranks, blocks->ranks);
	block->overflow |= key->overflow;
	block->unlike |= key->unlike;
}

/* A source has more to say to a block that is open no longer. */
static noinline int weir_block_take_closed(struct weir_blocks *blocks, struct weir_block *block,
					   const struct weir_block_key *key, u64 now,
					   struct weir_result *res)
{
	if (block->state == WEIR_BLOCK_COMPLETE)
		return weir_block_repeat(blocks, block, key, now, res);
	if (test_bit(key->source, block->mask) ||
	    __test_and_set_bit(key->source, block->late))
		return WEIR_VERDICT_ABOVE;
	return WEIR_VERDICT_LATE_ABOVE;
}

/* Where all packets have the same bits, which is so without congestion, none comes by here. */
static noinline void weir_block_fold_ecn(struct weir_block *block, u8 ecn)
{
	if (ecn == INET_ECN_CE || block->ecn == INET_ECN_CE)
		block->ecn = INET_ECN_CE;
	else if (!ecn || !block->ecn)
		block->ecn = INET_ECN_NOT_ECT;
	else
		block->ecn = INET_ECN_ECT_0;
}

/* The block that a contribution is for is in its slot. Each packet comes by here. */
static __always_inline int weir_block_take(struct weir_blocks *blocks,
					   struct weir_block *block,
					   const struct weir_block_key *key,
					   const struct weir_payload *pl, u64 now,
					   struct weir_outcome *out)
{
	if (key->count != block->count || key->has_exponent != block->has_exponent)
		return -WEIR_REASON_COUNT;
	out->lateness = now > block->start ? now - block->start : 0;
	if (block->state != WEIR_BLOCK_OPEN)
		return weir_block_take_closed(blocks, block, key, now, &out->res);
	if (__test_and_set_bit(key->source, block->mask))
		return -WEIR_REASON_DUPLICATE;

	weir_block_sum(blocks, block, pl);
	if (unlikely(key->exponent != block->exponent))
		weir_block_unlike(block, key->exponent);
	if (unlikely(key->ecn != block->ecn))
		weir_block_fold_ecn(block, key->ecn);
	if (blocks->marking.size)
		blocks->marking.fold(weir_block_mark(blocks, block), key->said,
				     !block->received);
	if (unlikely(blocks->ranks))
		weir_block_add_ranks(blocks, block, key);
	WRITE_ONCE(block->last, now);
	out->received = ++block->received;
	if (!weir_block_is_done(blocks, block))
		return WEIR_VERDICT_SUMMED;
	weir_block_finish(blocks, block, now, &out->res);
	return WEIR_VERDICT_COMPLETE;
}

static int weir_block_contribute_locked(struct weir_blocks *blocks,
					struct weir_block *block,
					const struct weir_block_key *key,
					const struct weir_place *place,
					const struct weir_payload *pl, u64 now,
					struct weir_outcome *out)
{
	int err;

	lockdep_assert_held(&block->lock);

	err = weir_block_find(blocks, block, key, place);
	if (err > 0)
		err = weir_block_open(blocks, block, key, place, now, out);
	return err ?: weir_block_take(blocks, block, key, pl, now, out);
}

/* All that is not set on each way; the result is filled with a verdict that has one. */
static void weir_outcome_begin(struct weir_outcome *out)
{
	out->opened = false;
	out->abandoned = false;
	out->evicted = false;
	out->retained = false;
	out->replaced = 0;
}

/**
 * weir_block_contribute() - sum one contribution
 * @blocks: the job's table
 * @key: the contribution and its block
 * @pl: its gradients, key->count of them
 * @now: time, ns of the monotonic clock
 * @out: further effects
 *
 * Called with bottom halves disabled; takes the slot's lock, and none under it. The caller
 * sends the result, after the lock is dropped.
 *
 * Return: enum weir_verdict, or a negated enum weir_reason: no sum has changed.
 */
int weir_block_contribute(struct weir_blocks *blocks,
			  const struct weir_block_key *key,
			  const struct weir_payload *pl, u64 now,
			  struct weir_outcome *out)
{
	struct weir_block *block;
	struct weir_place place;
	int verdict;

	weir_outcome_begin(out);
	if (!weir_generations_find(&blocks->gens, key->generation, key->id, &place))
		return -WEIR_REASON_GENERATION;
	out->seq = place.seq;
	block = weir_block_at(blocks, place.seq);
	spin_lock(&block->lock);
	verdict = weir_block_contribute_locked(blocks, block, key, &place, pl,
					       now, out);
	spin_unlock(&block->lock);
	return verdict;
}

/* The other one of its pair. */
static const struct weir_block *weir_block_other(const struct weir_blocks *blocks, u32 seq)
{
	return weir_blocks_slot(blocks, seq ^ blocks->size / 2);
}

static int weir_block_open_paired(struct weir_blocks *blocks, struct weir_block *block,
				  const struct weir_block_key *key, u64 now,
				  struct weir_outcome *out)
{
	const struct weir_block *other = weir_block_other(blocks, out->seq);
	int err = weir_pair_may_open(block, other, key) ?:
		  weir_block_begin(blocks, block, key, key->generation, now, out);

	if (!err)
		weir_pair_opened(block, other);
	return err;
}

/* Has the source been sent the result once, and not again? */
static bool weir_block_may_remind(const struct weir_blocks *blocks,
				  const struct weir_block *block, u16 source)
{
	return blocks->repeat_after && block->state == WEIR_BLOCK_COMPLETE &&
	       *weir_block_repeated(blocks, block, source) <= block->last;
}

static int weir_block_contribute_paired_locked(struct weir_blocks *blocks,
					       struct weir_block *block,
					       const struct weir_block_key *key,
					       const struct weir_payload *pl, u64 now,
					       struct weir_outcome *out)
{
	int err;

	lockdep_assert_held(&block->lock);

	err = weir_pair_find(block, weir_block_other(blocks, out->seq), key);
	if (err > 0)
		err = weir_block_open_paired(blocks, block, key, now, out);
	if (!err && key->claim == WEIR_CLAIM_REMIND &&
	    !weir_block_may_remind(blocks, block, key->source))
		err = -WEIR_REASON_AHEAD;
	/* Its block is in place, so that it is no more than a turn behind. */
	if (!err && unlikely(test_bit(key->source, blocks->retention.stragglers)))
		weir_retention_catch_up(&blocks->retention, key->source);
	return err ?: weir_block_take(blocks, block, key, pl, now, out);
}

/**
 * weir_block_contribute_paired() - sum one contribution to a block of a pair
 * @blocks: the job's table, which has pairs
 * @key: which contribution to which block
 * @pl: its gradients, key->count of them
 * @now: time, ns of the monotonic clock
 * @out: its further effects
 *
 * Context and return as weir_block_contribute().
 */
int weir_block_contribute_paired(struct weir_blocks *blocks, const struct weir_block_key *key,
				 const struct weir_payload *pl, u64 now,
				 struct weir_outcome *out)
{
	struct weir_block *block;
	int verdict;

	weir_outcome_begin(out);
	if (key->pair >= blocks->size / 2)
		return -WEIR_REASON_AHEAD;
	out->seq = key->pair + (key->second ? blocks->size / 2 : 0);
	block = weir_block_at(blocks, out->seq);
	spin_lock(&block->lock);
	verdict = weir_block_contribute_paired_locked(blocks, block, key, pl, now, out);
	spin_unlock(&block->lock);
	return verdict;
}

static int weir_block_spoil_locked(struct weir_blocks *blocks, struct weir_block *block,
				   const struct weir_block_key *key,
				   const struct weir_place *place, u64 now,
				   struct weir_outcome *out)
{
	lockdep_assert_held(&block->lock);

	if (!weir_block_is(block, key, place->generation) || weir_block_is_over(blocks, place) ||
	    block->state != WEIR_BLOCK_OPEN || __test_and_set_bit(key->source, block->mask))
		return -WEIR_REASON_COUNT;
	weir_block_unlike(block, S32_MAX);
	if (blocks->ranks)
		weir_block_add_ranks(blocks, block, key);
	weir_block_fold_ecn(block, key->ecn);
	WRITE_ONCE(block->last, now);
	block->received++;
	if (!weir_block_is_done(blocks, block))
		return WEIR_VERDICT_SUMMED;
	weir_block_finish(blocks, block, now, &out->res);
	return WEIR_VERDICT_COMPLETE;
}

/**
 * weir_block_spoil() - a contribution has another form than the block: its source is in it
 * @blocks: the job's table
 * @key: the contribution and its block; its gradients are left out
 * @now: time, ns of the monotonic clock
 * @out: as weir_block_contribute() has left it; the result is filled
 *
 * Context as weir_block_contribute(), which has refused the contribution for its count. The
 * sources do not agree, and the result tells all of them, so that none waits for ever.
 *
 * Return: WEIR_VERDICT_SUMMED or _COMPLETE; -WEIR_REASON_COUNT where the block is complete, or
 *	the source is in it already.
 */
int weir_block_spoil(struct weir_blocks *blocks, const struct weir_block_key *key, u64 now,
		     struct weir_outcome *out)
{
	struct weir_block *block;
	struct weir_place place;
	int verdict;

	if (!weir_generations_find(&blocks->gens, key->generation, key->id, &place))
		return -WEIR_REASON_COUNT;
	block = weir_block_at(blocks, place.seq);
	spin_lock(&block->lock);
	verdict = weir_block_spoil_locked(blocks, block, key, &place, now, out);
	spin_unlock(&block->lock);
	return verdict;
}

static int weir_block_query_locked(struct weir_blocks *blocks,
				   struct weir_block *block,
				   const struct weir_block_key *key,
				   const struct weir_place *place, u64 now,
				   struct weir_outcome *out)
{
	int err;

	lockdep_assert_held(&block->lock);

	out->received = 0;
	bitmap_zero(out->res.mask, WEIR_SOURCES_MAX);
	bitmap_zero(out->res.ranks, blocks->ranks);
	err = weir_block_find(blocks, block, key, place);
	if (err > 0)
		err = weir_block_may_open(blocks, block, key, place, now, out) ?:
		      WEIR_VERDICT_WANTED;
	if (err)
		return err;
	if (block->state == WEIR_BLOCK_COMPLETE) {
		weir_block_result(blocks, block, &out->res);
		return WEIR_VERDICT_REPEAT;
	}
	weir_block_describe(blocks, block, &out->res);
	out->received = out->res.received;
	if (block->state == WEIR_BLOCK_ABOVE)
		return WEIR_VERDICT_ABOVE;
	return test_bit(key->source, block->mask) ? WEIR_VERDICT_HELD :
						    WEIR_VERDICT_WANTED;
}

/**
 * weir_block_query() - does a source need a block's result, or has it?
 * @blocks: the job's table
 * @key: the source and the block
 * @now: time, ns of the monotonic clock
 * @out: the number of contributions, or the result
 *
 * Context as weir_block_contribute().
 *
 * Return: WEIR_VERDICT_REPEAT, _HELD, _WANTED or _ABOVE, or a negated enum weir_reason.
 */
int weir_block_query(struct weir_blocks *blocks,
		     const struct weir_block_key *key, u64 now, struct weir_outcome *out)
{
	struct weir_block *block;
	struct weir_place place;
	int verdict;

	weir_outcome_begin(out);
	if (!weir_generations_find(&blocks->gens, key->generation, key->id, &place))
		return -WEIR_REASON_GENERATION;
	out->seq = place.seq;
	block = weir_block_at(blocks, place.seq);
	spin_lock(&block->lock);
	verdict = weir_block_query_locked(blocks, block, key, &place, now, out);
	spin_unlock(&block->lock);
	return verdict;
}

/* The result may have another number of gradients where contributions were unlike. */
static bool weir_block_fits(const struct weir_block *block, const struct weir_block_key *key)
{
	return key->unlike || (key->count == block->count &&
			       key->has_exponent == block->has_exponent);
}

/* The parent's result takes the place of this box's sum. */
static int weir_block_answer_locked(struct weir_blocks *blocks, struct weir_block *block,
				    const struct weir_block_key *key, bool aged,
				    const struct weir_payload *pl, u64 now,
				    struct weir_outcome *out)
{
	u32 len = weir_reduction_bytes(blocks->reduction, key->count), at;
	int left;

	lockdep_assert_held(&block->lock);

	if (block->state == WEIR_BLOCK_COMPLETE)
		return -WEIR_REASON_DUPLICATE;
	if (!weir_block_fits(block, key))
		return -WEIR_REASON_COUNT;
	/* What was sent up may still be on its way. */
	left = weir_pool_refresh(block->pages, DIV_ROUND_UP(len, PAGE_SIZE), blocks->unit);
	if (left < 0)
		return -WEIR_REASON_NOMEM;
	out->replaced = left;
	for (at = 0; at < len; at += PAGE_SIZE)
		weir_payload_copy_from(pl, at, page_address(block->pages[at / PAGE_SIZE]),
				       min_t(u32, len - at, PAGE_SIZE));
	block->count = key->count;
	block->has_exponent = key->has_exponent;
	block->exponent = key->exponent;
	block->overflow = key->overflow;
	block->unlike = key->unlike;
	block->aged = aged;
	weir_block_fold_ecn(block, key->ecn);
	if (blocks->ranks)
		bitmap_copy(weir_block_ranks(blocks, block), key->ranks, blocks->ranks);
	if (blocks->marking.size)
		blocks->marking.fold(weir_block_mark(blocks, block), key->said, true);
	block->done = now;
	WRITE_ONCE(block->state, WEIR_BLOCK_COMPLETE);
	weir_block_result(blocks, block, &out->res);
	return WEIR_VERDICT_COMPLETE;
}

static int weir_block_answer_found(struct weir_blocks *blocks, struct weir_block *block,
				   const struct weir_block_key *key,
				   const struct weir_place *place, bool aged,
				   const struct weir_payload *pl, u64 now,
				   struct weir_outcome *out)
{
	if (weir_block_is_over(blocks, place) || !weir_block_is(block, key, place->generation))
		return -WEIR_REASON_STALE;
	return weir_block_answer_locked(blocks, block, key, aged, pl, now, out);
}

/**
 * weir_block_answer() - the parent box has a block's result
 * @blocks: the job's table, one with @above
 * @key: the block; its source means nothing, and @key->said is the result's packet
 * @aged: it has timed out there
 * @pl: the result, key->count gradients
 * @now: time, ns of the monotonic clock
 * @out: seq, replaced and res are filled for WEIR_VERDICT_COMPLETE; the caller puts the result
 *
 * Context as weir_block_contribute(). A block that this box has not completed is answered as well:
 * the others went on without it.
 *
 * Return: WEIR_VERDICT_COMPLETE, or a negated enum weir_reason: _STALE where the block is not in
 *	its slot, _DUPLICATE where it has its result.
 */
int weir_block_answer(struct weir_blocks *blocks, const struct weir_block_key *key, bool aged,
		      const struct weir_payload *pl, u64 now, struct weir_outcome *out)
{
	struct weir_block *block;
	struct weir_place place;
	int verdict;

	if (!weir_generations_find(&blocks->gens, key->generation, key->id, &place))
		return -WEIR_REASON_GENERATION;
	out->seq = place.seq;
	block = weir_block_at(blocks, place.seq);
	spin_lock(&block->lock);
	verdict = weir_block_answer_found(blocks, block, key, &place, aged, pl, now, out);
	spin_unlock(&block->lock);
	return verdict;
}

/*
 * The parent is asked about a block again when it has answered, or after so long, ms: as long as
 * workers wait at least before they ask again.
 */
#define WEIR_ASK_AGAIN	10

/**
 * weir_block_may_ask() - is the parent box to be asked about a block?
 * @blocks: the job's table
 * @seq: sequence number of the block, whose sum is with the parent
 * @source: the source that asks; the parent's reply goes to it, too, if there is one
 * @now: time, ns of the monotonic clock
 *
 * Context as weir_block_contribute(). Many sources ask about a block at about the same time: one
 * question goes up for them.
 */
bool weir_block_may_ask(struct weir_blocks *blocks, u32 seq, u16 source, u64 now)
{
	struct weir_block *block = weir_block_at(blocks, seq);
	u32 ms = (u32)div_u64(now, NSEC_PER_MSEC) ?: 1;
	bool may;

	spin_lock(&block->lock);
	__set_bit(source, weir_block_askers(blocks, block));
	may = !block->asked || ms - block->asked >= WEIR_ASK_AGAIN;
	if (may)
		block->asked = ms;
	spin_unlock(&block->lock);
	return may;
}

/* Return true if the block's sum is with the parent box, and the parent was asked about it. */
static bool weir_block_is_asked(const struct weir_blocks *blocks, const struct weir_block *block,
				const struct weir_block_key *key, const struct weir_place *place)
{
	lockdep_assert_held(&block->lock);

	return !weir_block_is_over(blocks, place) &&
	       weir_block_is(block, key, place->generation) &&
	       block->state == WEIR_BLOCK_ABOVE && block->asked;
}

/**
 * weir_block_replied() - the parent box has replied that it has no result yet
 * @blocks: the job's table
 * @key: the block
 * @res: filled with this box's sum if that is with the parent; the caller puts it
 * @askers: bitmap of the sources that have asked since the last reply, filled then; or NULL if
 *	this is no reply, but the sum is to be sent again all the same
 *
 * Context as weir_block_contribute(). A question has one reply, and the parent may be asked again:
 * who forges the parent's address cannot have this box send more than its sources have asked for.
 *
 * Return: whether there is a sum, and the parent was asked about it.
 */
bool weir_block_replied(struct weir_blocks *blocks, const struct weir_block_key *key,
			struct weir_result *res, unsigned long *askers)
{
	struct weir_block *block;
	struct weir_place place;
	bool above;

	if (!weir_generations_find(&blocks->gens, key->generation, key->id, &place))
		return false;
	block = weir_block_at(blocks, place.seq);
	spin_lock(&block->lock);
	above = weir_block_is_asked(blocks, block, key, &place);
	if (above && askers) {
		block->asked = 0;
		bitmap_copy(askers, weir_block_askers(blocks, block), blocks->sources);
		bitmap_zero(weir_block_askers(blocks, block), blocks->sources);
	}
	if (above)
		weir_block_result(blocks, block, res);
	spin_unlock(&block->lock);
	return above;
}

/**
 * weir_block_lose() - drop a block whose result the parent box has evicted
 * @blocks: the job's table
 * @key: the block
 * @askers: bitmap of the sources that have asked about it, filled
 *
 * Context as weir_block_contribute().
 *
 * Return: true if the sum was with the parent, and the parent was asked about it.
 */
bool weir_block_lose(struct weir_blocks *blocks, const struct weir_block_key *key,
		     unsigned long *askers)
{
	struct weir_block *block;
	struct weir_place place;
	bool lost;

	if (!weir_generations_find(&blocks->gens, key->generation, key->id, &place))
		return false;
	block = weir_block_at(blocks, place.seq);
	spin_lock(&block->lock);
	lost = weir_block_is_asked(blocks, block, key, &place);
	if (lost) {
		bitmap_copy(askers, weir_block_askers(blocks, block), blocks->sources);
		WRITE_ONCE(block->state, WEIR_BLOCK_FREE);
	}
	spin_unlock(&block->lock);
	return lost;
}

/**
 * weir_block_glance() - read the state of a block of the current generation
 * @blocks: the job's table
 * @id: block id
 * @source: source id
 * @glance: filled; all zeroes where the slot has another block, or none
 *
 * Context as weir_block_contribute(). Does not count as a sign that the source has results.
 */
void weir_block_glance(struct weir_blocks *blocks, u32 id, u16 source,
		       struct weir_glance *glance)
{
	const struct weir_block_key key = {
		.id		= id,
		.generation	= weir_blocks_generation(blocks),
	};
	struct weir_block *block;
	struct weir_place place;

	*glance = (struct weir_glance){};
	if (!weir_generations_find(&blocks->gens, key.generation, id, &place))
		return;
	block = weir_block_at(blocks, place.seq);
	spin_lock(&block->lock);
	if (weir_block_is(block, &key, place.generation)) {
		glance->complete = block->state == WEIR_BLOCK_COMPLETE;
		glance->aged = block->state == WEIR_BLOCK_OPEN && block->aged;
		glance->in = test_bit(source, block->mask);
	}
	spin_unlock(&block->lock);
}

/**
 * weir_block_drop() - an open block of the current generation begins anew
 * @blocks: the job's table
 * @id: block id
 *
 * Context as weir_block_contribute(). Its slot is free for any block, and its contributions
 * are dropped. A complete block stays.
 */
void weir_block_drop(struct weir_blocks *blocks, u32 id)
{
	const struct weir_block_key key = {
		.id		= id,
		.generation	= weir_blocks_generation(blocks),
	};
	struct weir_block *block;
	struct weir_place place;

	if (!weir_generations_find(&blocks->gens, key.generation, id, &place))
		return;
	block = weir_block_at(blocks, place.seq);
	spin_lock(&block->lock);
	if (weir_block_is(block, &key, place.generation) && block->state == WEIR_BLOCK_OPEN)
		WRITE_ONCE(block->state, WEIR_BLOCK_FREE);
	spin_unlock(&block->lock);
}

/**
 * weir_block_leave_unsent() - a result is to be sent later
 * @blocks: the job's table
 * @seq: sequence number of the block, which was completed just now
 * @res: its result
 *
 * Context as weir_block_contribute(). The next look at the slot sends it.
 *
 * Return: whether it is left so; not where the slot has another block now.
 */
bool weir_block_leave_unsent(struct weir_blocks *blocks, u32 seq,
			     const struct weir_result *res)
{
	struct weir_block *block = weir_block_at(blocks, seq);
	bool left;

	spin_lock(&block->lock);
	left = block->state == WEIR_BLOCK_COMPLETE && block->id == res->id &&
	       (u16)block->generation == res->generation;
	block->unsent |= left;
	spin_unlock(&block->lock);
	return left;
}

static u64 weir_block_deadline(const struct weir_block *block,
			       const struct weir_ageing *ageing)
{
	if (!ageing->timeout)
		return U64_MAX;
	return max(READ_ONCE(block->start) + ageing->timeout,
		   READ_ONCE(block->last) + ageing->grace);
}

/**
 * weir_block_may_be_due() - check whether a slot can become due with what it holds now
 * @block: the slot; not locked
 *
 * Return: false if its block is complete, or there is none.
 */
bool weir_block_may_be_due(const struct weir_block *block)
{
	return READ_ONCE(block->state) == WEIR_BLOCK_OPEN || data_race(!!block->unsent);
}

/**
 * weir_block_due() - get the time when a slot has to be looked at
 * @blocks: the job's table
 * @block: the slot; not locked
 * @ageing: when blocks age
 *
 * Without the lock: a change meanwhile is seen under the lock, or at the next look.
 *
 * Return: ns of the monotonic clock; U64_MAX for not at all.
 */
u64 weir_block_due(const struct weir_blocks *blocks,
		   const struct weir_block *block,
		   const struct weir_ageing *ageing)
{
	/* The CPU that sets it has the slot looked at again. */
	if (data_race(!!block->unsent))
		return 0;
	if (READ_ONCE(block->state) != WEIR_BLOCK_OPEN)
		return U64_MAX;
	/* The result is checked again under the lock. */
	if (data_race(weir_block_is_done(blocks, block)))
		return 0;
	/* So is this; the CPU that changes it looks at the slot again. */
	if (data_race(!!block->aged) && !ageing->answer)
		return U64_MAX;
	return weir_block_deadline(block, ageing);
}

/* The block is open, and of the current generation. */
static enum weir_age weir_block_age_open(const struct weir_blocks *blocks,
					 struct weir_block *block,
					 const struct weir_ageing *ageing,
					 u64 now)
{
	if (weir_block_is_done(blocks, block))
		return WEIR_AGE_DONE;
	if (now < weir_block_deadline(block, ageing))
		return WEIR_AGE_NONE;
	if (block->aged)
		return ageing->answer ? WEIR_AGE_DONE : WEIR_AGE_NONE;
	block->aged = true;
	return ageing->answer ? WEIR_AGE_ANSWERED : WEIR_AGE_COUNTED;
}

/* Blocks from now on do not wait for the sources that this one has timed out without. */
static void weir_block_note_stragglers(struct weir_blocks *blocks, const struct weir_block *block)
{
	DECLARE_BITMAP(missing, WEIR_SOURCES_MAX);
	unsigned int i;

	bitmap_andnot(missing, blocks->all, block->mask, WEIR_SOURCES_MAX);
	for_each_set_bit(i, missing, blocks->sources)
		weir_retention_straggle(&blocks->retention, i, block->seq);
}

static enum weir_age weir_block_age_locked(struct weir_blocks *blocks,
					   struct weir_block *block,
					   const struct weir_ageing *ageing,
					   u64 now, struct weir_result *res)
{
	enum weir_age age;

	lockdep_assert_held(&block->lock);

	if (block->unsent) {
		block->unsent = false;
		weir_block_result(blocks, block, res);
		return WEIR_AGE_DONE;
	}
	if (block->state != WEIR_BLOCK_OPEN)
		return WEIR_AGE_NONE;
	if (!weir_block_is_current(blocks, block)) {
		WRITE_ONCE(block->state, WEIR_BLOCK_FREE);
		return WEIR_AGE_SWEPT;
	}
	age = weir_block_age_open(blocks, block, ageing, now);
	if (age == WEIR_AGE_ANSWERED)
		weir_block_note_stragglers(blocks, block);
	if (age == WEIR_AGE_COUNTED)
		weir_block_describe(blocks, block, res);
	else if (age != WEIR_AGE_NONE)
		weir_block_finish(blocks, block, now, res);
	return age;
}

/**
 * weir_block_age() - look whether a slot's block has aged
 * @blocks: the job's table
 * @block: the slot
 * @ageing: when blocks age
 * @now: time, ns of the monotonic clock
 * @res: filled where one has: without sums for WEIR_AGE_COUNTED, else the
 *	result; the caller puts it
 *
 * Context as weir_block_contribute().
 */
enum weir_age weir_block_age(struct weir_blocks *blocks,
			     struct weir_block *block,
			     const struct weir_ageing *ageing, u64 now,
			     struct weir_result *res)
{
	enum weir_age age;

	spin_lock(&block->lock);
	age = weir_block_age_locked(blocks, block, ageing, now, res);
	spin_unlock(&block->lock);
	return age;
}

/**
 * weir_block_look() - read the state of an open block
 * @blocks: the job's table
 * @block: the slot
 * @res: filled, without sums
 *
 * Softirq or process context.
 *
 * Return: whether the slot holds an open block of the current generation.
 */
bool weir_block_look(struct weir_blocks *blocks, struct weir_block *block,
		     struct weir_result *res)
{
	bool open;

	if (READ_ONCE(block->state) != WEIR_BLOCK_OPEN)
		return false;
	spin_lock_bh(&block->lock);
	open = block->state == WEIR_BLOCK_OPEN &&
	       weir_block_is_current(blocks, block);
	if (open)
		weir_block_describe(blocks, block, res);
	spin_unlock_bh(&block->lock);
	return open;
}

/**
 * weir_block_awaited() - add the sources that a block which has timed out still waits for
 * @blocks: the job's table
 * @block: the slot
 * @awaited: bitmap of WEIR_SOURCES_MAX
 *
 * Context as weir_block_contribute(). Nearly no slot has such a block: it is looked at under its
 * lock where it seems to.
 */
void weir_block_awaited(struct weir_blocks *blocks, struct weir_block *block,
			unsigned long *awaited)
{
	DECLARE_BITMAP(missing, WEIR_SOURCES_MAX);

	/* Both are looked at again under the lock; a block that ages now counts the next time. */
	if (READ_ONCE(block->state) != WEIR_BLOCK_OPEN || !data_race(!!block->aged))
		return;
	spin_lock(&block->lock);
	if (block->state == WEIR_BLOCK_OPEN && block->aged &&
	    weir_block_is_current(blocks, block)) {
		bitmap_andnot(missing, blocks->all, block->mask, WEIR_SOURCES_MAX);
		bitmap_or(awaited, awaited, missing, WEIR_SOURCES_MAX);
	}
	spin_unlock(&block->lock);
}

/**
 * weir_block_missing() - which sources are not in a block?
 * @blocks: the job's table
 * @res: the block's state
 * @missing: bitmap of WEIR_SOURCES_MAX, filled
 */
void weir_block_missing(const struct weir_blocks *blocks,
			const struct weir_result *res, unsigned long *missing)
{
	bitmap_andnot(missing, blocks->all, res->mask, WEIR_SOURCES_MAX);
}

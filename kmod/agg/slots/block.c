// SPDX-License-Identifier: GPL-2.0
/*
 * Contributions to the blocks of a slot table: they open a block, are summed, and complete it. A
 * result stays until no source needs it and another block needs the slot.
 */
#include <linux/compiler.h>
#include <linux/string.h>
#include <net/inet_ecn.h>
#include <uapi/weir_bpf.h>

#include "agg/slots/pair.h"
#include "agg/slots/slot.h"
#include "agg/base/payload.h"

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

/*
 * Return true if a slot's contents may be evicted although some source lacks the result: the
 * result has been retained for the job's timeout, or only stragglers lack it. Blocks have already
 * timed out without those once.
 */
static bool weir_block_may_evict(const struct weir_blocks *blocks, const struct weir_block *block,
				 u16 source, u32 seq, u64 now)
{
	const struct weir_retention *ret = &blocks->retention;
	u64 after = READ_ONCE(ret->evict_after);

	if (after == U64_MAX || weir_block_is_pending(block))
		return false;
	return block->state != WEIR_BLOCK_COMPLETE || now >= block->done + after ||
	       weir_retention_only_stragglers_lack(ret, source, seq);
}

/**
 * weir_block_may_open() - check whether a block may take its slot
 * @blocks: the table
 * @block: the slot, locked
 * @key: the block, and the source that names it
 * @place: the block's place
 * @now: time, ns of the monotonic clock
 * @out: evicted, retained and retained_seq are set if the slot's result is to be evicted, or is
 *	retained for another source
 *
 * A source may lie about how far ahead it is: a block that no source is near is refused without a
 * trace. A block that has no result yet stays; so does a result that some source lacks, in this
 * slot or not, until it may be evicted.
 *
 * Return: 0 or a negated enum weir_reason.
 */
int weir_block_may_open(struct weir_blocks *blocks,
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
		out->retained_seq = place->seq - blocks->size;
		out->evicted = weir_block_may_evict(blocks, block, key->source,
						    out->retained_seq, now);
		out->retained = !out->evicted;
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
	block->unlike = false;
	block->form = key->form;
	block->received = 0;
	if (!blocks->paired)
		block->empty = 0;
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
	if (unlikely(READ_ONCE(blocks->has_briefs)))
		bitmap_zero(weir_block_brief(blocks, block), blocks->sources);
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

	if (weir_block_is_bare(blocks, block)) {
		guard = weir_reduce_set(reduction, block->little, block->pages, pl, block->count,
					blocks->bias);
		block->wide = weir_reduce_wide(guard, blocks->bias);
		return;
	}
	guard = weir_reduce_add(reduction, block->little, block->pages, pl, block->count,
				blocks->bias);
	if (likely(!block->wide && !weir_reduce_wide(guard, blocks->bias)))
		return;
	block->wide = true;
	if (weir_reduce_check(reduction, block->little, block->pages, pl, block->count))
		block->overflow = true;
}

/* A source has a share of the block's gradients, or of its result. */
static noinline void weir_block_sum_share(struct weir_blocks *blocks, struct weir_block *block,
					  const struct weir_block_key *key,
					  const struct weir_payload *pl)
{
	if (key->shares & WEIR_CONTRIB_EMPTY)
		block->empty++;
	else
		weir_block_sum(blocks, block, pl);
	if (!(key->shares & WEIR_CONTRIB_BRIEF))
		return;
	WRITE_ONCE(blocks->has_briefs, true);
	__set_bit(key->source, weir_block_brief(blocks, block));
}

/*
 * Return true if a source was sent the result so lately that it may not have had it when it sent
 * this.
 */
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

/* Of packets without exponents none comes by here. */
static noinline void weir_block_unlike(struct weir_block *block, s32 exponent)
{
	block->unlike = true;
	block->exponent = max(block->exponent, exponent);
}

/* Add the ranks that a contribution stands for, and a box's notes on its sum. */
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

/**
 * weir_block_fold_ecn() - add a packet's ECN bits to a block's
 * @block: the block, locked
 * @ecn: the bits; without congestion all packets have the same, and nothing is to be added
 */
void weir_block_fold_ecn(struct weir_block *block, u8 ecn)
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
	if (key->form != block->form)
		return -WEIR_REASON_COUNT;
	out->lateness = now > block->start ? now - block->start : 0;
	if (block->state != WEIR_BLOCK_OPEN)
		return weir_block_take_closed(blocks, block, key, now, &out->res);
	if (__test_and_set_bit(key->source, block->mask))
		return -WEIR_REASON_DUPLICATE;

	if (unlikely(key->shares))
		weir_block_sum_share(blocks, block, key, pl);
	else
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
	if (!blocks->paired)
		block->empty++;
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

/* Return true if the source has been sent the result once, and not again. */
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
 * @key: the block, and the source that contributes
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

// SPDX-License-Identifier: GPL-2.0
/* Questions about a block: what a source, a timer or an administrator wants to know of it. */
#include <linux/bitmap.h>

#include "agg/slots/slot.h"

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
	if (blocks->ranks)
		bitmap_zero(out->res.ranks, blocks->ranks);
	else
		out->res.ranks = NULL;
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
 * weir_block_query() - answer a source that asks about a block
 * @blocks: the job's table
 * @key: the source and the block
 * @now: time, ns of the monotonic clock
 * @out: the number of contributions, or the result; in a table with ranks its result has room for
 *	them
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
 * weir_block_missing() - list the sources that are not in a block
 * @blocks: the job's table
 * @res: the block's state
 * @missing: bitmap of WEIR_SOURCES_MAX, filled
 */
void weir_block_missing(const struct weir_blocks *blocks,
			const struct weir_result *res, unsigned long *missing)
{
	bitmap_andnot(missing, blocks->all, res->mask, WEIR_SOURCES_MAX);
}

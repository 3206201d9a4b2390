// SPDX-License-Identifier: GPL-2.0
/* Blocks that time out, and results that are sent later: what a timer does with a slot. */
#include <linux/bitmap.h>
#include <linux/limits.h>
#include <linux/minmax.h>

#include "agg/slots/slot.h"

/**
 * weir_block_drop() - let an open block of the current generation begin again
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
 * weir_block_leave_unsent() - have a result sent later
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
	/* The CPU that sets it has the slot looked at again. */
	return READ_ONCE(block->state) == WEIR_BLOCK_OPEN || data_race(!!block->unsent);
}

/**
 * weir_block_due() - get the time when a slot has to be looked at
 * @blocks: the job's table
 * @block: the slot; not locked
 * @ageing: the timeout, and what happens after it
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
 * weir_block_age() - check whether a slot's block has aged
 * @blocks: the job's table
 * @block: the slot
 * @ageing: the timeout, and what happens after it
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

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_SLOT_H
#define _WEIR_SLOT_H

/* Contents of a slot, for the files of this directory, which do its operations. */
#include <linux/bitmap.h>
#include <linux/compiler.h>
#include <linux/mm.h>

#include "agg/slots/block.h"
#include "agg/type/reduce.h"

/* The block's mark, of a format that has marks. */
static inline void *weir_block_mark(const struct weir_blocks *blocks,
				    const struct weir_block *block)
{
	return (void *)block + blocks->layout.mark;
}

/* The ranks that are in the block, in a table with ranks. */
static inline unsigned long *weir_block_ranks(const struct weir_blocks *blocks,
					      const struct weir_block *block)
{
	return (void *)block + blocks->layout.ranks;
}

/* The sources that wait for the parent's reply, in a table with a parent. */
static inline unsigned long *weir_block_askers(const struct weir_blocks *blocks,
					       const struct weir_block *block)
{
	return (void *)block + blocks->layout.askers;
}

/* The sources that do not need the result's gradients, in a table without pairs. */
static inline unsigned long *weir_block_brief(const struct weir_blocks *blocks,
					      const struct weir_block *block)
{
	return (void *)block + blocks->layout.brief;
}

/* The time when the result was last repeated to a source, ns, in a table with a repeat_after. */
static inline u64 *weir_block_repeated(const struct weir_blocks *blocks,
				       const struct weir_block *block, u16 source)
{
	u64 *repeated = (void *)block + blocks->layout.repeated;

	return &repeated[source];
}

/* The slot of a block. */
static inline struct weir_block *weir_block_at(struct weir_blocks *blocks, u32 seq)
{
	return weir_blocks_slot(blocks, weir_block_slot(blocks, seq));
}

/* Return true if the slot holds this block. */
static inline bool weir_block_is(const struct weir_block *block,
				 const struct weir_block_key *key, u32 generation)
{
	return block->state != WEIR_BLOCK_FREE && block->id == key->id &&
	       block->generation == generation;
}

/* Return true if the block has no result yet. */
static inline bool weir_block_is_pending(const struct weir_block *block)
{
	u8 state = READ_ONCE(block->state);

	return state == WEIR_BLOCK_OPEN || state == WEIR_BLOCK_ABOVE;
}

/*
 * Return true if the slot holds a block of the current generation. A block of another generation
 * is older, however many generations ago it was: no slot is ever opened for a newer one. Each
 * block of a pair is current until its next turn.
 */
static inline bool weir_block_is_current(const struct weir_blocks *blocks,
					 const struct weir_block *block)
{
	return block->state != WEIR_BLOCK_FREE &&
	       (blocks->paired || block->generation == READ_ONCE(blocks->gens.now));
}

/*
 * Return true if the place's generation is over: of it only results are left, for sources that lack
 * them. Another generation may have begun since the place was found.
 */
static inline bool weir_block_is_over(const struct weir_blocks *blocks,
				      const struct weir_place *place)
{
	return place->generation != READ_ONCE(blocks->gens.now);
}

/* Return true if the slot has the block's result. */
static inline bool weir_block_is_left(const struct weir_block *block,
				      const struct weir_block_key *key,
				      const struct weir_place *place)
{
	return weir_block_is(block, key, place->generation) &&
	       block->state == WEIR_BLOCK_COMPLETE;
}

/*
 * Look for a block in its slot. A source that names it shows how far it is. Return 0 if it is
 * there, 1 if it might be opened, else a negated enum weir_reason.
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

/* Return true if no contribution so far had gradients. */
static inline bool weir_block_is_bare(const struct weir_blocks *blocks,
				      const struct weir_block *block)
{
	return !block->received ||
	       (unlikely(block->received == block->empty) && !blocks->paired);
}

/* Return true if blocks do not wait for some source. Each contribution asks. */
static inline bool weir_blocks_skip(const struct weir_blocks *blocks)
{
	unsigned long any = atomic_read(&blocks->retention.straggling);
	const unsigned long *word = blocks->excluded;
	unsigned int i;

	for (i = 0; i < BITS_TO_LONGS(WEIR_SOURCES_MAX); i++)
		any |= READ_ONCE(word[i]);
	return any;
}

bool weir_block_has_the_rest(const struct weir_blocks *blocks, const struct weir_block *block);

/* Return true if all sources that the block waits for are in it. */
static inline bool weir_block_is_full(const struct weir_blocks *blocks,
				      const struct weir_block *block)
{
	return block->received == blocks->sources ||
	       (unlikely(weir_blocks_skip(blocks)) &&
		weir_block_has_the_rest(blocks, block));
}

/* Return true if the block has its quorum, or all sources that it waits for. */
static __always_inline bool weir_block_is_done(const struct weir_blocks *blocks,
					       const struct weir_block *block)
{
	u16 quorum = READ_ONCE(blocks->quorum);

	return (quorum && block->received >= quorum) ||
	       weir_block_is_full(blocks, block);
}

/* Begin the outcome of an operation; the result is filled with a verdict that has one. */
static inline void weir_outcome_begin(struct weir_outcome *out)
{
	out->opened = false;
	out->abandoned = false;
	out->evicted = false;
	out->retained = false;
	out->replaced = 0;
}

int weir_block_may_open(struct weir_blocks *blocks, const struct weir_block *block,
			const struct weir_block_key *key, const struct weir_place *place, u64 now,
			struct weir_outcome *out);
void weir_block_fold_ecn(struct weir_block *block, u8 ecn);

void weir_block_describe(const struct weir_blocks *blocks, const struct weir_block *block,
			 struct weir_result *res);
void weir_block_result(const struct weir_blocks *blocks, const struct weir_block *block,
		       struct weir_result *res);
void weir_block_finish(const struct weir_blocks *blocks, struct weir_block *block, u64 now,
		       struct weir_result *res);

#endif /* _WEIR_SLOT_H */

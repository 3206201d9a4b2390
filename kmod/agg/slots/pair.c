// SPDX-License-Identifier: GPL-2.0
/*
 * Blocks in pairs: each worker sends to the two blocks of a pair in turn, and its packet to
 * one shows that it has the result of the other. So when all workers have sent to the later
 * block, which is then complete, no worker needs the earlier one's result, and its
 * place is free for the next turn. Pairs are independent: a worker may be many turns ahead
 * in one, and behind in another. Names go up with the turns of a pair, by generation and id.
 *
 * Each block has a lock of its own, and a CPU checks the rule under that of the block which
 * it is to open. The other block needs no lock: while it is the later one, it stays as it is
 * once it is complete, since its own next turn can only follow the one that is to begin here.
 * A block's turn is written last, so a CPU that sees the turn sees the block open at least.
 */
#include <linux/bitops.h>
#include <linux/compiler.h>
#include <uapi/weir.h>

#include "agg/slots/block.h"
#include "agg/slots/pair.h"

/* Return true if a contribution names a block that comes after @block. */
static bool weir_pair_is_after(const struct weir_block_key *key, const struct weir_block *block)
{
	u16 generation = block->generation;

	return weir_generation_after(key->generation, generation) ||
	       (key->generation == generation && key->id > block->id);
}

/* Return true if the other block is the later one of the two. */
static bool weir_pair_has_later(const struct weir_block *block,
				const struct weir_block *other)
{
	/* Its turn before its state and contributors; pairs with weir_pair_opened(). */
	return (s16)(smp_load_acquire(&other->turn) - block->turn) > 0;
}

static bool weir_pair_is_complete(const struct weir_block *other)
{
	return READ_ONCE(other->state) == WEIR_BLOCK_COMPLETE;
}

/*
 * Return true if the source has sent to the other one since, and so has received this one's result.
 * If the other one is open, its next contributor may be on another CPU just now.
 */
static bool weir_pair_has_left(const struct weir_block *block,
			       const struct weir_block *other, u16 source)
{
	if (!weir_pair_has_later(block, other))
		return false;
	/* Only its own bit is looked at, which no other CPU sets. */
	return weir_pair_is_complete(other) || data_race(test_bit(source, other->mask));
}

static bool weir_pair_is(const struct weir_block *block, const struct weir_block_key *key)
{
	return block->state != WEIR_BLOCK_FREE && block->id == key->id &&
	       block->generation == key->generation;
}

/**
 * weir_pair_find() - test whether the block that a contribution names is in its slot
 * @block: the place, locked
 * @other: the other one of the pair
 * @key: the block, and the source that contributes
 *
 * A source that has sent to the other block since has this one's result. Its packet to this
 * one was long on its way, and is not answered.
 *
 * Return: 0 where it is there, 1 where it is not and might be opened, else a negated
 * enum weir_reason.
 */
int weir_pair_find(const struct weir_block *block, const struct weir_block *other,
		   const struct weir_block_key *key)
{
	if (weir_pair_is(block, key)) {
		if (block->state == WEIR_BLOCK_OPEN)
			return key->claim == WEIR_CLAIM_ASK ? -WEIR_REASON_DUPLICATE : 0;
		if (!weir_pair_has_left(block, other, key->source))
			return 0;
	}
	return key->claim == WEIR_CLAIM_SUM ? 1 : -WEIR_REASON_AHEAD;
}

/**
 * weir_pair_may_open() - test whether a block may take its slot
 * @block: the place, locked
 * @other: the other one of the pair
 * @key: the block, and the source that contributes
 *
 * Return: 0 or a negated enum weir_reason.
 */
int weir_pair_may_open(const struct weir_block *block, const struct weir_block *other,
		       const struct weir_block_key *key)
{
	if (block->state == WEIR_BLOCK_FREE)
		return 0;
	if (block->state == WEIR_BLOCK_OPEN || !weir_pair_has_later(block, other) ||
	    !weir_pair_is_complete(other))
		return -WEIR_REASON_BUSY;
	/* It stays as it is. */
	return weir_pair_is_after(key, other) ? 0 : -WEIR_REASON_STALE;
}

/**
 * weir_pair_opened() - a block has taken its place
 * @block: the block, locked, and open
 * @other: the other one of the pair
 */
void weir_pair_opened(struct weir_block *block, const struct weir_block *other)
{
	/* Its state and contributors before its turn; pairs with weir_pair_has_later(). */
	smp_store_release(&block->turn, READ_ONCE(other->turn) + 1);
}

// SPDX-License-Identifier: GPL-2.0
/* Blocks whose sum is with the parent box: its result, its replies, and questions to it. */
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/time64.h>
#include <net/inet_ecn.h>

#include "agg/slots/slot.h"
#include "agg/base/payload.h"

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
	/* The packets that were sent up may still be on their way. */
	left = weir_pool_refresh(block->pages, DIV_ROUND_UP(len, PAGE_SIZE), blocks->unit);
	if (left < 0)
		return -WEIR_REASON_NOMEM;
	out->replaced = left;
	for (at = 0; at < len; at += PAGE_SIZE)
		weir_payload_copy_from(pl, at, page_address(block->pages[at / PAGE_SIZE]),
				       min_t(u32, len - at, PAGE_SIZE));
	block->form = key->form;
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
 * weir_block_may_ask() - test whether the parent box is to be asked about a block
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

// SPDX-License-Identifier: GPL-2.0
/* A block's result: what it says, its pages, and when it is complete. */
#include <linux/mm.h>
#include <linux/string.h>
#include <net/inet_ecn.h>

#include "agg/slots/slot.h"

/* A result of a job that spans boxes states ranks. */
static noinline void weir_block_describe_ranks(const struct weir_blocks *blocks,
					       const struct weir_block *block,
					       struct weir_result *res)
{
	const unsigned long *ranks = weir_block_ranks(blocks, block);

	if (res->ranks)
		bitmap_copy(res->ranks, ranks, blocks->ranks);
	res->received = bitmap_weight(ranks, blocks->ranks);
	res->degraded = res->received < blocks->ranks;
}

/* Some sources may not need the gradients. */
static noinline void weir_block_describe_briefs(const struct weir_blocks *blocks,
						const struct weir_block *block,
						struct weir_result *res)
{
	bitmap_zero(res->brief, WEIR_SOURCES_MAX);
	bitmap_copy(res->brief, weir_block_brief(blocks, block), blocks->sources);
	res->has_briefs = !bitmap_empty(res->brief, WEIR_SOURCES_MAX);
}

/* ECT(1) is not the same as ECT(0) to a queue (RFC 9331): no result says that it is of those. */
static u8 weir_block_result_ecn(const struct weir_block *block)
{
	return block->ecn == INET_ECN_ECT_1 ? INET_ECN_ECT_0 : block->ecn;
}

/**
 * weir_block_describe() - fill a result but for its sums
 * @blocks: the table
 * @block: the block, locked
 * @res: filled; has no pages. Its ranks point to room for them, or are NULL
 */
void weir_block_describe(const struct weir_blocks *blocks,
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
	res->little = block->little;
	res->has_exponent = block->has_exponent;
	res->unlike = block->unlike;
	res->exponent = block->exponent;
	res->ecn = weir_block_result_ecn(block);
	res->start = block->start;
	bitmap_copy(res->mask, block->mask, WEIR_SOURCES_MAX);
	res->above = block->state == WEIR_BLOCK_ABOVE;
	res->has_briefs = READ_ONCE(blocks->has_briefs);
	if (unlikely(res->has_briefs))
		weir_block_describe_briefs(blocks, block, res);
	if (blocks->ranks)
		weir_block_describe_ranks(blocks, block, res);
	else
		res->ranks = NULL;
	if (blocks->marking.size)
		memcpy(res->mark, weir_block_mark(blocks, block), blocks->marking.size);
	res->npages = 0;
}

/**
 * weir_block_result() - fill a result
 * @blocks: the table
 * @block: the block, locked; it is complete, or its sum is
 * @res: filled; its holder calls weir_result_put()
 */
void weir_block_result(const struct weir_blocks *blocks,
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

/**
 * weir_block_has_the_rest() - check whether all sources that a block waits for are in it
 * @blocks: the table
 * @block: the block
 *
 * The number of contributions does not suffice where blocks do not wait for some source: that
 * source may be in it.
 */
bool weir_block_has_the_rest(const struct weir_blocks *blocks,
			     const struct weir_block *block)
{
	const unsigned long *excluded = blocks->excluded;
	const unsigned long *stragglers = blocks->retention.stragglers;
	DECLARE_BITMAP(in, WEIR_SOURCES_MAX);
	unsigned int i;

	/* Other CPUs change the last two meanwhile. */
	for (i = 0; i < BITS_TO_LONGS(WEIR_SOURCES_MAX); i++)
		in[i] = block->mask[i] | READ_ONCE(excluded[i]) | READ_ONCE(stragglers[i]);
	return bitmap_subset(blocks->all, in, WEIR_SOURCES_MAX);
}

/**
 * weir_block_finish() - complete a block
 * @blocks: the table
 * @block: the block, locked and open
 * @now: time, ns of the monotonic clock
 * @res: filled as by weir_block_result()
 *
 * If no contribution had gradients, the result is the neutral element of sums.
 * No contribution is added from now on: all copies of the result, or the sum, have the same bits.
 */
void weir_block_finish(const struct weir_blocks *blocks, struct weir_block *block,
		       u64 now, struct weir_result *res)
{
	if (unlikely(weir_block_is_bare(blocks, block)))
		weir_reduce_neutral(blocks->reduction, block->little, block->pages, block->count);
	else
		weir_reduce_finish(blocks->reduction, block->little, block->pages, block->count);
	block->done = now;
	WRITE_ONCE(block->state, blocks->above ? WEIR_BLOCK_ABOVE : WEIR_BLOCK_COMPLETE);
	weir_block_result(blocks, block, res);
}

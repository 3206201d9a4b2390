// SPDX-License-Identifier: GPL-2.0
/*
 * The block table of a job: sums contributions, tells when a block is
 * complete, and keeps its result until the slot is wanted again.
 *
 * Why a slot may be reused without asking anybody: a worker sends block n only
 * when it holds every result up to n - window. When block n + size arrives,
 * its sender holds the result of n + size - window, so every source has
 * contributed to that block, and holds in turn every result up to
 * n + size - 2 * window. With window at most half of size, that is n.
 */
#include <linux/bitops.h>
#include <linux/gfp.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "block.h"
#include "reduce.h"

static unsigned int weir_block_pages(u16 grads)
{
	return DIV_ROUND_UP(grads * sizeof(s32), PAGE_SIZE);
}

/**
 * weir_blocks_bytes() - memory that a table's pages and slots take
 * @size: slots
 * @grads: gradients a block
 */
u64 weir_blocks_bytes(u32 size, u16 grads)
{
	return (u64)size * (weir_block_pages(grads) * PAGE_SIZE +
			    sizeof(struct weir_block));
}

static int weir_block_init(struct weir_block *block, unsigned int pages)
{
	unsigned int i;

	spin_lock_init(&block->lock);
	for (i = 0; i < pages; i++) {
		block->pages[i] = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
		if (!block->pages[i])
			return -ENOMEM;
	}
	return 0;
}

/**
 * weir_blocks_init() - make a table with all its memory
 * @blocks: the table
 * @size: slots, a power of two
 * @sources: contributions that complete a block
 * @grads: gradients a block at most
 *
 * Sleeps. Return: 0 or -ENOMEM, and nothing is left behind.
 */
int weir_blocks_init(struct weir_blocks *blocks, u32 size, u16 sources,
		     u16 grads)
{
	u32 i;

	blocks->slot = kvcalloc(size, sizeof(*blocks->slot),
				GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!blocks->slot)
		return -ENOMEM;
	blocks->size = size;
	blocks->pages = weir_block_pages(grads);
	blocks->sources = sources;
	blocks->bias = weir_reduce_bias(sources);

	for (i = 0; i < size; i++) {
		if (weir_block_init(&blocks->slot[i], blocks->pages)) {
			weir_blocks_uninit(blocks);
			return -ENOMEM;
		}
		cond_resched();
	}
	return 0;
}

/**
 * weir_blocks_uninit() - free a table
 * @blocks: the table, which nobody else can reach any more
 *
 * Sleeps. Pages that receivers still hold are theirs.
 */
void weir_blocks_uninit(struct weir_blocks *blocks)
{
	unsigned int p;
	u32 i;

	for (i = 0; i < blocks->size; i++) {
		for (p = 0; p < blocks->pages; p++)
			if (blocks->slot[i].pages[p])
				put_page(blocks->slot[i].pages[p]);
		cond_resched();
	}
	kvfree(blocks->slot);
	blocks->slot = NULL;
}

/**
 * weir_blocks_open() - how many blocks are open
 * @blocks: the table
 * @generation: the job's; blocks of older ones do not count
 *
 * Sleeps. Counted when somebody asks, so that packets need not count it.
 */
u32 weir_blocks_open(struct weir_blocks *blocks, u16 generation)
{
	u32 i, n = 0;

	for (i = 0; i < blocks->size; i++) {
		const struct weir_block *block = &blocks->slot[i];

		n += READ_ONCE(block->state) == WEIR_BLOCK_OPEN &&
		     READ_ONCE(block->generation) == generation;
		if (!(i & 1023))
			cond_resched();
	}
	return n;
}

/* May the block that @key names take this slot? */
static int weir_block_may_open(const struct weir_block *block,
			       const struct weir_block_key *key)
{
	if (block->state == WEIR_BLOCK_FREE)
		return 0;
	if (key->generation != block->generation)
		return weir_generation_after(key->generation,
					     block->generation) ?
		       0 : -WEIR_REASON_GENERATION;
	if ((s32)(key->id - block->id) < 0)
		return -WEIR_REASON_STALE;
	return block->state == WEIR_BLOCK_OPEN ? -WEIR_REASON_BUSY : 0;
}

static int weir_block_open(struct weir_block *block,
			   const struct weir_block_key *key, bool *abandoned)
{
	int err = weir_block_may_open(block, key);

	if (err)
		return err;
	if (weir_pool_refresh(block->pages, weir_block_pages(key->count)))
		return -WEIR_REASON_NOMEM;

	*abandoned = block->state == WEIR_BLOCK_OPEN;
	block->id = key->id;
	WRITE_ONCE(block->generation, key->generation);
	WRITE_ONCE(block->state, WEIR_BLOCK_OPEN);
	block->overflow = false;
	block->count = key->count;
	block->received = 0;
	block->start = ktime_get_mono_fast_ns();
	memset(block->mask, 0, sizeof(block->mask));
	return 0;
}

static void weir_block_sum(const struct weir_blocks *blocks,
			   struct weir_block *block,
			   const struct weir_payload *pl)
{
	u32 guard;

	if (!block->received) {
		guard = weir_reduce_set(block->pages, pl, block->count,
					blocks->bias);
		block->wide = weir_reduce_wide(guard, blocks->bias);
		return;
	}
	guard = weir_reduce_add(block->pages, pl, block->count, blocks->bias);
	if (likely(!block->wide && !weir_reduce_wide(guard, blocks->bias)))
		return;
	block->wide = true;
	if (weir_reduce_check(block->pages, pl, block->count))
		block->overflow = true;
}

static void weir_block_result(const struct weir_block *block,
			      struct weir_result *res)
{
	unsigned int i;

	res->id = block->id;
	res->generation = block->generation;
	res->count = block->count;
	res->received = block->received;
	res->overflow = block->overflow;
	res->start = block->start;
	res->npages = weir_block_pages(block->count);
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

static bool weir_block_is(const struct weir_block *block,
			  const struct weir_block_key *key)
{
	return block->state != WEIR_BLOCK_FREE && block->id == key->id &&
	       block->generation == key->generation;
}

static int weir_block_locked(const struct weir_blocks *blocks,
			     struct weir_block *block,
			     const struct weir_block_key *key,
			     const struct weir_payload *pl,
			     struct weir_result *res, bool *abandoned)
{
	u64 *mask = &block->mask[key->source / 64];
	u64 bit = BIT_ULL(key->source % 64);
	int err;

	if (!weir_block_is(block, key)) {
		err = weir_block_open(block, key, abandoned);
		if (err)
			return err;
	}
	if (key->count != block->count)
		return -WEIR_REASON_COUNT;
	if (block->state == WEIR_BLOCK_COMPLETE) {
		weir_block_result(block, res);
		return WEIR_VERDICT_REPEAT;
	}
	if (*mask & bit)
		return -WEIR_REASON_DUPLICATE;

	weir_block_sum(blocks, block, pl);
	*mask |= bit;
	if (++block->received < blocks->sources)
		return WEIR_VERDICT_SUMMED;

	weir_reduce_swap(block->pages, block->count);
	WRITE_ONCE(block->state, WEIR_BLOCK_COMPLETE);
	weir_block_result(block, res);
	return WEIR_VERDICT_COMPLETE;
}

/**
 * weir_block_contribute() - sum one contribution
 * @blocks: the job's table
 * @key: which contribution to which block
 * @pl: its gradients, key->count of them
 * @res: filled for WEIR_VERDICT_COMPLETE and _REPEAT; the caller puts it
 * @abandoned: set where an open block of an older generation was swept away
 *
 * Called with bottom halves disabled; takes the slot's lock, and nothing under
 * it. The result is sent by the caller, after the lock is dropped.
 *
 * Return: enum weir_verdict, or a negated enum weir_reason: nothing changed.
 */
int weir_block_contribute(struct weir_blocks *blocks,
			  const struct weir_block_key *key,
			  const struct weir_payload *pl,
			  struct weir_result *res, bool *abandoned)
{
	struct weir_block *block = &blocks->slot[key->id & (blocks->size - 1)];
	int verdict;

	*abandoned = false;
	spin_lock(&block->lock);
	verdict = weir_block_locked(blocks, block, key, pl, res, abandoned);
	spin_unlock(&block->lock);
	return verdict;
}

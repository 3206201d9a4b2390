// SPDX-License-Identifier: GPL-2.0
/* A job's slot table: its memory, and how many slots it has. */
#include <linux/gfp.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "agg/slots/slot.h"

/* Where the parts of a slot are whose size the job determines, in bytes from its beginning. */
static void weir_layout_init(struct weir_layout *layout, const struct weir_blocks_config *config,
			     unsigned int pages)
{
	size_t at = offsetof(struct weir_block, pages[pages]);

	layout->mark = at;
	at += ALIGN(config->marking.size, sizeof(u64));
	layout->ranks = at;
	at += BITS_TO_LONGS(config->ranks) * sizeof(long);
	layout->askers = at;
	if (config->above)
		at += BITS_TO_LONGS(config->sources) * sizeof(long);
	layout->repeated = at;
	if (config->repeat_after)
		at += config->sources * sizeof(u64);
	layout->brief = at;
	if (!config->paired)
		at += BITS_TO_LONGS(config->sources) * sizeof(long);
	layout->stride = ALIGN(at, SMP_CACHE_BYTES);
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
 * weir_blocks_slots() - get the number of slots for an amount of memory for retained results
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
 * weir_blocks_slots_default() - get the number of slots if nothing is said about retained results
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
	struct weir_layout layout;

	weir_layout_init(&layout, config, pages);
	return (u64)config->slots * (pages * PAGE_SIZE + layout.stride);
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
	weir_layout_init(&blocks->layout, config, blocks->pages);
	blocks->slot = kvcalloc(blocks->size, blocks->layout.stride, WEIR_POOL_GFP);
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
 * @blocks: the table, which no packet can reach
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

/**
 * weir_blocks_open() - count the blocks without a result
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

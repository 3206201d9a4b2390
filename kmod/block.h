/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_BLOCK_H
#define _WEIR_BLOCK_H

#include <linux/cache.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <uapi/weir.h>

#include "pool.h"

struct page;
struct weir_payload;

/**
 * enum weir_block_state - what a slot holds
 * @WEIR_BLOCK_FREE: nothing yet
 * @WEIR_BLOCK_OPEN: a block that still lacks sources
 * @WEIR_BLOCK_COMPLETE: a result, retained to answer a source that lost it
 */
enum weir_block_state {
	WEIR_BLOCK_FREE,
	WEIR_BLOCK_OPEN,
	WEIR_BLOCK_COMPLETE,
};

/**
 * struct weir_block - a slot of a job's block table (Trio paper, figure 18)
 * @lock: guards everything below; taken in softirq only
 * @id: block id
 * @generation: generation of the block
 * @state: enum weir_block_state
 * @overflow: a sum has left the range of int32
 * @wide: a gradient was too large to rule an overflow out, see reduce.h
 * @count: gradients (grad_cnt)
 * @received: contributions so far (rcvd_cnt)
 * @start: time of the first contribution, ns of the monotonic clock
 *	(block_start_time)
 * @mask: who has contributed (rcvd_mask_0 to _3)
 * @pages: the sums; in host byte order while open, in network byte order when
 *	complete (aggr_paddr)
 *
 * A block finds its slot by its id alone, id modulo the table's size, so the
 * table needs no hash, no list and no allocation.
 */
struct weir_block {
	spinlock_t	lock;	/* all of the below */
	u32		id;
	u16		generation;
	u8		state;
	u8		overflow:1;
	u8		wide:1;
	u16		count;
	u16		received;
	u64		start;
	u64		mask[WEIR_SOURCES_MAX / 64];
	struct page	*pages[WEIR_BLOCK_PAGES];
} ____cacheline_aligned_in_smp;

/**
 * struct weir_blocks - a job's block table
 * @size: slots, a power of two
 * @pages: pages a block
 * @sources: contributions that complete a block
 * @bias: see weir_reduce_bias()
 * @slot: the slots
 */
struct weir_blocks {
	u32			size;
	u8			pages;
	u16			sources;
	u32			bias;
	struct weir_block	*slot;
};

/**
 * struct weir_result - what a complete block says, outside of its lock
 * @id: block id
 * @generation: generation
 * @count: gradients
 * @received: contributors
 * @overflow: a sum left the range of int32
 * @start: time of the first contribution
 * @pages: the sums in network byte order; the holder owns a reference to each
 * @npages: pages used
 */
struct weir_result {
	u32		id;
	u16		generation;
	u16		count;
	u16		received;
	bool		overflow;
	u64		start;
	struct page	*pages[WEIR_BLOCK_PAGES];
	unsigned int	npages;
};

/**
 * enum weir_verdict - what a contribution did, where it was not refused
 * @WEIR_VERDICT_SUMMED: it is in the sum, others are missing
 * @WEIR_VERDICT_COMPLETE: it was the last; the result is filled
 * @WEIR_VERDICT_REPEAT: the block was complete already and has this source;
 *	the result is filled, for this source alone
 *
 * Refusals are the negated enum weir_reason.
 */
enum weir_verdict {
	WEIR_VERDICT_SUMMED,
	WEIR_VERDICT_COMPLETE,
	WEIR_VERDICT_REPEAT,
};

/**
 * struct weir_block_key - which contribution to which block
 * @id: block id
 * @generation: generation, not older than the job's
 * @source: source id, below the table's sources
 * @count: gradients
 */
struct weir_block_key {
	u32	id;
	u16	generation;
	u16	source;
	u16	count;
};

int weir_blocks_init(struct weir_blocks *blocks, u32 size, u16 sources,
		     u16 grads);
void weir_blocks_uninit(struct weir_blocks *blocks);
u64 weir_blocks_bytes(u32 size, u16 grads);
u32 weir_blocks_open(struct weir_blocks *blocks, u16 generation);

int weir_block_contribute(struct weir_blocks *blocks,
			  const struct weir_block_key *key,
			  const struct weir_payload *pl,
			  struct weir_result *res, bool *abandoned);
void weir_result_put(struct weir_result *res);

/**
 * weir_generation_after() - is one generation newer than another?
 * @a: the one
 * @b: the other
 *
 * Serial arithmetic on 16 bits (RFC 1982).
 */
static inline bool weir_generation_after(u16 a, u16 b)
{
	return (s16)(a - b) > 0;
}

#endif /* _WEIR_BLOCK_H */

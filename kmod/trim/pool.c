// SPDX-License-Identifier: GPL-2.0
/*
 * A pool of buffer that ports share, with dynamic thresholds (Choudhury and Hahne, Dynamic Queue
 * Length Thresholds for Shared-Memory Packet Switches, 1998): a queue may hold at most alpha times
 * what is free in the pool. A queue that is alone gets alpha / (1 + alpha) of it, n equal ones
 * alpha / (1 + n * alpha) each, and some is always left for a queue that begins to fill.
 *
 * Each queue keeps how much it has taken, under its qdisc's lock. The pool has one sum, which all
 * CPUs change by atomic operations: a packet is added only if the sum permits it, so the sum never
 * exceeds the pool's size.
 */
#include <linux/atomic.h>
#include <linux/compiler.h>

#include <uapi/weir_trim_nl.h>

#include "trim/bands.h"
#include "trim/pool.h"

/* The bytes that a queue may hold. */
static u64 weir_trim_pool_threshold(u64 free, u32 alpha)
{
	static_assert(U64_MAX / WEIR_TRIM_ALPHA_MAX >= WEIR_TRIM_POOL_SIZE_MAX);

	return free * alpha / WEIR_TRIM_ALPHA_ONE;
}

/**
 * weir_trim_pool_take() - take room for a packet out of a pool
 * @pool: the pool
 * @limits: those of the queue, of which the dynamic one counts
 * @taken: bytes that the queue has taken; the packet's are added if there is room
 * @len: bytes of the packet
 *
 * The packet counts when the threshold is computed: once it waits, the queue holds at most alpha
 * times what is free then. Called under the qdisc's lock.
 *
 * Return: whether there was room.
 */
bool weir_trim_pool_take(struct weir_trim_pool *pool,
			 const struct weir_bands_limits *limits, u64 *taken, u32 len)
{
	s64 used = atomic64_read(&pool->used);
	u64 size = READ_ONCE(pool->size);
	u64 after;

	do {
		after = used + len;
		if (after > size)
			return false;
		if (limits->alpha &&
		    *taken + len > weir_trim_pool_threshold(size - after, limits->alpha))
			return false;
	} while (!atomic64_try_cmpxchg(&pool->used, &used, after));

	*taken += len;
	if (after > READ_ONCE(pool->max))
		WRITE_ONCE(pool->max, after);
	return true;
}

/**
 * weir_trim_pool_settle() - make a queue's part of a pool what waits there
 * @pool: the pool
 * @taken: bytes that the queue has taken; set to @bytes
 * @bytes: bytes that wait
 *
 * Called under the qdisc's lock.
 */
void weir_trim_pool_settle(struct weir_trim_pool *pool, u64 *taken, u64 bytes)
{
	if (*taken == bytes)
		return;
	atomic64_add(bytes - *taken, &pool->used);
	*taken = bytes;
}

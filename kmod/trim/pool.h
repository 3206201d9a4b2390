/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_TRIM_POOL_H
#define _WEIR_TRIM_POOL_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/types.h>

#include "trim/named.h"

struct weir_bands_limits;

/**
 * struct weir_trim_pool - bytes that the data bands of several ports share
 * @named: in weir_trim_net.pools
 * @size: bytes that may wait; written under RTNL, read without it
 * @used: bytes that wait, and those of packets that are about to
 * @max: the most of @used; concurrent updates may lose one of their maxima
 *
 * Packets read @size whenever they write @used, so these are in one cache line.
 */
struct weir_trim_pool {
	struct weir_trim_named	named;
	u64			size ____cacheline_aligned_in_smp;
	atomic64_t		used;
	u64			max;
};

bool weir_trim_pool_take(struct weir_trim_pool *pool,
			 const struct weir_bands_limits *limits, u64 *taken, u32 len);
void weir_trim_pool_settle(struct weir_trim_pool *pool, u64 *taken, u64 bytes);

#endif /* _WEIR_TRIM_POOL_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_LATENESS_H
#define _WEIR_LATENESS_H

#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <uapi/weir.h>

/**
 * struct weir_lateness - how late packets came or left, of one CPU
 * @bucket: packets by the binary logarithm of the microseconds, which count from their block's
 *	first contribution, or from when a packet began to wait; see WEIR_LATENESS_BUCKETS
 */
struct weir_lateness {
	u64 bucket[WEIR_LATENESS_BUCKETS];
};

/**
 * weir_lateness_count() - count a packet
 * @lateness: the source's, or the order's
 * @ns: its delay
 */
static inline void weir_lateness_count(struct weir_lateness __percpu *lateness,
				       u64 ns)
{
	u64 us = div_u64(ns, NSEC_PER_USEC);
	unsigned int i = us ? ilog2(us) : 0;

	this_cpu_inc(lateness->bucket[min_t(unsigned int, i,
					    WEIR_LATENESS_BUCKETS - 1)]);
}

#endif /* _WEIR_LATENESS_H */

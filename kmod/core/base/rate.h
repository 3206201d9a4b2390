/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_RATE_H
#define _WEIR_RATE_H

#include <linux/atomic.h>
#include <linux/types.h>

/**
 * struct weir_rate_config - rates as an administrator sets them
 * @packets: packets a second, 0 for no limit
 * @packets_burst: packets that may come at once
 * @bytes: bytes a second, 0 for no limit; a job's are counted from the UDP header on
 * @bytes_burst: bytes that may come at once
 */
struct weir_rate_config {
	u32	packets;
	u32	packets_burst;
	u64	bytes;
	u64	bytes_burst;
};

/**
 * struct weir_bucket - a token bucket, as the time at which it is full again
 * @full: that time, in ticks of WEIR_RATE_TICKS a nanosecond since the rate
 *	was set; in the past of a bucket that is full
 * @depth: maximum distance of that time in the future, in ticks
 *
 * One word that CPUs advance by compare-and-exchange: no lock, and no two
 * readings of a clock that could differ.
 */
struct weir_bucket {
	atomic64_t	full;
	u64		depth;
};

/**
 * struct weir_rate - a policer
 * @config: its rates and bursts
 * @since: time at which it was set, ns
 * @packets: tokens for packets
 * @bytes: tokens for bytes
 */
struct weir_rate {
	struct weir_rate_config	config;
	u64			since;
	struct weir_bucket	packets;
	struct weir_bucket	bytes;
};

/**
 * struct weir_rate_level - buckets of a policer that many have one of
 * @packets: bucket of packets, as the word of a struct weir_bucket; 0 is a full one
 * @bytes: bucket of bytes, as the word of a struct weir_bucket; 0 is a full one
 */
struct weir_rate_level {
	u64	packets;
	u64	bytes;
};

void weir_rate_init(struct weir_rate *rate,
		    const struct weir_rate_config *config);
bool weir_rate_spend(struct weir_rate *rate, u64 now, u32 packets, u32 bytes);
bool weir_rate_level_take(const struct weir_rate *rate, struct weir_rate_level *level, u64 now,
			  u32 bytes);
bool weir_rate_level_is_full(const struct weir_rate *rate, const struct weir_rate_level *level,
			     u64 now);

static inline bool weir_rate_is_set(const struct weir_rate_config *config)
{
	return config->packets || config->bytes;
}

/**
 * weir_rate_take() - charge a packet to a policer
 * @rate: the policer
 * @now: time, ns of the monotonic clock
 * @packets: number of packets; 0 if a packet that has passed causes the bytes
 * @bytes: number of bytes
 *
 * Any context. A packet that has too few bytes left has spent its token for
 * packets all the same.
 */
static inline bool weir_rate_take(struct weir_rate *rate, u64 now, u32 packets, u32 bytes)
{
	return likely(!weir_rate_is_set(&rate->config)) ||
	       weir_rate_spend(rate, now, packets, bytes);
}

#endif /* _WEIR_RATE_H */

// SPDX-License-Identifier: GPL-2.0
/* Policers: token buckets for packets and bytes. */
#include <linux/ktime.h>
#include <linux/math64.h>

#include "core/base/compat.h"
#include "core/base/rate.h"

/*
 * Finer than a nanosecond, in which 100 Gbit/s carry 12 bytes: the price of a packet is rounded by
 * less than a hundredth. 64 bits of it wrap after nine years.
 */
#define WEIR_RATE_TICKS	64

/* CPUs read the clock, and take tokens, in any order within this, ticks. */
#define WEIR_RATE_SLACK	(NSEC_PER_SEC * WEIR_RATE_TICKS)

/*
 * A bucket that takes longer to fill, s, is as good as one without a bottom, and
 * the division that finds its depth would trap.
 */
#define WEIR_RATE_DEPTH_MAX	(365 * 24 * 3600)

static u64 weir_price(u64 tokens, u64 rate)
{
	return mul_u64_u64_div_u64(tokens, NSEC_PER_SEC * WEIR_RATE_TICKS,
				   rate);
}

static u64 weir_depth(u64 burst, u64 rate)
{
	if (div64_u64(burst, rate) >= WEIR_RATE_DEPTH_MAX)
		return WEIR_RATE_DEPTH_MAX * NSEC_PER_SEC * WEIR_RATE_TICKS;
	return weir_price(burst, rate);
}

/**
 * weir_rate_init() - set a policer up, its buckets full
 * @rate: the policer
 * @config: the rates, their bursts given
 */
void weir_rate_init(struct weir_rate *rate,
		    const struct weir_rate_config *config)
{
	rate->config = *config;
	rate->since = ktime_get_ns();
	atomic64_set(&rate->packets.full, 0);
	atomic64_set(&rate->bytes.full, 0);
	if (config->packets)
		rate->packets.depth = weir_depth(config->packets_burst,
						 config->packets);
	if (config->bytes)
		rate->bytes.depth = weir_depth(config->bytes_burst,
					       config->bytes);
}
EXPORT_SYMBOL_NS_GPL(weir_rate_init, "WEIR");

/*
 * Return how far in the future a bucket is full. A time further away than any bucket can be is in
 * the past, however long ago: ticks wrap.
 */
static u64 weir_rate_ahead(u64 full, u64 depth, u64 now)
{
	u64 ahead = full - now;

	return ahead <= depth + WEIR_RATE_SLACK ? ahead : 0;
}

static bool weir_bucket_take(struct weir_bucket *bucket, u64 now, u64 price)
{
	s64 old = atomic64_read(&bucket->full), new;
	u64 ahead;

	do {
		ahead = weir_rate_ahead(old, bucket->depth, now) + price;
		if (ahead > bucket->depth)
			return false;
		new = now + ahead;
	} while (!atomic64_try_cmpxchg(&bucket->full, &old, new));
	return true;
}

static u64 weir_rate_ticks(const struct weir_rate *rate, u64 now)
{
	return now > rate->since ? (now - rate->since) * WEIR_RATE_TICKS : 0;
}

/**
 * weir_rate_spend() - charge a packet to a policer that is set
 * @rate: the policer
 * @now: time, ns of the monotonic clock
 * @packets: number of packets
 * @bytes: bytes of these packets
 *
 * Callers use weir_rate_take(), which skips policers that are not set.
 */
bool weir_rate_spend(struct weir_rate *rate, u64 now, u32 packets, u32 bytes)
{
	const struct weir_rate_config *config = &rate->config;
	u64 ticks = weir_rate_ticks(rate, now);

	if (packets && config->packets &&
	    !weir_bucket_take(&rate->packets, ticks,
			      weir_price(packets, config->packets)))
		return false;
	return !config->bytes ||
	       weir_bucket_take(&rate->bytes, ticks,
				weir_price(bytes, config->bytes));
}
EXPORT_SYMBOL_NS_GPL(weir_rate_spend, "WEIR");

/* Takes the price from a bucket, unless it has too little. */
static bool weir_level_take(u64 *full, u64 depth, u64 now, u64 price)
{
	u64 ahead = weir_rate_ahead(*full, depth, now) + price;

	if (ahead > depth)
		return false;
	*full = now + ahead;
	return true;
}

/**
 * weir_rate_level_take() - charge a packet to buckets of its own
 * @rate: the policer, which is set
 * @level: the buckets, which the caller has alone
 * @now: time, ns of the monotonic clock
 * @bytes: the packet's
 *
 * As weir_rate_spend().
 */
bool weir_rate_level_take(const struct weir_rate *rate, struct weir_rate_level *level, u64 now,
			  u32 bytes)
{
	const struct weir_rate_config *config = &rate->config;
	u64 ticks = weir_rate_ticks(rate, now);

	if (config->packets &&
	    !weir_level_take(&level->packets, rate->packets.depth, ticks,
			     weir_price(1, config->packets)))
		return false;
	return !config->bytes || weir_level_take(&level->bytes, rate->bytes.depth, ticks,
						 weir_price(bytes, config->bytes));
}
EXPORT_SYMBOL_NS_GPL(weir_rate_level_take, "WEIR");

/**
 * weir_rate_level_is_full() - check whether both buckets are full
 * @rate: the policer
 * @level: the buckets
 * @now: time, ns of the monotonic clock
 */
bool weir_rate_level_is_full(const struct weir_rate *rate, const struct weir_rate_level *level,
			     u64 now)
{
	u64 ticks = weir_rate_ticks(rate, now);

	return !weir_rate_ahead(level->packets, rate->packets.depth, ticks) &&
	       !weir_rate_ahead(level->bytes, rate->bytes.depth, ticks);
}
EXPORT_SYMBOL_NS_GPL(weir_rate_level_is_full, "WEIR");

// SPDX-License-Identifier: BSD-2-Clause
#include "flow/rtt.h"

/* The gains of RFC 6298. */
#define GAIN		8
#define GAIN_DEVIATION	4

/* The part of it that stays after an answer without a sample: a factor of four. */
#define BACKOFF_KEPT	2

/* Doubling the floor so often passes the cap. */
#define BACKOFF_MAX	8

uint64_t rtt_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

struct timespec rtt_left(uint64_t when, uint64_t now)
{
	uint64_t left = when > now ? when - now : 0;

	return (struct timespec) {
		.tv_sec = (time_t)(left / NSEC_PER_SEC),
		.tv_nsec = (long)(left % NSEC_PER_SEC),
	};
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static void smooth(struct rtt *rtt, uint64_t sample)
{
	uint64_t off = distance(rtt->smoothed, sample);

	if (!rtt->smoothed) {
		rtt->smoothed = sample;
		rtt->deviation = sample / 2;
		return;
	}
	rtt->deviation = rtt->deviation - rtt->deviation / GAIN_DEVIATION + off / GAIN_DEVIATION;
	rtt->smoothed = rtt->smoothed - rtt->smoothed / GAIN + sample / GAIN;
}

void rtt_sample(struct rtt *rtt, uint64_t sent, uint64_t now)
{
	uint64_t sample = now > sent ? now - sent : 1;

	if (sent >= rtt->round) {
		smooth(rtt, sample);
		rtt->round = now;
	}
	if (!rtt->min || sample < rtt->min)
		rtt->min = sample;
	rtt->latest = sample;
	rtt->backoff = 0;
}

void rtt_answered(struct rtt *rtt)
{
	if (rtt->backoff > BACKOFF_KEPT)
		rtt->backoff = BACKOFF_KEPT;
}

static uint64_t within(uint64_t ns, uint64_t least, uint64_t most)
{
	if (ns < least)
		return least;
	return ns < most ? ns : most;
}

uint64_t rtt_timeout(const struct rtt *rtt)
{
	unsigned int backoff = rtt->backoff < BACKOFF_MAX ? rtt->backoff : BACKOFF_MAX;
	uint64_t first = within(rtt->smoothed + 4 * rtt->deviation, RTO_FLOOR, RTO_CAP);
	uint64_t most = rtt->patience ? within(rtt->patience, first, RTO_CAP) : RTO_CAP;

	return within(first << backoff, first, most);
}

uint64_t rtt_reordering(const struct rtt *rtt)
{
	return rtt->min;
}

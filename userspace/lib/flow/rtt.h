/* SPDX-License-Identifier: BSD-2-Clause */
/* Estimate the time that an answer takes, and the time to wait for one. Times are in ns. */
#ifndef WEIR_RTT_H
#define WEIR_RTT_H

#include <stdint.h>
#include <time.h>

#define NSEC_PER_USEC	1000ULL
#define NSEC_PER_MSEC	1000000ULL
#define NSEC_PER_SEC	1000000000ULL

/*
 * The floor is there because an answer waits for the slowest rank: below it the
 * timer would measure differences in the ranks' speed, not losses. Losses in the
 * middle of a stream are found without the timer (see window.h).
 */
#define RTO_FLOOR	(10 * NSEC_PER_MSEC)
#define RTO_CAP		(1000 * NSEC_PER_MSEC)

/**
 * struct rtt - the estimate
 * @smoothed: of the round trip; 0 before the first sample
 * @deviation: its smoothed mean deviation
 * @min: shortest seen
 * @latest: the last sample
 * @round: packets sent before this are of a round trip that was smoothed already
 * @backoff: number of times that the timer has run out since the last answer
 * @patience: longest time to which back-off raises the time to wait; 0 is RTO_CAP
 */
struct rtt {
	uint64_t smoothed;
	uint64_t deviation;
	uint64_t min;
	uint64_t latest;
	uint64_t round;
	unsigned int backoff;
	uint64_t patience;
};

/*
 * Takes a sample, and ends a back-off. One a round trip is smoothed: those that were
 * sent together wait for the same slow rank, and many that are alike would make the
 * deviation forget how one wait differs from the next.
 */
void rtt_sample(struct rtt *rtt, uint64_t sent, uint64_t now);

/*
 * There was an answer, with or without a sample. Most of a back-off ends: the path
 * lives. Some is kept until there is a sample, as packets sent again give none: else
 * the timer would never adapt to a rank that is always late.
 */
void rtt_answered(struct rtt *rtt);

/* Return the time to wait for an answer now. */
uint64_t rtt_timeout(const struct rtt *rtt);

/*
 * Return the time by which packets may change places, on links and among the box's processors.
 * The smoothed time includes queues, in which packets keep their order.
 */
uint64_t rtt_reordering(const struct rtt *rtt);

/* The monotonic clock. */
uint64_t rtt_now(void);

/* Return the time from @now until @when, as ppoll() takes it; zero if it has passed. */
struct timespec rtt_left(uint64_t when, uint64_t now);

#endif

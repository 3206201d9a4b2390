/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many packets may be under way. The window says what the box and the
 * receive buffer hold; a queue between may hold less. Starting with the whole
 * window, or answering a loss with more packets at the same rate, would keep
 * such a queue overflowing; so the limit begins low, grows with each answer,
 * and falls once a round trip in which something was lost.
 */
#ifndef WEIR_PACE_H
#define WEIR_PACE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Where the limit begins: 64 packets of 4 KiB are the bandwidth-delay product of
 * 10 Gbit/s and 200 us. A queue may be shorter than that: with 64 as the floor too,
 * one of 256 KiB never stopped overflowing.
 */
#define PACE_START	64
#define PACE_FLOOR	16

/* Questions that one answer pays for, and how many may be saved up. */
#define PACE_CREDIT	2
#define PACE_CREDIT_MAX	64

/**
 * struct pace - the limit
 * @limit: packets under way at most, now
 * @ceiling: what it may grow to
 * @threshold: below it, it grows by one an answer; above, by one a round trip
 * @answers: since it last grew above the threshold
 * @credit: questions that are paid for
 * @recovery: a loss of what was sent before this time is part of the last fall
 */
struct pace {
	uint32_t limit;
	uint32_t ceiling;
	uint32_t threshold;
	uint32_t answers;
	uint32_t credit;
	uint64_t recovery;
};

void pace_init(struct pace *pace, uint32_t ceiling);

/* A block was answered. */
void pace_answered(struct pace *pace);

/*
 * Nothing was answered for long: what was saved up before is worth @credit now. The first
 * answer may be that to a question or that to its contribution, which was only slow, and
 * must not set off questions about all that was sent before.
 */
void pace_silent(struct pace *pace, uint32_t credit);

/* Something that was sent at @sent is lost. */
void pace_lost(struct pace *pace, uint64_t sent, uint64_t now);

/* How many more packets may be sent while so many are under way. */
uint32_t pace_room(const struct pace *pace, uint32_t flight);

#endif

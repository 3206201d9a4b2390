/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many packets may be under way. The window is as large as the box and the receive
 * buffer allow; a queue between may hold less. Starting with the whole window, or
 * answering a loss with more packets at the same rate, would keep such a queue
 * overflowing; so the limit begins low, grows with each answer, and falls once in a round
 * trip with a loss.
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
 * @ceiling: the most that it may grow to
 * @threshold: below it, it grows by one an answer; above, by one a round trip
 * @answers: since it last grew above the threshold
 * @credit: questions that are paid for
 * @recovery: losses of packets sent before this time are part of the last fall
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

/* So many blocks were answered. */
void pace_answered(struct pace *pace, uint32_t count);

/*
 * Nothing was answered for long: the saved credit is set to @credit. The first answer may
 * be to a question, or to its contribution that was only slow; it must not set off
 * questions about all blocks sent before.
 */
void pace_silent(struct pace *pace, uint32_t credit);

/* A packet that was sent at @sent is lost. */
void pace_lost(struct pace *pace, uint64_t sent, uint64_t now);

/* How many more packets may be sent while so many are under way. */
uint32_t pace_room(const struct pace *pace, uint32_t flight);

#endif

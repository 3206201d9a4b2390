/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The number of packets that may be under way: PANAMA's congestion window (section 4.2), which is
 * DCTCP's (RFC 8257) with results for acknowledgments. A queue that marks packets as it grows holds few
 * of them then, and overflows seldom; one that does not mark is found by losses.
 *
 * It differs from the paper's in that
 * - the window is cut at the first mark, not when a window has been answered, and marks of packets
 *   that were sent before the cut do not cut it again: they tell of the same queue;
 * - windows are told apart by when packets were sent, so that one is a round trip also where the
 *   caller has less to send, and growth goes on with the first answer behind a cut, as in TCP;
 * - it grows only where it is used: a caller that had little to send does not send a burst later;
 * - where queues mark, it grows by the bytes of one packet of the path's MTU, as TCP does, and not by
 *   one packet that may be shorter: else a flow of TCP would take the larger part of a link. A queue
 *   that only loses is filled by one packet a round trip, as each loss costs all ranks one;
 * - it is doubled until the first mark or loss, or until answers take longer (HyStart, RFC 9406).
 */
#ifndef WEIR_PACE_H
#define WEIR_PACE_H

#include <stdbool.h>
#include <stdint.h>

/* Initial window: as many packets as TCP begins with (RFC 6928). */
#define PACE_START	10

/* The least window after marks; and after losses, which need not be of a full queue. */
#define PACE_LEAST	2
#define PACE_FLOOR	16

/* It is no longer doubled if a round trip's first answers are all later by so much, ns. */
#define PACE_SAMPLES	8
#define PACE_QUEUE_MIN	4000000
#define PACE_QUEUE_MAX	16000000

/*
 * Parts of a packet. Small windows are cut by less than a packet, and in proportion: were it always a
 * whole one, two that share a link would stay as unlike as they are.
 */
#define PACE_ONE	(1u << 16)

/* The share of marked answers, in fixed point. */
#define PACE_SHARE_ALL	(1u << 16)

/* Questions that one answer pays for, and how many may be saved up. */
#define PACE_CREDIT	2
#define PACE_CREDIT_MAX	64

/**
 * struct pace - the window
 * @limit: packets under way at most, now
 * @parts: and parts of one, less than PACE_ONE
 * @ceiling: the most that @limit may grow to
 * @threshold: below it, it grows by one an answer; above, slowly
 * @growth: by how many parts it grows in a round trip, where queues mark; else by one packet
 * @marks: the last fall was for a mark
 * @used: packets that were under way when some were sent last
 * @answers: of this round trip
 * @marked: of them
 * @share: the moving average of marked answers in a round trip
 * @quickest: the quickest answer of this round trip, ns; UINT64_MAX before the first
 * @base: and of all
 * @round: the round trip ends with the answer to a packet sent at this time or later
 * @credit: questions that are paid for
 * @recovery: losses and marks of packets sent before this time are part of the last fall
 */
struct pace {
	uint32_t limit;
	uint32_t parts;
	uint32_t ceiling;
	uint32_t threshold;
	uint32_t growth;
	bool marks;
	uint32_t used;
	uint32_t answers;
	uint32_t marked;
	uint32_t share;
	uint64_t quickest;
	uint64_t base;
	uint64_t round;
	uint32_t credit;
	uint64_t recovery;
};

/**
 * struct pace_answer - blocks that were answered together
 * @blocks: number of blocks
 * @marked: the result says that a queue is full (RFC 3168: CE)
 * @sent: time at which their packets were sent
 * @again: and not for the first time: the answer may be to another sending
 */
struct pace_answer {
	uint32_t blocks;
	bool marked;
	uint64_t sent;
	bool again;
};

/* @growth: packets of this rank that are together as long as one of the path's MTU, in parts. */
void pace_init(struct pace *pace, uint32_t ceiling, uint32_t growth);

/* The box has room for so many packets now. */
void pace_cap(struct pace *pace, uint32_t ceiling);

/* Packets were sent, and so many are under way now. */
static inline void pace_sent(struct pace *pace, uint32_t flight)
{
	pace->used = flight;
}

/* Blocks were answered. */
void pace_answered(struct pace *pace, const struct pace_answer *answer, uint64_t now);

/*
 * Nothing was answered for long: the saved credit is set to @credit. The first answer may
 * be to a question, or to its contribution that was only slow; it must not set off
 * questions about all blocks sent before.
 */
void pace_silent(struct pace *pace, uint32_t credit);

/* A packet that was sent at @sent is lost. */
void pace_lost(struct pace *pace, uint64_t sent, uint64_t now);

/* Return the number of packets that may be sent while @flight are under way. */
uint32_t pace_room(const struct pace *pace, uint32_t flight);

#endif

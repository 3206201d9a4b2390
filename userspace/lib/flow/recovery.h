/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loss detection: when the box is asked about a block, and when an answer is a sample of the round trip.
 *
 * It is that of RFC 9002 and RFC 8985 (RACK), with these differences, because an answer is the box's and depends
 * on other ranks:
 *
 *	acknowledgment		the result of a block, or the box's reply to a question about it
 *	largest acknowledged	@newest: the latest sending among all blocks that are answered (RACK.xmit_ts)
 *	packet threshold	none: the box answers in about the order of arrival, and by several processors
 *	time threshold		the shortest round trip, as RACK's reordering window. A packet sent by more before
 *				@newest is lost at once; one sent by less, when its answer is late by as much
 *	loss			the box is asked. What it lacks, and that alone, is sent again
 *	packet number spaces	two: contributions, whose results wait for other ranks, and questions, which the
 *				box answers at once. A reply shows that questions before it are lost
 *	retransmission		has a time of sending of its own, as in RACK, so that it may be found lost again
 *	RTT sample		by Karn's rule of packets sent once; and of none that a loss, the probe timeout or the
 *				program may have held up. One a round trip is smoothed (RFC 6298)
 *	probe timeout (PTO)	the smoothed time and four deviations, 10 ms to a second, doubled each time; by
 *				that not raised above a quarter of the failover time where there are standby
 *				boxes. It runs from the last answer, not from a packet: a silence is mostly
 *				another rank's
 *	probes			1, 2, then 4 questions in a row; answers pay for further ones (pace.h)
 *	persistent congestion	none: a silence says nothing of the path, and the window is cut by losses that are
 *				found, not by the timer
 */
#ifndef WEIR_RECOVERY_H
#define WEIR_RECOVERY_H

#include <stdbool.h>
#include <stdint.h>

#include "flow/rtt.h"
#include "flow/window.h"

/* Questions that a probe timeout asks at most. */
#define RECOVERY_PROBES	4

/**
 * struct recovery - what is known of the order and the times of answers
 * @rtt: the round trip
 * @timer: start of the probe timeout
 * @newest: latest sending among all blocks that are answered
 * @newest_contributed: and the latest sending of their contributions
 * @newest_question: the latest sending among questions that the box has replied to
 * @sampled: time at which the answer to @newest was a sample
 * @expired: time of the last probe timeout
 * @expired_newest: @newest at that time
 * @probes: questions that it asked
 */
struct recovery {
	struct rtt rtt;
	uint64_t timer;
	uint64_t newest;
	uint64_t newest_contributed;
	uint64_t newest_question;
	uint64_t sampled;
	uint64_t expired;
	uint64_t expired_newest;
	uint32_t probes;
};

/* Restart the probe timeout: a packet was sent while none was in flight, or the rank has moved to another box. */
static inline void recovery_restart(struct recovery *recovery, uint64_t now)
{
	recovery->timer = now;
}

/*
 * Take the answer to a block, before the window does. @is_sample: the block's own contribution was awaited all
 * the time, so that the time that it took is the path's and the ranks'.
 */
void recovery_answered(struct recovery *recovery, const struct window_slot *slot, uint64_t now, bool is_sample);

/* Take a reply about a block that waits, before the window does. */
void recovery_replied(struct recovery *recovery, const struct window_slot *slot);

/*
 * Return true if a result that was asked for was lost on its way down. It came after the answer to a later
 * sending, and not so soon that it was under way already.
 */
static inline bool recovery_was_lost(const struct recovery *recovery, const struct window_slot *slot, uint64_t now)
{
	return slot->asked == WINDOW_ASKED_OVERTAKEN && now - slot->sent >= recovery->rtt.min;
}

/* Return the end of the probe timeout. */
static inline uint64_t recovery_timeout(const struct recovery *recovery)
{
	return recovery->timer + rtt_timeout(&recovery->rtt);
}

/* The probe timeout has ended without an answer. Return the number of blocks to ask about. */
uint32_t recovery_expired(struct recovery *recovery, uint64_t now);

/*
 * Return the time when the last packet about a block without a reply, its contribution or a question, is taken for
 * lost, by the time threshold; UINT64_MAX if no later one was answered.
 */
uint64_t recovery_lost_at(const struct recovery *recovery, const struct window_slot *slot);

/*
 * Return the time when the box is asked again about a block that it held for other ranks; UINT64_MAX if no later
 * contribution was answered.
 */
uint64_t recovery_held_at(const struct recovery *recovery, const struct window_slot *slot);

#endif

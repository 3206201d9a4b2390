/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_MERGED_H
#define _WEIR_MERGED_H

#include <linux/bitmap.h>
#include <linux/types.h>
#include <uapi/weir.h>

#include "agg/out/merge.h"

struct weir_dest;
struct weir_job;
struct weir_packet;
struct weir_stats;

/**
 * struct weir_merged_lane - packets that may go as one
 * @job: the job that they are of
 * @to: their receiver, NULL for those of the job's that @skip does not name
 * @stats: the receiver's counters, or NULL
 * @counter: enum weir_counter for each
 * @skips: sources are in @skip, which else is not valid
 * @skip: sources that do not get them
 * @merge: the packets
 */
struct weir_merged_lane {
	struct weir_job		*job;
	struct weir_dest	*to;
	struct weir_stats __percpu *stats;
	unsigned int		counter;
	bool			skips;
	DECLARE_BITMAP(skip, WEIR_SOURCES_MAX);
	struct weir_merge	merge;
};

/**
 * struct weir_merged - packets that one pass sends
 * @long_lane: those with gradients
 * @short_lane: those without: replies, and results whose receivers do not need the gradients
 * @sent: packets that the pass has handed to the stack so far, each merged one counted once
 *
 * A pass is a CPU's way through a merged packet, or a timer's through its blocks, under RCU
 * with bottom halves disabled. Zeroed at first; weir_merged_flush() ends it.
 */
struct weir_merged {
	struct weir_merged_lane	long_lane;
	struct weir_merged_lane	short_lane;
	u32			sent;
};

/**
 * struct weir_receivers - receivers of a packet
 * @to: the one, or NULL for the job's group or sources
 * @stats: its counters, or NULL
 * @skip: with @to NULL and no group, sources that do not get it; NULL for none
 */
struct weir_receivers {
	struct weir_dest	*to;
	struct weir_stats __percpu *stats;
	const unsigned long	*skip;
};

bool weir_merged_add(struct weir_merged *merged, struct weir_job *job,
		     const struct weir_receivers *receivers, const struct weir_packet *pkt,
		     unsigned int counter);
void weir_merged_flush(struct weir_merged *merged);

#endif /* _WEIR_MERGED_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_MERGED_H
#define _WEIR_MERGED_H

#include <linux/types.h>

#include "agg/out/merge.h"

struct weir_dest;
struct weir_job;
struct weir_packet;
struct weir_stats;

/**
 * struct weir_merged - packets that one pass sends, and that may go as one
 * @job: the job that they are of
 * @to: their receiver, NULL for all of the job's
 * @stats: the receiver's counters, or NULL
 * @counter: enum weir_counter for each
 * @merge: the packets
 * @sent: packets that the pass has handed to the stack so far, each merged one counted once
 *
 * A pass is a CPU's way through a merged packet, or a timer's through its blocks, under RCU
 * with bottom halves disabled. Zeroed at first; weir_merged_flush() ends it.
 */
struct weir_merged {
	struct weir_job		*job;
	struct weir_dest	*to;
	struct weir_stats __percpu *stats;
	unsigned int		counter;
	struct weir_merge	merge;
	u32			sent;
};

bool weir_merged_add(struct weir_merged *merged, struct weir_job *job,
		     struct weir_dest *to, struct weir_stats __percpu *stats,
		     const struct weir_packet *pkt, unsigned int counter);
void weir_merged_flush(struct weir_merged *merged);

#endif /* _WEIR_MERGED_H */

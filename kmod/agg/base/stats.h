/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_STATS_H
#define _WEIR_STATS_H

#include <linux/percpu.h>
#include <uapi/weir.h>

struct net;
struct sk_buff;

/**
 * enum weir_counter - counters, in the order of the stats attributes
 * @WEIR_C_CONTRIBUTIONS: packets summed
 * @WEIR_C_GRADIENTS: gradients summed
 * @WEIR_C_BYTES: their bytes
 * @WEIR_C_BLOCKS: blocks answered
 * @WEIR_C_DEGRADED: of them, without all sources
 * @WEIR_C_AGED: blocks that timed out
 * @WEIR_C_OVERFLOWS: blocks in which a sum left the range of int32
 * @WEIR_C_RESULTS: result packets handed to the stack
 * @WEIR_C_REPEATS: results sent again
 * @WEIR_C_QUERIES: packets that asked for a result
 * @WEIR_C_REPLIES: replies where there was none
 * @WEIR_C_RESULT_ERRORS: result packets that could not be handed over
 * @WEIR_C_JOINS: join packets taken
 * @WEIR_C_ANSWERS: answers to joins handed to the stack
 * @WEIR_C_NOTICES: notices handed to the stack
 * @WEIR_C_LATE: contributions to blocks that were answered without them
 * @WEIR_C_STRAGGLES: sources missing in blocks that timed out
 * @WEIR_C_ABANDONED: open blocks swept away by a new generation
 * @WEIR_C_POLICED_BYTES: bytes of packets above a rate
 * @WEIR_C_PARENT_SUMS: sums handed to the stack for the parent box
 * @WEIR_C_PARENT_QUERIES: joins and questions handed to the stack for the parent box
 * @WEIR_C_PARENT_RESULTS: results of the parent box that answered a block
 * @WEIR_C_KV_HITS: pairs whose key was in the table
 * @WEIR_C_KV_MISSES: pairs whose key was not
 * @WEIR_C_KV_EVICTIONS: keys that left the table for others
 * @WEIR_C_KV_PASSED: pairs that found no room, and went on themselves
 * @WEIR_C_KV_FLUSHES: times that the table, or what has rested in it, was sent on
 * @WEIR_C_ACKS: acknowledgments taken
 * @WEIR_C_BEHIND: sources that lacked a result when it was evicted
 * @WEIR_C_PAGES_LEFT: pages left to receivers that still held them when their slot was needed
 * @WEIR_C_REFUSED: the first of one counter a reason, at + enum weir_reason
 * @WEIR_C_MAX: number of counters
 *
 * The counters up to @WEIR_C_REFUSED stand in the order of WEIR_A_STATS_*.
 */
enum weir_counter {
	WEIR_C_CONTRIBUTIONS,
	WEIR_C_GRADIENTS,
	WEIR_C_BYTES,
	WEIR_C_BLOCKS,
	WEIR_C_DEGRADED,
	WEIR_C_AGED,
	WEIR_C_OVERFLOWS,
	WEIR_C_RESULTS,
	WEIR_C_REPEATS,
	WEIR_C_QUERIES,
	WEIR_C_REPLIES,
	WEIR_C_RESULT_ERRORS,
	WEIR_C_JOINS,
	WEIR_C_ANSWERS,
	WEIR_C_NOTICES,
	WEIR_C_LATE,
	WEIR_C_STRAGGLES,
	WEIR_C_ABANDONED,
	WEIR_C_POLICED_BYTES,
	WEIR_C_PARENT_SUMS,
	WEIR_C_PARENT_QUERIES,
	WEIR_C_PARENT_RESULTS,
	WEIR_C_KV_HITS,
	WEIR_C_KV_MISSES,
	WEIR_C_KV_EVICTIONS,
	WEIR_C_KV_PASSED,
	WEIR_C_KV_FLUSHES,
	WEIR_C_ACKS,
	WEIR_C_BEHIND,
	WEIR_C_PAGES_LEFT,
	WEIR_C_REFUSED,
	WEIR_C_MAX = WEIR_C_REFUSED + WEIR_REASON_MAX + 1,
};

/* Counters of one CPU. Written by it alone, with this_cpu_add(). */
struct weir_stats {
	u64 c[WEIR_C_MAX];
};

/**
 * weir_count() - add to a counter on this CPU
 * @stats: the object's counters
 * @counter: enum weir_counter
 * @n: value to add
 *
 * Any context.
 */
static inline void weir_count(struct weir_stats __percpu *stats,
			      unsigned int counter, u64 n)
{
	this_cpu_add(stats->c[counter], n);
}

int weir_stats_put(struct sk_buff *skb, int attr,
		   struct weir_stats __percpu *stats);
int weir_totals_net_init(struct net *net);
void weir_totals_net_uninit(struct net *net);

#endif /* _WEIR_STATS_H */

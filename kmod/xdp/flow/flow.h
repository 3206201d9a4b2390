/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_FLOW_H
#define _WEIR_FLOW_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/list.h>
#include <linux/types.h>

#include "xdp/flow/seq.h"
#include "xdp/packet/headers.h"

/**
 * enum weir_flow_state - of a record
 * @WEIR_FLOW_FREE: it is being filled, or is nobody's
 * @WEIR_FLOW_LIVE: packets find it
 * @WEIR_FLOW_GONE: no packet finds it any more, and those that have end with a grace period
 */
enum weir_flow_state { WEIR_FLOW_FREE, WEIR_FLOW_LIVE, WEIR_FLOW_GONE };

/**
 * struct weir_flow_sum - packets and their bytes
 * @packets: how many
 * @bytes: of them, from the IP header on
 */
struct weir_flow_sum {
	u64	packets;
	u64	bytes;
};

/**
 * struct weir_flow - a record
 * @node: in its bucket
 * @key: the flow
 * @pair: both of IPv4's addresses, which packets compare at once; of others nothing
 * @last: the tick of its last packet. This is the paper's REF flag, too: a visit that finds it as
 *	it was at the one before knows that no packet came in between
 * @packets: packets
 * @bytes: their bytes, from the IP header on
 * @seq: TCP's sequence numbers
 * @tcp_flags: all that were seen
 * @heed: those of TCP's flags that a packet does not go by with
 * @tos: of the first packet
 * @state: enum weir_flow_state; read by those who walk over all records
 * @end: enum weir_xdp_flow_end, of one that is gone
 * @settled: @missed is known
 * @gaps: times that a sequence number went further than expected
 * @reordered: packets of the last gap that came late
 * @repeated: packets that came again
 * @trimmed: packets that had been trimmed
 * @ce: packets with the mark CE
 * @gap_bytes: bytes that were left out
 * @first: the monotonic clock at the first packet, in ns, which steps of the other do not move
 * @missed: what the flow may have had before this record, at most; written by the visits
 * @told: what has been reported; the visits'
 * @told_at: the tick of the last report, or of the first packet; the visits'
 * @gone: the next one that is gone; likewise
 *
 * A packet writes to the first two lines. The rest is the visits' and the first packet's.
 */
struct weir_flow {
	struct hlist_node	node;
	struct weir_flow_key	key;
	u64			pair;

	atomic64_t		packets;
	atomic64_t		bytes;
	u32			last;
	struct weir_flow_seq	seq;
	u8			tcp_flags;
	u8			heed;
	u8			tos;
	u8			state;
	atomic_t		gaps;
	atomic_t		reordered;
	atomic_t		repeated;
	atomic_t		trimmed;
	atomic_t		ce;
	u8			end;
	bool			settled;

	atomic64_t		gap_bytes;
	u64			first;
	struct weir_flow_sum	missed;
	struct weir_flow_sum	told;
	u32			told_at;
	struct weir_flow	*gone;
} ____cacheline_aligned;

/**
 * struct weir_flow_first - what a flow's first packet tells
 * @seq: TCP's sequence number
 * @tos: DSCP and ECN
 */
struct weir_flow_first {
	u32	seq;
	u8	tos;
};

/* Type and code of ICMP are in the destination port of the key of its flow. */
static inline bool weir_flow_is_icmp(const struct weir_flow_key *key)
{
	return key->proto == (key->ip == 4 ? IPPROTO_ICMP : IPPROTO_ICMPV6);
}

static inline void weir_flow_sum_of(const struct weir_flow *flow, struct weir_flow_sum *sum)
{
	sum->packets = atomic64_read(&flow->packets);
	sum->bytes = atomic64_read(&flow->bytes);
}

#endif /* _WEIR_FLOW_H */

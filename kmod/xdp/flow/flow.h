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
 * enum weir_flow_state - states of a record
 * @WEIR_FLOW_FREE: unused, or being filled
 * @WEIR_FLOW_LIVE: in its bucket: packets of the flow find it
 * @WEIR_FLOW_GONE: taken from its bucket: packets that found it before may use it for a
 *	grace period
 */
enum weir_flow_state { WEIR_FLOW_FREE, WEIR_FLOW_LIVE, WEIR_FLOW_GONE };

/**
 * struct weir_flow_sum - packets and their bytes
 * @packets: number of packets
 * @bytes: bytes of these packets, from the IP header on
 */
struct weir_flow_sum {
	u64	packets;
	u64	bytes;
};

/**
 * struct weir_flow - the record of a flow
 * @node: list node in the bucket of its hash
 * @key: addresses, ports and protocol of the flow
 * @pair: both addresses of an IPv4 flow, which a packet compares in one step; 0 for other flows
 * @packets: number of packets
 * @bytes: bytes of these packets, from the IP header on
 * @last: jiffies of the last packet. It also serves as the paper's REF flag: no packet has come
 *	between two visits that find the same value
 * @seq: sequence numbers of TCP
 * @tcp_flags: all TCP flags that were seen
 * @heed: TCP flags that take a packet off the fast path: those not seen yet, SYN and FIN
 * @tos: DSCP and ECN of the first packet
 * @state: enum weir_flow_state; read by walks over all records
 * @end: enum weir_xdp_flow_end; valid once the record is gone
 * @settled: @missed is final
 * @gaps: number of times that a sequence number was higher than expected
 * @reordered: number of packets that belonged to the last gap and came late
 * @repeated: number of packets that were received before
 * @trimmed: number of trimmed packets
 * @ce: number of packets marked CE
 * @gap_bytes: bytes that were missing at gaps
 * @first: CLOCK_MONOTONIC at the first packet, ns; not affected by steps of the wall clock
 * @missed: upper bound of the flow's packets before this record; written by visits
 * @told: packets and bytes that have been reported; used by visits
 * @told_at: jiffies of the last report, or of the first packet; used by visits
 * @gone: next record that has ended; used by visits
 *
 * A packet writes to the first two cache lines. The third is written by the first packet and by
 * visits.
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
 * struct weir_flow_first - fields of a flow's first packet that its record begins with
 * @seq: sequence number of TCP
 * @tos: DSCP and ECN
 */
struct weir_flow_first {
	u32	seq;
	u8	tos;
};

/* Return true for a flow of ICMP: its key has type and code in place of the destination port. */
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

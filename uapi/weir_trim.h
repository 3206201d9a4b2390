/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/*
 * Shared by the module and the BPF programs that trim: the policy of an egress port, its
 * meters and its counters. The module owns them (it fills the policy from netlink requests
 * and frees all of it with the port); the programs get pointers, by kfuncs, and read, meter
 * and count in place.
 */
#ifndef _UAPI_WEIR_TRIM_H
#define _UAPI_WEIR_TRIM_H

#include <linux/types.h>

#include "weir_trim_nl.h"

/**
 * struct weir_trim_prefix - addresses that a rule matches
 * @addr: an address, network byte order; of IPv4 the rest is 0
 * @mask: bits that must be equal in the packet's address, network byte order; all 0 matches all
 *	addresses
 */
struct weir_trim_prefix {
	__be32	addr[4];
	__be32	mask[4];
};

/**
 * union weir_trim_what - fields of headers, in a rule and of a packet
 * @port: UDP or TCP destination port, host byte order; 0 where there is none
 * @vlan: id of the outer VLAN tag; 0 where there is none
 * @sport: UDP or TCP source port, as @port
 * @proto: the IP protocol behind the IP headers
 * @ip: 4 or 6, IP's version
 * @all: all of these as one number
 *
 * In a rule a 0 matches all packets.
 */
union weir_trim_what {
	struct {
		__u16	port;
		__u16	vlan;
		__u16	sport;
		__u8	proto;
		__u8	ip;
	};
	__u64		all;
};

/**
 * struct weir_trim_ends - all fields of a packet that a rule can compare
 * @dscps: DSCPs that it may have had
 * @what: of its headers; @what.sport is 0 where no rule has one
 * @from: index of the device that it came in by
 * @l3: offset of the IP header
 * @l4: offset of the header behind the IP headers
 */
struct weir_trim_ends {
	__u64			dscps;
	union weir_trim_what	what;
	__u32			from;
	__u16			l3;
	__u16			l4;
};

/* With the prio of an ACL's rule: the rule forbids trimming. */
#define WEIR_TRIM_ACL_FORBIDS	0x10000

/**
 * struct weir_trim_rule - packets that a policy trims, or does not
 * @dscps: bit i is set where DSCP i matches
 * @what: of their headers
 * @from: index of the device that packets came in by, as the hook sees it; 0 matches
 *	all packets
 * @disable: packets that match are never trimmed, under any other rule
 * @slot: its counters in a struct weir_trim_cpu
 * @reserved: zero
 * @mask: the bits of @what that are compared, see weir_trim_rule_mask()
 * @src: source addresses, of the version @what.ip where any bit counts
 * @dst: destination addresses, of the version @what.ip where any bit counts
 */
struct weir_trim_rule {
	__u64			dscps;
	union weir_trim_what	what;
	__u64			mask;
	__u32			from;
	__u8			disable;
	__u8			slot;
	__u8			reserved[2];
	struct weir_trim_prefix	src;
	struct weir_trim_prefix	dst;
};

/**
 * weir_trim_rule_mask() - set the mask of the fields that a rule compares
 * @rule: all but its mask is filled
 */
static inline void weir_trim_rule_mask(struct weir_trim_rule *rule)
{
	union weir_trim_what asked = { .all = 0 };

	asked.port = rule->what.port ? 0xffff : 0;
	asked.vlan = rule->what.vlan ? 0xffff : 0;
	asked.sport = rule->what.sport ? 0xffff : 0;
	asked.proto = rule->what.proto ? 0xff : 0;
	asked.ip = rule->what.ip ? 0xff : 0;
	rule->mask = asked.all;
}

/* flags of a struct weir_trim_policy */
#define WEIR_TRIM_KEEP_LENGTH	0x1	/* enum weir_trim_length is keep */
#define WEIR_TRIM_RETURN	0x2	/* enum weir_trim_full is return, or return-always */
#define WEIR_TRIM_SET_PRIORITY	0x4	/* @priority is given */
#define WEIR_TRIM_SET_QUEUE	0x8	/* @queue is given */
#define WEIR_TRIM_SET_CLASS	0x20	/* @class is given */
#define WEIR_TRIM_ASKS_ENDS	0x10	/* an ACL, or more than DSCP, protocol, port, VLAN */
#define WEIR_TRIM_RETURN_ALWAYS	0x40	/* enum weir_trim_full is return-always */
#define WEIR_TRIM_ASKS_ACL	0x80	/* an ACL decides about packets that rules have trimmed */

/* With the slot of a rule, counted from 1 on: the rule forbids trimming. */
#define WEIR_TRIM_FORBIDS	0x80

/* Traffic classes. */
#define WEIR_TRIM_CLASSES	16

/* A DSCP without a traffic class. */
#define WEIR_TRIM_NO_CLASS	255

/**
 * struct weir_trim_policy - how a port trims packets
 * @dscps: DSCPs that some rule without disable matches, for a first look; none of them marks
 *	trimmed, returned or control packets
 * @marks: DSCPs of trimmed packets, bit i being DSCP i; @dscp is one of them
 * @controls: DSCPs of control packets, bit i being DSCP i
 * @flags: WEIR_TRIM_*
 * @size: bytes of a frame that stay, from the Ethernet header on, tags included
 * @priority: skb->priority of trimmed packets
 * @queue: transmit queue of trimmed packets
 * @dscp: DSCP of trimmed packets, read from the class where there is one
 * @return_dscp: DSCP of packets that go back to their sender
 * @rules: number of rules
 * @ifindex: index of the port
 * @class: traffic class of trimmed packets by their DSCP, WEIR_TRIM_NO_CLASS for none
 * @tc: traffic class of packets by their DSCP, for counters: that of dscp-tc, else the DSCP's
 *	upper three bits (RFC 2474)
 * @ruled: slot of the rule that decides about all packets with a DSCP, counted from 1 on, with
 *	WEIR_TRIM_FORBIDS if it forbids trimming; 0 if rules compare more than the DSCP, and
 *	for one that an ACL decides about
 * @rule: the rules
 */
struct weir_trim_policy {
	__u64			dscps;
	__u64			marks;
	__u64			controls;
	__u32			flags;
	__u32			size;
	__u32			priority;
	__u16			queue;
	__u8			dscp;
	__u8			return_dscp;
	__u32			rules;
	__u32			ifindex;
	__u8			class[64];
	__u8			tc[64];
	__u8			ruled[64];
	struct weir_trim_rule	rule[WEIR_TRIM_RULES_MAX];
};

/* Virtual queues are measured in ticks: this many are a nanosecond. */
#define WEIR_TRIM_TICK_SHIFT	6

/* A byte costs @cost >> WEIR_TRIM_COST_SHIFT ticks. */
#define WEIR_TRIM_COST_SHIFT	20

/**
 * enum weir_trim_mode - how much of its port's rate a CPU takes for its own
 * @WEIR_TRIM_OPTIMISTIC: all of it
 * @WEIR_TRIM_HALF: half, from t0 to t1 after an overflow
 * @WEIR_TRIM_PESSIMISTIC: a quarter, up to t0 after an overflow
 * @WEIR_TRIM_MODES: number of modes
 *
 * The shares are those of the trimming paper, section 4; they can be set. The
 * order is that of the counters from WEIR_TRIM_C_OPTIMISTIC on.
 */
enum weir_trim_mode {
	WEIR_TRIM_OPTIMISTIC,
	WEIR_TRIM_HALF,
	WEIR_TRIM_PESSIMISTIC,
	WEIR_TRIM_MODES,
};

/**
 * struct weir_trim_meters - settings of a port's virtual queues
 * @cost: of a byte at the rate of each mode; the shared meter uses the first
 * @limit: ticks that may wait before a packet is trimmed
 * @header_limit: ticks above @limit at which a header is dropped, too
 * @t0: nanoseconds after an overflow that the pessimistic mode lasts
 * @t1: nanoseconds after an overflow at which the half-pessimistic mode ends
 * @kind: enum weir_trim_meter
 * @overhead: bytes that a frame takes of the rate beyond its own
 * @mpu: bytes that it takes at least, overhead included
 */
struct weir_trim_meters {
	__u64	cost[WEIR_TRIM_MODES];
	__u64	limit;
	__u64	header_limit;
	__u64	t0;
	__u64	t1;
	__u32	kind;
	__u16	overhead;
	__u16	mpu;
};

/* sends of a struct weir_trim_port */
#define WEIR_TRIM_SENDS		0x1	/* frames that XDP redirects */
#define WEIR_TRIM_SENDS_FRAGS	0x2	/* those that have fragments, too */

/**
 * struct weir_trim_port - state of an egress port that all CPUs share
 * @policy: its settings; never change while the object is reachable
 * @meters: the meters' settings; never change while the object is reachable
 * @hook: enum weir_trim_hook; never changes while the object is reachable
 * @sends: WEIR_TRIM_SENDS*, frames that the device's driver takes now
 * @via: the device that XDP redirects to; frames that the driver does not take go from there
 *	to the port's qdiscs; 0 where the hook is not xdp, or the stack forwards
 * @reserved: zero
 * @queue: the shared meter: the tick at which the virtual queue is empty.
 *	Advanced by compare-and-exchange
 * @overflow: nanosecond of the last overflow (bpf_ktime_get_ns()), 0 before the first.
 *	Stored by the CPU that sees one, read by every CPU
 */
struct weir_trim_port {
	struct weir_trim_policy	policy;
	struct weir_trim_meters	meters;
	__u32			hook;
	__u32			sends;
	__u32			via;
	__u32			reserved;
	__u64			queue __attribute__((aligned(64)));
	__u64			overflow;
};

/*
 * Deflected packets that may wait in a qdisc: as many as waited at most in the trimming
 * paper, section 6.2.
 */
#define WEIR_TRIM_DEFLECTED_MAX	250

/*
 * enum weir_trim_counter - counters, in the order of WEIR_A_TRIM_STATS_*, which describe each
 */
enum weir_trim_counter {
	WEIR_TRIM_C_WHOLE,
	WEIR_TRIM_C_WHOLE_BYTES,
	WEIR_TRIM_C_TRIM,
	WEIR_TRIM_C_TRIM_BYTES,
	WEIR_TRIM_C_TX_TRIM,
	WEIR_TRIM_C_DROPPED_TRIM,
	WEIR_TRIM_C_RETURNED,
	WEIR_TRIM_C_SHORT,
	WEIR_TRIM_C_HEADERS,
	WEIR_TRIM_C_HEADERS_DROPPED,
	WEIR_TRIM_C_UNTRUSTED,
	WEIR_TRIM_C_OTHER,
	WEIR_TRIM_C_OTHER_DROPPED,
	WEIR_TRIM_C_FAILED,
	WEIR_TRIM_C_MERGED,
	WEIR_TRIM_C_DATA_MAX,
	WEIR_TRIM_C_HEADER_MAX,
	WEIR_TRIM_C_OVERFLOWS,
	WEIR_TRIM_C_OPTIMISTIC,
	WEIR_TRIM_C_HALF,
	WEIR_TRIM_C_PESSIMISTIC,
	WEIR_TRIM_C_HALF_TIME,
	WEIR_TRIM_C_PESSIMISTIC_TIME,
	WEIR_TRIM_C_DEVICE_DROPPED,
	WEIR_TRIM_C_DEFLECTED,
	WEIR_TRIM_C_DEFLECTED_MAX,
	WEIR_TRIM_C_LOST,
	WEIR_TRIM_C_OTHER_MAX,
	WEIR_TRIM_C_MAX,
};

/* In the note of a redirected frame: a trimmed packet of a traffic class. */
#define WEIR_TRIM_C_TX_OF(tc)	(WEIR_TRIM_C_MAX + (tc))

/**
 * struct weir_trim_class_count - packets of a traffic class that a program has trimmed
 * @trim: number of packets
 * @tx_trim: of these, those that were sent on
 * @dropped_trim: of these, those that found no room
 */
struct weir_trim_class_count {
	__u64	trim;
	__u64	tx_trim;
	__u64	dropped_trim;
};

/*
 * Places for counters of rules: a rule that comes gets one that no rule of the revision
 * before has, into which packets may still be counted.
 */
#define WEIR_TRIM_SLOTS		(2 * WEIR_TRIM_RULES_MAX)

/**
 * struct weir_trim_hits - packets that a rule decided about
 * @packets: number of packets
 * @bytes: bytes of their frames
 */
struct weir_trim_hits {
	__u64	packets;
	__u64	bytes;
};

/**
 * struct weir_trim_cpu - state of an egress port that one CPU owns
 * @queue: its own meters, one a mode: the tick at which each virtual queue is
 *	empty
 * @count: counters
 * @hits: counters of rules, by their slots
 * @class: counters of traffic classes
 *
 * Written by this CPU alone, with bottom halves disabled.
 */
struct weir_trim_cpu {
	__u64	queue[WEIR_TRIM_MODES];
	__u64	count[WEIR_TRIM_C_MAX];
	struct weir_trim_hits	hits[WEIR_TRIM_SLOTS];
	struct weir_trim_class_count	class[WEIR_TRIM_CLASSES];
};

/* In the tag of weir_trim_bridge_xdp(): the frame shows all the tags that it came with. */
#define WEIR_TRIM_TAG_SHOWN	0x1000

/*
 * The kfuncs, for programs of type XDP and SCHED_CLS (those that end in _skb). The memory
 * that they return is readable and writable while the program runs (RCU). They return NULL
 * where the device has no policy. @rdwr_buf_size is the size of the struct; where the
 * module's has another size, the program was built for another module, and gets NULL.
 *
 *	__u8 *weir_trim_port_xdp(struct xdp_md *ctx, u32 ifindex,
 *				 const u32 rdwr_buf_size);
 *	__u8 *weir_trim_port_skb(struct __sk_buff *ctx, u32 ifindex,
 *				 const u32 rdwr_buf_size);
 *		the struct weir_trim_port of an egress device
 *
 *	__u8 *weir_trim_cpu_xdp(struct xdp_md *ctx, u32 ifindex,
 *				const u32 rdwr_buf_size);
 *	__u8 *weir_trim_cpu_skb(struct __sk_buff *ctx, u32 ifindex,
 *				const u32 rdwr_buf_size);
 *		this CPU's struct weir_trim_cpu of an egress device
 *
 *	u32 weir_trim_from_xdp(struct xdp_md *ctx);
 *
 * the device whose program runs: a bond, of which ctx->ingress_ifindex names a member, else the
 * same.
 *
 *	int weir_trim_edge_xdp(struct xdp_md *ctx);
 *	int weir_trim_edge_skb(struct __sk_buff *ctx);
 *		1 where a mark of a trimmed packet is not trusted, as the packet came in by an
 *		edge or may have done so, else 0
 *
 *	int weir_trim_backlog_xdp(struct xdp_md *ctx, u32 ifindex);
 *		1 where no data band of the device's weir qdiscs has room for the
 *		frame, 0 where one has, -ENOENT where there is no such qdisc
 *
 *	u32 weir_trim_acl_xdp(struct xdp_md *ctx, u32 ifindex, const void *ends,
 *			      u32 ends__sz);
 *	u32 weir_trim_acl_skb(struct __sk_buff *ctx, u32 ifindex, const void *ends,
 *			      u32 ends__sz);
 *		the prio of the rule that decides about a packet in the ACL of an egress
 *		device's policy, with WEIR_TRIM_ACL_FORBIDS where that rule forbids trimming; 0
 *		where none does. ends: a struct weir_trim_ends; addresses and the source port
 *		are read from the packet
 *
 *	int weir_trim_acl_count_xdp(struct xdp_md *ctx, u32 ifindex, u32 prio, u32 bytes);
 *	int weir_trim_acl_count_skb(struct __sk_buff *ctx, u32 ifindex, u32 prio,
 *				    u32 bytes);
 *		counts a packet of so many bytes for a rule of that ACL. 0, or -ENOENT where
 *		the ACL no longer has the rule
 *
 *	int weir_trim_bridge_xdp(struct xdp_md *ctx, u32 tag);
 *		index of the port that the bridge would forward the frame to, as it is;
 *		0 where it would do anything else, has to learn from the frame, or the
 *		frame came in by no port of a bridge. tag: VLAN id of the frame's outer
 *		802.1Q tag, 0 without one (that of priority alone is the stack's); with
 *		WEIR_TRIM_TAG_SHOWN where it is known that the driver has taken none off,
 *		else a bridge with VLANs has all frames of drivers that do so
 *
 *	void weir_trim_frags_xdp(struct xdp_md *ctx, u32 len);
 *		to be called before bpf_xdp_adjust_tail() makes a frame shorter:
 *		takes off fragments, or the ends of them, until the frame has
 *		len bytes or no fragment, where the kernel would free them wrongly
 *
 *	int weir_trim_note_xdp(struct xdp_md *ctx, u32 counter);
 *		the last call before a frame is redirected to @via of its port: notes the
 *		counter that it is in (enum weir_trim_counter, or of trimmed packets
 *		WEIR_TRIM_C_TX_OF()), to be subtracted from where the device does not take
 *		it. 0, or -ENOSPC where the frame has no room before its first byte, and
 *		cannot be redirected
 *
 *	int weir_trim_plain_skb(struct __sk_buff *ctx);
 *		has a packet's bytes count alone: a checksum that was left to the device is
 *		filled in, and hints about headers and verified checksums are removed. Nothing
 *		moves. 0, or -EINVAL, with the packet unchanged, where its headers are not
 *		writable: bpf_skb_pull_data() them first
 *
 *	int weir_trim_length_skb(struct __sk_buff *ctx);
 *		to be called when a packet was cut, so that the qdiscs below count its new
 *		length; only at tc egress. 0, or -EINVAL where it is a merged packet
 *
 *	int weir_trim_queue_skb(struct __sk_buff *ctx, u32 queue);
 *		has a packet sent by this transmit queue, and overrides any other choice; only
 *		at tc egress. 0, or -EINVAL where the device has no such queue
 *
 *	int weir_trim_class_skb(struct __sk_buff *ctx, u32 class);
 *		has a packet sent by one of the transmit queues that the device has
 *		for a traffic class (mqprio), chosen by the packet's flow, or by the
 *		queue of that number if the device has no classes; only at clsact
 *		egress. 0, or -EINVAL where the device has no such class or queue
 */

#endif /* _UAPI_WEIR_TRIM_H */

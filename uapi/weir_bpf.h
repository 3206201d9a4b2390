/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/*
 * The interface from BPF programs to the module. Programs bring every wire format into this
 * one form.
 */
#ifndef _UAPI_WEIR_BPF_H
#define _UAPI_WEIR_BPF_H

#include <linux/types.h>

#define WEIR_FORMATS_MAX	8

/**
 * struct weir_format_entry - which wire format a UDP port or an EtherType carries
 * @port: UDP port, for WEIR_FORMAT_LAB_ETHERNET the EtherType, host byte order; 0 ends the
 *	table
 * @format: enum weir_format
 * @reserved: must be zero
 *
 * Programs have a read-only table weir_formats[WEIR_FORMATS_MAX] of these,
 * which is filled before they are loaded.
 */
struct weir_format_entry {
	__u16	port;
	__u8	format;
	__u8	reserved;
};

/* flags of a struct weir_contrib */
#define WEIR_CONTRIB_JOIN	0x1	/* the payload is a struct weir_join */
#define WEIR_CONTRIB_FINAL	0x2	/* the sender's last block of an allreduce */
#define WEIR_CONTRIB_JOINED	0x4	/* the generation came in an answer to a join */
#define WEIR_CONTRIB_VLAN	0x8	/* XDP: the driver has reported the tag it took off */
#define WEIR_CONTRIB_EXPONENT	0x10	/* there is an exponent */
#define WEIR_CONTRIB_UNNAMED	0x20	/* the packet says neither job nor source: the job is
					 * that of its format, daddr and dport, the source
					 * that of saddr
					 */

#define WEIR_CONTRIB_LINK	0x40	/* with WEIR_CONTRIB_UNNAMED, no IP and no UDP: the
					 * addresses are the link's, the ports 0, and the
					 * bytes behind the Ethernet header take the place of
					 * the UDP datagram
					 */
#define WEIR_CONTRIB_DOWN	0x80	/* from a box to its sources */
#define WEIR_CONTRIB_UP		0x100	/* from a box to its parent */
#define WEIR_CONTRIB_ACK	0x200	/* an acknowledgment of the results before @block */
#define WEIR_CONTRIB_LITTLE	0x400	/* the gradients are little-endian */
#define WEIR_CONTRIB_EMPTY	0x800	/* a contribution without its gradients: it adds none */
#define WEIR_CONTRIB_BRIEF	0x1000	/* a contribution whose sender does not need the result's
					 * gradients
					 */

/*
 * An Ethernet address is ::1:0:0:0 with its 6 bytes in the last 6, which is no address of
 * IPv6 (RFC 4291: 0000::/8 is reserved). This is the third of the four words; its lower 2
 * bytes are the first 2 of the address.
 */
#define WEIR_LINK_WORD		0x00010000

#define WEIR_CONTRIB_SAID	4	/* words of a format's further fields */

/**
 * struct weir_contrib - one contribution, filled by a parser
 * @saddr: sender, network byte order; IPv4 as an IPv4-mapped IPv6 address, an Ethernet
 *	address as described at WEIR_LINK_WORD
 * @daddr: the address that it was sent to, in the form of @saddr
 * @block: block id
 * @exponent: a number; the result has the contributors' maximum; with WEIR_CONTRIB_EXPONENT
 * @job: job id
 * @generation: generation of the sender
 * @source: source id
 * @weight: sources summed into the payload
 * @count: gradients in the payload, or of the block with WEIR_CONTRIB_EMPTY; 0 in a query
 *	for the block's result
 * @udp_off: byte offset of the UDP header from the start of the frame
 * @udp_len: length that the UDP header states, header included
 * @payload_off: byte offset of the first gradient from the start of the frame
 * @sport: UDP source port, host byte order
 * @dport: UDP destination port, host byte order
 * @flags: WEIR_CONTRIB_*; all other bits must be zero
 * @vlan: id of the outer VLAN tag, 0 without one. Where the device takes tags off before XDP
 *	and @flags lack WEIR_CONTRIB_VLAN, it is unknown, and sources that are bound to a
 *	VLAN, or to none, are refused
 * @format: wire format (enum weir_format)
 * @tos: of an IPv4 header the byte that has DSCP and ECN; of an IPv6 header ECN alone; else 0
 * @reserved: must be zero
 * @said: further fields of the packet, for the format's part of the module (kmod/agg/format/);
 *	zero where that reads none. For WEIR_FORMAT_LAB and _LAB_ETHERNET: num_workers,
 *	worker_rank, chunk_id, total_chunks; and slot_mod in @generation. For
 *	WEIR_FORMAT_SWITCHML: see WEIR_SWITCHML_SAID_KIND (uapi/weir_wire.h). For
 *	WEIR_FORMAT_PANAMA: see WEIR_PANAMA_SAID_CAP. For WEIR_FORMAT_KV: see
 *	WEIR_KV_SAID_SESSION. For WEIR_FORMAT_TRIO with WEIR_CONTRIB_DOWN or _UP: the
 *	header's flags
 *
 * All integers are in host byte order. Offsets behind the frame's end are refused.
 */
struct weir_contrib {
	__be32	saddr[4];
	__be32	daddr[4];
	__u32	block;
	__s32	exponent;
	__u16	job;
	__u16	generation;
	__u16	source;
	__u16	weight;
	__u16	count;
	__u16	udp_off;
	__u16	udp_len;
	__u16	payload_off;
	__u16	sport;
	__u16	dport;
	__u16	flags;
	__u16	vlan;
	__u8	format;
	__u8	tos;
	__u8	reserved[2];
	__u32	said[WEIR_CONTRIB_SAID];
};

/*
 * The kfuncs, for programs of type XDP and SCHED_CLS. Each returns 0 when the
 * packet was taken, an enum weir_reason when it was refused (already counted
 * and traced), -EINVAL when the call itself is wrong. The packet is not
 * changed and stays the caller's.
 *
 *	int weir_contribute_xdp(struct xdp_md *ctx, struct weir_contrib *contrib,
 *				u32 contrib__sz);
 *	int weir_contribute_skb(struct __sk_buff *ctx,
 *				struct weir_contrib *contrib, u32 contrib__sz);
 *
 * A packet that GRO has merged, or that its sender has not yet cut (skb->gso_size), has many
 * datagrams and is handed over as a whole by
 *
 *	int weir_contribute_merged_skb(struct __sk_buff *ctx,
 *				       struct weir_contrib *contrib,
 *				       u32 contrib__sz);
 *
 * with @contrib filled as the headers have it, up to UDP's: addresses, ports, @udp_off,
 * @udp_len of the whole packet, @vlan, @format and @tos. The module parses the datagrams. The
 * result is that of the first; each is counted and traced by itself.
 *
 * A parser that finds a packet bad before there is a contribution gives the reason by
 *
 *	int weir_refuse_xdp(struct xdp_md *ctx, struct weir_contrib *contrib,
 *			    u32 contrib__sz, u32 reason);
 *	int weir_refuse_skb(struct __sk_buff *ctx, struct weir_contrib *contrib,
 *			    u32 contrib__sz, u32 reason);
 *
 * with @contrib filled as far as @daddr, @dport, @format and, of a frame without IP, @flags.
 * The program follows the result: a packet to the address and port of no job is not weir's,
 * and may have any content.
 *
 * In some formats a job's address may be that of no host (WEIR_FORMAT_LAB). A program with
 * such a format in its table shows ARP packets to
 *
 *	int weir_arp_xdp(struct xdp_md *ctx, struct weir_contrib *contrib,
 *			 u32 contrib__sz);
 *	int weir_arp_skb(struct __sk_buff *ctx, struct weir_contrib *contrib,
 *			 u32 contrib__sz);
 *
 * with @contrib filled as far as @udp_off, where the ARP packet begins in the frame, @vlan
 * and @flags. A request for such a job's address is answered, and the result is 0; else it
 * is -ENOENT, and the packet is not weir's.
 *
 * Weir's program on a device that has a chain of programs (WEIR_XDP_CMD_CHAIN_ADD) has them run by
 *
 *	int weir_chain_xdp(struct xdp_md *ctx);
 *
 * It returns the verdict that the program is to return: XDP_PASS if the device has no
 * chain, and XDP_ABORTED if a program of a chain calls it. The packet may be another one
 * afterwards: the program must no longer read it.
 *
 * A packet counts in its flow's record, where its device has flows recorded
 * (WEIR_XDP_CMD_FLOW_SET), by
 *
 *	int weir_flow_xdp(struct xdp_md *ctx);
 *
 * It returns 0, or -ENOENT where the device has not. The packet is not changed.
 * Weir's program in the chain of a device that has a filter (WEIR_XDP_CMD_FILTER_ADD) asks
 *
 *	int weir_filter_xdp(struct xdp_md *ctx);
 *
 * for the verdict: XDP_PASS or XDP_DROP. A rule may have given the packet another DSCP; nothing
 * has moved.
 * Weir's program in the place WEIR_XDP_CHAIN_PRIO_ORDER of a chain has packets spread over CPUs
 * and put back in order (WEIR_XDP_CMD_ORDER_ADD) by
 *
 *	__u64 weir_order_xdp(struct xdp_md *ctx);
 *
 * The upper 32 bits of the result say what the lower ones are: enum weir_order_to. What was said
 * about the packet of weir_chain_xdp() is also true here. A program that is called in between gets
 * XDP_ABORTED.
 */

/**
 * enum weir_order_to - where the program sends a packet
 * @WEIR_ORDER_TO_VERDICT: it returns the verdict that the lower 32 bits are
 * @WEIR_ORDER_TO_DEVICE: it redirects to the device of this number
 */
enum weir_order_to {
	WEIR_ORDER_TO_VERDICT,
	WEIR_ORDER_TO_DEVICE,
};

#endif /* _UAPI_WEIR_BPF_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of a packet that trimming needs: where its headers lie and end, and the
 * fields that rules match. Ethernet, 802.1Q and QinQ, IPv4 with options, IPv6 with
 * extension headers, UDP, TCP and NDP. Plain C over a range of bytes, for XDP, tc,
 * the qdisc and userspace alike.
 *
 * Packets without a length that could be cut, or without a single receiver, are left
 * alone: packets that are not IP, fragments, multicast, jumbograms, and malformed
 * ones.
 */
#ifndef _WEIR_TRIM_PARSE_H
#define _WEIR_TRIM_PARSE_H

#include "base/weir_env.h"
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>

#define WEIR_TRIM_VLANS		2
#define WEIR_TRIM_EXTHDRS	6

#define WEIR_TRIM_FRAGMENT	0x3fff	/* IPv4: more fragments, or an offset */
#define WEIR_TRIM_FRAGMENT6	0xfff9	/* IPv6: more fragments, or an offset */
#define WEIR_TRIM_SEGMENTS	0x00ff	/* IPv6 routing header: left to visit */
#define WEIR_TRIM_VLAN_ID	0x0fff

/*
 * Offsets of headers; the verifier must see that they are small. There are not so many
 * extension headers that any could lie further.
 */
#define WEIR_TRIM_OFFSET	0x3fff

#define WEIR_TRIM_TCP_LEN	20
#define WEIR_TRIM_TCP_OFFSET	12	/* of the byte with the header's length */

/*
 * NDP: IP protocol 199 with 16 bits of flags first in a header of 20 bytes, or
 * UDP port 666 with a shim of 8 bytes, the first of which holds the flags.
 */
#define WEIR_NDP_PROTO		199
#define WEIR_NDP_LEN		20
#define WEIR_NDP_FLAGS		1	/* offset of the lower byte of the flags */
#define WEIR_NDP_PORT		666
#define WEIR_NDP_SHIM		8
#define WEIR_NDP_CHOPPED	0x80
#define WEIR_NDP_CONTROL	0x0e	/* ACK, NACK, PULL */

/* ICMPv6 types of neighbor discovery (RFC 4861). */
#define WEIR_ND_FIRST		133
#define WEIR_ND_LAST		137

/* flags of a struct weir_trim_pkt */
#define WEIR_TRIM_PKT_CUT	0x1	/* shorter than the IP header states */
#define WEIR_TRIM_PKT_ROUTED	0x2	/* IPv6: not yet on its way to its receiver */
#define WEIR_TRIM_PKT_CHOPPED	0x4	/* NDP: it says that it was trimmed */
#define WEIR_TRIM_PKT_CONTROL	0x8	/* NDP: ACK, NACK or PULL */

/**
 * struct weir_trim_pkt - a packet that may be trimmed
 * @ctx: of the BPF program, for reads behind @end; else unused
 * @start: the Ethernet header; set by the caller
 * @end: behind the last byte that can be touched; set by the caller
 * @len: bytes of the frame, with those behind @end; set by the caller
 * @l3: the IP header
 * @l4: the header behind the IP headers
 * @ndp: the byte with NDP's flags, NULL where it is not NDP
 * @headers: bytes from @start on that no trimming takes away
 * @l3_len: bytes that the IP header states from @l3 on
 * @from: index of the device that it came in by, 0 where it is from this host; set by
 *	the caller
 * @vlan: id of the outer tag, 0 without; set by the caller to that of a tag that
 *	lies beside the frame, else 0
 * @dport: UDP or TCP destination port, host byte order, else 0
 * @l3_off: offset of @l3: whoever only asks what the packet is has no need of the pointer
 * @l4_off: offset of @l4
 * @ip: 4 or 6
 * @proto: the protocol that follows the IP headers
 * @dscp: DSCP
 * @flags: WEIR_TRIM_PKT_*
 * @ruled: the rules that decide about it, as weir_trim_ruled() returns them; 0 until then
 * @beside: bytes of a tag that lies beside the frame and counts as a part of it;
 *	set by the caller, 0 without one
 */
struct weir_trim_pkt {
	void *ctx;
	void *start;
	void *end;
	__u32 len;
	void *l3;
	void *l4;
	__u8 *ndp;
	__u32 headers;
	__u32 l3_len;
	__u32 from;
	__u16 vlan;
	__u16 dport;
	__u16 l3_off;
	__u16 l4_off;
	__u8 ip;
	__u8 proto;
	__u8 dscp;
	__u8 flags;
	__u8 beside;
	__u32 ruled;
};

struct weir_trim_tag {
	__be16 tci;
	__be16 proto;
};

/*
 * The common form of IPv6 extension headers, and of the fragment header. A routing
 * header has its type and the segments that are left in the place of the offset.
 */
struct weir_trim_ext {
	__u8 next;
	__u8 len;
	__be16 offset;
	__be32 id;
};

/*
 * A header behind others of some number. The verifier forgets how many they were: else it
 * would follow all that comes behind once more for each way to get there.
 */
#ifdef __bpf__
static __always_inline void *
weir_trim_somewhere(const struct weir_trim_pkt *pkt, void *header)
{
	__u64 off = header - pkt->start;

	/* The compiler must not know how far it is, either. */
	asm volatile("" : "+r"(off));
	return pkt->start + (off & WEIR_TRIM_OFFSET);
}
#else
#define weir_trim_somewhere(pkt, header)	((void)(pkt), (void *)(header))
#endif

static __always_inline int weir_trim_parse_eth(struct weir_trim_pkt *pkt,
					       __be16 *proto)
{
	struct ethhdr *eth = pkt->start;
	struct weir_trim_tag *tag;
	int i;

	if ((void *)(eth + 1) > pkt->end || eth->h_dest[0] & 1)
		return -1;
	*proto = eth->h_proto;
	pkt->l3 = eth + 1;
	/* A tag beside the frame counts, too. */
	for (i = !!pkt->beside; i < WEIR_TRIM_VLANS; i++) {
		if (*proto != weir_htons(ETH_P_8021Q) &&
		    *proto != weir_htons(ETH_P_8021AD))
			break;
		tag = pkt->l3;
		if ((void *)(tag + 1) > pkt->end)
			return -1;
		if (!pkt->vlan)
			pkt->vlan = weir_ntohs(tag->tci) & WEIR_TRIM_VLAN_ID;
		*proto = tag->proto;
		pkt->l3 = weir_trim_somewhere(pkt, tag + 1);
	}
	return 0;
}

static __always_inline int weir_trim_parse_ipv4(struct weir_trim_pkt *pkt)
{
	struct iphdr *iph = pkt->l3;

	if ((void *)(iph + 1) > pkt->end || iph->version != 4 || iph->ihl < 5 ||
	    iph->frag_off & weir_htons(WEIR_TRIM_FRAGMENT))
		return -1;
	pkt->ip = 4;
	pkt->proto = iph->protocol;
	pkt->dscp = iph->tos >> 2;
	pkt->l3_len = weir_ntohs(iph->tot_len);
	pkt->l4 = pkt->l3 + iph->ihl * 4;
	return 0;
}

static __always_inline int weir_trim_parse_ext(struct weir_trim_pkt *pkt)
{
	struct weir_trim_ext *ext;
	int i;

	for (i = 0; i < WEIR_TRIM_EXTHDRS; i++) {
		if (pkt->proto != IPPROTO_HOPOPTS &&
		    pkt->proto != IPPROTO_ROUTING &&
		    pkt->proto != IPPROTO_DSTOPTS &&
		    pkt->proto != IPPROTO_FRAGMENT)
			return 0;
		ext = pkt->l4;
		if ((void *)(ext + 1) > pkt->end)
			return -1;
		if (pkt->proto == IPPROTO_FRAGMENT) {
			/* An atomic fragment (RFC 6946) is whole. */
			if (ext->offset & weir_htons(WEIR_TRIM_FRAGMENT6))
				return -1;
			pkt->l4 += sizeof(*ext);
		} else {
			if (pkt->proto == IPPROTO_ROUTING &&
			    ext->offset & weir_htons(WEIR_TRIM_SEGMENTS))
				pkt->flags |= WEIR_TRIM_PKT_ROUTED;
			pkt->l4 += (ext->len + 1) * 8;
		}
		pkt->l4 = weir_trim_somewhere(pkt, pkt->l4);
		pkt->proto = ext->next;
	}
	return -1;
}

static __always_inline int weir_trim_parse_ipv6(struct weir_trim_pkt *pkt)
{
	struct ipv6hdr *ip6h = pkt->l3;

	if ((void *)(ip6h + 1) > pkt->end || ip6h->version != 6 ||
	    !ip6h->payload_len)
		return -1;
	pkt->ip = 6;
	pkt->proto = ip6h->nexthdr;
	pkt->dscp = ip6h->priority << 2 | ip6h->flow_lbl[0] >> 6;
	pkt->l3_len = sizeof(*ip6h) + weir_ntohs(ip6h->payload_len);
	pkt->l4 = ip6h + 1;
	return weir_trim_parse_ext(pkt);
}

/*
 * NDP's flags. The byte can be touched. Without a branch for each flag, as each would double
 * what the verifier follows behind.
 */
static __always_inline void weir_trim_parse_ndp(struct weir_trim_pkt *pkt,
						__u8 *flags)
{
	const __u32 chopped = *flags & WEIR_NDP_CHOPPED;
	const __u32 control = *flags & WEIR_NDP_CONTROL;

	pkt->ndp = flags;
	pkt->flags |= chopped / (WEIR_NDP_CHOPPED / WEIR_TRIM_PKT_CHOPPED);
	/* Any of its bits and all of them together carry into the bit above. */
	pkt->flags |= (control + WEIR_NDP_CONTROL) /
		      ((WEIR_NDP_CONTROL + 2) / WEIR_TRIM_PKT_CONTROL) &
		      WEIR_TRIM_PKT_CONTROL;
}

/* NDP over UDP: the shim is a header, where it is there. */
static __always_inline void weir_trim_parse_shim(struct weir_trim_pkt *pkt)
{
	struct udphdr *udp = pkt->l4;
	void *shim = udp + 1;

	if (pkt->dport != WEIR_NDP_PORT || shim + WEIR_NDP_SHIM > pkt->end ||
	    weir_ntohs(udp->len) < sizeof(*udp) + WEIR_NDP_SHIM)
		return;
	weir_trim_parse_ndp(pkt, shim);
	pkt->headers += WEIR_NDP_SHIM;
}

static __always_inline int weir_trim_parse_l4(struct weir_trim_pkt *pkt)
{
	__u8 *l4 = pkt->l4;

	pkt->headers = pkt->l4 - pkt->start;
	switch (pkt->proto) {
	case IPPROTO_UDP:
		if ((void *)l4 + sizeof(struct udphdr) > pkt->end)
			return -1;
		pkt->dport = weir_ntohs(((struct udphdr *)l4)->dest);
		pkt->headers += sizeof(struct udphdr);
		weir_trim_parse_shim(pkt);
		return 0;
	case IPPROTO_TCP:
		if ((void *)l4 + WEIR_TRIM_TCP_LEN > pkt->end)
			return -1;
		pkt->dport = weir_ntohs(((struct udphdr *)l4)->dest);
		if (l4[WEIR_TRIM_TCP_OFFSET] >> 4 < WEIR_TRIM_TCP_LEN / 4)
			return -1;
		pkt->headers += (l4[WEIR_TRIM_TCP_OFFSET] >> 4) * 4;
		return 0;
	case IPPROTO_ICMPV6:
		/* Neighbors that are not found look dead: their discovery is left alone. */
		return (void *)(l4 + 1) > pkt->end ||
		       (*l4 >= WEIR_ND_FIRST && *l4 <= WEIR_ND_LAST) ? -1 : 0;
	case WEIR_NDP_PROTO:
		if ((void *)l4 + WEIR_NDP_LEN > pkt->end)
			return -1;
		weir_trim_parse_ndp(pkt, l4 + WEIR_NDP_FLAGS);
		pkt->headers += WEIR_NDP_LEN;
		return 0;
	default:
		return 0;
	}
}

/**
 * weir_trim_parse_below() - find the IP header, and the header behind the IP headers
 * @pkt: zeroed, except for the caller's members; filled, but for @ndp, @headers, @dport
 *	and @flags
 *
 * Return: 0, or -1 where the packet is to be left alone.
 */
static __always_inline int weir_trim_parse_below(struct weir_trim_pkt *pkt)
{
	__be16 proto;

	if (weir_trim_parse_eth(pkt, &proto))
		return -1;
	if (proto == weir_htons(ETH_P_IP))
		return weir_trim_parse_ipv4(pkt);
	if (proto == weir_htons(ETH_P_IPV6))
		return weir_trim_parse_ipv6(pkt);
	return -1;
}

/**
 * weir_trim_parse_above() - find the headers above IP, and where they all end
 * @pkt: as weir_trim_parse_below() left it; the rest is filled
 *
 * Return: 0, or -1 where the packet is to be left alone.
 */
static __always_inline int weir_trim_parse_above(struct weir_trim_pkt *pkt)
{
	__u32 l3 = pkt->l3 - pkt->start;
	__s64 missing;

	if (weir_trim_parse_l4(pkt) || pkt->start + pkt->headers > pkt->end)
		return -1;
	if (pkt->headers > l3 + pkt->l3_len)
		return -1;
	/* The sign of the difference, and no branch, as for NDP's flags. */
	missing = (__s64)pkt->len - l3 - pkt->l3_len;
	pkt->flags |= (__u64)missing >> 63 ? WEIR_TRIM_PKT_CUT : 0;
	pkt->l3_off = l3;
	pkt->l4_off = pkt->l4 - pkt->start;
	return 0;
}

/**
 * weir_trim_parse() - find a packet's headers
 * @pkt: zeroed, except for the caller's members; filled
 *
 * The headers lie whole between @start and @end, and inside of the length that
 * the IP header states.
 *
 * Return: 0, or -1 where the packet is to be left alone.
 */
static __always_inline int weir_trim_parse(struct weir_trim_pkt *pkt)
{
	return weir_trim_parse_below(pkt) || weir_trim_parse_above(pkt) ? -1 : 0;
}

#endif /* _WEIR_TRIM_PARSE_H */

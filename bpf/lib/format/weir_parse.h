/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From the Ethernet header to the UDP payload: 802.1Q and QinQ, IPv4 with
 * options, IPv6 with extension headers. Plain C over a range of bytes, for XDP
 * and tc alike.
 *
 * A packet is ours when it is UDP, whole, and sent to a port of the format table, or a frame
 * of an EtherType there. All others are left alone.
 */
#ifndef _WEIR_PARSE_H
#define _WEIR_PARSE_H

#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>

#include "format/weir_format.h"

/* Besides enum weir_reason, which is positive. */
#define WEIR_PARSE_OK		0	/* ours, and whole as far as IP tells */
#define WEIR_PARSE_OTHER	-1	/* not ours */
#define WEIR_PARSE_FRAME	-2	/* ours without IP: see weir_parse_frame() */
#define WEIR_PARSE_ARP		-3	/* ARP, which the module may answer; udp_off is set */
#define WEIR_PARSE_NO_CHECKSUM	0x100	/* the IPv4 header has none, which its format may allow */

#define WEIR_VLANS_MAX		2
#define WEIR_EXTHDRS_MAX	6
#define WEIR_IHL_MAX		15	/* IPv4: words of a header */

#define WEIR_IP_MF		0x2000	/* IPv4: more fragments */
#define WEIR_IP_OFFSET		0x1fff	/* IPv4: offset of a fragment */
#define WEIR_IP6_MF		0x0001	/* IPv6: more fragments */
#define WEIR_IP6_OFFSET		0xfff8	/* IPv6: offset of a fragment */
#define WEIR_IP6_ECN		0x3	/* IPv6: of the traffic class, before the flow label */

#define WEIR_VLAN_ID		0x0fff	/* of a tag's TCI */

struct weir_vlan {
	__be16 tci;
	__be16 proto;
};

/* The common form of an IPv6 extension header (RFC 6564). */
struct weir_exthdr {
	__u8 next;
	__u8 len;		/* in 8 bytes, the first 8 not counted */
};

/* The fragment header (RFC 8200, section 4.5). */
struct weir_fraghdr {
	__u8 next;
	__u8 reserved;
	__be16 off;
	__be32 id;
};

/**
 * struct weir_cursor - a walk over a packet
 * @start: first byte, the Ethernet header
 * @pos: next byte to look at
 * @end: behind the last byte that can be looked at
 * @l3: the IP header; for the bounds of what follows
 * @l3_len: bytes that the IP header states from @l3 on
 */
struct weir_cursor {
	void *start;
	void *pos;
	void *end;
	void *l3;
	__u32 l3_len;
};

static __always_inline int weir_parse_eth(struct weir_cursor *c,
					  struct weir_contrib *contrib,
					  __be16 *proto)
{
	struct ethhdr *eth = c->pos;
	struct weir_vlan *vlan;
	int i;

	if ((void *)(eth + 1) > c->end)
		return WEIR_PARSE_OTHER;
	*proto = eth->h_proto;
	c->pos = eth + 1;
	for (i = 0; i < WEIR_VLANS_MAX; i++) {
		if (*proto != bpf_htons(ETH_P_8021Q) &&
		    *proto != bpf_htons(ETH_P_8021AD))
			break;
		vlan = c->pos;
		if ((void *)(vlan + 1) > c->end)
			return WEIR_PARSE_OTHER;
		if (!i)
			contrib->vlan = bpf_ntohs(vlan->tci) & WEIR_VLAN_ID;
		*proto = vlan->proto;
		c->pos = vlan + 1;
	}
	return WEIR_PARSE_OK;
}

/* IPv4 as an IPv4-mapped IPv6 address. */
static __always_inline void weir_map_ipv4(__be32 *to, __be32 addr)
{
	to[0] = 0;
	to[1] = 0;
	to[2] = bpf_htonl(0xffff);
	to[3] = addr;
}

static __always_inline bool weir_is_mapped_ipv4(const struct in6_addr *addr)
{
	const __be32 *word = addr->in6_u.u6_addr32;

	return !(word[0] | word[1]) && word[2] == bpf_htonl(0xffff);
}

/*
 * The sum of a header's 32-bit words is that of its 16-bit words, folded twice. Options end
 * where the header ends, and not behind the frame.
 */
static __always_inline int weir_check_ipv4(const struct iphdr *iph,
					   const void *end)
{
	const __u32 *word = (const void *)iph;
	__u64 sum = (__u64)word[0] + word[1] + word[2] + word[3] + word[4];
	int i;

	for (i = sizeof(*iph) / 4; i < WEIR_IHL_MAX && i < iph->ihl; i++) {
		if ((const void *)(word + i + 1) > end)
			return WEIR_PARSE_OTHER;
		sum += word[i];
	}
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	if ((__u16)(sum + (sum >> 16)) == 0xffff)
		return WEIR_PARSE_OK;
	return iph->check ? WEIR_REASON_CHECKSUM : WEIR_PARSE_NO_CHECKSUM;
}

/*
 * Fragments: only the first one shows its UDP port, and neither is of use. @bad: what is
 * wrong with the header is reported only when the port is known, see weir_parse_udp().
 */
static __always_inline int weir_parse_ipv4(struct weir_cursor *c,
					   struct weir_contrib *contrib,
					   int *bad)
{
	struct iphdr *iph = c->pos;

	if ((void *)(iph + 1) > c->end)
		return WEIR_PARSE_OTHER;
	if (iph->version != 4 || iph->ihl < 5 || iph->protocol != IPPROTO_UDP)
		return WEIR_PARSE_OTHER;
	if (iph->frag_off & bpf_htons(WEIR_IP_OFFSET))
		return WEIR_PARSE_OTHER;
	*bad = weir_check_ipv4(iph, c->end);
	if (*bad < 0)
		return *bad;
	if (iph->frag_off & bpf_htons(WEIR_IP_MF))
		*bad = WEIR_REASON_FRAGMENT;
	weir_map_ipv4(contrib->saddr, iph->saddr);
	weir_map_ipv4(contrib->daddr, iph->daddr);
	contrib->tos = iph->tos;
	c->l3 = iph;
	c->l3_len = bpf_ntohs(iph->tot_len);
	c->pos += iph->ihl * 4;
	return WEIR_PARSE_OK;
}

static __always_inline int weir_parse_exthdrs(struct weir_cursor *c, __u8 next,
					      int *bad)
{
	struct weir_exthdr *ext;
	struct weir_fraghdr *frag;
	int i;

	for (i = 0; i < WEIR_EXTHDRS_MAX; i++) {
		switch (next) {
		case IPPROTO_UDP:
			return WEIR_PARSE_OK;
		case IPPROTO_FRAGMENT:
			frag = c->pos;
			if ((void *)(frag + 1) > c->end)
				return WEIR_PARSE_OTHER;
			/* An atomic fragment (RFC 6946) is whole. */
			if (frag->off & bpf_htons(WEIR_IP6_OFFSET))
				return WEIR_PARSE_OTHER;
			if (frag->off & bpf_htons(WEIR_IP6_MF))
				*bad = WEIR_REASON_FRAGMENT;
			next = frag->next;
			c->pos = frag + 1;
			break;
		case IPPROTO_HOPOPTS:
		case IPPROTO_ROUTING:
		case IPPROTO_DSTOPTS:
			ext = c->pos;
			if ((void *)(ext + 1) > c->end)
				return WEIR_PARSE_OTHER;
			next = ext->next;
			c->pos += (ext->len + 1) * 8;
			break;
		default:
			return WEIR_PARSE_OTHER;
		}
	}
	return next == IPPROTO_UDP ? WEIR_PARSE_OK : WEIR_PARSE_OTHER;
}

/*
 * IPv4 addresses stand in a descriptor as IPv4-mapped ones. In an IPv6 header
 * they are forged (RFC 4942, section 2.2), and would pass for IPv4 workers.
 */
static __always_inline int weir_parse_ipv6(struct weir_cursor *c,
					   struct weir_contrib *contrib,
					   int *bad)
{
	struct ipv6hdr *ip6h = c->pos;

	if ((void *)(ip6h + 1) > c->end || ip6h->version != 6)
		return WEIR_PARSE_OTHER;
	if (weir_is_mapped_ipv4(&ip6h->saddr) ||
	    weir_is_mapped_ipv4(&ip6h->daddr))
		*bad = WEIR_REASON_MARTIAN;
	__builtin_memcpy(contrib->saddr, &ip6h->saddr, sizeof(contrib->saddr));
	__builtin_memcpy(contrib->daddr, &ip6h->daddr, sizeof(contrib->daddr));
	contrib->tos = ip6h->flow_lbl[0] >> 4 & WEIR_IP6_ECN;
	c->l3 = ip6h;
	c->l3_len = sizeof(*ip6h) + bpf_ntohs(ip6h->payload_len);
	c->pos = ip6h + 1;
	return weir_parse_exthdrs(c, ip6h->nexthdr, bad);
}

static __always_inline int weir_parse_udp(struct weir_cursor *c,
					  struct weir_contrib *contrib,
					  int bad)
{
	struct udphdr *uh = c->pos;

	if ((void *)(uh + 1) > c->end)
		return WEIR_PARSE_OTHER;
	contrib->dport = bpf_ntohs(uh->dest);
	contrib->format = weir_format(contrib->dport);
	if (!weir_format_takes(contrib))
		return WEIR_PARSE_OTHER;
	if (bad == WEIR_PARSE_NO_CHECKSUM)
		bad = weir_format_takes_no_checksum(contrib->format) ? 0 :
								   WEIR_REASON_CHECKSUM;
	if (bad)
		return bad;
	contrib->sport = bpf_ntohs(uh->source);
	contrib->udp_off = c->pos - c->start;
	contrib->udp_len = bpf_ntohs(uh->len);
	if (c->pos - c->l3 + contrib->udp_len != c->l3_len)
		return WEIR_REASON_LENGTH;
	c->pos = uh + 1;
	return WEIR_PARSE_OK;
}

/* A frame without IP. */
static __always_inline int weir_parse_link(struct weir_cursor *c,
					   struct weir_contrib *contrib, __be16 proto)
{
	int ret;

	if (proto == bpf_htons(WEIR_LAB_ETHERTYPE)) {
		contrib->format = WEIR_FORMAT_LAB_ETHERNET;
		ret = WEIR_PARSE_FRAME;
	} else if (proto == bpf_htons(ETH_P_ARP)) {
		contrib->format = WEIR_FORMAT_LAB;
		ret = WEIR_PARSE_ARP;
	} else {
		return WEIR_PARSE_OTHER;
	}
	contrib->udp_off = c->pos - c->start;
	return weir_format_comes(contrib->format) ? ret : WEIR_PARSE_OTHER;
}

/**
 * weir_parse_headers() - find the UDP payload of a packet of ours
 * @c: start, pos and end are set; pos becomes the payload
 * @contrib: zeroed; addresses, ports, format and UDP fields are filled
 *
 * Return: WEIR_PARSE_*, or an enum weir_reason.
 */
static __always_inline int weir_parse_headers(struct weir_cursor *c,
					      struct weir_contrib *contrib)
{
	__be16 proto;
	int bad = 0;
	int ret;

	ret = weir_parse_eth(c, contrib, &proto);
	if (ret)
		return ret;
	if (proto == bpf_htons(ETH_P_IP))
		ret = weir_parse_ipv4(c, contrib, &bad);
	else if (proto == bpf_htons(ETH_P_IPV6))
		ret = weir_parse_ipv6(c, contrib, &bad);
	else
		return weir_parse_link(c, contrib, proto);
	if (ret)
		return ret;
	return weir_parse_udp(c, contrib, bad);
}

/* The header of the datagram whose payload begins at @c. */
static __always_inline int weir_parse_datagram(struct weir_cursor *c,
					       struct weir_contrib *contrib)
{
	contrib->payload_off = c->pos - c->start;
	return weir_format_parse(c->pos, c->end, contrib);
}

/**
 * weir_parse() - find the contribution in a packet of ours
 * @c: start, pos and end are set; pos becomes the UDP payload
 * @contrib: zeroed; filled
 *
 * Return: WEIR_PARSE_*, or an enum weir_reason.
 */
static __always_inline int weir_parse(struct weir_cursor *c,
				      struct weir_contrib *contrib)
{
	return weir_parse_headers(c, contrib) ?: weir_parse_datagram(c, contrib);
}

/* An Ethernet address in the form of all addresses. */
static __always_inline void weir_map_link(__be32 *to, const __u8 *mac)
{
	to[0] = 0;
	to[1] = 0;
	to[2] = bpf_htonl(WEIR_LINK_WORD | mac[0] << 8 | mac[1]);
	to[3] = bpf_htonl((__u32)mac[2] << 24 | (__u32)mac[3] << 16 |
			  (__u32)mac[4] << 8 | mac[5]);
}

/**
 * weir_parse_frame() - find the contribution in a frame of ours without IP
 * @c: as weir_parse() left it, with WEIR_PARSE_FRAME
 * @contrib: as weir_parse() left it; filled
 * @len: bytes of the frame, which may be more than can be looked at
 *
 * Return: WEIR_PARSE_OK or an enum weir_reason.
 */
static __always_inline int weir_parse_frame(struct weir_cursor *c,
					    struct weir_contrib *contrib, __u32 len)
{
	const struct ethhdr *eth = c->start;

	if ((const void *)(eth + 1) > c->end)
		return WEIR_REASON_RUNT;
	weir_map_link(contrib->saddr, eth->h_source);
	weir_map_link(contrib->daddr, eth->h_dest);
	contrib->payload_off = contrib->udp_off;
	return weir_lab_frame(c->pos, c->end, contrib, len - contrib->udp_off);
}

#endif /* _WEIR_PARSE_H */

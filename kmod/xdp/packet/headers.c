// SPDX-License-Identifier: GPL-2.0
/*
 * The headers of a frame, as far as rules and flow tables ask for them. Drivers put headers into
 * the linear part of a frame, so no fragment is read. A frame whose headers are cut or wrong, or
 * more than the parser follows, is marked as unparsed: it may have ports that were not found.
 */
#include <linux/bits.h>
#include <linux/if_ether.h>
#include <linux/if_vlan.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/string.h>
#include <net/dsfield.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/xdp.h>

#include "core/base/compat.h"
#include "xdp/packet/headers.h"
#include "xdp/packet/plain.h"

/* Frames with more tags, or with more extension headers of IPv6, are left unparsed. */
#define WEIR_HEADERS_TAGS	2
#define WEIR_HEADERS_IPV6	6

/* Offset of TCP's flags in its header. */
#define WEIR_HEADERS_TCP_FLAGS	13

/**
 * struct weir_cursor - a place in a frame
 * @begin: of the frame
 * @at: the place
 * @end: of its linear part
 */
struct weir_cursor {
	const u8	*begin;
	const u8	*at;
	const u8	*end;
};

static __always_inline bool weir_cursor_has(const struct weir_cursor *cursor, unsigned int len)
{
	return cursor->end - cursor->at >= (long)len;
}

/* Moves behind the Ethernet header and its tags. Return: the protocol, 0 where it is cut. */
static __always_inline __be16 weir_headers_link(struct weir_headers *headers,
						struct weir_cursor *cursor)
{
	__be16 proto;
	int tag;

	if (!weir_cursor_has(cursor, ETH_HLEN))
		return 0;
	proto = ((const struct ethhdr *)cursor->at)->h_proto;
	cursor->at += ETH_HLEN;
	for (tag = 0; unlikely(eth_type_vlan(proto)) && tag < WEIR_HEADERS_TAGS; tag++) {
		const struct vlan_hdr *vlan = (const struct vlan_hdr *)cursor->at;

		if (!weir_cursor_has(cursor, VLAN_HLEN))
			return 0;
		if (!tag)
			headers->key.vlan = ntohs(vlan->h_vlan_TCI) & VLAN_VID_MASK;
		proto = vlan->h_vlan_encapsulated_proto;
		cursor->at += VLAN_HLEN;
	}
	return proto;
}

static __always_inline bool weir_headers_ipv4(struct weir_headers *headers,
					      struct weir_cursor *cursor)
{
	const struct iphdr *ip = (const struct iphdr *)cursor->at;
	unsigned int len;

	if (!weir_cursor_has(cursor, sizeof(*ip)))
		return false;
	len = ip->ihl * 4;
	if (ip->version != 4 || len < sizeof(*ip) || !weir_cursor_has(cursor, len))
		return false;
	headers->key.ip = 4;
	headers->key.proto = ip->protocol;
	headers->key.src[0] = ip->saddr;
	headers->key.dst[0] = ip->daddr;
	headers->tos = ip->tos;
	if (unlikely(len != sizeof(*ip)))
		headers->flags |= WEIR_HEADERS_OPTIONS;
	cursor->at += len;
	if (unlikely(ip_is_fragment(ip))) {
		headers->flags |= WEIR_HEADERS_FRAGMENT;
		if (!(ip->frag_off & htons(IP_OFFSET)))
			headers->first = cursor->at - cursor->begin;
	}
	return true;
}

/* Return true if a header of this kind stands before the one of the protocol. */
static bool weir_headers_extends(u8 next)
{
	return next == NEXTHDR_HOP || next == NEXTHDR_ROUTING || next == NEXTHDR_DEST ||
	       next == NEXTHDR_FRAGMENT;
}

/*
 * Moves behind the extension headers. A frame that ends in them has the protocol of the last, and
 * so has one with more of them than are followed. Behind the header of a fragment that is not the
 * first there is none.
 */
static void weir_headers_extensions(struct weir_headers *headers, struct weir_cursor *cursor)
{
	bool first = false;
	int i;

	for (i = 0; i < WEIR_HEADERS_IPV6 && weir_headers_extends(headers->key.proto); i++) {
		const struct ipv6_opt_hdr *opt = (const struct ipv6_opt_hdr *)cursor->at;
		bool fragment = headers->key.proto == NEXTHDR_FRAGMENT;
		unsigned int len;

		if (!weir_cursor_has(cursor, sizeof(struct frag_hdr)))
			break;
		len = fragment ? sizeof(struct frag_hdr) : ipv6_optlen(opt);
		if (!weir_cursor_has(cursor, len))
			break;
		headers->key.proto = opt->nexthdr;
		cursor->at += len;
		if (!fragment)
			continue;
		headers->flags |= WEIR_HEADERS_FRAGMENT;
		first = !(((const struct frag_hdr *)opt)->frag_off & htons(IP6_OFFSET));
		if (!first)
			return;
	}
	if (weir_headers_extends(headers->key.proto))
		headers->flags |= WEIR_HEADERS_UNPARSED;
	else if (first)
		headers->first = cursor->at - cursor->begin;
}

static __always_inline bool weir_headers_ipv6(struct weir_headers *headers,
					      struct weir_cursor *cursor)
{
	const struct ipv6hdr *ip = (const struct ipv6hdr *)cursor->at;

	if (!weir_cursor_has(cursor, sizeof(*ip)) || ip->version != 6)
		return false;
	headers->key.ip = 6;
	headers->key.proto = ip->nexthdr;
	memcpy(headers->key.src, &ip->saddr, sizeof(headers->key.src));
	memcpy(headers->key.dst, &ip->daddr, sizeof(headers->key.dst));
	headers->tos = ipv6_get_dsfield(ip);
	cursor->at += sizeof(*ip);
	if (unlikely(weir_headers_extends(ip->nexthdr)))
		weir_headers_extensions(headers, cursor);
	return true;
}

/* UDP, TCP and SCTP begin with the ports. A fragment has none, so that all of a datagram agree. */
static __always_inline void weir_headers_ports(struct weir_headers *headers,
					       const struct weir_cursor *cursor)
{
	const __be16 *port = (const __be16 *)cursor->at;
	u8 proto = headers->key.proto;

	headers->l4 = cursor->at - cursor->begin;
	if (proto != IPPROTO_UDP && proto != IPPROTO_TCP && proto != IPPROTO_SCTP)
		return;
	if (!weir_cursor_has(cursor, proto == IPPROTO_TCP ? WEIR_HEADERS_TCP_FLAGS + 1 :
							    2 * sizeof(*port)))
		headers->flags |= WEIR_HEADERS_UNPARSED;
	if (!weir_cursor_has(cursor, 2 * sizeof(*port)))
		return;
	headers->key.sport = port[0];
	headers->key.dport = port[1];
	if (proto == IPPROTO_TCP && weir_cursor_has(cursor, WEIR_HEADERS_TCP_FLAGS + 1))
		headers->tcp_flags = cursor->at[WEIR_HEADERS_TCP_FLAGS];
}

/* The key's words but those of the addresses, and the rest. */
static __always_inline void weir_headers_fill(struct weir_headers *headers,
					      const union weir_plain_l4 *l4, u8 proto, u8 ip)
{
	headers->key.word[4] = weir_plain_word(l4, proto, ip);
	headers->l3 = ETH_HLEN;
	headers->tcp_flags = 0;
	headers->flags = 0;
	if (proto == IPPROTO_TCP)
		headers->tcp_flags = ((const u8 *)l4)[WEIR_HEADERS_TCP_FLAGS];
}

static __always_inline bool weir_headers_plain_ipv4(struct weir_headers *headers, const void *frame,
						    long there)
{
	const struct weir_plain_ipv4 *plain = frame;

	if (!weir_plain_is_ipv4(plain, there))
		return false;
	headers->key.word[0] = (__force u32)plain->ip.saddr;
	headers->key.word[1] = 0;
	headers->key.word[2] = (__force u32)plain->ip.daddr;
	headers->key.word[3] = 0;
	headers->l4 = offsetof(struct weir_plain_ipv4, l4);
	headers->tos = plain->ip.tos;
	weir_headers_fill(headers, &plain->l4, plain->ip.protocol, 4);
	return true;
}

static __always_inline bool weir_headers_plain_ipv6(struct weir_headers *headers, const void *frame,
						    long there)
{
	const struct weir_plain_ipv6 *plain = frame;

	if (!weir_plain_is_ipv6(plain, there))
		return false;
	memcpy(headers->key.src, &plain->ip.saddr, sizeof(headers->key.src));
	memcpy(headers->key.dst, &plain->ip.daddr, sizeof(headers->key.dst));
	headers->l4 = offsetof(struct weir_plain_ipv6, l4);
	headers->tos = ipv6_get_dsfield(&plain->ip);
	weir_headers_fill(headers, &plain->l4, plain->ip.nexthdr, 6);
	return true;
}

/* Those of most frames, but for their length. Returns whether they are. */
static __always_inline bool weir_headers_plain(struct weir_headers *headers,
					       const struct xdp_buff *xdp)
{
	long there = xdp->data_end - xdp->data;
	const struct ethhdr *eth = xdp->data;

	if (there < (long)offsetofend(struct weir_plain_ipv4, l4.udp))
		return false;
	if (eth->h_proto == htons(ETH_P_IP))
		return weir_headers_plain_ipv4(headers, eth, there);
	return eth->h_proto == htons(ETH_P_IPV6) && weir_headers_plain_ipv6(headers, eth, there);
}

/* Frames that may have IP behind headers that are not followed; @proto: 0 for one that is cut. */
static bool weir_headers_hides(__be16 proto)
{
	return !proto || eth_type_vlan(proto) || proto == htons(ETH_P_MPLS_UC) ||
	       proto == htons(ETH_P_MPLS_MC) || proto == htons(ETH_P_PPP_SES);
}

/* Those of any. */
static noinline void weir_headers_any(struct weir_headers *headers, const struct xdp_buff *xdp)
{
	struct weir_cursor cursor = { xdp->data, xdp->data, xdp->data_end };
	__be16 proto;
	bool found;

	memset(headers, 0, sizeof(*headers));
	proto = weir_headers_link(headers, &cursor);
	headers->l3 = cursor.at - cursor.begin;
	if (proto == htons(ETH_P_IP))
		found = weir_headers_ipv4(headers, &cursor);
	else if (proto == htons(ETH_P_IPV6))
		found = weir_headers_ipv6(headers, &cursor);
	else
		found = !weir_headers_hides(proto);
	if (!found)
		headers->flags |= WEIR_HEADERS_UNPARSED;
	if (headers->key.ip && !(headers->flags & (WEIR_HEADERS_FRAGMENT | WEIR_HEADERS_UNPARSED)))
		weir_headers_ports(headers, &cursor);
}

/**
 * weir_headers_parse() - read a frame's headers
 * @headers: filled
 * @xdp: the frame, from its Ethernet header on
 *
 * Any context that may read the frame.
 */
void weir_headers_parse(struct weir_headers *headers, const struct xdp_buff *xdp)
{
	if (unlikely(!weir_headers_plain(headers, xdp)))
		weir_headers_any(headers, xdp);
	headers->len = xdp_get_buff_len((struct xdp_buff *)xdp);
}

/**
 * weir_headers_first() - read the ports of a datagram's first fragment
 * @headers: of a frame with WEIR_HEADERS_FRAGMENT; gets the ports and flags that the first fragment
 *	has, and is unchanged for any other
 * @xdp: the frame
 *
 * All fragments of a datagram are of one flow, so weir_headers_parse() leaves the ports out. A
 * datagram without its first fragment is not reassembled: to judge that one is to judge all.
 */
void weir_headers_first(struct weir_headers *headers, const struct xdp_buff *xdp)
{
	const struct weir_cursor cursor = { xdp->data, xdp->data + headers->first, xdp->data_end };

	if (headers->first)
		weir_headers_ports(headers, &cursor);
}

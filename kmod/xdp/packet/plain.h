/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Nearly all packets are IPv4 or IPv6 with TCP or UDP, without a tag, options or fragments: what is
 * asked of these is read at fixed places.
 */
#ifndef _WEIR_PLAIN_H
#define _WEIR_PLAIN_H

#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/tcp.h>
#include <linux/udp.h>
#include <net/ip.h>

#include "core/base/compat.h"
#include "core/packet/key.h"

union weir_plain_l4 {
	__be32		ports;
	struct udphdr	udp;
	struct tcphdr	tcp;
} __packed __aligned(2);

/* The headers as they follow each other. */
struct weir_plain_ipv4 {
	struct ethhdr		eth;
	struct iphdr		ip;
	union weir_plain_l4	l4;
} __packed __aligned(2);

struct weir_plain_ipv6 {
	struct ethhdr		eth;
	struct ipv6hdr		ip;
	union weir_plain_l4	l4;
} __packed __aligned(2);

/* @there: bytes in one piece behind the IP header, those of UDP's header at least */
static __always_inline bool weir_plain_has_l4(u8 proto, long there)
{
	return proto == IPPROTO_TCP ? there >= (long)sizeof(struct tcphdr) : proto == IPPROTO_UDP;
}

/* Of a frame of IPv4. @there: bytes of it in one piece, those up to UDP's header at least */
static __always_inline bool weir_plain_is_ipv4(const struct weir_plain_ipv4 *plain, long there)
{
	const struct iphdr *ip = &plain->ip;

	return *(const u8 *)ip == 0x45 && !(ip->frag_off & htons(IP_MF | IP_OFFSET)) &&
	       weir_plain_has_l4(ip->protocol, there - offsetof(struct weir_plain_ipv4, l4));
}

/* Of a frame of IPv6. @there: bytes of it in one piece */
static __always_inline bool weir_plain_is_ipv6(const struct weir_plain_ipv6 *plain, long there)
{
	const struct ipv6hdr *ip = &plain->ip;

	return there >= (long)offsetofend(struct weir_plain_ipv6, l4.udp) &&
	       *(const u8 *)ip >> 4 == 6 &&
	       weir_plain_has_l4(ip->nexthdr, there - offsetof(struct weir_plain_ipv6, l4));
}

/* The last word of a flow's key, put together in a register. */
static __always_inline u64 weir_plain_word(const union weir_plain_l4 *l4, u8 proto, u8 ip)
{
	return (__force u32)get_unaligned(&l4->ports) |
	       (u64)proto << 8 * (offsetof(struct weir_flow_key, proto) - 32) |
	       (u64)ip << 8 * (offsetof(struct weir_flow_key, ip) - 32);
}

#endif /* _WEIR_PLAIN_H */

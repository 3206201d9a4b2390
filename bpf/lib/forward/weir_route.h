/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The route of a frame, looked up before a byte of it is changed, and the changes
 * of routing. The stack gets all special cases: routes other than to a known
 * neighbour, IP options, TTLs that end here, packets that are too long for their
 * route, and tagged frames, which belong to other devices.
 */
#ifndef _WEIR_ROUTE_H
#define _WEIR_ROUTE_H

#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <bpf/bpf_helpers.h>

#include "base/weir_env.h"

#define WEIR_AF_INET		2
#define WEIR_AF_INET6		10

#define WEIR_FLOWINFO		0x0fffffff	/* traffic class and flow label */

/* The word with TTL and protocol, and that with the checksum */
#define WEIR_IPV4_TTL		4
#define WEIR_IPV4_CSUM		5

#define WEIR_IPV4_FRAGMENT	0x3fff	/* more fragments, or an offset */

/*
 * Where there are several ways, the stack may choose by ports, or by the same
 * bytes of other protocols. Fragments have no ports, or would go two ways.
 */
static __always_inline void weir_route_ports(const void *l4, const void *end,
					     struct bpf_fib_lookup *fib)
{
	const __be16 *port = l4;

	switch (fib->l4_protocol) {
	case IPPROTO_TCP:
	case IPPROTO_UDP:
	case IPPROTO_DCCP:
	case IPPROTO_SCTP:
	case IPPROTO_UDPLITE:
	case IPPROTO_ESP:
		if ((void *)(port + 2) > end)
			return;
		fib->sport = port[0];
		fib->dport = port[1];
	}
}

static __always_inline int weir_route_ipv4(const struct iphdr *iph, void *end,
					   struct bpf_fib_lookup *fib)
{
	if ((void *)(iph + 1) > end || iph->version != 4 || iph->ihl != 5 ||
	    iph->ttl <= 1)
		return -1;
	fib->family = WEIR_AF_INET;
	fib->tos = iph->tos;
	fib->l4_protocol = iph->protocol;
	fib->tot_len = weir_ntohs(iph->tot_len);
	fib->ipv4_src = iph->saddr;
	fib->ipv4_dst = iph->daddr;
	if (!(iph->frag_off & weir_htons(WEIR_IPV4_FRAGMENT)))
		weir_route_ports(iph + 1, end, fib);
	return 0;
}

static __always_inline int weir_route_ipv6(const struct ipv6hdr *ip6h, void *end,
					   struct bpf_fib_lookup *fib)
{
	if ((void *)(ip6h + 1) > end || ip6h->version != 6 ||
	    ip6h->nexthdr == IPPROTO_HOPOPTS || ip6h->hop_limit <= 1)
		return -1;
	fib->family = WEIR_AF_INET6;
	fib->flowinfo = *(const __be32 *)ip6h & bpf_htonl(WEIR_FLOWINFO);
	fib->l4_protocol = ip6h->nexthdr;
	fib->tot_len = sizeof(*ip6h) + weir_ntohs(ip6h->payload_len);
	__builtin_memcpy(fib->ipv6_src, &ip6h->saddr, sizeof(fib->ipv6_src));
	__builtin_memcpy(fib->ipv6_dst, &ip6h->daddr, sizeof(fib->ipv6_dst));
	weir_route_ports(ip6h + 1, end, fib);
	return 0;
}

/**
 * weir_route_find() - by which device a frame is routed
 * @ctx: the program's
 * @eth: the frame, whose Ethernet header can be read
 * @end: behind the last byte that can be
 * @fib: zeroed; gets the device and the addresses of the new Ethernet header
 *
 * Return: 0, or -1 where the frame is the stack's.
 */
static __always_inline int weir_route_find(struct xdp_md *ctx,
					   const struct ethhdr *eth, void *end,
					   struct bpf_fib_lookup *fib)
{
	fib->ifindex = weir_ingress(ctx);
	if (eth->h_proto == weir_htons(ETH_P_IP)) {
		if (weir_route_ipv4((void *)(eth + 1), end, fib))
			return -1;
	} else if (eth->h_proto == weir_htons(ETH_P_IPV6)) {
		if (weir_route_ipv6((void *)(eth + 1), end, fib))
			return -1;
	} else {
		return -1;
	}
	if (bpf_fib_lookup(ctx, fib, sizeof(*fib), 0) != BPF_FIB_LKUP_RET_SUCCESS)
		return -1;
	return 0;
}

/**
 * weir_route_rewrite() - a router's changes of a frame
 * @eth: a frame that weir_route_find() has found a way for
 * @end: behind the last byte that can be touched
 * @fib: its result
 */
static __always_inline void weir_route_rewrite(struct ethhdr *eth, void *end,
					       const struct bpf_fib_lookup *fib)
{
	struct ipv6hdr *ip6h = (void *)(eth + 1);
	struct iphdr *iph = (void *)(eth + 1);
	__u16 *word = (void *)iph, was;

	if ((void *)(iph + 1) > end)
		return;
	__builtin_memcpy(eth->h_dest, fib->dmac, ETH_ALEN);
	__builtin_memcpy(eth->h_source, fib->smac, ETH_ALEN);
	if (eth->h_proto == weir_htons(ETH_P_IPV6)) {
		if ((void *)(ip6h + 1) <= end)
			ip6h->hop_limit--;
		return;
	}
	was = word[WEIR_IPV4_TTL];
	iph->ttl--;
	word[WEIR_IPV4_CSUM] = weir_trim_csum(word[WEIR_IPV4_CSUM], was,
					      word[WEIR_IPV4_TTL]);
}

#endif /* _WEIR_ROUTE_H */

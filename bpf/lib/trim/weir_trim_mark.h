/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The headers of a trimmed packet. The including file defines
 *
 *	__u32 weir_trim_sum(struct weir_trim_pkt *pkt, __u32 off, __u32 len)
 *
 * the one's complement sum, unfolded, of the bytes of a frame from @off on, taken as
 * 16-bit words as they lie in memory: each environment has its own fast way.
 */
#ifndef _WEIR_TRIM_MARK_H
#define _WEIR_TRIM_MARK_H

#include "trim/weir_trim_parse.h"
#include <weir_trim.h>

#define WEIR_TRIM_ECN	0x3

static __always_inline __u16 weir_trim_fold(__u64 sum)
{
	sum = (sum & 0xffffffff) + (sum >> 32);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

/* A checksum after one of the words below it has changed (RFC 1624). */
static __always_inline __u16 weir_trim_csum(__u16 csum, __u16 from, __u16 to)
{
	return ~weir_trim_fold((__u64)(__u16)~csum + (__u16)~from + to);
}

/* 16-bit words of headers, as they lie in memory */
#define WEIR_IPV4_TOS		0	/* and the byte before it */
#define WEIR_IPV4_LEN		1
#define WEIR_IPV4_CHECK		5
#define WEIR_UDP_SOURCE		0	/* TCP has its ports there, too */
#define WEIR_UDP_DEST		1
#define WEIR_UDP_LEN		2
#define WEIR_UDP_CHECK		3
#define WEIR_UDP_WORDS		4	/* behind which its payload lies */
#define WEIR_TCP_CHECK		8

static __always_inline __u16 weir_trim_word(__u32 value)
{
	return (__force __u16)weir_htons(value);
}

static __always_inline void weir_trim_mark_ipv4(struct weir_trim_pkt *pkt,
						__u8 dscp, __u32 l3_len)
{
	__u16 len = weir_trim_word(l3_len), *word = pkt->l3, tos = *word;
	struct iphdr *iph = pkt->l3;
	__u16 check = word[WEIR_IPV4_CHECK];

	iph->tos = dscp << 2 | (iph->tos & WEIR_TRIM_ECN);
	check = weir_trim_csum(check, tos, word[WEIR_IPV4_TOS]);
	check = weir_trim_csum(check, word[WEIR_IPV4_LEN], len);
	word[WEIR_IPV4_LEN] = len;
	word[WEIR_IPV4_CHECK] = check;
}

static __always_inline void weir_trim_mark_ipv6(struct weir_trim_pkt *pkt,
						__u8 dscp, __u32 l3_len)
{
	struct ipv6hdr *ip6h = pkt->l3;

	ip6h->priority = dscp >> 2;
	ip6h->flow_lbl[0] = (dscp & 3) << 6 | (ip6h->flow_lbl[0] & 0x3f);
	ip6h->payload_len = weir_htons(l3_len - sizeof(*ip6h));
}

/* DSCP and length; ECN stays, and the IPv4 checksum is updated. */
static __always_inline void weir_trim_mark_ip(struct weir_trim_pkt *pkt,
					      __u8 dscp, __u32 l3_len)
{
	if (pkt->l3 + sizeof(struct iphdr) > pkt->end)
		return;
	if (pkt->ip == 4)
		weir_trim_mark_ipv4(pkt, dscp, l3_len);
	else if (pkt->l3 + sizeof(struct ipv6hdr) <= pkt->end)
		weir_trim_mark_ipv6(pkt, dscp, l3_len);
}

/*
 * The checksum, word @at of a UDP or TCP header, when of @whole bytes from there on
 * @left are left. The trimmed bytes are subtracted, and the length is replaced the
 * @lengths times that it counts. All other terms stay: the address that a routing
 * header leads to, and also an error, for the receiver to find.
 */
static __always_inline void weir_trim_sum_l4(struct weir_trim_pkt *pkt,
					     __u32 at, __u32 whole, __u32 left,
					     __u32 lengths)
{
	__u32 off = pkt->l4 - pkt->start + left;
	__u16 *check = (__u16 *)pkt->l4 + at, gone;
	__u64 sum;

	if ((void *)(check + 1) > pkt->end)
		return;
	gone = weir_trim_fold(weir_trim_sum(pkt, off, whole - left));
	/* From an odd offset on, the halves of words are swapped. */
	if (left & 1)
		gone = gone << 8 | gone >> 8;
	sum = (__u64)(__u16)~*check + (__u16)~gone;
	sum += lengths * ((__u16)~weir_trim_word(whole) + weir_trim_word(left));
	*check = ~weir_trim_fold(sum);
	/* In UDP zero means no checksum. */
	if (pkt->proto == IPPROTO_UDP && !*check)
		*check = 0xffff;
}

/*
 * A datagram may end before its packet does, and stays whole where the cut is behind
 * it. A datagram that states more than its packet has is malformed.
 */
static __always_inline void weir_trim_update_udp(struct weir_trim_pkt *pkt,
						 __u32 whole, __u32 left)
{
	__u16 *word = pkt->l4;
	__u32 len;

	if ((void *)word + sizeof(struct udphdr) > pkt->end)
		return;
	len = weir_ntohs(((struct udphdr *)pkt->l4)->len);
	if (len <= left || len > whole)
		return;
	word[WEIR_UDP_LEN] = weir_trim_word(left);
	/* The length is in the header, and in the pseudo header. */
	if (word[WEIR_UDP_CHECK])
		weir_trim_sum_l4(pkt, WEIR_UDP_CHECK, len, left, 2);
}

/* Of @whole bytes from the UDP or TCP header on @left are left. */
static __always_inline void weir_trim_update_l4(struct weir_trim_pkt *pkt,
						__u32 whole, __u32 left)
{
	if (pkt->proto == IPPROTO_TCP)
		weir_trim_sum_l4(pkt, WEIR_TCP_CHECK, whole, left, 1);
	else if (pkt->proto == IPPROTO_UDP)
		weir_trim_update_udp(pkt, whole, left);
}

/*
 * NDP's flag; in its UDP form the checksum is updated for it, and stays that of the
 * whole packet.
 */
static __always_inline void weir_trim_chop(struct weir_trim_pkt *pkt)
{
	__u16 *word = pkt->l4, *shim, from, check;

	if (!pkt->ndp || (void *)(pkt->ndp + 1) > pkt->end)
		return;
	if (pkt->proto != IPPROTO_UDP) {
		*pkt->ndp |= WEIR_NDP_CHOPPED;
		return;
	}
	shim = word + WEIR_UDP_WORDS;
	if ((void *)(shim + 1) > pkt->end)
		return;
	from = *shim;
	*(__u8 *)shim |= WEIR_NDP_CHOPPED;
	if (!word[WEIR_UDP_CHECK])
		return;
	check = weir_trim_csum(word[WEIR_UDP_CHECK], from, *shim);
	word[WEIR_UDP_CHECK] = check ? check : 0xffff;
}

/**
 * weir_trim_length() - the length of a packet after trimming
 * @policy: the egress port's policy
 * @pkt: the packet, parsed
 *
 * Never less than the headers. A packet that is not longer stays whole, with its
 * frame's padding. A tag beside the frame is a part of the size, but not of the
 * result.
 *
 * Return: bytes of the frame, its whole length where it is not cut.
 */
static __always_inline __u32
weir_trim_length(const struct weir_trim_policy *policy,
		 const struct weir_trim_pkt *pkt)
{
	__u32 len = policy->size - pkt->beside;

	if (len < pkt->headers)
		len = pkt->headers;
	if (len >= pkt->l3_off + pkt->l3_len)
		return pkt->len;
	return len;
}

/**
 * weir_trim_mark() - make a packet's headers those of a trimmed one
 * @policy: the egress port's policy
 * @pkt: the packet, parsed, not cut yet
 * @len: result of weir_trim_length()
 *
 * The DSCP is the policy's, ECN stays; lengths and the checksum above IP change as
 * the policy says; NDP gets CHOPPED. A packet that is not cut gets the DSCP alone.
 */
static __always_inline void weir_trim_mark(const struct weir_trim_policy *policy,
					   struct weir_trim_pkt *pkt, __u32 len)
{
	bool keep = policy->flags & WEIR_TRIM_KEEP_LENGTH;
	__u32 l3_len = pkt->l3_len;

	if (len < pkt->len && !keep)
		l3_len = len - (__u32)(pkt->l3 - pkt->start);
	weir_trim_mark_ip(pkt, policy->dscp, l3_len);
	if (len >= pkt->len)
		return;
	weir_trim_chop(pkt);
	if (!keep)
		weir_trim_update_l4(pkt,
				    pkt->l3_len - (__u32)(pkt->l4 - pkt->l3),
				    len - (__u32)(pkt->l4 - pkt->start));
}

/**
 * weir_trim_unmark() - remove a mark that is not trusted
 * @pkt: the packet, parsed
 */
static __always_inline void weir_trim_unmark(struct weir_trim_pkt *pkt)
{
	weir_trim_mark_ip(pkt, 0, pkt->l3_len);
}

static __always_inline void weir_trim_swap(__u16 *a, __u16 *b, __u32 words)
{
	__u16 was;
	__u32 i;

	for (i = 0; i < words; i++) {
		was = a[i];
		a[i] = b[i];
		b[i] = was;
	}
}

/* The addresses of IP change places; the length field stays. */
static __always_inline void weir_trim_return_ip(struct weir_trim_pkt *pkt,
						__u8 dscp)
{
	struct ipv6hdr *ip6h = pkt->l3;
	struct iphdr *iph = pkt->l3;

	if (pkt->ip == 4) {
		if ((void *)(iph + 1) > pkt->end)
			return;
		weir_trim_swap((__u16 *)&iph->saddr, (__u16 *)&iph->daddr, 2);
		weir_trim_mark_ipv4(pkt, dscp, weir_ntohs(iph->tot_len));
	} else if ((void *)(ip6h + 1) <= pkt->end) {
		weir_trim_swap((__u16 *)&ip6h->saddr, (__u16 *)&ip6h->daddr, 8);
		weir_trim_mark_ipv6(pkt, dscp, sizeof(*ip6h) +
					       weir_ntohs(ip6h->payload_len));
	}
}

/**
 * weir_trim_return() - turn a trimmed packet around
 * @policy: the egress port's policy
 * @pkt: the packet, parsed and marked
 *
 * Addresses of Ethernet and IP and ports of UDP and TCP change places, which no
 * checksum notices; the DSCP becomes the policy's return_dscp.
 */
static __always_inline void
weir_trim_return(const struct weir_trim_policy *policy,
		 struct weir_trim_pkt *pkt)
{
	struct ethhdr *eth = pkt->start;
	__u16 *port = pkt->l4;

	if ((void *)(eth + 1) > pkt->end)
		return;
	weir_trim_swap((__u16 *)eth->h_dest, (__u16 *)eth->h_source, 3);
	weir_trim_return_ip(pkt, policy->return_dscp);
	if ((pkt->proto == IPPROTO_UDP || pkt->proto == IPPROTO_TCP) &&
	    (void *)(port + 2) <= pkt->end)
		weir_trim_swap(port + WEIR_UDP_SOURCE, port + WEIR_UDP_DEST, 1);
}

#endif /* _WEIR_TRIM_MARK_H */

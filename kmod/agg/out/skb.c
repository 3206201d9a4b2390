// SPDX-License-Identifier: GPL-2.0
/* The bytes of a packet, before it is known which way they go. */
#include <linux/ipv6.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/udp.h>

#include "agg/out/skb.h"

/**
 * weir_skb_alloc() - an empty packet
 * @len: bytes that will be put into its linear part
 *
 * Softirq. Headers up to UDP's over IPv6, and those of the link, have room in front.
 *
 * Return: the packet, or NULL without memory.
 */
struct sk_buff *weir_skb_alloc(unsigned int len)
{
	const unsigned int headers = LL_MAX_HEADER + sizeof(struct ipv6hdr) +
				     sizeof(struct udphdr);
	struct sk_buff *skb = alloc_skb(headers + len, WEIR_SKB_GFP);

	if (skb)
		skb_reserve(skb, headers);
	return skb;
}

/**
 * weir_skb_frag() - memory for a fragment
 * @size: bytes
 *
 * Softirq. Memory from the emergency reserves is not used: receivers drop packets that have it.
 *
 * Return: the memory, to be freed by skb_free_frag(), or NULL.
 */
void *weir_skb_frag(unsigned int size)
{
	void *frag = netdev_alloc_frag(size);

	if (!frag || !page_is_pfmemalloc(virt_to_head_page(frag)))
		return frag;
	skb_free_frag(frag);
	return NULL;
}

/* Behind the last page, so in a piece of a page of its own. */
static int weir_skb_add_tail(struct sk_buff *skb, const struct weir_packet *pkt)
{
	void *tail = weir_skb_frag(pkt->tail_len);

	if (!tail)
		return -ENOMEM;
	memcpy(tail, pkt->tail, pkt->tail_len);
	skb_add_rx_frag(skb, skb_shinfo(skb)->nr_frags, virt_to_head_page(tail),
			tail - page_address(virt_to_head_page(tail)),
			pkt->tail_len, SKB_DATA_ALIGN(pkt->tail_len));
	return 0;
}

/**
 * weir_skb() - build a packet without its headers
 * @pkt: the packet
 * @tail: include its tail
 *
 * Softirq. Headers are written in front later, and have room up to UDP's over IPv6; the
 * payload's pages are only linked.
 *
 * Return: the packet, or NULL without memory.
 */
struct sk_buff *weir_skb(const struct weir_packet *pkt, bool tail)
{
	unsigned int i, n, left = pkt->len;
	struct sk_buff *skb;

	skb = weir_skb_alloc(pkt->head_len);
	if (!skb)
		return NULL;
	skb_put_data(skb, pkt->head, pkt->head_len);
	for (i = 0; left; i++, left -= n) {
		n = min_t(unsigned int, left, PAGE_SIZE);
		get_page(pkt->pages[i]);
		skb_add_rx_frag(skb, i, pkt->pages[i], 0, n, PAGE_SIZE);
	}
	if (tail && weir_skb_add_tail(skb, pkt)) {
		kfree_skb(skb);
		return NULL;
	}
	return skb;
}

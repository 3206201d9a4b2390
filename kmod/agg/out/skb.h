/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_SKB_H
#define _WEIR_SKB_H

#include <linux/gfp.h>
#include <linux/types.h>

struct page;
struct sk_buff;

/**
 * struct weir_packet - a packet to send
 * @head: header and, for a join, its answer
 * @head_len: bytes of @head
 * @pages: payload behind it, shared and not copied; a reference is taken for
 *	every packet
 * @len: bytes of payload
 * @tail: bytes behind the payload where they fit, copied
 * @tail_len: bytes of @tail
 * @dport: the UDP port that it goes to, network byte order; 0 for the destination's
 * @tos: DSCP and ECN of its IP header
 */
struct weir_packet {
	const void	*head;
	unsigned int	head_len;
	struct page	**pages;
	unsigned int	len;
	const void	*tail;
	unsigned int	tail_len;
	__be16		dport;
	u8		tos;
};

/* Return the bytes of a packet behind its UDP header, with its tail. */
static inline u32 weir_packet_bytes(const struct weir_packet *pkt)
{
	return pkt->head_len + pkt->len + pkt->tail_len;
}

/* Not from the emergency reserves: receivers drop packets with such memory. */
#define WEIR_SKB_GFP	(GFP_ATOMIC | __GFP_NOWARN | __GFP_NOMEMALLOC)

struct sk_buff *weir_skb_alloc(unsigned int len);
void *weir_skb_frag(unsigned int size);
struct sk_buff *weir_skb(const struct weir_packet *pkt, bool tail);

#endif /* _WEIR_SKB_H */

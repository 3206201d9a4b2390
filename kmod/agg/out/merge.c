// SPDX-License-Identifier: GPL-2.0
/*
 * Packets that go to the same receiver at the same time, as one packet for the stack
 * (SKB_GSO_UDP_L4): routes, filters, qdiscs and a virtual device's other end handle it once.
 * A device that cannot handle it has it cut.
 */
#include <linux/in.h>
#include <linux/ipv6.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/udp.h>

#include "agg/out/merge.h"
#include "agg/out/room.h"
#include "agg/out/skb.h"
#include "agg/type/copy.h"

/* Most bytes behind the UDP header. */
#define WEIR_MERGE_MAX	(65535 - (sizeof(struct ipv6hdr) + sizeof(struct udphdr)))

/*
 * A short payload is copied: one fragment has many then, where each would take two by itself,
 * one for its head. To copy more costs more than fragments do.
 */
#define WEIR_MERGE_COPY	2048

/* Memory for the heads of payloads that are not copied. */
#define WEIR_MERGE_HEADS	512

static bool weir_merge_copies(const struct weir_packet *pkt)
{
	return pkt->len <= WEIR_MERGE_COPY;
}

/* Bytes that are copied. */
static u32 weir_merge_copied(const struct weir_packet *pkt)
{
	return weir_packet_bytes(pkt) - (weir_merge_copies(pkt) ? 0 : pkt->len);
}

/* Fragments that a packet may take: its head, its pages, its tail. */
static unsigned int weir_merge_frags(const struct weir_packet *pkt)
{
	if (weir_merge_copies(pkt))
		return 1;
	return 1 + DIV_ROUND_UP(pkt->len, PAGE_SIZE) + !!pkt->tail_len;
}

/**
 * weir_merge_takes() - test whether a packet may be merged with those that are there
 * @merge: those
 * @pkt: the packet
 *
 * All are of one length, but for the last.
 */
bool weir_merge_takes(const struct weir_merge *merge, const struct weir_packet *pkt)
{
	u32 bytes = weir_packet_bytes(pkt);

	return !merge->n ||
	       (merge->whole && bytes <= merge->size && pkt->tos == merge->tos &&
		merge->skb->len + bytes <= WEIR_MERGE_MAX &&
		skb_shinfo(merge->skb)->nr_frags + weir_merge_frags(pkt) <= MAX_SKB_FRAGS);
}

static bool weir_merge_make_room(struct weir_merge *merge, const struct weir_packet *pkt)
{
	u32 size = weir_merge_copies(pkt) ? WEIR_ROOM_BYTES : WEIR_MERGE_HEADS;
	void *room;

	if (merge->end - merge->used >= weir_merge_copied(pkt))
		return true;
	room = weir_merge_copies(pkt) ? weir_room_get() : weir_skb_frag(size);
	if (!room)
		return false;
	if (merge->room)
		skb_free_frag(merge->room);
	merge->room = room;
	merge->used = 0;
	merge->end = size;
	merge->skb->truesize += size;
	return true;
}

static bool weir_merge_begin(struct weir_merge *merge)
{
	if (!merge->skb)
		merge->skb = weir_skb_alloc(0);
	return merge->skb;
}

/*
 * Bytes of a page behind those that are there; its memory is in truesize already. Pages that
 * lie together make one fragment.
 */
static void weir_merge_link(struct sk_buff *skb, struct page *page, unsigned int off,
			    unsigned int len)
{
	struct skb_shared_info *sinfo = skb_shinfo(skb);
	struct page *first = compound_head(page);

	off += (page - first) * PAGE_SIZE;
	page = first;
	if (skb_can_coalesce(skb, sinfo->nr_frags, page, off)) {
		skb_frag_size_add(&sinfo->frags[sinfo->nr_frags - 1], len);
	} else {
		get_page(page);
		skb_fill_page_desc(skb, sinfo->nr_frags, page, off, len);
	}
	skb->len += len;
	skb->data_len += len;
}

static void weir_merge_append(struct weir_merge *merge, const void *from, unsigned int len)
{
	weir_copy(merge->room + merge->used, from, len);
	merge->used += len;
}

/* Link what was appended since @start to the packet. */
static void weir_merge_link_room(const struct weir_merge *merge, u32 start)
{
	struct page *page = virt_to_head_page(merge->room);

	weir_merge_link(merge->skb, page, merge->room + start - page_address(page),
			merge->used - start);
}

static void weir_merge_link_pages(struct weir_merge *merge, const struct weir_packet *pkt)
{
	unsigned int i, n, left;

	for (i = 0, left = pkt->len; left; i++, left -= n) {
		n = min_t(unsigned int, left, PAGE_SIZE);
		weir_merge_link(merge->skb, pkt->pages[i], 0, n);
		merge->skb->truesize += PAGE_SIZE;
	}
}

static void weir_merge_put(struct weir_merge *merge, const struct weir_packet *pkt)
{
	u32 start = merge->used;

	weir_merge_append(merge, pkt->head, pkt->head_len);
	if (!weir_merge_copies(pkt)) {
		weir_merge_link_room(merge, start);
		weir_merge_link_pages(merge, pkt);
		start = merge->used;
	} else if (pkt->len) {
		weir_merge_append(merge, page_address(pkt->pages[0]), pkt->len);
	}
	if (pkt->tail_len)
		weir_merge_append(merge, pkt->tail, pkt->tail_len);
	if (merge->used != start)
		weir_merge_link_room(merge, start);
}

/**
 * weir_merge_add() - put a packet behind those that are there
 * @merge: those
 * @pkt: the packet, which weir_merge_takes() has let pass; its payload's pages are linked where
 *	it is long, and each gets a reference
 *
 * Softirq.
 *
 * Return: whether it is there; not without memory, and then all is as it was.
 */
bool weir_merge_add(struct weir_merge *merge, const struct weir_packet *pkt)
{
	u32 bytes = weir_packet_bytes(pkt);

	if (!weir_merge_begin(merge) || !weir_merge_make_room(merge, pkt))
		return false;
	if (!merge->n) {
		merge->size = bytes;
		merge->tos = pkt->tos;
	}
	merge->whole = bytes == merge->size;
	merge->n++;
	weir_merge_put(merge, pkt);
	return true;
}

/* A single packet is none that has to be cut. */
static void weir_merge_seal(struct sk_buff *skb, const struct weir_merge *merge)
{
	if (merge->n == 1)
		return;
	skb_shinfo(skb)->gso_size = merge->size;
	skb_shinfo(skb)->gso_segs = merge->n;
	skb_shinfo(skb)->gso_type = SKB_GSO_UDP_L4;
}

/**
 * weir_merge_copy() - the packet, for one of several receivers
 * @merge: one packet at least
 *
 * Softirq. Its memory is shared, with room for headers of its own.
 *
 * Return: the packet, or NULL without memory.
 */
struct sk_buff *weir_merge_copy(const struct weir_merge *merge)
{
	struct sk_buff *skb = __pskb_copy(merge->skb, skb_headroom(merge->skb), WEIR_SKB_GFP);

	if (skb)
		weir_merge_seal(skb, merge);
	return skb;
}

/**
 * weir_merge_end() - the packet, for the last receiver
 * @merge: one packet at least; none is left
 *
 * Softirq. Return: the packet.
 */
struct sk_buff *weir_merge_end(struct weir_merge *merge)
{
	struct sk_buff *skb = merge->skb;

	weir_merge_seal(skb, merge);
	merge->skb = NULL;
	weir_merge_drop(merge);
	return skb;
}

/**
 * weir_merge_drop() - free the packets, if any
 * @merge: none are left
 */
void weir_merge_drop(struct weir_merge *merge)
{
	if (merge->skb)
		kfree_skb(merge->skb);
	if (merge->room)
		skb_free_frag(merge->room);
	*merge = (struct weir_merge){};
}

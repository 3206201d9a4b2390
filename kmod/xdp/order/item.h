/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_ORDER_ITEM_H
#define _WEIR_ORDER_ITEM_H

#include <linux/nospec.h>
#include <linux/skbuff.h>
#include <net/xdp.h>

#include "xdp/order/note.h"
#include "xdp/order/order.h"
#include "xdp/order/queue.h"

/* Of a packet in a queue: it is a struct xdp_frame, not a struct sk_buff. */
#define WEIR_ORDER_FRAME	2UL

/**
 * struct weir_order_cb - what is kept in a packet
 * @out: the device that it leaves by, 0 for the stack
 */
struct weir_order_cb {
	u32	out;
};

static inline struct weir_order_cb *weir_order_cb(struct sk_buff *skb)
{
	return (struct weir_order_cb *)skb->cb;
}

static inline void *weir_order_frame_item(struct xdp_frame *frame)
{
	return (void *)((unsigned long)frame | WEIR_ORDER_FRAME);
}

static inline struct xdp_frame *weir_order_item_frame(void *item)
{
	return (unsigned long)item & WEIR_ORDER_FRAME ?
	       (void *)((unsigned long)item & ~WEIR_ORDER_FRAME) : NULL;
}

/* Bytes of memory that a frame has. As in the kernel, each of its fragments counts as a frame. */
static inline u32 weir_order_frame_size(struct xdp_frame *frame)
{
	if (unlikely(xdp_frame_has_frags(frame)))
		return frame->frame_sz * (1 + xdp_get_shared_info_from_frame(frame)->nr_frags);
	return frame->frame_sz;
}

/* Bytes of memory that a packet has. */
static inline u32 weir_order_size(void *item)
{
	struct xdp_frame *frame = weir_order_item_frame(item);

	if (item == WEIR_QUEUE_GONE)
		return 0;
	return frame ? weir_order_frame_size(frame) : ((struct sk_buff *)item)->truesize;
}

/* Return where a packet keeps the one behind it. */
static inline void **weir_order_link(void *item)
{
	struct xdp_frame *frame = weir_order_item_frame(item);

	return frame ? &weir_order_note_at(frame)->next : (void **)&((struct sk_buff *)item)->next;
}

/* The flow that a note names, or NULL where the order has no such flow. */
static inline struct weir_order_flow *weir_order_note_flow(const struct weir_reorder *order,
							   const struct weir_order_note *note)
{
	u32 flows = order->config.flows;

	return likely(note->flow < flows) ?
	       &order->flow[array_index_nospec(note->flow, flows)] : NULL;
}

#endif /* _WEIR_ORDER_ITEM_H */

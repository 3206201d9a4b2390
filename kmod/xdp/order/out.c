// SPDX-License-Identifier: GPL-2.0
/*
 * Send on packets that are in order: to the stack, as packets of the device that they came
 * in by, or out of another one. A flow has a CPU of its own for that, on which a NAPI takes its
 * packets: behind the queue they are in order only as long as they stay on one CPU, as each has its
 * own backlog, and often its own transmit queue. And GRO merges what is in order, of TCP.
 */
#include <linux/in.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <net/xdp.h>

#include "core/base/compat.h"
#include "core/base/virtual.h"
#include "xdp/order/item.h"
#include "xdp/order/order.h"

/* Packets of one flow that go on at once. */
#define WEIR_ORDER_BATCH	32

/**
 * weir_order_discard() - free a packet
 * @item: the packet
 */
void weir_order_discard(void *item)
{
	struct xdp_frame *frame = weir_order_item_frame(item);

	if (frame)
		xdp_return_frame(frame);
	else
		kfree_skb(item);
}

/**
 * weir_order_lose() - drop a packet that cannot go on
 * @order: the order
 * @item: the packet
 */
void weir_order_lose(const struct weir_reorder *order, void *item)
{
	if (item == WEIR_QUEUE_GONE)
		return;
	weir_order_add_count(order, WEIR_A_ORDER_STATS_LOST, 1);
	weir_order_discard(item);
}

/* Loses frames that are too long for a device. Return: how many are left, the first ones. */
static int weir_order_fitting(const struct weir_reorder *order, const struct net_device *to,
			      struct xdp_frame **frames, int n)
{
	int i, left = 0;

	for (i = 0; i < n; i++) {
		if (unlikely(weir_virtual_is_too_long(to, frames[i])))
			weir_order_lose(order, weir_order_frame_item(frames[i]));
		else
			frames[left++] = frames[i];
	}
	return left;
}

/* Frames out of one device, in one call of its driver. */
static void weir_order_xmit(const struct weir_reorder *order, u32 out, struct xdp_frame **frames,
			    int n)
{
	struct net_device *to;
	int sent = 0;

	rcu_read_lock();
	to = dev_get_by_index_rcu(order->net, out);
	if (to) {
		n = weir_order_fitting(order, to, frames, n);
		sent = weir_virtual_xmit(to, n, frames, XDP_XMIT_FLUSH);
	}
	rcu_read_unlock();
	for (; sent < n; sent++)
		weir_order_lose(order, weir_order_frame_item(frames[sent]));
}

/* A packet of generic XDP out of a device. */
static void weir_order_queue_xmit(const struct weir_reorder *order, struct sk_buff *skb)
{
	rcu_read_lock();
	skb->dev = dev_get_by_index_rcu(order->net, weir_order_cb(skb)->out);
	if (skb->dev && is_skb_forwardable(skb->dev, skb))
		dev_queue_xmit(skb);
	else
		weir_order_lose(order, skb);
	rcu_read_unlock();
}

/* @napi: of this CPU, for packets that GRO may merge; else NULL. */
static void weir_order_receive(struct napi_struct *napi, struct sk_buff *skb,
			       struct list_head *list)
{
	if (napi)
		napi_gro_receive(napi, skb);
	else
		list_add_tail(&skb->list, list);
}

/* Frames to the stack, with memory for their heads in one call. */
static void weir_order_build(const struct weir_reorder *order, struct napi_struct *napi,
			     struct xdp_frame **frames, int n, struct list_head *list)
{
	void *skbs[WEIR_ORDER_BATCH];
	int i, got = weir_compat_skb_bulk(skbs, n);

	for (i = 0; i < got; i++) {
		struct sk_buff *skb = __xdp_build_skb_from_frame(frames[i], skbs[i], order->dev);

		if (likely(skb))
			weir_order_receive(napi, skb, list);
		else
			weir_order_lose(order, weir_order_frame_item(frames[i]));
	}
	for (; i < n; i++)
		weir_order_lose(order, weir_order_frame_item(frames[i]));
}

static void weir_order_send_frames(const struct weir_reorder *order, struct napi_struct *napi,
				   struct xdp_frame **frames, int n, struct list_head *list)
{
	u32 out;

	if (!n)
		return;
	out = weir_order_note_at(frames[0])->out;
	if (out)
		weir_order_xmit(order, out, frames, n);
	else
		weir_order_build(order, napi, frames, n, list);
}

/* A packet of generic XDP. */
static void weir_order_send_skb(const struct weir_reorder *order, struct napi_struct *napi,
				struct sk_buff *skb, struct list_head *list)
{
	if (weir_order_cb(skb)->out)
		weir_order_queue_xmit(order, skb);
	else
		weir_order_receive(napi, skb, list);
}

/* Frames that go the same way go together. */
static void weir_order_send(const struct weir_reorder *order, struct napi_struct *napi,
			    void **items, int n)
{
	struct xdp_frame *frames[WEIR_ORDER_BATCH], *frame;
	int i, count = 0;
	LIST_HEAD(list);

	for (i = 0; i < n; i++) {
		frame = weir_order_item_frame(items[i]);
		if (count && (!frame || weir_order_note_at(frame)->out !=
					weir_order_note_at(frames[0])->out)) {
			weir_order_send_frames(order, napi, frames, count, &list);
			count = 0;
		}
		if (frame)
			frames[count++] = frame;
		else
			weir_order_send_skb(order, napi, items[i], &list);
	}
	weir_order_send_frames(order, napi, frames, count, &list);
	netif_receive_skb_list(&list);
}

/**
 * weir_order_send_one() - let a packet go now
 * @order: the order
 * @item: the packet, or WEIR_QUEUE_GONE
 *
 * Called with bottom halves disabled.
 */
void weir_order_send_one(const struct weir_reorder *order, void *item)
{
	if (item != WEIR_QUEUE_GONE)
		weir_order_send(order, NULL, &item, 1);
}

/**
 * weir_order_pop() - take the first packet that is in order
 * @flow: its flow
 *
 * The kernel sends what a packet is linked to, too, so it is unlinked.
 *
 * Return: the packet, or NULL.
 */
void *weir_order_pop(struct weir_order_flow *flow)
{
	void *item = flow->first;

	if (!item)
		return NULL;
	flow->first = *weir_order_link(item);
	*weir_order_link(item) = NULL;
	flow->ready--;
	return item;
}

/* Takes packets that are in order. Return: how many. */
static int weir_order_collect(struct weir_order_flow *flow, void **items, int most)
{
	s64 bytes = 0;
	int n = 0;

	while (n < most && flow->first) {
		items[n] = weir_order_pop(flow);
		bytes += weir_order_size(items[n++]);
	}
	weir_order_hold(flow->order, -bytes);
	return n;
}

/**
 * weir_order_run() - let packets of a flow go
 * @worker: of the flow's CPU
 * @flow: the flow, which that worker's list has had
 * @budget: maximum number of packets
 *
 * Called by the worker's NAPI. The flow is in the list again where there are more.
 *
 * Return: how many went.
 */
int weir_order_run(struct weir_order_worker *worker, struct weir_order_flow *flow, int budget)
{
	bool merges = flow->key.proto == IPPROTO_TCP;
	void *items[WEIR_ORDER_BATCH];
	int n;

	spin_lock(&flow->lock);
	n = weir_order_collect(flow, items, min(budget, WEIR_ORDER_BATCH));
	flow->busy = flow->first;
	if (flow->busy)
		llist_add(&flow->link, &worker->flows);
	spin_unlock(&flow->lock);
	weir_order_send(flow->order, merges ? &worker->napi : NULL, items, n);
	return n;
}

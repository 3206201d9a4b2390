// SPDX-License-Identifier: GPL-2.0
/*
 * Where packets go on to that are in order: to the stack, as packets of the device that they came
 * in by, or out of another one. A flow has a CPU of its own for that, on which a NAPI takes its
 * packets: behind the queue they are in order only as long as they stay on one CPU, as each has its
 * own backlog, and often its own transmit queue. And GRO merges what is in order, of TCP.
 */
#include <linux/cpumask.h>
#include <linux/in.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/smp.h>
#include <net/xdp.h>

#include "base/virtual.h"
#include "order/item.h"
#include "order/order.h"

/* Packets of one flow that go on at once. */
#define WEIR_ORDER_BATCH	32

/**
 * weir_order_lose() - drop a packet that cannot go on
 * @order: the order
 * @item: the packet
 */
void weir_order_lose(const struct weir_reorder *order, void *item)
{
	struct xdp_frame *frame = weir_order_item_frame(item);

	if (item == WEIR_QUEUE_GONE)
		return;
	weir_order_add_count(order, WEIR_A_ORDER_STATS_LOST, 1);
	if (frame)
		xdp_return_frame(frame);
	else
		kfree_skb(item);
}

/* Frames out of one device, in one call of its driver. */
static void weir_order_xmit(const struct weir_reorder *order, u32 out, struct xdp_frame **frames,
			    int n)
{
	struct net_device *to;
	int sent = 0;

	if (!n)
		return;
	rcu_read_lock();
	to = dev_get_by_index_rcu(order->net, out);
	if (to)
		sent = weir_virtual_xmit(to, n, frames, XDP_XMIT_FLUSH);
	rcu_read_unlock();
	for (; sent < n; sent++)
		weir_order_lose(order, weir_order_frame_item(frames[sent]));
}

/* A packet of generic XDP out of a device. */
static void weir_order_queue_xmit(const struct weir_reorder *order, struct sk_buff *skb)
{
	rcu_read_lock();
	skb->dev = dev_get_by_index_rcu(order->net, weir_order_cb(skb)->out);
	if (skb->dev)
		dev_queue_xmit(skb);
	else
		weir_order_lose(order, skb);
	rcu_read_unlock();
}

static void weir_order_receive(struct napi_struct *napi, struct sk_buff *skb,
			       struct list_head *list)
{
	if (napi)
		napi_gro_receive(napi, skb);
	else
		list_add_tail(&skb->list, list);
}

/* @napi: of this CPU, for packets that GRO may merge; else NULL. */
static void weir_order_send(const struct weir_reorder *order, struct napi_struct *napi,
			    void **items, int n)
{
	struct xdp_frame *frames[WEIR_ORDER_BATCH];
	LIST_HEAD(list);
	u32 out = 0;
	int i, count = 0;

	for (i = 0; i < n; i++) {
		struct xdp_frame *frame = weir_order_item_frame(items[i]);

		if (frame) {
			u32 next = weir_order_note_at(frame)->out;

			if (next != out) {
				weir_order_xmit(order, out, frames, count);
				count = 0;
			}
			out = next;
			frames[count++] = frame;
		} else if (weir_order_cb(items[i])->out) {
			weir_order_queue_xmit(order, items[i]);
		} else {
			weir_order_receive(napi, items[i], &list);
		}
	}
	weir_order_xmit(order, out, frames, count);
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
 * The kernel sends what a packet is linked to, too, so it is linked to nothing any more.
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
	int n = 0;

	while (n < most && flow->first)
		items[n++] = weir_order_pop(flow);
	return n;
}

static void weir_order_kick(struct weir_order_out *out, int cpu)
{
	if (cpu == smp_processor_id()) {
		napi_schedule(&out->napi);
		return;
	}
	if (test_and_set_bit(0, &out->kicked))
		return;
	if (smp_call_function_single_async(cpu, &out->csd)) {
		clear_bit(0, &out->kicked);
		napi_schedule(&out->napi);
	}
}

static void weir_order_kicked(void *arg)
{
	struct weir_order_out *out = arg;

	clear_bit(0, &out->kicked);
	napi_schedule(&out->napi);
}

/**
 * weir_order_schedule() - have packets of a flow go on
 * @flow: the flow; its lock is held
 *
 * On the flow's CPU, or on this one where that is gone.
 */
void weir_order_schedule(struct weir_order_flow *flow)
{
	struct weir_order_out *out;

	if (flow->busy || !flow->first)
		return;
	flow->busy = true;
	if (!cpu_online(flow->home))
		flow->home = smp_processor_id();
	out = per_cpu_ptr(flow->order->out, flow->home);
	if (llist_add(&flow->link, &out->flows))
		weir_order_kick(out, flow->home);
}

/* Return: how many went. */
static int weir_order_run(struct weir_order_out *out, struct weir_order_flow *flow, int budget)
{
	void *items[WEIR_ORDER_BATCH];
	int n;

	spin_lock(&flow->lock);
	n = weir_order_collect(flow, items, min(budget, WEIR_ORDER_BATCH));
	flow->busy = flow->first;
	if (flow->busy)
		llist_add(&flow->link, &out->flows);
	spin_unlock(&flow->lock);
	weir_order_send(flow->order, flow->key.proto == IPPROTO_TCP ? &out->napi : NULL, items, n);
	return n;
}

/* The next flow, in the order in which they came. */
static struct weir_order_flow *weir_order_next(struct weir_order_out *out)
{
	struct llist_node *node;

	if (!out->rest)
		out->rest = llist_reverse_order(llist_del_all(&out->flows));
	node = out->rest;
	if (!node)
		return NULL;
	out->rest = node->next;
	return llist_entry(node, struct weir_order_flow, link);
}

static int weir_order_poll(struct napi_struct *napi, int budget)
{
	struct weir_order_out *out = container_of(napi, struct weir_order_out, napi);
	struct weir_order_flow *flow;
	int done = 0;

	while (done < budget) {
		flow = weir_order_next(out);
		if (!flow)
			break;
		done += weir_order_run(out, flow, budget - done);
	}
	if (done < budget && napi_complete_done(napi, done) && !llist_empty(&out->flows))
		napi_schedule(napi);
	return done;
}

/**
 * weir_order_out_begin() - have a NAPI on each CPU
 * @order: the order, with its device
 *
 * RTNL is held. Sleeps.
 */
void weir_order_out_begin(struct weir_reorder *order)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct weir_order_out *out = per_cpu_ptr(order->out, cpu);

		INIT_CSD(&out->csd, weir_order_kicked, out);
		netif_napi_add(order->ndev, &out->napi, weir_order_poll);
		napi_enable(&out->napi);
	}
}

/**
 * weir_order_out_end() - have none any more
 * @order: the order, which no packet finds
 *
 * Flows that wait to be run stay so. RTNL is held. Sleeps.
 */
void weir_order_out_end(struct weir_reorder *order)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct weir_order_out *out = per_cpu_ptr(order->out, cpu);

		while (test_bit(0, &out->kicked))
			cond_resched();
		napi_disable(&out->napi);
		netif_napi_del(&out->napi);
	}
}

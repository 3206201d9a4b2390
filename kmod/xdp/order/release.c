// SPDX-License-Identifier: GPL-2.0
/*
 * The Reorder Engine (Trio paper, section 2.2): packets come from all CPUs, by a device that
 * programs redirect to, and wait until all earlier ones of their flow have come, are known to be
 * gone, or have been waited for long enough.
 */
#include <linux/etherdevice.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <net/xdp.h>

#include "core/base/virtual.h"
#include "xdp/order/item.h"
#include "xdp/order/order.h"

/* A packet has waited, and goes. */
static void weir_order_waited(struct weir_reorder *order, const struct weir_queue_slot *slot,
			      u64 *now)
{
	if (slot->item == WEIR_QUEUE_GONE)
		return;
	if (!*now)
		*now = ktime_get_ns();
	atomic64_sub(weir_order_size(slot->item), &order->waiting);
	weir_order_add_count(order, WEIR_A_ORDER_STATS_WAITED, 1);
	weir_lateness_count(&order->count->waited, *now - slot->since);
}

/* A packet is in order now, behind the others that are. */
static void weir_order_append(struct weir_order_flow *flow, void *item)
{
	*weir_order_link(item) = NULL;
	if (flow->first)
		*weir_order_link(flow->last) = item;
	else
		flow->first = item;
	flow->last = item;
	flow->ready++;
}

/* Packets whose turn it is are in order. */
static void weir_order_advance(struct weir_order_flow *flow)
{
	struct weir_queue_slot slot;
	u64 now = 0;

	for (;;) {
		slot = weir_queue_take(&flow->queue);
		if (!slot.item)
			return;
		if (unlikely(slot.since))
			weir_order_waited(flow->order, &slot, &now);
		if (likely(slot.item != WEIR_QUEUE_GONE))
			weir_order_append(flow, slot.item);
	}
}

/* The timer comes when the packet that has waited for longest has done so for long enough. */
static void weir_order_arm(struct weir_order_flow *flow, u64 delay)
{
	if (!flow->queue.waiting || flow->armed)
		return;
	flow->armed = true;
	hrtimer_start(&flow->timer, ns_to_ktime(delay), HRTIMER_MODE_REL_PINNED_SOFT);
}

/* Nobody waits any longer for those that have not come. The flow's lock is held. */
static void weir_order_give_up(struct weir_order_flow *flow)
{
	weir_order_add_count(flow->order, WEIR_A_ORDER_STATS_SKIPPED,
			     weir_queue_skip(&flow->queue));
	weir_order_advance(flow);
}

static void weir_order_give_up_all(struct weir_order_flow *flow)
{
	u64 end = flow->queue.head + flow->queue.mask;

	while (flow->queue.waiting && (s64)(end - flow->queue.head) >= 0)
		weir_order_give_up(flow);
}

/*
 * A packet is not between the head and the last slot. Where its sender has numbered it, that may
 * have restarted; else all that wait go as far as this one has no room, so that it waits in their
 * stead.
 */
static bool weir_order_make_room(struct weir_order_flow *flow, u64 number, bool full)
{
	bool numbered = flow->order->config.sequence;

	if (numbered ? !weir_queue_restarts(&flow->queue, number) : !full)
		return false;
	if (numbered)
		weir_order_give_up_all(flow);
	else
		while (flow->queue.waiting && number - flow->queue.head > flow->queue.mask)
			weir_order_give_up(flow);
	if (number - flow->queue.head > flow->queue.mask)
		flow->queue.head = number;
	return true;
}

/*
 * Add a packet whose turn it is not, or before which others wait. Return true if the queue has it.
 */
static bool weir_order_enter(struct weir_order_flow *flow, u64 number, void *item, u64 now)
{
	enum weir_queue_put put = weir_queue_put(&flow->queue, number, item, now);
	u32 counter;

	if (unlikely(put == WEIR_QUEUE_FULL || put == WEIR_QUEUE_LATE) &&
	    weir_order_make_room(flow, number, put == WEIR_QUEUE_FULL))
		put = weir_queue_put(&flow->queue, number, item, now);
	if (likely(put == WEIR_QUEUE_TURN))
		return true;
	counter = put == WEIR_QUEUE_TWICE ? WEIR_A_ORDER_STATS_TWICE :
		  put == WEIR_QUEUE_LATE ? WEIR_A_ORDER_STATS_LATE : WEIR_A_ORDER_STATS_UNORDERED;
	weir_order_add_count(flow->order, counter, 1);
	return false;
}

/*
 * Queue a packet, and send on those that have waited for it. One that has no turn, or no longer,
 * follows those that are in order: before them it would be early for each that has a lower number.
 */
static void weir_order_queue(struct weir_order_flow *flow, u64 number, void *item)
{
	struct weir_reorder *order = flow->order;
	bool waits = number != flow->queue.head;
	bool has = weir_order_enter(flow, number, item, waits ? ktime_get_ns() : 0);

	if (has && waits)
		atomic64_add(weir_order_size(item), &order->waiting);
	weir_order_advance(flow);
	if (unlikely(!has && item != WEIR_QUEUE_GONE))
		weir_order_append(flow, item);
	/* Packets in order need the other half: a quota that is full of waiting ones stops them. */
	if (waits && unlikely(atomic64_read(&order->waiting) > (s64)order->config.bytes / 2))
		weir_order_give_up(flow);
}

/*
 * A packet has come. @run: others of the batch do not follow.
 * Return: true if the flow has it; false if that has been forgotten, and the packet goes at once.
 */
static bool weir_order_put(struct weir_order_flow *flow, u32 generation, u64 number, void *item,
			   bool run)
{
	struct weir_reorder *order = flow->order;
	bool has = true;

	spin_lock(&flow->lock);
	if (unlikely(flow->generation != generation || !weir_order_is_used(generation))) {
		weir_order_add_count(order, WEIR_A_ORDER_STATS_UNORDERED, 1);
		has = false;
	} else if (likely(item != WEIR_QUEUE_GONE && weir_queue_pass(&flow->queue, number))) {
		weir_order_append(flow, item);
	} else {
		weir_order_queue(flow, number, item);
		weir_order_arm(flow, order->config.hold);
	}
	if (run)
		weir_order_schedule(flow);
	spin_unlock(&flow->lock);
	return has;
}

/**
 * weir_order_take() - a packet has been through the chain
 * @order: the order
 * @note: its note, of which anything may be wrong
 * @item: the packet
 * @run: others of the batch do not follow
 *
 * Called with bottom halves disabled.
 */
void weir_order_take(struct weir_reorder *order, const struct weir_order_note *note, void *item,
		     bool run)
{
	struct weir_order_flow *flow = weir_order_note_flow(order, note);
	u32 size = weir_order_size(item);

	weir_order_hold(order, size);
	if (likely(flow) && weir_order_put(flow, note->generation, note->number, item, run))
		return;
	weir_order_hold(order, -(s64)size);
	weir_order_send_one(order, item);
}

/**
 * weir_order_gone() - a packet has left by another way, or was dropped
 * @flow: its flow
 * @generation: of the flow
 * @number: the packet's
 *
 * Others do not wait for it.
 */
void weir_order_gone(struct weir_order_flow *flow, u32 generation, u64 number)
{
	local_bh_disable();
	weir_order_put(flow, generation, number, WEIR_QUEUE_GONE, true);
	local_bh_enable();
}

/* Drop a packet that there is no room for. None waits for it. */
static void weir_order_overload(struct weir_reorder *order, const struct weir_order_note *note,
				void *item)
{
	struct weir_order_flow *flow = weir_order_note_flow(order, note);

	weir_order_add_count(order, WEIR_A_ORDER_STATS_OVERLOAD, 1);
	if (likely(flow))
		weir_order_gone(flow, note->generation, note->number);
	weir_order_discard(item);
}

/* Return true if the frame at @i is the last one of its flow among these. */
static bool weir_order_ends(struct xdp_frame **frames, int i, int n)
{
	return i + 1 == n ||
	       weir_order_note_at(frames[i + 1])->flow != weir_order_note_at(frames[i])->flow;
}

/* ndo_xdp_xmit: all frames are taken. */
static int weir_order_xdp_xmit(struct net_device *dev, int n, struct xdp_frame **frames, u32 flags)
{
	struct weir_reorder *order = weir_virtual(dev)->owner;
	struct weir_order_note note;
	bool last;
	int i;

	for (i = 0; i < n; i++) {
		last = weir_order_ends(frames, i, n);
		if (unlikely(!weir_order_note_read_frame(frames[i], &note)))
			xdp_return_frame(frames[i]);
		else if (unlikely(weir_order_is_full(order)))
			weir_order_overload(order, &note, weir_order_frame_item(frames[i]));
		else if (note.cpu)
			weir_order_dispatch(order, frames[i], &note);
		else
			weir_order_take(order, &note, weir_order_frame_item(frames[i]), last);
	}
	return n;
}

/* ndo_start_xmit: a packet of generic XDP. It is not to run through XDP once more. */
static netdev_tx_t weir_order_start_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct weir_reorder *order = weir_virtual(dev)->owner;
	struct weir_order_note note;

	if (skb_headroom(skb) < WEIR_VIRTUAL_NOTE_ORDER + sizeof(note) ||
	    !weir_order_note_read(skb->head, &note)) {
		kfree_skb(skb);
		return NETDEV_TX_OK;
	}
	if (unlikely(weir_order_is_full(order))) {
		weir_order_overload(order, &note, skb);
		return NETDEV_TX_OK;
	}
	skb->dev = order->dev;
	if (!note.out) {
		skb->protocol = eth_type_trans(skb, order->dev);
		skb_set_redirected(skb, false);
	}
	weir_order_cb(skb)->out = note.out;
	weir_order_take(order, &note, skb, true);
	return NETDEV_TX_OK;
}

const struct net_device_ops weir_order_ops = {
	.ndo_open	= weir_virtual_open,
	.ndo_start_xmit	= weir_order_start_xmit,
	.ndo_xdp_xmit	= weir_order_xdp_xmit,
	.ndo_get_iflink	= weir_virtual_iflink,
};

/**
 * weir_order_timer() - packets of a flow have waited
 * @timer: the flow's
 */
enum hrtimer_restart weir_order_timer(struct hrtimer *timer)
{
	struct weir_order_flow *flow = container_of(timer, struct weir_order_flow, timer);
	u64 now = ktime_get_ns(), hold = flow->order->config.hold, end, oldest;

	spin_lock(&flow->lock);
	flow->armed = false;
	end = weir_queue_expired(&flow->queue, now - hold, &oldest);
	while (flow->queue.waiting && (s64)(end - flow->queue.head) > 0)
		weir_order_give_up(flow);
	if (oldest != U64_MAX)
		weir_order_arm(flow, oldest + hold - now);
	weir_order_schedule(flow);
	spin_unlock(&flow->lock);
	return HRTIMER_NORESTART;
}

/**
 * weir_order_settle() - stop waiting
 * @order: the order
 *
 * Packets go on that wait now. Sleeps. RTNL is held, so flows without any are passed by.
 */
void weir_order_settle(struct weir_reorder *order)
{
	u32 i;

	for (i = 0; i < order->config.flows; i++) {
		struct weir_order_flow *flow = &order->flow[i];

		if (!READ_ONCE(flow->queue.waiting))
			continue;
		spin_lock_bh(&flow->lock);
		weir_order_give_up_all(flow);
		weir_order_schedule(flow);
		spin_unlock_bh(&flow->lock);
		cond_resched();
	}
}

/* No CPU adds to the flow now. */
static void weir_order_empty(struct weir_order_flow *flow,
			     void (*end)(const struct weir_reorder *order, void *item))
{
	void *item;

	weir_order_give_up_all(flow);
	while ((item = weir_order_pop(flow))) {
		weir_order_hold(flow->order, -(s64)weir_order_size(item));
		end(flow->order, item);
	}
}

/**
 * weir_order_empty_all() - let all packets go that wait, or drop them
 * @order: an order that no packet finds, without its NAPIs
 * @end: lets a packet go, or drops it
 *
 * Sleeps.
 */
void weir_order_empty_all(struct weir_reorder *order,
			  void (*end)(const struct weir_reorder *order, void *item))
{
	u32 i;

	for (i = 0; i < order->config.flows; i++) {
		local_bh_disable();
		weir_order_empty(&order->flow[i], end);
		local_bh_enable();
		cond_resched();
	}
}

/**
 * weir_order_timers_end() - stop all timers
 * @order: an order that no packet finds
 */
void weir_order_timers_end(struct weir_reorder *order)
{
	u32 i;

	for (i = 0; i < order->config.flows; i++)
		hrtimer_cancel(&order->flow[i].timer);
}

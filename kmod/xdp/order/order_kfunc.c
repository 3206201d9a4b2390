// SPDX-License-Identifier: GPL-2.0
/*
 * The kfunc of the program that gives packets their numbers and spreads them over CPUs (Trio paper,
 * section 2.2: dispatch, and the Reorder Engine). uapi/weir_bpf.h describes it, kfunc.c registers
 * it.
 */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/cpumask.h>
#include <linux/netdevice.h>
#include <net/netdev_rx_queue.h>
#include <net/xdp.h>
#include <uapi/weir_bpf.h>

#include "core/base/compat.h"
#include "core/base/device.h"
#include "xdp/order/note.h"
#include "xdp/order/order.h"
#include "xdp/order/order_kfunc.h"
#include "xdp/order/sequence.h"
#include "xdp/packet/rule.h"

/* CPUs that a packet looks at, and packets on their way through one until it gets no more. */
#define WEIR_ORDER_LOOKS	4
#define WEIR_ORDER_DEPTH	64

static u64 weir_order_verdict(u32 verdict)
{
	return verdict;
}

/* To the order's device, with a note. */
static u64 weir_order_hand_over(struct xdp_buff *xdp, const struct weir_reorder *order,
				const struct weir_order_note *note)
{
	weir_order_note_write(xdp, note);
	return (u64)WEIR_ORDER_TO_DEVICE << 32 | order->ndev->ifindex;
}

static bool weir_order_is_up(const struct weir_reorder *order)
{
	return READ_ONCE(order->ndev->flags) & IFF_UP;
}

/* The first order that a packet matches, or NULL. */
static struct weir_reorder *weir_order_match(const struct net_device *dev,
					     const struct weir_headers *headers)
{
	struct weir_orders *orders = weir_orders(weir_xdp_net_bh(dev_net(dev)), dev->ifindex);
	struct weir_reorder *order;

	if (!orders)
		return NULL;
	list_for_each_entry_rcu(order, &orders->list, list)
		if (weir_rule_match(&order->config.rule, headers, dev->ifindex))
			return order;
	return NULL;
}

/*
 * Generic XDP's packets stay where they are: they are socket buffers, for which no program runs
 * anywhere else.
 */
static bool weir_order_stays(const struct xdp_buff *xdp)
{
	const struct net_device *dev = weir_xdp_dev(xdp);
	const struct netdev_rx_queue *queue;

	queue = container_of(xdp->rxq, struct netdev_rx_queue, xdp_rxq);
	return queue >= dev->_rx && queue < dev->_rx + dev->num_rx_queues;
}

/*
 * A CPU that has little to do, by looking at a few in turn. Return: its place in the list, or -1
 * where all of them have enough.
 */
static int weir_order_choose(struct weir_reorder *order)
{
	u32 cpus = order->config.cpus, at = READ_ONCE(order->turn), least = WEIR_ORDER_DEPTH, look;
	int found = -1;

	for (look = 0; look < min_t(u32, cpus, WEIR_ORDER_LOOKS) && least; look++) {
		const struct weir_order_cpu *cpu;
		u32 depth;

		at = at + 1 < cpus ? at + 1 : 0;
		cpu = &order->cpu[at];
		depth = weir_order_depth(cpu);
		if (depth >= least || !cpu_online(cpu->cpu))
			continue;
		least = depth;
		found = at;
	}
	if (found >= 0)
		WRITE_ONCE(order->turn, found);
	return found;
}

/* The rest of the chain, here. */
static u64 weir_order_here(struct xdp_buff *xdp, struct weir_reorder *order,
			   struct weir_order_note *note)
{
	u32 verdict = weir_order_below(order, xdp, &note->out);

	if (likely(verdict == XDP_PASS && weir_order_note_fits(xdp)))
		return weir_order_hand_over(xdp, order, note);
	if (verdict == XDP_PASS)
		verdict = XDP_ABORTED;
	weir_order_leaves(order, note, verdict);
	return weir_order_verdict(verdict);
}

/* Outcomes of numbering a packet. */
enum weir_order_numbered {
	WEIR_ORDER_NUMBERED,
	WEIR_ORDER_UNNUMBERED,
	WEIR_ORDER_OVERLOADED,
};

/* Gives the packet its number. */
static enum weir_order_numbered
weir_order_number(struct weir_reorder *order, const struct weir_headers *headers,
		  const struct xdp_buff *xdp, struct weir_order_note *note)
{
	struct weir_sequence sequence = {};
	struct weir_order_flow *flow;

	if (order->config.sequence && !weir_sequence_read(&sequence, &order->config, headers, xdp))
		return WEIR_ORDER_UNNUMBERED;
	flow = weir_order_flow(order, &headers->key, sequence.tunnel, sequence.raw);
	if (unlikely(!flow)) {
		weir_order_add_count(order, WEIR_A_ORDER_STATS_FULL, 1);
		return WEIR_ORDER_UNNUMBERED;
	}
	if (unlikely(READ_ONCE(flow->ready) >= order->config.packets))
		return WEIR_ORDER_OVERLOADED;
	note->flow = flow - order->flow;
	note->generation = READ_ONCE(flow->generation);
	if (unlikely(!weir_order_is_used(note->generation)))
		return WEIR_ORDER_UNNUMBERED;
	if (order->config.sequence) {
		note->number = weir_queue_number(&flow->queue, sequence.raw, sequence.bits);
		return WEIR_ORDER_NUMBERED;
	}
	note->number = atomic64_fetch_inc(&flow->next);
	return note->number & WEIR_ORDER_FORGOTTEN ? WEIR_ORDER_UNNUMBERED : WEIR_ORDER_NUMBERED;
}

/* The rest of the chain, where there is a CPU for it. */
static u64 weir_order_spread(struct xdp_buff *xdp, struct weir_reorder *order,
			     struct weir_order_note *note)
{
	int chosen = weir_order_stays(xdp) ? -1 : weir_order_choose(order);

	if (likely(chosen >= 0)) {
		note->cpu = chosen + 1;
		return weir_order_hand_over(xdp, order, note);
	}
	if (order->config.cpus)
		weir_order_add_count(order, WEIR_A_ORDER_STATS_HERE, 1);
	return weir_order_here(xdp, order, note);
}

/* A packet that comes in. */
static u64 weir_order_enter(struct xdp_buff *xdp)
{
	struct weir_headers headers __uninitialized;
	enum weir_order_numbered numbered = WEIR_ORDER_UNNUMBERED;
	struct weir_order_note note = { .magic = WEIR_ORDER_MAGIC };
	struct weir_reorder *order;

	weir_headers_parse(&headers, xdp);
	order = weir_order_match(weir_xdp_dev(xdp), &headers);
	if (!order || !headers.key.ip || unlikely(!weir_order_is_up(order)))
		return weir_order_verdict(XDP_PASS);
	if (likely(weir_order_note_fits(xdp)))
		numbered = weir_order_number(order, &headers, xdp, &note);
	switch (numbered) {
	case WEIR_ORDER_NUMBERED:
		weir_order_add_count(order, WEIR_A_ORDER_STATS_PACKETS, 1);
		return weir_order_spread(xdp, order, &note);
	case WEIR_ORDER_OVERLOADED:
		weir_order_add_count(order, WEIR_A_ORDER_STATS_OVERLOAD, 1);
		return weir_order_verdict(XDP_DROP);
	default:
		weir_order_add_count(order, WEIR_A_ORDER_STATS_UNORDERED, 1);
		return weir_order_verdict(XDP_PASS);
	}
}

__bpf_kfunc_start_defs();

__bpf_kfunc u64 weir_order_xdp(struct xdp_md *ctx)
{
	struct xdp_buff *xdp = (struct xdp_buff *)ctx;

	if (unlikely(weir_order_is_below(xdp)))
		return weir_order_verdict(XDP_ABORTED);
	return weir_order_enter(xdp);
}

__bpf_kfunc_end_defs();

// SPDX-License-Identifier: GPL-2.0
/*
 * The kfuncs of programs that spread packets over CPUs and put them back in order (Trio paper,
 * section 2.2: dispatch, and the Reorder Engine). uapi/weir_bpf.h describes them, kfunc.c
 * registers them.
 */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/cpumask.h>
#include <linux/filter.h>
#include <linux/netdevice.h>
#include <net/xdp.h>
#include <uapi/weir_bpf.h>

#include "base/compat.h"
#include "chain/chain.h"
#include "order/note.h"
#include "order/order.h"
#include "order/order_kfunc.h"
#include "order/sequence.h"
#include "packet/rule.h"

/* CPUs that a packet looks at, and packets on their way through one until it gets no more. */
#define WEIR_ORDER_LOOKS	4
#define WEIR_ORDER_DEPTH	64

/*
 * The packet that is ordered on this CPU. A program of the chain below may call the kfuncs, too,
 * which would have no end.
 */
static DEFINE_PER_CPU(struct xdp_buff *, weir_order_packet);

static u64 weir_order_verdict(u32 verdict)
{
	return verdict;
}

static u64 weir_order_to(u64 what, u32 number)
{
	return what << 32 | number;
}

static bool weir_order_is_up(const struct weir_reorder *order)
{
	return READ_ONCE(order->ndev->flags) & IFF_UP;
}

/* The first order that a packet matches, or NULL. */
static struct weir_reorder *weir_order_match(const struct net_device *dev,
					     const struct weir_headers *headers)
{
	struct weir_orders *orders = weir_orders(weir_net(dev_net(dev)), dev->ifindex);
	struct weir_reorder *order;

	if (!orders)
		return NULL;
	list_for_each_entry_rcu(order, &orders->list, list)
		if (weir_rule_match(&order->config.rule, headers, dev->ifindex))
			return order;
	return NULL;
}

static struct weir_reorder *weir_order_of(const struct net_device *dev, u32 ndev)
{
	struct weir_orders *orders = weir_orders(weir_net(dev_net(dev)), dev->ifindex);
	struct weir_reorder *order;

	if (!orders)
		return NULL;
	list_for_each_entry_rcu(order, &orders->list, list)
		if (order->ndev->ifindex == ndev)
			return order;
	return NULL;
}

/*
 * Generic XDP's packets stay where they are: of a batch that a cpumap has of them, the kernel runs
 * its program for no more than the first one that is redirected, and hands the others to the stack.
 */
static bool weir_order_stays(const struct xdp_buff *xdp)
{
	const struct net_device *dev = xdp->rxq->dev;
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

/*
 * Where a program of the chain wants a packet to leave by, or 0 where it wants more than a device:
 * a map's entry may be gone when it is the packet's turn.
 */
static u32 weir_order_target(const struct xdp_buff *xdp, u32 verdict)
{
	const struct bpf_redirect_info *ri = weir_compat_redirect_info();

	if (verdict == XDP_TX)
		return xdp->rxq->dev->ifindex;
	if (ri->map_type != BPF_MAP_TYPE_UNSPEC || ri->map_id != INT_MAX)
		return 0;
	return ri->tgt_index;
}

/* The counter of a packet that does not go to the queue. @stays: it should, but has no headroom. */
static u32 weir_order_end_of(u32 verdict, bool stays)
{
	if (stays)
		return WEIR_A_ORDER_STATS_LOST;
	return verdict == XDP_REDIRECT ? WEIR_A_ORDER_STATS_UNORDERED : WEIR_A_ORDER_STATS_DROPPED;
}

/* The packet has run through the chain: it goes to the queue, or is counted out of it. */
static u64 weir_order_finish(struct xdp_buff *xdp, struct weir_reorder *order,
			     struct weir_order_note *note, u32 verdict)
{
	bool stays = verdict == XDP_PASS;

	note->out = 0;
	if (verdict == XDP_TX || verdict == XDP_REDIRECT) {
		note->out = weir_order_target(xdp, verdict);
		stays = note->out;
	}
	if (likely(stays && weir_order_note_fits(xdp))) {
		note->magic = WEIR_ORDER_MAGIC;
		weir_order_note_write(xdp, note);
		return weir_order_to(WEIR_ORDER_TO_DEVICE, order->ndev->ifindex);
	}
	weir_order_gone(&order->flow[note->flow], note->generation, note->number);
	weir_order_add_count(order, weir_order_end_of(verdict, stays), 1);
	return weir_order_verdict(stays ? XDP_DROP : verdict);
}

/* The rest of the chain, here. */
static u64 weir_order_here(struct xdp_buff *xdp, struct weir_reorder *order,
			   struct weir_order_note *note)
{
	u32 verdict = weir_chain_below(xdp->rxq->dev, xdp, WEIR_CHAIN_PRIO_ORDER);

	return weir_order_finish(xdp, order, note, verdict);
}

/* What becomes of a packet before it has a number. */
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
	if (order->config.sequence) {
		note->number = weir_queue_number(&flow->queue, sequence.raw, sequence.bits);
		return WEIR_ORDER_NUMBERED;
	}
	note->number = atomic64_fetch_inc(&flow->next);
	return note->number & WEIR_ORDER_FORGOTTEN ? WEIR_ORDER_UNNUMBERED : WEIR_ORDER_NUMBERED;
}

static u64 weir_order_dispatch(struct xdp_buff *xdp, struct weir_reorder *order,
			       struct weir_order_note *note)
{
	int chosen = weir_order_stays(xdp) ? -1 : weir_order_choose(order);

	if (chosen < 0) {
		if (order->config.cpus)
			weir_order_add_count(order, WEIR_A_ORDER_STATS_HERE, 1);
		return weir_order_here(xdp, order, note);
	}
	note->magic = WEIR_ORDER_MAGIC;
	note->ndev = order->ndev->ifindex;
	note->cpu = chosen;
	note->ticket = atomic_fetch_inc(&order->cpu[chosen].sent);
	weir_order_note_write(xdp, note);
	return weir_order_to(WEIR_ORDER_TO_CPU, order->cpu[chosen].cpu);
}

/* A packet that comes in. */
static u64 weir_order_enter_xdp(struct xdp_buff *xdp)
{
	struct weir_headers headers __uninitialized;
	enum weir_order_numbered numbered = WEIR_ORDER_UNNUMBERED;
	struct weir_order_note note = {};
	struct weir_reorder *order;

	weir_headers_parse(&headers, xdp);
	order = weir_order_match(xdp->rxq->dev, &headers);
	if (!order || !headers.key.ip || unlikely(!weir_order_is_up(order)))
		return weir_order_verdict(XDP_PASS);
	if (likely(weir_order_note_fits(xdp)))
		numbered = weir_order_number(order, &headers, xdp, &note);
	switch (numbered) {
	case WEIR_ORDER_NUMBERED:
		weir_order_add_count(order, WEIR_A_ORDER_STATS_PACKETS, 1);
		return weir_order_dispatch(xdp, order, &note);
	case WEIR_ORDER_OVERLOADED:
		weir_order_add_count(order, WEIR_A_ORDER_STATS_OVERLOAD, 1);
		return weir_order_verdict(XDP_DROP);
	default:
		weir_order_add_count(order, WEIR_A_ORDER_STATS_UNORDERED, 1);
		return weir_order_verdict(XDP_PASS);
	}
}

/* What a packet goes on as that is not in an order any more: this CPU cannot send it back. */
static u64 weir_order_loose(const struct xdp_buff *xdp, u32 verdict)
{
	return verdict == XDP_TX ? weir_order_to(WEIR_ORDER_TO_DEVICE, xdp->rxq->dev->ifindex) :
				   weir_order_verdict(verdict);
}

/* A packet that another CPU has sent to this one. */
static u64 weir_order_far(struct xdp_buff *xdp)
{
	const struct net_device *dev = xdp->rxq->dev;
	struct weir_reorder *order = NULL;
	struct weir_order_note note;
	u32 verdict;

	if (weir_order_note_read(xdp->data_hard_start, &note))
		order = weir_order_of(dev, note.ndev);
	verdict = weir_chain_below(dev, xdp, WEIR_CHAIN_PRIO_ORDER);
	if (unlikely(!order || note.flow >= order->config.flows || note.cpu >= order->config.cpus))
		return weir_order_loose(xdp, verdict);
	WRITE_ONCE(order->cpu[note.cpu].done, note.ticket + 1);
	return weir_order_finish(xdp, order, &note, verdict);
}

static u64 weir_order_once(struct xdp_md *ctx, u64 (*run)(struct xdp_buff *xdp))
{
	struct xdp_buff *xdp = (struct xdp_buff *)ctx;
	struct xdp_buff *other = this_cpu_read(weir_order_packet);
	u64 result;

	if (unlikely(other == xdp))
		return weir_order_verdict(XDP_ABORTED);
	this_cpu_write(weir_order_packet, xdp);
	result = run(xdp);
	this_cpu_write(weir_order_packet, other);
	return result;
}

__bpf_kfunc_start_defs();

__bpf_kfunc u64 weir_order_xdp(struct xdp_md *ctx)
{
	return weir_order_once(ctx, weir_order_enter_xdp);
}

__bpf_kfunc u64 weir_order_far_xdp(struct xdp_md *ctx)
{
	return weir_order_once(ctx, weir_order_far);
}

__bpf_kfunc_end_defs();

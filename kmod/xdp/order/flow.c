// SPDX-License-Identifier: GPL-2.0
/* The flows of an order: found by packets, and forgotten by a scan when none comes. */
#include <linux/rculist.h>

#include "xdp/order/order.h"

#define WEIR_ORDER_SCAN_EVERY	HZ

/*
 * Flows in a bucket. The table has two buckets or more for each flow, so a random hash puts more
 * than this into one of them in less than one of 10^13 full tables.
 */
#define WEIR_ORDER_CHAIN	16

static struct hlist_head *weir_order_bucket(struct weir_reorder *order,
					    const struct weir_flow_key *key, u32 tunnel)
{
	return &order->table[weir_flow_stream_hash(key, tunnel) & order->mask];
}

static bool weir_order_bucket_is_full(const struct hlist_head *bucket)
{
	const struct weir_order_flow *flow;
	u32 count = 0;

	hlist_for_each_entry(flow, bucket, node)
		count++;
	return count >= WEIR_ORDER_CHAIN;
}

static struct weir_order_flow *weir_order_find(struct hlist_head *bucket,
					       const struct weir_flow_key *key, u32 tunnel)
{
	struct weir_order_flow *flow;

	hlist_for_each_entry_rcu(flow, bucket, node)
		if (weir_flow_key_equal(&flow->key, key) && flow->tunnel == tunnel)
			return flow;
	return NULL;
}

/* The CPUs of an order in turn, or this one where it has none. */
static int weir_order_home(struct weir_reorder *order)
{
	if (!order->config.cpus)
		return raw_smp_processor_id();
	return order->cpu[order->homes++ % order->config.cpus].cpu;
}

/*
 * Take a flow that no packet has found since it was forgotten. Notes in frames may name it all the
 * same, so it changes under its lock, with which weir_order_put() reads its generation.
 */
static struct weir_order_flow *weir_order_begin(struct weir_reorder *order,
						struct hlist_head *bucket,
						const struct weir_flow_key *key, u32 tunnel,
						u64 first)
{
	struct weir_order_flow *flow;

	if (!order->free_count || weir_order_bucket_is_full(bucket))
		return NULL;
	flow = &order->flow[order->free[--order->free_count]];
	spin_lock(&flow->lock);
	flow->key = *key;
	flow->tunnel = tunnel;
	weir_queue_begin(&flow->queue, first);
	atomic64_set(&flow->next, first);
	flow->home = weir_order_home(order);
	flow->generation++;
	spin_unlock(&flow->lock);
	hlist_add_head_rcu(&flow->node, bucket);
	return flow;
}

/**
 * weir_order_flow() - the flow of a packet
 * @order: the order
 * @key: the flow
 * @tunnel: its stream, see struct weir_order_flow
 * @first: the number that it begins with, where it is new
 *
 * Called under RCU. A flow that was found may be forgotten at once, and its memory be another's
 * a grace period later: what is done with it needs its generation, which is even where that has
 * happened.
 *
 * Return: the flow, or NULL where there is no room for another one.
 */
struct weir_order_flow *weir_order_flow(struct weir_reorder *order, const struct weir_flow_key *key,
					u32 tunnel, u64 first)
{
	struct hlist_head *bucket = weir_order_bucket(order, key, tunnel);
	struct weir_order_flow *flow = weir_order_find(bucket, key, tunnel);

	if (unlikely(!flow)) {
		spin_lock_bh(&order->lock);
		flow = weir_order_find(bucket, key, tunnel) ?:
		       weir_order_begin(order, bucket, key, tunnel, first);
		spin_unlock_bh(&order->lock);
	}
	if (flow && !READ_ONCE(flow->referenced))
		WRITE_ONCE(flow->referenced, true);
	return flow;
}

/* Packets of it that are still on their way go on without waiting for each other. */
static bool weir_order_forget(struct weir_order_flow *flow)
{
	bool idle;

	spin_lock_bh(&flow->lock);
	idle = !flow->queue.waiting && !flow->first && !flow->busy &&
	       hrtimer_try_to_cancel(&flow->timer) >= 0;
	if (idle) {
		flow->armed = false;
		atomic64_or(WEIR_ORDER_FORGOTTEN, &flow->next);
		flow->generation++;
	}
	spin_unlock_bh(&flow->lock);
	return idle;
}

static bool weir_order_is_idle(struct weir_order_flow *flow)
{
	if (!READ_ONCE(flow->referenced))
		return weir_order_forget(flow);
	WRITE_ONCE(flow->referenced, false);
	return false;
}

/* Takes flows out that no packet was of since the last time. Return: how many. */
static u32 weir_order_sweep(struct weir_reorder *order)
{
	u32 i, count = 0;

	for (i = 0; i < order->config.flows; i++) {
		struct weir_order_flow *flow = &order->flow[i];

		if (!hlist_unhashed_lockless(&flow->node) && weir_order_is_idle(flow)) {
			spin_lock_bh(&order->lock);
			hlist_del_init_rcu(&flow->node);
			spin_unlock_bh(&order->lock);
			order->swept[count++] = i;
		}
		cond_resched();
	}
	return count;
}

/**
 * weir_order_scan() - forget flows
 * @work: of the order
 *
 * The paper's scan by REF flags (Trio, section 5): a flow is forgotten when no packet came
 * between two visits.
 */
void weir_order_scan(struct work_struct *work)
{
	struct weir_reorder *order = container_of(to_delayed_work(work), struct weir_reorder, scan);
	u32 count = weir_order_sweep(order);

	if (count) {
		synchronize_rcu();
		spin_lock_bh(&order->lock);
		while (count)
			order->free[order->free_count++] = order->swept[--count];
		spin_unlock_bh(&order->lock);
	}
	schedule_delayed_work(&order->scan, WEIR_ORDER_SCAN_EVERY);
}

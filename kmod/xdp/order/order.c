// SPDX-License-Identifier: GPL-2.0
/* Orders of devices: made and taken away by requests, and gone with their devices. */
#include <linux/cpumask.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "core/base/compat.h"
#include "xdp/base/notify.h"
#include "core/base/virtual.h"
#include "xdp/order/order.h"

static void weir_order_flow_init(struct weir_reorder *order, u32 i)
{
	struct weir_order_flow *flow = &order->flow[i];

	flow->order = order;
	INIT_HLIST_NODE(&flow->node);
	spin_lock_init(&flow->lock);
	hrtimer_setup(&flow->timer, weir_order_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_SOFT);
	flow->queue.mask = order->config.packets - 1;
	flow->queue.slot = &order->slot[(size_t)i * order->config.packets];
	order->free[order->free_count++] = i;
}

/* CPUs may keep a quarter of the quota to themselves, together. */
static bool weir_order_quota(struct weir_reorder *order)
{
	u64 bytes = order->config.bytes;

	order->batch = clamp_t(u64, div_u64(bytes, 4 * num_possible_cpus()), 1, SZ_1G);
	order->roomy = bytes - (s64)order->batch * num_possible_cpus();
	return !percpu_counter_init(&order->held, 0, GFP_KERNEL_ACCOUNT);
}

static bool weir_order_arrays(struct weir_reorder *order)
{
	const struct weir_order_config *config = &order->config;
	u32 buckets = roundup_pow_of_two(config->flows * WEIR_ORDER_LOAD);

	order->mask = buckets - 1;
	order->table = kvcalloc(buckets, sizeof(*order->table), GFP_KERNEL_ACCOUNT);
	order->free = kvcalloc(config->flows, sizeof(*order->free), GFP_KERNEL_ACCOUNT);
	order->swept = kvcalloc(config->flows, sizeof(*order->swept), GFP_KERNEL_ACCOUNT);
	order->flow = kvcalloc(config->flows, sizeof(*order->flow), GFP_KERNEL_ACCOUNT);
	order->slot = kvcalloc(config->flows, array_size(config->packets, sizeof(*order->slot)),
			       GFP_KERNEL_ACCOUNT);
	order->cpu = kvcalloc(max(config->cpus, 1U), sizeof(*order->cpu), GFP_KERNEL_ACCOUNT);
	order->count = alloc_percpu_gfp(struct weir_order_count, GFP_KERNEL_ACCOUNT);
	order->worker = alloc_percpu_gfp(struct weir_order_worker, GFP_KERNEL_ACCOUNT);
	return order->table && order->free && order->swept && order->flow && order->slot &&
	       order->cpu && order->count && order->worker && weir_order_quota(order);
}

/**
 * weir_order_alloc() - make an order that no packet sees yet
 * @prio: its place among those of its device
 * @config: copied
 * @cpus: the CPUs' numbers
 *
 * Sleeps. The memory is charged to the caller's control group.
 *
 * Return: the order, or NULL without memory.
 */
struct weir_reorder *weir_order_alloc(u32 prio, const struct weir_order_config *config,
				      const u32 *cpus)
{
	struct weir_reorder *order = kzalloc(sizeof(*order), GFP_KERNEL_ACCOUNT);
	u32 i;

	if (!order)
		return NULL;
	order->prio = prio;
	order->config = *config;
	spin_lock_init(&order->lock);
	INIT_DELAYED_WORK(&order->scan, weir_order_scan);
	if (!weir_order_arrays(order)) {
		weir_order_free(order);
		return NULL;
	}
	for (i = 0; i < config->flows; i++)
		weir_order_flow_init(order, i);
	for (i = 0; i < config->cpus; i++)
		order->cpu[i].cpu = cpus[i];
	return order;
}

/**
 * weir_order_free() - free an order that no packet sees
 * @order: the order, without packets that wait
 */
void weir_order_free(struct weir_reorder *order)
{
	percpu_counter_destroy(&order->held);
	free_percpu(order->worker);
	free_percpu(order->count);
	kvfree(order->cpu);
	kvfree(order->slot);
	kvfree(order->flow);
	kvfree(order->swept);
	kvfree(order->free);
	kvfree(order->table);
	kfree(order);
}

/**
 * weir_order_get() - find an order
 * @wn: the namespace; RTNL is held
 * @ifindex: its device
 * @prio: its place
 *
 * Return: it, until RTNL is released, or NULL.
 */
struct weir_reorder *weir_order_get(struct weir_xdp_net *wn, int ifindex, u32 prio)
{
	struct weir_orders *orders = weir_orders(wn, ifindex);
	struct weir_reorder *order;

	ASSERT_RTNL();
	if (!orders)
		return NULL;
	list_for_each_entry(order, &orders->list, list)
		if (order->prio == prio)
			return order;
	return NULL;
}

/**
 * weir_order_sum() - counters of all CPUs
 * @order: the order
 * @sum: filled, but for how long packets waited
 */
void weir_order_sum(const struct weir_reorder *order, struct weir_order_count *sum)
{
	const struct weir_order_count *count;
	int cpu, i;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu) {
		count = per_cpu_ptr(order->count, cpu);
		for (i = 1; i <= WEIR_ORDER_COUNTERS; i++)
			sum->count[i] += READ_ONCE(count->count[i]);
	}
}

/**
 * weir_order_waiting() - count the packets that wait, and numbers of packets that are gone
 * @order: the order
 */
u32 weir_order_waiting(const struct weir_reorder *order)
{
	u32 i, waiting = 0;

	for (i = 0; i < order->config.flows; i++)
		waiting += READ_ONCE(order->flow[i].queue.waiting);
	return waiting;
}

/**
 * weir_order_held() - bytes of memory of all packets that an order holds
 * @order: the order
 */
u64 weir_order_held(const struct weir_reorder *order)
{
	return percpu_counter_sum_positive((struct percpu_counter *)&order->held);
}

/**
 * weir_order_memory() - bytes that an order has, without packets
 * @order: the order
 */
u64 weir_order_memory(const struct weir_reorder *order)
{
	const struct weir_order_config *config = &order->config;

	return sizeof(*order) + (u64)(order->mask + 1) * sizeof(*order->table) +
	       (u64)config->flows * (sizeof(*order->flow) + 2 * sizeof(u32)) +
	       (u64)config->flows * config->packets * sizeof(*order->slot) +
	       config->cpus * sizeof(*order->cpu);
}

/* Return the device's orders, a new list if it has none, or NULL without memory. */
static struct weir_orders *weir_orders_of(struct weir_xdp_dev *xd)
{
	struct weir_orders *orders = rtnl_dereference(xd->orders);

	if (orders)
		return orders;
	orders = kzalloc(sizeof(*orders), GFP_KERNEL_ACCOUNT);
	if (!orders)
		return NULL;
	INIT_LIST_HEAD(&orders->list);
	rcu_assign_pointer(xd->orders, orders);
	return orders;
}

/* The list goes with its last order. */
static void weir_orders_end(struct weir_xdp_dev *xd, struct weir_orders *orders)
{
	if (!list_empty(&orders->list))
		return;
	RCU_INIT_POINTER(xd->orders, NULL);
	kfree_rcu(orders, rcu);
}

/* Behind those of a lower prio. */
static void weir_order_insert(struct weir_orders *orders, struct weir_reorder *order)
{
	struct list_head *behind = &orders->list;
	struct weir_reorder *other;

	list_for_each_entry(other, &orders->list, list)
		if (other->prio < order->prio)
			behind = &other->list;
	list_add_rcu(&order->list, behind);
	orders->count++;
}

/**
 * weir_order_add() - give an order to a device
 * @wn: the namespace
 * @dev: the device; RTNL is held, so that it cannot go in between
 * @order: the order; the device's where this succeeds
 *
 * Return: 0, -EEXIST, -E2BIG or -ENOMEM.
 */
int weir_order_add(struct weir_xdp_net *wn, struct net_device *dev, struct weir_reorder *order)
{
	struct weir_xdp_dev *xd = weir_xdp_dev_make(wn, dev->ifindex);
	struct weir_orders *orders;
	int err = -ENOMEM;

	if (!xd)
		return err;
	orders = weir_orders_of(xd);
	if (!orders)
		goto err_dev;
	err = -EEXIST;
	if (weir_order_get(wn, dev->ifindex, order->prio))
		goto err_dev;
	err = -E2BIG;
	if (orders->count == WEIR_XDP_ORDERS_MAX)
		goto err_dev;
	order->net = wn->ns.net;
	order->dev = dev;
	order->ifindex = dev->ifindex;
	order->ndev = weir_virtual_alloc(dev, order, &weir_order_ops);
	if (IS_ERR(order->ndev)) {
		err = PTR_ERR(order->ndev);
		goto err_orders;
	}
	strscpy(order->name, order->ndev->name, sizeof(order->name));
	weir_order_workers_begin(order);
	weir_order_insert(orders, order);
	schedule_delayed_work(&order->scan, 0);
	return 0;

err_orders:
	weir_orders_end(xd, orders);
err_dev:
	weir_xdp_dev_drop(wn, xd);
	return err;
}

/*
 * Hides an order, whose device goes with it: no packet is any longer under way in it when this
 * returns. RTNL is held.
 */
static void weir_order_hide(struct weir_orders *orders, struct weir_reorder *order)
{
	list_del_rcu(&order->list);
	orders->count--;
	weir_virtual_free(order->ndev);
	weir_order_workers_drain(order);
	weir_order_workers_end(order);
}

/* Ends an order that is hidden. @end: for packets that wait */
static void weir_order_finish(struct weir_xdp_net *wn, struct weir_reorder *order,
			      void (*end)(const struct weir_reorder *order, void *item))
{
	cancel_delayed_work_sync(&order->scan);
	weir_order_timers_end(order);
	weir_order_workers_quiet(order);
	weir_order_empty_all(order, end);
	weir_xdp_notify->order_gone(wn, order);
	weir_order_free(order);
}

/* The kernel flushes what receives packets of a device that goes after it is down. */
static void weir_order_let_go(const struct weir_reorder *order, void *item)
{
	if (READ_ONCE(order->dev->flags) & IFF_UP)
		weir_order_send_one(order, item);
	else
		weir_order_lose(order, item);
}

static void weir_order_ending(struct weir_ending *ending)
{
	struct weir_reorder *order = container_of(ending, struct weir_reorder, ending);

	weir_order_finish(container_of(ending->ns, struct weir_xdp_net, ns), order,
			  weir_order_lose);
}

/**
 * weir_order_del() - take an order from its device
 * @wn: the namespace, whose lock is held
 * @ifindex: the device
 * @prio: the order's place
 *
 * Packets that wait go on. The events group is told. Takes RTNL, but not while packets go on and
 * memory is freed, which may take long.
 *
 * Return: 0 or -ENOENT.
 */
int weir_order_del(struct weir_xdp_net *wn, int ifindex, u32 prio)
{
	struct weir_reorder *order;
	netdevice_tracker tracker;
	struct weir_orders *orders;
	struct weir_xdp_dev *xd;
	struct net_device *dev;

	rtnl_lock();
	order = weir_order_get(wn, ifindex, prio);
	if (!order) {
		rtnl_unlock();
		return -ENOENT;
	}
	xd = weir_xdp_dev_find(wn, ifindex);
	orders = rtnl_dereference(xd->orders);
	weir_order_hide(orders, order);
	weir_orders_end(xd, orders);
	weir_xdp_dev_drop(wn, xd);
	/* Packets that wait are the device's. */
	dev = order->dev;
	netdev_hold(dev, &tracker, GFP_KERNEL);
	rtnl_unlock();
	weir_order_finish(wn, order, weir_order_let_go);
	netdev_put(dev, &tracker);
	return 0;
}

/* Set @prio to that of the first order of a device. Takes RTNL. Return: false if there is none. */
static bool weir_order_first(struct weir_xdp_net *wn, int ifindex, u32 *prio)
{
	struct weir_orders *orders;

	rtnl_lock();
	orders = weir_orders(wn, ifindex);
	if (orders)
		*prio = list_first_entry(&orders->list, struct weir_reorder, list)->prio;
	rtnl_unlock();
	return orders;
}

/**
 * weir_order_flush() - remove all orders of a namespace
 * @net: the namespace, whose lock is held
 *
 * Takes RTNL.
 */
void weir_order_flush(struct net *net)
{
	struct weir_xdp_net *wn = weir_xdp_net(net);
	struct weir_xdp_dev *xd;
	unsigned long ifindex;
	u32 prio;

	xa_for_each(&wn->devs, ifindex, xd)
		while (weir_order_first(wn, ifindex, &prio))
			weir_order_del(wn, ifindex, prio);
}

/**
 * weir_orders_gone() - remove the orders of a device that goes, if there are any
 * @wn: the namespace
 * @xd: the device's entry; RTNL is held
 *
 * The caller drops the entry.
 */
void weir_orders_gone(struct weir_xdp_net *wn, struct weir_xdp_dev *xd)
{
	struct weir_orders *orders = rtnl_dereference(xd->orders);
	struct weir_reorder *order, *next;

	if (!orders)
		return;
	list_for_each_entry_safe(order, next, &orders->list, list) {
		weir_order_hide(orders, order);
		weir_ns_end_later(&wn->ns, &order->ending, weir_order_ending);
	}
	weir_orders_end(xd, orders);
}

/* A device that goes down waits for no packet. RTNL is held. */
void weir_orders_down(struct weir_xdp_dev *xd)
{
	struct weir_orders *orders = rtnl_dereference(xd->orders);
	struct weir_reorder *order;

	if (!orders)
		return;
	list_for_each_entry(order, &orders->list, list)
		weir_order_settle(order);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Each CPU's work for an order, by a NAPI of its own: it runs packets that were sent to it through
 * the rest of the chain, and lets those go that are in order, of flows that have their home there.
 */
#include <linux/cpumask.h>
#include <linux/filter.h>
#include <linux/netdevice.h>
#include <linux/nospec.h>
#include <linux/smp.h>
#include <net/xdp.h>

#include "xdp/order/item.h"
#include "xdp/order/order.h"

/* Frames that are run at once: programs may take long, and others wait for the CPU. */
#define WEIR_ORDER_FRAMES	16

/*
 * A worker that polls on this CPU sees what was added; one on another CPU, as NAPIs with threads
 * are, may have looked for the last time.
 */
static void weir_order_kick(struct weir_order_worker *worker, int cpu)
{
	if (cpu == smp_processor_id()) {
		if (!READ_ONCE(worker->polling))
			napi_schedule(&worker->napi);
		return;
	}
	if (test_and_set_bit(0, &worker->kicked))
		return;
	if (smp_call_function_single_async(cpu, &worker->csd)) {
		clear_bit(0, &worker->kicked);
		napi_schedule(&worker->napi);
	}
}

static void weir_order_raise(struct irq_work *raise)
{
	napi_schedule(&container_of(raise, struct weir_order_worker, raise)->napi);
}

/* With PREEMPT_RT no softirq is to be raised here: a thread of the kernel's does it. */
static void weir_order_kicked(void *arg)
{
	struct weir_order_worker *worker = arg;

	clear_bit(0, &worker->kicked);
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		irq_work_queue(&worker->raise);
	else
		napi_schedule(&worker->napi);
}

/**
 * weir_order_dispatch() - send a packet to the CPU that was chosen for it
 * @order: the order
 * @frame: the packet
 * @note: its note, of which anything may be wrong
 *
 * Called with bottom halves disabled.
 */
void weir_order_dispatch(struct weir_reorder *order, struct xdp_frame *frame,
			 const struct weir_order_note *note)
{
	struct weir_order_worker *worker;
	struct weir_order_cpu *cpu;

	if (unlikely(note->cpu > order->config.cpus)) {
		xdp_return_frame(frame);
		return;
	}
	cpu = &order->cpu[array_index_nospec(note->cpu - 1, order->config.cpus)];
	worker = per_cpu_ptr(order->worker, cpu->cpu);
	weir_order_hold(order, weir_order_frame_size(frame));
	atomic_inc(&cpu->depth);
	if (llist_add(&weir_order_note_at(frame)->node, &worker->frames))
		weir_order_kick(worker, cpu->cpu);
}

/**
 * weir_order_schedule() - have packets of a flow go on
 * @flow: the flow; its lock is held
 *
 * On the flow's CPU, or on this one where that is gone.
 */
void weir_order_schedule(struct weir_order_flow *flow)
{
	struct weir_order_worker *worker;

	if (flow->busy || !flow->first)
		return;
	flow->busy = true;
	if (!cpu_online(flow->home))
		flow->home = smp_processor_id();
	worker = per_cpu_ptr(flow->order->worker, flow->home);
	if (llist_add(&flow->link, &worker->flows))
		weir_order_kick(worker, flow->home);
}

/* The next one of a list, in the order in which they came. */
static struct llist_node *weir_order_next(struct llist_head *list, struct llist_node **left)
{
	struct llist_node *node;

	if (!*left)
		*left = llist_reverse_order(llist_del_all(list));
	node = *left;
	if (node)
		*left = node->next;
	return node;
}

/* Programs read routes and neighbours, as readers of RCU. Return: how many frames it was. */
static int weir_order_run_frames(struct weir_order_worker *worker, int budget)
{
	struct llist_node *node;
	s64 bytes = 0;
	int done = 0;

	rcu_read_lock();
	while (done < budget) {
		struct xdp_frame *frame;
		u32 place;

		node = weir_order_next(&worker->frames, &worker->frames_left);
		if (!node)
			break;
		frame = weir_order_node_frame(node);
		/* Programs may free some of the frame's memory. */
		bytes += weir_order_frame_size(frame);
		place = weir_order_note_at(frame)->cpu;
		/* A program can read it, and is not to find an address there. */
		*weir_order_link(weir_order_frame_item(frame)) = NULL;
		weir_order_work(worker, frame);
		atomic_dec(&worker->order->cpu[place - 1].depth);
		done++;
	}
	weir_order_hold(worker->order, -bytes);
	if (unlikely(worker->flush)) {
		worker->flush = false;
		xdp_do_flush();
	}
	rcu_read_unlock();
	return done;
}

/* Return: how many packets went. */
static int weir_order_run_flows(struct weir_order_worker *worker, int budget)
{
	struct llist_node *node;
	int done = 0;

	while (done < budget) {
		node = weir_order_next(&worker->flows, &worker->flows_left);
		if (!node)
			break;
		done += weir_order_run(worker, llist_entry(node, struct weir_order_flow, link),
				       budget - done);
	}
	return done;
}

static bool weir_order_has_work(const struct weir_order_worker *worker)
{
	return worker->frames_left || worker->flows_left || !llist_empty(&worker->frames) ||
	       !llist_empty(&worker->flows);
}

static int weir_order_poll(struct napi_struct *napi, int budget)
{
	struct weir_order_worker *worker = container_of(napi, struct weir_order_worker, napi);
	int frames, packets;

	if (unlikely(!budget))
		return 0;
	WRITE_ONCE(worker->polling, true);
	frames = weir_order_run_frames(worker, WEIR_ORDER_FRAMES);
	packets = weir_order_run_flows(worker, budget);
	/* A CPU that adds after this kicks the worker. */
	smp_store_mb(worker->polling, false);
	if (frames == WEIR_ORDER_FRAMES || packets == budget)
		return budget;
	napi_complete_done(napi, packets);
	if (weir_order_has_work(worker))
		napi_schedule(napi);
	return packets;
}

static void weir_order_worker_begin(struct weir_reorder *order, int cpu)
{
	struct weir_order_worker *worker = per_cpu_ptr(order->worker, cpu);

	worker->order = order;
	worker->rxq.dev = order->dev;
	INIT_CSD(&worker->csd, weir_order_kicked, worker);
	init_irq_work(&worker->raise, weir_order_raise);
	netif_napi_add(order->ndev, &worker->napi, weir_order_poll);
	napi_enable(&worker->napi);
}

/**
 * weir_order_workers_begin() - have a NAPI on each CPU
 * @order: the order, with its device
 *
 * RTNL is held. Sleeps.
 */
void weir_order_workers_begin(struct weir_reorder *order)
{
	int cpu;

	for_each_possible_cpu(cpu)
		weir_order_worker_begin(order, cpu);
}

/**
 * weir_order_workers_drain() - wait until no packet is on its way through the chain
 * @order: the order, which no packet finds
 *
 * RTNL is held. Sleeps.
 */
void weir_order_workers_drain(struct weir_reorder *order)
{
	u32 i;

	for (i = 0; i < order->config.cpus; i++)
		while (weir_order_depth(&order->cpu[i]))
			usleep_range(50, 200);
}

/**
 * weir_order_workers_end() - end all workers
 * @order: the order, which no packet finds
 *
 * Flows that wait to be run stay so: a timer that still kicks a worker has no effect. RTNL is held.
 * Sleeps.
 */
void weir_order_workers_end(struct weir_reorder *order)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct weir_order_worker *worker = per_cpu_ptr(order->worker, cpu);

		napi_disable(&worker->napi);
		netif_napi_del(&worker->napi);
	}
}

/**
 * weir_order_workers_quiet() - wait until no kick is on its way to a worker
 * @order: the order, whose workers and timers have ended
 *
 * Sleeps.
 */
void weir_order_workers_quiet(struct weir_reorder *order)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct weir_order_worker *worker = per_cpu_ptr(order->worker, cpu);

		while (test_bit(0, &worker->kicked))
			cond_resched();
		irq_work_sync(&worker->raise);
	}
}

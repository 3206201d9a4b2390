/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_ORDER_H
#define _WEIR_ORDER_H

#include <linux/hrtimer.h>
#include <linux/if.h>
#include <linux/irq_work.h>
#include <linux/llist.h>
#include <linux/netdevice.h>
#include <linux/percpu.h>
#include <linux/percpu_counter.h>
#include <linux/rculist.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <net/xdp.h>
#include <uapi/weir_xdp_nl.h>
#include <uapi/weir_trim.h>

#include "core/base/lateness.h"
#include "xdp/base/dev.h"
#include "xdp/order/queue.h"
#include "xdp/packet/headers.h"

struct net_device;
struct weir_order_note;

/* Buckets for a flow. */
#define WEIR_ORDER_LOAD		2

/* The last attribute that is a counter. */
#define WEIR_ORDER_COUNTERS	WEIR_A_ORDER_STATS_LOST

/* No number of a flow's own: the flow has been forgotten. */
#define WEIR_ORDER_FORGOTTEN	BIT_ULL(63)

/**
 * struct weir_order_config - what an administrator has said
 * @rule: the packets that it takes
 * @hold: ns that a packet waits for earlier ones
 * @packets: slots of a flow, a power of two
 * @bytes: of memory that packets of all flows have together while the order holds them; those
 *	that wait for earlier ones have half of it at most
 * @flows: maximum number of flows that are remembered
 * @sequence: enum weir_xdp_order_sequence
 * @offset: of the number, in bytes behind the header of UDP or TCP, or else behind IP's
 * @width: of the number, in bits
 * @scope_offset: of the number of the stream that @offset's number belongs to
 * @scope_width: of that number, in bits; 0 if the flow is one stream
 * @cpus: number of CPUs that packets are spread over; 0 for none
 */
struct weir_order_config {
	struct weir_trim_rule	rule;
	u64			hold;
	u64			bytes;
	u32			packets;
	u32			flows;
	u32			sequence;
	u32			offset;
	u32			width;
	u32			scope_offset;
	u32			scope_width;
	u32			cpus;
};

/**
 * struct weir_order_cpu - a CPU that packets are spread over
 * @cpu: its number
 * @depth: packets that it was given and has not finished
 */
struct weir_order_cpu {
	u32			cpu;
	atomic_t		depth;
} ____cacheline_aligned_in_smp;

/**
 * struct weir_order_flow - a flow
 * @node: in its bucket, or NULL
 * @order: the order that it is of
 * @key: the flow
 * @tunnel: the sender's number of the stream in the flow, such as GTP's TEID; 0 for none
 * @referenced: a packet has come since the last scan: the paper's REF flag (Trio, section 5)
 * @next: the number of the next packet that comes, where the packets have none themselves
 * @lock: guards all that follows; taken with bottom halves disabled
 * @timer: runs while packets wait
 * @queue: those
 * @generation: odd while the flow is in use: goes up when it begins, and when it is forgotten
 * @home: the CPU on which its packets go on
 * @first: the first packet that is in order, and waits for that CPU; NULL for none
 * @last: the last one
 * @ready: number of packets from @first to @last
 * @link: in the list of that CPU
 * @busy: it is in that list
 * @armed: the timer runs
 */
struct weir_order_flow {
	struct hlist_node	node;
	struct weir_reorder	*order;
	struct weir_flow_key	key;
	u32			tunnel;
	bool			referenced;
	atomic64_t		next;
	spinlock_t		lock ____cacheline_aligned_in_smp;	/* the queue */
	struct hrtimer		timer;
	struct weir_queue	queue;
	u32			generation;
	int			home;
	void			*first;
	void			*last;
	u32			ready;
	struct llist_node	link;
	bool			busy;
	bool			armed;
};

/**
 * struct weir_order_count - counters of one CPU, written with this_cpu_add()
 * @count: WEIR_A_ORDER_STATS_*, as far as they only go up
 * @waited: packets that waited, by for how long
 */
struct weir_order_count {
	u64	count[WEIR_ORDER_COUNTERS + 1];
	struct weir_lateness waited;
};

/**
 * struct weir_order_worker - what a CPU has to do for an order
 * @order: the order
 * @napi: runs there
 * @csd: has another CPU start it
 * @kicked: that is on its way
 * @raise: starts it there where interrupts have threads
 * @polling: @napi runs, and looks at the lists once more before it ends
 * @frames: to run through the rest of the chain
 * @frames_left: those that have been taken out of @frames and not run yet; @napi's own
 * @flows: that have their home here, with packets that are in order
 * @flows_left: those that have been taken out of @flows and not run yet; @napi's own
 * @flush: redirects wait for being flushed
 * @rxq: that frames say they come from
 */
struct weir_order_worker {
	struct weir_reorder	*order;
	struct napi_struct	napi;
	call_single_data_t	csd;
	unsigned long		kicked;
	struct irq_work		raise;
	bool			polling;
	struct llist_head	frames;
	struct llist_node	*frames_left;
	struct llist_head	flows;
	struct llist_node	*flows_left;
	bool			flush;
	struct xdp_rxq_info	rxq;
};

/**
 * struct weir_reorder - packets of a device that leave in order
 * @list: of the device's orders; written under RTNL, read under RCU
 * @net: the namespace
 * @dev: the device
 * @prio: the least of the orders that match a packet is its own
 * @config: its settings; never change
 * @ndev: the device that packets are redirected to
 * @name: its name, which it loses before the order is said to be gone
 * @ifindex: @dev's, which may go before the order has ended
 * @count: counters
 * @worker: of each CPU
 * @waiting: bytes of memory of the packets that wait for earlier ones
 * @held: bytes of memory of all packets that the order holds: on their way to a CPU that runs the
 *	rest of the chain, in slots, and in order until their CPU takes them
 * @batch: bytes that a CPU may add to @held on its own
 * @roomy: while @held reads as no more than this, it is within @config.bytes
 * @scan: forgets flows
 * @turn: of the CPUs
 * @cpu: @config.cpus of them
 * @lock: guards @table, @free, @free_count and @homes; taken with bottom halves disabled
 * @homes: number of flows that have ever begun
 * @mask: buckets without one; their number is a power of two
 * @table: flows by hash; read under RCU
 * @free: numbers of flows that are not in use
 * @free_count: number of entries of @free
 * @swept: numbers of flows that a scan has taken out
 * @ending: ends it without RTNL
 * @flow: @config.flows of them
 * @slot: their queues' slots
 */
struct weir_reorder {
	struct list_head		list;
	struct net			*net;
	struct net_device		*dev;
	u32				prio;
	struct weir_order_config	config;
	struct net_device		*ndev;
	char				name[IFNAMSIZ];
	int				ifindex;
	struct weir_order_count __percpu *count;
	struct weir_order_worker __percpu *worker;
	atomic64_t			waiting;
	struct percpu_counter		held;
	s32				batch;
	s64				roomy;
	struct delayed_work		scan;
	u32				turn;
	struct weir_order_cpu		*cpu;
	spinlock_t			lock ____cacheline_aligned_in_smp;	/* flows in use */
	u32				homes;
	u32				mask;
	struct hlist_head		*table;
	u32				*free;
	u32				free_count;
	u32				*swept;
	struct weir_ending		ending;
	struct weir_order_flow		*flow;
	struct weir_queue_slot		*slot;
};

/**
 * struct weir_orders - the orders of a device
 * @rcu: it is freed a grace period after the last one has gone
 * @count: number of orders
 * @list: by prio
 */
struct weir_orders {
	struct rcu_head		rcu;
	u32			count;
	struct list_head	list;
};

static inline void weir_order_add_count(const struct weir_reorder *order, u32 counter, u64 n)
{
	this_cpu_add(order->count->count[counter], n);
}

/**
 * weir_orders() - a device's orders
 * @wn: the namespace
 * @ifindex: the device
 *
 * Called under RTNL or rcu_read_lock(), or with bottom halves disabled. Return: them, or NULL where
 * it has none.
 */
static inline struct weir_orders *weir_orders(struct weir_xdp_net *wn, int ifindex)
{
	struct weir_xdp_dev *xd = weir_xdp_dev_find(wn, ifindex);

	return xd ? rcu_dereference_check(xd->orders, weir_xdp_dev_held()) : NULL;
}

/* A flow that is not in use takes no packet: the next one to use it begins with empty slots. */
static inline bool weir_order_is_used(u32 generation)
{
	return generation & 1;
}

/* Packets that are on their way through a CPU. */
static inline u32 weir_order_depth(const struct weir_order_cpu *cpu)
{
	return atomic_read(&cpu->depth);
}

/* @bytes: of packets that the order holds from now on, negative of those that it no longer does */
static inline void weir_order_hold(struct weir_reorder *order, s64 bytes)
{
	percpu_counter_add_batch(&order->held, bytes, order->batch);
}

/* No further packet may be held. The exact sum of all CPUs is taken only when it may matter. */
static inline bool weir_order_is_full(struct weir_reorder *order)
{
	return unlikely(percpu_counter_read(&order->held) > order->roomy) &&
	       __percpu_counter_compare(&order->held, order->config.bytes, order->batch) > 0;
}

/* order.c */
struct weir_reorder *weir_order_alloc(u32 prio, const struct weir_order_config *config,
				      const u32 *cpus);
void weir_order_free(struct weir_reorder *order);
int weir_order_add(struct weir_xdp_net *wn, struct net_device *dev, struct weir_reorder *order);
struct weir_reorder *weir_order_get(struct weir_xdp_net *wn, int ifindex, u32 prio);
int weir_order_del(struct weir_xdp_net *wn, int ifindex, u32 prio);
void weir_order_sum(const struct weir_reorder *order, struct weir_order_count *sum);
u32 weir_order_waiting(const struct weir_reorder *order);
u64 weir_order_held(const struct weir_reorder *order);
u64 weir_order_memory(const struct weir_reorder *order);
void weir_order_flush(struct net *net);
void weir_orders_gone(struct weir_xdp_net *wn, struct weir_xdp_dev *xd);
void weir_orders_down(struct weir_xdp_dev *xd);

/* flow.c */
struct weir_order_flow *weir_order_flow(struct weir_reorder *order, const struct weir_flow_key *key,
					u32 tunnel, u64 first);
void weir_order_scan(struct work_struct *work);

/* release.c */
extern const struct net_device_ops weir_order_ops;
void weir_order_take(struct weir_reorder *order, const struct weir_order_note *note, void *item,
		     bool run);
void weir_order_gone(struct weir_order_flow *flow, u32 generation, u64 number);
void weir_order_settle(struct weir_reorder *order);
void weir_order_empty_all(struct weir_reorder *order,
			  void (*end)(const struct weir_reorder *order, void *item));
void weir_order_timers_end(struct weir_reorder *order);
enum hrtimer_restart weir_order_timer(struct hrtimer *timer);

/* out.c */
void weir_order_discard(void *item);
void weir_order_lose(const struct weir_reorder *order, void *item);
void weir_order_send_one(const struct weir_reorder *order, void *item);
void *weir_order_pop(struct weir_order_flow *flow);
int weir_order_run(struct weir_order_worker *worker, struct weir_order_flow *flow, int budget);

/* worker.c */
void weir_order_dispatch(struct weir_reorder *order, struct xdp_frame *frame,
			 const struct weir_order_note *note);
void weir_order_schedule(struct weir_order_flow *flow);
void weir_order_workers_begin(struct weir_reorder *order);
void weir_order_workers_drain(struct weir_reorder *order);
void weir_order_workers_end(struct weir_reorder *order);
void weir_order_workers_quiet(struct weir_reorder *order);

/* below.c */
bool weir_order_is_below(const struct xdp_buff *xdp);
u32 weir_order_below(const struct weir_reorder *order, struct xdp_buff *xdp, u32 *out);
void weir_order_leaves(struct weir_reorder *order, const struct weir_order_note *note,
		       u32 verdict);
void weir_order_work(struct weir_order_worker *worker, struct xdp_frame *frame);

#endif /* _WEIR_ORDER_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_NET_H
#define _WEIR_NET_H

#include <linux/list.h>
#include <linux/log2.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/rtnetlink.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>

#include "agg/base/stats.h"

struct weir_job;
struct weir_trim_config;

#define WEIR_DEV_BUCKETS	64

/**
 * struct weir_trim_totals - what trimming has counted in a namespace
 * @trim: packets that were trimmed
 * @tx_trim: trimmed packets that were sent on
 * @dropped_trim: trimmed packets that found the header band full
 */
struct weir_trim_totals {
	u64	trim;
	u64	tx_trim;
	u64	dropped_trim;
};

/**
 * struct weir_net - all that a network namespace owns
 * @net: the namespace; no reference is held, as this goes with it
 * @lock: serialises every change; taken before RTNL is ever needed, never
 *	inside of it but by the device notifier, which therefore does not take it
 * @jobs: by job id; written under @lock, read under RCU
 * @unnamed: jobs whose packets have no job id; written under @lock, read under RCU
 * @ports: by interface index, in order; written under RTNL, read under RCU
 * @port_table: the same, hashed by it, which takes packets a fifth of the time; written
 *	under RTNL, read under RCU
 * @chains: chains of XDP programs by interface index, in order; under RTNL
 * @chain_table: the same, hashed by it; written under RTNL, read under RCU
 * @flows: tables of flows by interface index, in order; under RTNL
 * @flow_table: the same, hashed by it; written under RTNL, read under RCU
 * @flow_listener: port of the netlink socket that records are reported to, 0 for none
 * @filters: filters by interface index, in order; under RTNL
 * @filter_table: the same, hashed by it; written under RTNL, read under RCU
 * @orders: orders of devices by interface index, in order; under RTNL
 * @order_table: the same, hashed by it; written under RTNL, read under RCU
 * @trims: trimming policies by interface index, in order; under RTNL
 * @trim_table: the same, hashed by it; written under RTNL, read under RCU
 * @trim_default: the default of trimming policies, NULL where none was set; under RTNL
 * @trim_past: what trimming counted that the policies' counters do not have, as their ports
 *	are gone or were set to zero; under RTNL
 * @backlogs: weir qdiscs of devices by interface index, in order; under RTNL
 * @backlog_table: the same, hashed by it; written under RTNL, read under RCU
 * @backlog_count: number of weir qdiscs; under RTNL
 * @backlog_seq: goes up with each one that comes or goes, never 0; under RTNL
 * @bridge_ports: by interface index, ports of bridges that are in state forwarding;
 *	written under RTNL, read under RCU
 * @returned: mark of packets that this namespace has sent back, never 0; see edge.c
 * @edges: some policy makes its device an edge; written under RTNL
 * @seq: goes up with every change, so that a dump can tell that it was
 *	disturbed; under @lock, never 0
 * @endings: objects that have been hidden and have not ended yet; see struct weir_ending
 * @stats: totals of the namespace
 */
struct weir_net {
	struct net			*net;
	struct mutex			lock;	/* every change */
	struct weir_job __rcu		*jobs[WEIR_JOB_ID_MAX + 1];
	struct hlist_head		unnamed;
	struct xarray			ports;
	struct hlist_head		port_table[WEIR_DEV_BUCKETS];
	struct xarray			chains;
	struct hlist_head		chain_table[WEIR_DEV_BUCKETS];
	struct xarray			flows;
	struct hlist_head		flow_table[WEIR_DEV_BUCKETS];
	u32				flow_listener;
	struct xarray			filters;
	struct hlist_head		filter_table[WEIR_DEV_BUCKETS];
	struct xarray			orders;
	struct hlist_head		order_table[WEIR_DEV_BUCKETS];
	struct xarray			trims;
	struct hlist_head		trim_table[WEIR_DEV_BUCKETS];
	struct weir_trim_config		*trim_default;
	struct weir_trim_totals		trim_past;
	struct xarray			backlogs;
	struct hlist_head		backlog_table[WEIR_DEV_BUCKETS];
	unsigned int			backlog_count;
	unsigned int			backlog_seq;
	struct xarray			bridge_ports;
	__be16				returned;
	bool				edges;
	unsigned int			seq;
	atomic_t			endings;
	struct weir_stats __percpu	*stats;
};

/**
 * struct weir_ending - the end of an object that packets and requests no longer find
 * @work: calls @end
 * @wn: the namespace, which waits for it
 * @end: ends and frees the object; sleeps, without a lock
 *
 * All of the host waits for RTNL. So whoever holds it hides an object, and what takes its time,
 * such as reports to userspace and freeing much memory, is left to a worker. A request may have
 * found the object before: it holds the namespace's lock, which @end takes before it frees.
 */
struct weir_ending {
	struct work_struct	work;
	struct weir_net		*wn;
	void			(*end)(struct weir_ending *ending);
};

extern unsigned int weir_net_id;
extern u64 weir_dev_secret;

/* net.c */
void weir_net_end_later(struct weir_net *wn, struct weir_ending *ending,
			void (*end)(struct weir_ending *ending));
void weir_net_endings_wait(struct weir_net *wn);
int weir_net_endings_init(void);
void weir_net_endings_uninit(void);

static inline struct weir_net *weir_net(const struct net *net)
{
	return net_generic(net, weir_net_id);
}

/**
 * weir_dev_bucket() - where a device's part of a table hashed by interface index is
 * @table: WEIR_DEV_BUCKETS of them
 * @ifindex: the device; a request may name any index, a negative one too
 *
 * Users choose the indices of devices that they make, so that the bucket has to depend on a secret.
 * A product with a random odd number spreads any set of indices (Dietzfelbinger et al., 1997).
 */
static inline struct hlist_head *weir_dev_bucket(struct hlist_head *table, int ifindex)
{
	return &table[((u32)ifindex * weir_dev_secret) >> (64 - ilog2(WEIR_DEV_BUCKETS))];
}

/**
 * weir_dev_find() - find what a device has in such a table
 * @table: the table
 * @_ifindex: the device
 * @type: of its entries, whose members @node and @ifindex say where they are, and whose. The first
 *	member is @node, so that an entry's address is also its node's, NULL too
 *
 * Called under RTNL or rcu_read_lock(), or with bottom halves disabled; the entry lives as long as
 * that is held. Return: it, or NULL.
 */
#define weir_dev_find(table, _ifindex, type) ({					\
	int __ifindex = _ifindex;						\
	type *__entry;								\
	hlist_for_each_entry_rcu(__entry, weir_dev_bucket(table, __ifindex),	\
				 node, lockdep_rtnl_is_held())			\
		if (__entry->ifindex == __ifindex)				\
			break;							\
	__entry;								\
})

#endif /* _WEIR_NET_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_NET_H
#define _WEIR_NET_H

#include <linux/xarray.h>

#include "agg/base/stats.h"
#include "core/base/ns.h"

struct weir_job;

/**
 * struct weir_net - what aggregation has in a network namespace
 * @ns: its lock serialises every change
 * @jobs: by job id; written under the lock, read under RCU
 * @unnamed: jobs whose packets have no job id; written under the lock, read under RCU
 * @ports: by interface index, in order; written under RTNL, read under RCU
 * @port_table: the same, hashed by it, which takes packets a fifth of the time; written
 *	under RTNL, read under RCU
 * @stats: totals of the namespace
 */
struct weir_net {
	struct weir_ns			ns;
	struct weir_job __rcu		*jobs[WEIR_JOB_ID_MAX + 1];
	struct hlist_head		unnamed;
	struct xarray			ports;
	struct hlist_head		port_table[WEIR_DEV_BUCKETS];
	struct weir_stats __percpu	*stats;
};

extern unsigned int weir_net_id;

static inline struct weir_net *weir_net(const struct net *net)
{
	return net_generic(net, weir_net_id);
}

#endif /* _WEIR_NET_H */

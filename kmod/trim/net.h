/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_TRIM_NET_H
#define _WEIR_TRIM_NET_H

#include <linux/xarray.h>
#include <uapi/weir_trim_nl.h>

#include "core/base/ns.h"

struct weir_trim_config;

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
 * struct weir_trim_net - what trimming has in a network namespace
 * @ns: its lock serialises every change by request
 * @trims: policies by interface index, in order; under RTNL
 * @trim_table: the same, hashed by it; written under RTNL, read under RCU
 * @trim_default: the default of policies, NULL where none was set; under RTNL
 * @trim_past: counts that the policies' counters do not have, as their ports
 *	are gone or were set to zero; under RTNL
 * @pools: pools of buffer that ports share, by their names; under RTNL
 * @pool_count: number of pools; under RTNL
 * @acls: ACLs that ports share, by their names; under RTNL
 * @acl_count: number of ACLs; under RTNL
 * @backlogs: weir qdiscs of devices by interface index, in order; under RTNL
 * @backlog_table: the same, hashed by it; written under RTNL, read under RCU
 * @backlog_count: number of weir qdiscs; under RTNL
 * @backlog_seq: goes up with each one that comes or goes, never 0; under RTNL
 * @bridge_ports: by interface index, ports of bridges that are in state forwarding;
 *	written under RTNL, read under RCU
 * @returned: mark of packets that this namespace has sent back, never 0; see edge.c
 * @edges: some policy makes its device an edge; written under RTNL
 */
struct weir_trim_net {
	struct weir_ns			ns;
	struct xarray			trims;
	struct hlist_head		trim_table[WEIR_DEV_BUCKETS];
	struct weir_trim_config		*trim_default;
	struct weir_trim_totals		trim_past;
	struct list_head		pools;
	unsigned int			pool_count;
	struct list_head		acls;
	unsigned int			acl_count;
	struct xarray			backlogs;
	struct hlist_head		backlog_table[WEIR_DEV_BUCKETS];
	unsigned int			backlog_count;
	unsigned int			backlog_seq;
	struct xarray			bridge_ports;
	__be16				returned;
	bool				edges;
};

extern unsigned int weir_trim_net_id;

static inline struct weir_trim_net *weir_trim_net(const struct net *net)
{
	return net_generic(net, weir_trim_net_id);
}

/**
 * weir_trim_net_bh() - return trimming's state of a namespace, for packets
 * @net: the namespace
 *
 * Called where bottom halves are disabled or RCU is held: weir_trim_net() takes it once more,
 * which costs a packet as much as finding its policy.
 */
static inline struct weir_trim_net *weir_trim_net_bh(const struct net *net)
{
	return rcu_dereference_check(net->gen, rcu_read_lock_bh_held())->ptr[weir_trim_net_id];
}

#endif /* _WEIR_TRIM_NET_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_XDP_NET_H
#define _WEIR_XDP_NET_H

#include <linux/xarray.h>
#include <uapi/weir_xdp_nl.h>

#include "core/base/ns.h"

/**
 * struct weir_xdp_net - chains, flows, filters and orders of a network namespace
 * @ns: its lock serialises every change by request
 * @chains: chains of XDP programs by interface index, in order; under RTNL
 * @chain_table: the same, hashed by it; written under RTNL, read under RCU
 * @flows: tables of flows by interface index, in order; under RTNL
 * @flow_table: the same, hashed by it; written under RTNL, read under RCU
 * @flow_listener: port of the netlink socket that records are reported to, 0 for none
 * @filters: filters by interface index, in order; under RTNL
 * @filter_table: the same, hashed by it; written under RTNL, read under RCU
 * @orders: orders of devices by interface index, in order; under RTNL
 * @order_table: the same, hashed by it; written under RTNL, read under RCU
 */
struct weir_xdp_net {
	struct weir_ns			ns;
	struct xarray			chains;
	struct hlist_head		chain_table[WEIR_DEV_BUCKETS];
	struct xarray			flows;
	struct hlist_head		flow_table[WEIR_DEV_BUCKETS];
	u32				flow_listener;
	struct xarray			filters;
	struct hlist_head		filter_table[WEIR_DEV_BUCKETS];
	struct xarray			orders;
	struct hlist_head		order_table[WEIR_DEV_BUCKETS];
};

extern unsigned int weir_xdp_net_id;

static inline struct weir_xdp_net *weir_xdp_net(const struct net *net)
{
	return net_generic(net, weir_xdp_net_id);
}

/**
 * weir_xdp_net_bh() - what a namespace has, for packets
 * @net: the namespace
 *
 * Called where bottom halves are disabled or RCU is held: weir_xdp_net() takes it once more, which
 * costs a packet as much as finding its flow.
 */
static inline struct weir_xdp_net *weir_xdp_net_bh(const struct net *net)
{
	return rcu_dereference_check(net->gen, rcu_read_lock_bh_held())->ptr[weir_xdp_net_id];
}

#endif /* _WEIR_XDP_NET_H */

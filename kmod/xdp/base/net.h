/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_XDP_NET_H
#define _WEIR_XDP_NET_H

#include <linux/xarray.h>
#include <uapi/weir_xdp_nl.h>

#include "core/base/ns.h"

/**
 * struct weir_xdp_net - chains, flows, filters and orders of a network namespace
 * @ns: its lock serialises every change by request
 * @devs: entries of devices by interface index, in order; written under RTNL, read under RCU
 * @dev_table: the same, hashed by it; written under RTNL, read under RCU
 * @flow_listener: port of the netlink socket that records are reported to, 0 for none
 */
struct weir_xdp_net {
	struct weir_ns			ns;
	struct xarray			devs;
	struct hlist_head		dev_table[WEIR_DEV_BUCKETS];
	u32				flow_listener;
};

extern unsigned int weir_xdp_net_id;

static inline struct weir_xdp_net *weir_xdp_net(const struct net *net)
{
	return net_generic(net, weir_xdp_net_id);
}

/**
 * weir_xdp_net_bh() - return the module's state of a namespace, for packets
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

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_XDP_DEV_H
#define _WEIR_XDP_DEV_H

#include <linux/rculist.h>
#include <linux/rtnetlink.h>

#include "xdp/base/net.h"

struct weir_chain_list;
struct weir_filter;
struct weir_flow_table;
struct weir_orders;

/**
 * struct weir_xdp_dev - what runs around the XDP programs of a device
 * @node: in weir_xdp_net.dev_table
 * @rcu: it is freed a grace period after its last part has gone
 * @ifindex: index of the device
 * @chain: programs of the device's chain, or NULL
 * @filter: filter of the device, or NULL
 * @flows: table of the device's flows, or NULL
 * @orders: orders of the device, or NULL
 *
 * Pointers are written under RTNL and read under RTNL or RCU.
 */
struct weir_xdp_dev {
	struct hlist_node		node;
	struct rcu_head			rcu;
	int				ifindex;
	struct weir_chain_list __rcu	*chain;
	struct weir_filter __rcu	*filter;
	struct weir_flow_table __rcu	*flows;
	struct weir_orders __rcu	*orders;
};

/**
 * weir_xdp_dev_find() - find what a device has
 * @wn: the namespace
 * @ifindex: index of the device
 *
 * Called under RTNL or rcu_read_lock(), or with bottom halves disabled; it lives as long as that is
 * held. Return: it, or NULL if the device has nothing.
 */
static inline struct weir_xdp_dev *weir_xdp_dev_find(struct weir_xdp_net *wn, int ifindex)
{
	return weir_dev_find(wn->dev_table, ifindex, struct weir_xdp_dev);
}

/* For rcu_dereference_check() of a part: return true if the caller may follow its pointer. */
static inline bool weir_xdp_dev_held(void)
{
	return rcu_read_lock_bh_held() || lockdep_rtnl_is_held();
}

struct weir_xdp_dev *weir_xdp_dev_make(struct weir_xdp_net *wn, int ifindex);
void weir_xdp_dev_drop(struct weir_xdp_net *wn, struct weir_xdp_dev *xd);
int weir_xdp_dev_net_init(struct net *net);
void weir_xdp_dev_net_uninit(struct net *net);

#endif /* _WEIR_XDP_DEV_H */

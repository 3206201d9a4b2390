/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_FLOWS_H
#define _WEIR_FLOWS_H

#include <linux/rculist.h>
#include <linux/rtnetlink.h>

#include "xdp/base/net.h"
#include "xdp/flow/table.h"

struct net_device;
struct xdp_md;

/**
 * weir_flows_get() - find the table of a device
 * @wn: the namespace
 * @ifindex: the device
 *
 * Called under RTNL or rcu_read_lock(), or with bottom halves disabled; the table lives as
 * long as that is held.
 */
static inline struct weir_flow_table *weir_flows_get(struct weir_xdp_net *wn, int ifindex)
{
	return weir_dev_find(wn->flow_table, ifindex, struct weir_flow_table);
}

/**
 * weir_flows_find() - find the table of a device for a request
 * @wn: the namespace, whose lock is held: the table stays until it is released, even if the
 *	device is unregistered
 * @ifindex: index of the device
 */
static inline struct weir_flow_table *weir_flows_find(struct weir_xdp_net *wn, int ifindex)
{
	struct weir_flow_table *table;

	lockdep_assert_held(&wn->ns.lock);
	rcu_read_lock();
	table = weir_flows_get(wn, ifindex);
	rcu_read_unlock();
	return table;
}

int weir_flows_add(struct weir_xdp_net *wn, struct net_device *dev, struct weir_flow_table *table);
void weir_flows_free(struct weir_flow_table *table);
void weir_flows_del(struct weir_xdp_net *wn, struct weir_flow_table *table);
void weir_flows_flush(struct net *net);
int weir_flows_net_init(struct net *net);
void weir_flows_net_uninit(struct net *net);
int weir_flows_dev_event(struct net_device *dev, unsigned long event, void *info);
int weir_flow_xdp(struct xdp_md *ctx);

#endif /* _WEIR_FLOWS_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_FLOWS_H
#define _WEIR_FLOWS_H

#include <linux/rcupdate.h>

#include "xdp/base/dev.h"
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
	struct weir_xdp_dev *xd = weir_xdp_dev_find(wn, ifindex);

	return xd ? rcu_dereference_check(xd->flows, weir_xdp_dev_held()) : NULL;
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
void weir_flows_del(struct weir_xdp_net *wn, int ifindex);
void weir_flows_gone(struct weir_xdp_net *wn, struct weir_xdp_dev *xd);
void weir_flows_flush(struct net *net);
int weir_flow_xdp(struct xdp_md *ctx);

#endif /* _WEIR_FLOWS_H */

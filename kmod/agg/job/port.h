/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_PORT_H
#define _WEIR_PORT_H

#include <linux/rcupdate.h>
#include <linux/rtnetlink.h>

#include "agg/base/net.h"

struct net_device;

/**
 * struct weir_port - a device that may hand packets over
 * @node: in weir_net.port_table
 * @rcu: it is freed a grace period after it was taken away
 * @ifindex: the device
 * @mode: enum weir_mode, for show
 * @stats: counters
 *
 * Reached through weir_net.port_table under RCU. It holds no reference to the
 * device: the device notifier takes it away with the device.
 */
struct weir_port {
	struct hlist_node		node;
	struct rcu_head			rcu;
	int				ifindex;
	u8				mode;
	struct weir_stats __percpu	*stats;
};

/**
 * weir_port_get() - find a port
 * @wn: the namespace
 * @ifindex: the device
 *
 * Called under RTNL or rcu_read_lock(), or with bottom halves disabled; the
 * port lives as long as that is held.
 */
static inline struct weir_port *weir_port_get(struct weir_net *wn, int ifindex)
{
	return weir_dev_find(wn->port_table, ifindex, struct weir_port);
}

int weir_port_add(struct weir_net *wn, struct net_device *dev, u8 mode);
bool weir_port_del(struct weir_net *wn, int ifindex);
void weir_port_flush(struct net *net);
int weir_port_net_init(struct net *net);
void weir_port_net_uninit(struct net *net);
int weir_port_dev_event(struct net_device *dev, unsigned long event, void *info);

#endif /* _WEIR_PORT_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_BRIDGE_PORT_H
#define _WEIR_BRIDGE_PORT_H

#include <linux/netdevice.h>
#include <linux/xarray.h>

#include "trim/net.h"

/**
 * weir_bridge_port_forwards() - test whether a device is a bridge's port in state forwarding
 * @dev: the device; rcu_read_lock() is held
 */
static inline bool weir_bridge_port_forwards(const struct net_device *dev)
{
	return netif_is_bridge_port(dev) &&
	       xa_load(&weir_trim_net(dev_net(dev))->bridge_ports, dev->ifindex);
}

int weir_bridge_port_dev_event(struct net_device *dev, unsigned long event, void *info);
int weir_bridge_port_net_init(struct net *net);
void weir_bridge_port_net_uninit(struct net *net);
int weir_bridge_port_init(void);
void weir_bridge_port_uninit(void);

#endif /* _WEIR_BRIDGE_PORT_H */

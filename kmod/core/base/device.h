/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_DEVICE_H
#define _WEIR_DEVICE_H

#include <linux/netdevice.h>
#include <net/xdp.h>

struct net_device *weir_bond_of(struct net_device *member);
bool weir_device_hides_vlan(struct net_device *dev);
const char *weir_device_blind(const struct net_device *dev, bool ethernet);

/**
 * weir_xdp_dev() - find the device whose XDP program runs on a frame
 * @xdp: the frame
 *
 * A bond attaches its program to the drivers of its members, so a frame of a bond names the
 * member that received it. Called under RCU or with bottom halves disabled.
 *
 * Return: the bond if its program runs, else the device that the frame names.
 */
static inline struct net_device *weir_xdp_dev(const struct xdp_buff *xdp)
{
	struct net_device *dev = xdp->rxq->dev;

	return unlikely(netif_is_bond_slave(dev)) ? weir_bond_of(dev) : dev;
}

#endif /* _WEIR_DEVICE_H */

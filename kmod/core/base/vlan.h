/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_VLAN_H
#define _WEIR_VLAN_H

#include <linux/netdevice.h>

/*
 * The other end of a veth or netkit leaves tags beside the frame if it has the offload for
 * sending, whatever this end is set to.
 */
static inline bool weir_dev_peer_hides_vlan(const struct net_device *dev)
{
	const struct net_device *peer;

	if (!dev->netdev_ops->ndo_get_peer_dev)
		return false;
	peer = dev->netdev_ops->ndo_get_peer_dev((struct net_device *)dev);
	return peer && peer->features & (NETIF_F_HW_VLAN_CTAG_TX | NETIF_F_HW_VLAN_STAG_TX);
}

/**
 * weir_dev_hides_vlan() - check whether a device may have removed VLAN tags from its frames
 * @dev: the device that the frames came in by
 *
 * If so, XDP sees the same frame with and without a tag of either kind. Called under
 * rcu_read_lock(), which veth asks for where it names its other end.
 */
static inline bool weir_dev_hides_vlan(const struct net_device *dev)
{
	return dev->features & (NETIF_F_HW_VLAN_CTAG_RX | NETIF_F_HW_VLAN_STAG_RX) ||
	       weir_dev_peer_hides_vlan(dev);
}

#endif /* _WEIR_VLAN_H */

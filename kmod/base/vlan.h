/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_VLAN_H
#define _WEIR_VLAN_H

#include <linux/netdevice.h>

/**
 * weir_dev_hides_vlan() - may a device have taken VLAN tags off its frames?
 * @dev: the device that the frames came in by
 *
 * XDP sees the same frame with and without a tag of either kind then.
 */
static inline bool weir_dev_hides_vlan(const struct net_device *dev)
{
	return dev->features & (NETIF_F_HW_VLAN_CTAG_RX |
				NETIF_F_HW_VLAN_STAG_RX);
}

#endif /* _WEIR_VLAN_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * Types of network devices: on which device a program runs, and which devices' packets it can
 * read. Not every device passes its packets through the receive hooks, and not every device's
 * packets have an Ethernet header.
 */
#include <linux/if_arp.h>
#include <linux/netdevice.h>
#include <linux/string.h>
#include <net/rtnetlink.h>

#include "core/base/compat.h"
#include "core/base/device.h"
#include "core/base/vlan.h"

/**
 * weir_bond_of() - find the device whose program runs on a frame of a bond's member
 * @member: the member that received the frame
 *
 * The kernel does not let a bond and its member have native programs at the same time, so a
 * member without a program of its own runs that of the bond. Called under RCU or with bottom
 * halves disabled.
 *
 * Return: the bond, or @member if the program is its own or it has just left the bond.
 */
struct net_device *weir_bond_of(struct net_device *member)
{
	struct net_device *bond;

	if (dev_xdp_prog_count(member))
		return member;
	bond = netdev_master_upper_dev_get_rcu(member);
	return bond ?: member;
}
EXPORT_SYMBOL_NS_GPL(weir_bond_of, "WEIR");

static bool weir_device_is_kind(const struct net_device *dev, const char *kind)
{
	return dev->rtnl_link_ops && !strcmp(dev->rtnl_link_ops->kind, kind);
}

static int weir_device_member_hides_vlan(struct net_device *dev, struct netdev_nested_priv *priv)
{
	return weir_dev_hides_vlan(dev);
}

/**
 * weir_device_hides_vlan() - check whether VLAN tags may be missing from a device's frames
 * @dev: the device; of a bond, its members are asked
 *
 * Called under RCU.
 */
bool weir_device_hides_vlan(struct net_device *dev)
{
	struct netdev_nested_priv priv = {};

	if (netif_is_bond_master(dev))
		return netdev_walk_all_lower_dev_rcu(dev, weir_device_member_hides_vlan, &priv);
	return weir_dev_hides_vlan(dev);
}
EXPORT_SYMBOL_NS_GPL(weir_device_hides_vlan, "WEIR");

/**
 * weir_device_blind() - check whether programs on a device can read its packets
 * @dev: the device
 * @ethernet: the program expects an Ethernet header
 *
 * Return: NULL, or the reason as the rest of a sentence that begins with the device's name.
 */
const char *weir_device_blind(const struct net_device *dev, bool ethernet)
{
	if (netif_is_l3_master(dev))
		return "is a VRF, which receives no packet: name its members";
	if (weir_device_is_kind(dev, "ifb"))
		return "is an ifb: name the device that redirects to it";
	if (ethernet && dev->type != ARPHRD_ETHER && dev->type != ARPHRD_LOOPBACK)
		return "carries no Ethernet header: name the device below it";
	return NULL;
}
EXPORT_SYMBOL_NS_GPL(weir_device_blind, "WEIR");

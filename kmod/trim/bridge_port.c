// SPDX-License-Identifier: GPL-2.0
/*
 * The ports of bridges that forward. Packets need the spanning tree's state of a port, and
 * a bridge shows it only under RTNL. So the state is kept here, and read again whenever
 * the bridge reports a change. A port that is not in the table does not forward.
 */
#include <linux/if_bridge.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/switchdev.h>

#include "trim/bridge_port.h"

static void weir_bridge_port_forget(const struct net_device *dev)
{
	xa_erase(&weir_trim_net(dev_net(dev))->bridge_ports, dev->ifindex);
}

/* A kernel without switchdev would report no change of the state. */
static bool weir_bridge_port_state(const struct net_device *dev)
{
	return IS_ENABLED(CONFIG_NET_SWITCHDEV) && netif_is_bridge_port(dev) &&
	       br_port_get_stp_state(dev) == BR_STATE_FORWARDING;
}

static int weir_bridge_port_look(const struct net_device *dev)
{
	struct xarray *ports = &weir_trim_net(dev_net(dev))->bridge_ports;

	ASSERT_RTNL();

	if (weir_bridge_port_state(dev))
		return xa_err(xa_store(ports, dev->ifindex, xa_mk_value(1),
				       GFP_KERNEL));
	weir_bridge_port_forget(dev);
	return 0;
}

/*
 * Called under RTNL, a moment after the state has changed. Without memory for a port its
 * frames are the stack's.
 */
static int weir_bridge_port_changed(struct notifier_block *nb,
				    unsigned long event, void *ptr)
{
	const struct switchdev_notifier_port_attr_info *info = ptr;

	if (event == SWITCHDEV_PORT_ATTR_SET &&
	    info->attr->id == SWITCHDEV_ATTR_ID_PORT_STP_STATE)
		weir_bridge_port_look(switchdev_notifier_info_to_dev(ptr));
	return NOTIFY_DONE;
}

static struct notifier_block weir_bridge_port_states = {
	.notifier_call = weir_bridge_port_changed,
};

static bool weir_bridge_port_leaves(void *ptr)
{
	const struct netdev_notifier_changeupper_info *info = ptr;

	return !info->linking && netif_is_bridge_master(info->upper_dev);
}

/*
 * The notifier reports existing devices as new ones. A device that leaves its bridge may
 * still look like a port.
 */
int weir_bridge_port_dev_event(struct net_device *dev, unsigned long event, void *info)
{
	if (event == NETDEV_REGISTER)
		return weir_bridge_port_look(dev);
	if (event == NETDEV_UNREGISTER ||
	    (event == NETDEV_CHANGEUPPER && weir_bridge_port_leaves(info)))
		weir_bridge_port_forget(dev);
	return 0;
}

/* Return: 0. */
int weir_bridge_port_net_init(struct net *net)
{
	xa_init(&weir_trim_net(net)->bridge_ports);
	return 0;
}

void weir_bridge_port_net_uninit(struct net *net)
{
	xa_destroy(&weir_trim_net(net)->bridge_ports);
}

/**
 * weir_bridge_port_init() - watch the states of the ports of all bridges
 *
 * Changes are reported before the existing ports are looked at, so none is missed: the notifier
 * of devices comes later, and reports existing devices.
 *
 * Return: 0 or a negative errno.
 */
int weir_bridge_port_init(void)
{
	return register_switchdev_blocking_notifier(&weir_bridge_port_states);
}

/**
 * weir_bridge_port_uninit() - stop watching
 */
void weir_bridge_port_uninit(void)
{
	unregister_switchdev_blocking_notifier(&weir_bridge_port_states);
}

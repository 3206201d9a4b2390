// SPDX-License-Identifier: GPL-2.0
/* Ports: the devices of a namespace that may hand packets over. */
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>

#include "agg/base/notify.h"
#include "agg/job/port.h"

static void weir_port_free(struct weir_port *port)
{
	free_percpu(port->stats);
	kfree(port);
}

static void weir_port_free_rcu(struct rcu_head *rcu)
{
	weir_port_free(container_of(rcu, struct weir_port, rcu));
}

/**
 * weir_port_add() - let a device hand packets over
 * @wn: the namespace
 * @dev: the device; RTNL is held, so that it cannot go in between
 * @mode: enum weir_mode
 *
 * Return: 0, -EEXIST or -ENOMEM.
 */
int weir_port_add(struct weir_net *wn, struct net_device *dev, u8 mode)
{
	struct weir_port *port;
	int err;

	ASSERT_RTNL();

	port = kzalloc(sizeof(*port), GFP_KERNEL_ACCOUNT);
	if (!port)
		return -ENOMEM;
	port->ifindex = dev->ifindex;
	port->mode = mode;
	port->stats = alloc_percpu_gfp(struct weir_stats, GFP_KERNEL_ACCOUNT);
	if (!port->stats) {
		kfree(port);
		return -ENOMEM;
	}
	err = xa_insert(&wn->ports, dev->ifindex, port, GFP_KERNEL_ACCOUNT);
	if (err)
		weir_port_free(port);
	else
		hlist_add_head_rcu(&port->node, weir_dev_bucket(wn->port_table, port->ifindex));
	return err == -EBUSY ? -EEXIST : err;
}

/**
 * weir_port_del() - take a port away
 * @wn: the namespace
 * @ifindex: the device
 *
 * Called under RTNL. The events group is told.
 *
 * Return: whether it was there.
 */
bool weir_port_del(struct weir_net *wn, int ifindex)
{
	struct weir_port *port = xa_erase(&wn->ports, ifindex);

	ASSERT_RTNL();
	if (!port)
		return false;
	hlist_del_rcu(&port->node);
	weir_notify->port_gone(wn, port);
	call_rcu(&port->rcu, weir_port_free_rcu);
	return true;
}

/**
 * weir_port_flush() - take all ports of a namespace away
 * @net: the namespace, whose lock is held
 *
 * Takes RTNL.
 */
void weir_port_flush(struct net *net)
{
	struct weir_net *wn = weir_net(net);
	struct weir_port *port;
	unsigned long ifindex;

	rtnl_lock();
	xa_for_each(&wn->ports, ifindex, port)
		weir_port_del(wn, ifindex);
	rtnl_unlock();
}

/* Remove the port of a device that is unregistered or moved to another namespace. */
int weir_port_dev_event(struct net_device *dev, unsigned long event, void *info)
{
	if (event == NETDEV_UNREGISTER)
		weir_port_del(weir_net(dev_net(dev)), dev->ifindex);
	return 0;
}

/* Return: 0. */
int weir_port_net_init(struct net *net)
{
	xa_init(&weir_net(net)->ports);
	return 0;
}

void weir_port_net_uninit(struct net *net)
{
	xa_destroy(&weir_net(net)->ports);
}

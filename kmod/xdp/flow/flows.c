// SPDX-License-Identifier: GPL-2.0
/* Add and remove the flow tables of devices. */
#include <linux/netdevice.h>
#include <linux/rcupdate.h>
#include <linux/rtnetlink.h>

#include "xdp/base/notify.h"
#include "xdp/flow/flows.h"
#include "xdp/flow/scan.h"
#include "xdp/flow/watch.h"

/**
 * weir_flows_add() - begin to record the flows of a device
 * @wn: the namespace
 * @dev: the device, which has no table
 * @table: the new table, which belongs to the device on success
 *
 * Called under RTNL.
 *
 * Return: 0 or -ENOMEM.
 */
int weir_flows_add(struct weir_xdp_net *wn, struct net_device *dev, struct weir_flow_table *table)
{
	int err;

	ASSERT_RTNL();
	err = xa_insert(&wn->flows, dev->ifindex, table, GFP_KERNEL_ACCOUNT);
	if (err)
		return err;
	weir_flow_scan_start(table);
	hlist_add_head_rcu(&table->node, weir_dev_bucket(wn->flow_table, dev->ifindex));
	return 0;
}

/**
 * weir_flows_free() - free a table, and what its alarms take
 * @table: the table, which no packet, visit or request sees
 *
 * Sleeps.
 */
void weir_flows_free(struct weir_flow_table *table)
{
	weir_flow_watch_end(table);
	weir_flow_table_free(table);
}

/* Report all records of a table, which takes as long as the listener needs, and free it. */
static void weir_flows_end(struct weir_ending *ending)
{
	struct weir_flow_table *table = container_of(ending, struct weir_flow_table, ending);
	struct weir_xdp_net *wn = table->wn;

	/* Wait for packets that have found the table: none starts a visit after this. */
	synchronize_rcu();
	weir_flow_scan_end(table);
	/* Wait for requests that have found the table: they hold the lock. */
	mutex_lock(&wn->ns.lock);
	mutex_unlock(&wn->ns.lock);
	weir_flows_free(table);
}

/**
 * weir_flows_del() - end recording on a device
 * @wn: the namespace
 * @table: the table of the device
 *
 * Called under RTNL. Sleeps. Sends an event; the records are reported after RTNL was released.
 */
void weir_flows_del(struct weir_xdp_net *wn, struct weir_flow_table *table)
{
	ASSERT_RTNL();
	xa_erase(&wn->flows, table->ifindex);
	hlist_del_rcu(&table->node);
	weir_xdp_notify->flow_gone(table);
	weir_ns_end_later(&wn->ns, &table->ending, weir_flows_end);
}

/**
 * weir_flows_flush() - end recording on all devices of a namespace
 * @net: the namespace, whose lock is held
 *
 * Takes RTNL.
 */
void weir_flows_flush(struct net *net)
{
	struct weir_xdp_net *wn = weir_xdp_net(net);
	struct weir_flow_table *table;
	unsigned long ifindex;

	rtnl_lock();
	xa_for_each(&wn->flows, ifindex, table)
		weir_flows_del(wn, table);
	rtnl_unlock();
}

/* Remove the table of a device that is unregistered or moved to another namespace. */
int weir_flows_dev_event(struct net_device *dev, unsigned long event, void *info)
{
	struct weir_xdp_net *wn = weir_xdp_net(dev_net(dev));
	struct weir_flow_table *table;

	if (event != NETDEV_UNREGISTER)
		return 0;
	table = weir_flows_get(wn, dev->ifindex);
	if (table)
		weir_flows_del(wn, table);
	return 0;
}

/* Return: 0. */
int weir_flows_net_init(struct net *net)
{
	xa_init(&weir_xdp_net(net)->flows);
	return 0;
}

void weir_flows_net_uninit(struct net *net)
{
	xa_destroy(&weir_xdp_net(net)->flows);
}

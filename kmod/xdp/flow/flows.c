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
	struct weir_xdp_dev *xd = weir_xdp_dev_make(wn, dev->ifindex);

	if (!xd)
		return -ENOMEM;
	weir_flow_scan_start(table);
	rcu_assign_pointer(xd->flows, table);
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
 * weir_flows_gone() - end recording on a device, if there is any
 * @wn: the namespace
 * @xd: the device's entry
 *
 * Called under RTNL. Sleeps. Sends an event; the records are reported after RTNL was released. The
 * caller drops the entry.
 */
void weir_flows_gone(struct weir_xdp_net *wn, struct weir_xdp_dev *xd)
{
	struct weir_flow_table *table = rtnl_dereference(xd->flows);

	if (!table)
		return;
	RCU_INIT_POINTER(xd->flows, NULL);
	weir_xdp_notify->flow_gone(table);
	weir_ns_end_later(&wn->ns, &table->ending, weir_flows_end);
}

/**
 * weir_flows_del() - end recording on a device
 * @wn: the namespace
 * @ifindex: index of the device, which has a table
 *
 * Called under RTNL. Sleeps, as weir_flows_gone() does.
 */
void weir_flows_del(struct weir_xdp_net *wn, int ifindex)
{
	struct weir_xdp_dev *xd = weir_xdp_dev_find(wn, ifindex);

	weir_flows_gone(wn, xd);
	weir_xdp_dev_drop(wn, xd);
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
	struct weir_xdp_dev *xd;
	unsigned long ifindex;

	rtnl_lock();
	xa_for_each(&wn->devs, ifindex, xd) {
		weir_flows_gone(wn, xd);
		weir_xdp_dev_drop(wn, xd);
	}
	rtnl_unlock();
}

// SPDX-License-Identifier: GPL-2.0
/* Entries of devices: created with the first part of a device, freed with the last one. */
#include <linux/slab.h>

#include "xdp/base/dev.h"

/**
 * weir_xdp_dev_make() - find or make the entry of a device
 * @wn: the namespace
 * @ifindex: index of the device, which RTNL keeps
 *
 * The caller sets a part, or calls weir_xdp_dev_drop().
 *
 * Return: the entry, or NULL without memory.
 */
struct weir_xdp_dev *weir_xdp_dev_make(struct weir_xdp_net *wn, int ifindex)
{
	struct weir_xdp_dev *xd = weir_xdp_dev_find(wn, ifindex);

	ASSERT_RTNL();
	if (xd)
		return xd;
	xd = kzalloc(sizeof(*xd), GFP_KERNEL_ACCOUNT);
	if (!xd)
		return NULL;
	xd->ifindex = ifindex;
	if (xa_insert(&wn->devs, ifindex, xd, GFP_KERNEL_ACCOUNT)) {
		kfree(xd);
		return NULL;
	}
	hlist_add_head_rcu(&xd->node, weir_dev_bucket(wn->dev_table, ifindex));
	return xd;
}

/**
 * weir_xdp_dev_drop() - free the entry of a device if no part is left
 * @wn: the namespace
 * @xd: the entry
 *
 * Called under RTNL after a part has been set to NULL.
 */
void weir_xdp_dev_drop(struct weir_xdp_net *wn, struct weir_xdp_dev *xd)
{
	ASSERT_RTNL();
	if (rtnl_dereference(xd->chain) || rtnl_dereference(xd->filter) ||
	    rtnl_dereference(xd->flows) || rtnl_dereference(xd->orders))
		return;
	xa_erase(&wn->devs, xd->ifindex);
	hlist_del_rcu(&xd->node);
	kfree_rcu(xd, rcu);
}

/* Return: 0. */
int weir_xdp_dev_net_init(struct net *net)
{
	xa_init(&weir_xdp_net(net)->devs);
	return 0;
}

void weir_xdp_dev_net_uninit(struct net *net)
{
	xa_destroy(&weir_xdp_net(net)->devs);
}

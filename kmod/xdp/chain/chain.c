// SPDX-License-Identifier: GPL-2.0
/*
 * Chains: XDP programs of one device, one after the other. A change makes a new list and
 * publishes it, so a packet sees the chain before or after it, and nothing between.
 */
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>

#include "xdp/base/notify.h"
#include "xdp/chain/chain.h"

static struct weir_chain_list *weir_chain_list_alloc(u32 count)
{
	struct weir_chain_list *list;

	list = kzalloc(struct_size(list, place, count), GFP_KERNEL_ACCOUNT);
	if (list)
		list->count = count;
	return list;
}

/* Puts a program behind those of a lower prio; the others are there already, in order. */
static void weir_chain_list_put(struct weir_chain_list *list, u32 used, u32 prio,
				struct weir_member *member)
{
	for (; used && list->place[used - 1].prio > prio; used--)
		list->place[used] = list->place[used - 1];
	list->place[used] = (struct weir_chain_place) { prio, member };
}

/* All places but the one with @prio. */
static u32 weir_chain_list_copy(struct weir_chain_list *to, const struct weir_chain_list *from,
				u32 prio)
{
	u32 i, used = 0;

	for (i = 0; i < from->count; i++)
		if (from->place[i].prio != prio)
			to->place[used++] = from->place[i];
	return used;
}

/*
 * Publishes a list without what is at @out, which is 0 for nothing, and with @member at @in, where
 * there is one. Return: 0 or -ENOMEM.
 */
static int weir_chain_rewrite(struct weir_xdp_dev *xd, u32 out, u32 in,
			      struct weir_member *member)
{
	struct weir_chain_list *old = rtnl_dereference(xd->chain);
	struct weir_chain_list *list = weir_chain_list_alloc(old->count - !!out + !!member);
	u32 used;

	if (!list)
		return -ENOMEM;
	used = weir_chain_list_copy(list, old, out);
	if (member)
		weir_chain_list_put(list, used, in, member);
	rcu_assign_pointer(xd->chain, list);
	kfree_rcu(old, rcu);
	return 0;
}

/**
 * weir_chain_place() - find a program
 * @xd: entry of a device that has a chain; RTNL is held
 * @prio: its place
 *
 * Return: it, until RTNL is released, or NULL.
 */
const struct weir_chain_place *weir_chain_place(const struct weir_xdp_dev *xd, u32 prio)
{
	const struct weir_chain_list *list = weir_chain_list(xd);
	u32 i;

	for (i = 0; i < list->count; i++)
		if (list->place[i].prio == prio)
			return &list->place[i];
	return NULL;
}

static int weir_chain_extend(struct weir_xdp_dev *xd, u32 prio, struct weir_member *member)
{
	if (weir_chain_place(xd, prio))
		return -EEXIST;
	if (weir_chain_list(xd)->count == WEIR_XDP_CHAIN_MEMBERS_MAX)
		return -E2BIG;
	return weir_chain_rewrite(xd, 0, prio, member);
}

/**
 * weir_chain_add() - add a program to a device's chain
 * @wn: the namespace
 * @dev: the device; RTNL is held, so that it cannot go in between
 * @prio: its priority, not 0
 * @member: the program, with counters; the chain's where this succeeds
 *
 * Return: 0, -EEXIST, -E2BIG or -ENOMEM.
 */
int weir_chain_add(struct weir_xdp_net *wn, struct net_device *dev, u32 prio,
		   struct weir_member *member)
{
	struct weir_xdp_dev *xd = weir_xdp_dev_make(wn, dev->ifindex);
	struct weir_chain_list *list;

	if (!xd)
		return -ENOMEM;
	if (weir_chain_list(xd))
		return weir_chain_extend(xd, prio, member);
	list = weir_chain_list_alloc(1);
	if (!list) {
		weir_xdp_dev_drop(wn, xd);
		return -ENOMEM;
	}
	weir_chain_list_put(list, 0, prio, member);
	rcu_assign_pointer(xd->chain, list);
	return 0;
}

/* @member at @to instead of what is at @prio. */
static int weir_chain_change(struct weir_xdp_dev *xd, u32 prio, struct weir_member *member,
			     u32 to)
{
	if (to != prio && weir_chain_place(xd, to))
		return -EEXIST;
	return weir_chain_rewrite(xd, prio, to, member);
}

/**
 * weir_chain_move() - move a program
 * @xd: entry of a device that has a chain; RTNL is held
 * @prio: its place
 * @to: the new one, not 0
 *
 * Return: 0, -ENOENT, -EEXIST or -ENOMEM.
 */
int weir_chain_move(struct weir_xdp_dev *xd, u32 prio, u32 to)
{
	const struct weir_chain_place *place = weir_chain_place(xd, prio);

	return place ? weir_chain_change(xd, prio, place->member, to) : -ENOENT;
}

/**
 * weir_chain_replace() - put a program in the place of another one, which it takes the counters of
 * @xd: entry of a device that has a chain; RTNL is held
 * @prio: the place
 * @member: the program, without counters; the chain's where this succeeds
 * @to: the priority that it moves to, or @prio
 *
 * Return: 0, -ENOENT, -EEXIST or -ENOMEM.
 */
int weir_chain_replace(struct weir_xdp_dev *xd, u32 prio, struct weir_member *member, u32 to)
{
	const struct weir_chain_place *place = weir_chain_place(xd, prio);
	struct weir_member *old;
	int err;

	if (!place)
		return -ENOENT;
	old = place->member;
	member->count = old->count;
	err = weir_chain_change(xd, prio, member, to);
	if (err) {
		member->count = NULL;
		return err;
	}
	old->replaced = true;
	weir_member_release(old);
	return 0;
}

/**
 * weir_chain_gone() - take the chain of a device away, with all of its programs
 * @wn: the namespace
 * @xd: the device's entry; RTNL is held
 *
 * The events group is told. The caller drops the entry.
 */
void weir_chain_gone(struct weir_xdp_net *wn, struct weir_xdp_dev *xd)
{
	struct weir_chain_list *list = rtnl_dereference(xd->chain);
	u32 i;

	if (!list)
		return;
	RCU_INIT_POINTER(xd->chain, NULL);
	for (i = 0; i < list->count; i++) {
		weir_xdp_notify->chain_gone(wn, xd, &list->place[i]);
		weir_member_release(list->place[i].member);
	}
	kfree_rcu(list, rcu);
}

/**
 * weir_chain_del() - take a program out of a chain, which ends with its last one
 * @wn: the namespace
 * @xd: entry of a device that has a chain; RTNL is held
 * @prio: the program's place
 *
 * The events group is told. Return: 0, -ENOENT or -ENOMEM.
 */
int weir_chain_del(struct weir_xdp_net *wn, struct weir_xdp_dev *xd, u32 prio)
{
	const struct weir_chain_place *place = weir_chain_place(xd, prio);
	struct weir_chain_place gone;
	int err;

	if (!place)
		return -ENOENT;
	gone = *place;
	if (weir_chain_list(xd)->count == 1) {
		weir_chain_gone(wn, xd);
		weir_xdp_dev_drop(wn, xd);
		return 0;
	}
	err = weir_chain_rewrite(xd, prio, 0, NULL);
	if (err)
		return err;
	weir_xdp_notify->chain_gone(wn, xd, &gone);
	weir_member_release(gone.member);
	return 0;
}

/**
 * weir_chain_flush() - take all chains of a namespace away
 * @net: the namespace, whose lock is held
 *
 * Takes RTNL.
 */
void weir_chain_flush(struct net *net)
{
	struct weir_xdp_net *wn = weir_xdp_net(net);
	struct weir_xdp_dev *xd;
	unsigned long ifindex;

	rtnl_lock();
	xa_for_each(&wn->devs, ifindex, xd) {
		weir_chain_gone(wn, xd);
		weir_xdp_dev_drop(wn, xd);
	}
	rtnl_unlock();
}

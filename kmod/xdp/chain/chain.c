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
static int weir_chain_rewrite(struct weir_chain *chain, u32 out, u32 in,
			      struct weir_member *member)
{
	struct weir_chain_list *old = rtnl_dereference(chain->list);
	struct weir_chain_list *list = weir_chain_list_alloc(old->count - !!out + !!member);
	u32 used;

	if (!list)
		return -ENOMEM;
	used = weir_chain_list_copy(list, old, out);
	if (member)
		weir_chain_list_put(list, used, in, member);
	rcu_assign_pointer(chain->list, list);
	kfree_rcu(old, rcu);
	return 0;
}

/**
 * weir_chain_place() - find a program
 * @chain: the chain; RTNL is held
 * @prio: its place
 *
 * Return: it, until RTNL is released, or NULL.
 */
const struct weir_chain_place *weir_chain_place(const struct weir_chain *chain, u32 prio)
{
	const struct weir_chain_list *list = weir_chain_list(chain);
	u32 i;

	for (i = 0; i < list->count; i++)
		if (list->place[i].prio == prio)
			return &list->place[i];
	return NULL;
}

/* A chain begins with its first program. */
static int weir_chain_make(struct weir_xdp_net *wn, int ifindex, struct weir_chain_list *list)
{
	struct weir_chain *chain = kzalloc(sizeof(*chain), GFP_KERNEL_ACCOUNT);
	int err;

	if (!chain)
		return -ENOMEM;
	chain->ifindex = ifindex;
	RCU_INIT_POINTER(chain->list, list);
	err = xa_insert(&wn->chains, ifindex, chain, GFP_KERNEL_ACCOUNT);
	if (err)
		kfree(chain);
	else
		hlist_add_head_rcu(&chain->node, weir_dev_bucket(wn->chain_table, ifindex));
	return err;
}

static int weir_chain_extend(struct weir_chain *chain, u32 prio, struct weir_member *member)
{
	if (weir_chain_place(chain, prio))
		return -EEXIST;
	if (weir_chain_list(chain)->count == WEIR_XDP_CHAIN_MEMBERS_MAX)
		return -E2BIG;
	return weir_chain_rewrite(chain, 0, prio, member);
}

/**
 * weir_chain_add() - add a program to a device's chain
 * @wn: the namespace
 * @dev: the device; RTNL is held, so that it cannot go in between
 * @prio: where, not 0
 * @member: the program, with counters; the chain's where this succeeds
 *
 * Return: 0, -EEXIST, -E2BIG or -ENOMEM.
 */
int weir_chain_add(struct weir_xdp_net *wn, struct net_device *dev, u32 prio,
		   struct weir_member *member)
{
	struct weir_chain *chain = weir_chain_get(wn, dev->ifindex);
	struct weir_chain_list *list;
	int err;

	ASSERT_RTNL();
	if (chain)
		return weir_chain_extend(chain, prio, member);
	list = weir_chain_list_alloc(1);
	if (!list)
		return -ENOMEM;
	weir_chain_list_put(list, 0, prio, member);
	err = weir_chain_make(wn, dev->ifindex, list);
	if (err)
		kfree(list);
	return err;
}

/* @member at @to instead of what is at @prio. */
static int weir_chain_change(struct weir_chain *chain, u32 prio, struct weir_member *member,
			     u32 to)
{
	if (to != prio && weir_chain_place(chain, to))
		return -EEXIST;
	return weir_chain_rewrite(chain, prio, to, member);
}

/**
 * weir_chain_move() - move a program
 * @chain: the chain; RTNL is held
 * @prio: its place
 * @to: the new one, not 0
 *
 * Return: 0, -ENOENT, -EEXIST or -ENOMEM.
 */
int weir_chain_move(struct weir_chain *chain, u32 prio, u32 to)
{
	const struct weir_chain_place *place = weir_chain_place(chain, prio);

	return place ? weir_chain_change(chain, prio, place->member, to) : -ENOENT;
}

/**
 * weir_chain_replace() - put a program in the place of another one, which it takes the counters of
 * @chain: the chain; RTNL is held
 * @prio: the place
 * @member: the program, without counters; the chain's where this succeeds
 * @to: where it moves to, or @prio
 *
 * Return: 0, -ENOENT, -EEXIST or -ENOMEM.
 */
int weir_chain_replace(struct weir_chain *chain, u32 prio, struct weir_member *member, u32 to)
{
	const struct weir_chain_place *place = weir_chain_place(chain, prio);
	struct weir_member *old;
	int err;

	if (!place)
		return -ENOENT;
	old = place->member;
	member->count = old->count;
	err = weir_chain_change(chain, prio, member, to);
	if (err) {
		member->count = NULL;
		return err;
	}
	old->replaced = true;
	weir_member_release(old);
	return 0;
}

static void weir_chain_free_rcu(struct rcu_head *rcu)
{
	struct weir_chain *chain = container_of(rcu, struct weir_chain, rcu);

	kfree(rcu_dereference_protected(chain->list, true));
	kfree(chain);
}

/* Takes a chain away, with all of its programs. */
static void weir_chain_end(struct weir_xdp_net *wn, struct weir_chain *chain)
{
	const struct weir_chain_list *list = weir_chain_list(chain);
	u32 i;

	xa_erase(&wn->chains, chain->ifindex);
	hlist_del_rcu(&chain->node);
	for (i = 0; i < list->count; i++) {
		weir_xdp_notify->chain_gone(wn, chain, &list->place[i]);
		weir_member_release(list->place[i].member);
	}
	call_rcu(&chain->rcu, weir_chain_free_rcu);
}

/**
 * weir_chain_del() - take a program out of a chain, which ends with its last one
 * @wn: the namespace
 * @chain: the chain; RTNL is held
 * @prio: the program's place
 *
 * The events group is told. Return: 0, -ENOENT or -ENOMEM.
 */
int weir_chain_del(struct weir_xdp_net *wn, struct weir_chain *chain, u32 prio)
{
	const struct weir_chain_place *place = weir_chain_place(chain, prio);
	struct weir_chain_place gone;
	int err;

	if (!place)
		return -ENOENT;
	gone = *place;
	if (weir_chain_list(chain)->count == 1) {
		weir_chain_end(wn, chain);
		return 0;
	}
	err = weir_chain_rewrite(chain, prio, 0, NULL);
	if (err)
		return err;
	weir_xdp_notify->chain_gone(wn, chain, &gone);
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
	struct weir_chain *chain;
	unsigned long ifindex;

	rtnl_lock();
	xa_for_each(&wn->chains, ifindex, chain)
		weir_chain_end(wn, chain);
	rtnl_unlock();
}

/* Remove the chain of a device that is unregistered or moved to another namespace. */
int weir_chain_dev_event(struct net_device *dev, unsigned long event, void *info)
{
	struct weir_xdp_net *wn = weir_xdp_net(dev_net(dev));
	struct weir_chain *chain;

	if (event != NETDEV_UNREGISTER)
		return 0;
	chain = weir_chain_get(wn, dev->ifindex);
	if (chain)
		weir_chain_end(wn, chain);
	return 0;
}

/* Return: 0. */
int weir_chain_net_init(struct net *net)
{
	xa_init(&weir_xdp_net(net)->chains);
	return 0;
}

void weir_chain_net_uninit(struct net *net)
{
	xa_destroy(&weir_xdp_net(net)->chains);
}

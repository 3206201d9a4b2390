/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_CHAIN_H
#define _WEIR_CHAIN_H

#include <linux/rcupdate.h>
#include <linux/rtnetlink.h>

#include "xdp/base/dev.h"
#include "xdp/chain/member.h"

struct net_device;
struct xdp_buff;
struct xdp_md;

/**
 * struct weir_chain_place - a program's place
 * @prio: the least one runs first
 * @member: the program
 */
struct weir_chain_place {
	u32				prio;
	struct weir_member		*member;
};

/**
 * struct weir_chain_list - the chain of a device: its programs, replaced as a whole
 * @rcu: it is freed a grace period after another has taken its place
 * @count: of programs, never 0
 * @place: in the order of their prio
 */
struct weir_chain_list {
	struct rcu_head			rcu;
	u32				count;
	struct weir_chain_place		place[];
};

/**
 * weir_chain_get() - find a device that has a chain
 * @wn: the namespace
 * @ifindex: index of the device
 *
 * Called under RTNL, which keeps the chain. Return: the device's entry, or NULL.
 */
static inline struct weir_xdp_dev *weir_chain_get(struct weir_xdp_net *wn, int ifindex)
{
	struct weir_xdp_dev *xd = weir_xdp_dev_find(wn, ifindex);

	return xd && rtnl_dereference(xd->chain) ? xd : NULL;
}

/**
 * weir_chain_programs() - find the programs of a device's chain
 * @wn: the namespace
 * @ifindex: index of the device
 *
 * Called under rcu_read_lock() or with bottom halves disabled; the list lives as long as that is
 * held. Return: the list, or NULL if the device has no chain.
 */
static inline const struct weir_chain_list *
weir_chain_programs(struct weir_xdp_net *wn, int ifindex)
{
	struct weir_xdp_dev *xd = weir_xdp_dev_find(wn, ifindex);

	return xd ? rcu_dereference_check(xd->chain, rcu_read_lock_bh_held()) : NULL;
}

/* The programs of a device that has a chain, under RTNL. */
static inline const struct weir_chain_list *weir_chain_list(const struct weir_xdp_dev *xd)
{
	return rtnl_dereference(xd->chain);
}

const struct weir_chain_place *weir_chain_place(const struct weir_xdp_dev *xd, u32 prio);
int weir_chain_add(struct weir_xdp_net *wn, struct net_device *dev, u32 prio,
		   struct weir_member *member);
int weir_chain_move(struct weir_xdp_dev *xd, u32 prio, u32 to);
int weir_chain_replace(struct weir_xdp_dev *xd, u32 prio, struct weir_member *member, u32 to);
int weir_chain_del(struct weir_xdp_net *wn, struct weir_xdp_dev *xd, u32 prio);
void weir_chain_flush(struct net *net);
void weir_chain_gone(struct weir_xdp_net *wn, struct weir_xdp_dev *xd);
u32 weir_chain_below(const struct net_device *dev, struct xdp_buff *xdp, u32 prio,
		     struct bpf_prog **by);
int weir_chain_xdp(struct xdp_md *ctx);

#endif /* _WEIR_CHAIN_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_CHAIN_H
#define _WEIR_CHAIN_H

#include <linux/rcupdate.h>
#include <linux/rtnetlink.h>

#include "xdp/base/net.h"
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
 * struct weir_chain_list - the programs of a chain, replaced as a whole
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
 * struct weir_chain - a device's XDP programs
 * @node: in weir_net.chain_table
 * @rcu: it is freed a grace period after its last program has gone
 * @ifindex: the device
 * @list: written under RTNL
 */
struct weir_chain {
	struct hlist_node		node;
	struct rcu_head			rcu;
	int				ifindex;
	struct weir_chain_list __rcu	*list;
};

/**
 * weir_chain_get() - find a chain
 * @wn: the namespace
 * @ifindex: the device
 *
 * Called under RTNL or rcu_read_lock(), or with bottom halves disabled; the chain lives as
 * long as that is held.
 */
static inline struct weir_chain *weir_chain_get(struct weir_xdp_net *wn, int ifindex)
{
	return weir_dev_find(wn->chain_table, ifindex, struct weir_chain);
}

/* The programs of a chain, under RTNL. */
static inline const struct weir_chain_list *weir_chain_list(const struct weir_chain *chain)
{
	return rtnl_dereference(chain->list);
}

const struct weir_chain_place *weir_chain_place(const struct weir_chain *chain, u32 prio);
int weir_chain_add(struct weir_xdp_net *wn, struct net_device *dev, u32 prio,
		   struct weir_member *member);
int weir_chain_move(struct weir_chain *chain, u32 prio, u32 to);
int weir_chain_replace(struct weir_chain *chain, u32 prio, struct weir_member *member, u32 to);
int weir_chain_del(struct weir_xdp_net *wn, struct weir_chain *chain, u32 prio);
void weir_chain_flush(struct net *net);
int weir_chain_net_init(struct net *net);
void weir_chain_net_uninit(struct net *net);
int weir_chain_dev_event(struct net_device *dev, unsigned long event, void *info);
u32 weir_chain_below(const struct net_device *dev, struct xdp_buff *xdp, u32 prio,
		     struct bpf_prog **by);
int weir_chain_xdp(struct xdp_md *ctx);

#endif /* _WEIR_CHAIN_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_SCH_WEIR_H
#define _WEIR_SCH_WEIR_H

#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/sch_generic.h>

/**
 * weir_sch_bound() - is what goes to a transmit queue bound to it?
 * @txq: one of a device's transmit queues
 *
 * Below mq, and the like, a qdisc has one transmit queue. The stack sends what
 * comes out of it under that queue's lock, and asks it again when that queue has
 * room; so no packet may change its queue there.
 *
 * Called under RTNL, or with bottom halves disabled.
 */
static inline bool weir_sch_bound(const struct netdev_queue *txq)
{
	const struct Qdisc *root;

	root = rcu_dereference_bh_check(txq->qdisc_sleeping,
					lockdep_rtnl_is_held());
	return netif_is_multiqueue(txq->dev) && root->flags & TCQ_F_ONETXQUEUE;
}

int weir_sch_init(void);
void weir_sch_uninit(void);

#endif /* _WEIR_SCH_WEIR_H */

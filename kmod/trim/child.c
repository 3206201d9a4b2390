// SPDX-License-Identifier: GPL-2.0
/*
 * A weir qdisc's child: another qdisc, in which whole packets wait instead of in the weir
 * qdisc's FIFO. It may reorder, delay and drop them, and uses their control blocks, so
 * nothing can be noted in a packet meanwhile. Its own counters say how much it holds; they
 * are read each time that a packet goes in or comes out.
 */
#include <linux/skbuff.h>
#include <net/pkt_sched.h>
#include <net/sch_generic.h>

#include "trim/backlog.h"
#include "trim/child.h"

/**
 * weir_child_give() - a packet goes into the child
 * @child: a child that is there
 * @backlog: its parent's
 * @skb: the packet
 * @to_free: list of packets that the child drops
 *
 * Called under the root's lock. A child that cuts packets up has more than it was
 * given, and none are missing.
 *
 * Return: the child's answer, NET_XMIT_*.
 */
int weir_child_give(struct weir_child *child, struct weir_backlog *backlog,
		    struct sk_buff *skb, struct sk_buff **to_free)
{
	s32 missing;
	int ret;

	ret = qdisc_enqueue(skb, child->qdisc, to_free);
	/* A packet that a filter of the child has taken over was not dropped. */
	if (!(ret & __NET_XMIT_STOLEN))
		weir_bands_add(&backlog->bands, WEIR_BAND_DATA, 0);
	missing = weir_child_look(child, backlog);
	if (unlikely(missing > 0))
		weir_child_dropped(backlog, missing);
	return ret;
}

/**
 * weir_child_back() - take back a packet that the child has dropped as it came
 * @backlog: the parent's
 * @skb: the packet that was given to it
 * @to_free: list of dropped packets
 * @ret: the child's answer
 *
 * A packet that a qdisc drops is freed after the root's lock was released. Until then the
 * last dropped packet is the first in the list. The child may have changed it. A packet that
 * a filter of the child dropped stays dropped: an administrator wants that.
 *
 * Return: whether it is the caller's again.
 */
bool weir_child_back(struct weir_backlog *backlog, struct sk_buff *skb,
		     struct sk_buff **to_free, int ret)
{
	if (!(ret & NET_XMIT_MASK) || *to_free != skb)
		return false;
	*to_free = skb->next;
	skb_mark_not_on_list(skb);
	weir_child_dropped(backlog, -1);
	return true;
}

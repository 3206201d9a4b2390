// SPDX-License-Identifier: GPL-2.0
/*
 * A weir qdisc's child: somebody else's qdisc, in which whole packets wait instead of
 * in a FIFO of ours. It keeps them in what order it likes, for as long as it likes,
 * and uses their control blocks, so nothing can be noted in a packet meanwhile. It
 * may also drop some. What it holds is known from its own counts, which are looked at
 * each time that a packet goes in or comes out.
 */
#include <linux/skbuff.h>
#include <net/pkt_sched.h>
#include <net/sch_generic.h>

#include "trim/backlog.h"
#include "trim/child.h"

/* How many are missing of those that were given to it and have not come out. */
static s32 weir_child_look(struct weir_child *child, struct weir_backlog *backlog)
{
	u32 *packets = &backlog->bands.packets[WEIR_BAND_DATA];
	u32 waits = child->qdisc->q.qlen;
	s32 missing = *packets - waits;

	WRITE_ONCE(*packets, waits);
	WRITE_ONCE(backlog->bands.bytes[WEIR_BAND_DATA],
		   child->qdisc->qstats.backlog);
	if (child->deflected > waits)
		child->deflected = waits;
	return missing;
}

static void weir_child_dropped(struct weir_backlog *backlog, s32 n)
{
	WRITE_ONCE(backlog->child_dropped, backlog->child_dropped + n);
}

/**
 * weir_child_give() - a packet goes into the child
 * @child: a child that is there
 * @backlog: its parent's
 * @skb: the packet
 * @to_free: where the child puts what it drops
 *
 * Called under the root's lock. A child that cuts packets up has more than it was
 * given, and none are missing.
 *
 * Return: what the child says, NET_XMIT_*.
 */
int weir_child_give(struct weir_child *child, struct weir_backlog *backlog,
		    struct sk_buff *skb, struct sk_buff **to_free)
{
	s32 missing;
	int ret;

	ret = qdisc_enqueue(skb, child->qdisc, to_free);
	/* What somebody else's filter has taken over was not dropped. */
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
 * @to_free: what has been dropped
 * @ret: what the child said
 *
 * What a qdisc drops is freed when the root's lock has been let go. Until then the last
 * one dropped is the first in the list. A child may have changed it. What a filter of the
 * child's has dropped is no success either, but somebody wants it dropped.
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

/**
 * weir_child_take() - ask the child for a packet
 * @child: a child that is there
 *
 * Called under the root's lock. One that shapes may have packets and give none; it has the
 * stack ask again when it will. weir_child_sync() is to be called when the bands know of
 * the packet.
 */
struct sk_buff *weir_child_take(struct weir_child *child)
{
	return child->qdisc->dequeue(child->qdisc);
}

/**
 * weir_child_sync() - see what is left after the child gave a packet, or lost all
 * @child: the child
 * @backlog: its parent's, which knows of the packet
 */
void weir_child_sync(struct weir_child *child, struct weir_backlog *backlog)
{
	s32 missing = weir_child_look(child, backlog);

	/* Negative where it has told before that it is empty, when it was not all dropped. */
	if (unlikely(missing))
		weir_child_dropped(backlog, missing);
}

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_CHILD_H
#define _WEIR_CHILD_H

#include <linux/types.h>
#include <net/sch_generic.h>

#include "trim/backlog.h"

/**
 * struct weir_child - another qdisc that is a weir qdisc's data band
 * @qdisc: that qdisc, or NULL where there is none; changes under RTNL and the
 *	root's lock
 * @deflected: deflected packets that wait in it, at most
 */
struct weir_child {
	struct Qdisc	*qdisc;
	u32		deflected;
};

int weir_child_give(struct weir_child *child, struct weir_backlog *backlog,
		    struct sk_buff *skb, struct sk_buff **to_free);
bool weir_child_back(struct weir_backlog *backlog, struct sk_buff *skb,
		     struct sk_buff **to_free, int ret);

/* Packets that went into the child, have not come out, and are missing in it. */
static inline s32 weir_child_look(struct weir_child *child, struct weir_backlog *backlog)
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

static inline void weir_child_dropped(struct weir_backlog *backlog, s32 n)
{
	WRITE_ONCE(backlog->child_dropped, backlog->child_dropped + n);
}

/**
 * weir_child_take() - ask the child for a packet
 * @child: a child that is there
 *
 * Called under the root's lock. A child that shapes may have packets and give none; it
 * schedules the root again for later. The caller takes the packet off the bands and then
 * calls weir_child_sync().
 */
static inline struct sk_buff *weir_child_take(struct weir_child *child)
{
	return child->qdisc->dequeue(child->qdisc);
}

/**
 * weir_child_sync() - read the child's counters after it gave a packet, or lost all
 * @child: the child
 * @backlog: its parent's, with the packet taken off
 */
static inline void weir_child_sync(struct weir_child *child,
				   struct weir_backlog *backlog)
{
	s32 missing = weir_child_look(child, backlog);

	/*
	 * Negative where the child reported itself empty before, and not all packets were
	 * dropped.
	 */
	if (unlikely(missing))
		weir_child_dropped(backlog, missing);
}

#endif /* _WEIR_CHILD_H */

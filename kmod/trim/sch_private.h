/* SPDX-License-Identifier: GPL-2.0 */
/* Private data of the weir qdisc and of its packets, shared by its files. */
#ifndef _WEIR_SCH_PRIVATE_H
#define _WEIR_SCH_PRIVATE_H

#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <net/pkt_sched.h>

#include "trim/backlog.h"
#include "trim/child.h"
#include "trim/reader.h"
#include "trim/trim.h"

/**
 * enum weir_sch_kind - how a packet that waits is counted when it leaves
 * @WEIR_SCH_PLAIN: nothing
 * @WEIR_SCH_WHOLE: an eligible packet that is whole
 * @WEIR_SCH_TRIMMED: one that was trimmed here
 */
enum weir_sch_kind {
	WEIR_SCH_PLAIN,
	WEIR_SCH_WHOLE,
	WEIR_SCH_TRIMMED,
};

/**
 * struct weir_sch_cb - the qdisc's notes of a packet that waits
 * @older: the eligible packet that came before it, if that still waits
 * @since: time at which it was enqueued, as weir_backlog_now()
 * @kind: enum weir_sch_kind
 * @deflected: the device had no room for it
 */
struct weir_sch_cb {
	struct sk_buff	*older;
	u32		since;
	u8		kind;
	bool		deflected;
};

/**
 * struct weir_sch - a qdisc's private part
 * @backlog: the packets that wait, for readers outside of the qdisc
 * @reader: packets handed out and not read yet
 * @child: a qdisc in which whole packets wait instead of in @queue, where one is set
 * @queue: packets that wait, a band
 * @last: the last eligible packet of the data band in @queue
 * @eligible: number of such packets; where it is 0, @last is stale, and so is a packet as
 *	many steps behind @last
 * @deflected: number of deflected packets that wait in @queue
 * @handed: the last packet that was dequeued, if it was trimmed here: a qdisc above may have
 *	peeked at it, and then it is in gso_skb until that takes it; not to be dereferenced
 */
struct weir_sch {
	struct weir_backlog	backlog;
	struct weir_reader	reader;
	struct weir_child	child;
	struct sk_buff_head	queue[WEIR_BANDS];
	struct sk_buff		*last;
	u32			eligible;
	u32			deflected;
	const struct sk_buff	*handed;
};

static inline struct weir_sch_cb *weir_sch_cb(struct sk_buff *skb)
{
	qdisc_cb_private_validate(skb, sizeof(struct weir_sch_cb));
	return (struct weir_sch_cb *)qdisc_skb_cb(skb)->data;
}

/* The policy that is the qdisc's to carry out, if there is one. */
static inline const struct weir_trim *weir_sch_trim(const struct Qdisc *sch)
{
	const struct net_device *dev = qdisc_dev(sch);
	const struct weir_trim *trim;

	trim = weir_trim_get(weir_trim_net(dev_net(dev)), dev->ifindex);
	return trim && weir_trim_has_qdisc(&weir_trim_rev(trim)->config) ?
	       trim : NULL;
}

static inline u64 weir_sch_waited(struct weir_sch *q, enum weir_band_id band, u32 now)
{
	struct sk_buff *head = skb_peek(&q->queue[band]);

	return head ? weir_backlog_waited(weir_sch_cb(head)->since, now) : 0;
}

/* Readers outside of the qdisc see the data band's head without its lock. */
static inline void weir_sch_publish(struct weir_sch *q)
{
	struct sk_buff *head = skb_peek(&q->queue[WEIR_BAND_DATA]);

	if (head)
		WRITE_ONCE(q->backlog.head, weir_sch_cb(head)->since);
}

/* A counter of the qdisc's own, which is read without the qdisc's lock. */
static inline void weir_sch_count(u64 *counter, s32 n)
{
	WRITE_ONCE(*counter, *counter + n);
}

/*
 * An eligible packet leaves the data band, the oldest or the last of them. Programs read its
 * control block from here on, and are not to find an address there.
 */
static inline void weir_sch_forget(struct weir_sch *q, struct sk_buff *skb)
{
	q->eligible--;
	if (skb == q->last)
		q->last = q->eligible ? weir_sch_cb(skb)->older : NULL;
	weir_sch_cb(skb)->older = NULL;
}

/* A packet leaves, to be sent or dropped with all that wait. */
static inline void weir_sch_left(const struct weir_trim *trim,
				 struct weir_sch *q, struct sk_buff *skb,
				 enum weir_trim_counter trimmed)
{
	enum weir_sch_kind kind = weir_sch_cb(skb)->kind;

	q->deflected -= weir_sch_cb(skb)->deflected;
	if (kind == WEIR_SCH_WHOLE)
		weir_sch_forget(q, skb);
	else if (kind == WEIR_SCH_TRIMMED)
		weir_sch_count(trimmed == WEIR_TRIM_C_TX_TRIM ?
			       &q->backlog.tx_trim : &q->backlog.dropped_trim, 1);
	if (!trim)
		return;
	if (kind == WEIR_SCH_TRIMMED) {
		weir_trim_count(trim, trimmed, 1);
	} else if (kind == WEIR_SCH_WHOLE) {
		weir_trim_count(trim, WEIR_TRIM_C_WHOLE, 1);
		weir_trim_count(trim, WEIR_TRIM_C_WHOLE_BYTES, skb->len);
	}
}

static inline u32 weir_sch_segs(const struct sk_buff *skb)
{
	return skb_is_gso(skb) ? skb_shinfo(skb)->gso_segs : 1;
}

/* sch_enqueue.c */
int weir_sch_give(struct Qdisc *sch, struct sk_buff *skb,
		  struct sk_buff **to_free);
int weir_sch_enqueue(struct sk_buff *skb, struct Qdisc *sch,
		     struct sk_buff **to_free);

/* sch_class.c */
extern const struct Qdisc_class_ops weir_sch_class_ops;

#endif /* _WEIR_SCH_PRIVATE_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * The weir qdisc's one class, of whole packets, eligible or not, and the child in which they
 * wait instead.
 */
#include <linux/rtnetlink.h>
#include <linux/skbuff.h>
#include <net/pkt_sched.h>

#include "core/base/compat.h"
#include "trim/sch_limits.h"
#include "trim/sch_private.h"

/* The one class, of whole packets. */
#define WEIR_SCH_CLASS		1

/* Packets that wait in a band go into a new child, as if they came only now. */
static void weir_sch_move_band(struct Qdisc *sch, enum weir_band_id band,
			       struct sk_buff **to_free)
{
	const struct weir_trim *trim = weir_sch_trim(sch);
	struct weir_sch *q = qdisc_priv(sch);
	struct sk_buff_head all;
	struct sk_buff *skb;
	u32 len;

	__skb_queue_head_init(&all);
	skb_queue_splice_tail_init(&q->queue[band], &all);
	skb_queue_walk(&all, skb)
		weir_bands_del(&q->backlog.bands, band, qdisc_pkt_len(skb));
	while ((skb = __skb_dequeue(&all))) {
		len = qdisc_pkt_len(skb);
		weir_sch_left(trim, q, skb, WEIR_TRIM_C_TX_TRIM);
		sch->qstats.backlog -= len;
		sch->q.qlen--;
		if (weir_sch_give(sch, skb, to_free) != NET_XMIT_SUCCESS)
			qdisc_tree_reduce_backlog(sch, 1, len);
	}
}

/* A child that goes drops its packets, as below any other qdisc. */
static void weir_sch_set_child(struct Qdisc *sch, struct Qdisc *child,
			       struct sk_buff **to_free)
{
	struct weir_sch *q = qdisc_priv(sch);
	bool moves = child && !q->child.qdisc;

	if (q->child.qdisc) {
		qdisc_purge_queue(q->child.qdisc);
		weir_child_sync(&q->child, &q->backlog);
	}
	q->child.qdisc = child;
	weir_backlog_set_child(&q->backlog, child);
	if (!moves)
		return;
	weir_sch_move_band(sch, WEIR_BAND_DATA, to_free);
	weir_sch_move_band(sch, WEIR_BAND_OTHER, to_free);
}

/* The reason why there can be no child, or NULL. */
static const char *weir_sch_childless(struct Qdisc *sch)
{
	const struct weir_trim *trim = weir_sch_trim(sch);
	const struct weir_sch *q = qdisc_priv(sch);

	if (weir_sch_limits_time(rtnl_dereference(q->backlog.own)))
		return weir_trim_childless_time;
	return trim ? weir_trim_config_childless(&weir_trim_rev(trim)->config) :
		      NULL;
}

static int weir_sch_graft(struct Qdisc *sch, unsigned long class,
			  struct Qdisc *child, struct Qdisc **old,
			  struct netlink_ext_ack *extack)
{
	const char *refusal = child ? weir_sch_childless(sch) : NULL;
	struct weir_sch *q = qdisc_priv(sch);
	struct sk_buff *to_free = NULL;

	if (refusal) {
		NL_SET_ERR_MSG_FMT(extack, "%s", refusal);
		return -EOPNOTSUPP;
	}
	*old = q->child.qdisc;
	sch_tree_lock(sch);
	weir_sch_set_child(sch, child, &to_free);
	weir_backlog_settle(&q->backlog);
	sch_tree_unlock(sch);
	kfree_skb_list(to_free);
	return 0;
}

static struct Qdisc *weir_sch_leaf(struct Qdisc *sch, unsigned long class)
{
	struct weir_sch *q = qdisc_priv(sch);

	return q->child.qdisc;
}

static unsigned long weir_sch_find(struct Qdisc *sch, u32 classid)
{
	return TC_H_MIN(classid) == WEIR_SCH_CLASS ? WEIR_SCH_CLASS : 0;
}

static void weir_sch_walk(struct Qdisc *sch, struct qdisc_walker *walker)
{
	if (!walker->stop)
		tc_qdisc_stats_dump(sch, WEIR_SCH_CLASS, walker);
}

static int weir_sch_dump_class(struct Qdisc *sch, unsigned long class,
			       struct sk_buff *skb, struct tcmsg *tcm)
{
	const struct weir_sch *q = qdisc_priv(sch);

	tcm->tcm_handle |= TC_H_MIN(class);
	tcm->tcm_info = q->child.qdisc ? q->child.qdisc->handle : 0;
	return 0;
}

static int weir_sch_dump_class_stats(struct Qdisc *sch, unsigned long class,
				     struct gnet_dump *d)
{
	struct weir_sch *q = qdisc_priv(sch);
	const struct weir_bands *bands = &q->backlog.bands;
	struct gnet_stats_queue waits = {
		.qlen		= bands->packets[WEIR_BAND_DATA] +
				  bands->packets[WEIR_BAND_OTHER],
		.backlog	= bands->bytes[WEIR_BAND_DATA] +
				  bands->bytes[WEIR_BAND_OTHER],
	};
	struct Qdisc *child = q->child.qdisc;

	if (!child)
		return gnet_stats_copy_queue(d, NULL, &waits, waits.qlen);
	if (gnet_stats_copy_basic(d, NULL, &child->bstats, true) < 0 ||
	    qdisc_qstats_copy(d, child) < 0)
		return -1;
	return 0;
}

/* The child has become empty without a dequeue. */
static void weir_sch_qlen_notify(struct Qdisc *sch, unsigned long class)
{
	struct weir_sch *q = qdisc_priv(sch);

	if (q->child.qdisc)
		weir_child_sync(&q->child, &q->backlog);
	weir_backlog_settle(&q->backlog);
}

const struct Qdisc_class_ops weir_sch_class_ops = {
	.graft		= weir_sch_graft,
	.leaf		= weir_sch_leaf,
	.qlen_notify	= weir_sch_qlen_notify,
	.find		= weir_sch_find,
	.walk		= weir_sch_walk,
	.dump		= weir_sch_dump_class,
	.dump_stats	= weir_sch_dump_class_stats,
};

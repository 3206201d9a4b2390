// SPDX-License-Identifier: GPL-2.0
/*
 * The weir qdisc has three bands, each a FIFO:
 *
 *	data	whole packets that a rule of the device's trimming policy makes eligible
 *	header	trimmed packets, and others that are marked to wait with them
 *	other	packets that are never trimmed
 *
 * A packet that finds no room in the data band is trimmed and joins the header band. The
 * other band is as long as any queue of the device, and drops what finds no room. bands.c
 * chooses the band that sends next. The policy configures the bands, and may come, change
 * and go while packets wait; without one all packets are in the other band. The qdisc's
 * options are limits of its own.
 *
 * The qdisc has one class. A qdisc that is put there, the child, takes the place of the
 * data and the other band.
 */
#include <linux/rtnetlink.h>
#include <linux/skbuff.h>
#include <net/pkt_sched.h>

#include <uapi/weir_tc.h>

#include "core/base/compat.h"
#include "trim/edge.h"
#include "trim/sch_limits.h"
#include "trim/sch_private.h"
#include "trim/sch_weir.h"

static struct sk_buff *weir_sch_from_child(struct weir_sch *q,
					   const struct weir_bands_limits *limits)
{
	struct weir_bands *bands = &q->backlog.bands;
	struct sk_buff *skb = weir_child_take(&q->child);

	if (skb && !bands->packets[WEIR_BAND_HEADER])
		weir_bands_sent_alone(bands, WEIR_BAND_DATA, qdisc_pkt_len(skb));
	else if (skb)
		weir_bands_sent(bands, limits, WEIR_BAND_DATA, qdisc_pkt_len(skb));
	weir_child_sync(&q->child, &q->backlog);
	return skb;
}

static struct sk_buff *weir_sch_from_queue(struct weir_sch *q,
					   const struct weir_trim *trim,
					   const struct weir_bands_limits *limits,
					   enum weir_band_id band)
{
	struct sk_buff *skb = __skb_dequeue(&q->queue[band]);

	if (!skb)
		return NULL;
	weir_bands_sent(&q->backlog.bands, limits, band, qdisc_pkt_len(skb));
	if (weir_sch_cb(skb)->kind == WEIR_SCH_TRIMMED)
		q->handed = skb;
	weir_sch_left(trim, q, skb, WEIR_TRIM_C_TX_TRIM);
	weir_sch_publish(q);
	return skb;
}

/* A child that holds its packets back does not delay headers. */
static struct sk_buff *weir_sch_next(struct Qdisc *sch)
{
	static const struct weir_bands_limits none = {
		.share = WEIR_TRIM_SHARE_STRICT,
	};
	const struct weir_bands_limits *limits = &none;
	struct weir_sch *q = qdisc_priv(sch);
	const struct weir_trim *trim;
	enum weir_band_id band;
	struct sk_buff *skb;

	if (q->child.qdisc && !q->backlog.bands.packets[WEIR_BAND_HEADER])
		return weir_sch_from_child(q, limits);
	trim = weir_sch_trim(sch);
	if (trim)
		limits = &weir_trim_rev(trim)->limits;
	band = weir_bands_next(&q->backlog.bands, limits);
	if (!q->child.qdisc || band == WEIR_BAND_HEADER)
		return weir_sch_from_queue(q, trim, limits, band);
	skb = weir_sch_from_child(q, limits);
	if (skb)
		return skb;
	skb = weir_sch_from_queue(q, trim, limits, WEIR_BAND_HEADER);
	weir_bands_alone(&q->backlog.bands);
	return skb;
}

static struct sk_buff *weir_sch_dequeue(struct Qdisc *sch)
{
	struct weir_sch *q = qdisc_priv(sch);
	struct sk_buff *skb;

	/* The stack dequeues after each packet, also after packets that went directly. */
	if (!sch->q.qlen || weir_reader_full(&q->reader, qdisc_dev(sch)))
		return NULL;
	q->handed = NULL;
	skb = weir_sch_next(sch);
	weir_backlog_settle(&q->backlog);
	if (!skb)
		return NULL;
	qdisc_qstats_backlog_dec(sch, skb);
	qdisc_bstats_update(sch, skb);
	weir_sch_count(&q->backlog.left, weir_sch_segs(skb));
	sch->q.qlen--;
	weir_reader_hand(&q->reader, skb);
	return skb;
}

/*
 * A shaper above takes the next packet out ahead of its time, and the packet is counted as sent
 * then. One that the shaper has not sent is dropped with those that wait.
 */
static void weir_sch_drop_handed(struct Qdisc *sch, const struct weir_trim *trim)
{
	struct weir_sch *q = qdisc_priv(sch);
	const struct sk_buff *skb;

	skb_queue_walk(&sch->gso_skb, skb) {
		if (skb != q->handed)
			continue;
		/* Counters may have been set to zero since. */
		if (q->backlog.tx_trim)
			weir_sch_count(&q->backlog.tx_trim, -1);
		weir_sch_count(&q->backlog.dropped_trim, 1);
		if (trim) {
			weir_trim_count(trim, WEIR_TRIM_C_TX_TRIM, -1);
			weir_trim_count(trim, WEIR_TRIM_C_DROPPED_TRIM, 1);
		}
	}
	q->handed = NULL;
}

static void weir_sch_empty(struct Qdisc *sch)
{
	const struct weir_trim *trim = weir_sch_trim(sch);
	struct weir_sch *q = qdisc_priv(sch);
	struct sk_buff *skb;
	int i;

	weir_reader_reset(&q->reader);
	weir_sch_drop_handed(sch, trim);
	for (i = 0; i < WEIR_BANDS; i++) {
		while ((skb = __skb_dequeue(&q->queue[i]))) {
			weir_bands_del(&q->backlog.bands, i,
				       qdisc_pkt_len(skb));
			weir_sch_left(trim, q, skb, WEIR_TRIM_C_DROPPED_TRIM);
			rtnl_kfree_skbs(skb, skb);
		}
	}
	if (q->child.qdisc) {
		qdisc_reset(q->child.qdisc);
		weir_child_sync(&q->child, &q->backlog);
	}
	weir_backlog_settle(&q->backlog);
}

/* Return true if the policy chooses a transmit queue for trimmed packets. */
static bool weir_sch_steers(const struct Qdisc *sch)
{
	const struct weir_trim *trim = weir_sch_trim(sch);

	return trim && weir_trim_rev(trim)->config.has & WEIR_TRIM_HAS_QUEUE;
}

/* New limits are in force at once, also for packets that wait. */
static int weir_sch_change(struct Qdisc *sch, struct nlattr *opt,
			   struct netlink_ext_ack *extack)
{
	struct weir_sch *q = qdisc_priv(sch);
	struct weir_sch_limits *own;
	int err;

	err = weir_sch_limits_parse(opt, &own, extack);
	if (err)
		return err;
	if (q->child.qdisc && weir_sch_limits_time(own)) {
		NL_SET_ERR_MSG_FMT(extack, "%s", weir_trim_childless_time);
		kfree(own);
		return -EOPNOTSUPP;
	}
	weir_backlog_set_own(&q->backlog, own);
	return 0;
}

static int weir_sch_dump(struct Qdisc *sch, struct sk_buff *skb)
{
	const struct weir_sch *q = qdisc_priv(sch);

	return weir_sch_limits_dump(rtnl_dereference(q->backlog.own), skb);
}

static int weir_sch_init_one(struct Qdisc *sch, struct nlattr *opt,
			     struct netlink_ext_ack *extack)
{
	struct weir_trim_net *wn = weir_trim_net(dev_net(qdisc_dev(sch)));
	struct weir_sch *q = qdisc_priv(sch);
	const struct weir_trim *trim;
	int i, err;

	/* First, as destroy() also runs for a qdisc whose init() failed. */
	for (i = 0; i < WEIR_BANDS; i++)
		__skb_queue_head_init(&q->queue[i]);
	err = weir_reader_init(&q->reader, sch) ?:
	      weir_backlog_add(&q->backlog, sch, !weir_edge_any(wn), extack);
	if (err)
		return err;
	trim = weir_sch_trim(sch);
	weir_backlog_pool(&q->backlog, trim ? weir_trim_pool(&weir_trim_rev(trim)->config) : NULL);
	err = weir_sch_change(sch, opt, extack);
	if (err)
		return err;
	/* At the root it replaces the qdiscs that are bound now. */
	if (sch->parent != TC_H_ROOT && weir_sch_bound(sch->dev_queue) &&
	    weir_sch_steers(sch)) {
		NL_SET_ERR_MSG(extack,
			       "the device's policy says which transmit queue trimmed packets get, which is chosen before a qdisc below mq has them");
		return -EOPNOTSUPP;
	}
	return 0;
}

static void weir_sch_destroy(struct Qdisc *sch)
{
	struct weir_sch *q = qdisc_priv(sch);

	weir_backlog_del(&q->backlog);
	weir_backlog_set_own(&q->backlog, NULL);
	weir_sch_empty(sch);
	weir_reader_destroy(&q->reader);
	qdisc_put(q->child.qdisc);
}

static int weir_sch_dump_stats(struct Qdisc *sch, struct gnet_dump *d)
{
	const struct weir_sch *q = qdisc_priv(sch);
	const struct weir_backlog *b = &q->backlog;
	struct weir_tc_stats stats = {
		.trim		= READ_ONCE(b->trim),
		.tx_trim	= READ_ONCE(b->tx_trim),
		.dropped_trim	= READ_ONCE(b->dropped_trim),
		.direct		= weir_backlog_one_direct(b),
		.child_dropped	= READ_ONCE(b->child_dropped),
		.data_bytes	= READ_ONCE(b->bands.bytes[WEIR_BAND_DATA]),
		.header_bytes	= READ_ONCE(b->bands.bytes[WEIR_BAND_HEADER]),
		.data_packets	= READ_ONCE(b->bands.packets[WEIR_BAND_DATA]),
		.header_packets	= READ_ONCE(b->bands.packets[WEIR_BAND_HEADER]),
		.data_max	= READ_ONCE(b->max[WEIR_BAND_DATA]),
		.header_max	= READ_ONCE(b->max[WEIR_BAND_HEADER]),
		.other_dropped	= READ_ONCE(b->other_dropped),
		.other_bytes	= READ_ONCE(b->bands.bytes[WEIR_BAND_OTHER]),
		.other_packets	= READ_ONCE(b->bands.packets[WEIR_BAND_OTHER]),
		.other_max	= READ_ONCE(b->max[WEIR_BAND_OTHER]),
	};

	return gnet_stats_copy_app(d, &stats, sizeof(stats));
}

static struct Qdisc_ops weir_sch_ops __read_mostly = {
	.cl_ops		= &weir_sch_class_ops,
	.id		= "weir",
	.priv_size	= sizeof(struct weir_sch),
	.enqueue	= weir_sch_enqueue,
	.dequeue	= weir_sch_dequeue,
	.peek		= qdisc_peek_dequeued,
	.init		= weir_sch_init_one,
	.change		= weir_sch_change,
	.reset		= weir_sch_empty,
	.destroy	= weir_sch_destroy,
	.dump		= weir_sch_dump,
	.dump_stats	= weir_sch_dump_stats,
	.owner		= THIS_MODULE,
};

/**
 * weir_sch_init() - offer the qdisc
 *
 * Qdiscs hold the module.
 */
int weir_sch_init(void)
{
	return register_qdisc(&weir_sch_ops);
}

/**
 * weir_sch_uninit() - offer it no more; there is none left
 */
void weir_sch_uninit(void)
{
	unregister_qdisc(&weir_sch_ops);
}

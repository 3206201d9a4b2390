// SPDX-License-Identifier: GPL-2.0
/*
 * The weir qdisc: two bands, one of whole packets and one of trimmed ones. A packet that
 * finds no room in the first is trimmed and joins the second. The device's trimming policy
 * configures it, and may come, change and go while packets wait. The qdisc's options are
 * limits of its own. Without a policy it is a FIFO as long as the device's txqueuelen.
 *
 * It has one class. A qdisc that is put there is the first band.
 */
#include <linux/random.h>
#include <linux/rtnetlink.h>
#include <linux/skbuff.h>
#include <net/pkt_sched.h>

#include <uapi/weir_tc.h>

#include "base/compat.h"
#include "trim/backlog.h"
#include "trim/child.h"
#include "trim/deflect.h"
#include "trim/edge.h"
#include "trim/reader.h"
#include "trim/sch_limits.h"
#include "trim/sch_weir.h"
#include "trim/trim.h"
#include "trim/trim_skb.h"
#include "trim/trim_trace.h"

/* IP lengths end here: a longer packet is a merged one. */
#define WEIR_SCH_LEN_MAX	65535

/* The one class, of whole packets. */
#define WEIR_SCH_CLASS		1

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
 * @since: when it came
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
 * @backlog: how much waits
 * @reader: packets handed out and not read yet
 * @child: a qdisc in which whole packets wait instead of in @queue, where one is set
 * @queue: packets that wait, a band
 * @last: the last eligible packet of the data band in @queue
 * @eligible: number of such packets; where it is 0, @last is stale, and so is a packet as
 *	many steps behind @last
 * @deflected: how many deflected packets wait in @queue
 */
struct weir_sch {
	struct weir_backlog	backlog;
	struct weir_reader	reader;
	struct weir_child	child;
	struct sk_buff_head	queue[WEIR_BANDS];
	struct sk_buff		*last;
	u32			eligible;
	u32			deflected;
};

/**
 * struct weir_sch_was - how much waited when a packet came
 * @packets: packets
 * @bytes: bytes
 *
 * Without packets that the child has dropped since: it reports these to the qdiscs above.
 */
struct weir_sch_was {
	u32	packets;
	u32	bytes;
};

/**
 * struct weir_sch_visit - the state that all packets of one enqueue call share
 * @sch: the qdisc
 * @was: how much waited in it before
 * @trim: the device's policy
 * @rev: its current revision
 * @limits: the limits in force for the qdisc
 * @to_free: where dropped packets go
 * @now: weir_backlog_now()
 * @refused: the child did not take the packet
 * @deflected: the device had no room for the packet before
 * @counter: the counter that the packet was in then
 */
struct weir_sch_visit {
	struct Qdisc			*sch;
	struct weir_sch_was		*was;
	const struct weir_trim		*trim;
	const struct weir_trim_rev	*rev;
	const struct weir_bands_limits	*limits;
	struct sk_buff			**to_free;
	u32				now;
	bool				refused;
	bool				deflected;
	u32				counter;
};

static struct weir_sch_cb *weir_sch_cb(struct sk_buff *skb)
{
	qdisc_cb_private_validate(skb, sizeof(struct weir_sch_cb));
	return (struct weir_sch_cb *)qdisc_skb_cb(skb)->data;
}

/* The policy that is the qdisc's to carry out, if there is one. */
static const struct weir_trim *weir_sch_trim(const struct Qdisc *sch)
{
	const struct net_device *dev = qdisc_dev(sch);
	const struct weir_trim *trim;

	trim = weir_trim_get(weir_net(dev_net(dev)), dev->ifindex);
	return trim && weir_trim_has_qdisc(&weir_trim_rev(trim)->config) ?
	       trim : NULL;
}

static u64 weir_sch_waited(struct weir_sch *q, enum weir_band_id band, u32 now)
{
	struct sk_buff *head = skb_peek(&q->queue[band]);

	return head ? weir_backlog_waited(weir_sch_cb(head)->since, now) : 0;
}

/* Readers outside of the qdisc see the data band's head without its lock. */
static void weir_sch_publish(struct weir_sch *q)
{
	struct sk_buff *head = skb_peek(&q->queue[WEIR_BAND_DATA]);

	if (head)
		WRITE_ONCE(q->backlog.head, weir_sch_cb(head)->since);
}

static void weir_sch_add(struct Qdisc *sch, struct sk_buff *skb,
			 enum weir_band_id band, enum weir_sch_kind kind,
			 bool deflected, u32 now)
{
	struct weir_sch *q = qdisc_priv(sch);
	struct weir_sch_cb *cb = weir_sch_cb(skb);

	cb->kind = kind;
	cb->since = now;
	cb->deflected = deflected;
	q->deflected += deflected;
	if (kind == WEIR_SCH_WHOLE) {
		cb->older = q->last;
		q->last = skb;
		q->eligible++;
	}
	__skb_queue_tail(&q->queue[band], skb);
	weir_bands_add(&q->backlog.bands, band, qdisc_pkt_len(skb));
	weir_sch_publish(q);
	qdisc_qstats_backlog_inc(sch, skb);
	sch->q.qlen++;
}

static u32 weir_sch_deflected(const struct weir_sch *q)
{
	return q->deflected + q->child.deflected;
}

static void weir_sch_maximum(const struct weir_sch_visit *v,
			     enum weir_trim_counter counter,
			     enum weir_band_id band)
{
	struct weir_sch *q = qdisc_priv(v->sch);
	struct weir_trim_cpu *cpu = this_cpu_ptr(v->trim->cpu);
	u32 packets = q->backlog.bands.packets[band];

	if (packets > q->backlog.max[band])
		WRITE_ONCE(q->backlog.max[band], packets);
	if (packets > cpu->count[counter])
		WRITE_ONCE(cpu->count[counter], packets);
	if (weir_sch_deflected(q) > cpu->count[WEIR_TRIM_C_DEFLECTED_MAX])
		WRITE_ONCE(cpu->count[WEIR_TRIM_C_DEFLECTED_MAX],
			   weir_sch_deflected(q));
}

/* A counter of the qdisc's own, which is read without the qdisc's lock. */
static void weir_sch_count(u64 *counter, s32 n)
{
	WRITE_ONCE(*counter, *counter + n);
}

static void weir_sch_add_data(const struct weir_sch_visit *v,
			      struct sk_buff *skb, enum weir_sch_kind kind)
{
	weir_sch_add(v->sch, skb, WEIR_BAND_DATA, kind, v->deflected, v->now);
	weir_sch_maximum(v, WEIR_TRIM_C_DATA_MAX, WEIR_BAND_DATA);
}

static void weir_sch_add_header(const struct weir_sch_visit *v,
				struct sk_buff *skb, enum weir_sch_kind kind)
{
	weir_sch_add(v->sch, skb, WEIR_BAND_HEADER, kind, v->deflected, v->now);
	weir_sch_maximum(v, WEIR_TRIM_C_HEADER_MAX, WEIR_BAND_HEADER);
}

/*
 * An eligible packet leaves the data band, the oldest or the last of them. Programs read its
 * control block from here on, and are not to find an address there.
 */
static void weir_sch_forget(struct weir_sch *q, struct sk_buff *skb)
{
	q->eligible--;
	if (skb == q->last)
		q->last = q->eligible ? weir_sch_cb(skb)->older : NULL;
	weir_sch_cb(skb)->older = NULL;
}

/* A packet leaves, to be sent or dropped with all that wait. */
static void weir_sch_left(const struct weir_trim *trim, struct weir_sch *q,
			  struct sk_buff *skb, enum weir_trim_counter trimmed)
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

/* Takes the last eligible packet out of the data band. */
static struct sk_buff *weir_sch_take_last(struct Qdisc *sch)
{
	struct weir_sch *q = qdisc_priv(sch);
	struct sk_buff *skb = q->last;

	weir_sch_forget(q, skb);
	q->deflected -= weir_sch_cb(skb)->deflected;
	__skb_unlink(skb, &q->queue[WEIR_BAND_DATA]);
	weir_bands_del(&q->backlog.bands, WEIR_BAND_DATA, qdisc_pkt_len(skb));
	weir_sch_publish(q);
	qdisc_qstats_backlog_dec(sch, skb);
	sch->q.qlen--;
	return skb;
}

/* A segment's length in the qdisc is its own; a size table (tc-stab(8)) saw only the whole. */
static void weir_sch_measure(struct sk_buff *skb)
{
	qdisc_skb_cb(skb)->pkt_len = skb->len;
}

/* A size table (tc-stab(8)) adds overhead for the wire, and a shorter packet has it, too. */
static void weir_sch_shorten(struct sk_buff *skb, u32 by)
{
	struct qdisc_skb_cb *cb = qdisc_skb_cb(skb);

	cb->pkt_len = cb->pkt_len > by ? cb->pkt_len - by : skb->len;
}

/**
 * weir_sch_bound() - are a transmit queue's packets bound to it?
 * @txq: one of a device's transmit queues
 *
 * Below mq, and the like, a qdisc has one transmit queue. The stack sends its packets under
 * that queue's lock, and runs it again when that queue has room; so no packet may change its
 * queue there.
 *
 * Called under RTNL, or with bottom halves disabled.
 */
bool weir_sch_bound(const struct netdev_queue *txq)
{
	const struct Qdisc *root;

	root = rcu_dereference_bh_check(txq->qdisc_sleeping,
					lockdep_rtnl_is_held());
	return netif_is_multiqueue(txq->dev) && root->flags & TCQ_F_ONETXQUEUE;
}

/* A packet that is bound to its transmit queue stays there. */
static void weir_sch_steer(const struct weir_sch_visit *v, struct sk_buff *skb)
{
	const struct weir_trim_policy *policy = &v->rev->policy;

	if (policy->flags & WEIR_TRIM_SET_QUEUE &&
	    policy->queue < skb->dev->real_num_tx_queues &&
	    !weir_sch_bound(v->sch->dev_queue))
		skb_set_queue_mapping(skb, policy->queue);
}

static int weir_sch_drop(const struct weir_sch_visit *v, struct sk_buff *skb,
			 enum weir_trim_counter counter, int class)
{
	trace_weir_trim_dropped(qdisc_dev(v->sch), skb->len, class);
	weir_trim_count(v->trim, counter, 1);
	return qdisc_drop(skb, v->sch, v->to_free);
}

/* Deflected packets have no more room than in the paper (section 6.2). */
static bool weir_sch_deflected_full(const struct weir_sch_visit *v)
{
	const struct weir_sch *q = qdisc_priv(v->sch);

	return v->deflected && weir_sch_deflected(q) >= WEIR_TRIM_DEFLECTED_MAX;
}

static bool weir_sch_header_full(const struct weir_sch_visit *v)
{
	struct weir_sch *q = qdisc_priv(v->sch);

	return weir_sch_deflected_full(v) ||
	       weir_bands_header_full(&q->backlog.bands, v->limits,
				      weir_sch_waited(q, WEIR_BAND_HEADER,
						      v->now));
}

/*
 * Whether a packet without room was sent back; else it is the caller's yet. One that a program
 * has counted as trimmed may be anything, also without headers that could be turned round.
 */
static bool weir_sch_return(const struct weir_sch_visit *v, struct sk_buff *skb,
			    struct weir_trim_pkt *pkt, int class)
{
	const struct weir_trim_policy *policy = &v->rev->policy;

	return pkt->l3 && weir_trim_returns(pkt, class) &&
	       weir_trim_skb_returnable(policy, skb) &&
	       weir_trim_skb_return(policy, skb, pkt);
}

/* Even the trimmed packet finds no room. Its drop was counted before. */
static int weir_sch_bounce(const struct weir_sch_visit *v, struct sk_buff *skb,
			   struct weir_trim_pkt *pkt)
{
	struct weir_sch *q = qdisc_priv(v->sch);

	if (weir_sch_return(v, skb, pkt, WEIR_TRIM_DATA)) {
		weir_trim_count(v->trim, WEIR_TRIM_C_RETURNED, 1);
		return NET_XMIT_SUCCESS | __NET_XMIT_STOLEN;
	}
	trace_weir_trim_dropped(qdisc_dev(v->sch), skb->len, WEIR_TRIM_DATA);
	weir_trim_count(v->trim, WEIR_TRIM_C_DROPPED_TRIM, 1);
	weir_sch_count(&q->backlog.dropped_trim, 1);
	__qdisc_drop(skb, v->to_free);
	return NET_XMIT_DROP;
}

static void weir_sch_count_trim(const struct weir_sch_visit *v, u32 len,
				u32 kept)
{
	struct weir_sch *q = qdisc_priv(v->sch);

	trace_weir_trim(qdisc_dev(v->sch), &q->backlog.bands, len, kept,
			WEIR_TRIM_DATA);
	weir_sch_count(&q->backlog.trim, 1);
	weir_trim_count(v->trim, WEIR_TRIM_C_TRIM, 1);
	weir_trim_count(v->trim, WEIR_TRIM_C_TRIM_BYTES, len - kept);
	if (len == kept)
		weir_trim_count(v->trim, WEIR_TRIM_C_SHORT, 1);
	/* tc(8) shows each trim as a drop, and overlimits is how many of the drops were trims. */
	qdisc_qstats_drop(v->sch);
	qdisc_qstats_overlimit(v->sch);
}

/* The drop of the whole packet is counted here, even where its header is dropped, too. */
static int weir_sch_trim_one(const struct weir_sch_visit *v,
			     struct sk_buff *skb, struct weir_trim_pkt *pkt)
{
	struct sk_buff *cut;

	cut = weir_trim_skb_cut(&v->rev->policy, skb, pkt);
	if (!cut)
		return weir_sch_drop(v, skb, WEIR_TRIM_C_FAILED,
				     WEIR_TRIM_DATA);
	weir_sch_count_trim(v, skb->len, cut->len);
	weir_sch_shorten(cut, skb->len - cut->len);
	consume_skb(skb);
	if (weir_sch_header_full(v))
		return weir_sch_bounce(v, cut, pkt);
	weir_sch_steer(v, cut);
	weir_sch_add_header(v, cut, WEIR_SCH_TRIMMED);
	return NET_XMIT_SUCCESS;
}

static bool weir_sch_swaps(const struct weir_sch_visit *v,
			   const struct sk_buff *skb)
{
	struct weir_sch *q = qdisc_priv(v->sch);
	u32 coin = 0;

	if (v->limits->victim == WEIR_TRIM_VICTIM_ARRIVING || !q->last)
		return false;
	if (v->limits->victim == WEIR_TRIM_VICTIM_COIN)
		coin = get_random_u32();
	return weir_bands_swap(&q->backlog.bands, v->limits,
			       qdisc_pkt_len(skb), qdisc_pkt_len(q->last), coin);
}

/* The band's last eligible packet makes room for one that arrives. */
static int weir_sch_swap(const struct weir_sch_visit *v, struct sk_buff *skb)
{
	struct sk_buff *last = weir_sch_take_last(v->sch);
	struct weir_sch_visit of_last = *v;
	struct weir_trim_pkt pkt;

	of_last.deflected = weir_sch_cb(last)->deflected;
	/* It was eligible when it came. The policy may have changed since. */
	if (weir_trim_skb_parse(last, &pkt))
		weir_sch_trim_one(&of_last, last, &pkt);
	else
		weir_sch_drop(&of_last, last, WEIR_TRIM_C_FAILED, WEIR_TRIM_DATA);
	weir_sch_add_data(v, skb, WEIR_SCH_WHOLE);
	return NET_XMIT_SUCCESS;
}

/* An empty queue has room, however much waits in the port's others. */
static bool weir_sch_port_full(const struct weir_sch_visit *v,
			       const struct sk_buff *skb)
{
	const struct weir_sch *q = qdisc_priv(v->sch);

	return v->limits->port_bytes &&
	       q->backlog.bands.packets[WEIR_BAND_DATA] &&
	       weir_backlog_port_full(q->backlog.port, v->limits,
				      qdisc_pkt_len(skb));
}

static bool weir_sch_data_full(const struct weir_sch_visit *v,
			       const struct sk_buff *skb)
{
	struct weir_sch *q = qdisc_priv(v->sch);

	return v->refused || weir_sch_deflected_full(v) ||
	       weir_bands_data_full(&q->backlog.bands, v->limits,
				    qdisc_pkt_len(skb),
				    weir_sch_waited(q, WEIR_BAND_DATA, v->now)) ||
	       weir_sch_port_full(v, skb);
}

static int weir_sch_classify(const struct weir_sch_visit *v,
			     struct sk_buff *skb, struct weir_trim_pkt *pkt)
{
	const struct weir_trim_policy *policy = &v->rev->policy;
	int class;

	if (!weir_trim_skb_parse(skb, pkt)) {
		pkt->l3 = NULL;
		return WEIR_TRIM_OTHER;
	}
	class = weir_trim_classify(policy, pkt);
	if (weir_trim_is_marked(class) && weir_edge(skb))
		class = weir_trim_distrust(policy, pkt, class);
	return class;
}

/* Gives a packet to the child, which may free it. Returns the child's answer. */
static int weir_sch_give(struct Qdisc *sch, struct sk_buff *skb,
			 struct sk_buff **to_free)
{
	struct weir_sch *q = qdisc_priv(sch);
	u32 len = qdisc_pkt_len(skb);
	int ret;

	ret = weir_child_give(&q->child, &q->backlog, skb, to_free);
	if (ret == NET_XMIT_SUCCESS) {
		sch->qstats.backlog += len;
		sch->q.qlen++;
	}
	return ret;
}

static void weir_sch_count_refused(struct Qdisc *sch, int ret)
{
	if (ret != NET_XMIT_SUCCESS && net_xmit_drop_count(ret))
		qdisc_qstats_drop(sch);
}

/*
 * The same, for a policy. Changes that the child reports to the qdiscs above are not reported
 * again.
 */
static int weir_sch_give_one(const struct weir_sch_visit *v, struct sk_buff *skb)
{
	struct weir_sch *q = qdisc_priv(v->sch);
	u32 packets = v->sch->q.qlen, bytes = v->sch->qstats.backlog;
	u32 len = qdisc_pkt_len(skb);
	int ret;

	ret = weir_sch_give(v->sch, skb, v->to_free);
	v->was->packets += v->sch->q.qlen - packets;
	v->was->bytes += v->sch->qstats.backlog - bytes;
	if (ret == NET_XMIT_SUCCESS) {
		v->was->packets--;
		v->was->bytes -= len;
		q->child.deflected += v->deflected;
		weir_sch_maximum(v, WEIR_TRIM_C_DATA_MAX, WEIR_BAND_DATA);
	}
	return ret;
}

/* The child may have changed the packet. */
static int weir_sch_refused(const struct weir_sch_visit *v, struct sk_buff *skb)
{
	struct weir_trim_pkt pkt;

	if (weir_sch_classify(v, skb, &pkt) != WEIR_TRIM_DATA)
		return weir_sch_drop(v, skb, WEIR_TRIM_C_FAILED, WEIR_TRIM_DATA);
	return weir_sch_trim_one(v, skb, &pkt);
}

/* An eligible packet is counted now: it is not recognized when it leaves the child. */
static int weir_sch_give_data(const struct weir_sch_visit *v, struct sk_buff *skb)
{
	struct weir_sch *q = qdisc_priv(v->sch);
	u32 len = skb->len;
	int ret;

	ret = weir_sch_give_one(v, skb);
	if (weir_child_back(&q->backlog, skb, v->to_free, ret))
		return weir_sch_refused(v, skb);
	weir_trim_count(v->trim, WEIR_TRIM_C_WHOLE, 1);
	weir_trim_count(v->trim, WEIR_TRIM_C_WHOLE_BYTES, len);
	weir_sch_count_refused(v->sch, ret);
	return ret;
}

static int weir_sch_give_other(const struct weir_sch_visit *v, struct sk_buff *skb)
{
	int ret = weir_sch_give_one(v, skb);

	weir_sch_count_refused(v->sch, ret);
	return ret;
}

static int weir_sch_data(const struct weir_sch_visit *v, struct sk_buff *skb,
			 struct weir_trim_pkt *pkt)
{
	const struct weir_sch *q = qdisc_priv(v->sch);

	if (!weir_sch_data_full(v, skb)) {
		if (q->child.qdisc)
			return weir_sch_give_data(v, skb);
		weir_sch_add_data(v, skb, WEIR_SCH_WHOLE);
		return NET_XMIT_SUCCESS;
	}
	if (weir_sch_swaps(v, skb))
		return weir_sch_swap(v, skb);
	return weir_sch_trim_one(v, skb, pkt);
}

/* A packet trimmed upstream that finds no room here is counted apart from trims of this box. */
static int weir_sch_header(const struct weir_sch_visit *v, struct sk_buff *skb,
			   struct weir_trim_pkt *pkt, int class)
{
	weir_trim_count(v->trim, WEIR_TRIM_C_HEADERS, 1);
	if (weir_sch_header_full(v)) {
		if (!weir_sch_return(v, skb, pkt, class))
			return weir_sch_drop(v, skb,
					     WEIR_TRIM_C_HEADERS_DROPPED,
					     class);
		weir_trim_count(v->trim, WEIR_TRIM_C_HEADERS_DROPPED, 1);
		qdisc_qstats_drop(v->sch);
		return NET_XMIT_SUCCESS | __NET_XMIT_STOLEN;
	}
	weir_sch_add_header(v, skb, WEIR_SCH_PLAIN);
	return NET_XMIT_SUCCESS;
}

static int weir_sch_other(const struct weir_sch_visit *v, struct sk_buff *skb,
			  int class)
{
	const struct weir_sch *q = qdisc_priv(v->sch);

	weir_trim_count(v->trim, WEIR_TRIM_C_OTHER, 1);
	if (weir_sch_data_full(v, skb))
		return weir_sch_drop(v, skb, WEIR_TRIM_C_OTHER_DROPPED, class);
	if (q->child.qdisc)
		return weir_sch_give_other(v, skb);
	weir_sch_add_data(v, skb, WEIR_SCH_PLAIN);
	return NET_XMIT_SUCCESS;
}

static int weir_sch_untrusted(const struct weir_sch_visit *v,
			      struct sk_buff *skb, struct weir_trim_pkt *pkt)
{
	weir_trim_count(v->trim, WEIR_TRIM_C_UNTRUSTED, 1);
	if (weir_trim_skb_unmark(skb, pkt))
		return weir_sch_drop(v, skb, WEIR_TRIM_C_FAILED,
				     WEIR_TRIM_UNTRUSTED);
	return weir_sch_other(v, skb, WEIR_TRIM_UNTRUSTED);
}

/* XDP trimmed it and counted the trim; only the packet's end was open. */
static int weir_sch_trimmed(const struct weir_sch_visit *v, struct sk_buff *skb,
			    struct weir_trim_pkt *pkt)
{
	if (weir_sch_header_full(v)) {
		qdisc_qstats_drop(v->sch);
		return weir_sch_bounce(v, skb, pkt);
	}
	weir_sch_steer(v, skb);
	weir_sch_add_header(v, skb, WEIR_SCH_TRIMMED);
	return NET_XMIT_SUCCESS;
}

static int weir_sch_one(const struct weir_sch_visit *v, struct sk_buff *skb,
			struct weir_trim_pkt *pkt, int class)
{
	switch (class) {
	case WEIR_TRIM_DATA:
		return weir_sch_data(v, skb, pkt);
	case WEIR_TRIM_HEADER:
	case WEIR_TRIM_RETURNED:
	case WEIR_TRIM_CONTROL:
		return weir_sch_header(v, skb, pkt, class);
	case WEIR_TRIM_UNTRUSTED:
		return weir_sch_untrusted(v, skb, pkt);
	default:
		return weir_sch_other(v, skb, class);
	}
}

/*
 * A merged packet is segmented before it is looked at, as trimming is for packets as they are on
 * the wire.
 */
static int weir_sch_segments(const struct weir_sch_visit *v,
			     struct sk_buff *skb)
{
	netdev_features_t features = netif_skb_features(skb);
	struct sk_buff *segs, *next, *seg;
	int ret = NET_XMIT_DROP, one;
	struct weir_trim_pkt pkt;

	segs = skb_gso_segment(skb, features & ~NETIF_F_GSO_MASK);
	if (IS_ERR_OR_NULL(segs))
		return weir_sch_drop(v, skb, WEIR_TRIM_C_FAILED,
				     WEIR_TRIM_OTHER);
	consume_skb(skb);
	skb_list_walk_safe(segs, seg, next) {
		skb_mark_not_on_list(seg);
		weir_sch_measure(seg);
		one = weir_sch_one(v, seg, &pkt,
				   weir_sch_classify(v, seg, &pkt));
		/*
		 * A segment that waits decides the result before one that went back or was
		 * dropped.
		 */
		if (one == NET_XMIT_SUCCESS || ret == NET_XMIT_DROP)
			ret = one;
	}
	return ret;
}

static int weir_sch_visit(const struct weir_sch_visit *v, struct sk_buff *skb)
{
	struct weir_trim_pkt pkt;
	int class;

	skb = skb_share_check(skb, GFP_ATOMIC);
	if (!skb) {
		weir_trim_count(v->trim, WEIR_TRIM_C_FAILED, 1);
		qdisc_qstats_drop(v->sch);
		return NET_XMIT_DROP;
	}
	class = weir_sch_classify(v, skb, &pkt);
	if (skb_is_gso(skb) &&
	    (class == WEIR_TRIM_DATA || skb->len > WEIR_SCH_LEN_MAX))
		return weir_sch_segments(v, skb);
	if (v->deflected && v->counter == WEIR_TRIM_C_TX_TRIM)
		return weir_sch_trimmed(v, skb, &pkt);
	return weir_sch_one(v, skb, &pkt, class);
}

/*
 * The qdiscs above count one packet of the original length for each success. They get the
 * difference from here: of this packet, and of packets that waited before.
 */
static void weir_sch_settle(struct Qdisc *sch, int ret, u32 len,
			    const struct weir_sch_was *was)
{
	int more = ret == NET_XMIT_SUCCESS;
	u32 packets = was->packets + more - sch->q.qlen;
	u32 bytes = was->bytes + more * len - sch->qstats.backlog;

	if (packets || bytes)
		qdisc_tree_reduce_backlog(sch, packets, bytes);
}

static u32 weir_sch_segs(const struct sk_buff *skb)
{
	return skb_is_gso(skb) ? skb_shinfo(skb)->gso_segs : 1;
}

static int weir_sch_enqueue_plain(struct sk_buff *skb, struct Qdisc *sch,
				  struct sk_buff **to_free)
{
	struct weir_sch *q = qdisc_priv(sch);
	u32 limit = READ_ONCE(qdisc_dev(sch)->tx_queue_len) ?: 1;
	int ret;

	if (q->child.qdisc) {
		ret = weir_sch_give(sch, skb, to_free);
		weir_sch_count_refused(sch, ret);
		return ret;
	}
	if (q->backlog.bands.packets[WEIR_BAND_DATA] >= limit)
		return qdisc_drop(skb, sch, to_free);
	weir_sch_add(sch, skb, WEIR_BAND_DATA, WEIR_SCH_PLAIN, false,
		     weir_backlog_now());
	return NET_XMIT_SUCCESS;
}

static int weir_sch_enqueue_trim(struct sk_buff *skb, struct Qdisc *sch,
				 struct sk_buff **to_free, bool refused,
				 const struct weir_deflect_was *deflected)
{
	struct weir_sch_was was = {
		.packets	= sch->q.qlen,
		.bytes		= sch->qstats.backlog,
	};
	struct weir_sch_visit v = {
		.sch		= sch,
		.was		= &was,
		.trim		= weir_sch_trim(sch),
		.to_free	= to_free,
		.refused	= refused,
		.deflected	= deflected->skb,
		.counter	= deflected->counter,
		.now		= weir_backlog_now(),
	};
	struct weir_sch *q = qdisc_priv(sch);
	struct weir_bands_limits own;
	u32 len = qdisc_pkt_len(skb);
	int ret;

	if (!v.trim)
		return refused ? qdisc_drop(skb, sch, to_free) :
				 weir_sch_enqueue_plain(skb, sch, to_free);
	v.rev = weir_trim_rev(v.trim);
	v.limits = weir_backlog_limits(&q->backlog, &v.rev->limits, &own);
	if (v.deflected)
		weir_deflect_take(v.trim, deflected);
	ret = weir_sch_visit(&v, skb);
	weir_sch_settle(sch, ret, len, &was);
	return ret;
}

/*
 * While nothing waits, a packet goes to the child without a look at it, and is counted like a
 * packet that goes directly to the device. Only a packet that the child refuses is looked at.
 */
static int weir_sch_enqueue_idle(struct sk_buff *skb, struct Qdisc *sch,
				 struct sk_buff **to_free,
				 const struct weir_deflect_was *deflected)
{
	struct weir_sch *q = qdisc_priv(sch);
	u32 segs = weir_sch_segs(skb);
	int ret;

	ret = weir_sch_give(sch, skb, to_free);
	if (likely(ret == NET_XMIT_SUCCESS)) {
		weir_sch_count(&q->backlog.left, -segs);
		return ret;
	}
	if (weir_child_back(&q->backlog, skb, to_free, ret))
		return weir_sch_enqueue_trim(skb, sch, to_free, true, deflected);
	weir_sch_count_refused(sch, ret);
	return ret;
}

static int weir_sch_enqueue(struct sk_buff *skb, struct Qdisc *sch,
			    struct sk_buff **to_free)
{
	struct weir_sch *q = qdisc_priv(sch);
	struct weir_deflect_was deflected;

	/* A child writes where the packet says it. */
	weir_deflect_was(skb, &deflected);
	if (q->child.qdisc && !sch->q.qlen && READ_ONCE(q->backlog.bypass))
		return weir_sch_enqueue_idle(skb, sch, to_free, &deflected);
	return weir_sch_enqueue_trim(skb, sch, to_free, false, &deflected);
}

static struct sk_buff *weir_sch_from_child(struct weir_sch *q,
					   const struct weir_bands_limits *limits)
{
	struct sk_buff *skb = weir_child_take(&q->child);

	if (skb)
		weir_bands_sent(&q->backlog.bands, limits, WEIR_BAND_DATA,
				qdisc_pkt_len(skb));
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
	skb = weir_sch_next(sch);
	if (!skb)
		return NULL;
	qdisc_qstats_backlog_dec(sch, skb);
	qdisc_bstats_update(sch, skb);
	weir_sch_count(&q->backlog.left, weir_sch_segs(skb));
	sch->q.qlen--;
	weir_reader_hand(&q->reader, skb);
	return skb;
}

static void weir_sch_empty(struct Qdisc *sch)
{
	const struct weir_trim *trim = weir_sch_trim(sch);
	struct weir_sch *q = qdisc_priv(sch);
	struct sk_buff *skb;
	int i;

	weir_reader_reset(&q->reader);
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
}

/* Does the policy choose a transmit queue for trimmed packets? */
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
	struct weir_net *wn = weir_net(dev_net(qdisc_dev(sch)));
	struct weir_sch *q = qdisc_priv(sch);
	int i, err;

	/* First, as destroy() also runs for a qdisc whose init() failed. */
	for (i = 0; i < WEIR_BANDS; i++)
		__skb_queue_head_init(&q->queue[i]);
	err = weir_reader_init(&q->reader, sch) ?:
	      weir_backlog_add(&q->backlog, sch, !weir_edge_any(wn), extack);
	if (err)
		return err;
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

/* Packets that wait in the FIFO go into a new child, as if they came only now. */
static void weir_sch_move(struct Qdisc *sch, struct sk_buff **to_free)
{
	const struct weir_trim *trim = weir_sch_trim(sch);
	struct weir_sch *q = qdisc_priv(sch);
	struct sk_buff_head all;
	struct sk_buff *skb;
	u32 len;

	__skb_queue_head_init(&all);
	skb_queue_splice_tail_init(&q->queue[WEIR_BAND_DATA], &all);
	skb_queue_walk(&all, skb)
		weir_bands_del(&q->backlog.bands, WEIR_BAND_DATA,
			       qdisc_pkt_len(skb));
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
	if (moves)
		weir_sch_move(sch, to_free);
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
		.qlen		= bands->packets[WEIR_BAND_DATA],
		.backlog	= bands->bytes[WEIR_BAND_DATA],
	};
	struct Qdisc *child = q->child.qdisc;

	if (!child)
		return gnet_stats_copy_queue(d, NULL, &waits, waits.qlen);
	if (gnet_stats_copy_basic(d, NULL, &child->bstats, true) < 0 ||
	    qdisc_qstats_copy(d, child) < 0)
		return -1;
	return 0;
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
	};

	return gnet_stats_copy_app(d, &stats, sizeof(stats));
}

/* The child has become empty without a dequeue. */
static void weir_sch_qlen_notify(struct Qdisc *sch, unsigned long class)
{
	struct weir_sch *q = qdisc_priv(sch);

	if (q->child.qdisc)
		weir_child_sync(&q->child, &q->backlog);
}

static const struct Qdisc_class_ops weir_sch_class_ops = {
	.graft		= weir_sch_graft,
	.leaf		= weir_sch_leaf,
	.qlen_notify	= weir_sch_qlen_notify,
	.find		= weir_sch_find,
	.walk		= weir_sch_walk,
	.dump		= weir_sch_dump_class,
	.dump_stats	= weir_sch_dump_class_stats,
};

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

// SPDX-License-Identifier: GPL-2.0
/*
 * Packets that come to the weir qdisc: which band each joins, and what becomes of one that
 * finds no room.
 */
#include <linux/etherdevice.h>
#include <linux/if_ether.h>
#include <linux/if_vlan.h>
#include <linux/random.h>
#include <linux/rtnetlink.h>
#include <linux/skbuff.h>
#include <net/gso.h>
#include <net/ndisc.h>
#include <net/pkt_sched.h>

#include "core/base/compat.h"
#include "trim/acl.h"
#include "trim/deflect.h"
#include "trim/edge.h"
#include "trim/sch_private.h"
#include "trim/sch_weir.h"
#include "trim/trim_skb.h"
#include "trim/trim_trace.h"

/*
 * Packets that keep a network alive and find the other band full: so many of them may wait
 * there yet.
 */
#define WEIR_SCH_CONTROL_ROOM	64

/* IP lengths end here: a longer packet is a merged one. */
#define WEIR_SCH_LEN_MAX	65535

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
 * @was: bytes that waited in it before
 * @trim: the device's policy
 * @rev: its current revision
 * @limits: the limits in force for the qdisc
 * @to_free: list of dropped packets
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

static void weir_sch_add_data(const struct weir_sch_visit *v,
			      struct sk_buff *skb, enum weir_sch_kind kind)
{
	weir_sch_add(v->sch, skb, WEIR_BAND_DATA, kind, v->deflected, v->now);
	weir_sch_maximum(v, WEIR_TRIM_C_DATA_MAX, WEIR_BAND_DATA);
}

static void weir_sch_add_other(const struct weir_sch_visit *v,
			       struct sk_buff *skb)
{
	weir_sch_add(v->sch, skb, WEIR_BAND_OTHER, WEIR_SCH_PLAIN, v->deflected,
		     v->now);
	weir_sch_maximum(v, WEIR_TRIM_C_OTHER_MAX, WEIR_BAND_OTHER);
}

static void weir_sch_add_header(const struct weir_sch_visit *v,
				struct sk_buff *skb, enum weir_sch_kind kind)
{
	weir_sch_add(v->sch, skb, WEIR_BAND_HEADER, kind, v->deflected, v->now);
	weir_sch_maximum(v, WEIR_TRIM_C_HEADER_MAX, WEIR_BAND_HEADER);
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
 * weir_sch_bound() - test whether a transmit queue's packets are bound to it
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
	int queue = policy->queue;

	if (!(policy->flags & (WEIR_TRIM_SET_QUEUE | WEIR_TRIM_SET_CLASS)) ||
	    weir_sch_bound(v->sch->dev_queue))
		return;
	if (policy->flags & WEIR_TRIM_SET_CLASS)
		queue = weir_trim_skb_class(skb, policy->class[policy->dscp]);
	if (queue >= 0 && queue < skb->dev->real_num_tx_queues)
		skb_set_queue_mapping(skb, queue);
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
 * Send a packet without room back. Return false if it stays with the caller. A packet that a
 * program has counted as trimmed may lack the headers that are needed for this.
 */
static bool weir_sch_return(const struct weir_sch_visit *v, struct sk_buff *skb,
			    struct weir_trim_pkt *pkt, int class)
{
	const struct weir_trim_policy *policy = &v->rev->policy;

	return pkt->l3 && weir_trim_returns(pkt, class) &&
	       weir_trim_skb_returnable(policy, skb) &&
	       weir_trim_skb_return(policy, skb, pkt);
}

/* Send a packet that was trimmed here back. Return false if it stays with the caller. */
static bool weir_sch_return_trimmed(const struct weir_sch_visit *v,
				    struct sk_buff *skb,
				    struct weir_trim_pkt *pkt)
{
	if (!weir_sch_return(v, skb, pkt, WEIR_TRIM_DATA))
		return false;
	weir_trim_count(v->trim, WEIR_TRIM_C_RETURNED, 1);
	return true;
}

/* Even the trimmed packet finds no room. Its drop was counted before. */
static int weir_sch_bounce(const struct weir_sch_visit *v, struct sk_buff *skb,
			   struct weir_trim_pkt *pkt)
{
	struct weir_sch *q = qdisc_priv(v->sch);

	if (weir_sch_return_trimmed(v, skb, pkt))
		return NET_XMIT_SUCCESS | __NET_XMIT_STOLEN;
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
	if (v->rev->policy.flags & WEIR_TRIM_RETURN_ALWAYS &&
	    weir_sch_return_trimmed(v, cut, pkt))
		return NET_XMIT_SUCCESS | __NET_XMIT_STOLEN;
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
	/* A pool without room has none for a longer packet either. */
	if (q->backlog.pool && qdisc_pkt_len(skb) > qdisc_pkt_len(q->last))
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

/*
 * Takes room for the packet out of the port's pool, if there is any. Without a pool, as of a
 * class's dynamic limit while the policy names none, there is room for one packet.
 */
static bool weir_sch_pool_full(const struct weir_sch_visit *v,
			       const struct sk_buff *skb)
{
	struct weir_backlog *b = &((struct weir_sch *)qdisc_priv(v->sch))->backlog;

	if (b->pool)
		return !weir_trim_pool_take(b->pool, v->limits, &b->pooled,
					    qdisc_pkt_len(skb));
	return v->limits->alpha && b->bands.packets[WEIR_BAND_DATA];
}

/*
 * Return true if the data band has no room. The pool is checked last, as that takes room out of it.
 */
static bool weir_sch_data_full(const struct weir_sch_visit *v,
			       const struct sk_buff *skb)
{
	struct weir_sch *q = qdisc_priv(v->sch);

	return v->refused || weir_sch_deflected_full(v) ||
	       weir_bands_data_full(&q->backlog.bands, v->limits,
				    qdisc_pkt_len(skb),
				    weir_sch_waited(q, WEIR_BAND_DATA, v->now)) ||
	       weir_sch_port_full(v, skb) || weir_sch_pool_full(v, skb);
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

/**
 * weir_sch_give() - give a packet to the child
 * @sch: a qdisc with a child
 * @skb: the packet, which the child may free
 * @to_free: list of dropped packets
 *
 * Called under the root's lock.
 *
 * Return: the child's answer, NET_XMIT_*.
 */
int weir_sch_give(struct Qdisc *sch, struct sk_buff *skb,
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

/* Neighbor discovery (RFC 4861): ICMPv6 right behind the IP header. */
static bool weir_sch_is_discovery(const struct sk_buff *skb, int at)
{
	struct ipv6hdr _ip6h;
	const struct ipv6hdr *ip6h;
	u8 _type;
	const u8 *type;

	ip6h = skb_header_pointer(skb, at, sizeof(_ip6h), &_ip6h);
	if (!ip6h || ip6h->nexthdr != IPPROTO_ICMPV6)
		return false;
	type = skb_header_pointer(skb, at + sizeof(_ip6h), sizeof(_type), &_type);
	return type && *type >= NDISC_ROUTER_SOLICITATION &&
	       *type <= NDISC_REDIRECT;
}

/*
 * Return true if neighbors or switches would believe a link dead without the packet: ARP, neighbor
 * discovery, and protocols of a link (IEEE 802.1Q, table 8-1), such as STP and LACP.
 */
static bool weir_sch_is_control(const struct sk_buff *skb)
{
	const struct ethhdr *eth = (const struct ethhdr *)skb->data;
	const struct vlan_hdr *tag;
	int at = ETH_HLEN, tags;
	struct vlan_hdr _tag;
	__be16 proto;

	if (skb_headlen(skb) < ETH_HLEN)
		return false;
	if (is_link_local_ether_addr(eth->h_dest))
		return true;
	proto = eth->h_proto;
	for (tags = 0; eth_type_vlan(proto) && tags < 2; tags++) {
		tag = skb_header_pointer(skb, at, sizeof(_tag), &_tag);
		if (!tag)
			return false;
		proto = tag->h_vlan_encapsulated_proto;
		at += VLAN_HLEN;
	}
	if (proto == htons(ETH_P_IPV6))
		return weir_sch_is_discovery(skb, at);
	return proto == htons(ETH_P_ARP);
}

/*
 * Return true if the other band has no room for a packet. @limits: as for weir_bands_other_full()
 */
static bool weir_sch_other_full(const struct Qdisc *sch,
				const struct weir_bands_limits *limits,
				const struct sk_buff *skb)
{
	const struct weir_sch *q = qdisc_priv(sch);
	const struct weir_bands *bands = &q->backlog.bands;
	u32 usual = READ_ONCE(qdisc_dev(sch)->tx_queue_len);

	if (likely(!weir_bands_other_full(bands, limits, usual, 0)))
		return false;
	return weir_bands_other_full(bands, limits, usual,
				     WEIR_SCH_CONTROL_ROOM) ||
	       !weir_sch_is_control(skb);
}

static int weir_sch_other(const struct weir_sch_visit *v, struct sk_buff *skb,
			  int class)
{
	struct weir_sch *q = qdisc_priv(v->sch);
	bool full;

	weir_trim_count(v->trim, WEIR_TRIM_C_OTHER, 1);
	full = q->child.qdisc ? weir_sch_data_full(v, skb) :
				weir_sch_deflected_full(v) ||
				weir_sch_other_full(v->sch, v->limits, skb);
	if (full) {
		weir_sch_count(&q->backlog.other_dropped, 1);
		return weir_sch_drop(v, skb, WEIR_TRIM_C_OTHER_DROPPED, class);
	}
	if (q->child.qdisc)
		return weir_sch_give_other(v, skb);
	weir_sch_add_other(v, skb);
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

/* The program that redirected a deflected packet has counted it for its rules. */
static void weir_sch_count_rule(const struct weir_sch_visit *v,
				const struct sk_buff *skb, const struct weir_trim_pkt *pkt)
{
	struct weir_trim_hits *hits;

	if (v->deflected)
		return;
	if (pkt->ruled >> WEIR_TRIM_RULED_PRIO)
		weir_trim_acl_count(v->rev->config.acl, pkt->ruled >> WEIR_TRIM_RULED_PRIO,
				    weir_sch_segs(skb), skb->len);
	if (!(pkt->ruled & WEIR_TRIM_RULED_SLOT))
		return;
	hits = &this_cpu_ptr(v->trim->cpu)->hits[(pkt->ruled - 1) % WEIR_TRIM_SLOTS];
	hits->packets += weir_sch_segs(skb);
	hits->bytes += skb->len;
}

static int weir_sch_one(const struct weir_sch_visit *v, struct sk_buff *skb,
			struct weir_trim_pkt *pkt, int class)
{
	weir_sch_count_rule(v, skb, pkt);
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
	if (v->deflected && v->counter >= WEIR_TRIM_C_TX_OF(0))
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

static int weir_sch_enqueue_plain(struct sk_buff *skb, struct Qdisc *sch,
				  struct sk_buff **to_free)
{
	static const struct weir_bands_limits usual;
	struct weir_sch *q = qdisc_priv(sch);
	int ret;

	if (q->child.qdisc) {
		ret = weir_sch_give(sch, skb, to_free);
		weir_sch_count_refused(sch, ret);
		return ret;
	}
	if (weir_sch_other_full(sch, &usual, skb)) {
		weir_sch_count(&q->backlog.other_dropped, 1);
		return qdisc_drop(skb, sch, to_free);
	}
	weir_sch_add(sch, skb, WEIR_BAND_OTHER, WEIR_SCH_PLAIN, false,
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
	weir_backlog_settle(&q->backlog);
	weir_sch_settle(sch, ret, len, &was);
	return ret;
}

/*
 * While nothing waits, and no pool has to have room, a packet goes to the child without a look at
 * it, and is counted like a packet that goes directly to the device. Only a packet that the child
 * refuses is looked at.
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

/**
 * weir_sch_enqueue() - a packet comes
 * @skb: the packet
 * @sch: the qdisc
 * @to_free: list of dropped packets
 *
 * Called under the root's lock.
 *
 * Return: NET_XMIT_*.
 */
int weir_sch_enqueue(struct sk_buff *skb, struct Qdisc *sch,
		     struct sk_buff **to_free)
{
	struct weir_sch *q = qdisc_priv(sch);
	struct weir_deflect_was deflected;

	/* A child writes where the packet says it. */
	weir_deflect_was(skb, &deflected);
	if (q->child.qdisc && !sch->q.qlen && READ_ONCE(q->backlog.bypass) &&
	    !q->backlog.pool)
		return weir_sch_enqueue_idle(skb, sch, to_free, &deflected);
	return weir_sch_enqueue_trim(skb, sch, to_free, false, &deflected);
}

// SPDX-License-Identifier: GPL-2.0
/* Records of flows in netlink messages: dumps, sorted ones, and reports to who listens. */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <net/sock.h>

#include "xdp/flow/flows.h"
#include "xdp/netlink/netlink.h"
#include "xdp/netlink/flow.h"

/*
 * Reports wait for a listener that is slow: so long a time, so often. Then they are lost, and later
 * ones do not wait before it has taken one again.
 */
#define WEIR_FLOW_REPORT_WAIT	10	/* milliseconds */
#define WEIR_FLOW_REPORT_TRIES	20

/* So many of a sorted list are found by a walk over all records. */
#define WEIR_FLOW_TOP_BATCH	128

/**
 * struct weir_nl_record - a record in a message
 * @table: its table
 * @flow: a copy of it
 * @sum: packets to be told
 * @missed: their bound
 * @end: enum weir_xdp_flow_end, of a report; else 0
 */
struct weir_nl_record {
	const struct weir_flow_table	*table;
	const struct weir_flow		*flow;
	struct weir_flow_sum		sum;
	struct weir_flow_sum		missed;
	u8				end;
};

static int weir_nl_put_key(struct sk_buff *skb, const struct weir_flow_key *key)
{
	size_t len = key->ip == 4 ? sizeof(key->src[0]) : sizeof(key->src);

	u16 dport = ntohs(key->dport);
	bool icmp = weir_flow_is_icmp(key);

	if (nla_put(skb, WEIR_A_FLOW_RECORD_SRC, len, key->src) ||
	    nla_put(skb, WEIR_A_FLOW_RECORD_DST, len, key->dst) ||
	    nla_put_u32(skb, WEIR_A_FLOW_RECORD_PROTO, key->proto) ||
	    nla_put_u32(skb, WEIR_A_FLOW_RECORD_SPORT, ntohs(key->sport)) ||
	    nla_put_u32(skb, WEIR_A_FLOW_RECORD_DPORT, icmp ? 0 : dport))
		return -EMSGSIZE;
	if (icmp && (nla_put_u32(skb, WEIR_A_FLOW_RECORD_ICMP_TYPE, dport >> 8) ||
		     nla_put_u32(skb, WEIR_A_FLOW_RECORD_ICMP_CODE, dport & 0xff)))
		return -EMSGSIZE;
	return key->vlan ? nla_put_u32(skb, WEIR_A_FLOW_RECORD_VLAN, key->vlan) : 0;
}

/* A packet's tick, on the clock of the wall. */
static u64 weir_nl_tick_time(u32 tick)
{
	s32 ago = (u32)jiffies - tick;

	return ktime_get_real_ns() / NSEC_PER_MSEC - jiffies_to_msecs(max(ago, 0));
}

/*
 * When the first of these packets came, on the clock of the wall. Those of a later report came
 * after the one before, so that packets and times make a rate.
 */
static u64 weir_nl_first_time(const struct weir_nl_record *record)
{
	const struct weir_flow *flow = record->flow;

	if (record->end && flow->told.packets)
		return weir_nl_tick_time(flow->told_at);
	return ktime_to_ns(ktime_mono_to_real(ns_to_ktime(flow->first))) / NSEC_PER_MSEC;
}

/* Of a report. */
static int weir_nl_put_end(struct sk_buff *skb, const struct weir_nl_record *record)
{
	u32 sample = READ_ONCE(record->table->sample);

	if (!record->end)
		return 0;
	if (nla_put_u32(skb, WEIR_A_FLOW_RECORD_END, record->end) ||
	    (sample > 1 && nla_put_u32(skb, WEIR_A_FLOW_RECORD_SAMPLE, sample)))
		return -EMSGSIZE;
	return 0;
}

static int weir_nl_put_order(struct sk_buff *skb, const struct weir_flow *flow)
{
	if (flow->key.proto != IPPROTO_TCP)
		return 0;
	if (nla_put_u32(skb, WEIR_A_FLOW_RECORD_TCP_FLAGS, flow->tcp_flags) ||
	    nla_put_uint(skb, WEIR_A_FLOW_RECORD_GAPS, (u32)atomic_read(&flow->gaps)) ||
	    nla_put_uint(skb, WEIR_A_FLOW_RECORD_GAP_BYTES, atomic64_read(&flow->gap_bytes)) ||
	    nla_put_uint(skb, WEIR_A_FLOW_RECORD_REORDERED, (u32)atomic_read(&flow->reordered)) ||
	    nla_put_uint(skb, WEIR_A_FLOW_RECORD_REPEATED, (u32)atomic_read(&flow->repeated)))
		return -EMSGSIZE;
	return 0;
}

static int weir_nl_put_missed(struct sk_buff *skb, const struct weir_flow_sum *missed)
{
	if (!missed->packets)
		return 0;
	if (nla_put_uint(skb, WEIR_A_FLOW_RECORD_MISSED_PACKETS, missed->packets) ||
	    nla_put_uint(skb, WEIR_A_FLOW_RECORD_MISSED_BYTES, missed->bytes))
		return -EMSGSIZE;
	return 0;
}

static int weir_nl_fill_record(const struct weir_nl_msg *msg, const void *obj)
{
	const struct weir_nl_record *record = obj;
	const struct weir_flow *flow = record->flow;
	struct sk_buff *skb = msg->skb;
	u64 last = weir_nl_tick_time(READ_ONCE(flow->last)), first = weir_nl_first_time(record);
	void *hdr;

	hdr = weir_nl_begin(msg);
	if (!hdr)
		return -EMSGSIZE;
	if (weir_nl_put_dev(skb, WEIR_A_FLOW_RECORD_IFINDEX, WEIR_A_FLOW_RECORD_IFNAME,
			    record->table->wn->ns.net, record->table->ifindex) ||
	    weir_nl_put_key(skb, &flow->key) ||
	    nla_put_uint(skb, WEIR_A_FLOW_RECORD_PACKETS, record->sum.packets) ||
	    nla_put_uint(skb, WEIR_A_FLOW_RECORD_BYTES, record->sum.bytes) ||
	    nla_put_uint(skb, WEIR_A_FLOW_RECORD_FIRST, first) ||
	    nla_put_uint(skb, WEIR_A_FLOW_RECORD_LAST, max(first, last)) ||
	    nla_put_u32(skb, WEIR_A_FLOW_RECORD_TOS, flow->tos) ||
	    weir_nl_put_order(skb, flow) ||
	    nla_put_uint(skb, WEIR_A_FLOW_RECORD_TRIMMED, (u32)atomic_read(&flow->trimmed)) ||
	    nla_put_uint(skb, WEIR_A_FLOW_RECORD_CE, (u32)atomic_read(&flow->ce)) ||
	    weir_nl_put_missed(skb, &record->missed) ||
	    weir_nl_put_end(skb, record)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

/*
 * A visit may end a record while it is copied, and a packet fill it with another flow. Such a copy
 * is told by its state, or by what it belongs to now, and is left out.
 */
static bool weir_nl_record_copy(struct weir_flow *copy, const struct weir_flow *flow)
{
	struct weir_flow_key key = flow->key;
	u64 first = READ_ONCE(flow->first);

	/* Packets count in it meanwhile. */
	*copy = data_race(*flow);
	/* The copy is made before the state is looked at again. */
	smp_rmb();
	return READ_ONCE(flow->state) == WEIR_FLOW_LIVE && READ_ONCE(flow->first) == first &&
	       weir_flow_key_equal(&key, &copy->key) && weir_flow_key_equal(&key, &flow->key);
}

/* Of a live record, into a dump. One that ended meanwhile is left out. */
static int weir_nl_dump_record(const struct weir_nl_msg *msg, const struct weir_flow_table *table,
			       const struct weir_flow *flow, struct weir_flow *copy)
{
	struct weir_nl_record record = { .table = table, .flow = copy };

	if (!weir_nl_record_copy(copy, flow))
		return 0;
	weir_flow_sum_of(copy, &record.sum);
	weir_flow_table_missed(table, copy, &record.missed);
	return weir_nl_fill_record(msg, &record);
}

static int weir_nl_dump_table(const struct weir_nl_msg *msg, const struct weir_flow_table *table)
{
	long *at = &msg->cb->args[1];
	struct weir_flow *flow, *copy;
	u32 next = *at;
	int err = 0;

	copy = kmalloc(sizeof(*copy), GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	while (!err && (flow = weir_flow_table_next(table, &next, table->capacity))) {
		err = weir_nl_dump_record(msg, table, flow, copy);
		if (!err)
			*at = next;
		cond_resched();
	}
	kfree(copy);
	if (!err)
		*at = 0;
	return err;
}

/* The devices that a dump is about, from args[0] on. */
static int weir_nl_dump_tables(struct weir_xdp_net *wn, const struct weir_nl_msg *msg, int only)
{
	struct netlink_callback *cb = msg->cb;
	struct weir_flow_table *table;
	struct weir_xdp_dev *xd;
	unsigned long ifindex;
	int err;

	/* The lock of the namespace keeps tables, not entries of devices. */
	xa_for_each_start(&wn->devs, ifindex, xd, cb->args[0]) {
		table = weir_flows_find(wn, ifindex);
		if (!table || (only && ifindex != only))
			continue;
		if (cb->args[0] != ifindex)
			cb->args[1] = 0;
		cb->args[0] = ifindex;
		err = weir_nl_dump_table(msg, table);
		if (err)
			return err;
		cb->args[0] = ifindex + 1;
	}
	return 0;
}

/**
 * struct weir_nl_rank - a record in a sorted list
 * @value: the value that it is sorted by; the largest comes first
 * @place: of its table and in it; of equal values the least comes first
 */
struct weir_nl_rank {
	u64	value;
	u64	place;
};

/**
 * struct weir_nl_top - the next ranks of a sorted list
 * @behind: those behind this one are looked for
 * @count: number of ranks in it
 * @want: maximum number of ranks
 * @rank: a heap; the least is the first
 */
struct weir_nl_top {
	struct weir_nl_rank	behind;
	u32			count;
	u32			want;
	struct weir_nl_rank	rank[WEIR_FLOW_TOP_BATCH];
};

static bool weir_nl_rank_before(const struct weir_nl_rank *a, const struct weir_nl_rank *b)
{
	return a->value != b->value ? a->value > b->value : a->place < b->place;
}

/* The first one goes down to its place in the heap. */
static void weir_nl_top_sink(struct weir_nl_top *top)
{
	struct weir_nl_rank *rank = top->rank;
	u32 at = 0, child;

	while ((child = 2 * at + 1) < top->count) {
		if (child + 1 < top->count && weir_nl_rank_before(&rank[child], &rank[child + 1]))
			child++;
		if (!weir_nl_rank_before(&rank[at], &rank[child]))
			return;
		swap(rank[at], rank[child]);
		at = child;
	}
}

static void weir_nl_top_rise(struct weir_nl_top *top, u32 at)
{
	struct weir_nl_rank *rank = top->rank;

	while (at && weir_nl_rank_before(&rank[(at - 1) / 2], &rank[at])) {
		swap(rank[(at - 1) / 2], rank[at]);
		at = (at - 1) / 2;
	}
}

static void weir_nl_top_offer(struct weir_nl_top *top, const struct weir_nl_rank *rank)
{
	if (!weir_nl_rank_before(&top->behind, rank))
		return;
	if (top->count < top->want) {
		top->rank[top->count] = *rank;
		weir_nl_top_rise(top, top->count++);
	} else if (weir_nl_rank_before(rank, &top->rank[0])) {
		top->rank[0] = *rank;
		weir_nl_top_sink(top);
	}
}

/* The heap, the last one at its end. */
static void weir_nl_top_sort(struct weir_nl_top *top)
{
	u32 count = top->count;

	while (top->count > 1) {
		swap(top->rank[0], top->rank[top->count - 1]);
		top->count--;
		weir_nl_top_sink(top);
	}
	top->count = count;
}

static u64 weir_nl_flow_value(const struct weir_flow *flow, u32 by)
{
	switch (by) {
	case WEIR_XDP_FLOW_BY_PACKETS:
		return atomic64_read(&flow->packets);
	case WEIR_XDP_FLOW_BY_GAPS:
		return (u32)atomic_read(&flow->gaps);
	case WEIR_XDP_FLOW_BY_TRIMMED:
		return (u32)atomic_read(&flow->trimmed);
	case WEIR_XDP_FLOW_BY_CE:
		return (u32)atomic_read(&flow->ce);
	default:
		return atomic64_read(&flow->bytes);
	}
}

static void weir_nl_top_find(struct weir_xdp_net *wn, struct weir_nl_top *top, int only, u32 by)
{
	struct weir_flow_table *table;
	struct weir_xdp_dev *xd;
	unsigned long ifindex;
	struct weir_flow *flow;
	u32 at;

	/* The lock of the namespace keeps tables, not entries of devices. */
	xa_for_each(&wn->devs, ifindex, xd) {
		table = weir_flows_find(wn, ifindex);
		if (!table || (only && ifindex != only))
			continue;
		at = 0;
		while ((flow = weir_flow_table_next(table, &at, table->capacity))) {
			const struct weir_nl_rank rank = {
				weir_nl_flow_value(flow, by), (u64)ifindex << 32 | (at - 1)
			};

			if (rank.value)
				weir_nl_top_offer(top, &rank);
			cond_resched();
		}
	}
}

/* Writes what fits; args tell which was the last, and how many there have been. */
static int weir_nl_top_dump(struct weir_xdp_net *wn, const struct weir_nl_msg *msg,
			    const struct weir_nl_top *top, struct weir_flow *copy)
{
	long *args = msg->cb->args;
	struct weir_flow_table *table;
	u32 i;
	int err;

	for (i = 0; i < top->count; i++) {
		const struct weir_nl_rank *rank = &top->rank[i];

		table = weir_flows_find(wn, rank->place >> 32);
		/* Its device may have gone. */
		if (!table)
			continue;
		err = weir_nl_dump_record(msg, table, &table->flow[(u32)rank->place], copy);
		if (err)
			return err;
		args[0]++;
		args[1] = rank->value;
		args[2] = rank->place;
	}
	return 0;
}

/* Each call walks over all records for the ranks behind the last one. */
static int weir_nl_dump_top(struct weir_xdp_net *wn, const struct weir_nl_msg *msg, int only,
			    u32 want, u32 by)
{
	long *args = msg->cb->args;
	struct weir_nl_top *top;
	struct weir_flow *copy;
	int err = -ENOMEM;

	top = kzalloc(sizeof(*top), GFP_KERNEL);
	copy = kmalloc(sizeof(*copy), GFP_KERNEL);
	if (!top || !copy)
		goto out;
	err = 0;
	top->behind.value = args[0] ? args[1] : U64_MAX;
	top->behind.place = args[2];
	top->want = min_t(u32, want - min_t(u32, args[0], want), WEIR_FLOW_TOP_BATCH);
	if (!top->want)
		goto out;
	weir_nl_top_find(wn, top, only, by);
	weir_nl_top_sort(top);
	err = weir_nl_top_dump(wn, msg, top, copy);
out:
	kfree(copy);
	kfree(top);
	return err;
}

static int weir_nl_record_only(struct netlink_callback *cb, struct weir_xdp_net *wn, int *only)
{
	const struct nlattr *dev = genl_info_dump(cb)->attrs[WEIR_A_FLOW_RECORD_IFINDEX];

	*only = dev ? nla_get_u32(dev) : 0;
	if (!dev || weir_flows_find(wn, *only))
		return 0;
	NL_SET_ERR_MSG_FMT(cb->extack, "device %d has no flows recorded", *only);
	return -ENODEV;
}

/*
 * A walk over all records takes its time. It does without RTNL: the namespace's lock keeps the
 * tables.
 */
int weir_xdp_nl_flow_record_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr **attrs = genl_info_dump(cb)->attrs;
	const struct nlattr *top = attrs[WEIR_A_FLOW_RECORD_TOP];
	const struct nlattr *by = attrs[WEIR_A_FLOW_RECORD_BY];
	struct weir_xdp_net *wn = weir_xdp_net(sock_net(skb->sk));
	struct weir_nl_msg msg;
	int only, err;

	mutex_lock(&wn->ns.lock);
	weir_nl_dump_start(&wn->ns, cb, &msg, skb, WEIR_XDP_CMD_FLOW_RECORD_GET);
	err = weir_nl_record_only(cb, wn, &only);
	if (!err && top)
		err = weir_nl_dump_top(wn, &msg, only, nla_get_u32(top),
				       by ? nla_get_u32(by) : WEIR_XDP_FLOW_BY_BYTES);
	else if (!err)
		err = weir_nl_dump_tables(wn, &msg, only);
	mutex_unlock(&wn->ns.lock);
	return skb->len ?: err;
}

/* A module that goes does not wait for a listener. */
static bool weir_nl_flow_up;

/* Sends what there is to who listens, and waits for who is slow. No lock is held. */
static void weir_nl_report_send(struct weir_flow_table *table)
{
	int tries, most = table->deaf || !READ_ONCE(weir_nl_flow_up) ? 1 : WEIR_FLOW_REPORT_TRIES;
	u32 listener = READ_ONCE(table->wn->flow_listener);
	struct sk_buff *skb = table->report, *copy;
	int err = -EAGAIN;

	table->report = NULL;
	for (tries = 0; err == -EAGAIN && tries < most; tries++) {
		if (tries)
			msleep(WEIR_FLOW_REPORT_WAIT);
		copy = skb_clone(skb, GFP_KERNEL);
		err = copy ? genlmsg_unicast(table->wn->ns.net, copy, listener) : -ENOMEM;
	}
	table->deaf = err == -EAGAIN;
	if (err)
		WRITE_ONCE(table->lost, table->lost + 1);
	consume_skb(skb);
}

/**
 * weir_nl_flow_report() - report a record to who listens
 * @table: its table
 * @flow: the record
 * @since: its packets since the last report
 * @end: enum weir_xdp_flow_end
 *
 * Sleeps. Many reports make a message.
 */
void weir_nl_flow_report(struct weir_flow_table *table, const struct weir_flow *flow,
			 const struct weir_flow_sum *since, u8 end)
{
	struct weir_nl_record record = { .table = table, .flow = flow, .sum = *since, .end = end };
	struct weir_nl_msg msg = {
		.family	= &weir_xdp_nl_family,
		.cmd	= WEIR_XDP_CMD_FLOW_RECORD_NTF,
	};

	if (!READ_ONCE(table->wn->flow_listener))
		return;
	weir_flow_table_missed(table, flow, &record.missed);
	if (table->report) {
		msg.skb = table->report;
		if (!weir_nl_fill_record(&msg, &record))
			return;
		weir_nl_report_send(table);
	}
	table->report = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	msg.skb = table->report;
	if (!msg.skb || weir_nl_fill_record(&msg, &record)) {
		nlmsg_free(msg.skb);
		table->report = NULL;
		WRITE_ONCE(table->lost, table->lost + 1);
	}
}

/**
 * weir_nl_flow_reported() - send the reports that there are
 * @table: the table
 *
 * Sleeps.
 */
void weir_nl_flow_reported(struct weir_flow_table *table)
{
	if (table->report)
		weir_nl_report_send(table);
}

int weir_xdp_nl_flow_listen_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_xdp_net *wn = weir_xdp_nl_net(info);

	if (cmpxchg(&wn->flow_listener, 0, info->snd_portid))
		return weir_nl_refuse(info, NULL, -EBUSY,
				      "another socket has the records of flows");
	return 0;
}

/* The listener's socket is closed: no other one may get what was meant for it. */
static int weir_nl_flow_released(struct notifier_block *nb, unsigned long event, void *ptr)
{
	const struct netlink_notify *gone = ptr;

	if (event == NETLINK_URELEASE && gone->protocol == NETLINK_GENERIC)
		cmpxchg(&weir_xdp_net(gone->net)->flow_listener, gone->portid, 0);
	return NOTIFY_DONE;
}

static struct notifier_block weir_nl_flow_notifier = {
	.notifier_call = weir_nl_flow_released,
};

/**
 * weir_nl_flow_init() - watch for listeners that go
 */
int weir_nl_flow_init(void)
{
	WRITE_ONCE(weir_nl_flow_up, true);
	return netlink_register_notifier(&weir_nl_flow_notifier);
}

/**
 * weir_nl_flow_uninit() - stop watching
 */
void weir_nl_flow_uninit(void)
{
	WRITE_ONCE(weir_nl_flow_up, false);
	netlink_unregister_notifier(&weir_nl_flow_notifier);
}

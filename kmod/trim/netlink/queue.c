// SPDX-License-Identifier: GPL-2.0
/*
 * Netlink requests about weir qdiscs: packets that wait and were trimmed, by queue; and packets
 * that programs have trimmed, by traffic class.
 */
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/sch_generic.h>
#include <net/sock.h>

#include "trim/netlink/netlink.h"
#include "trim/backlog.h"
#include "trim/trims.h"

static int weir_nl_put_child(struct sk_buff *skb, const struct weir_backlog *b)
{
	if (b->child &&
	    nla_put_u32(skb, WEIR_A_TRIM_QUEUE_CHILD, b->child->handle))
		return -EMSGSIZE;
	return nla_put_uint(skb, WEIR_A_TRIM_QUEUE_CHILD_DROPPED,
			    READ_ONCE(b->child_dropped));
}

static int weir_nl_put_queue(struct sk_buff *skb, const struct weir_backlog *b)
{
	const struct Qdisc *sch = b->sch;
	const struct net_device *dev = qdisc_dev(sch);

	if (nla_put_u32(skb, WEIR_A_TRIM_QUEUE_IFINDEX, b->ifindex) ||
	    nla_put_string(skb, WEIR_A_TRIM_QUEUE_IFNAME, dev->name) ||
	    nla_put_u32(skb, WEIR_A_TRIM_QUEUE_HANDLE, sch->handle) ||
	    nla_put_u32(skb, WEIR_A_TRIM_QUEUE_PARENT, sch->parent) ||
	    nla_put_u32(skb, WEIR_A_TRIM_QUEUE_TX_QUEUE,
			sch->dev_queue - netdev_get_tx_queue(dev, 0)) ||
	    nla_put_u32(skb, WEIR_A_TRIM_QUEUE_DATA_DEPTH,
			READ_ONCE(b->bands.packets[WEIR_BAND_DATA])) ||
	    nla_put_u32(skb, WEIR_A_TRIM_QUEUE_HEADER_DEPTH,
			READ_ONCE(b->bands.packets[WEIR_BAND_HEADER])) ||
	    nla_put_u32(skb, WEIR_A_TRIM_QUEUE_DATA_MAX,
			READ_ONCE(b->max[WEIR_BAND_DATA])) ||
	    nla_put_u32(skb, WEIR_A_TRIM_QUEUE_HEADER_MAX,
			READ_ONCE(b->max[WEIR_BAND_HEADER])) ||
	    nla_put_u32(skb, WEIR_A_TRIM_QUEUE_OTHER_DEPTH,
			READ_ONCE(b->bands.packets[WEIR_BAND_OTHER])) ||
	    nla_put_u32(skb, WEIR_A_TRIM_QUEUE_OTHER_MAX,
			READ_ONCE(b->max[WEIR_BAND_OTHER])) ||
	    nla_put_uint(skb, WEIR_A_TRIM_QUEUE_OTHER_DROPPED,
			 READ_ONCE(b->other_dropped)) ||
	    nla_put_uint(skb, WEIR_A_TRIM_QUEUE_DIRECT,
			 weir_backlog_one_direct(b)) ||
	    nla_put_uint(skb, WEIR_A_TRIM_QUEUE_TRIM, READ_ONCE(b->trim)) ||
	    nla_put_uint(skb, WEIR_A_TRIM_QUEUE_TX_TRIM,
			 READ_ONCE(b->tx_trim)) ||
	    nla_put_uint(skb, WEIR_A_TRIM_QUEUE_DROPPED_TRIM,
			 READ_ONCE(b->dropped_trim)) ||
	    weir_nl_put_child(skb, b))
		return -EMSGSIZE;
	return 0;
}

static int weir_nl_fill_queue(const struct weir_backlog *backlog, void *data)
{
	const struct weir_nl_msg *msg = data;
	void *hdr;

	hdr = weir_nl_begin(msg);
	if (!hdr)
		return -EMSGSIZE;
	if (weir_nl_put_queue(msg->skb, backlog)) {
		genlmsg_cancel(msg->skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(msg->skb, hdr);
	return 0;
}

static int weir_nl_put_class(struct sk_buff *skb, const struct weir_trim *trim,
			     unsigned int class,
			     const struct weir_trim_class_count *count)
{
	if (nla_put_u32(skb, WEIR_A_TRIM_QUEUE_IFINDEX, trim->ifindex) ||
	    nla_put_string(skb, WEIR_A_TRIM_QUEUE_IFNAME, trim->dev->name) ||
	    nla_put_u32(skb, WEIR_A_TRIM_QUEUE_TRAFFIC_CLASS, class) ||
	    nla_put_uint(skb, WEIR_A_TRIM_QUEUE_TRIM, count->trim) ||
	    nla_put_uint(skb, WEIR_A_TRIM_QUEUE_TX_TRIM, count->tx_trim) ||
	    nla_put_uint(skb, WEIR_A_TRIM_QUEUE_DROPPED_TRIM,
			 count->dropped_trim))
		return -EMSGSIZE;
	return 0;
}

static int weir_nl_fill_class(const struct weir_nl_msg *msg,
			      const struct weir_trim *trim, unsigned int class)
{
	struct weir_trim_class_count count;
	void *hdr;

	if (!weir_trim_class_count(trim, class, &count))
		return 0;
	hdr = weir_nl_begin(msg);
	if (!hdr)
		return -EMSGSIZE;
	if (weir_nl_put_class(msg->skb, trim, class, &count)) {
		genlmsg_cancel(msg->skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(msg->skb, hdr);
	return 0;
}

/*
 * Dump what programs have trimmed, by traffic class. @at: the device to go on with, and its class
 */
static int weir_nl_dump_classes(struct weir_trim_net *wn, int ifindex, long at[2],
				const struct weir_nl_msg *msg)
{
	unsigned long next = max_t(long, at[0], ifindex);
	const struct weir_trim *trim;
	int err;

	for (; (trim = xa_find(&wn->trims, &next, ifindex ?: INT_MAX, XA_PRESENT)); next++) {
		if (next != (unsigned long)at[0])
			at[1] = 0;
		at[0] = next;
		for (; at[1] < WEIR_TRIM_CLASSES; at[1]++) {
			err = weir_nl_fill_class(msg, trim, at[1]);
			if (err)
				return err;
		}
		at[0]++;
		at[1] = 0;
	}
	return 0;
}

/* The device that the request names; without one it is for all. */
static int weir_nl_queue_dev(struct netlink_callback *cb, struct net *net,
			     int *ifindex)
{
	const struct nlattr *only;

	only = genl_info_dump(cb)->attrs[WEIR_A_TRIM_QUEUE_IFINDEX];
	*ifindex = only ? nla_get_u32(only) : 0;
	if (!only || __dev_get_by_index(net, *ifindex))
		return 0;
	NL_SET_ERR_MSG_FMT(cb->extack,
			   "there is no device %d in this network namespace",
			   *ifindex);
	return -ENODEV;
}

int weir_trim_nl_queue_get_dumpit(struct sk_buff *skb,
				  struct netlink_callback *cb)
{
	struct weir_trim_net *wn = weir_trim_net(sock_net(skb->sk));
	struct weir_nl_msg msg;
	int ifindex, err;

	mutex_lock(&wn->ns.lock);
	rtnl_lock();
	weir_nl_dump_start(&wn->ns, cb, &msg, skb, WEIR_CMD_TRIM_QUEUE_GET);
	/* Qdiscs come and go without the namespace's lock. */
	cb->seq = (wn->ns.seq + weir_backlog_seq(wn)) ?: 1;
	err = weir_nl_queue_dev(cb, wn->ns.net, &ifindex);
	if (!err)
		err = weir_backlog_dump(wn, ifindex, cb->args,
					weir_nl_fill_queue, &msg);
	if (!err)
		err = weir_nl_dump_classes(wn, ifindex, &cb->args[2], &msg);
	rtnl_unlock();
	mutex_unlock(&wn->ns.lock);
	return skb->len ?: err;
}

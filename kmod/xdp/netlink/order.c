// SPDX-License-Identifier: GPL-2.0
/* Netlink requests about orders. */
#include <linux/cpumask.h>
#include <linux/log2.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/sock.h>

#include "xdp/netlink/netlink.h"
#include "core/netlink/rule.h"
#include "xdp/order/order.h"

/**
 * struct weir_nl_order_req - what a request about an order says
 * @info: the request
 * @wn: its namespace
 * @ifindex: the device
 * @prio: the order's place
 */
struct weir_nl_order_req {
	struct genl_info	*info;
	struct weir_xdp_net		*wn;
	int			ifindex;
	u32			prio;
};

/**
 * struct weir_nl_order_new - an order that is to be
 * @config: the settings of the request
 * @cpus: @config.cpus of them
 */
struct weir_nl_order_new {
	struct weir_order_config	config;
	u32				cpus[WEIR_XDP_ORDER_CPUS_MAX];
};

static int weir_nl_order_req(struct weir_nl_order_req *req, struct genl_info *info)
{
	int err;

	req->info = info;
	req->wn = weir_xdp_nl_net(info);
	err = weir_nl_ifindex(info, WEIR_A_ORDER_IFINDEX, &req->ifindex);
	if (err)
		return err;
	if (!WEIR_NL_REQUIRE(info, WEIR_A_ORDER_PRIO, "say which order: its prio is missing"))
		return -EINVAL;
	req->prio = nla_get_u32(info->attrs[WEIR_A_ORDER_PRIO]);
	return 0;
}

/* The sentence for an error. */
static int weir_nl_order_refuse(const struct weir_nl_order_req *req, int err)
{
	struct genl_info *info = req->info;

	switch (err) {
	case -ENODEV:
		return weir_nl_refuse_dev(info, WEIR_A_ORDER_IFINDEX, req->ifindex, err, "is gone");
	case -ENOENT:
		NL_SET_BAD_ATTR(info->extack, info->attrs[WEIR_A_ORDER_PRIO]);
		NL_SET_ERR_MSG_FMT(info->extack, "no order has prio %u on this device", req->prio);
		return err;
	case -EEXIST:
		NL_SET_ERR_MSG_FMT(info->extack, "the device has an order with prio %u already",
				   req->prio);
		return err;
	case -E2BIG:
		NL_SET_ERR_MSG_FMT(info->extack, "a device has %d orders at most",
				   WEIR_XDP_ORDERS_MAX);
		return err;
	default:
		return err;
	}
}

static u32 weir_nl_order_number(struct genl_info *info, int attr, u32 absent)
{
	return info->attrs[attr] ? nla_get_u32(info->attrs[attr]) : absent;
}

static bool weir_nl_order_has_cpu(const struct weir_nl_order_new *new, u32 cpu)
{
	u32 i;

	for (i = 0; i < new->config.cpus; i++)
		if (new->cpus[i] == cpu)
			return true;
	return false;
}

static int weir_nl_order_cpu(struct genl_info *info, struct weir_nl_order_new *new,
			     const struct nlattr *attr)
{
	u32 cpu = nla_get_u32(attr);

	if (cpu >= nr_cpu_ids || !cpu_possible(cpu))
		return weir_nl_refuse(info, attr, -ENOENT, "there is no such CPU");
	if (weir_nl_order_has_cpu(new, cpu))
		return weir_nl_refuse(info, attr, -EINVAL, "a CPU is there twice");
	if (new->config.cpus == WEIR_XDP_ORDER_CPUS_MAX)
		return -E2BIG;
	new->cpus[new->config.cpus++] = cpu;
	return 0;
}

static int weir_nl_order_cpus(struct genl_info *info, struct weir_nl_order_new *new)
{
	struct nlattr *attr;
	int err, rem;

	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		err = nla_type(attr) == WEIR_A_ORDER_CPU ? weir_nl_order_cpu(info, new, attr) : 0;
		if (err)
			return err;
	}
	return 0;
}

/* Where a number is, of an order that asks for a field of the packet. */
static int weir_nl_order_field(struct genl_info *info, struct weir_order_config *config)
{
	struct nlattr *offset = info->attrs[WEIR_A_ORDER_OFFSET];
	struct nlattr *width = info->attrs[WEIR_A_ORDER_WIDTH];
	bool asked = config->sequence == WEIR_XDP_ORDER_SEQUENCE_FIELD;

	if (!asked && (offset || width))
		return weir_nl_refuse(info, offset ?: width, -EINVAL,
				      "offset and width are of sequence field");
	if (!asked)
		return 0;
	if (!offset || !width)
		return weir_nl_refuse(info, info->attrs[WEIR_A_ORDER_SEQUENCE], -EINVAL,
				      "sequence field needs offset and width");
	config->offset = nla_get_u32(offset);
	config->width = nla_get_u32(width);
	if (config->width % 8)
		return weir_nl_refuse(info, width, -EINVAL, "the width is 8, 16, 24 or 32 bits");
	return 0;
}

/* The number of the stream, which an order of a field may have besides. */
static int weir_nl_order_scope(struct genl_info *info, struct weir_order_config *config)
{
	struct nlattr *offset = info->attrs[WEIR_A_ORDER_SCOPE_OFFSET];
	struct nlattr *width = info->attrs[WEIR_A_ORDER_SCOPE_WIDTH];

	if (!offset && !width)
		return 0;
	if (config->sequence != WEIR_XDP_ORDER_SEQUENCE_FIELD)
		return weir_nl_refuse(info, offset ?: width, -EINVAL,
				      "a scope is of sequence field");
	if (!offset || !width)
		return weir_nl_refuse(info, offset ?: width, -EINVAL,
				      "a scope needs offset and width");
	config->scope_offset = nla_get_u32(offset);
	config->scope_width = nla_get_u32(width);
	if (config->scope_width % 8)
		return weir_nl_refuse(info, width, -EINVAL,
				      "the width of a scope is 8, 16, 24 or 32 bits");
	return 0;
}

static int weir_nl_order_room(struct genl_info *info, struct weir_order_config *config)
{
	struct nlattr *bytes = info->attrs[WEIR_A_ORDER_BYTES];

	config->hold = NSEC_PER_USEC * (u64)
		       weir_nl_order_number(info, WEIR_A_ORDER_HOLD,
					    WEIR_XDP_ORDER_HOLD_DEFAULT);
	config->packets = weir_nl_order_number(info, WEIR_A_ORDER_PACKETS,
					       WEIR_XDP_ORDER_PACKETS_DEFAULT);
	config->flows = weir_nl_order_number(info, WEIR_A_ORDER_FLOWS,
					     WEIR_XDP_ORDER_FLOWS_DEFAULT);
	config->bytes = bytes ? nla_get_uint(bytes) : WEIR_XDP_ORDER_BYTES_DEFAULT;
	if (!is_power_of_2(config->packets))
		return weir_nl_refuse(info, info->attrs[WEIR_A_ORDER_PACKETS], -EINVAL,
				      "packets is a power of two");
	if ((u64)config->packets * config->flows > WEIR_XDP_ORDER_SLOTS_MAX)
		return weir_nl_refuse(info, info->attrs[WEIR_A_ORDER_FLOWS], -EINVAL,
				      "flows times packets is 16777216 at most");
	if (config->bytes > S64_MAX)
		return weir_nl_refuse(info, bytes, -EINVAL, "bytes is less than 2^63");
	return 0;
}

static int weir_nl_order_rule(struct genl_info *info, struct weir_order_config *config)
{
	int err = 0;

	config->rule.dscps = U64_MAX;
	if (info->attrs[WEIR_A_ORDER_RULE])
		err = weir_nl_rule(info, info->attrs[WEIR_A_ORDER_RULE],
				   weir_xdp_rule_nl_policy, &config->rule);
	if (!err && config->rule.disable)
		err = weir_nl_refuse(info, info->attrs[WEIR_A_ORDER_RULE], -EINVAL,
				     "an order's rule has no disable");
	weir_trim_rule_mask(&config->rule);
	return err;
}

static int weir_nl_order_new(struct genl_info *info, struct weir_nl_order_new *new)
{
	struct weir_order_config *config = &new->config;
	int err;

	config->sequence = weir_nl_order_number(info, WEIR_A_ORDER_SEQUENCE,
						WEIR_XDP_ORDER_SEQUENCE_ARRIVAL);
	err = weir_nl_order_rule(info, config) ?: weir_nl_order_cpus(info, new);
	err = err ?: weir_nl_order_field(info, config) ?: weir_nl_order_scope(info, config);
	err = err ?: weir_nl_order_room(info, config);
	if (err)
		return err;
	if (!config->cpus && config->sequence == WEIR_XDP_ORDER_SEQUENCE_ARRIVAL)
		return weir_nl_refuse(info, NULL, -EINVAL,
				      "say cpus to spread packets over, or the sequence that they have");
	return 0;
}

static int weir_nl_put_order_stats(struct sk_buff *skb, const struct weir_reorder *order,
				   const struct weir_order_count *sum)
{
	struct nlattr *nest = nla_nest_start(skb, WEIR_A_ORDER_STATS);
	int i;

	if (!nest)
		return -EMSGSIZE;
	for (i = 1; i <= WEIR_ORDER_COUNTERS; i++)
		if (nla_put_uint(skb, i, sum->count[i]))
			return -EMSGSIZE;
	if (nla_put_uint(skb, WEIR_A_ORDER_STATS_FLOWS,
			 order->config.flows - READ_ONCE(order->free_count)) ||
	    nla_put_uint(skb, WEIR_A_ORDER_STATS_WAITING, weir_order_waiting(order)) ||
	    nla_put_uint(skb, WEIR_A_ORDER_STATS_WAITING_BYTES, weir_order_held(order)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int weir_nl_put_order_cpus(struct sk_buff *skb, const struct weir_reorder *order)
{
	u32 i;

	for (i = 0; i < order->config.cpus; i++)
		if (nla_put_u32(skb, WEIR_A_ORDER_CPU, order->cpu[i].cpu))
			return -EMSGSIZE;
	for (i = 0; i < order->config.cpus; i++)
		if (nla_put_u32(skb, WEIR_A_ORDER_DEPTH, weir_order_depth(&order->cpu[i])))
			return -EMSGSIZE;
	return 0;
}

static int weir_nl_put_order_config(struct sk_buff *skb, const struct weir_order_config *config)
{
	if (nla_put_u32(skb, WEIR_A_ORDER_HOLD, div_u64(config->hold, NSEC_PER_USEC)) ||
	    nla_put_u32(skb, WEIR_A_ORDER_PACKETS, config->packets) ||
	    nla_put_uint(skb, WEIR_A_ORDER_BYTES, config->bytes) ||
	    nla_put_u32(skb, WEIR_A_ORDER_FLOWS, config->flows) ||
	    nla_put_u32(skb, WEIR_A_ORDER_SEQUENCE, config->sequence))
		return -EMSGSIZE;
	if (config->sequence == WEIR_XDP_ORDER_SEQUENCE_FIELD &&
	    (nla_put_u32(skb, WEIR_A_ORDER_OFFSET, config->offset) ||
	     nla_put_u32(skb, WEIR_A_ORDER_WIDTH, config->width)))
		return -EMSGSIZE;
	if (config->scope_width &&
	    (nla_put_u32(skb, WEIR_A_ORDER_SCOPE_OFFSET, config->scope_offset) ||
	     nla_put_u32(skb, WEIR_A_ORDER_SCOPE_WIDTH, config->scope_width)))
		return -EMSGSIZE;
	return weir_nl_put_rule(skb, WEIR_A_ORDER_RULE, &config->rule, NULL);
}

static int weir_nl_put_order(struct sk_buff *skb, const struct weir_reorder *order)
{
	struct weir_order_count sum;

	weir_order_sum(order, &sum);
	if (weir_nl_put_dev(skb, WEIR_A_ORDER_IFINDEX, WEIR_A_ORDER_IFNAME, order->net,
			    order->ifindex) ||
	    nla_put_u32(skb, WEIR_A_ORDER_PRIO, order->prio) ||
	    nla_put_string(skb, WEIR_A_ORDER_DEVICE, order->name) ||
	    nla_put_uint(skb, WEIR_A_ORDER_MEMORY, weir_order_memory(order)) ||
	    weir_nl_put_order_config(skb, &order->config) ||
	    weir_nl_put_order_cpus(skb, order) ||
	    weir_nl_put_lateness(skb, WEIR_A_ORDER_WAIT, &order->count->waited))
		return -EMSGSIZE;
	return weir_nl_put_order_stats(skb, order, &sum);
}

static int weir_nl_fill_order(const struct weir_nl_msg *msg, const void *obj)
{
	void *hdr = weir_nl_begin(msg);

	if (!hdr)
		return -EMSGSIZE;
	if (weir_nl_put_order(msg->skb, obj)) {
		genlmsg_cancel(msg->skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(msg->skb, hdr);
	return 0;
}

/**
 * weir_nl_order_notify() - tell the events group about an order
 * @wn: the namespace
 * @order: the order, which stays while this runs
 * @cmd: WEIR_XDP_CMD_ORDER_NTF or WEIR_XDP_CMD_ORDER_DEL_NTF
 *
 * Sleeps.
 */
void weir_nl_order_notify(struct weir_xdp_net *wn, const struct weir_reorder *order, u8 cmd)
{
	weir_nl_notify(&weir_xdp_nl, &wn->ns, cmd, weir_nl_fill_order, order);
}

static int weir_nl_order_add(const struct weir_nl_order_req *req, struct weir_reorder *order)
{
	struct net_device *dev;
	int err;

	rtnl_lock();
	dev = __dev_get_by_index(req->wn->ns.net, req->ifindex);
	err = dev ? weir_order_add(req->wn, dev, order) : -ENODEV;
	if (!err) {
		weir_nl_changed(&req->wn->ns);
		weir_nl_order_notify(req->wn, order, WEIR_XDP_CMD_ORDER_NTF);
	}
	rtnl_unlock();
	return err;
}

/* @new is a page long, or nearly so. */
static int weir_nl_order_make(const struct weir_nl_order_req *req, struct weir_nl_order_new *new)
{
	struct weir_reorder *order;
	int err;

	err = weir_nl_order_new(req->info, new);
	if (!err && new->config.rule.what.vlan)
		err = weir_nl_sees_vlan(req->info, WEIR_A_ORDER_IFINDEX, req->ifindex);
	if (err)
		return err;
	order = weir_order_alloc(req->prio, &new->config, new->cpus);
	if (!order)
		return -ENOMEM;
	err = weir_nl_order_add(req, order);
	if (!err)
		return 0;
	weir_order_free(order);
	return weir_nl_order_refuse(req, err);
}

int weir_xdp_nl_order_add_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_nl_order_new *new;
	struct weir_nl_order_req req;
	int err;

	err = weir_nl_order_req(&req, info);
	err = err ?: weir_nl_sees(info, WEIR_A_ORDER_IFINDEX, req.ifindex, true);
	if (err)
		return err;
	new = kzalloc(sizeof(*new), GFP_KERNEL);
	if (!new)
		return -ENOMEM;
	err = weir_nl_order_make(&req, new);
	kfree(new);
	return err;
}

int weir_xdp_nl_order_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_nl_order_req req;
	int err;

	err = weir_nl_order_req(&req, info) ?: weir_order_del(req.wn, req.ifindex, req.prio);
	if (err == -ENOENT)
		return weir_nl_order_refuse(&req, err);
	if (err)
		return err;
	weir_nl_changed(&req.wn->ns);
	return 0;
}

int weir_xdp_nl_order_flush_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_xdp_net *wn = weir_xdp_nl_net(info);

	weir_order_flush(wn->ns.net);
	weir_nl_changed(&wn->ns);
	return 0;
}

int weir_xdp_nl_order_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_nl_order_req req;
	const struct weir_reorder *order;
	int err;

	err = weir_nl_order_req(&req, info);
	if (err)
		return err;
	rtnl_lock();
	order = weir_order_get(req.wn, req.ifindex, req.prio);
	err = order ? weir_nl_reply(info, WEIR_XDP_CMD_ORDER_GET, weir_nl_fill_order, order) :
		      weir_nl_order_refuse(&req, -ENOENT);
	rtnl_unlock();
	return err;
}

/* A device's orders, from the prio in args[1] of the dump on. */
static int weir_nl_fill_orders(const struct weir_nl_msg *msg, const void *obj)
{
	const struct weir_nl_dev *dev = obj;
	const struct weir_xdp_dev *xd = dev->of;
	const struct weir_orders *orders = rtnl_dereference(xd->orders);
	const struct weir_reorder *order;
	long *prio = &msg->cb->args[1];
	int err;

	if (!orders)
		return 0;
	list_for_each_entry(order, &orders->list, list) {
		if (order->prio < *prio)
			continue;
		*prio = order->prio;
		err = weir_nl_fill_order(msg, order);
		if (err)
			return err;
	}
	*prio = 0;
	return 0;
}

int weir_xdp_nl_order_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct weir_xdp_net *wn = weir_xdp_net(sock_net(skb->sk));

	return weir_nl_dump_devs(&wn->ns, skb, cb, WEIR_XDP_CMD_ORDER_GET, &wn->devs,
				 weir_nl_fill_orders);
}

// SPDX-License-Identifier: GPL-2.0
/* Netlink requests about the recording of flows. */
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/sock.h>

#include "xdp/flow/flows.h"
#include "xdp/flow/watch.h"
#include "xdp/netlink/netlink.h"
#include "xdp/netlink/flow.h"

static int weir_nl_put_flow_stats(struct sk_buff *skb, const struct weir_flow_table *table)
{
	struct nlattr *nest = nla_nest_start(skb, WEIR_A_FLOW_STATS);
	struct weir_flow_count sum;

	if (!nest)
		return -EMSGSIZE;
	weir_flow_table_count(table, &sum);
	if (nla_put_uint(skb, WEIR_A_FLOW_STATS_RECORDS, atomic_read(&table->records)) ||
	    nla_put_uint(skb, WEIR_A_FLOW_STATS_PACKETS, sum.seen.packets) ||
	    nla_put_uint(skb, WEIR_A_FLOW_STATS_BYTES, sum.seen.bytes) ||
	    nla_put_uint(skb, WEIR_A_FLOW_STATS_OTHER, sum.other) ||
	    nla_put_uint(skb, WEIR_A_FLOW_STATS_UNRECORDED, sum.unrecorded.packets) ||
	    nla_put_uint(skb, WEIR_A_FLOW_STATS_UNRECORDED_BYTES, sum.unrecorded.bytes) ||
	    nla_put_uint(skb, WEIR_A_FLOW_STATS_CREATED, sum.created) ||
	    nla_put_uint(skb, WEIR_A_FLOW_STATS_IDLE,
			 READ_ONCE(table->ended[WEIR_XDP_FLOW_END_IDLE])) ||
	    nla_put_uint(skb, WEIR_A_FLOW_STATS_CLOSED,
			 READ_ONCE(table->ended[WEIR_XDP_FLOW_END_CLOSED])) ||
	    nla_put_uint(skb, WEIR_A_FLOW_STATS_ROOM,
			 READ_ONCE(table->ended[WEIR_XDP_FLOW_END_ROOM])) ||
	    nla_put_uint(skb, WEIR_A_FLOW_STATS_LOST, READ_ONCE(table->lost)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int weir_nl_fill_table(const struct weir_nl_msg *msg, const void *obj)
{
	const struct weir_nl_dev *dev = obj;
	const struct weir_flow_table *table = dev->of;
	const struct weir_flow_config *config = &table->config;
	struct sk_buff *skb = msg->skb;
	void *hdr;

	hdr = weir_nl_begin(msg);
	if (!hdr)
		return -EMSGSIZE;
	if (weir_nl_put_dev(skb, WEIR_A_FLOW_IFINDEX, WEIR_A_FLOW_IFNAME, dev->net,
			    table->ifindex) ||
	    nla_put_u32(skb, WEIR_A_FLOW_FLOWS, config->flows) ||
	    nla_put_u32(skb, WEIR_A_FLOW_SAMPLE, config->sample) ||
	    nla_put_u32(skb, WEIR_A_FLOW_IDLE, config->idle) ||
	    nla_put_u32(skb, WEIR_A_FLOW_ACTIVE, config->active) ||
	    nla_put_uint(skb, WEIR_A_FLOW_TRIMMED, config->trimmed) ||
	    nla_put_uint(skb, WEIR_A_FLOW_RATE, config->rate) ||
	    nla_put_u32(skb, WEIR_A_FLOW_SHARE, config->share) ||
	    nla_put_u32(skb, WEIR_A_FLOW_LOSS, config->loss) ||
	    nla_put_uint(skb, WEIR_A_FLOW_SOURCE, config->source) ||
	    nla_put_uint(skb, WEIR_A_FLOW_MEMORY, table->memory) ||
	    weir_nl_put_flow_stats(skb, table)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

/**
 * weir_nl_flow_notify() - tell the events group about a table
 * @table: the table, which stays while this runs
 * @cmd: WEIR_XDP_CMD_FLOW_NTF or WEIR_XDP_CMD_FLOW_DEL_NTF
 *
 * Sleeps.
 */
void weir_nl_flow_notify(const struct weir_flow_table *table, u8 cmd)
{
	const struct weir_nl_dev dev = { table->wn->ns.net, table };

	weir_nl_notify(&weir_xdp_nl, &table->wn->ns, cmd, weir_nl_fill_table, &dev);
}

/**
 * struct weir_nl_alarm - an alarm, with its table
 * @table: the table
 * @notice: the alarm
 */
struct weir_nl_alarm {
	const struct weir_flow_table	*table;
	const struct weir_flow_notice	*notice;
};

static int weir_nl_put_alarm_flow(struct sk_buff *skb, const struct weir_flow_notice *notice)
{
	const struct weir_flow_key *key = notice->key;
	size_t len = key->ip == 4 ? sizeof(key->src[0]) : sizeof(key->src);

	if (nla_put(skb, WEIR_A_FLOW_ALARM_SRC, len, key->src))
		return -EMSGSIZE;
	if (notice->alarm == WEIR_XDP_FLOW_ALARM_SOURCE)
		return 0;
	if (nla_put(skb, WEIR_A_FLOW_ALARM_DST, len, key->dst) ||
	    nla_put_u32(skb, WEIR_A_FLOW_ALARM_PROTO, key->proto) ||
	    nla_put_u32(skb, WEIR_A_FLOW_ALARM_SPORT, ntohs(key->sport)) ||
	    nla_put_u32(skb, WEIR_A_FLOW_ALARM_DPORT,
			weir_flow_is_icmp(key) ? 0 : ntohs(key->dport)))
		return -EMSGSIZE;
	return 0;
}

static int weir_nl_fill_alarm(const struct weir_nl_msg *msg, const void *obj)
{
	const struct weir_nl_alarm *of = obj;
	struct sk_buff *skb = msg->skb;
	void *hdr = weir_nl_begin(msg);

	if (!hdr ||
	    weir_nl_put_dev(skb, WEIR_A_FLOW_ALARM_IFINDEX, WEIR_A_FLOW_ALARM_IFNAME,
			    of->table->wn->ns.net, of->table->ifindex) ||
	    nla_put_u32(skb, WEIR_A_FLOW_ALARM_ALARM, of->notice->alarm) ||
	    weir_nl_put_alarm_flow(skb, of->notice) ||
	    nla_put_uint(skb, WEIR_A_FLOW_ALARM_VALUE, of->notice->value) ||
	    nla_put_uint(skb, WEIR_A_FLOW_ALARM_THRESHOLD, of->notice->threshold))
		return -EMSGSIZE;
	genlmsg_end(skb, hdr);
	return 0;
}

/**
 * weir_nl_flow_alarm() - tell the events group of an alarm
 * @table: the table
 * @notice: the alarm
 *
 * Sleeps.
 */
void weir_nl_flow_alarm(struct weir_flow_table *table, const struct weir_flow_notice *notice)
{
	const struct weir_nl_alarm of = { table, notice };

	weir_nl_notify(&weir_xdp_nl, &table->wn->ns, WEIR_XDP_CMD_FLOW_ALARM_NTF,
		       weir_nl_fill_alarm, &of);
}

static void weir_nl_flow_u32(struct genl_info *info, int attr, u32 *value)
{
	if (info->attrs[attr])
		*value = nla_get_u32(info->attrs[attr]);
}

static void weir_nl_flow_u64(struct genl_info *info, int attr, u64 *value)
{
	if (info->attrs[attr])
		*value = nla_get_uint(info->attrs[attr]);
}

/* Overwrite the settings that a request names. */
static void weir_nl_flow_config(struct genl_info *info, struct weir_flow_config *config)
{
	weir_nl_flow_u32(info, WEIR_A_FLOW_FLOWS, &config->flows);
	weir_nl_flow_u32(info, WEIR_A_FLOW_SAMPLE, &config->sample);
	weir_nl_flow_u32(info, WEIR_A_FLOW_IDLE, &config->idle);
	weir_nl_flow_u32(info, WEIR_A_FLOW_ACTIVE, &config->active);
	weir_nl_flow_u64(info, WEIR_A_FLOW_TRIMMED, &config->trimmed);
	weir_nl_flow_u64(info, WEIR_A_FLOW_RATE, &config->rate);
	weir_nl_flow_u32(info, WEIR_A_FLOW_SHARE, &config->share);
	weir_nl_flow_u32(info, WEIR_A_FLOW_LOSS, &config->loss);
	weir_nl_flow_u64(info, WEIR_A_FLOW_SOURCE, &config->source);
}

static int weir_nl_flow_change(struct genl_info *info, struct weir_flow_table *table)
{
	struct weir_flow_config config = table->config;

	weir_nl_flow_config(info, &config);
	if (config.flows != table->config.flows) {
		NL_SET_BAD_ATTR(info->extack, info->attrs[WEIR_A_FLOW_FLOWS]);
		NL_SET_ERR_MSG_FMT(info->extack,
				   "the table has room for %u flows: end recording, and begin it anew",
				   table->config.flows);
		return -EBUSY;
	}
	if (config.share && !config.rate)
		return weir_nl_refuse(info, info->attrs[WEIR_A_FLOW_SHARE], -EINVAL,
				      "a share is one of the link's rate: say rate, too");
	if (weir_flow_watch_begin(table, &config))
		return -ENOMEM;
	weir_flow_table_set(table, &config);
	weir_nl_changed(&table->wn->ns);
	weir_nl_flow_notify(table, WEIR_XDP_CMD_FLOW_NTF);
	return 0;
}

static bool weir_nl_flow_has_device(struct weir_xdp_net *wn, int ifindex)
{
	bool has;

	rcu_read_lock();
	has = dev_get_by_index_rcu(wn->ns.net, ifindex);
	rcu_read_unlock();
	return has;
}

/* Gives the device a table that has been made for it. */
static int weir_nl_flow_add(struct weir_xdp_net *wn, struct weir_flow_table *table)
{
	struct net_device *dev;
	int err;

	rtnl_lock();
	dev = __dev_get_by_index(wn->ns.net, table->ifindex);
	err = dev ? weir_flows_add(wn, dev, table) : -ENODEV;
	rtnl_unlock();
	return err;
}

/* The table is large: it is made without RTNL, as the namespace's lock keeps others from it. */
static int weir_nl_flow_begin(struct genl_info *info, int ifindex)
{
	struct weir_flow_config config = {
		.flows	= WEIR_XDP_FLOWS_DEFAULT,
		.sample	= 1,
		.idle	= WEIR_XDP_FLOW_IDLE_DEFAULT,
		.active	= WEIR_XDP_FLOW_ACTIVE_DEFAULT,
	};
	struct weir_xdp_net *wn = weir_xdp_nl_net(info);
	struct weir_flow_table *table;
	int err;

	if (!weir_nl_flow_has_device(wn, ifindex))
		return weir_nl_refuse_dev(info, WEIR_A_FLOW_IFINDEX, ifindex, -ENODEV, "is gone");
	weir_nl_flow_config(info, &config);
	if (!weir_flow_table_fits(config.flows))
		return weir_nl_refuse(info, info->attrs[WEIR_A_FLOW_FLOWS], -ENOMEM,
				      "records of so many flows take more than a quarter of the machine's memory");
	if (config.share && !config.rate)
		return weir_nl_refuse(info, info->attrs[WEIR_A_FLOW_SHARE], -EINVAL,
				      "a share is one of the link's rate: say rate, too");
	table = weir_flow_table_make(wn, ifindex, &config);
	if (!table)
		return -ENOMEM;
	err = weir_flow_watch_begin(table, &config) ?: weir_nl_flow_add(wn, table);
	if (err) {
		weir_flows_free(table);
		return err == -ENODEV ? weir_nl_refuse_dev(info, WEIR_A_FLOW_IFINDEX, ifindex, err,
							   "is gone") : err;
	}
	weir_nl_changed(&wn->ns);
	weir_nl_flow_notify(table, WEIR_XDP_CMD_FLOW_NTF);
	return 0;
}

int weir_xdp_nl_flow_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_flow_table *table;
	int ifindex, err;

	err = weir_nl_ifindex(info, WEIR_A_FLOW_IFINDEX, &ifindex);
	err = err ?: weir_nl_sees(info, WEIR_A_FLOW_IFINDEX, ifindex, true);
	if (err)
		return err;
	table = weir_flows_find(weir_xdp_nl_net(info), ifindex);
	return table ? weir_nl_flow_change(info, table) : weir_nl_flow_begin(info, ifindex);
}

/* RTNL is held. */
static struct weir_flow_table *weir_nl_flow_table(struct genl_info *info)
{
	struct weir_flow_table *table;
	int ifindex, err;

	err = weir_nl_ifindex(info, WEIR_A_FLOW_IFINDEX, &ifindex);
	if (err)
		return ERR_PTR(err);
	table = weir_flows_get(weir_xdp_nl_net(info), ifindex);
	if (table)
		return table;
	err = weir_nl_refuse_dev(info, WEIR_A_FLOW_IFINDEX, ifindex, -ENOENT,
				 "has no flows recorded");
	return ERR_PTR(err);
}

/*
 * A request that ends recording returns when all records have been reported. A listener may be
 * slow, so others need not wait: nothing that this has found is used after it.
 */
static void weir_nl_flow_wait(struct weir_xdp_net *wn)
{
	mutex_unlock(&wn->ns.lock);
	weir_ns_endings_wait(&wn->ns);
	mutex_lock(&wn->ns.lock);
}

int weir_xdp_nl_flow_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_flow_table *table;

	rtnl_lock();
	table = weir_nl_flow_table(info);
	if (!IS_ERR(table)) {
		weir_flows_del(weir_xdp_nl_net(info), table->ifindex);
		weir_nl_changed(&weir_xdp_nl_net(info)->ns);
	}
	rtnl_unlock();
	if (IS_ERR(table))
		return PTR_ERR(table);
	weir_nl_flow_wait(weir_xdp_nl_net(info));
	return 0;
}

int weir_xdp_nl_flow_flush_doit(struct sk_buff *skb, struct genl_info *info)
{
	weir_flows_flush(genl_info_net(info));
	weir_nl_changed(&weir_xdp_nl_net(info)->ns);
	weir_nl_flow_wait(weir_xdp_nl_net(info));
	return 0;
}

int weir_xdp_nl_flow_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_nl_dev dev = { .net = genl_info_net(info) };
	struct weir_flow_table *table;
	int err;

	rtnl_lock();
	table = weir_nl_flow_table(info);
	dev.of = table;
	err = IS_ERR(table) ? PTR_ERR(table) :
			      weir_nl_reply(info, WEIR_XDP_CMD_FLOW_GET, weir_nl_fill_table, &dev);
	rtnl_unlock();
	return err;
}

/* The table of a device, if it has one. */
static int weir_nl_fill_flows(const struct weir_nl_msg *msg, const void *obj)
{
	const struct weir_nl_dev *dev = obj;
	const struct weir_xdp_dev *xd = dev->of;
	const struct weir_nl_dev of = { dev->net, rtnl_dereference(xd->flows) };

	return of.of ? weir_nl_fill_table(msg, &of) : 0;
}

int weir_xdp_nl_flow_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct weir_xdp_net *wn = weir_xdp_net(sock_net(skb->sk));

	return weir_nl_dump_devs(&wn->ns, skb, cb, WEIR_XDP_CMD_FLOW_GET, &wn->devs,
				 weir_nl_fill_flows);
}

// SPDX-License-Identifier: GPL-2.0
/* Netlink requests about filters. match.c has the matches of a rule. */
#include <linux/bits.h>
#include <linux/math64.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/sock.h>

#include "xdp/filter/filter.h"
#include "xdp/filter/sources.h"
#include "xdp/netlink/netlink.h"
#include "xdp/netlink/match.h"

/**
 * struct weir_nl_filter_rule - a rule of a filter, with its namespace
 * @net: the namespace
 * @ifindex: the filter's device
 * @rule: the rule
 */
struct weir_nl_filter_rule {
	struct net			*net;
	int				ifindex;
	const struct weir_filter_rule	*rule;
};

static int weir_nl_put_filter_stats(struct sk_buff *skb, const struct weir_filter_rule *rule)
{
	struct nlattr *nest = nla_nest_start(skb, WEIR_A_FILTER_STATS);
	struct weir_filter_count sum;

	if (!nest)
		return -EMSGSIZE;
	weir_filter_rule_sum(rule, &sum);
	if (nla_put_uint(skb, WEIR_A_FILTER_STATS_PACKETS, sum.packets) ||
	    nla_put_uint(skb, WEIR_A_FILTER_STATS_BYTES, sum.bytes) ||
	    nla_put_uint(skb, WEIR_A_FILTER_STATS_DROPPED, sum.dropped) ||
	    nla_put_uint(skb, WEIR_A_FILTER_STATS_DROPPED_BYTES, sum.dropped_bytes) ||
	    nla_put_uint(skb, WEIR_A_FILTER_STATS_CROWDED, sum.crowded) ||
	    nla_put_uint(skb, WEIR_A_FILTER_STATS_BLOCKS, sum.blocks) ||
	    nla_put_uint(skb, WEIR_A_FILTER_STATS_SAMPLED, sum.sampled))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int weir_nl_put_filter_each(struct sk_buff *skb, const struct weir_filter_rule *rule)
{
	if (!rule->config.each)
		return 0;
	if (nla_put_flag(skb, WEIR_A_FILTER_EACH) ||
	    nla_put_u32(skb, WEIR_A_FILTER_SOURCES, rule->config.sources) ||
	    nla_put_u32(skb, WEIR_A_FILTER_KNOWN, READ_ONCE(rule->sources->known)))
		return -EMSGSIZE;
	return 0;
}

static int weir_nl_put_filter_guard(struct sk_buff *skb, const struct weir_filter_rule *rule)
{
	if (!rule->config.time)
		return 0;
	return nla_put_u32(skb, WEIR_A_FILTER_TIME, div_u64(rule->config.time, NSEC_PER_USEC)) ?:
	       nla_put_u32(skb, WEIR_A_FILTER_BLOCKED, READ_ONCE(rule->sources->blocked));
}

static int weir_nl_put_filter_action(struct sk_buff *skb, const struct weir_filter_rule *rule)
{
	const struct weir_filter_config *config = &rule->config;

	if (nla_put_u32(skb, WEIR_A_FILTER_ACTION, config->action))
		return -EMSGSIZE;
	if (config->action == WEIR_XDP_FILTER_ACTION_MARK)
		return nla_put_u32(skb, WEIR_A_FILTER_DSCP, config->dscp);
	if (config->action == WEIR_XDP_FILTER_ACTION_SAMPLE)
		return nla_put_u32(skb, WEIR_A_FILTER_SAMPLE, config->sample) ?:
		       nla_put_u32(skb, WEIR_A_FILTER_GROUP, config->group);
	return weir_nl_put_rate(skb, WEIR_A_FILTER_RATE, &config->rate) ?:
	       weir_nl_put_filter_each(skb, rule) ?: weir_nl_put_filter_guard(skb, rule);
}

static int weir_nl_put_filter_rule(struct sk_buff *skb, const struct weir_filter_rule *rule)
{
	const char *file = rule->config.file;

	if (nla_put_u32(skb, WEIR_A_FILTER_PRIO, rule->config.prio) ||
	    weir_nl_put_matches(skb, WEIR_A_FILTER_MATCH, rule) ||
	    nla_put_u32(skb, WEIR_A_FILTER_MATCHES, rule->matches) ||
	    (file && nla_put_string(skb, WEIR_A_FILTER_FILE, file)) ||
	    (rule->config.has_common &&
	     weir_nl_put_match(skb, WEIR_A_FILTER_COMMON, &rule->config.common)) ||
	    weir_nl_put_filter_action(skb, rule) ||
	    (rule->pending && nla_put_flag(skb, WEIR_A_FILTER_PENDING)))
		return -EMSGSIZE;
	return weir_nl_put_filter_stats(skb, rule);
}

static int weir_nl_fill_filter_rule(const struct weir_nl_msg *msg, const void *obj)
{
	const struct weir_nl_filter_rule *of = obj;
	struct sk_buff *skb = msg->skb;
	void *hdr;

	hdr = weir_nl_begin(msg);
	if (!hdr)
		return -EMSGSIZE;
	if (weir_nl_put_dev(skb, WEIR_A_FILTER_IFINDEX, WEIR_A_FILTER_IFNAME, of->net,
			    of->ifindex) ||
	    weir_nl_put_filter_rule(skb, of->rule)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

/**
 * weir_nl_filter_notify() - tell the events group about a rule of a filter
 * @wn: the namespace
 * @ifindex: the filter's device
 * @rule: the rule, which stays while this runs
 * @cmd: WEIR_XDP_CMD_FILTER_NTF or WEIR_XDP_CMD_FILTER_DEL_NTF
 *
 * Sleeps.
 */
void weir_nl_filter_notify(struct weir_xdp_net *wn, int ifindex,
			   const struct weir_filter_rule *rule, u8 cmd)
{
	const struct weir_nl_filter_rule of = { wn->ns.net, ifindex, rule };

	weir_nl_notify(&weir_xdp_nl, &wn->ns, cmd, weir_nl_fill_filter_rule, &of);
}

/**
 * struct weir_nl_filter_req - what a request about a filter says
 * @info: the request
 * @wn: its namespace
 * @ifindex: the device
 * @prio: the place
 */
struct weir_nl_filter_req {
	struct genl_info	*info;
	struct weir_xdp_net		*wn;
	int			ifindex;
	u32			prio;
};

/* Of a request about a whole filter, whose attributes end before the place. */
static int weir_nl_filter_dev(struct weir_nl_filter_req *req, struct genl_info *info)
{
	req->info = info;
	req->wn = weir_xdp_nl_net(info);
	req->prio = 0;
	return weir_nl_ifindex(info, WEIR_A_FILTER_IFINDEX, &req->ifindex);
}

/* Of one that may name a place; 0 is none. */
static int weir_nl_filter_req(struct weir_nl_filter_req *req, struct genl_info *info)
{
	struct nlattr *prio = info->attrs[WEIR_A_FILTER_PRIO];
	int err = weir_nl_filter_dev(req, info);

	req->prio = prio ? nla_get_u32(prio) : 0;
	return err;
}

static int weir_nl_filter_place(struct weir_nl_filter_req *req, struct genl_info *info)
{
	int err = weir_nl_filter_req(req, info);

	if (err)
		return err;
	return WEIR_NL_REQUIRE(info, WEIR_A_FILTER_PRIO, "say which rule: its prio is missing") ?
	       0 : -EINVAL;
}

/* The sentence for an error that the filter has returned. */
static int weir_nl_filter_refuse(const struct weir_nl_filter_req *req, int err)
{
	struct genl_info *info = req->info;

	switch (err) {
	case -ENODEV:
		return weir_nl_refuse_dev(info, WEIR_A_FILTER_IFINDEX, req->ifindex, err,
					  "is gone");
	case -ENOENT:
		NL_SET_BAD_ATTR(info->extack, info->attrs[WEIR_A_FILTER_PRIO]);
		NL_SET_ERR_MSG_FMT(info->extack, "no rule of a filter has prio %u on this device",
				   req->prio);
		return err;
	case -EEXIST:
		NL_SET_BAD_ATTR(info->extack, info->attrs[WEIR_A_FILTER_PRIO]);
		NL_SET_ERR_MSG_FMT(info->extack, "the filter has a rule with prio %u already",
				   req->prio);
		return err;
	case -E2BIG:
		NL_SET_ERR_MSG_FMT(info->extack, "a filter has %d rules at most",
				   WEIR_XDP_FILTER_RULES_MAX);
		return err;
	case -EMSGSIZE:
		NL_SET_ERR_MSG_FMT(info->extack, "the rules of a filter have %d matches at most",
				   WEIR_XDP_FILTER_MATCHES_MAX);
		return -E2BIG;
	case -ENOSPC:
		NL_SET_ERR_MSG_FMT(info->extack,
				   "a filter compares %d sets of fields and prefix lengths at most",
				   WEIR_XDP_FILTER_TUPLES_MAX);
		return -E2BIG;
	default:
		return err;
	}
}

static int weir_nl_filter_rate(struct genl_info *info, struct weir_filter_config *config)
{
	int err;

	if (!WEIR_NL_REQUIRE(info, WEIR_A_FILTER_RATE, "say which rate packets may have"))
		return -EINVAL;
	err = weir_nl_rate(info, WEIR_A_FILTER_RATE, weir_xdp_rate_nl_policy, &config->rate);
	if (err)
		return err;
	if (!weir_rate_is_set(&config->rate))
		return weir_nl_refuse(info, info->attrs[WEIR_A_FILTER_RATE], -EINVAL,
				      "a rate is of packets, or of bytes, or of both");
	return 0;
}

static int weir_nl_filter_police(struct genl_info *info, struct weir_filter_config *config)
{
	struct nlattr *sources = info->attrs[WEIR_A_FILTER_SOURCES];
	int err = weir_nl_filter_rate(info, config);

	if (err)
		return err;
	config->each = nla_get_flag(info->attrs[WEIR_A_FILTER_EACH]);
	if (sources && !config->each)
		return weir_nl_refuse(info, sources, -EINVAL,
				      "sources are told apart where the rate is that of each");
	config->sources = sources ? nla_get_u32(sources) : WEIR_XDP_FILTER_SOURCES;
	return 0;
}

/* As a policer of each source, and it blocks those above. */
static int weir_nl_filter_guard(struct genl_info *info, struct weir_filter_config *config)
{
	struct nlattr *sources = info->attrs[WEIR_A_FILTER_SOURCES];
	struct nlattr *time = info->attrs[WEIR_A_FILTER_TIME];
	int err = weir_nl_filter_rate(info, config);

	if (err)
		return err;
	config->each = true;
	config->sources = sources ? nla_get_u32(sources) : WEIR_XDP_FILTER_SOURCES;
	config->time = NSEC_PER_USEC * (time ? nla_get_u32(time) : WEIR_XDP_FILTER_TIME);
	return 0;
}

static int weir_nl_filter_mark(struct genl_info *info, struct weir_filter_config *config)
{
	if (!WEIR_NL_REQUIRE(info, WEIR_A_FILTER_DSCP, "say which DSCP packets get"))
		return -EINVAL;
	config->dscp = nla_get_u32(info->attrs[WEIR_A_FILTER_DSCP]);
	return 0;
}

static int weir_nl_filter_sample(struct genl_info *info, struct weir_filter_config *config)
{
	struct nlattr *group = info->attrs[WEIR_A_FILTER_GROUP];

	if (!WEIR_NL_REQUIRE(info, WEIR_A_FILTER_SAMPLE, "say one packet in how many is sampled"))
		return -EINVAL;
	config->sample = nla_get_u32(info->attrs[WEIR_A_FILTER_SAMPLE]);
	config->group = group ? nla_get_u32(group) : WEIR_XDP_FILTER_GROUP;
	return 0;
}

/* Refuse attributes that the rule's action does not take. */
static int weir_nl_filter_strange(struct genl_info *info, u32 action)
{
	const u32 rates = BIT(WEIR_XDP_FILTER_ACTION_POLICE) | BIT(WEIR_XDP_FILTER_ACTION_GUARD);
	const u32 samples = BIT(WEIR_XDP_FILTER_ACTION_SAMPLE);
	const struct { int attr; u32 actions; const char *sentence; } owned[] = {
		{ WEIR_A_FILTER_RATE, rates, "only police and guard have a rate" },
		{ WEIR_A_FILTER_EACH, rates, "only police and guard are of each source" },
		{ WEIR_A_FILTER_SOURCES, rates, "only police and guard know sources" },
		{ WEIR_A_FILTER_DSCP, BIT(WEIR_XDP_FILTER_ACTION_MARK), "only mark has a DSCP" },
		{ WEIR_A_FILTER_SAMPLE, samples, "only sample has a share" },
		{ WEIR_A_FILTER_GROUP, samples, "only sample has a group" },
		{ WEIR_A_FILTER_TIME, BIT(WEIR_XDP_FILTER_ACTION_GUARD), "only guard has a time" },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(owned); i++)
		if (info->attrs[owned[i].attr] && !(owned[i].actions & BIT(action)))
			return weir_nl_refuse(info, info->attrs[owned[i].attr], -EINVAL,
					      owned[i].sentence);
	return 0;
}

static int weir_nl_filter_action(struct genl_info *info, struct weir_filter_config *config)
{
	int err;

	if (!WEIR_NL_REQUIRE(info, WEIR_A_FILTER_ACTION, "say what is done with packets"))
		return -EINVAL;
	config->action = nla_get_u32(info->attrs[WEIR_A_FILTER_ACTION]);
	err = weir_nl_filter_strange(info, config->action);
	if (err)
		return err;
	switch (config->action) {
	case WEIR_XDP_FILTER_ACTION_POLICE:
		return weir_nl_filter_police(info, config);
	case WEIR_XDP_FILTER_ACTION_GUARD:
		return weir_nl_filter_guard(info, config);
	case WEIR_XDP_FILTER_ACTION_MARK:
		return weir_nl_filter_mark(info, config);
	case WEIR_XDP_FILTER_ACTION_SAMPLE:
		return weir_nl_filter_sample(info, config);
	default:
		return 0;
	}
}

static int weir_nl_filter_config(struct genl_info *info, struct weir_filter_config *config)
{
	struct nlattr *common = info->attrs[WEIR_A_FILTER_COMMON];
	struct nlattr *file = info->attrs[WEIR_A_FILTER_FILE];
	int err;

	err = weir_nl_filter_action(info, config);
	if (err)
		return err;
	config->matches = weir_nl_count_matches(info, WEIR_A_FILTER_MATCH);
	if (!config->matches)
		return weir_nl_refuse(info, NULL, -EINVAL, "say which packets: a match is missing");
	config->file = file ? nla_data(file) : NULL;
	config->has_common = common;
	err = common ? weir_nl_match(info, common, &config->common) : 0;
	if (err)
		return err;
	if (config->matches > WEIR_XDP_FILTER_MATCHES_SHOWN && !file)
		return weir_nl_refuse(info, NULL, -EINVAL,
				      "say which file so many matches come from");
	if (config->matches > WEIR_XDP_FILTER_MATCHES_MAX)
		return -EMSGSIZE;
	return 0;
}

/* A rule as the request has it, without counters. */
static struct weir_filter_rule *weir_nl_filter_rule(const struct weir_nl_filter_req *req)
{
	struct weir_filter_config config = { .prio = req->prio };
	struct weir_filter_rule *rule;
	int err;

	err = weir_nl_filter_config(req->info, &config);
	if (err)
		return ERR_PTR(err);
	rule = weir_filter_rule_alloc(req->wn->ns.net, &config);
	if (!rule)
		return ERR_PTR(-ENOMEM);
	err = weir_nl_matches(req->info, WEIR_A_FILTER_MATCH, rule->match);
	if (!err && weir_filter_rule_asks_vlan(rule))
		err = weir_nl_sees_vlan(req->info, WEIR_A_FILTER_IFINDEX, req->ifindex);
	if (!err)
		return rule;
	weir_filter_rule_free(rule);
	return ERR_PTR(err);
}

/* Tell listeners about a change. */
static void weir_nl_filter_changed(const struct weir_nl_filter_req *req,
				   const struct weir_filter_rule *rule)
{
	weir_nl_changed(&req->wn->ns);
	weir_nl_filter_notify(req->wn, req->ifindex, rule, WEIR_XDP_CMD_FILTER_NTF);
}

/* A place behind all others, where none is asked for. */
static int weir_nl_filter_find_place(struct weir_nl_filter_req *req, struct weir_filter_rule *rule)
{
	if (!req->prio)
		req->prio = weir_filter_next_prio(weir_filter_find(req->wn, req->ifindex));
	rule->config.prio = req->prio;
	return req->prio > WEIR_XDP_FILTER_PRIO_MAX ? -ERANGE : 0;
}

static int weir_nl_filter_add(struct weir_nl_filter_req *req, struct weir_filter_rule *rule)
{
	bool more = nla_get_flag(req->info->attrs[WEIR_A_FILTER_MORE]);
	int err;

	err = weir_filter_rule_counts(rule);
	if (err)
		return err;
	err = weir_nl_filter_find_place(req, rule) ?:
	      weir_filter_add(req->wn, req->ifindex, rule, more);
	if (!err)
		weir_nl_filter_changed(req, rule);
	return err;
}

int weir_xdp_nl_filter_add_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_nl_filter_req req;
	struct weir_filter_rule *rule;
	int err;

	err = weir_nl_filter_req(&req, info);
	err = err ?: weir_nl_sees(info, WEIR_A_FILTER_IFINDEX, req.ifindex, true);
	if (err)
		return err;
	rule = weir_nl_filter_rule(&req);
	if (IS_ERR(rule))
		return weir_nl_filter_refuse(&req, PTR_ERR(rule));
	err = weir_nl_filter_add(&req, rule);
	if (!err)
		return 0;
	weir_filter_rule_free(rule);
	if (err == -ERANGE)
		return weir_nl_refuse(info, NULL, err,
				      "no place is left behind the last rule: say which, by prio");
	return weir_nl_filter_refuse(&req, err);
}

int weir_xdp_nl_filter_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_nl_filter_req req;
	struct weir_filter_rule *rule;
	struct weir_filter *filter;
	int err;

	err = weir_nl_filter_place(&req, info);
	if (err)
		return err;
	rule = weir_nl_filter_rule(&req);
	if (IS_ERR(rule))
		return weir_nl_filter_refuse(&req, PTR_ERR(rule));
	filter = weir_filter_find(req.wn, req.ifindex);
	err = filter ? weir_filter_replace(req.wn, filter, rule) : -ENOENT;
	if (!err) {
		weir_nl_filter_changed(&req, rule);
		return 0;
	}
	weir_filter_rule_free(rule);
	return weir_nl_filter_refuse(&req, err);
}

int weir_xdp_nl_filter_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_nl_filter_req req;
	struct weir_filter *filter;
	int err;

	err = weir_nl_filter_place(&req, info);
	if (err)
		return err;
	filter = weir_filter_find(req.wn, req.ifindex);
	err = filter ? weir_filter_del(req.wn, filter, req.prio) : -ENOENT;
	if (err)
		return weir_nl_filter_refuse(&req, err);
	weir_nl_changed(&req.wn->ns);
	return 0;
}

static int weir_nl_filter_refuse_none(const struct weir_nl_filter_req *req)
{
	return weir_nl_refuse_dev(req->info, WEIR_A_FILTER_IFINDEX, req->ifindex, -ENOENT,
				  "has no filter");
}

int weir_xdp_nl_filter_commit_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_nl_filter_req req;
	struct weir_filter *filter;
	int err;

	err = weir_nl_filter_dev(&req, info);
	if (err)
		return err;
	filter = weir_filter_find(req.wn, req.ifindex);
	err = filter ? weir_filter_commit(req.wn, filter) : -ENOENT;
	if (err == -ENOENT)
		return weir_nl_filter_refuse_none(&req);
	if (err)
		return weir_nl_filter_refuse(&req, err);
	weir_nl_changed(&req.wn->ns);
	return 0;
}

static int weir_nl_filter_flush_one(struct genl_info *info)
{
	struct weir_nl_filter_req req;
	struct weir_filter *filter;
	int err;

	err = weir_nl_filter_dev(&req, info);
	if (err)
		return err;
	filter = weir_filter_find(req.wn, req.ifindex);
	if (filter)
		weir_filter_end(req.wn, filter);
	return filter ? 0 : weir_nl_filter_refuse_none(&req);
}

int weir_xdp_nl_filter_flush_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_xdp_net *wn = weir_xdp_nl_net(info);
	int err = 0;

	if (info->attrs[WEIR_A_FILTER_IFINDEX])
		err = weir_nl_filter_flush_one(info);
	else
		weir_filter_flush(wn->ns.net);
	if (!err)
		weir_nl_changed(&wn->ns);
	return err;
}

/* The first one, where none is asked for. */
static const struct weir_filter_rule *weir_nl_filter_get(const struct weir_nl_filter_req *req)
{
	struct weir_filter *filter = weir_filter_find(req->wn, req->ifindex);
	unsigned long prio = 0;

	if (filter && !req->prio)
		return xa_find(&filter->rules, &prio, ULONG_MAX, XA_PRESENT);
	return filter ? weir_filter_rule(filter, req->prio) : NULL;
}

int weir_xdp_nl_filter_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_nl_filter_rule of = {};
	struct weir_nl_filter_req req;
	int err;

	err = weir_nl_filter_req(&req, info);
	if (err)
		return err;
	of.net = req.wn->ns.net;
	of.ifindex = req.ifindex;
	of.rule = weir_nl_filter_get(&req);
	if (of.rule)
		return weir_nl_reply(info, WEIR_XDP_CMD_FILTER_GET, weir_nl_fill_filter_rule, &of);
	return req.prio ? weir_nl_filter_refuse(&req, -ENOENT) : weir_nl_filter_refuse_none(&req);
}

/*
 * A filter's rules, from the place in args[1] of the dump on, which becomes that of the first
 * that did not fit, or 0.
 */
static int weir_nl_fill_filter(const struct weir_nl_msg *msg, const void *obj)
{
	const struct nlattr *only = genl_info_dump(msg->cb)->attrs[WEIR_A_FILTER_IFINDEX];
	const struct weir_nl_dev *dev = obj;
	const struct weir_xdp_dev *xd = dev->of;
	struct weir_filter *filter = rtnl_dereference(xd->filter);
	struct weir_nl_filter_rule of = { .net = dev->net, .ifindex = xd->ifindex };
	struct weir_filter_rule *rule;
	unsigned long prio;
	int err;

	if (!filter || (only && nla_get_u32(only) != xd->ifindex))
		return 0;
	xa_for_each_start(&filter->rules, prio, rule, msg->cb->args[1]) {
		of.rule = rule;
		err = weir_nl_fill_filter_rule(msg, &of);
		if (err) {
			msg->cb->args[1] = prio;
			return err;
		}
	}
	msg->cb->args[1] = 0;
	return 0;
}

int weir_xdp_nl_filter_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct weir_xdp_net *wn = weir_xdp_net(sock_net(skb->sk));

	return weir_nl_dump_devs(&wn->ns, skb, cb, WEIR_XDP_CMD_FILTER_GET, &wn->devs,
				 weir_nl_fill_filter);
}

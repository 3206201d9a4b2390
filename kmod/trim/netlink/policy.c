// SPDX-License-Identifier: GPL-2.0
/* Netlink requests about trimming policies. */
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/sock.h>

#include "trim/netlink/netlink.h"
#include "core/netlink/rule.h"
#include "trim/netlink/policy.h"
#include "trim/acl.h"
#include "trim/backlog.h"
#include "trim/pool.h"
#include "trim/trims.h"
#include "trim/trim_default.h"

/**
 * struct weir_nl_trim_number - an attribute that is a number of 32 bits
 * @attr: WEIR_A_TRIM_*
 * @at: its offset in struct weir_trim_config
 * @has: the flag of its presence, 0 where it is always there
 */
struct weir_nl_trim_number {
	u16	attr;
	u16	at;
	u32	has;
};

static const struct weir_nl_trim_number weir_nl_trim_numbers[] = {
	{ WEIR_A_TRIM_HOOK, offsetof(struct weir_trim_config, hook) },
	{ WEIR_A_TRIM_SIZE, offsetof(struct weir_trim_config, size) },
	{ WEIR_A_TRIM_DSCP, offsetof(struct weir_trim_config, dscp),
	  WEIR_TRIM_HAS_DSCP },
	{ WEIR_A_TRIM_TC, offsetof(struct weir_trim_config, tc),
	  WEIR_TRIM_HAS_TC },
	{ WEIR_A_TRIM_PRIORITY, offsetof(struct weir_trim_config, priority),
	  WEIR_TRIM_HAS_PRIORITY },
	{ WEIR_A_TRIM_QUEUE, offsetof(struct weir_trim_config, queue),
	  WEIR_TRIM_HAS_QUEUE },
	{ WEIR_A_TRIM_LENGTH, offsetof(struct weir_trim_config, length) },
	{ WEIR_A_TRIM_EDGE, offsetof(struct weir_trim_config, edge) },
	{ WEIR_A_TRIM_LIMIT, offsetof(struct weir_trim_config, limit) },
	{ WEIR_A_TRIM_LIMIT_TIME,
	  offsetof(struct weir_trim_config, limit_time) },
	{ WEIR_A_TRIM_LIMIT_DYNAMIC, offsetof(struct weir_trim_config, alpha) },
	{ WEIR_A_TRIM_HEADERS, offsetof(struct weir_trim_config, headers) },
	{ WEIR_A_TRIM_HEADER_TIME,
	  offsetof(struct weir_trim_config, header_time) },
	{ WEIR_A_TRIM_OTHER_LIMIT,
	  offsetof(struct weir_trim_config, other_limit) },
	{ WEIR_A_TRIM_SHARE, offsetof(struct weir_trim_config, share) },
	{ WEIR_A_TRIM_SHARE_VALUE,
	  offsetof(struct weir_trim_config, share_value) },
	{ WEIR_A_TRIM_VICTIM, offsetof(struct weir_trim_config, victim) },
	{ WEIR_A_TRIM_FULL, offsetof(struct weir_trim_config, full) },
	{ WEIR_A_TRIM_RETURN_DSCP,
	  offsetof(struct weir_trim_config, return_dscp),
	  WEIR_TRIM_HAS_RETURN },
	{ WEIR_A_TRIM_METER, offsetof(struct weir_trim_config, meter) },
	{ WEIR_A_TRIM_OVERHEAD, offsetof(struct weir_trim_config, overhead) },
	{ WEIR_A_TRIM_MPU, offsetof(struct weir_trim_config, mpu) },
	{ WEIR_A_TRIM_OPTIMISTIC,
	  offsetof(struct weir_trim_config, percent[WEIR_TRIM_OPTIMISTIC]),
	  WEIR_TRIM_HAS_PERCENT(WEIR_TRIM_OPTIMISTIC) },
	{ WEIR_A_TRIM_HALF,
	  offsetof(struct weir_trim_config, percent[WEIR_TRIM_HALF]),
	  WEIR_TRIM_HAS_PERCENT(WEIR_TRIM_HALF) },
	{ WEIR_A_TRIM_PESSIMISTIC,
	  offsetof(struct weir_trim_config, percent[WEIR_TRIM_PESSIMISTIC]),
	  WEIR_TRIM_HAS_PERCENT(WEIR_TRIM_PESSIMISTIC) },
	{ WEIR_A_TRIM_T0, offsetof(struct weir_trim_config, t0) },
	{ WEIR_A_TRIM_T1, offsetof(struct weir_trim_config, t1) },
};

/**
 * weir_nl_trim_refuse() - refuse a policy
 * @info: the request
 * @err: negative error
 * @attr: the attribute that is wrong, or missing
 * @msg: a sentence
 *
 * Return: @err.
 */
int weir_nl_trim_refuse(struct genl_info *info, int err, int attr,
			const char *msg)
{
	if (!info->attrs[attr])
		NL_SET_ERR_ATTR_MISS(info->extack, NULL, attr);
	return weir_nl_refuse(info, info->attrs[attr], err, msg);
}

static void weir_nl_trim_get_numbers(struct genl_info *info,
				     struct weir_trim_config *config)
{
	const struct weir_nl_trim_number *n = weir_nl_trim_numbers;
	const struct weir_nl_trim_number *end = n +
						ARRAY_SIZE(weir_nl_trim_numbers);

	for (; n < end; n++) {
		if (!info->attrs[n->attr])
			continue;
		*(u32 *)((void *)config + n->at) =
			nla_get_u32(info->attrs[n->attr]);
		config->has |= n->has;
	}
}

static void weir_nl_trim_unset_numbers(struct weir_trim_config *config,
				       const struct weir_trim_config *plain,
				       u64 attrs)
{
	const struct weir_nl_trim_number *n = weir_nl_trim_numbers;
	const struct weir_nl_trim_number *end = n +
						ARRAY_SIZE(weir_nl_trim_numbers);

	for (; n < end; n++) {
		if (!(attrs & BIT_ULL(n->attr)))
			continue;
		*(u32 *)((void *)config + n->at) =
			*(const u32 *)((const void *)plain + n->at);
		config->has &= ~n->has;
	}
}

/* Attributes that are no longer given have the values of a policy without any. */
static void weir_nl_trim_unset(struct weir_trim_config *config, u64 attrs)
{
	const struct weir_trim_config *plain = weir_trim_untold();

	attrs &= ~BIT_ULL(WEIR_A_TRIM_HOOK);
	weir_nl_trim_unset_numbers(config, plain, attrs);
	if (attrs & BIT_ULL(WEIR_A_TRIM_SHARE))
		config->share_value = plain->share_value;
	if (attrs & BIT_ULL(WEIR_A_TRIM_LIMIT_BYTES))
		config->limit_bytes = plain->limit_bytes;
	if (attrs & BIT_ULL(WEIR_A_TRIM_PORT_LIMIT))
		config->port_limit = plain->port_limit;
	if (attrs & BIT_ULL(WEIR_A_TRIM_POOL))
		config->pool = plain->pool;
	if (attrs & BIT_ULL(WEIR_A_TRIM_ACL))
		config->acl = plain->acl;
	if (attrs & BIT_ULL(WEIR_A_TRIM_TRIMMED_DSCPS))
		config->trimmed_dscps = plain->trimmed_dscps;
	if (attrs & BIT_ULL(WEIR_A_TRIM_CONTROL_DSCPS))
		config->control_dscps = plain->control_dscps;
	if (attrs & BIT_ULL(WEIR_A_TRIM_RATE)) {
		config->rate = plain->rate;
		config->has &= ~WEIR_TRIM_HAS_RATE;
	}
	if (attrs & BIT_ULL(WEIR_A_TRIM_TC_DSCP)) {
		memcpy(config->tc_dscp, plain->tc_dscp, sizeof(config->tc_dscp));
		config->has &= ~WEIR_TRIM_HAS_TC_DSCP;
	}
	if (attrs & BIT_ULL(WEIR_A_TRIM_DSCP_TC)) {
		memcpy(config->dscp_tc, plain->dscp_tc, sizeof(config->dscp_tc));
		config->has &= ~WEIR_TRIM_HAS_DSCP_TC;
	}
	if (attrs & BIT_ULL(WEIR_A_TRIM_RULE))
		config->rules = plain->rules;
	config->said &= ~attrs;
	/* The default of packets is one of a policy that was given no limit at all. */
	if (config->said & (BIT_ULL(WEIR_A_TRIM_LIMIT_BYTES) |
			    BIT_ULL(WEIR_A_TRIM_LIMIT_TIME) |
			    BIT_ULL(WEIR_A_TRIM_LIMIT_DYNAMIC)) &&
	    attrs & BIT_ULL(WEIR_A_TRIM_LIMIT))
		config->limit = 0;
}

/* The policy's attributes that a request has. */
static u64 weir_nl_trim_attrs(struct genl_info *info)
{
	u64 attrs = 0;
	int i;

	static_assert(WEIR_A_TRIM_MAX < 64);

	for (i = 1; i <= WEIR_NL_TRIM_LAST; i++)
		if (weir_nl_trim_is_setting(i) && info->attrs[i])
			attrs |= BIT_ULL(i);
	return attrs;
}

/**
 * weir_nl_trim_said() - put a request's settings into a policy
 * @info: the request, of the command trim-set
 * @config: the policy
 *
 * Return: 0, or a negative error with the sentence set.
 */
int weir_nl_trim_said(struct genl_info *info, struct weir_trim_config *config)
{
	struct nlattr **a = info->attrs;

	if (a[WEIR_A_TRIM_UNSET])
		weir_nl_trim_unset(config, nla_get_uint(a[WEIR_A_TRIM_UNSET]));
	weir_trim_default_own(config, weir_nl_trim_attrs(info),
			      weir_trim_untold());

	/* Another way of sharing has another default, unless the request gives a value. */
	if (a[WEIR_A_TRIM_SHARE])
		weir_trim_config_share(config, nla_get_u32(a[WEIR_A_TRIM_SHARE]));
	/* Of the two ways to set the DSCP the last one given counts. */
	if (a[WEIR_A_TRIM_DSCP])
		config->has &= ~WEIR_TRIM_HAS_TC;
	else if (a[WEIR_A_TRIM_TC])
		config->has &= ~WEIR_TRIM_HAS_DSCP;
	weir_nl_trim_get_numbers(info, config);
	if (a[WEIR_A_TRIM_LIMIT_BYTES])
		config->limit_bytes = nla_get_uint(a[WEIR_A_TRIM_LIMIT_BYTES]);
	if (a[WEIR_A_TRIM_PORT_LIMIT])
		config->port_limit = nla_get_uint(a[WEIR_A_TRIM_PORT_LIMIT]);
	if (a[WEIR_A_TRIM_POOL]) {
		config->pool = weir_nl_trim_pool_find(info, a[WEIR_A_TRIM_POOL]);
		if (!config->pool)
			return -ENOENT;
	}
	if (a[WEIR_A_TRIM_ACL]) {
		config->acl = weir_nl_trim_acl_find(info, a[WEIR_A_TRIM_ACL]);
		if (!config->acl)
			return -ENOENT;
	}
	if (a[WEIR_A_TRIM_TRIMMED_DSCPS])
		config->trimmed_dscps = nla_get_uint(a[WEIR_A_TRIM_TRIMMED_DSCPS]);
	if (a[WEIR_A_TRIM_CONTROL_DSCPS])
		config->control_dscps = nla_get_uint(a[WEIR_A_TRIM_CONTROL_DSCPS]);
	if (a[WEIR_A_TRIM_RATE]) {
		config->rate = nla_get_uint(a[WEIR_A_TRIM_RATE]);
		config->has |= WEIR_TRIM_HAS_RATE;
	}
	if (a[WEIR_A_TRIM_TC_DSCP]) {
		if (nla_len(a[WEIR_A_TRIM_TC_DSCP]) > sizeof(config->tc_dscp))
			return weir_nl_trim_refuse(info, -EINVAL,
						   WEIR_A_TRIM_TC_DSCP,
						   "there are 16 traffic classes at most");
		memcpy(config->tc_dscp, weir_trim_untold()->tc_dscp,
		       sizeof(config->tc_dscp));
		memcpy(config->tc_dscp, nla_data(a[WEIR_A_TRIM_TC_DSCP]),
		       nla_len(a[WEIR_A_TRIM_TC_DSCP]));
		config->has |= WEIR_TRIM_HAS_TC_DSCP;
	}
	if (a[WEIR_A_TRIM_DSCP_TC]) {
		nla_memcpy(config->dscp_tc, a[WEIR_A_TRIM_DSCP_TC],
			   sizeof(config->dscp_tc));
		config->has |= WEIR_TRIM_HAS_DSCP_TC;
	}
	return weir_trim_nl_rules(info, config);
}

/* The hook is set once, with the first request. */
static int weir_nl_trim_hook(struct genl_info *info,
			     const struct weir_trim_config *config)
{
	struct nlattr *attr = info->attrs[WEIR_A_TRIM_HOOK];

	if (!attr && !config->hook)
		return weir_nl_trim_refuse(info, -EINVAL, WEIR_A_TRIM_HOOK,
					   "say where packets are trimmed: hook is missing");
	if (attr && config->hook && nla_get_u32(attr) != config->hook)
		return weir_nl_trim_refuse(info, -EINVAL, WEIR_A_TRIM_HOOK,
					   "the hook cannot be changed: take the policy away first");
	return 0;
}

static int weir_nl_trim_config(struct genl_info *info,
			       const struct net_device *dev,
			       struct weir_trim_config *config)
{
	struct weir_trim_refusal refusal;
	struct weir_trim_device device;
	int err;

	err = weir_nl_trim_hook(info, config);
	if (err)
		return err;
	err = weir_nl_trim_said(info, config);
	if (err)
		return err;
	weir_trim_default_apply(config, weir_trim_default(weir_trim_nl_net(info)));
	weir_trim_device(dev, &device);
	err = weir_trim_config_check(config, &device, &refusal);
	if (err)
		weir_nl_trim_refuse(info, err, refusal.attr, refusal.msg);
	return err;
}

static int weir_nl_trim_put_numbers(struct sk_buff *skb,
				    const struct weir_trim_config *config,
				    u64 attrs)
{
	const struct weir_nl_trim_number *n = weir_nl_trim_numbers;
	const struct weir_nl_trim_number *end = n +
						ARRAY_SIZE(weir_nl_trim_numbers);

	for (; n < end; n++) {
		if (!(attrs & BIT_ULL(n->attr)) ||
		    (n->has && !(config->has & n->has)))
			continue;
		if (nla_put_u32(skb, n->attr,
				*(const u32 *)((const void *)config + n->at)))
			return -EMSGSIZE;
	}
	return 0;
}

static int weir_nl_trim_put_long(struct sk_buff *skb, int attr, u64 value,
				 u64 attrs)
{
	return attrs & BIT_ULL(attr) ? nla_put_uint(skb, attr, value) : 0;
}

/**
 * weir_nl_put_config() - write a policy
 * @skb: the message
 * @config: the policy
 * @attrs: its attributes to write, bit i being WEIR_A_TRIM_i
 *
 * Return: 0 or -EMSGSIZE.
 */
int weir_nl_put_config(struct sk_buff *skb,
		       const struct weir_trim_config *config, u64 attrs)
{
	u32 classes = WEIR_TRIM_HAS_TC | WEIR_TRIM_HAS_TC_DSCP;

	if (weir_nl_trim_put_numbers(skb, config, attrs) ||
	    weir_nl_trim_put_long(skb, WEIR_A_TRIM_LIMIT_BYTES,
				  config->limit_bytes, attrs) ||
	    weir_nl_trim_put_long(skb, WEIR_A_TRIM_PORT_LIMIT,
				  config->port_limit, attrs) ||
	    weir_nl_trim_put_long(skb, WEIR_A_TRIM_TRIMMED_DSCPS,
				  config->trimmed_dscps, attrs) ||
	    weir_nl_trim_put_long(skb, WEIR_A_TRIM_CONTROL_DSCPS,
				  config->control_dscps, attrs) ||
	    (config->pool && attrs & BIT_ULL(WEIR_A_TRIM_POOL) &&
	     nla_put_string(skb, WEIR_A_TRIM_POOL, config->pool->named.name)) ||
	    (config->acl && attrs & BIT_ULL(WEIR_A_TRIM_ACL) &&
	     nla_put_string(skb, WEIR_A_TRIM_ACL, config->acl->named.name)) ||
	    (config->has & WEIR_TRIM_HAS_RATE &&
	     weir_nl_trim_put_long(skb, WEIR_A_TRIM_RATE, config->rate, attrs)) ||
	    (config->has & classes && attrs & BIT_ULL(WEIR_A_TRIM_TC_DSCP) &&
	     nla_put(skb, WEIR_A_TRIM_TC_DSCP, sizeof(config->tc_dscp),
		     config->tc_dscp)) ||
	    (config->has & WEIR_TRIM_HAS_DSCP_TC &&
	     attrs & BIT_ULL(WEIR_A_TRIM_DSCP_TC) &&
	     nla_put(skb, WEIR_A_TRIM_DSCP_TC, sizeof(config->dscp_tc),
		     config->dscp_tc)))
		return -EMSGSIZE;
	return attrs & BIT_ULL(WEIR_A_TRIM_RULE) ?
	       weir_trim_nl_put_rules(skb, config) : 0;
}

static int weir_nl_put_trim_stats(struct sk_buff *skb,
				  const struct weir_trim *trim)
{
	struct nlattr *nest;
	unsigned int i;

	static_assert((int)WEIR_A_TRIM_STATS_MAX == (int)WEIR_TRIM_C_MAX);

	nest = nla_nest_start(skb, WEIR_A_TRIM_STATS);
	if (!nest)
		return -EMSGSIZE;
	for (i = 0; i < WEIR_TRIM_C_MAX; i++)
		if (nla_put_uint(skb, i + 1, weir_trim_counter(trim, i))) {
			nla_nest_cancel(skb, nest);
			return -EMSGSIZE;
		}
	nla_nest_end(skb, nest);
	return 0;
}

static int weir_nl_put_trim_rules(struct sk_buff *skb,
				  const struct weir_trim *trim)
{
	const struct weir_trim_config *config = &weir_trim_rev(trim)->config;
	struct weir_trim_hits hits;
	unsigned int i;

	for (i = 0; i < config->rules; i++) {
		weir_trim_hits(trim, config->rule[i].slot, &hits);
		if (weir_nl_put_rule(skb, WEIR_A_TRIM_RULE, &config->rule[i],
				     &hits))
			return -EMSGSIZE;
	}
	return 0;
}

static int weir_nl_put_depth(struct sk_buff *skb, struct weir_trim_net *wn,
			     int ifindex)
{
	u32 depth[WEIR_BANDS];

	weir_backlog_depth(wn, ifindex, depth);
	if (nla_put_u32(skb, WEIR_A_TRIM_DATA_DEPTH, depth[WEIR_BAND_DATA]) ||
	    nla_put_u32(skb, WEIR_A_TRIM_HEADER_DEPTH,
			depth[WEIR_BAND_HEADER]) ||
	    nla_put_u32(skb, WEIR_A_TRIM_OTHER_DEPTH,
			depth[WEIR_BAND_OTHER]) ||
	    nla_put_uint(skb, WEIR_A_TRIM_DIRECT,
			 weir_backlog_direct(wn, ifindex)) ||
	    nla_put_uint(skb, WEIR_A_TRIM_CHILD_DROPPED,
			 weir_backlog_child_dropped(wn, ifindex)))
		return -EMSGSIZE;
	return 0;
}

static int weir_nl_fill_trim(const struct weir_nl_msg *msg, const void *obj)
{
	const struct weir_nl_dev *dev = obj;
	const struct weir_trim *trim = dev->of;
	const struct weir_trim_config *config = &weir_trim_rev(trim)->config;
	struct sk_buff *skb = msg->skb;
	void *hdr;

	hdr = weir_nl_begin(msg);
	if (!hdr)
		return -EMSGSIZE;
	if (weir_nl_put_dev(skb, WEIR_A_TRIM_IFINDEX, WEIR_A_TRIM_IFNAME,
			    dev->net, trim->ifindex) ||
	    weir_nl_put_config(skb, config, ~BIT_ULL(WEIR_A_TRIM_RULE)) ||
	    weir_nl_put_trim_rules(skb, trim) ||
	    nla_put_uint(skb, WEIR_A_TRIM_SAID, config->said) ||
	    nla_put_u32(skb, WEIR_A_TRIM_CPUS, num_present_cpus()) ||
	    weir_nl_put_depth(skb, weir_trim_net(dev->net), trim->ifindex) ||
	    weir_nl_put_trim_stats(skb, trim) ||
	    (weir_trim_rev(trim)->idle &&
	     nla_put_flag(skb, WEIR_A_TRIM_IDLE)) ||
	    nla_put_u32(skb, WEIR_A_TRIM_SENDS,
			!!(weir_trim_rev(trim)->port.sends &
			   WEIR_TRIM_SENDS))) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

/**
 * weir_trim_nl_notify() - tell the events group about a trimming policy
 * @wn: the namespace
 * @trim: the policy; RTNL is held
 * @cmd: WEIR_CMD_TRIM_NTF or WEIR_CMD_TRIM_DEL_NTF
 *
 * Sleeps.
 */
void weir_trim_nl_notify(struct weir_trim_net *wn, const struct weir_trim *trim,
			 u8 cmd)
{
	const struct weir_nl_dev dev = { .net = wn->ns.net, .of = trim };

	ASSERT_RTNL();

	weir_nl_notify(&weir_trim_nl, &wn->ns, cmd, weir_nl_fill_trim, &dev);
}

static int weir_nl_trim_none(struct genl_info *info, int ifindex, int err)
{
	return weir_nl_refuse_dev(info, WEIR_A_TRIM_IFINDEX, ifindex, err,
				  "has no trimming policy");
}

static int weir_nl_trim_set(struct genl_info *info, struct net_device *dev,
			    struct weir_trim_config *config)
{
	struct weir_trim_net *wn = weir_trim_nl_net(info);
	const struct weir_trim *trim;
	int err;

	trim = weir_trim_get(wn, dev->ifindex);
	if (trim)
		*config = weir_trim_rev(trim)->config;
	else
		*config = *weir_trim_untold();
	err = weir_nl_trim_config(info, dev, config);
	if (err)
		return err;
	if (weir_trim_bounces(wn, dev->ifindex, config))
		return weir_nl_trim_refuse(info, -EINVAL,
					   WEIR_A_TRIM_RETURN_DSCP,
					   "another port sends packets back with another DSCP: give all the same");
	err = weir_trim_set(wn, dev, config);
	if (err)
		return err;
	weir_nl_changed(&wn->ns);
	weir_trim_nl_notify(wn, weir_trim_get(wn, dev->ifindex),
			    WEIR_CMD_TRIM_NTF);
	return 0;
}

int weir_trim_nl_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_trim_config *config;
	struct net_device *dev;
	int ifindex, err;

	if (info->attrs[WEIR_A_TRIM_DEFAULT])
		return weir_nl_trim_default_set(info);
	err = weir_nl_ifindex(info, WEIR_A_TRIM_IFINDEX, &ifindex);
	if (err)
		return err;
	config = kmalloc(sizeof(*config), GFP_KERNEL);
	if (!config)
		return -ENOMEM;
	rtnl_lock();
	dev = __dev_get_by_index(genl_info_net(info), ifindex);
	err = dev ? weir_nl_trim_set(info, dev, config) :
		    weir_nl_trim_none(info, ifindex, -ENODEV);
	rtnl_unlock();
	kfree(config);
	return err;
}

int weir_trim_nl_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_trim_net *wn = weir_trim_nl_net(info);
	int ifindex, err;
	bool there;

	if (info->attrs[WEIR_A_TRIM_DEFAULT])
		return weir_nl_trim_default_del(info);
	err = weir_nl_ifindex(info, WEIR_A_TRIM_IFINDEX, &ifindex);
	if (err)
		return err;
	rtnl_lock();
	there = weir_trim_del(wn, ifindex);
	rtnl_unlock();
	if (!there)
		return weir_nl_trim_none(info, ifindex, -ENOENT);
	weir_nl_changed(&wn->ns);
	return 0;
}

int weir_trim_nl_flush_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_trim_net *wn = weir_trim_nl_net(info);

	weir_trim_flush(wn->ns.net);
	weir_nl_changed(&wn->ns);
	return 0;
}

int weir_trim_nl_clear_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_trim_net *wn = weir_trim_nl_net(info);
	struct weir_trim *trim;
	int ifindex = 0, err;

	if (info->attrs[WEIR_A_TRIM_IFINDEX]) {
		err = weir_nl_ifindex(info, WEIR_A_TRIM_IFINDEX, &ifindex);
		if (err)
			return err;
	}
	err = 0;
	rtnl_lock();
	trim = ifindex ? weir_trim_get(wn, ifindex) : NULL;
	if (!ifindex)
		weir_trim_clear_all(wn);
	else if (trim)
		weir_trim_clear(wn, trim);
	else
		err = weir_nl_trim_none(info, ifindex, -ENOENT);
	rtnl_unlock();
	return err;
}

int weir_trim_nl_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_trim_net *wn = weir_trim_nl_net(info);
	struct weir_nl_dev dev = { .net = wn->ns.net };
	int ifindex, err;

	if (info->attrs[WEIR_A_TRIM_DEFAULT])
		return weir_nl_trim_default_get(info);
	err = weir_nl_ifindex(info, WEIR_A_TRIM_IFINDEX, &ifindex);
	if (err)
		return err;
	rtnl_lock();
	dev.of = weir_trim_get(wn, ifindex);
	err = dev.of ? weir_nl_reply(info, WEIR_CMD_TRIM_GET,
				     weir_nl_fill_trim, &dev) :
		       weir_nl_trim_none(info, ifindex, -ENOENT);
	rtnl_unlock();
	return err;
}

int weir_trim_nl_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct weir_trim_net *wn = weir_trim_net(sock_net(skb->sk));

	return weir_nl_dump_devs(&wn->ns, skb, cb, WEIR_CMD_TRIM_GET, &wn->trims,
				 weir_nl_fill_trim);
}

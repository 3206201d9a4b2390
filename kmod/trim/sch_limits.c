// SPDX-License-Identifier: GPL-2.0
/*
 * The limits of one weir qdisc: where a port has one for each class of its
 * traffic, each class may have limits of its own. The device's policy has the
 * limits that a qdisc does not set.
 */
#include <linux/bits.h>
#include <linux/ktime.h>
#include <linux/rcupdate.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <net/netlink.h>

#include <uapi/weir_trim_nl.h>

#include "core/base/compat.h"
#include "trim/sch_limits.h"
#include "trim/trim_config.h"

#define WEIR_SAID_DATA	(BIT(WEIR_TC_LIMIT) | BIT(WEIR_TC_LIMIT_BYTES) | \
			 BIT(WEIR_TC_LIMIT_TIME) | BIT(WEIR_TC_LIMIT_DYNAMIC))

static const struct netlink_range_validation weir_sch_limits_alpha = {
	.max = WEIR_TRIM_ALPHA_MAX,
};

static const struct nla_policy weir_sch_limits_policy[WEIR_TC_MAX + 1] = {
	[WEIR_TC_LIMIT]		= { .type = NLA_U32 },
	[WEIR_TC_LIMIT_BYTES]	= { .type = NLA_U64 },
	[WEIR_TC_LIMIT_TIME]	= { .type = NLA_U32 },
	[WEIR_TC_HEADERS]	= NLA_POLICY_MIN(NLA_U32, 1),
	[WEIR_TC_HEADER_TIME]	= { .type = NLA_U32 },
	[WEIR_TC_OTHER_LIMIT]	= { .type = NLA_U32 },
	[WEIR_TC_LIMIT_DYNAMIC]	= NLA_POLICY_FULL_RANGE(NLA_U32, &weir_sch_limits_alpha),
};

static bool weir_sch_limits_said(const struct weir_sch_limits *own, int attr)
{
	return own->said & BIT(attr);
}

static void weir_sch_limits_read(struct nlattr *const a[],
				 struct weir_sch_limits *own)
{
	int i;

	for (i = 1; i <= WEIR_TC_MAX; i++) {
		if (!weir_sch_limits_policy[i].type || !a[i])
			continue;
		own->said |= BIT(i);
		own->value[i] = i == WEIR_TC_LIMIT_BYTES ? nla_get_u64(a[i]) :
							   nla_get_u32(a[i]);
	}
}

static int weir_sch_limits_check(const struct weir_sch_limits *own,
				 struct netlink_ext_ack *extack)
{
	if (!(own->said & WEIR_SAID_DATA) || own->value[WEIR_TC_LIMIT] ||
	    own->value[WEIR_TC_LIMIT_BYTES] || own->value[WEIR_TC_LIMIT_TIME] ||
	    own->value[WEIR_TC_LIMIT_DYNAMIC])
		return 0;
	NL_SET_ERR_MSG_FMT(extack, "%s", weir_trim_limitless);
	return -EINVAL;
}

/**
 * weir_sch_limits_parse() - read a qdisc's options from tc(8)
 * @opt: TCA_OPTIONS, or NULL
 * @own: set to the limits given, to be freed with kfree_rcu(), or to NULL
 *	without any
 * @extack: gets the reason of a refusal
 *
 * May sleep.
 *
 * Return: 0, -EINVAL, -ERANGE or -ENOMEM.
 */
int weir_sch_limits_parse(const struct nlattr *opt,
			  struct weir_sch_limits **own,
			  struct netlink_ext_ack *extack)
{
	struct nlattr *a[WEIR_TC_MAX + 1] = { };
	struct weir_sch_limits *limits;
	int err;

	*own = NULL;
	if (!opt)
		return 0;
	err = nla_parse_nested(a, WEIR_TC_MAX, opt, weir_sch_limits_policy,
			       extack);
	if (err)
		return err;
	limits = kzalloc(sizeof(*limits), GFP_KERNEL);
	if (!limits)
		return -ENOMEM;
	weir_sch_limits_read(a, limits);
	err = weir_sch_limits_check(limits, extack);
	if (err || !limits->said)
		kfree(limits);
	else
		*own = limits;
	return err;
}

/**
 * weir_sch_limits_time() - test whether a qdisc limits how long whole packets wait
 * @own: its own limits, or NULL
 */
bool weir_sch_limits_time(const struct weir_sch_limits *own)
{
	return own && own->value[WEIR_TC_LIMIT_TIME];
}

/**
 * weir_sch_limits_apply() - the limits in force for a qdisc
 * @own: its own limits
 * @limits: those of its device's policy; set to the limits in force
 *
 * The four limits of the data band go together: a qdisc that sets one sets all
 * of them.
 */
void weir_sch_limits_apply(const struct weir_sch_limits *own,
			   struct weir_bands_limits *limits)
{
	const u64 *value = own->value;

	if (own->said & WEIR_SAID_DATA) {
		limits->packets = value[WEIR_TC_LIMIT];
		limits->bytes = value[WEIR_TC_LIMIT_BYTES];
		limits->time = value[WEIR_TC_LIMIT_TIME] * NSEC_PER_USEC;
		limits->alpha = value[WEIR_TC_LIMIT_DYNAMIC];
	}
	if (weir_sch_limits_said(own, WEIR_TC_HEADERS))
		limits->headers = value[WEIR_TC_HEADERS];
	if (weir_sch_limits_said(own, WEIR_TC_HEADER_TIME))
		limits->header_time = value[WEIR_TC_HEADER_TIME] *
				      NSEC_PER_USEC;
	if (weir_sch_limits_said(own, WEIR_TC_OTHER_LIMIT))
		limits->others = value[WEIR_TC_OTHER_LIMIT];
}

static int weir_sch_limits_put(const struct weir_sch_limits *own,
			       struct sk_buff *skb)
{
	int err = 0, i;

	for (i = 1; i <= WEIR_TC_MAX && !err; i++) {
		if (!weir_sch_limits_said(own, i))
			continue;
		err = i == WEIR_TC_LIMIT_BYTES ?
		      nla_put_u64_64bit(skb, i, own->value[i], WEIR_TC_PAD) :
		      nla_put_u32(skb, i, own->value[i]);
	}
	return err;
}

/**
 * weir_sch_limits_dump() - write a qdisc's own limits
 * @own: the limits, or NULL
 * @skb: the message, which gets TCA_OPTIONS
 *
 * Return: 0 or -EMSGSIZE.
 */
int weir_sch_limits_dump(const struct weir_sch_limits *own,
			 struct sk_buff *skb)
{
	struct nlattr *nest;

	if (!own)
		return 0;
	nest = nla_nest_start(skb, TCA_OPTIONS);
	if (!nest)
		return -EMSGSIZE;
	if (weir_sch_limits_put(own, skb)) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}

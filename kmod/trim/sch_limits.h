/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_SCH_LIMITS_H
#define _WEIR_SCH_LIMITS_H

#include <linux/types.h>
#include <uapi/weir_tc.h>

#include "trim/bands.h"

struct netlink_ext_ack;
struct nlattr;
struct sk_buff;

/**
 * struct weir_sch_limits - a qdisc's own limits, in place of those of its device's policy
 * @rcu: packets read them under RCU while they are replaced
 * @said: the limits that were given, bit i being WEIR_TC_i
 * @value: the values given, WEIR_TC_i at i
 */
struct weir_sch_limits {
	struct rcu_head	rcu;
	u32		said;
	u64		value[WEIR_TC_MAX + 1];
};

int weir_sch_limits_parse(const struct nlattr *opt,
			  struct weir_sch_limits **own,
			  struct netlink_ext_ack *extack);
bool weir_sch_limits_time(const struct weir_sch_limits *own);
void weir_sch_limits_apply(const struct weir_sch_limits *own,
			   struct weir_bands_limits *limits);
int weir_sch_limits_dump(const struct weir_sch_limits *own,
			 struct sk_buff *skb);

#endif /* _WEIR_SCH_LIMITS_H */

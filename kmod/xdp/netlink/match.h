/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_NETLINK_MATCH_H
#define _WEIR_NETLINK_MATCH_H

#include <linux/types.h>

struct genl_info;
struct nlattr;
struct sk_buff;
struct weir_filter_match;
struct weir_filter_rule;

int weir_nl_match(struct genl_info *info, const struct nlattr *nest,
		  struct weir_filter_match *match);
int weir_nl_put_match(struct sk_buff *skb, int attr, const struct weir_filter_match *match);
u32 weir_nl_count_matches(struct genl_info *info, int attr);
int weir_nl_matches(struct genl_info *info, int attr, struct weir_filter_match *match);
int weir_nl_put_matches(struct sk_buff *skb, int attr, const struct weir_filter_rule *rule);

#endif /* _WEIR_NETLINK_MATCH_H */

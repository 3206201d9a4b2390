/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_NETLINK_RULE_H
#define _WEIR_NETLINK_RULE_H

struct genl_info;
struct nla_policy;
struct nlattr;
struct sk_buff;
struct weir_trim_hits;
struct weir_trim_rule;

int weir_nl_rule(struct genl_info *info, const struct nlattr *nest,
		 const struct nla_policy *policy, struct weir_trim_rule *rule);
int weir_nl_put_rule(struct sk_buff *skb, int attr, const struct weir_trim_rule *rule,
		     const struct weir_trim_hits *hits);

#endif /* _WEIR_NETLINK_RULE_H */

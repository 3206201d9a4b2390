/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_NETLINK_RULE_H
#define _WEIR_NETLINK_RULE_H

struct genl_info;
struct sk_buff;
struct weir_trim_config;

int weir_nl_rules(struct genl_info *info, struct weir_trim_config *config);
int weir_nl_put_rules(struct sk_buff *skb,
		      const struct weir_trim_config *config);

#endif /* _WEIR_NETLINK_RULE_H */

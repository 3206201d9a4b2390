/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	uapi/weir_trim.yaml */
/* YNL-GEN kernel header */

#ifndef _LINUX_WEIR_TRIM_GEN_H
#define _LINUX_WEIR_TRIM_GEN_H

#include <net/netlink.h>
#include <net/genetlink.h>

#include <uapi/weir_trim_nl.h>

/* Common nested types */
extern const struct nla_policy weir_trim_rule_nl_policy[WEIR_A_TRIM_RULE_BYTES + 1];

int weir_trim_nl_pre_doit(const struct genl_split_ops *ops,
			  struct sk_buff *skb, struct genl_info *info);
void
weir_trim_nl_post_doit(const struct genl_split_ops *ops, struct sk_buff *skb,
		       struct genl_info *info);

int weir_trim_nl_set_doit(struct sk_buff *skb, struct genl_info *info);
int weir_trim_nl_del_doit(struct sk_buff *skb, struct genl_info *info);
int weir_trim_nl_get_doit(struct sk_buff *skb, struct genl_info *info);
int weir_trim_nl_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int weir_trim_nl_flush_doit(struct sk_buff *skb, struct genl_info *info);
int weir_trim_nl_queue_get_dumpit(struct sk_buff *skb,
				  struct netlink_callback *cb);
int weir_trim_nl_clear_doit(struct sk_buff *skb, struct genl_info *info);
int weir_trim_nl_total_get_doit(struct sk_buff *skb, struct genl_info *info);
int weir_trim_nl_device_get_doit(struct sk_buff *skb, struct genl_info *info);
int weir_trim_nl_pool_set_doit(struct sk_buff *skb, struct genl_info *info);
int weir_trim_nl_pool_del_doit(struct sk_buff *skb, struct genl_info *info);
int weir_trim_nl_pool_get_doit(struct sk_buff *skb, struct genl_info *info);
int weir_trim_nl_pool_get_dumpit(struct sk_buff *skb,
				 struct netlink_callback *cb);
int weir_trim_nl_acl_set_doit(struct sk_buff *skb, struct genl_info *info);
int weir_trim_nl_acl_del_doit(struct sk_buff *skb, struct genl_info *info);
int weir_trim_nl_acl_get_doit(struct sk_buff *skb, struct genl_info *info);
int weir_trim_nl_acl_get_dumpit(struct sk_buff *skb,
				struct netlink_callback *cb);

enum {
	WEIR_TRIM_NLGRP_EVENTS,
};

extern struct genl_family weir_trim_nl_family;

#endif /* _LINUX_WEIR_TRIM_GEN_H */

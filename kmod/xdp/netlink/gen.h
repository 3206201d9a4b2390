/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	uapi/weir_xdp.yaml */
/* YNL-GEN kernel header */

#ifndef _LINUX_WEIR_XDP_GEN_H
#define _LINUX_WEIR_XDP_GEN_H

#include <net/netlink.h>
#include <net/genetlink.h>

#include <uapi/weir_xdp_nl.h>

/* Common nested types */
extern const struct nla_policy weir_xdp_filter_match_nl_policy[WEIR_A_FILTER_MATCH_UNPARSED + 1];
extern const struct nla_policy weir_xdp_rate_nl_policy[WEIR_XDP_A_RATE_BYTES_BURST + 1];
extern const struct nla_policy weir_xdp_rule_nl_policy[WEIR_XDP_A_RULE_BYTES + 1];

int weir_xdp_nl_pre_doit(const struct genl_split_ops *ops, struct sk_buff *skb,
			 struct genl_info *info);
void
weir_xdp_nl_post_doit(const struct genl_split_ops *ops, struct sk_buff *skb,
		      struct genl_info *info);

int weir_xdp_nl_chain_add_doit(struct sk_buff *skb, struct genl_info *info);
int weir_xdp_nl_chain_set_doit(struct sk_buff *skb, struct genl_info *info);
int weir_xdp_nl_chain_del_doit(struct sk_buff *skb, struct genl_info *info);
int weir_xdp_nl_chain_get_doit(struct sk_buff *skb, struct genl_info *info);
int weir_xdp_nl_chain_get_dumpit(struct sk_buff *skb,
				 struct netlink_callback *cb);
int weir_xdp_nl_chain_flush_doit(struct sk_buff *skb, struct genl_info *info);
int weir_xdp_nl_flow_set_doit(struct sk_buff *skb, struct genl_info *info);
int weir_xdp_nl_flow_del_doit(struct sk_buff *skb, struct genl_info *info);
int weir_xdp_nl_flow_get_doit(struct sk_buff *skb, struct genl_info *info);
int weir_xdp_nl_flow_get_dumpit(struct sk_buff *skb,
				struct netlink_callback *cb);
int weir_xdp_nl_flow_flush_doit(struct sk_buff *skb, struct genl_info *info);
int weir_xdp_nl_flow_record_get_dumpit(struct sk_buff *skb,
				       struct netlink_callback *cb);
int weir_xdp_nl_flow_listen_doit(struct sk_buff *skb, struct genl_info *info);
int weir_xdp_nl_filter_add_doit(struct sk_buff *skb, struct genl_info *info);
int weir_xdp_nl_filter_set_doit(struct sk_buff *skb, struct genl_info *info);
int weir_xdp_nl_filter_del_doit(struct sk_buff *skb, struct genl_info *info);
int weir_xdp_nl_filter_get_doit(struct sk_buff *skb, struct genl_info *info);
int weir_xdp_nl_filter_get_dumpit(struct sk_buff *skb,
				  struct netlink_callback *cb);
int weir_xdp_nl_filter_flush_doit(struct sk_buff *skb, struct genl_info *info);
int weir_xdp_nl_filter_commit_doit(struct sk_buff *skb, struct genl_info *info);
int weir_xdp_nl_filter_source_get_dumpit(struct sk_buff *skb,
					 struct netlink_callback *cb);
int weir_xdp_nl_order_add_doit(struct sk_buff *skb, struct genl_info *info);
int weir_xdp_nl_order_del_doit(struct sk_buff *skb, struct genl_info *info);
int weir_xdp_nl_order_get_doit(struct sk_buff *skb, struct genl_info *info);
int weir_xdp_nl_order_get_dumpit(struct sk_buff *skb,
				 struct netlink_callback *cb);
int weir_xdp_nl_order_flush_doit(struct sk_buff *skb, struct genl_info *info);

enum {
	WEIR_XDP_NLGRP_EVENTS,
};

extern struct genl_family weir_xdp_nl_family;

#endif /* _LINUX_WEIR_XDP_GEN_H */

/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause) */
/* Do not edit directly, auto-generated from: */
/*	uapi/weir.yaml */
/* YNL-GEN kernel header */

#ifndef _LINUX_WEIR_GEN_H
#define _LINUX_WEIR_GEN_H

#include <net/netlink.h>
#include <net/genetlink.h>

#include <uapi/weir.h>

/* Common nested types */
extern const struct nla_policy weir_rate_nl_policy[WEIR_A_RATE_BYTES_BURST + 1];

int weir_nl_pre_doit(const struct genl_split_ops *ops, struct sk_buff *skb,
		     struct genl_info *info);
void
weir_nl_post_doit(const struct genl_split_ops *ops, struct sk_buff *skb,
		  struct genl_info *info);

int weir_nl_job_add_doit(struct sk_buff *skb, struct genl_info *info);
int weir_nl_job_set_doit(struct sk_buff *skb, struct genl_info *info);
int weir_nl_job_del_doit(struct sk_buff *skb, struct genl_info *info);
int weir_nl_job_get_doit(struct sk_buff *skb, struct genl_info *info);
int weir_nl_job_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int weir_nl_job_flush_doit(struct sk_buff *skb, struct genl_info *info);
int weir_nl_source_add_doit(struct sk_buff *skb, struct genl_info *info);
int weir_nl_source_set_doit(struct sk_buff *skb, struct genl_info *info);
int weir_nl_source_del_doit(struct sk_buff *skb, struct genl_info *info);
int weir_nl_source_get_doit(struct sk_buff *skb, struct genl_info *info);
int weir_nl_source_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int weir_nl_source_flush_doit(struct sk_buff *skb, struct genl_info *info);
int weir_nl_block_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int weir_nl_port_add_doit(struct sk_buff *skb, struct genl_info *info);
int weir_nl_port_set_doit(struct sk_buff *skb, struct genl_info *info);
int weir_nl_port_del_doit(struct sk_buff *skb, struct genl_info *info);
int weir_nl_port_get_doit(struct sk_buff *skb, struct genl_info *info);
int weir_nl_port_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb);
int weir_nl_port_flush_doit(struct sk_buff *skb, struct genl_info *info);
int weir_nl_stats_get_doit(struct sk_buff *skb, struct genl_info *info);
int weir_nl_job_collect_doit(struct sk_buff *skb, struct genl_info *info);
int weir_nl_device_get_doit(struct sk_buff *skb, struct genl_info *info);

enum {
	WEIR_NLGRP_EVENTS,
};

extern struct genl_family weir_nl_family;

#endif /* _LINUX_WEIR_GEN_H */

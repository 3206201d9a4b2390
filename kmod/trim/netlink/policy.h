/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_NETLINK_TRIM_H
#define _WEIR_NETLINK_TRIM_H

#include <linux/types.h>
#include <uapi/weir_trim_nl.h>

/* The last setting of a policy that a request may have. */
#define WEIR_NL_TRIM_LAST	WEIR_A_TRIM_ACL

/* Return true if an attribute of a request is a setting of a policy. */
static inline bool weir_nl_trim_is_setting(int attr)
{
	return attr != WEIR_A_TRIM_DEFAULT && attr != WEIR_A_TRIM_UNSET;
}

struct genl_info;
struct nlattr;
struct sk_buff;
struct weir_trim_acl;
struct weir_trim_config;
struct weir_trim_pool;

int weir_nl_trim_said(struct genl_info *info, struct weir_trim_config *config);
int weir_nl_trim_refuse(struct genl_info *info, int err, int attr,
			const char *msg);
int weir_nl_put_config(struct sk_buff *skb,
		       const struct weir_trim_config *config, u64 attrs);

/* named.c */
int weir_nl_trim_name(struct genl_info *info, const struct nlattr *attr,
		      char name[WEIR_TRIM_POOL_NAME_MAX + 1], const char *msg);

/* acl.c */
struct weir_trim_acl *weir_nl_trim_acl_find(struct genl_info *info, const struct nlattr *attr);

/* pool.c */
struct weir_trim_pool *weir_nl_trim_pool_find(struct genl_info *info, const struct nlattr *attr);

int weir_nl_trim_default_set(struct genl_info *info);
int weir_nl_trim_default_del(struct genl_info *info);
int weir_nl_trim_default_get(struct genl_info *info);

#endif /* _WEIR_NETLINK_TRIM_H */

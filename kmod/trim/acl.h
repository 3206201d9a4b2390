/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_TRIM_ACL_H
#define _WEIR_TRIM_ACL_H

#include <linux/rcupdate.h>
#include <linux/types.h>
#include <linux/xarray.h>
#include <uapi/weir_trim.h>

#include "trim/named.h"

struct weir_classifier;

/**
 * struct weir_trim_acl_rule - a rule of an ACL
 * @rcu: it is freed a grace period after it has left its ACL
 * @rule: packets that it matches, and whether it forbids to trim them
 * @prio: its place
 * @hits: packets that it decided about, written with this_cpu_add()
 * @cleared: @hits when they were set to zero; under RTNL
 */
struct weir_trim_acl_rule {
	struct rcu_head			rcu;
	struct weir_trim_rule		rule;
	u32				prio;
	struct weir_trim_hits __percpu	*hits;
	struct weir_trim_hits		cleared;
};

/**
 * struct weir_trim_acl - rules that decide which packets several ports never trim
 * @named: in weir_trim_net.acls
 * @rcu: it is freed a grace period after it was taken away
 * @count: number of rules; under RTNL
 * @rules: struct weir_trim_acl_rule by prio; written under RTNL, read under RCU
 * @classifier: the same rules, as packets look them up; written under RTNL, read under RCU
 */
struct weir_trim_acl {
	struct weir_trim_named		named;
	struct rcu_head			rcu;
	unsigned int			count;
	struct xarray			rules;
	struct weir_classifier __rcu	*classifier;
};

struct weir_classifier *weir_trim_acl_classifier(struct weir_trim_acl *acl,
						 const struct weir_trim_acl_rule *except);
u32 weir_trim_acl_find(const struct weir_trim_acl *acl, const struct weir_trim_ends *ends,
		       const void *start, const void *end);
int weir_trim_acl_count(struct weir_trim_acl *acl, u32 prio, u32 packets, u32 bytes);

#endif /* _WEIR_TRIM_ACL_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_TRIM_ACLS_H
#define _WEIR_TRIM_ACLS_H

#include <linux/types.h>

struct net;
struct weir_trim_acl;
struct weir_trim_net;
struct weir_trim_rule;

/* ACLs of a network namespace at most. */
#define WEIR_TRIM_ACLS_MAX	64

struct weir_trim_acl *weir_trim_acls_find(struct weir_trim_net *wn, const char *name);
int weir_trim_acls_set(struct weir_trim_net *wn, const char *name, u32 prio,
		       const struct weir_trim_rule *rule);
int weir_trim_acls_del_rule(struct weir_trim_net *wn, struct weir_trim_acl *acl, u32 prio);
void weir_trim_acls_del(struct weir_trim_net *wn, struct weir_trim_acl *acl);
void weir_trim_acls_clear(struct weir_trim_net *wn);
int weir_trim_acls_net_init(struct net *net);
void weir_trim_acls_net_uninit(struct net *net);

#endif /* _WEIR_TRIM_ACLS_H */

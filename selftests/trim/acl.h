/* SPDX-License-Identifier: GPL-2.0 */
/* The ACL of all policies in userspace: a test's rules. */
#ifndef TRIM_ACL_H
#define TRIM_ACL_H

#include <weir_trim.h>

/* Their prio is the index, counted from 1 on. */
extern struct weir_trim_rule trim_acl_rule[2];
extern unsigned int trim_acl_rules;

#endif

// SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause)
/* Do not edit directly, auto-generated from: */
/*	uapi/weir_trim.yaml */
/* YNL-GEN kernel source */

#include <net/netlink.h>
#include <net/genetlink.h>

#include "gen.h"

#include <uapi/weir_trim_nl.h>

/* Integer value ranges */
static const struct netlink_range_validation weir_a_trim_rule_port_range = {
	.min	= 1ULL,
	.max	= 65535ULL,
};

static const struct netlink_range_validation weir_a_trim_rule_sport_range = {
	.min	= 1ULL,
	.max	= 65535ULL,
};

static const struct netlink_range_validation weir_a_trim_queue_range = {
	.max	= WEIR_TRIM_QUEUE_DYNAMIC,
};

static const struct netlink_range_validation weir_a_trim_t0_range = {
	.max	= 1000000ULL,
};

static const struct netlink_range_validation weir_a_trim_t1_range = {
	.max	= 1000000ULL,
};

static const struct netlink_range_validation weir_a_trim_limit_dynamic_range = {
	.max	= WEIR_TRIM_ALPHA_MAX,
};

static const struct netlink_range_validation weir_a_trim_pool_size_range = {
	.min	= 1ULL,
	.max	= WEIR_TRIM_POOL_SIZE_MAX,
};

static const struct netlink_range_validation weir_a_trim_acl_prio_range = {
	.min	= 1ULL,
	.max	= WEIR_TRIM_ACL_PRIO_MAX,
};

/* Common nested types */
const struct nla_policy weir_trim_rule_nl_policy[WEIR_A_TRIM_RULE_BYTES + 1] = {
	[WEIR_A_TRIM_RULE_DSCP] = NLA_POLICY_MAX(NLA_U32, 63),
	[WEIR_A_TRIM_RULE_DSCP_LAST] = NLA_POLICY_MAX(NLA_U32, 63),
	[WEIR_A_TRIM_RULE_PROTO] = NLA_POLICY_RANGE(NLA_U32, 1, 255),
	[WEIR_A_TRIM_RULE_PORT] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_trim_rule_port_range),
	[WEIR_A_TRIM_RULE_VLAN] = NLA_POLICY_RANGE(NLA_U32, 1, 4094),
	[WEIR_A_TRIM_RULE_DISABLE] = { .type = NLA_FLAG, },
	[WEIR_A_TRIM_RULE_SPORT] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_trim_rule_sport_range),
	[WEIR_A_TRIM_RULE_SRC] = { .type = NLA_BINARY, },
	[WEIR_A_TRIM_RULE_SRC_PREFIX] = NLA_POLICY_RANGE(NLA_U32, 1, 128),
	[WEIR_A_TRIM_RULE_DST] = { .type = NLA_BINARY, },
	[WEIR_A_TRIM_RULE_DST_PREFIX] = NLA_POLICY_RANGE(NLA_U32, 1, 128),
	[WEIR_A_TRIM_RULE_FROM] = NLA_POLICY_MIN(NLA_U32, 1),
	[WEIR_A_TRIM_RULE_PACKETS] = { .type = NLA_UINT, },
	[WEIR_A_TRIM_RULE_BYTES] = { .type = NLA_UINT, },
};

/* WEIR_CMD_TRIM_SET - do */
static const struct nla_policy weir_trim_set_nl_policy[WEIR_A_TRIM_ACL + 1] = {
	[WEIR_A_TRIM_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[WEIR_A_TRIM_HOOK] = NLA_POLICY_RANGE(NLA_U32, 1, 4),
	[WEIR_A_TRIM_SIZE] = NLA_POLICY_RANGE(NLA_U32, WEIR_TRIM_SIZE_MIN, WEIR_TRIM_SIZE_MAX),
	[WEIR_A_TRIM_DSCP] = NLA_POLICY_MAX(NLA_U32, 63),
	[WEIR_A_TRIM_TRIMMED_DSCPS] = { .type = NLA_UINT, },
	[WEIR_A_TRIM_CONTROL_DSCPS] = { .type = NLA_UINT, },
	[WEIR_A_TRIM_TC] = NLA_POLICY_MAX(NLA_U32, 15),
	[WEIR_A_TRIM_TC_DSCP] = { .type = NLA_BINARY, },
	[WEIR_A_TRIM_PRIORITY] = { .type = NLA_U32, },
	[WEIR_A_TRIM_QUEUE] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_trim_queue_range),
	[WEIR_A_TRIM_LENGTH] = NLA_POLICY_RANGE(NLA_U32, 1, 2),
	[WEIR_A_TRIM_RULE] = NLA_POLICY_NESTED(weir_trim_rule_nl_policy),
	[WEIR_A_TRIM_EDGE] = NLA_POLICY_MAX(NLA_U32, 1),
	[WEIR_A_TRIM_LIMIT] = { .type = NLA_U32, },
	[WEIR_A_TRIM_LIMIT_BYTES] = { .type = NLA_UINT, },
	[WEIR_A_TRIM_LIMIT_TIME] = { .type = NLA_U32, },
	[WEIR_A_TRIM_HEADERS] = NLA_POLICY_MIN(NLA_U32, 1),
	[WEIR_A_TRIM_HEADER_TIME] = { .type = NLA_U32, },
	[WEIR_A_TRIM_SHARE] = NLA_POLICY_RANGE(NLA_U32, 1, 3),
	[WEIR_A_TRIM_SHARE_VALUE] = NLA_POLICY_RANGE(NLA_U32, 1, 1000),
	[WEIR_A_TRIM_VICTIM] = NLA_POLICY_RANGE(NLA_U32, 1, 3),
	[WEIR_A_TRIM_FULL] = NLA_POLICY_RANGE(NLA_U32, 1, 3),
	[WEIR_A_TRIM_RETURN_DSCP] = NLA_POLICY_MAX(NLA_U32, 63),
	[WEIR_A_TRIM_METER] = NLA_POLICY_RANGE(NLA_U32, 1, 3),
	[WEIR_A_TRIM_RATE] = { .type = NLA_UINT, },
	[WEIR_A_TRIM_OVERHEAD] = NLA_POLICY_MAX(NLA_U32, WEIR_TRIM_OVERHEAD_MAX),
	[WEIR_A_TRIM_MPU] = NLA_POLICY_MAX(NLA_U32, WEIR_TRIM_MPU_MAX),
	[WEIR_A_TRIM_OPTIMISTIC] = NLA_POLICY_RANGE(NLA_U32, 1, 100),
	[WEIR_A_TRIM_HALF] = NLA_POLICY_RANGE(NLA_U32, 1, 100),
	[WEIR_A_TRIM_PESSIMISTIC] = NLA_POLICY_RANGE(NLA_U32, 1, 100),
	[WEIR_A_TRIM_T0] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_trim_t0_range),
	[WEIR_A_TRIM_T1] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_trim_t1_range),
	[WEIR_A_TRIM_PORT_LIMIT] = { .type = NLA_UINT, },
	[WEIR_A_TRIM_DEFAULT] = { .type = NLA_FLAG, },
	[WEIR_A_TRIM_OTHER_LIMIT] = { .type = NLA_U32, },
	[WEIR_A_TRIM_UNSET] = { .type = NLA_UINT, },
	[WEIR_A_TRIM_DSCP_TC] = NLA_POLICY_EXACT_LEN(64),
	[WEIR_A_TRIM_LIMIT_DYNAMIC] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_trim_limit_dynamic_range),
	[WEIR_A_TRIM_POOL] = { .type = NLA_NUL_STRING, .len = WEIR_TRIM_POOL_NAME_MAX, },
	[WEIR_A_TRIM_ACL] = { .type = NLA_NUL_STRING, .len = WEIR_TRIM_ACL_NAME_MAX, },
};

/* WEIR_CMD_TRIM_DEL - do */
static const struct nla_policy weir_trim_del_nl_policy[WEIR_A_TRIM_DEFAULT + 1] = {
	[WEIR_A_TRIM_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[WEIR_A_TRIM_DEFAULT] = { .type = NLA_FLAG, },
};

/* WEIR_CMD_TRIM_GET - do */
static const struct nla_policy weir_trim_get_nl_policy[WEIR_A_TRIM_DEFAULT + 1] = {
	[WEIR_A_TRIM_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[WEIR_A_TRIM_DEFAULT] = { .type = NLA_FLAG, },
};

/* WEIR_CMD_TRIM_QUEUE_GET - dump */
static const struct nla_policy weir_trim_queue_get_nl_policy[WEIR_A_TRIM_QUEUE_IFINDEX + 1] = {
	[WEIR_A_TRIM_QUEUE_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
};

/* WEIR_CMD_TRIM_CLEAR - do */
static const struct nla_policy weir_trim_clear_nl_policy[WEIR_A_TRIM_IFINDEX + 1] = {
	[WEIR_A_TRIM_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
};

/* WEIR_CMD_TRIM_DEVICE_GET - do */
static const struct nla_policy weir_trim_device_get_nl_policy[WEIR_A_TRIM_DEVICE_IFINDEX + 1] = {
	[WEIR_A_TRIM_DEVICE_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
};

/* WEIR_CMD_TRIM_POOL_SET - do */
static const struct nla_policy weir_trim_pool_set_nl_policy[WEIR_A_TRIM_POOL_SIZE + 1] = {
	[WEIR_A_TRIM_POOL_NAME] = { .type = NLA_NUL_STRING, .len = WEIR_TRIM_POOL_NAME_MAX, },
	[WEIR_A_TRIM_POOL_SIZE] = NLA_POLICY_FULL_RANGE(NLA_UINT, &weir_a_trim_pool_size_range),
};

/* WEIR_CMD_TRIM_POOL_DEL - do */
static const struct nla_policy weir_trim_pool_del_nl_policy[WEIR_A_TRIM_POOL_NAME + 1] = {
	[WEIR_A_TRIM_POOL_NAME] = { .type = NLA_NUL_STRING, .len = WEIR_TRIM_POOL_NAME_MAX, },
};

/* WEIR_CMD_TRIM_POOL_GET - do */
static const struct nla_policy weir_trim_pool_get_nl_policy[WEIR_A_TRIM_POOL_NAME + 1] = {
	[WEIR_A_TRIM_POOL_NAME] = { .type = NLA_NUL_STRING, .len = WEIR_TRIM_POOL_NAME_MAX, },
};

/* WEIR_CMD_TRIM_ACL_SET - do */
static const struct nla_policy weir_trim_acl_set_nl_policy[WEIR_A_TRIM_ACL_RULE + 1] = {
	[WEIR_A_TRIM_ACL_NAME] = { .type = NLA_NUL_STRING, .len = WEIR_TRIM_ACL_NAME_MAX, },
	[WEIR_A_TRIM_ACL_PRIO] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_trim_acl_prio_range),
	[WEIR_A_TRIM_ACL_RULE] = NLA_POLICY_NESTED(weir_trim_rule_nl_policy),
};

/* WEIR_CMD_TRIM_ACL_DEL - do */
static const struct nla_policy weir_trim_acl_del_nl_policy[WEIR_A_TRIM_ACL_PRIO + 1] = {
	[WEIR_A_TRIM_ACL_NAME] = { .type = NLA_NUL_STRING, .len = WEIR_TRIM_ACL_NAME_MAX, },
	[WEIR_A_TRIM_ACL_PRIO] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_trim_acl_prio_range),
};

/* WEIR_CMD_TRIM_ACL_GET - do */
static const struct nla_policy weir_trim_acl_get_do_nl_policy[WEIR_A_TRIM_ACL_PRIO + 1] = {
	[WEIR_A_TRIM_ACL_NAME] = { .type = NLA_NUL_STRING, .len = WEIR_TRIM_ACL_NAME_MAX, },
	[WEIR_A_TRIM_ACL_PRIO] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_trim_acl_prio_range),
};

/* WEIR_CMD_TRIM_ACL_GET - dump */
static const struct nla_policy weir_trim_acl_get_dump_nl_policy[WEIR_A_TRIM_ACL_NAME + 1] = {
	[WEIR_A_TRIM_ACL_NAME] = { .type = NLA_NUL_STRING, .len = WEIR_TRIM_ACL_NAME_MAX, },
};

/* Ops table for weir_trim */
static const struct genl_split_ops weir_trim_nl_ops[] = {
	{
		.cmd		= WEIR_CMD_TRIM_SET,
		.pre_doit	= weir_trim_nl_pre_doit,
		.doit		= weir_trim_nl_set_doit,
		.post_doit	= weir_trim_nl_post_doit,
		.policy		= weir_trim_set_nl_policy,
		.maxattr	= WEIR_A_TRIM_ACL,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_TRIM_DEL,
		.pre_doit	= weir_trim_nl_pre_doit,
		.doit		= weir_trim_nl_del_doit,
		.post_doit	= weir_trim_nl_post_doit,
		.policy		= weir_trim_del_nl_policy,
		.maxattr	= WEIR_A_TRIM_DEFAULT,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_TRIM_GET,
		.pre_doit	= weir_trim_nl_pre_doit,
		.doit		= weir_trim_nl_get_doit,
		.post_doit	= weir_trim_nl_post_doit,
		.policy		= weir_trim_get_nl_policy,
		.maxattr	= WEIR_A_TRIM_DEFAULT,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd	= WEIR_CMD_TRIM_GET,
		.dumpit	= weir_trim_nl_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= WEIR_CMD_TRIM_FLUSH,
		.pre_doit	= weir_trim_nl_pre_doit,
		.doit		= weir_trim_nl_flush_doit,
		.post_doit	= weir_trim_nl_post_doit,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_TRIM_QUEUE_GET,
		.dumpit		= weir_trim_nl_queue_get_dumpit,
		.policy		= weir_trim_queue_get_nl_policy,
		.maxattr	= WEIR_A_TRIM_QUEUE_IFINDEX,
		.flags		= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= WEIR_CMD_TRIM_CLEAR,
		.pre_doit	= weir_trim_nl_pre_doit,
		.doit		= weir_trim_nl_clear_doit,
		.post_doit	= weir_trim_nl_post_doit,
		.policy		= weir_trim_clear_nl_policy,
		.maxattr	= WEIR_A_TRIM_IFINDEX,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_TRIM_TOTAL_GET,
		.pre_doit	= weir_trim_nl_pre_doit,
		.doit		= weir_trim_nl_total_get_doit,
		.post_doit	= weir_trim_nl_post_doit,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_TRIM_DEVICE_GET,
		.pre_doit	= weir_trim_nl_pre_doit,
		.doit		= weir_trim_nl_device_get_doit,
		.post_doit	= weir_trim_nl_post_doit,
		.policy		= weir_trim_device_get_nl_policy,
		.maxattr	= WEIR_A_TRIM_DEVICE_IFINDEX,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_TRIM_POOL_SET,
		.pre_doit	= weir_trim_nl_pre_doit,
		.doit		= weir_trim_nl_pool_set_doit,
		.post_doit	= weir_trim_nl_post_doit,
		.policy		= weir_trim_pool_set_nl_policy,
		.maxattr	= WEIR_A_TRIM_POOL_SIZE,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_TRIM_POOL_DEL,
		.pre_doit	= weir_trim_nl_pre_doit,
		.doit		= weir_trim_nl_pool_del_doit,
		.post_doit	= weir_trim_nl_post_doit,
		.policy		= weir_trim_pool_del_nl_policy,
		.maxattr	= WEIR_A_TRIM_POOL_NAME,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_TRIM_POOL_GET,
		.pre_doit	= weir_trim_nl_pre_doit,
		.doit		= weir_trim_nl_pool_get_doit,
		.post_doit	= weir_trim_nl_post_doit,
		.policy		= weir_trim_pool_get_nl_policy,
		.maxattr	= WEIR_A_TRIM_POOL_NAME,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd	= WEIR_CMD_TRIM_POOL_GET,
		.dumpit	= weir_trim_nl_pool_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= WEIR_CMD_TRIM_ACL_SET,
		.pre_doit	= weir_trim_nl_pre_doit,
		.doit		= weir_trim_nl_acl_set_doit,
		.post_doit	= weir_trim_nl_post_doit,
		.policy		= weir_trim_acl_set_nl_policy,
		.maxattr	= WEIR_A_TRIM_ACL_RULE,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_TRIM_ACL_DEL,
		.pre_doit	= weir_trim_nl_pre_doit,
		.doit		= weir_trim_nl_acl_del_doit,
		.post_doit	= weir_trim_nl_post_doit,
		.policy		= weir_trim_acl_del_nl_policy,
		.maxattr	= WEIR_A_TRIM_ACL_PRIO,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_TRIM_ACL_GET,
		.pre_doit	= weir_trim_nl_pre_doit,
		.doit		= weir_trim_nl_acl_get_doit,
		.post_doit	= weir_trim_nl_post_doit,
		.policy		= weir_trim_acl_get_do_nl_policy,
		.maxattr	= WEIR_A_TRIM_ACL_PRIO,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_TRIM_ACL_GET,
		.dumpit		= weir_trim_nl_acl_get_dumpit,
		.policy		= weir_trim_acl_get_dump_nl_policy,
		.maxattr	= WEIR_A_TRIM_ACL_NAME,
		.flags		= GENL_CMD_CAP_DUMP,
	},
};

static const struct genl_multicast_group weir_trim_nl_mcgrps[] = {
	[WEIR_TRIM_NLGRP_EVENTS] = { "events", },
};

struct genl_family weir_trim_nl_family __ro_after_init = {
	.name		= WEIR_TRIM_FAMILY_NAME,
	.version	= WEIR_TRIM_FAMILY_VERSION,
	.netnsok	= true,
	.parallel_ops	= true,
	.module		= THIS_MODULE,
	.split_ops	= weir_trim_nl_ops,
	.n_split_ops	= ARRAY_SIZE(weir_trim_nl_ops),
	.mcgrps		= weir_trim_nl_mcgrps,
	.n_mcgrps	= ARRAY_SIZE(weir_trim_nl_mcgrps),
};

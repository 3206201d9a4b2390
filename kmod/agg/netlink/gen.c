// SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause)
/* Do not edit directly, auto-generated from: */
/*	uapi/weir.yaml */
/* YNL-GEN kernel source */

#include <net/netlink.h>
#include <net/genetlink.h>

#include "gen.h"

#include <uapi/weir.h>

/* Integer value ranges */
static const struct netlink_range_validation weir_a_job_blocks_range = {
	.min	= 1ULL,
	.max	= WEIR_BLOCKS_MAX,
};

static const struct netlink_range_validation weir_a_job_port_range = {
	.min	= 1ULL,
	.max	= 65535ULL,
};

static const struct netlink_range_validation weir_a_job_parent_port_range = {
	.min	= 1ULL,
	.max	= 65535ULL,
};

static const struct netlink_range_validation weir_a_job_keys_range = {
	.min	= 1ULL,
	.max	= WEIR_KEYS_MAX,
};

static const struct netlink_range_validation weir_a_source_port_range = {
	.min	= 1ULL,
	.max	= 65535ULL,
};

/* Common nested types */
const struct nla_policy weir_rate_nl_policy[WEIR_A_RATE_BYTES_BURST + 1] = {
	[WEIR_A_RATE_PACKETS] = { .type = NLA_U32, },
	[WEIR_A_RATE_PACKETS_BURST] = { .type = NLA_U32, },
	[WEIR_A_RATE_BYTES] = { .type = NLA_UINT, },
	[WEIR_A_RATE_BYTES_BURST] = { .type = NLA_UINT, },
};

/* WEIR_CMD_JOB_ADD - do */
static const struct nla_policy weir_job_add_nl_policy[WEIR_A_JOB_BYTE_ORDER + 1] = {
	[WEIR_A_JOB_ID] = NLA_POLICY_MAX(NLA_U32, WEIR_JOB_ID_MAX),
	[WEIR_A_JOB_FORMAT] = NLA_POLICY_RANGE(NLA_U32, 1, 6),
	[WEIR_A_JOB_DTYPE] = NLA_POLICY_RANGE(NLA_U32, 1, 6),
	[WEIR_A_JOB_OP] = NLA_POLICY_RANGE(NLA_U32, 1, 3),
	[WEIR_A_JOB_ORDER] = NLA_POLICY_RANGE(NLA_U32, 1, 2),
	[WEIR_A_JOB_SOURCES] = NLA_POLICY_RANGE(NLA_U32, 1, WEIR_SOURCES_MAX),
	[WEIR_A_JOB_BLOCKS] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_job_blocks_range),
	[WEIR_A_JOB_GRADS] = NLA_POLICY_RANGE(NLA_U32, 1, WEIR_GRADS_MAX),
	[WEIR_A_JOB_ADDRESS] = { .type = NLA_BINARY, },
	[WEIR_A_JOB_PORT] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_job_port_range),
	[WEIR_A_JOB_GROUP] = { .type = NLA_BINARY, },
	[WEIR_A_JOB_POLICY] = NLA_POLICY_RANGE(NLA_U32, 1, 3),
	[WEIR_A_JOB_TIMEOUT] = { .type = NLA_U32, },
	[WEIR_A_JOB_QUORUM] = { .type = NLA_U32, },
	[WEIR_A_JOB_TIMERS] = NLA_POLICY_RANGE(NLA_U32, 1, WEIR_TIMERS_MAX),
	[WEIR_A_JOB_DEAD_AFTER] = { .type = NLA_U32, },
	[WEIR_A_JOB_RATE] = NLA_POLICY_NESTED(weir_rate_nl_policy),
	[WEIR_A_JOB_RANKS] = NLA_POLICY_MAX(NLA_U32, WEIR_RANKS_MAX),
	[WEIR_A_JOB_PARENT] = { .type = NLA_BINARY, },
	[WEIR_A_JOB_PARENT_SOURCE] = NLA_POLICY_MAX(NLA_U32, 255),
	[WEIR_A_JOB_PARENT_PORT] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_job_parent_port_range),
	[WEIR_A_JOB_PARENT_IFINDEX] = { .type = NLA_U32, },
	[WEIR_A_JOB_PARENT_VLAN] = NLA_POLICY_MAX(NLA_U32, 4095),
	[WEIR_A_JOB_REPEAT_AFTER] = { .type = NLA_U32, },
	[WEIR_A_JOB_KEYS] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_job_keys_range),
	[WEIR_A_JOB_KEY_MEMORY] = { .type = NLA_UINT, },
	[WEIR_A_JOB_RETAIN] = { .type = NLA_UINT, },
	[WEIR_A_JOB_OWNER] = NLA_POLICY_RANGE(NLA_U32, 1, 3),
	[WEIR_A_JOB_BYTE_ORDER] = NLA_POLICY_RANGE(NLA_U32, 1, 2),
};

/* WEIR_CMD_JOB_SET - do */
static const struct nla_policy weir_job_set_nl_policy[WEIR_A_JOB_RATE + 1] = {
	[WEIR_A_JOB_ID] = NLA_POLICY_MAX(NLA_U32, WEIR_JOB_ID_MAX),
	[WEIR_A_JOB_PORT] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_job_port_range),
	[WEIR_A_JOB_GROUP] = { .type = NLA_BINARY, },
	[WEIR_A_JOB_POLICY] = NLA_POLICY_RANGE(NLA_U32, 1, 3),
	[WEIR_A_JOB_TIMEOUT] = { .type = NLA_U32, },
	[WEIR_A_JOB_QUORUM] = { .type = NLA_U32, },
	[WEIR_A_JOB_DEAD_AFTER] = { .type = NLA_U32, },
	[WEIR_A_JOB_RATE] = NLA_POLICY_NESTED(weir_rate_nl_policy),
};

/* WEIR_CMD_JOB_DEL - do */
static const struct nla_policy weir_job_del_nl_policy[WEIR_A_JOB_ID + 1] = {
	[WEIR_A_JOB_ID] = NLA_POLICY_MAX(NLA_U32, WEIR_JOB_ID_MAX),
};

/* WEIR_CMD_JOB_GET - do */
static const struct nla_policy weir_job_get_nl_policy[WEIR_A_JOB_ID + 1] = {
	[WEIR_A_JOB_ID] = NLA_POLICY_MAX(NLA_U32, WEIR_JOB_ID_MAX),
};

/* WEIR_CMD_SOURCE_ADD - do */
static const struct nla_policy weir_source_add_nl_policy[WEIR_A_SOURCE_RATE + 1] = {
	[WEIR_A_SOURCE_JOB] = NLA_POLICY_MAX(NLA_U32, WEIR_JOB_ID_MAX),
	[WEIR_A_SOURCE_ID] = NLA_POLICY_MAX(NLA_U32, 255),
	[WEIR_A_SOURCE_ADDRESS] = { .type = NLA_BINARY, },
	[WEIR_A_SOURCE_PORT] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_source_port_range),
	[WEIR_A_SOURCE_IFINDEX] = { .type = NLA_U32, },
	[WEIR_A_SOURCE_VLAN] = NLA_POLICY_MAX(NLA_U32, 4095),
	[WEIR_A_SOURCE_RATE] = NLA_POLICY_NESTED(weir_rate_nl_policy),
};

/* WEIR_CMD_SOURCE_SET - do */
static const struct nla_policy weir_source_set_nl_policy[WEIR_A_SOURCE_RATE + 1] = {
	[WEIR_A_SOURCE_JOB] = NLA_POLICY_MAX(NLA_U32, WEIR_JOB_ID_MAX),
	[WEIR_A_SOURCE_ID] = NLA_POLICY_MAX(NLA_U32, 255),
	[WEIR_A_SOURCE_ADDRESS] = { .type = NLA_BINARY, },
	[WEIR_A_SOURCE_PORT] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_source_port_range),
	[WEIR_A_SOURCE_IFINDEX] = { .type = NLA_U32, },
	[WEIR_A_SOURCE_VLAN] = NLA_POLICY_MAX(NLA_U32, 4095),
	[WEIR_A_SOURCE_RATE] = NLA_POLICY_NESTED(weir_rate_nl_policy),
};

/* WEIR_CMD_SOURCE_DEL - do */
static const struct nla_policy weir_source_del_nl_policy[WEIR_A_SOURCE_ID + 1] = {
	[WEIR_A_SOURCE_JOB] = NLA_POLICY_MAX(NLA_U32, WEIR_JOB_ID_MAX),
	[WEIR_A_SOURCE_ID] = NLA_POLICY_MAX(NLA_U32, 255),
};

/* WEIR_CMD_SOURCE_GET - do */
static const struct nla_policy weir_source_get_do_nl_policy[WEIR_A_SOURCE_ID + 1] = {
	[WEIR_A_SOURCE_JOB] = NLA_POLICY_MAX(NLA_U32, WEIR_JOB_ID_MAX),
	[WEIR_A_SOURCE_ID] = NLA_POLICY_MAX(NLA_U32, 255),
};

/* WEIR_CMD_SOURCE_GET - dump */
static const struct nla_policy weir_source_get_dump_nl_policy[WEIR_A_SOURCE_JOB + 1] = {
	[WEIR_A_SOURCE_JOB] = NLA_POLICY_MAX(NLA_U32, WEIR_JOB_ID_MAX),
};

/* WEIR_CMD_SOURCE_FLUSH - do */
static const struct nla_policy weir_source_flush_nl_policy[WEIR_A_SOURCE_JOB + 1] = {
	[WEIR_A_SOURCE_JOB] = NLA_POLICY_MAX(NLA_U32, WEIR_JOB_ID_MAX),
};

/* WEIR_CMD_BLOCK_GET - dump */
static const struct nla_policy weir_block_get_nl_policy[WEIR_A_BLOCK_JOB + 1] = {
	[WEIR_A_BLOCK_JOB] = NLA_POLICY_MAX(NLA_U32, WEIR_JOB_ID_MAX),
};

/* WEIR_CMD_PORT_ADD - do */
static const struct nla_policy weir_port_add_nl_policy[WEIR_A_PORT_MODE + 1] = {
	[WEIR_A_PORT_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[WEIR_A_PORT_MODE] = NLA_POLICY_RANGE(NLA_U32, 1, 3),
};

/* WEIR_CMD_PORT_SET - do */
static const struct nla_policy weir_port_set_nl_policy[WEIR_A_PORT_MODE + 1] = {
	[WEIR_A_PORT_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[WEIR_A_PORT_MODE] = NLA_POLICY_RANGE(NLA_U32, 1, 3),
};

/* WEIR_CMD_PORT_DEL - do */
static const struct nla_policy weir_port_del_nl_policy[WEIR_A_PORT_IFINDEX + 1] = {
	[WEIR_A_PORT_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
};

/* WEIR_CMD_PORT_GET - do */
static const struct nla_policy weir_port_get_nl_policy[WEIR_A_PORT_IFINDEX + 1] = {
	[WEIR_A_PORT_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
};

/* WEIR_CMD_JOB_COLLECT - do */
static const struct nla_policy weir_job_collect_nl_policy[WEIR_A_JOB_ID + 1] = {
	[WEIR_A_JOB_ID] = NLA_POLICY_MAX(NLA_U32, WEIR_JOB_ID_MAX),
};

/* WEIR_CMD_DEVICE_GET - do */
static const struct nla_policy weir_device_get_nl_policy[WEIR_A_DEVICE_IFINDEX + 1] = {
	[WEIR_A_DEVICE_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
};

/* Ops table for weir */
static const struct genl_split_ops weir_nl_ops[] = {
	{
		.cmd		= WEIR_CMD_JOB_ADD,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_job_add_doit,
		.post_doit	= weir_nl_post_doit,
		.policy		= weir_job_add_nl_policy,
		.maxattr	= WEIR_A_JOB_BYTE_ORDER,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_JOB_SET,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_job_set_doit,
		.post_doit	= weir_nl_post_doit,
		.policy		= weir_job_set_nl_policy,
		.maxattr	= WEIR_A_JOB_RATE,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_JOB_DEL,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_job_del_doit,
		.post_doit	= weir_nl_post_doit,
		.policy		= weir_job_del_nl_policy,
		.maxattr	= WEIR_A_JOB_ID,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_JOB_GET,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_job_get_doit,
		.post_doit	= weir_nl_post_doit,
		.policy		= weir_job_get_nl_policy,
		.maxattr	= WEIR_A_JOB_ID,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd	= WEIR_CMD_JOB_GET,
		.dumpit	= weir_nl_job_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= WEIR_CMD_JOB_FLUSH,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_job_flush_doit,
		.post_doit	= weir_nl_post_doit,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_SOURCE_ADD,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_source_add_doit,
		.post_doit	= weir_nl_post_doit,
		.policy		= weir_source_add_nl_policy,
		.maxattr	= WEIR_A_SOURCE_RATE,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_SOURCE_SET,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_source_set_doit,
		.post_doit	= weir_nl_post_doit,
		.policy		= weir_source_set_nl_policy,
		.maxattr	= WEIR_A_SOURCE_RATE,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_SOURCE_DEL,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_source_del_doit,
		.post_doit	= weir_nl_post_doit,
		.policy		= weir_source_del_nl_policy,
		.maxattr	= WEIR_A_SOURCE_ID,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_SOURCE_GET,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_source_get_doit,
		.post_doit	= weir_nl_post_doit,
		.policy		= weir_source_get_do_nl_policy,
		.maxattr	= WEIR_A_SOURCE_ID,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_SOURCE_GET,
		.dumpit		= weir_nl_source_get_dumpit,
		.policy		= weir_source_get_dump_nl_policy,
		.maxattr	= WEIR_A_SOURCE_JOB,
		.flags		= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= WEIR_CMD_SOURCE_FLUSH,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_source_flush_doit,
		.post_doit	= weir_nl_post_doit,
		.policy		= weir_source_flush_nl_policy,
		.maxattr	= WEIR_A_SOURCE_JOB,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_BLOCK_GET,
		.dumpit		= weir_nl_block_get_dumpit,
		.policy		= weir_block_get_nl_policy,
		.maxattr	= WEIR_A_BLOCK_JOB,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= WEIR_CMD_PORT_ADD,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_port_add_doit,
		.post_doit	= weir_nl_post_doit,
		.policy		= weir_port_add_nl_policy,
		.maxattr	= WEIR_A_PORT_MODE,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_PORT_SET,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_port_set_doit,
		.post_doit	= weir_nl_post_doit,
		.policy		= weir_port_set_nl_policy,
		.maxattr	= WEIR_A_PORT_MODE,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_PORT_DEL,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_port_del_doit,
		.post_doit	= weir_nl_post_doit,
		.policy		= weir_port_del_nl_policy,
		.maxattr	= WEIR_A_PORT_IFINDEX,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_PORT_GET,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_port_get_doit,
		.post_doit	= weir_nl_post_doit,
		.policy		= weir_port_get_nl_policy,
		.maxattr	= WEIR_A_PORT_IFINDEX,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd	= WEIR_CMD_PORT_GET,
		.dumpit	= weir_nl_port_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= WEIR_CMD_PORT_FLUSH,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_port_flush_doit,
		.post_doit	= weir_nl_post_doit,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_STATS_GET,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_stats_get_doit,
		.post_doit	= weir_nl_post_doit,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_JOB_COLLECT,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_job_collect_doit,
		.post_doit	= weir_nl_post_doit,
		.policy		= weir_job_collect_nl_policy,
		.maxattr	= WEIR_A_JOB_ID,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_DEVICE_GET,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_device_get_doit,
		.post_doit	= weir_nl_post_doit,
		.policy		= weir_device_get_nl_policy,
		.maxattr	= WEIR_A_DEVICE_IFINDEX,
		.flags		= GENL_CMD_CAP_DO,
	},
};

static const struct genl_multicast_group weir_nl_mcgrps[] = {
	[WEIR_NLGRP_EVENTS] = { "events", },
};

struct genl_family weir_nl_family __ro_after_init = {
	.name		= WEIR_FAMILY_NAME,
	.version	= WEIR_FAMILY_VERSION,
	.netnsok	= true,
	.parallel_ops	= true,
	.module		= THIS_MODULE,
	.split_ops	= weir_nl_ops,
	.n_split_ops	= ARRAY_SIZE(weir_nl_ops),
	.mcgrps		= weir_nl_mcgrps,
	.n_mcgrps	= ARRAY_SIZE(weir_nl_mcgrps),
};

// SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause)
/* Do not edit directly, auto-generated from: */
/*	uapi/weir_xdp.yaml */
/* YNL-GEN kernel source */

#include <net/netlink.h>
#include <net/genetlink.h>

#include "gen.h"

#include <uapi/weir_xdp_nl.h>

/* Integer value ranges */
static const struct netlink_range_validation weir_xdp_a_rule_port_range = {
	.min	= 1ULL,
	.max	= 65535ULL,
};

static const struct netlink_range_validation weir_xdp_a_rule_sport_range = {
	.min	= 1ULL,
	.max	= 65535ULL,
};

static const struct netlink_range_validation weir_a_chain_prio_range = {
	.min	= 1ULL,
	.max	= WEIR_XDP_CHAIN_PRIO_MAX,
};

static const struct netlink_range_validation weir_a_chain_to_range = {
	.min	= 1ULL,
	.max	= WEIR_XDP_CHAIN_PRIO_MAX,
};

static const struct netlink_range_validation weir_a_filter_prio_range = {
	.min	= 1ULL,
	.max	= WEIR_XDP_FILTER_PRIO_MAX,
};

static const struct netlink_range_validation weir_a_filter_sources_range = {
	.min	= 1ULL,
	.max	= WEIR_XDP_FILTER_SOURCES_MAX,
};

static const struct netlink_range_validation weir_a_filter_sample_range = {
	.min	= 1ULL,
	.max	= WEIR_XDP_FILTER_SAMPLE_MAX,
};

static const struct netlink_range_validation weir_a_order_prio_range = {
	.min	= 1ULL,
	.max	= WEIR_XDP_CHAIN_PRIO_MAX,
};

static const struct netlink_range_validation weir_a_order_hold_range = {
	.max	= WEIR_XDP_ORDER_HOLD_MAX,
};

static const struct netlink_range_validation weir_a_order_packets_range = {
	.min	= 2ULL,
	.max	= WEIR_XDP_ORDER_PACKETS_MAX,
};

static const struct netlink_range_validation weir_a_order_flows_range = {
	.min	= 1ULL,
	.max	= WEIR_XDP_ORDER_FLOWS_MAX,
};

static const struct netlink_range_validation weir_a_flow_flows_range = {
	.min	= WEIR_XDP_FLOWS_MIN,
	.max	= WEIR_XDP_FLOWS_MAX,
};

static const struct netlink_range_validation weir_a_flow_sample_range = {
	.min	= 1ULL,
	.max	= WEIR_XDP_FLOW_SAMPLE_MAX,
};

static const struct netlink_range_validation weir_a_flow_idle_range = {
	.min	= WEIR_XDP_FLOW_TIME_MIN,
	.max	= WEIR_XDP_FLOW_TIME_MAX,
};

static const struct netlink_range_validation weir_a_flow_active_range = {
	.min	= WEIR_XDP_FLOW_TIME_MIN,
	.max	= WEIR_XDP_FLOW_TIME_MAX,
};

static const struct netlink_range_validation weir_a_flow_share_range = {
	.max	= WEIR_XDP_FLOW_MILLIONTHS,
};

static const struct netlink_range_validation weir_a_flow_loss_range = {
	.max	= WEIR_XDP_FLOW_MILLIONTHS,
};

/* Common nested types */
const struct nla_policy weir_xdp_filter_match_nl_policy[WEIR_A_FILTER_MATCH_UNPARSED + 1] = {
	[WEIR_A_FILTER_MATCH_RULE] = NLA_POLICY_NESTED(weir_xdp_rule_nl_policy),
	[WEIR_A_FILTER_MATCH_LENGTH] = { .type = NLA_U32, },
	[WEIR_A_FILTER_MATCH_LENGTH_LAST] = { .type = NLA_U32, },
	[WEIR_A_FILTER_MATCH_TCP_SET] = NLA_POLICY_MAX(NLA_U32, 255),
	[WEIR_A_FILTER_MATCH_TCP_CLEAR] = NLA_POLICY_MAX(NLA_U32, 255),
	[WEIR_A_FILTER_MATCH_FRAGMENT] = NLA_POLICY_MAX(NLA_U32, 1),
	[WEIR_A_FILTER_MATCH_OPTIONS] = NLA_POLICY_MAX(NLA_U32, 1),
	[WEIR_A_FILTER_MATCH_UNPARSED] = NLA_POLICY_MAX(NLA_U32, 1),
};

const struct nla_policy weir_xdp_rate_nl_policy[WEIR_XDP_A_RATE_BYTES_BURST + 1] = {
	[WEIR_XDP_A_RATE_PACKETS] = { .type = NLA_U32, },
	[WEIR_XDP_A_RATE_PACKETS_BURST] = { .type = NLA_U32, },
	[WEIR_XDP_A_RATE_BYTES] = { .type = NLA_UINT, },
	[WEIR_XDP_A_RATE_BYTES_BURST] = { .type = NLA_UINT, },
};

const struct nla_policy weir_xdp_rule_nl_policy[WEIR_XDP_A_RULE_BYTES + 1] = {
	[WEIR_XDP_A_RULE_DSCP] = NLA_POLICY_MAX(NLA_U32, 63),
	[WEIR_XDP_A_RULE_DSCP_LAST] = NLA_POLICY_MAX(NLA_U32, 63),
	[WEIR_XDP_A_RULE_PROTO] = NLA_POLICY_RANGE(NLA_U32, 1, 255),
	[WEIR_XDP_A_RULE_PORT] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_xdp_a_rule_port_range),
	[WEIR_XDP_A_RULE_VLAN] = NLA_POLICY_RANGE(NLA_U32, 1, 4094),
	[WEIR_XDP_A_RULE_DISABLE] = { .type = NLA_FLAG, },
	[WEIR_XDP_A_RULE_SPORT] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_xdp_a_rule_sport_range),
	[WEIR_XDP_A_RULE_SRC] = { .type = NLA_BINARY, },
	[WEIR_XDP_A_RULE_SRC_PREFIX] = NLA_POLICY_RANGE(NLA_U32, 1, 128),
	[WEIR_XDP_A_RULE_DST] = { .type = NLA_BINARY, },
	[WEIR_XDP_A_RULE_DST_PREFIX] = NLA_POLICY_RANGE(NLA_U32, 1, 128),
	[WEIR_XDP_A_RULE_FROM] = NLA_POLICY_MIN(NLA_U32, 1),
	[WEIR_XDP_A_RULE_PACKETS] = { .type = NLA_UINT, },
	[WEIR_XDP_A_RULE_BYTES] = { .type = NLA_UINT, },
};

/* WEIR_XDP_CMD_CHAIN_ADD - do */
static const struct nla_policy weir_xdp_chain_add_nl_policy[WEIR_A_CHAIN_SECTION + 1] = {
	[WEIR_A_CHAIN_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[WEIR_A_CHAIN_PRIO] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_chain_prio_range),
	[WEIR_A_CHAIN_FD] = { .type = NLA_U32, },
	[WEIR_A_CHAIN_FILE] = { .type = NLA_NUL_STRING, .len = WEIR_XDP_CHAIN_TEXT_MAX, },
	[WEIR_A_CHAIN_SECTION] = { .type = NLA_NUL_STRING, .len = WEIR_XDP_CHAIN_TEXT_MAX, },
};

/* WEIR_XDP_CMD_CHAIN_SET - do */
static const struct nla_policy weir_xdp_chain_set_nl_policy[WEIR_A_CHAIN_SECTION + 1] = {
	[WEIR_A_CHAIN_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[WEIR_A_CHAIN_PRIO] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_chain_prio_range),
	[WEIR_A_CHAIN_FD] = { .type = NLA_U32, },
	[WEIR_A_CHAIN_FILE] = { .type = NLA_NUL_STRING, .len = WEIR_XDP_CHAIN_TEXT_MAX, },
	[WEIR_A_CHAIN_SECTION] = { .type = NLA_NUL_STRING, .len = WEIR_XDP_CHAIN_TEXT_MAX, },
	[WEIR_A_CHAIN_TO] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_chain_to_range),
};

/* WEIR_XDP_CMD_CHAIN_DEL - do */
static const struct nla_policy weir_xdp_chain_del_nl_policy[WEIR_A_CHAIN_PRIO + 1] = {
	[WEIR_A_CHAIN_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[WEIR_A_CHAIN_PRIO] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_chain_prio_range),
};

/* WEIR_XDP_CMD_CHAIN_GET - do */
static const struct nla_policy weir_xdp_chain_get_nl_policy[WEIR_A_CHAIN_PRIO + 1] = {
	[WEIR_A_CHAIN_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[WEIR_A_CHAIN_PRIO] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_chain_prio_range),
};

/* WEIR_XDP_CMD_FLOW_SET - do */
static const struct nla_policy weir_xdp_flow_set_nl_policy[WEIR_A_FLOW_SOURCE + 1] = {
	[WEIR_A_FLOW_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[WEIR_A_FLOW_FLOWS] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_flow_flows_range),
	[WEIR_A_FLOW_SAMPLE] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_flow_sample_range),
	[WEIR_A_FLOW_IDLE] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_flow_idle_range),
	[WEIR_A_FLOW_ACTIVE] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_flow_active_range),
	[WEIR_A_FLOW_TRIMMED] = { .type = NLA_UINT, },
	[WEIR_A_FLOW_RATE] = { .type = NLA_UINT, },
	[WEIR_A_FLOW_SHARE] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_flow_share_range),
	[WEIR_A_FLOW_LOSS] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_flow_loss_range),
	[WEIR_A_FLOW_SOURCE] = { .type = NLA_UINT, },
};

/* WEIR_XDP_CMD_FLOW_DEL - do */
static const struct nla_policy weir_xdp_flow_del_nl_policy[WEIR_A_FLOW_IFINDEX + 1] = {
	[WEIR_A_FLOW_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
};

/* WEIR_XDP_CMD_FLOW_GET - do */
static const struct nla_policy weir_xdp_flow_get_nl_policy[WEIR_A_FLOW_IFINDEX + 1] = {
	[WEIR_A_FLOW_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
};

/* WEIR_XDP_CMD_FLOW_RECORD_GET - dump */
static const struct nla_policy weir_xdp_flow_record_get_nl_policy[WEIR_A_FLOW_RECORD_BY + 1] = {
	[WEIR_A_FLOW_RECORD_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[WEIR_A_FLOW_RECORD_TOP] = NLA_POLICY_RANGE(NLA_U32, 1, WEIR_XDP_FLOW_TOP_MAX),
	[WEIR_A_FLOW_RECORD_BY] = NLA_POLICY_MAX(NLA_U32, 4),
};

/* WEIR_XDP_CMD_FILTER_ADD - do */
static const struct nla_policy weir_xdp_filter_add_nl_policy[WEIR_A_FILTER_GROUP + 1] = {
	[WEIR_A_FILTER_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[WEIR_A_FILTER_PRIO] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_filter_prio_range),
	[WEIR_A_FILTER_MATCH] = NLA_POLICY_NESTED(weir_xdp_filter_match_nl_policy),
	[WEIR_A_FILTER_FILE] = { .type = NLA_NUL_STRING, .len = WEIR_XDP_CHAIN_TEXT_MAX, },
	[WEIR_A_FILTER_COMMON] = NLA_POLICY_NESTED(weir_xdp_filter_match_nl_policy),
	[WEIR_A_FILTER_ACTION] = NLA_POLICY_RANGE(NLA_U32, 1, 6),
	[WEIR_A_FILTER_RATE] = NLA_POLICY_NESTED(weir_xdp_rate_nl_policy),
	[WEIR_A_FILTER_EACH] = { .type = NLA_FLAG, },
	[WEIR_A_FILTER_SOURCES] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_filter_sources_range),
	[WEIR_A_FILTER_DSCP] = NLA_POLICY_MAX(NLA_U32, 63),
	[WEIR_A_FILTER_TIME] = NLA_POLICY_MIN(NLA_U32, WEIR_XDP_FILTER_TIME_MIN),
	[WEIR_A_FILTER_SAMPLE] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_filter_sample_range),
	[WEIR_A_FILTER_GROUP] = { .type = NLA_U32, },
	[WEIR_A_FILTER_MORE] = { .type = NLA_FLAG, },
};

/* WEIR_XDP_CMD_FILTER_SET - do */
static const struct nla_policy weir_xdp_filter_set_nl_policy[WEIR_A_FILTER_GROUP + 1] = {
	[WEIR_A_FILTER_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[WEIR_A_FILTER_PRIO] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_filter_prio_range),
	[WEIR_A_FILTER_MATCH] = NLA_POLICY_NESTED(weir_xdp_filter_match_nl_policy),
	[WEIR_A_FILTER_FILE] = { .type = NLA_NUL_STRING, .len = WEIR_XDP_CHAIN_TEXT_MAX, },
	[WEIR_A_FILTER_COMMON] = NLA_POLICY_NESTED(weir_xdp_filter_match_nl_policy),
	[WEIR_A_FILTER_ACTION] = NLA_POLICY_RANGE(NLA_U32, 1, 6),
	[WEIR_A_FILTER_RATE] = NLA_POLICY_NESTED(weir_xdp_rate_nl_policy),
	[WEIR_A_FILTER_EACH] = { .type = NLA_FLAG, },
	[WEIR_A_FILTER_SOURCES] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_filter_sources_range),
	[WEIR_A_FILTER_DSCP] = NLA_POLICY_MAX(NLA_U32, 63),
	[WEIR_A_FILTER_TIME] = NLA_POLICY_MIN(NLA_U32, WEIR_XDP_FILTER_TIME_MIN),
	[WEIR_A_FILTER_SAMPLE] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_filter_sample_range),
	[WEIR_A_FILTER_GROUP] = { .type = NLA_U32, },
};

/* WEIR_XDP_CMD_FILTER_DEL - do */
static const struct nla_policy weir_xdp_filter_del_nl_policy[WEIR_A_FILTER_PRIO + 1] = {
	[WEIR_A_FILTER_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[WEIR_A_FILTER_PRIO] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_filter_prio_range),
};

/* WEIR_XDP_CMD_FILTER_GET - do */
static const struct nla_policy weir_xdp_filter_get_do_nl_policy[WEIR_A_FILTER_PRIO + 1] = {
	[WEIR_A_FILTER_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[WEIR_A_FILTER_PRIO] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_filter_prio_range),
};

/* WEIR_XDP_CMD_FILTER_GET - dump */
static const struct nla_policy weir_xdp_filter_get_dump_nl_policy[WEIR_A_FILTER_IFINDEX + 1] = {
	[WEIR_A_FILTER_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
};

/* WEIR_XDP_CMD_FILTER_FLUSH - do */
static const struct nla_policy weir_xdp_filter_flush_nl_policy[WEIR_A_FILTER_IFINDEX + 1] = {
	[WEIR_A_FILTER_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
};

/* WEIR_XDP_CMD_FILTER_COMMIT - do */
static const struct nla_policy weir_xdp_filter_commit_nl_policy[WEIR_A_FILTER_IFINDEX + 1] = {
	[WEIR_A_FILTER_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
};

/* WEIR_XDP_CMD_FILTER_SOURCE_GET - dump */
static const struct nla_policy weir_xdp_filter_source_get_nl_policy[WEIR_A_FILTER_SOURCE_PRIO + 1] = {
	[WEIR_A_FILTER_SOURCE_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[WEIR_A_FILTER_SOURCE_PRIO] = { .type = NLA_U32, },
};

/* WEIR_XDP_CMD_ORDER_ADD - do */
static const struct nla_policy weir_xdp_order_add_nl_policy[WEIR_A_ORDER_SCOPE_WIDTH + 1] = {
	[WEIR_A_ORDER_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[WEIR_A_ORDER_PRIO] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_order_prio_range),
	[WEIR_A_ORDER_RULE] = NLA_POLICY_NESTED(weir_xdp_rule_nl_policy),
	[WEIR_A_ORDER_CPU] = { .type = NLA_U32, },
	[WEIR_A_ORDER_HOLD] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_order_hold_range),
	[WEIR_A_ORDER_PACKETS] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_order_packets_range),
	[WEIR_A_ORDER_BYTES] = { .type = NLA_UINT, },
	[WEIR_A_ORDER_FLOWS] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_order_flows_range),
	[WEIR_A_ORDER_SEQUENCE] = NLA_POLICY_MAX(NLA_U32, 3),
	[WEIR_A_ORDER_OFFSET] = NLA_POLICY_MAX(NLA_U32, WEIR_XDP_ORDER_OFFSET_MAX),
	[WEIR_A_ORDER_WIDTH] = NLA_POLICY_RANGE(NLA_U32, 8, 32),
	[WEIR_A_ORDER_SCOPE_OFFSET] = NLA_POLICY_MAX(NLA_U32, WEIR_XDP_ORDER_OFFSET_MAX),
	[WEIR_A_ORDER_SCOPE_WIDTH] = NLA_POLICY_RANGE(NLA_U32, 8, 32),
};

/* WEIR_XDP_CMD_ORDER_DEL - do */
static const struct nla_policy weir_xdp_order_del_nl_policy[WEIR_A_ORDER_PRIO + 1] = {
	[WEIR_A_ORDER_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[WEIR_A_ORDER_PRIO] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_order_prio_range),
};

/* WEIR_XDP_CMD_ORDER_GET - do */
static const struct nla_policy weir_xdp_order_get_nl_policy[WEIR_A_ORDER_PRIO + 1] = {
	[WEIR_A_ORDER_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[WEIR_A_ORDER_PRIO] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_order_prio_range),
};

/* Ops table for weir_xdp */
static const struct genl_split_ops weir_xdp_nl_ops[] = {
	{
		.cmd		= WEIR_XDP_CMD_CHAIN_ADD,
		.pre_doit	= weir_xdp_nl_pre_doit,
		.doit		= weir_xdp_nl_chain_add_doit,
		.post_doit	= weir_xdp_nl_post_doit,
		.policy		= weir_xdp_chain_add_nl_policy,
		.maxattr	= WEIR_A_CHAIN_SECTION,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_XDP_CMD_CHAIN_SET,
		.pre_doit	= weir_xdp_nl_pre_doit,
		.doit		= weir_xdp_nl_chain_set_doit,
		.post_doit	= weir_xdp_nl_post_doit,
		.policy		= weir_xdp_chain_set_nl_policy,
		.maxattr	= WEIR_A_CHAIN_SECTION,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_XDP_CMD_CHAIN_DEL,
		.pre_doit	= weir_xdp_nl_pre_doit,
		.doit		= weir_xdp_nl_chain_del_doit,
		.post_doit	= weir_xdp_nl_post_doit,
		.policy		= weir_xdp_chain_del_nl_policy,
		.maxattr	= WEIR_A_CHAIN_PRIO,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_XDP_CMD_CHAIN_GET,
		.pre_doit	= weir_xdp_nl_pre_doit,
		.doit		= weir_xdp_nl_chain_get_doit,
		.post_doit	= weir_xdp_nl_post_doit,
		.policy		= weir_xdp_chain_get_nl_policy,
		.maxattr	= WEIR_A_CHAIN_PRIO,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd	= WEIR_XDP_CMD_CHAIN_GET,
		.dumpit	= weir_xdp_nl_chain_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= WEIR_XDP_CMD_CHAIN_FLUSH,
		.pre_doit	= weir_xdp_nl_pre_doit,
		.doit		= weir_xdp_nl_chain_flush_doit,
		.post_doit	= weir_xdp_nl_post_doit,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_XDP_CMD_FLOW_SET,
		.pre_doit	= weir_xdp_nl_pre_doit,
		.doit		= weir_xdp_nl_flow_set_doit,
		.post_doit	= weir_xdp_nl_post_doit,
		.policy		= weir_xdp_flow_set_nl_policy,
		.maxattr	= WEIR_A_FLOW_SOURCE,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_XDP_CMD_FLOW_DEL,
		.pre_doit	= weir_xdp_nl_pre_doit,
		.doit		= weir_xdp_nl_flow_del_doit,
		.post_doit	= weir_xdp_nl_post_doit,
		.policy		= weir_xdp_flow_del_nl_policy,
		.maxattr	= WEIR_A_FLOW_IFINDEX,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_XDP_CMD_FLOW_GET,
		.pre_doit	= weir_xdp_nl_pre_doit,
		.doit		= weir_xdp_nl_flow_get_doit,
		.post_doit	= weir_xdp_nl_post_doit,
		.policy		= weir_xdp_flow_get_nl_policy,
		.maxattr	= WEIR_A_FLOW_IFINDEX,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd	= WEIR_XDP_CMD_FLOW_GET,
		.dumpit	= weir_xdp_nl_flow_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= WEIR_XDP_CMD_FLOW_FLUSH,
		.pre_doit	= weir_xdp_nl_pre_doit,
		.doit		= weir_xdp_nl_flow_flush_doit,
		.post_doit	= weir_xdp_nl_post_doit,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_XDP_CMD_FLOW_RECORD_GET,
		.dumpit		= weir_xdp_nl_flow_record_get_dumpit,
		.policy		= weir_xdp_flow_record_get_nl_policy,
		.maxattr	= WEIR_A_FLOW_RECORD_BY,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= WEIR_XDP_CMD_FLOW_LISTEN,
		.pre_doit	= weir_xdp_nl_pre_doit,
		.doit		= weir_xdp_nl_flow_listen_doit,
		.post_doit	= weir_xdp_nl_post_doit,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_XDP_CMD_FILTER_ADD,
		.pre_doit	= weir_xdp_nl_pre_doit,
		.doit		= weir_xdp_nl_filter_add_doit,
		.post_doit	= weir_xdp_nl_post_doit,
		.policy		= weir_xdp_filter_add_nl_policy,
		.maxattr	= WEIR_A_FILTER_GROUP,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_XDP_CMD_FILTER_SET,
		.pre_doit	= weir_xdp_nl_pre_doit,
		.doit		= weir_xdp_nl_filter_set_doit,
		.post_doit	= weir_xdp_nl_post_doit,
		.policy		= weir_xdp_filter_set_nl_policy,
		.maxattr	= WEIR_A_FILTER_GROUP,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_XDP_CMD_FILTER_DEL,
		.pre_doit	= weir_xdp_nl_pre_doit,
		.doit		= weir_xdp_nl_filter_del_doit,
		.post_doit	= weir_xdp_nl_post_doit,
		.policy		= weir_xdp_filter_del_nl_policy,
		.maxattr	= WEIR_A_FILTER_PRIO,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_XDP_CMD_FILTER_GET,
		.pre_doit	= weir_xdp_nl_pre_doit,
		.doit		= weir_xdp_nl_filter_get_doit,
		.post_doit	= weir_xdp_nl_post_doit,
		.policy		= weir_xdp_filter_get_do_nl_policy,
		.maxattr	= WEIR_A_FILTER_PRIO,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_XDP_CMD_FILTER_GET,
		.dumpit		= weir_xdp_nl_filter_get_dumpit,
		.policy		= weir_xdp_filter_get_dump_nl_policy,
		.maxattr	= WEIR_A_FILTER_IFINDEX,
		.flags		= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= WEIR_XDP_CMD_FILTER_FLUSH,
		.pre_doit	= weir_xdp_nl_pre_doit,
		.doit		= weir_xdp_nl_filter_flush_doit,
		.post_doit	= weir_xdp_nl_post_doit,
		.policy		= weir_xdp_filter_flush_nl_policy,
		.maxattr	= WEIR_A_FILTER_IFINDEX,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_XDP_CMD_FILTER_COMMIT,
		.pre_doit	= weir_xdp_nl_pre_doit,
		.doit		= weir_xdp_nl_filter_commit_doit,
		.post_doit	= weir_xdp_nl_post_doit,
		.policy		= weir_xdp_filter_commit_nl_policy,
		.maxattr	= WEIR_A_FILTER_IFINDEX,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_XDP_CMD_FILTER_SOURCE_GET,
		.dumpit		= weir_xdp_nl_filter_source_get_dumpit,
		.policy		= weir_xdp_filter_source_get_nl_policy,
		.maxattr	= WEIR_A_FILTER_SOURCE_PRIO,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= WEIR_XDP_CMD_ORDER_ADD,
		.pre_doit	= weir_xdp_nl_pre_doit,
		.doit		= weir_xdp_nl_order_add_doit,
		.post_doit	= weir_xdp_nl_post_doit,
		.policy		= weir_xdp_order_add_nl_policy,
		.maxattr	= WEIR_A_ORDER_SCOPE_WIDTH,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_XDP_CMD_ORDER_DEL,
		.pre_doit	= weir_xdp_nl_pre_doit,
		.doit		= weir_xdp_nl_order_del_doit,
		.post_doit	= weir_xdp_nl_post_doit,
		.policy		= weir_xdp_order_del_nl_policy,
		.maxattr	= WEIR_A_ORDER_PRIO,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_XDP_CMD_ORDER_GET,
		.pre_doit	= weir_xdp_nl_pre_doit,
		.doit		= weir_xdp_nl_order_get_doit,
		.post_doit	= weir_xdp_nl_post_doit,
		.policy		= weir_xdp_order_get_nl_policy,
		.maxattr	= WEIR_A_ORDER_PRIO,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd	= WEIR_XDP_CMD_ORDER_GET,
		.dumpit	= weir_xdp_nl_order_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= WEIR_XDP_CMD_ORDER_FLUSH,
		.pre_doit	= weir_xdp_nl_pre_doit,
		.doit		= weir_xdp_nl_order_flush_doit,
		.post_doit	= weir_xdp_nl_post_doit,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
};

static const struct genl_multicast_group weir_xdp_nl_mcgrps[] = {
	[WEIR_XDP_NLGRP_EVENTS] = { "events", },
};

struct genl_family weir_xdp_nl_family __ro_after_init = {
	.name		= WEIR_XDP_FAMILY_NAME,
	.version	= WEIR_XDP_FAMILY_VERSION,
	.netnsok	= true,
	.parallel_ops	= true,
	.module		= THIS_MODULE,
	.split_ops	= weir_xdp_nl_ops,
	.n_split_ops	= ARRAY_SIZE(weir_xdp_nl_ops),
	.mcgrps		= weir_xdp_nl_mcgrps,
	.n_mcgrps	= ARRAY_SIZE(weir_xdp_nl_mcgrps),
};

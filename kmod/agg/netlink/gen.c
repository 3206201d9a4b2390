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

static const struct netlink_range_validation weir_a_chain_prio_range = {
	.min	= 1ULL,
	.max	= WEIR_CHAIN_PRIO_MAX,
};

static const struct netlink_range_validation weir_a_chain_to_range = {
	.min	= 1ULL,
	.max	= WEIR_CHAIN_PRIO_MAX,
};

static const struct netlink_range_validation weir_a_filter_prio_range = {
	.min	= 1ULL,
	.max	= WEIR_FILTER_PRIO_MAX,
};

static const struct netlink_range_validation weir_a_filter_sources_range = {
	.min	= 1ULL,
	.max	= WEIR_FILTER_SOURCES_MAX,
};

static const struct netlink_range_validation weir_a_filter_sample_range = {
	.min	= 1ULL,
	.max	= WEIR_FILTER_SAMPLE_MAX,
};

static const struct netlink_range_validation weir_a_order_prio_range = {
	.min	= 1ULL,
	.max	= WEIR_CHAIN_PRIO_MAX,
};

static const struct netlink_range_validation weir_a_order_hold_range = {
	.max	= WEIR_ORDER_HOLD_MAX,
};

static const struct netlink_range_validation weir_a_order_packets_range = {
	.min	= 2ULL,
	.max	= WEIR_ORDER_PACKETS_MAX,
};

static const struct netlink_range_validation weir_a_order_flows_range = {
	.min	= 1ULL,
	.max	= WEIR_ORDER_FLOWS_MAX,
};

static const struct netlink_range_validation weir_a_flow_flows_range = {
	.min	= WEIR_FLOWS_MIN,
	.max	= WEIR_FLOWS_MAX,
};

static const struct netlink_range_validation weir_a_flow_sample_range = {
	.min	= 1ULL,
	.max	= WEIR_FLOW_SAMPLE_MAX,
};

static const struct netlink_range_validation weir_a_flow_idle_range = {
	.min	= WEIR_FLOW_TIME_MIN,
	.max	= WEIR_FLOW_TIME_MAX,
};

static const struct netlink_range_validation weir_a_flow_active_range = {
	.min	= WEIR_FLOW_TIME_MIN,
	.max	= WEIR_FLOW_TIME_MAX,
};

static const struct netlink_range_validation weir_a_flow_share_range = {
	.max	= WEIR_FLOW_MILLIONTHS,
};

static const struct netlink_range_validation weir_a_flow_loss_range = {
	.max	= WEIR_FLOW_MILLIONTHS,
};

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

/* Common nested types */
const struct nla_policy weir_filter_match_nl_policy[WEIR_A_FILTER_MATCH_UNPARSED + 1] = {
	[WEIR_A_FILTER_MATCH_RULE] = NLA_POLICY_NESTED(weir_trim_rule_nl_policy),
	[WEIR_A_FILTER_MATCH_LENGTH] = { .type = NLA_U32, },
	[WEIR_A_FILTER_MATCH_LENGTH_LAST] = { .type = NLA_U32, },
	[WEIR_A_FILTER_MATCH_TCP_SET] = NLA_POLICY_MAX(NLA_U32, 255),
	[WEIR_A_FILTER_MATCH_TCP_CLEAR] = NLA_POLICY_MAX(NLA_U32, 255),
	[WEIR_A_FILTER_MATCH_FRAGMENT] = NLA_POLICY_MAX(NLA_U32, 1),
	[WEIR_A_FILTER_MATCH_OPTIONS] = NLA_POLICY_MAX(NLA_U32, 1),
	[WEIR_A_FILTER_MATCH_UNPARSED] = NLA_POLICY_MAX(NLA_U32, 1),
};

const struct nla_policy weir_rate_nl_policy[WEIR_A_RATE_BYTES_BURST + 1] = {
	[WEIR_A_RATE_PACKETS] = { .type = NLA_U32, },
	[WEIR_A_RATE_PACKETS_BURST] = { .type = NLA_U32, },
	[WEIR_A_RATE_BYTES] = { .type = NLA_UINT, },
	[WEIR_A_RATE_BYTES_BURST] = { .type = NLA_UINT, },
};

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

/* WEIR_CMD_JOB_ADD - do */
static const struct nla_policy weir_job_add_nl_policy[WEIR_A_JOB_OWNER + 1] = {
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

/* WEIR_CMD_TRIM_SET - do */
static const struct nla_policy weir_trim_set_nl_policy[WEIR_A_TRIM_DSCP_TC + 1] = {
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

/* WEIR_CMD_JOB_COLLECT - do */
static const struct nla_policy weir_job_collect_nl_policy[WEIR_A_JOB_ID + 1] = {
	[WEIR_A_JOB_ID] = NLA_POLICY_MAX(NLA_U32, WEIR_JOB_ID_MAX),
};

/* WEIR_CMD_CHAIN_ADD - do */
static const struct nla_policy weir_chain_add_nl_policy[WEIR_A_CHAIN_SECTION + 1] = {
	[WEIR_A_CHAIN_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[WEIR_A_CHAIN_PRIO] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_chain_prio_range),
	[WEIR_A_CHAIN_FD] = { .type = NLA_U32, },
	[WEIR_A_CHAIN_FILE] = { .type = NLA_NUL_STRING, .len = WEIR_CHAIN_TEXT_MAX, },
	[WEIR_A_CHAIN_SECTION] = { .type = NLA_NUL_STRING, .len = WEIR_CHAIN_TEXT_MAX, },
};

/* WEIR_CMD_CHAIN_SET - do */
static const struct nla_policy weir_chain_set_nl_policy[WEIR_A_CHAIN_SECTION + 1] = {
	[WEIR_A_CHAIN_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[WEIR_A_CHAIN_PRIO] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_chain_prio_range),
	[WEIR_A_CHAIN_FD] = { .type = NLA_U32, },
	[WEIR_A_CHAIN_FILE] = { .type = NLA_NUL_STRING, .len = WEIR_CHAIN_TEXT_MAX, },
	[WEIR_A_CHAIN_SECTION] = { .type = NLA_NUL_STRING, .len = WEIR_CHAIN_TEXT_MAX, },
	[WEIR_A_CHAIN_TO] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_chain_to_range),
};

/* WEIR_CMD_CHAIN_DEL - do */
static const struct nla_policy weir_chain_del_nl_policy[WEIR_A_CHAIN_PRIO + 1] = {
	[WEIR_A_CHAIN_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[WEIR_A_CHAIN_PRIO] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_chain_prio_range),
};

/* WEIR_CMD_CHAIN_GET - do */
static const struct nla_policy weir_chain_get_nl_policy[WEIR_A_CHAIN_PRIO + 1] = {
	[WEIR_A_CHAIN_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[WEIR_A_CHAIN_PRIO] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_chain_prio_range),
};

/* WEIR_CMD_FLOW_SET - do */
static const struct nla_policy weir_flow_set_nl_policy[WEIR_A_FLOW_SOURCE + 1] = {
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

/* WEIR_CMD_FLOW_DEL - do */
static const struct nla_policy weir_flow_del_nl_policy[WEIR_A_FLOW_IFINDEX + 1] = {
	[WEIR_A_FLOW_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
};

/* WEIR_CMD_FLOW_GET - do */
static const struct nla_policy weir_flow_get_nl_policy[WEIR_A_FLOW_IFINDEX + 1] = {
	[WEIR_A_FLOW_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
};

/* WEIR_CMD_FLOW_RECORD_GET - dump */
static const struct nla_policy weir_flow_record_get_nl_policy[WEIR_A_FLOW_RECORD_BY + 1] = {
	[WEIR_A_FLOW_RECORD_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[WEIR_A_FLOW_RECORD_TOP] = NLA_POLICY_RANGE(NLA_U32, 1, WEIR_FLOW_TOP_MAX),
	[WEIR_A_FLOW_RECORD_BY] = NLA_POLICY_MAX(NLA_U32, 4),
};

/* WEIR_CMD_FILTER_ADD - do */
static const struct nla_policy weir_filter_add_nl_policy[WEIR_A_FILTER_GROUP + 1] = {
	[WEIR_A_FILTER_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[WEIR_A_FILTER_PRIO] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_filter_prio_range),
	[WEIR_A_FILTER_MATCH] = NLA_POLICY_NESTED(weir_filter_match_nl_policy),
	[WEIR_A_FILTER_FILE] = { .type = NLA_NUL_STRING, .len = WEIR_CHAIN_TEXT_MAX, },
	[WEIR_A_FILTER_COMMON] = NLA_POLICY_NESTED(weir_filter_match_nl_policy),
	[WEIR_A_FILTER_ACTION] = NLA_POLICY_RANGE(NLA_U32, 1, 6),
	[WEIR_A_FILTER_RATE] = NLA_POLICY_NESTED(weir_rate_nl_policy),
	[WEIR_A_FILTER_EACH] = { .type = NLA_FLAG, },
	[WEIR_A_FILTER_SOURCES] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_filter_sources_range),
	[WEIR_A_FILTER_DSCP] = NLA_POLICY_MAX(NLA_U32, 63),
	[WEIR_A_FILTER_TIME] = NLA_POLICY_MIN(NLA_U32, WEIR_FILTER_TIME_MIN),
	[WEIR_A_FILTER_SAMPLE] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_filter_sample_range),
	[WEIR_A_FILTER_GROUP] = { .type = NLA_U32, },
	[WEIR_A_FILTER_MORE] = { .type = NLA_FLAG, },
};

/* WEIR_CMD_FILTER_SET - do */
static const struct nla_policy weir_filter_set_nl_policy[WEIR_A_FILTER_GROUP + 1] = {
	[WEIR_A_FILTER_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[WEIR_A_FILTER_PRIO] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_filter_prio_range),
	[WEIR_A_FILTER_MATCH] = NLA_POLICY_NESTED(weir_filter_match_nl_policy),
	[WEIR_A_FILTER_FILE] = { .type = NLA_NUL_STRING, .len = WEIR_CHAIN_TEXT_MAX, },
	[WEIR_A_FILTER_COMMON] = NLA_POLICY_NESTED(weir_filter_match_nl_policy),
	[WEIR_A_FILTER_ACTION] = NLA_POLICY_RANGE(NLA_U32, 1, 6),
	[WEIR_A_FILTER_RATE] = NLA_POLICY_NESTED(weir_rate_nl_policy),
	[WEIR_A_FILTER_EACH] = { .type = NLA_FLAG, },
	[WEIR_A_FILTER_SOURCES] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_filter_sources_range),
	[WEIR_A_FILTER_DSCP] = NLA_POLICY_MAX(NLA_U32, 63),
	[WEIR_A_FILTER_TIME] = NLA_POLICY_MIN(NLA_U32, WEIR_FILTER_TIME_MIN),
	[WEIR_A_FILTER_SAMPLE] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_filter_sample_range),
	[WEIR_A_FILTER_GROUP] = { .type = NLA_U32, },
};

/* WEIR_CMD_FILTER_DEL - do */
static const struct nla_policy weir_filter_del_nl_policy[WEIR_A_FILTER_PRIO + 1] = {
	[WEIR_A_FILTER_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[WEIR_A_FILTER_PRIO] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_filter_prio_range),
};

/* WEIR_CMD_FILTER_GET - do */
static const struct nla_policy weir_filter_get_do_nl_policy[WEIR_A_FILTER_PRIO + 1] = {
	[WEIR_A_FILTER_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[WEIR_A_FILTER_PRIO] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_filter_prio_range),
};

/* WEIR_CMD_FILTER_GET - dump */
static const struct nla_policy weir_filter_get_dump_nl_policy[WEIR_A_FILTER_IFINDEX + 1] = {
	[WEIR_A_FILTER_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
};

/* WEIR_CMD_FILTER_FLUSH - do */
static const struct nla_policy weir_filter_flush_nl_policy[WEIR_A_FILTER_IFINDEX + 1] = {
	[WEIR_A_FILTER_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
};

/* WEIR_CMD_FILTER_COMMIT - do */
static const struct nla_policy weir_filter_commit_nl_policy[WEIR_A_FILTER_IFINDEX + 1] = {
	[WEIR_A_FILTER_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
};

/* WEIR_CMD_FILTER_SOURCE_GET - dump */
static const struct nla_policy weir_filter_source_get_nl_policy[WEIR_A_FILTER_SOURCE_PRIO + 1] = {
	[WEIR_A_FILTER_SOURCE_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[WEIR_A_FILTER_SOURCE_PRIO] = { .type = NLA_U32, },
};

/* WEIR_CMD_ORDER_ADD - do */
static const struct nla_policy weir_order_add_nl_policy[WEIR_A_ORDER_SCOPE_WIDTH + 1] = {
	[WEIR_A_ORDER_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[WEIR_A_ORDER_PRIO] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_order_prio_range),
	[WEIR_A_ORDER_RULE] = NLA_POLICY_NESTED(weir_trim_rule_nl_policy),
	[WEIR_A_ORDER_CPU] = { .type = NLA_U32, },
	[WEIR_A_ORDER_HOLD] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_order_hold_range),
	[WEIR_A_ORDER_PACKETS] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_order_packets_range),
	[WEIR_A_ORDER_BYTES] = { .type = NLA_UINT, },
	[WEIR_A_ORDER_FLOWS] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_order_flows_range),
	[WEIR_A_ORDER_SEQUENCE] = NLA_POLICY_MAX(NLA_U32, 3),
	[WEIR_A_ORDER_OFFSET] = NLA_POLICY_MAX(NLA_U32, WEIR_ORDER_OFFSET_MAX),
	[WEIR_A_ORDER_WIDTH] = NLA_POLICY_RANGE(NLA_U32, 8, 32),
	[WEIR_A_ORDER_SCOPE_OFFSET] = NLA_POLICY_MAX(NLA_U32, WEIR_ORDER_OFFSET_MAX),
	[WEIR_A_ORDER_SCOPE_WIDTH] = NLA_POLICY_RANGE(NLA_U32, 8, 32),
};

/* WEIR_CMD_ORDER_DEL - do */
static const struct nla_policy weir_order_del_nl_policy[WEIR_A_ORDER_PRIO + 1] = {
	[WEIR_A_ORDER_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[WEIR_A_ORDER_PRIO] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_order_prio_range),
};

/* WEIR_CMD_ORDER_GET - do */
static const struct nla_policy weir_order_get_nl_policy[WEIR_A_ORDER_PRIO + 1] = {
	[WEIR_A_ORDER_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
	[WEIR_A_ORDER_PRIO] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_order_prio_range),
};

/* WEIR_CMD_DEVICE_GET - do */
static const struct nla_policy weir_device_get_nl_policy[WEIR_A_DEVICE_IFINDEX + 1] = {
	[WEIR_A_DEVICE_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
};

/* WEIR_CMD_TRIM_CLEAR - do */
static const struct nla_policy weir_trim_clear_nl_policy[WEIR_A_TRIM_IFINDEX + 1] = {
	[WEIR_A_TRIM_IFINDEX] = NLA_POLICY_MIN(NLA_U32, 1),
};

/* Ops table for weir */
static const struct genl_split_ops weir_nl_ops[] = {
	{
		.cmd		= WEIR_CMD_JOB_ADD,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_job_add_doit,
		.post_doit	= weir_nl_post_doit,
		.policy		= weir_job_add_nl_policy,
		.maxattr	= WEIR_A_JOB_OWNER,
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
		.cmd		= WEIR_CMD_TRIM_SET,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_trim_set_doit,
		.post_doit	= weir_nl_post_doit,
		.policy		= weir_trim_set_nl_policy,
		.maxattr	= WEIR_A_TRIM_DSCP_TC,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_TRIM_DEL,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_trim_del_doit,
		.post_doit	= weir_nl_post_doit,
		.policy		= weir_trim_del_nl_policy,
		.maxattr	= WEIR_A_TRIM_DEFAULT,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_TRIM_GET,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_trim_get_doit,
		.post_doit	= weir_nl_post_doit,
		.policy		= weir_trim_get_nl_policy,
		.maxattr	= WEIR_A_TRIM_DEFAULT,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd	= WEIR_CMD_TRIM_GET,
		.dumpit	= weir_nl_trim_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= WEIR_CMD_TRIM_FLUSH,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_trim_flush_doit,
		.post_doit	= weir_nl_post_doit,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_TRIM_QUEUE_GET,
		.dumpit		= weir_nl_trim_queue_get_dumpit,
		.policy		= weir_trim_queue_get_nl_policy,
		.maxattr	= WEIR_A_TRIM_QUEUE_IFINDEX,
		.flags		= GENL_CMD_CAP_DUMP,
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
		.cmd		= WEIR_CMD_CHAIN_ADD,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_chain_add_doit,
		.post_doit	= weir_nl_post_doit,
		.policy		= weir_chain_add_nl_policy,
		.maxattr	= WEIR_A_CHAIN_SECTION,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_CHAIN_SET,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_chain_set_doit,
		.post_doit	= weir_nl_post_doit,
		.policy		= weir_chain_set_nl_policy,
		.maxattr	= WEIR_A_CHAIN_SECTION,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_CHAIN_DEL,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_chain_del_doit,
		.post_doit	= weir_nl_post_doit,
		.policy		= weir_chain_del_nl_policy,
		.maxattr	= WEIR_A_CHAIN_PRIO,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_CHAIN_GET,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_chain_get_doit,
		.post_doit	= weir_nl_post_doit,
		.policy		= weir_chain_get_nl_policy,
		.maxattr	= WEIR_A_CHAIN_PRIO,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd	= WEIR_CMD_CHAIN_GET,
		.dumpit	= weir_nl_chain_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= WEIR_CMD_CHAIN_FLUSH,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_chain_flush_doit,
		.post_doit	= weir_nl_post_doit,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_FLOW_SET,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_flow_set_doit,
		.post_doit	= weir_nl_post_doit,
		.policy		= weir_flow_set_nl_policy,
		.maxattr	= WEIR_A_FLOW_SOURCE,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_FLOW_DEL,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_flow_del_doit,
		.post_doit	= weir_nl_post_doit,
		.policy		= weir_flow_del_nl_policy,
		.maxattr	= WEIR_A_FLOW_IFINDEX,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_FLOW_GET,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_flow_get_doit,
		.post_doit	= weir_nl_post_doit,
		.policy		= weir_flow_get_nl_policy,
		.maxattr	= WEIR_A_FLOW_IFINDEX,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd	= WEIR_CMD_FLOW_GET,
		.dumpit	= weir_nl_flow_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= WEIR_CMD_FLOW_FLUSH,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_flow_flush_doit,
		.post_doit	= weir_nl_post_doit,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_FLOW_RECORD_GET,
		.dumpit		= weir_nl_flow_record_get_dumpit,
		.policy		= weir_flow_record_get_nl_policy,
		.maxattr	= WEIR_A_FLOW_RECORD_BY,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= WEIR_CMD_FLOW_LISTEN,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_flow_listen_doit,
		.post_doit	= weir_nl_post_doit,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_FILTER_ADD,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_filter_add_doit,
		.post_doit	= weir_nl_post_doit,
		.policy		= weir_filter_add_nl_policy,
		.maxattr	= WEIR_A_FILTER_GROUP,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_FILTER_SET,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_filter_set_doit,
		.post_doit	= weir_nl_post_doit,
		.policy		= weir_filter_set_nl_policy,
		.maxattr	= WEIR_A_FILTER_GROUP,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_FILTER_DEL,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_filter_del_doit,
		.post_doit	= weir_nl_post_doit,
		.policy		= weir_filter_del_nl_policy,
		.maxattr	= WEIR_A_FILTER_PRIO,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_FILTER_GET,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_filter_get_doit,
		.post_doit	= weir_nl_post_doit,
		.policy		= weir_filter_get_do_nl_policy,
		.maxattr	= WEIR_A_FILTER_PRIO,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_FILTER_GET,
		.dumpit		= weir_nl_filter_get_dumpit,
		.policy		= weir_filter_get_dump_nl_policy,
		.maxattr	= WEIR_A_FILTER_IFINDEX,
		.flags		= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= WEIR_CMD_FILTER_FLUSH,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_filter_flush_doit,
		.post_doit	= weir_nl_post_doit,
		.policy		= weir_filter_flush_nl_policy,
		.maxattr	= WEIR_A_FILTER_IFINDEX,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_FILTER_COMMIT,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_filter_commit_doit,
		.post_doit	= weir_nl_post_doit,
		.policy		= weir_filter_commit_nl_policy,
		.maxattr	= WEIR_A_FILTER_IFINDEX,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_FILTER_SOURCE_GET,
		.dumpit		= weir_nl_filter_source_get_dumpit,
		.policy		= weir_filter_source_get_nl_policy,
		.maxattr	= WEIR_A_FILTER_SOURCE_PRIO,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= WEIR_CMD_ORDER_ADD,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_order_add_doit,
		.post_doit	= weir_nl_post_doit,
		.policy		= weir_order_add_nl_policy,
		.maxattr	= WEIR_A_ORDER_SCOPE_WIDTH,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_ORDER_DEL,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_order_del_doit,
		.post_doit	= weir_nl_post_doit,
		.policy		= weir_order_del_nl_policy,
		.maxattr	= WEIR_A_ORDER_PRIO,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
	},
	{
		.cmd		= WEIR_CMD_ORDER_GET,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_order_get_doit,
		.post_doit	= weir_nl_post_doit,
		.policy		= weir_order_get_nl_policy,
		.maxattr	= WEIR_A_ORDER_PRIO,
		.flags		= GENL_CMD_CAP_DO,
	},
	{
		.cmd	= WEIR_CMD_ORDER_GET,
		.dumpit	= weir_nl_order_get_dumpit,
		.flags	= GENL_CMD_CAP_DUMP,
	},
	{
		.cmd		= WEIR_CMD_ORDER_FLUSH,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_order_flush_doit,
		.post_doit	= weir_nl_post_doit,
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
	{
		.cmd		= WEIR_CMD_TRIM_CLEAR,
		.pre_doit	= weir_nl_pre_doit,
		.doit		= weir_nl_trim_clear_doit,
		.post_doit	= weir_nl_post_doit,
		.policy		= weir_trim_clear_nl_policy,
		.maxattr	= WEIR_A_TRIM_IFINDEX,
		.flags		= GENL_ADMIN_PERM | GENL_CMD_CAP_DO,
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

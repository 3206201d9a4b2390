// SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR BSD-3-Clause)
/* Do not edit directly, auto-generated from: */
/*	Documentation/netlink/specs/weir.yaml */
/* YNL-GEN kernel source */

#include <net/netlink.h>
#include <net/genetlink.h>

#include "netlink_gen.h"

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

static const struct netlink_range_validation weir_a_source_port_range = {
	.min	= 1ULL,
	.max	= 65535ULL,
};

/* WEIR_CMD_JOB_ADD - do */
static const struct nla_policy weir_job_add_nl_policy[WEIR_A_JOB_PARENT + 1] = {
	[WEIR_A_JOB_ID] = NLA_POLICY_MAX(NLA_U32, WEIR_JOB_ID_MAX),
	[WEIR_A_JOB_FORMAT] = NLA_POLICY_RANGE(NLA_U32, 1, 1),
	[WEIR_A_JOB_DTYPE] = NLA_POLICY_RANGE(NLA_U32, 1, 4),
	[WEIR_A_JOB_OP] = NLA_POLICY_RANGE(NLA_U32, 1, 3),
	[WEIR_A_JOB_SOURCES] = NLA_POLICY_RANGE(NLA_U32, 1, WEIR_SOURCES_MAX),
	[WEIR_A_JOB_BLOCKS] = NLA_POLICY_FULL_RANGE(NLA_U32, &weir_a_job_blocks_range),
	[WEIR_A_JOB_GRADS] = NLA_POLICY_RANGE(NLA_U32, 1, WEIR_GRADS_MAX),

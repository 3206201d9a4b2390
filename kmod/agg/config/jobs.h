/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_JOBS_H
#define _WEIR_JOBS_H

#include "agg/job/job.h"
#include "agg/tree/parent.h"
#include "agg/kv/table.h"

struct netlink_ext_ack;

/* The default is never longer than a request can ask for: 32 bits of microseconds. */
static inline u64 weir_policy_dead_after(const struct weir_policy_config *policy)
{
	u64 timeout = policy->timeout ?: WEIR_TIMEOUT_DEFAULT * NSEC_PER_USEC;

	return policy->dead_after ?: min_t(u64, timeout * WEIR_DEAD_AFTER_DEFAULT,
					   U32_MAX * NSEC_PER_USEC);
}

/**
 * struct weir_job_config - a job as an administrator asks for it
 * @id: job id
 * @format: wire format
 * @settings: settings that the job keeps unchanged
 * @blocks: the block table: sources make a block complete
 * @address: the box's address for this job, IPv4 as IPv4-mapped
 * @port: UDP port that workers send to, host byte order
 * @has_group: @group is given
 * @group: multicast group for results
 * @timers: number of timers that look for blocks that have aged
 * @policy: treatment of stragglers
 * @rate: policer
 * @parent: the box that takes its sums
 * @has_parent: @parent is given
 * @kv: of format kv, the table of keys; @blocks has no size then
 */
struct weir_job_config {
	u8		id;
	struct weir_job_settings settings;
	const struct weir_format_ops *format;
	struct weir_blocks_config blocks;
	struct in6_addr	address;
	u16		port;
	bool		has_group;
	struct in6_addr	group;
	u16		timers;
	struct weir_policy_config policy;
	struct weir_rate_config rate;
	struct weir_parent_config parent;
	bool		has_parent;
	struct weir_kv_config kv;
};

struct weir_job *weir_job_add(struct weir_net *wn,
			      const struct weir_job_config *cfg,
			      struct netlink_ext_ack *extack);
const struct weir_job *weir_job_unnamed_at(const struct weir_net *wn,
					   const struct weir_format_ops *format,
					   const struct in6_addr *addr, u16 port,
					   const struct weir_job *but);
int weir_job_check_place(const struct weir_net *wn, const struct weir_format_ops *format,
			 const struct in6_addr *addr, u16 port, const struct weir_job *but,
			 struct netlink_ext_ack *extack);
int weir_job_set(struct weir_job *job, const struct in6_addr *group,
		 const struct weir_rate_config *config);
void weir_job_unpublish(struct weir_job *job);
void weir_job_free(struct weir_job *job);
void weir_job_flush(struct weir_net *wn);
void weir_job_net_flush(struct net *net);
void weir_job_set_policy(struct weir_job *job,
			 const struct weir_policy_config *policy);

#endif /* _WEIR_JOBS_H */

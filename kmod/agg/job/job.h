/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_JOB_H
#define _WEIR_JOB_H

#include <linux/in6.h>
#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/nospec.h>
#include <linux/rcupdate.h>
#include <linux/types.h>
#include <net/ipv6.h>

#include "agg/base/net.h"
#include "agg/job/join.h"
#include "core/base/rate.h"
#include "agg/job/timers.h"
#include "agg/out/dest.h"
#include "agg/slots/block.h"

struct weir_dest;
struct weir_engine;
struct weir_format_ops;
struct weir_kv_job;
struct weir_parent;
struct weir_rank_map;
struct weir_source;
struct weir_uplink;

/**
 * struct weir_policy_config - how a job treats stragglers
 * @mode: enum weir_policy
 * @quorum: contributions that a block is answered with, 0 for all
 * @timeout: ns after which a block has aged, 0 for never
 * @dead_after: ns of silence after which a source counts as dead, 0 for what
 *	goes with the timeout
 */
struct weir_policy_config {
	u8	mode;
	u16	quorum;
	u64	timeout;
	u64	dead_after;
};

/**
 * struct weir_job_settings - settings that a job keeps as they were requested
 * @order: enum weir_order; types that need no order have any
 * @owner: enum weir_owner, for those who read it
 * @byte_order: enum weir_byte_order
 */
struct weir_job_settings {
	u8	order;
	u8	owner;
	u8	byte_order;
};

/**
 * struct weir_job - one training job (Trio paper, figure 17)
 * @wn: its namespace
 * @id: job id
 * @format: wire format
 * @engine: operations on contributions
 * @settings: as requested
 * @grads: gradients a block at most (block_grad_max)
 * @memory: bytes that it has charged
 * @local: address that workers send to and results come from (out_src_addr); its port is
 *	written under the namespace's lock
 * @group: destination of the one result (out_dst_addr), NULL for one a source;
 *	written under the namespace's lock
 * @joined: workers have joined, so that the generation is one that the box has
 *	given out
 * @join: sources that wait for the next generation
 * @blocks: the block table (block_cnt_max, and src_cnt as blocks.sources)
 * @policy: treatment of stragglers; written under the namespace's lock
 * @scan: timers that look for blocks that have aged
 * @watch: the timer that tells a straggler from a dead source
 * @rate: policer, or NULL; written under the namespace's lock
 * @map: the ranks behind its sources; the identity if it does not span boxes
 * @uplink: operations towards its parent box, which do nothing if it has none
 * @parent: the box that takes its sums, or NULL
 * @kv: of format kv, what it has in place of blocks; else NULL
 * @state: the format's memory, see weir_format_ops.state, or NULL
 * @unnamed: on weir_net.unnamed, where packets say no job
 * @gone: on its way out, on weir_job_flush()'s list
 * @stats: counters; blocks completed are block_total_cnt
 * @source: by source id (src_mask), blocks.sources of them; written under the
 *	namespace's lock
 *
 * Reached through weir_net.jobs under RCU. It is unpublished, then a grace
 * period passes, then it is freed: packets in flight finish first, and no
 * reference is counted. Its timers are stopped before it is freed.
 */
struct weir_job {
	struct weir_net			*wn;
	u8				id;
	struct weir_job_settings	settings;
	u16				grads;
	const struct weir_format_ops	*format;
	const struct weir_engine	*engine;
	u64				memory;
	struct weir_local		local;
	struct weir_dest __rcu		*group;
	bool				joined;
	struct weir_join_table		join;
	struct weir_blocks		blocks;
	struct weir_policy_config	policy;
	struct weir_scan		scan;
	struct weir_watch		watch;
	struct weir_rate __rcu		*rate;
	struct weir_rank_map		*map;
	const struct weir_uplink	*uplink;
	struct weir_parent		*parent;
	struct weir_kv_job		*kv;
	void				*state;
	struct hlist_node		unnamed;
	struct list_head		gone;
	struct weir_stats __percpu	*stats;
	struct weir_source __rcu	*source[];
};

/**
 * weir_job_count() - count for a job and its namespace
 * @job: the job
 * @counter: enum weir_counter
 * @n: value to add
 *
 * Any context.
 */
static inline void weir_job_count(const struct weir_job *job,
				  unsigned int counter, u64 n)
{
	weir_count(job->wn->stats, counter, n);
	weir_count(job->stats, counter, n);
}

/**
 * weir_job_get() - find a job
 * @wn: the namespace
 * @id: job id
 *
 * Called under rcu_read_lock(), with bottom halves disabled, or under the
 * namespace's lock; the job lives as long as that is held.
 */
static inline struct weir_job *weir_job_get(struct weir_net *wn, u32 id)
{
	if (id > WEIR_JOB_ID_MAX)
		return NULL;
	return rcu_dereference_check(wn->jobs[array_index_nospec(id, WEIR_JOB_ID_MAX + 1)],
				     rcu_read_lock_bh_held() ||
				     lockdep_is_held(&wn->ns.lock));
}

#endif /* _WEIR_JOB_H */

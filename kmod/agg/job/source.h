/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_SOURCE_H
#define _WEIR_SOURCE_H

#include <linux/nospec.h>
#include <linux/siphash.h>

#include "agg/base/stats.h"
#include "agg/job/job.h"
#include "core/base/lateness.h"
#include "core/base/rate.h"
#include "agg/out/dest.h"

/**
 * struct weir_source_config - a source as an administrator binds it
 * @addr: its address, of the job's family, IPv4 as IPv4-mapped
 * @port: its UDP port, 0 for any, and for results to the job's
 * @ifindex: the device that it comes in on, 0 for any
 * @vlan: its VLAN, 0 for none, WEIR_VLAN_ANY for any
 * @rate: policer
 */
struct weir_source_config {
	struct in6_addr		addr;
	u16			port;
	int			ifindex;
	u16			vlan;
	struct weir_rate_config	rate;
};

#define WEIR_VLAN_ANY	4095

/**
 * struct weir_source - a worker of a job
 * @config: the address that may use its id
 * @dest: destination of results
 * @rate: policer
 * @stats: counters; they outlive a change of address, as the next does
 * @lateness: histogram of the delay of its contributions
 * @secret: the key of its cookies
 * @hears: it has brought back what was sent to its address, and so may be answered
 *	with more than it sends
 * @gone: on its way out, on weir_source_flush()'s list
 *
 * Reached through weir_job.source under RCU, and never changed but for @hears: a
 * new one takes its place, and the old one goes a grace period later.
 */
struct weir_source {
	struct weir_source_config	config;
	struct weir_dest		dest;
	struct weir_rate		rate;
	struct weir_stats __percpu	*stats;
	struct weir_lateness __percpu	*lateness;
	siphash_key_t			secret;
	bool				hears;
	struct list_head		gone;
};

/**
 * weir_source_hears() - test whether a source is where its address says
 * @source: the source
 *
 * Any context.
 */
static inline bool weir_source_hears(const struct weir_source *source)
{
	return READ_ONCE(source->hears);
}

/**
 * weir_source_get() - find a source of a job
 * @job: the job
 * @id: source id
 *
 * Called under rcu_read_lock(), with bottom halves disabled, or under the
 * namespace's lock; the source lives as long as that is held.
 */
static inline struct weir_source *weir_source_get(const struct weir_job *job,
						  u32 id)
{
	if (id >= job->blocks.sources)
		return NULL;
	return rcu_dereference_check(job->source[array_index_nospec(id, job->blocks.sources)],
				     rcu_read_lock_bh_held() ||
				     lockdep_is_held(&job->wn->ns.lock));
}

/**
 * weir_source_cookie() - the number that a source brings to show that it hears
 * @source: the source
 * @port: UDP port that its join came from
 * @nonce: the number in it
 *
 * Any context. No host knows the cookie but the one that it was sent to, as @source's secret
 * stays in the box; and no table has to remember the address that it was sent to.
 */
static inline u64 weir_source_cookie(const struct weir_source *source, u16 port, u32 nonce)
{
	return siphash_2u32(nonce, port, &source->secret);
}

#endif /* _WEIR_SOURCE_H */

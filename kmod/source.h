/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_SOURCE_H
#define _WEIR_SOURCE_H

#include "dest.h"
#include "job.h"
#include "stats.h"

/**
 * struct weir_source - a worker of a job
 * @dest: its address, which alone may use its id, and where results go
 * @stats: counters; they outlive a change of address
 *
 * Reached through weir_job.source under RCU, and never changed: a new one
 * takes its place, and the old one goes a grace period later.
 */
struct weir_source {
	struct weir_dest		dest;
	struct weir_stats __percpu	*stats;
};

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
	return rcu_dereference_check(job->source[id],
				     rcu_read_lock_bh_held() ||
				     lockdep_is_held(&job->wn->lock));
}

int weir_source_bind(struct weir_job *job, u32 id, const struct in6_addr *addr,
		     u16 port);
void weir_source_unbind(struct weir_job *job, u32 id);
void weir_source_flush(struct weir_job *job);
void weir_source_free(struct weir_source *source);
bool weir_source_taken(const struct weir_job *job,
		       const struct in6_addr *addr, u16 port, u32 *id);

#endif /* _WEIR_SOURCE_H */

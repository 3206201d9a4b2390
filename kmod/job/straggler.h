/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_STRAGGLER_H
#define _WEIR_STRAGGLER_H

#include <linux/atomic.h>
#include <linux/hrtimer.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <uapi/weir.h>

struct weir_job;

/**
 * struct weir_watched - what is known of a source's habits
 * @straggles: blocks that timed out without it, ever
 * @seen: @straggles at the end of the last period
 * @heard: a packet of it has come in this period
 * @retained: a block was refused in this period, as the result before it in its
 *	slot is retained for the source
 * @state: enum weir_source_state
 */
struct weir_watched {
	atomic_t	straggles;
	u32		seen;
	bool		heard;
	bool		retained;
	u8		state;
};

/**
 * struct weir_watch - the slow timer of a job
 * @timer: runs while some source is missed, or not active
 * @job: the job
 * @period: dead-after, ns
 * @exclude: do not wait for the dead
 * @armed: it runs, or is about to
 * @told: the last notice told of somebody who was gone
 * @inactive: some source was not active when it came by last
 * @lock: guards what is judged; taken with bottom halves disabled
 * @watched: by source id
 */
struct weir_watch {
	struct hrtimer		timer;
	struct weir_job		*job;
	u64			period;
	bool			exclude;
	int			armed;
	bool			told;
	bool			inactive;
	spinlock_t		lock;	/* state and seen of @watched */
	struct weir_watched	*watched;
};

int weir_straggler_init(struct weir_job *job, u64 period, bool exclude);
void weir_straggler_uninit(struct weir_watch *watch);
void weir_straggler_set(struct weir_job *job, u64 period, bool exclude);
void weir_straggler_heard(struct weir_job *job, unsigned int source);
void weir_straggler_missing(struct weir_job *job, const unsigned long *missing);
void weir_straggler_retained(struct weir_job *job, u32 seq);
void weir_straggler_bound(struct weir_job *job, unsigned int source);
void weir_straggler_unbound(struct weir_job *job, unsigned int source);
bool weir_straggler_joined(struct weir_job *job, unsigned int source);
void weir_straggler_back(struct weir_job *job, const unsigned long *back);

/**
 * weir_straggler_is_gone() - is nothing retained for a source?
 * @state: enum weir_source_state
 */
static inline bool weir_straggler_is_gone(u8 state)
{
	return state == WEIR_SOURCE_STATE_DEAD ||
	       state == WEIR_SOURCE_STATE_EXCLUDED;
}

#endif /* _WEIR_STRAGGLER_H */

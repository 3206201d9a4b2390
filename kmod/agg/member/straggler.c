// SPDX-License-Identifier: GPL-2.0
/*
 * Find the sources that lag, and those that are gone: the second, slower kind of timer of
 * the Trio paper's section 5. It looks at how often blocks have timed out
 * without a source since its last visit, and whether a packet of the source has
 * come meanwhile.
 */
#include <linux/bitmap.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/slab.h>

#include "core/base/compat.h"
#include "agg/base/notify.h"
#include "agg/job/job.h"
#include "agg/job/job_trace.h"
#include "agg/member/notice.h"
#include "agg/job/source.h"
#include "agg/member/straggler.h"

/* Number of times to report that no source is gone any longer: a notice may be lost. */
#define WEIR_WATCH_TOLD		4

/* Slots that one visit looks at, and the time until the next visit goes on with them, ns. */
#define WEIR_WATCH_SLOTS	1024
#define WEIR_WATCH_PAUSE	(100 * NSEC_PER_USEC)

static void weir_watch_arm(struct weir_watch *watch)
{
	if (READ_ONCE(watch->armed) || xchg(&watch->armed, 1))
		return;
	hrtimer_start(&watch->timer, ns_to_ktime(READ_ONCE(watch->period)),
		      HRTIMER_MODE_REL_SOFT);
}

/*
 * The sources that blocks which have timed out still wait for. Such a block does not
 * time out again, so that no counter tells of it; and a block that has not timed out
 * yet says nothing of sources that lag.
 *
 * Return: whether all slots have been looked at. If not, the timer comes again soon.
 */
static bool weir_straggler_awaited(struct weir_job *job)
{
	struct weir_blocks *blocks = &job->blocks;
	struct weir_watch *watch = &job->watch;
	u32 end = min(watch->next + WEIR_WATCH_SLOTS, blocks->size);

	for (; watch->next < end; watch->next++)
		weir_block_awaited(blocks, weir_blocks_slot(blocks, watch->next), watch->awaited);
	if (end < blocks->size)
		return false;
	watch->next = 0;
	return true;
}

/*
 * The state of a source after a period. @awaited: blocks that have timed out at any time
 * wait for it. @retained: a result is retained for it. @missing: it is missing in blocks that have
 * timed out since, or blocks do not wait for it.
 *
 *                  heard of              silent
 *                  lagging    else       lagging  else
 *     active       straggler  active     dead     active
 *     straggler    straggler  active     dead     active
 *     dead         straggler  active     dead     dead
 *     excluded     excluded, until it joins
 *
 * Lagging is a source that was missing, that blocks do not wait for as it was missing before, or
 * that is silent while a result that is retained for it is in a block's way; once it is not active,
 * also one that an older block still waits for. With exclusion the state that would be dead is
 * excluded.
 */
static u8 weir_straggler_judge(u8 state, bool heard, bool awaited,
			       bool retained, bool missing)
{
	bool lagging = missing || (retained && !heard);

	if (state == WEIR_SOURCE_STATE_EXCLUDED ||
	    (state == WEIR_SOURCE_STATE_DEAD && !heard))
		return state;
	/* Where no block waits for it, all the other sources may be silent too. */
	if (!lagging && state != WEIR_SOURCE_STATE_ACTIVE)
		lagging = awaited;
	if (!lagging)
		return WEIR_SOURCE_STATE_ACTIVE;
	return heard ? WEIR_SOURCE_STATE_STRAGGLER : WEIR_SOURCE_STATE_DEAD;
}

static void weir_straggler_tell(struct weir_job *job, unsigned int source,
				u8 state, u32 straggles)
{
	static const u8 events[] = {
		[WEIR_SOURCE_STATE_ACTIVE]	= WEIR_EVENT_RECOVERED,
		[WEIR_SOURCE_STATE_STRAGGLER]	= WEIR_EVENT_STRAGGLER,
		[WEIR_SOURCE_STATE_DEAD]	= WEIR_EVENT_DEAD,
		[WEIR_SOURCE_STATE_EXCLUDED]	= WEIR_EVENT_DEAD,
		[WEIR_SOURCE_STATE_BEHIND]	= WEIR_EVENT_BEHIND,
	};

	trace_weir_source_state(job, source, state, straggles);
	weir_notify->source(job, events[state], source, straggles);
}

/* Returns whether that is new. */
static bool weir_straggler_become(struct weir_job *job, unsigned int source,
				  u8 state)
{
	struct weir_watched *w = &job->watch.watched[source];

	lockdep_assert_held(&job->watch.lock);

	if (w->state == state)
		return false;
	WRITE_ONCE(w->state, state);
	if (weir_source_is_gone(state))
		weir_retention_leave(&job->blocks.retention, source);
	else if (weir_source_get(job, source))
		weir_retention_return(&job->blocks.retention, source);
	if (state == WEIR_SOURCE_STATE_EXCLUDED)
		set_bit(source, job->blocks.excluded);
	else
		clear_bit(source, job->blocks.excluded);
	return true;
}

/* Returns the source's state. */
static u8 weir_straggler_look(struct weir_job *job, unsigned int source,
			      bool awaited)
{
	struct weir_watched *w = &job->watch.watched[source];
	u32 straggles;
	bool changed, lagging;
	u8 state;

	spin_lock(&job->watch.lock);
	straggles = atomic_read(&w->straggles) - w->seen;
	w->seen += straggles;
	lagging = straggles || test_bit(source, job->blocks.retention.stragglers);
	state = weir_straggler_judge(w->state, xchg(&w->heard, false), awaited,
				     xchg(&w->retained, false), lagging);
	if (state == WEIR_SOURCE_STATE_DEAD && READ_ONCE(job->watch.exclude))
		state = WEIR_SOURCE_STATE_EXCLUDED;
	changed = weir_straggler_become(job, source, state);
	spin_unlock(&job->watch.lock);
	if (changed)
		weir_straggler_tell(job, source, state, straggles);
	return state;
}

static enum hrtimer_restart weir_straggler_visit(struct hrtimer *timer)
{
	struct weir_watch *watch = container_of(timer, struct weir_watch,
						timer);
	struct weir_job *job = watch->job;
	bool inactive = false, gone = false;
	unsigned int i;
	u8 state;

	/* It stays armed while it looks: a block that misses a source must not put it off. */
	if (watch->inactive && !weir_straggler_awaited(job)) {
		hrtimer_start(timer, ns_to_ktime(WEIR_WATCH_PAUSE), HRTIMER_MODE_REL_SOFT);
		return HRTIMER_NORESTART;
	}
	/* A block that misses a source from now on arms it again. */
	smp_store_mb(watch->armed, 0);
	for (i = 0; i < job->blocks.sources; i++) {
		state = weir_straggler_look(job, i, test_bit(i, watch->awaited));
		inactive |= state != WEIR_SOURCE_STATE_ACTIVE;
		gone |= weir_source_is_gone(state);
	}
	bitmap_zero(watch->awaited, WEIR_SOURCES_MAX);
	if (gone || watch->told) {
		weir_notice_all(job);
		weir_notice_up(job);
	}
	watch->told = gone ? WEIR_WATCH_TOLD : watch->told - !!watch->told;
	watch->inactive = inactive;
	if (inactive || watch->told)
		weir_watch_arm(watch);
	return HRTIMER_NORESTART;
}

/**
 * weir_straggler_init() - watch a job's sources
 * @job: the job, its sources' number set
 * @period: ns of silence after which a source that is missed counts as dead
 * @exclude: let blocks be complete without it then
 *
 * Return: 0 or -ENOMEM.
 */
int weir_straggler_init(struct weir_job *job, u64 period, bool exclude)
{
	struct weir_watch *watch = &job->watch;
	unsigned int i, n = job->blocks.sources;

	watch->watched = kcalloc(n, sizeof(*watch->watched),
				 GFP_KERNEL_ACCOUNT);
	if (!watch->watched)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		watch->watched[i].state = WEIR_SOURCE_STATE_ACTIVE;
	spin_lock_init(&watch->lock);
	watch->job = job;
	watch->period = period;
	watch->exclude = exclude;
	hrtimer_setup(&watch->timer, weir_straggler_visit, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_SOFT);
	return 0;
}

/**
 * weir_straggler_uninit() - stop watching
 * @watch: of a job whose other timers have been stopped
 *
 * Sleeps until the timer, where it is under way, has ended.
 */
void weir_straggler_uninit(struct weir_watch *watch)
{
	if (!watch->watched)
		return;
	hrtimer_cancel(&watch->timer);
	kfree(watch->watched);
}

/**
 * weir_straggler_set() - watch otherwise
 * @job: the job, its namespace's lock held
 * @period: as for weir_straggler_init(); counts from the next period on
 * @exclude: as for weir_straggler_init(); counts from the next period on. An excluded source
 *	stays so until the next generation
 */
void weir_straggler_set(struct weir_job *job, u64 period, bool exclude)
{
	lockdep_assert_held(&job->wn->ns.lock);

	WRITE_ONCE(job->watch.period, period);
	WRITE_ONCE(job->watch.exclude, exclude);
}

/**
 * weir_straggler_heard() - a packet of a source has come
 * @job: the job
 * @source: source id
 *
 * Called with bottom halves disabled, for every packet.
 */
void weir_straggler_heard(struct weir_job *job, unsigned int source)
{
	struct weir_watched *w = &job->watch.watched[source];

	if (likely(READ_ONCE(w->heard)))
		return;
	WRITE_ONCE(w->heard, true);
}

/**
 * weir_straggler_missing() - a block has timed out
 * @job: the job
 * @missing: bitmap of the sources that are not in it
 *
 * Called with bottom halves disabled.
 */
void weir_straggler_missing(struct weir_job *job, const unsigned long *missing)
{
	struct weir_source *source;
	unsigned int i;

	for_each_set_bit(i, missing, job->blocks.sources) {
		atomic_inc(&job->watch.watched[i].straggles);
		weir_job_count(job, WEIR_C_STRAGGLES, 1);
		source = weir_source_get(job, i);
		if (source)
			weir_count(source->stats, WEIR_C_STRAGGLES, 1);
	}
	weir_watch_arm(&job->watch);
}

/**
 * weir_straggler_retained() - a block was refused as its slot retains a result
 * @job: the job
 * @seq: sequence number of the block whose result is retained
 *
 * Called with bottom halves disabled. The sources that it is retained for are awaited,
 * though there may be no block open that could time out.
 */
void weir_straggler_retained(struct weir_job *job, u32 seq)
{
	struct weir_retention *ret = &job->blocks.retention;
	unsigned int i;

	for (i = 0; i < job->blocks.sources; i++)
		if (!test_bit(i, ret->absent) && !test_bit(i, ret->behind) &&
		    !weir_retention_has(ret, i, seq))
			WRITE_ONCE(job->watch.watched[i].retained, true);
	weir_watch_arm(&job->watch);
}

/**
 * weir_straggler_behind() - report the sources that an evicted result has left behind
 * @job: the job
 *
 * Called with bottom halves disabled and no lock held, after a result was evicted.
 */
void weir_straggler_behind(struct weir_job *job)
{
	struct weir_source *source;
	unsigned int i;

	for_each_set_bit(i, job->blocks.retention.behind, job->blocks.sources) {
		if (!weir_retention_report(&job->blocks.retention, i))
			continue;
		weir_job_count(job, WEIR_C_BEHIND, 1);
		source = weir_source_get(job, i);
		if (source)
			weir_count(source->stats, WEIR_C_BEHIND, 1);
		weir_straggler_tell(job, i, WEIR_SOURCE_STATE_BEHIND, 0);
	}
}

/**
 * weir_straggler_state() - get the state of a source
 * @job: the job
 * @source: source id
 *
 * Any context. Return: enum weir_source_state.
 */
u8 weir_straggler_state(const struct weir_job *job, unsigned int source)
{
	u8 state = READ_ONCE(job->watch.watched[source].state);

	if (!weir_source_is_gone(state) && test_bit(source, job->blocks.retention.behind))
		return WEIR_SOURCE_STATE_BEHIND;
	return state;
}

/**
 * weir_straggler_bound() - a source has got an address
 * @job: the job, its namespace's lock held
 * @source: source id
 */
void weir_straggler_bound(struct weir_job *job, unsigned int source)
{
	lockdep_assert_held(&job->wn->ns.lock);

	if (!weir_source_is_gone(READ_ONCE(job->watch.watched[source].state)))
		weir_retention_return(&job->blocks.retention, source);
}

/**
 * weir_straggler_unbound() - a source has lost its address
 * @job: the job, its namespace's lock held
 * @source: source id
 *
 * Nothing can be heard of it, so nothing is retained for it.
 */
void weir_straggler_unbound(struct weir_job *job, unsigned int source)
{
	lockdep_assert_held(&job->wn->ns.lock);

	weir_retention_leave(&job->blocks.retention, source);
}

/**
 * weir_straggler_joined() - a source is in the generation that is about to begin
 * @job: the job
 * @source: source id
 *
 * Called with bottom halves disabled. If it was dead or excluded, it is back.
 *
 * Return: whether it was a straggler or gone, which weir_straggler_back() is to tell.
 */
bool weir_straggler_joined(struct weir_job *job, unsigned int source)
{
	struct weir_watched *w = &job->watch.watched[source];
	bool changed;

	spin_lock(&job->watch.lock);
	changed = weir_straggler_become(job, source, WEIR_SOURCE_STATE_ACTIVE);
	w->seen = atomic_read(&w->straggles);
	WRITE_ONCE(w->heard, true);
	spin_unlock(&job->watch.lock);
	return changed;
}

/**
 * weir_straggler_back() - tell of sources that a generation has brought back
 * @job: the job
 * @back: bitmap of them
 *
 * Called with bottom halves disabled and no lock held.
 */
void weir_straggler_back(struct weir_job *job, const unsigned long *back)
{
	unsigned int i;

	for_each_set_bit(i, back, job->blocks.sources)
		weir_straggler_tell(job, i, WEIR_SOURCE_STATE_ACTIVE, 0);
}

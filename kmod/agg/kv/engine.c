// SPDX-License-Identifier: GPL-2.0
/*
 * A job of format kv: its memory, its runs, and what makes it go on: a packet, an acknowledgment,
 * or the timer.
 */
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "core/base/compat.h"
#include "agg/job/engine.h"
#include "agg/job/job.h"
#include "agg/kv/engine.h"
#include "agg/kv/value.h"
#include "agg/slots/pool.h"

/* Period of the timer, ns: during a sweep, while packets are to be sent, and otherwise. */
#define WEIR_KV_TICK_SWEEP	NSEC_PER_MSEC
#define WEIR_KV_TICK		(5 * NSEC_PER_MSEC)
#define WEIR_KV_TICK_IDLE	(100 * NSEC_PER_MSEC)

/*
 * Buckets that a sweep looks at before it drops the lock, for one packet, and for one visit of the
 * timer: a packet costs little more while there is a sweep, and a sweep goes on without packets.
 */
#define WEIR_KV_SWEEP_PIECE	64
#define WEIR_KV_SWEEP_PACKET	64
#define WEIR_KV_SWEEP_VISIT	1024

/**
 * weir_kv_begin() - a run begins, and the one before is over or void
 * @kv: the job's engine, its lock held
 * @size: bytes of pairs that a packet out has room for
 *
 * Packets that are in the middle of being taken are of the old run, and bring nothing into the new
 * one: buckets and outbox look at the number.
 */
void weir_kv_begin(struct weir_kv_job *kv, u32 size)
{
	lockdep_assert_held(&kv->lock);

	if (kv->done)
		WRITE_ONCE(kv->done_run, kv->run);
	WRITE_ONCE(kv->run, kv->run + 1);
	WRITE_ONCE(kv->done, false);
	WRITE_ONCE(kv->hops, 0);
	kv->opened = 0;
	kv->ended = 0;
	kv->sealed = false;
	WRITE_ONCE(kv->sweep.is, false);
	kv->sweep.again = 0;
	kv->above.state = WEIR_KV_CLOSED;
	kv->above.hops_due = false;
	kv->above.said = 0;
	kv->above.heard = 0;
	weir_kv_table_begin(&kv->table, kv->run);
	weir_kv_outbox_begin(&kv->out, kv->run, size);
}

/*
 * A sweep begins. Where one is under way, it goes on from where it is, once around the table: keys
 * that have come behind it are found, and packets that ask for sweeps again and again cannot keep
 * it at the beginning.
 */
static void weir_kv_sweep_begin(struct weir_kv_job *kv, bool rested)
{
	struct weir_kv_sweep *sweep = &kv->sweep;

	lockdep_assert_held(&kv->lock);

	if (!sweep->is)
		hrtimer_start(&kv->timer, ns_to_ktime(WEIR_KV_TICK_SWEEP), HRTIMER_MODE_REL_SOFT);
	sweep->walk.left = kv->table.buckets;
	sweep->rested = rested;
	WRITE_ONCE(sweep->is, true);
	weir_job_count(kv->job, WEIR_C_KV_FLUSHES, 1);
}

/**
 * weir_kv_collect() - all that the table holds is to go to the receiver
 * @kv: the job's engine
 *
 * Softirq, or with bottom halves disabled.
 */
void weir_kv_collect(struct weir_kv_job *kv)
{
	spin_lock(&kv->lock);
	if (!kv->done)
		weir_kv_sweep_begin(kv, false);
	spin_unlock(&kv->lock);
}

/**
 * weir_kv_end() - a stream of the run has ended
 * @kv: the job's engine, its lock held
 */
void weir_kv_end(struct weir_kv_job *kv)
{
	lockdep_assert_held(&kv->lock);

	if (++kv->ended == kv->job->blocks.sources)
		weir_kv_sweep_begin(kv, false);
}

/*
 * One piece of the table goes into the outbox. Returns how many buckets were looked at, 0 if there
 * is no sweep, or no room.
 */
static u32 weir_kv_sweep_piece(struct weir_kv_job *kv)
{
	struct weir_kv_sweep *sweep = &kv->sweep;
	struct weir_kv_spill spill = { .at = sweep->spill, .size = sizeof(sweep->spill) };
	u32 looked;

	lockdep_assert_held(&kv->lock);

	if (!sweep->is || !weir_kv_outbox_reserve(&kv->out, spill.size))
		return 0;
	looked = weir_kv_table_sweep(&kv->table, kv->run, &sweep->walk, WEIR_KV_SWEEP_PIECE,
				     sweep->rested, &spill);
	weir_kv_outbox_put(&kv->out, kv->run, &spill, spill.size);
	if (sweep->walk.left)
		return looked;
	WRITE_ONCE(sweep->is, false);
	kv->sealed = !sweep->rested && kv->ended == kv->job->blocks.sources;
	weir_kv_outbox_seal(&kv->out, kv->run, kv->sealed);
	return 0;
}

static void weir_kv_sweep_rested(struct weir_kv_job *kv, u64 now)
{
	u64 timeout = READ_ONCE(kv->job->policy.timeout);

	if (!timeout || kv->done || kv->sealed || kv->sweep.is || now < kv->sweep.again)
		return;
	if (kv->sweep.again)
		weir_kv_sweep_begin(kv, true);
	kv->sweep.again = now + timeout;
}

/*
 * Moves a sweep on by so many @buckets, or some more. Returns whether it is to go on soon: not if
 * it waits for room.
 */
static bool weir_kv_sweep(struct weir_kv_job *kv, u32 buckets, u64 now)
{
	u32 looked, done = 0;

	spin_lock(&kv->lock);
	weir_kv_sweep_rested(kv, now);
	spin_unlock(&kv->lock);
	do {
		spin_lock(&kv->lock);
		looked = weir_kv_sweep_piece(kv);
		spin_unlock(&kv->lock);
		done += looked;
	} while (looked && done < buckets);
	return looked;
}

static u64 weir_kv_tick(struct weir_kv_job *kv, bool sweeps)
{
	if (sweeps)
		return WEIR_KV_TICK_SWEEP;
	return READ_ONCE(kv->sweep.is) || !weir_kv_outbox_empty(&kv->out) ? WEIR_KV_TICK :
									    WEIR_KV_TICK_IDLE;
}

/* Sends what can be sent, after a sweep was moved on by so many @buckets, and comes again. */
static void weir_kv_go_on(struct weir_kv_job *kv, u32 buckets, u64 now)
{
	bool sweeps = false;

	if (READ_ONCE(kv->done))
		return;
	if (READ_ONCE(kv->sweep.is) || READ_ONCE(kv->job->policy.timeout))
		sweeps = weir_kv_sweep(kv, buckets, now);
	weir_kv_above_send(kv, now);
	if (!hrtimer_is_queued(&kv->timer))
		hrtimer_start(&kv->timer, ns_to_ktime(weir_kv_tick(kv, sweeps)),
			      HRTIMER_MODE_REL_SOFT);
}

/**
 * weir_kv_pump() - a packet has come: send what can be sent, and come again
 * @kv: the job's engine
 * @now: time, ns of the monotonic clock
 *
 * Called under RCU with bottom halves disabled and no lock held.
 */
void weir_kv_pump(struct weir_kv_job *kv, u64 now)
{
	weir_kv_go_on(kv, WEIR_KV_SWEEP_PACKET, now);
}

static enum hrtimer_restart weir_kv_visit(struct hrtimer *timer)
{
	struct weir_kv_job *kv = container_of(timer, struct weir_kv_job, timer);

	weir_kv_go_on(kv, WEIR_KV_SWEEP_VISIT, ktime_get_ns());
	return HRTIMER_NORESTART;
}

static int weir_kv_fill_streams(struct weir_kv_job *kv, u32 sources)
{
	u32 i;

	kv->stream = kvcalloc(sources, sizeof(*kv->stream), WEIR_POOL_GFP);
	if (!kv->stream)
		return -ENOMEM;
	for (i = 0; i < sources; i++)
		spin_lock_init(&kv->stream[i].lock);
	return 0;
}

static u64 weir_kv_bytes(const struct weir_engine_config *config)
{
	return weir_kv_table_bytes(config->kv) + weir_kv_outbox_bytes() +
	       sizeof(struct weir_kv_job) +
	       (u64)config->blocks->sources * sizeof(struct weir_kv_stream);
}

static int weir_kv_init(struct weir_job *job, const struct weir_engine_config *config)
{
	struct weir_kv_job *kv;
	int err;

	/* Without slots, for what is the same with all engines: sources and generations. */
	err = weir_blocks_init(&job->blocks, config->blocks);
	if (err)
		return err;
	kv = kvzalloc(sizeof(*kv), WEIR_POOL_GFP);
	if (!kv)
		return -ENOMEM;
	job->kv = kv;
	kv->job = job;
	kv->done = true;
	spin_lock_init(&kv->lock);
	hrtimer_setup(&kv->timer, weir_kv_visit, CLOCK_MONOTONIC, HRTIMER_MODE_REL_SOFT);
	return weir_kv_outbox_init(&kv->out, weir_kv_width(config->kv->dtype)) ?:
	       weir_kv_table_init(&kv->table, config->kv) ?:
	       weir_kv_fill_streams(kv, job->blocks.sources);
}

static void weir_kv_free(struct weir_job *job)
{
	struct weir_kv_job *kv = job->kv;

	if (!kv)
		return;
	hrtimer_cancel(&kv->timer);
	kvfree(kv->stream);
	weir_kv_table_uninit(&kv->table);
	weir_kv_outbox_uninit(&kv->out);
	kvfree(kv);
}

const struct weir_engine weir_engine_kv = {
	.bytes		= weir_kv_bytes,
	.init		= weir_kv_init,
	.free		= weir_kv_free,
	.check_shape	= weir_kv_check_shape,
	.take		= weir_kv_take,
	.check_down	= weir_kv_check_down,
	.down		= weir_kv_down,
};

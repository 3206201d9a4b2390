/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_TIMERS_H
#define _WEIR_TIMERS_H

/* A job's timers: the fast ones that scan its blocks, and the slow one that watches its sources. */
#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/hrtimer.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <uapi/weir.h>

struct weir_job;

/**
 * struct weir_scanner - a timer with its share of a job's slots
 * @timer: pinned to the CPU that opened the first block of the share
 * @job: the job
 * @phase: ns into each period
 * @first: its first slot
 * @end: the slot behind its last one
 * @next: the slot at which it continues after a visit that had too much to do; @first if a
 *	round begins
 * @seen: @opened as the round began
 * @due: time at which the next block is due, of those that the round has visited
 * @opened: blocks opened in its slots since the job began; a timer that stops compares it
 *	with @seen and so finds blocks that were opened while it looked
 * @armed: it runs, or is about to
 * @hurry: it is to begin a round at once, as a result was left unsent
 */
struct weir_scanner {
	struct hrtimer		timer;
	struct weir_job		*job;
	u64			phase;
	u32			first;
	u32			end;
	u32			next;
	int			seen;
	u64			due;
	atomic_t		opened;
	int			armed;
	int			hurry;
} ____cacheline_aligned_in_smp;

/**
 * struct weir_scan - all of a job's timers
 * @n: number of timers
 * @shift: binary logarithm of the table's size
 * @timeout: ns after which a block has aged, 0 for never
 * @answer: answer a block that has aged
 * @look: a bit for each slot that a timer has to look at: all slots with open blocks, and slots
 *	whose blocks were open at the last look
 * @scanner: the timers
 */
struct weir_scan {
	unsigned int		n;
	unsigned int		shift;
	u64			timeout;
	bool			answer;
	unsigned long		*look;
	struct weir_scanner	*scanner;
};

/**
 * weir_scan_answers_after() - when a block is answered without the sources that are missing
 * @scan: the job's timers
 *
 * Return: ns after its first contribution; 0 for never.
 */
static inline u64 weir_scan_answers_after(const struct weir_scan *scan)
{
	return READ_ONCE(scan->answer) ? READ_ONCE(scan->timeout) : 0;
}

/**
 * struct weir_watched - whether a source keeps up
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
 * @exclude: blocks do not wait for dead sources
 * @armed: it runs, or is about to
 * @told: number of reports still to be sent that no source is gone
 * @inactive: some source was not active when it came by last
 * @next: the slot to look at next, of a look at all of them that takes several visits; 0 before it
 * @awaited: sources that the slots before @next wait for
 * @lock: guards judgements; taken with bottom halves disabled
 * @watched: by source id
 */
struct weir_watch {
	struct hrtimer		timer;
	struct weir_job		*job;
	u64			period;
	bool			exclude;
	int			armed;
	u8			told;
	bool			inactive;
	u32			next;
	DECLARE_BITMAP(awaited, WEIR_SOURCES_MAX);
	spinlock_t		lock;	/* state and seen of @watched */
	struct weir_watched	*watched;
};

/**
 * weir_source_is_gone() - test whether nothing is retained for a source
 * @state: enum weir_source_state
 */
static inline bool weir_source_is_gone(u8 state)
{
	return state == WEIR_SOURCE_STATE_DEAD ||
	       state == WEIR_SOURCE_STATE_EXCLUDED;
}

#endif /* _WEIR_TIMERS_H */

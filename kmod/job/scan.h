/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_SCAN_H
#define _WEIR_SCAN_H

#include <linux/atomic.h>
#include <linux/hrtimer.h>
#include <linux/types.h>

struct weir_job;

/**
 * struct weir_scanner - a timer with its share of a job's slots
 * @timer: pinned to the CPU that opened the first block of the share
 * @job: the job
 * @phase: ns into each period
 * @first: its first slot
 * @end: the slot behind its last one
 * @next: where it goes on, after a round that had too much to answer
 * @opened: blocks opened in its slots, ever; so that a timer that stops sees
 *	what was opened while it looked
 * @armed: it runs, or is about to
 * @hurry: it is to come by at once, as a result was left unsent
 */
struct weir_scanner {
	struct hrtimer		timer;
	struct weir_job		*job;
	u64			phase;
	u32			first;
	u32			end;
	u32			next;
	atomic_t		opened;
	int			armed;
	int			hurry;
} ____cacheline_aligned_in_smp;

/**
 * struct weir_scan - all of a job's timers
 * @n: how many
 * @shift: binary logarithm of the table's size
 * @timeout: ns after which a block has aged, 0 for never
 * @answer: answer a block that has aged
 * @scanner: the timers
 */
struct weir_scan {
	unsigned int		n;
	unsigned int		shift;
	u64			timeout;
	bool			answer;
	struct weir_scanner	*scanner;
};

int weir_scan_init(struct weir_job *job, unsigned int n, u64 timeout,
		   bool answer);
void weir_scan_uninit(struct weir_scan *scan);
void weir_scan_set(struct weir_job *job, u64 timeout, bool answer);
void weir_scan_unsent(struct weir_job *job, u32 slot);
void weir_scan_opened(struct weir_job *job, u32 slot);

#endif /* _WEIR_SCAN_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * Timers that look for blocks that have aged (Trio paper, section 5).
 *
 * As there, N timers have a share of the slots each and phases timeout / N
 * apart. The paper's timer comes once a timeout and marks each block; a mark that
 * it finds again at its next visit tells that the block has aged, after up to two
 * timeouts. A block here knows when it began: the timer comes at the first of its
 * sixteenths of the timeout at which a block of its share may be due, and not at
 * all while none is open. It looks only at slots in which a block was opened since its last
 * visit or was still open then: most slots of a table retain results.
 */
#include <linux/bitmap.h>
#include <linux/ktime.h>
#include <linux/log2.h>
#include <linux/math.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/slab.h>

#include "core/base/compat.h"
#include "agg/job/job.h"
#include "agg/job/job_trace.h"
#include "agg/tx/merged.h"
#include "agg/engine/result.h"
#include "agg/engine/scan.h"
#include "agg/member/straggler.h"

/* Parts of a timeout in which a timer comes by at most once. */
#define WEIR_SCAN_PARTS		16

/*
 * Blocks that one visit answers at most, and packets that it sends for them: each block
 * is one to every source. Packets that arrive meanwhile wait behind them, and the queues
 * of devices that the same CPU empties, as veth's, do not hold many.
 */
#define WEIR_SCAN_ANSWERS	16
#define WEIR_SCAN_PACKETS	256

/* Slots that one visit looks at, at most: a job may have few timers for many open blocks. */
#define WEIR_SCAN_SLOTS		1024

/* Parts are never shorter, ns: a timer costs as much as some packets. */
#define WEIR_SCAN_PART_MIN	(10 * NSEC_PER_USEC)

static u64 weir_scan_part(u64 timeout)
{
	return max_t(u64, div_u64(timeout, WEIR_SCAN_PARTS),
		     WEIR_SCAN_PART_MIN);
}

static u32 weir_scan_answers(const struct weir_job *job)
{
	return clamp_t(u32, WEIR_SCAN_PACKETS / weir_result_receivers(job), 1,
		       WEIR_SCAN_ANSWERS);
}

/* The first of a scanner's points in time that is not before @due. */
static u64 weir_scan_point(const struct weir_scanner *scanner, u64 part, u64 due)
{
	u64 phase = READ_ONCE(scanner->phase), past = due - phase + part - 1;
	u64 rest;

	div64_u64_rem(past, part, &rest);
	return phase + past - rest;
}

static void weir_scan_start(struct weir_scanner *scanner, u64 at)
{
	hrtimer_start(&scanner->timer, ns_to_ktime(at),
		      HRTIMER_MODE_ABS_PINNED_SOFT);
}

/* Counts for the job alone: no port or packet is the cause. */
static void weir_scan_aged(struct weir_job *job, const struct weir_result *res,
			   u64 now)
{
	DECLARE_BITMAP(missing, WEIR_SOURCES_MAX);

	weir_block_missing(&job->blocks, res, missing);
	weir_job_count(job, WEIR_C_AGED, 1);
	weir_straggler_missing(job, missing);
	trace_weir_aged(job, res, missing, now - res->start);
}

/**
 * struct weir_round - one visit of a timer
 * @ageing: the timeout, and what happens after it
 * @now: start of the visit, ns of the monotonic clock
 * @due: time at which the next block is due, of those that the round has visited
 * @looked: slots looked at
 * @answered: blocks answered
 * @merged: their results
 */
struct weir_round {
	struct weir_ageing	ageing;
	u64			now;
	u64			due;
	u32			looked;
	u32			answered;
	struct weir_merged	merged;
};

static void weir_scan_answer(struct weir_job *job, struct weir_result *res,
			     struct weir_round *round)
{
	weir_result_answer(job, res, &round->merged);
	weir_result_put(res);
	round->answered++;
}

/* A slot that is due at a glance. */
static noinline void weir_scan_due(struct weir_job *job, struct weir_block *block,
				   struct weir_round *round)
{
	struct weir_result res __uninitialized;
	DECLARE_BITMAP(ranks, WEIR_RANKS_MAX);
	enum weir_age age;

	res.ranks = ranks;
	age = weir_block_age(&job->blocks, block, &round->ageing, round->now,
			     &res);
	switch (age) {
	case WEIR_AGE_NONE:
		round->due = min(round->due,
				 weir_block_due(&job->blocks, block,
						&round->ageing));
		break;
	case WEIR_AGE_SWEPT:
		weir_job_count(job, WEIR_C_ABANDONED, 1);
		break;
	case WEIR_AGE_COUNTED:
		weir_scan_aged(job, &res, round->now);
		break;
	case WEIR_AGE_ANSWERED:
		weir_scan_aged(job, &res, round->now);
		weir_scan_answer(job, &res, round);
		break;
	case WEIR_AGE_DONE:
		weir_scan_answer(job, &res, round);
		break;
	}
}

/*
 * Do not look at a slot again until a block is opened in it, unless its block is open.
 *
 *     CPU of the timer                    CPU of a packet
 *     clears the slot's bit               opens a block
 *     full barrier                        full barrier
 *     reads the block's state             bit is clear: sets it
 *
 * Each CPU writes one variable before its barrier and reads the other one behind it: either the
 * timer sees the open block, or the packet's CPU the cleared bit.
 */
static void weir_scan_forget(struct weir_scan *scan, const struct weir_block *block, u32 slot)
{
	clear_bit(slot, scan->look);
	/* Pairs with the barrier before test_bit() in weir_scan_look_at(). */
	smp_mb__after_atomic();
	if (weir_block_may_be_due(block))
		set_bit(slot, scan->look);
}

/* Nearly no slot is due: a glance at it takes no room on the stack and no call but one. */
static void weir_scan_slot(struct weir_job *job, u32 slot, struct weir_round *round)
{
	struct weir_block *block = weir_blocks_slot(&job->blocks, slot);
	u64 due = weir_block_due(&job->blocks, block, &round->ageing);

	if (due == U64_MAX)
		weir_scan_forget(&job->scan, block, slot);
	else if (due > round->now)
		round->due = min(round->due, due);
	else
		weir_scan_due(job, block, round);
}

/* Go through the share, or a part of it. Return true if it has come to the end. */
static bool weir_scan_round(struct weir_scanner *scanner,
			    struct weir_round *round)
{
	struct weir_job *job = scanner->job;
	const unsigned long *look = job->scan.look;
	u32 answers = weir_scan_answers(job), end = scanner->end, looked = 0;
	u32 i = find_next_bit(look, end, scanner->next);

	for (; i < end && looked < WEIR_SCAN_SLOTS && round->answered < answers;
	     i = find_next_bit(look, end, i + 1), looked++)
		weir_scan_slot(job, i, round);
	round->looked = looked;
	scanner->next = i < end ? i : scanner->first;
	return i >= end;
}

/*
 * No block is due at any time. One that was opened meanwhile may not have been
 * seen, and the CPU that opened it may have seen the timer still armed. The same holds for a block
 * whose result was left unsent.
 *
 *     CPU of the timer                    CPU of a packet
 *     seen = opened
 *     looks at all slots: none is due     opens a block
 *     armed = 0                           opened++
 *     full barrier                        full barrier
 *     opened != seen: start again         armed == 0: start
 *
 * Each CPU writes one variable before its barrier and reads the other one behind it, so at
 * least one of them sees the other's write. Where both do, the xchg() of armed lets one
 * start the timer.
 */
static void weir_scan_stop(struct weir_scanner *scanner, int seen, u64 now)
{
	/* Pairs with the barrier behind atomic_inc() in weir_scan_opened(). */
	smp_store_mb(scanner->armed, 0);
	if ((atomic_read(&scanner->opened) != seen || READ_ONCE(scanner->hurry)) &&
	    !xchg(&scanner->armed, 1))
		weir_scan_start(scanner, now);
}

/*
 * Until @at, where no result has just been left unsent.
 *
 *     CPU of the timer                    CPU of a packet
 *     hurry = 0, full barrier             leaves a result unsent
 *     looks at all slots                  hurry = 1
 *     starts the timer for @at            full barrier
 *     full barrier                        starts the timer for now
 *     hurry: starts it for now
 *
 * The later of two starts counts. Where that is the one for @at, the packet's CPU had
 * written hurry before its own start, and the timer's CPU sees it.
 */
static void weir_scan_rest(struct weir_scanner *scanner, u64 at)
{
	weir_scan_start(scanner, at);
	/* Pairs with the barrier in weir_scan_unsent(): either start is the last one. */
	smp_mb();
	if (READ_ONCE(scanner->hurry))
		weir_scan_start(scanner, ktime_get_ns());
}

static enum hrtimer_restart weir_scan_visit(struct hrtimer *timer)
{
	struct weir_scanner *scanner = container_of(timer, struct weir_scanner,
						    timer);
	struct weir_scan *scan = &scanner->job->scan;
	u64 timeout = READ_ONCE(scan->timeout), part = weir_scan_part(timeout);
	struct weir_round round = {
		.ageing	= {
			.timeout	= timeout,
			.grace		= part,
			.answer		= READ_ONCE(scan->answer),
		},
		.now	= ktime_get_ns(),
	};
	bool ends;

	if (scanner->next == scanner->first) {
		scanner->due = U64_MAX;
		scanner->seen = atomic_read_acquire(&scanner->opened);
		/* Before it looks: pairs with the barrier in weir_scan_unsent(). */
		smp_store_mb(scanner->hurry, 0);
	}
	round.due = scanner->due;
	ends = weir_scan_round(scanner, &round);
	scanner->due = round.due;
	weir_merged_flush(&round.merged);
	trace_weir_scan(scanner->job, round.looked, round.answered,
			ktime_get_ns() - round.now);
	/*
	 * It is started again and not only moved on, as an administrator may start it
	 * at the same time.
	 */
	if (!ends)
		weir_scan_start(scanner, ktime_get_ns());
	else if (round.due == U64_MAX)
		weir_scan_stop(scanner, scanner->seen, round.now);
	else
		weir_scan_rest(scanner, weir_scan_point(scanner, part, round.due));
	return HRTIMER_NORESTART;
}

static void weir_scan_spread(struct weir_scan *scan, u64 timeout)
{
	unsigned int i;

	for (i = 0; i < scan->n; i++)
		WRITE_ONCE(scan->scanner[i].phase,
			   div_u64(timeout * i, scan->n));
}

static void weir_scanner_init(struct weir_job *job, unsigned int i)
{
	struct weir_scan *scan = &job->scan;
	struct weir_scanner *scanner = &scan->scanner[i];

	scanner->job = job;
	/* As weir_scan_opened() goes from a slot to its scanner. */
	scanner->first = DIV_ROUND_UP_ULL((u64)i << scan->shift, scan->n);
	scanner->end = DIV_ROUND_UP_ULL((u64)(i + 1) << scan->shift, scan->n);
	scanner->next = scanner->first;
	atomic_set(&scanner->opened, 0);
	hrtimer_setup(&scanner->timer, weir_scan_visit, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_PINNED_SOFT);
}

/**
 * weir_scan_init() - make a job's timers; none runs yet
 * @job: the job, its block table made
 * @n: number of timers, reduced to the number of slots
 * @timeout: ns after which a block has aged, 0 for never
 * @answer: answer it then
 *
 * Return: 0 or -ENOMEM; then weir_scan_uninit() frees what there is.
 */
int weir_scan_init(struct weir_job *job, unsigned int n, u64 timeout,
		   bool answer)
{
	struct weir_scan *scan = &job->scan;
	unsigned int i;

	n = min(n, job->blocks.size);
	if (!n)
		return 0;
	scan->scanner = kvcalloc(n, sizeof(*scan->scanner), GFP_KERNEL_ACCOUNT);
	scan->look = kvcalloc(BITS_TO_LONGS(job->blocks.size), sizeof(*scan->look),
			      GFP_KERNEL_ACCOUNT);
	if (!scan->scanner || !scan->look)
		return -ENOMEM;
	scan->n = n;
	scan->shift = ilog2(job->blocks.size);
	scan->timeout = timeout;
	scan->answer = answer;
	for (i = 0; i < n; i++)
		weir_scanner_init(job, i);
	weir_scan_spread(scan, timeout);
	return 0;
}

/**
 * weir_scan_uninit() - stop and free the timers
 * @scan: of a job that no packet can reach
 *
 * Sleeps until visits that are under way have ended.
 */
void weir_scan_uninit(struct weir_scan *scan)
{
	unsigned int i;

	for (i = 0; i < scan->n; i++)
		hrtimer_cancel(&scan->scanner[i].timer);
	kvfree(scan->look);
	kvfree(scan->scanner);
}

/**
 * weir_scan_set() - another timeout
 * @job: the job, its namespace's lock held
 * @timeout: ns after which a block has aged, 0 for never
 * @answer: answer it then
 *
 * Every timer comes by at once, and finds out when it is needed next. One that is in the middle of
 * a round begins another.
 */
void weir_scan_set(struct weir_job *job, u64 timeout, bool answer)
{
	struct weir_scan *scan = &job->scan;
	unsigned int i;

	lockdep_assert_held(&job->wn->ns.lock);

	WRITE_ONCE(scan->timeout, timeout);
	WRITE_ONCE(scan->answer, answer);
	weir_scan_spread(scan, timeout);
	for (i = 0; i < scan->n; i++) {
		WRITE_ONCE(scan->scanner[i].hurry, 1);
		xchg(&scan->scanner[i].armed, 1);
		weir_scan_start(&scan->scanner[i], ktime_get_ns());
	}
}

static struct weir_scanner *weir_scan_of(struct weir_scan *scan, u32 slot)
{
	return &scan->scanner[(u64)slot * scan->n >> scan->shift];
}

/* Called with a full barrier between what is to be seen and this, see weir_scan_forget(). */
static void weir_scan_look_at(struct weir_scan *scan, u32 slot)
{
	if (!test_bit(slot, scan->look))
		set_bit(slot, scan->look);
}

/**
 * weir_scan_unsent() - a result was left unsent
 * @job: the job
 * @slot: its slot
 *
 * Called as weir_scan_opened(). The timer comes by at once, and sends as many as a visit
 * may; it does so for a job without a timeout, too.
 */
void weir_scan_unsent(struct weir_job *job, u32 slot)
{
	struct weir_scanner *scanner = weir_scan_of(&job->scan, slot);

	/* The result left unsent, before weir_scan_look_at() reads the slot's bit. */
	smp_mb();
	weir_scan_look_at(&job->scan, slot);
	WRITE_ONCE(scanner->hurry, 1);
	/* It hurries before it starts: a visit that ends looks the other way round. */
	smp_mb();
	WRITE_ONCE(scanner->armed, 1);
	weir_scan_start(scanner, ktime_get_ns());
}

/**
 * weir_scan_opened() - a block was opened
 * @job: the job
 * @slot: its slot
 *
 * Called with bottom halves disabled, after the slot's lock was dropped.
 */
void weir_scan_opened(struct weir_job *job, u32 slot)
{
	struct weir_scan *scan = &job->scan;
	struct weir_scanner *scanner;
	u64 timeout;

	/*
	 * The block before all that follows. Where this is still without a
	 * timeout, the visit after xchg() in weir_scan_set() sees it, and else
	 * the visit that sees it counted.
	 */
	smp_mb();
	weir_scan_look_at(scan, slot);
	timeout = READ_ONCE(scan->timeout);
	if (!timeout)
		return;
	scanner = weir_scan_of(scan, slot);
	atomic_inc(&scanner->opened);
	/* Pairs with smp_store_mb() in weir_scan_stop(). */
	smp_mb__after_atomic();
	if (READ_ONCE(scanner->armed) || xchg(&scanner->armed, 1))
		return;
	weir_scan_start(scanner,
			weir_scan_point(scanner, weir_scan_part(timeout),
					ktime_get_ns() + timeout));
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Retain results until their sources have them, and decide which sources blocks wait for.
 *
 * A result is retained until every source has it. Sources acknowledge cumulatively, either
 * explicitly, or, as a client built from the paper does, by the block that they send: a worker
 * sends a block only when it has the results of all blocks a window before it. The least of all
 * is the low-water mark. A block is admitted to its slot when the result of the block one table
 * earlier is below that mark.
 *
 * A job whose blocks do not wait for all sources does not wait for acknowledgments either. A
 * result that is older than the job's timeout, or that only stragglers lack, is evicted when its
 * slot is needed; the sources that lack it are behind from then on, and hold back no other result,
 * until they have caught up with what the table retains. A source that a block has timed out
 * without is a straggler: blocks complete without it, at once and not after another timeout each,
 * until it is within a window of the last block that was opened. When it contributes before that,
 * blocks wait for it once more: the others stand still then, at most for a timeout, and a source
 * that is late by some blocks of a vector catches up, instead of missing the rest of the vector.
 *
 *                  a block times out without it
 *      present  -------------------------------->  straggler
 *         ^      is within a window of the front     |   ^
 *         +------------------------------------------+   |  a block times out without it
 *         |      is within a window of the front         |
 *         +----  retried  <--- contributes, once --------+
 *
 * Independently of that, a source is behind when a result that it lacks is evicted, until it has
 * all results before the oldest retained one.
 *
 * Nothing here is locked. A mark that is written late only makes a source look further behind than
 * it is, and a result is retained a little longer.
 */
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/slab.h>

#include "agg/slots/retention.h"

/* Set in weir_retention.low if the lower half is valid. */
#define WEIR_LOW_KNOWN	BIT_ULL(32)

/* Blocks wait for a source again. */
static void weir_retention_wait_for(struct weir_retention *ret, u16 source)
{
	if (test_and_clear_bit(source, ret->stragglers))
		atomic_dec(&ret->straggling);
}

/* The last block before which, and of which, a source has all results. */
static u32 weir_progress_floor(const struct weir_retention *ret, u16 source)
{
	const struct weir_progress *progress = &ret->progress[source];
	u32 implied = READ_ONCE(progress->sent) - ret->window;
	u32 acked = READ_ONCE(progress->acked) - 1;

	return (s32)(acked - implied) > 0 ? acked : implied;
}

/**
 * weir_retention_end() - get the block after all that any source has sent
 * @ret: the retention
 * @start: the first one of the generation
 *
 * Return: its sequence number, @start if no source has sent a block since.
 */
u32 weir_retention_end(const struct weir_retention *ret, u32 start)
{
	u32 end = start, sent;
	unsigned int i;

	for (i = 0; i < ret->sources; i++) {
		sent = READ_ONCE(ret->progress[i].sent);
		if ((s32)(sent - end) >= 0)
			end = sent + 1;
	}
	return end;
}

/**
 * weir_retention_begin() - put all sources before a block: a generation begins for all of them
 * @ret: the retention
 * @next: the block, weir_retention_end()
 */
void weir_retention_begin(struct weir_retention *ret, u32 next)
{
	unsigned int i;

	for (i = 0; i < ret->sources; i++) {
		WRITE_ONCE(ret->progress[i].sent, next - 1);
		WRITE_ONCE(ret->progress[i].contributed, next - 1);
		WRITE_ONCE(ret->progress[i].acked, next);
		weir_retention_catch_up(ret, i);
	}
	WRITE_ONCE(ret->front, next - 1);
	WRITE_ONCE(ret->low, 0);
}

/**
 * weir_retention_init() - begin with all sources absent, and no block sent
 * @ret: the retention, zeroed
 * @sources: number of sources
 * @slots: slots of the table
 * @window: blocks that a source may have outstanding
 *
 * Return: 0 or -ENOMEM.
 */
int weir_retention_init(struct weir_retention *ret, u16 sources, u32 slots, u32 window)
{
	ret->sources = sources;
	ret->slots = slots;
	ret->window = window;
	ret->evict_after = U64_MAX;
	bitmap_set(ret->absent, 0, sources);
	ret->progress = kvcalloc(sources, sizeof(*ret->progress), GFP_KERNEL_ACCOUNT);
	if (!ret->progress)
		return -ENOMEM;
	weir_retention_begin(ret, 0);
	return 0;
}

/**
 * weir_retention_uninit() - free its memory
 * @ret: the retention
 */
void weir_retention_uninit(struct weir_retention *ret)
{
	kvfree(ret->progress);
}

/**
 * weir_retention_leave() - retain no result for a source
 * @ret: the retention
 * @source: source id
 *
 * Any context.
 */
void weir_retention_leave(struct weir_retention *ret, u16 source)
{
	set_bit(source, ret->absent);
}

/* The low-water mark may have gone down. */
static void weir_retention_lower(struct weir_retention *ret)
{
	/* A CPU that reads the new count sees the source, too. */
	smp_mb__before_atomic();
	atomic_inc(&ret->returned);
	/* A CPU that read the old count, and then stores low, reads the new count afterwards. */
	smp_mb__after_atomic();
	WRITE_ONCE(ret->low, 0);
}

/* Return true if a source lacks a result older than the table's slots. */
static bool weir_retention_is_behind(const struct weir_retention *ret, u16 source)
{
	return (s32)(weir_progress_floor(ret, source) + 1 - weir_retention_oldest(ret)) < 0;
}

static void weir_retention_set_behind(struct weir_retention *ret, u16 source)
{
	set_bit(source, ret->behind);
	/* The flag last: who clears the flag clears the bit after it. */
	smp_mb__after_atomic();
	atomic_or(WEIR_PROGRESS_BEHIND, &ret->progress[source].flags);
}

/**
 * weir_retention_return() - note that a source is there, for the first time or again
 * @ret: the retention
 * @source: source id
 *
 * Any context. It may be behind all sources of the last look, or lack results that were evicted
 * meanwhile. A look under way on another CPU misses it, but is not remembered.
 */
void weir_retention_return(struct weir_retention *ret, u16 source)
{
	if (ret->evict_after != U64_MAX && weir_retention_is_behind(ret, source))
		weir_retention_set_behind(ret, source);
	clear_bit(source, ret->absent);
	weir_retention_lower(ret);
}

/**
 * weir_retention_has() - check whether a source has a block's result
 * @ret: the retention
 * @source: source id
 * @seq: sequence number of the block
 *
 * Any context.
 */
bool weir_retention_has(const struct weir_retention *ret, u16 source, u32 seq)
{
	return (s32)(weir_progress_floor(ret, source) - seq) >= 0;
}

/**
 * weir_retention_is_at() - check whether a source has sent a block, or a later one
 * @ret: the retention
 * @source: source id
 * @seq: sequence number of the block
 *
 * Any context.
 */
bool weir_retention_is_at(const struct weir_retention *ret, u16 source, u32 seq)
{
	return (s32)(READ_ONCE(ret->progress[source].sent) - seq) >= 0;
}

/*
 * Stores the low-water mark. It is withdrawn at once if a source has come back meanwhile: the look
 * missed that source, and weir_retention_lower() may have cleared @low before it was stored.
 */
static void weir_retention_remember(struct weir_retention *ret, u64 old, u64 low, int returned)
{
	/* Full, and pairs with the barriers around atomic_inc() when one returns. */
	if (cmpxchg(&ret->low, old, low) != old)
		return;
	if (atomic_read(&ret->returned) != returned)
		WRITE_ONCE(ret->low, 0);
}

/* Return true if results that a source lacks are retained for it: it is there, and not behind. */
static bool weir_retention_is_held_for(const struct weir_retention *ret, u16 source)
{
	return !test_bit(source, ret->absent) && !test_bit(source, ret->behind);
}

/* Return true if a result is retained for a source other than @source. */
static bool weir_retention_lacks(const struct weir_retention *ret, u16 other, u16 source, u32 seq)
{
	return other != source && weir_retention_is_held_for(ret, other) &&
	       !weir_retention_has(ret, other, seq);
}

/* Look at each source but @source; return true if all have the results up to @seq. */
static bool weir_retention_look(struct weir_retention *ret, u16 source, u32 seq)
{
	int returned = atomic_read_acquire(&ret->returned);
	u64 old = READ_ONCE(ret->low), low = 0;
	unsigned int i;
	u32 floor;

	for (i = 0; i < ret->sources; i++) {
		if (!weir_retention_is_held_for(ret, i))
			continue;
		floor = weir_progress_floor(ret, i);
		if (i != source && (s32)(floor - seq) < 0)
			return false;
		if (!low || (s32)(floor - (u32)low) < 0)
			low = WEIR_LOW_KNOWN | floor;
	}
	weir_retention_remember(ret, old, low, returned);
	return true;
}

/* Return true if no source has ever been within a table of a block. */
static bool weir_retention_is_beyond(const struct weir_retention *ret, u32 seq)
{
	unsigned int i;
	u32 sent;

	for (i = 0; i < ret->sources; i++) {
		sent = READ_ONCE(ret->progress[i].sent);
		if ((s32)(seq - sent - ret->slots) <= 0)
			return false;
	}
	return true;
}

/**
 * weir_retention_admit() - check whether a source may be at a block
 * @ret: the retention
 * @source: source id
 * @seq: sequence number of the block
 *
 * Any context. Looks at every source only if the last look is too old, once in many blocks while
 * all keep together.
 */
enum weir_admission weir_retention_admit(struct weir_retention *ret, u16 source, u32 seq)
{
	u64 low = READ_ONCE(ret->low);
	u32 older = seq - ret->slots;

	if ((low && (s32)((u32)low - older) >= 0) || weir_retention_look(ret, source, older))
		return WEIR_ADMIT;
	return weir_retention_is_beyond(ret, seq) ? WEIR_ADMIT_BEYOND : WEIR_ADMIT_HELD;
}

/**
 * weir_retention_only_stragglers_lack() - check whether all sources but stragglers have results
 * @ret: the retention
 * @source: a source that has them
 * @seq: sequence number of the last of the results
 *
 * Any context.
 */
bool weir_retention_only_stragglers_lack(const struct weir_retention *ret, u16 source, u32 seq)
{
	unsigned int i;

	if (!atomic_read(&ret->straggling))
		return false;
	for (i = 0; i < ret->sources; i++) {
		if (!test_bit(i, ret->stragglers) && weir_retention_lacks(ret, i, source, seq))
			return false;
	}
	return true;
}

/**
 * weir_retention_evict() - leave the sources behind that lack a block's result
 * @ret: the retention
 * @source: the source that needs the slot; it lacks nothing that was there
 * @seq: sequence number of the block that is evicted
 *
 * Any context. Return: true if a source is behind by it that was not before.
 */
bool weir_retention_evict(struct weir_retention *ret, u16 source, u32 seq)
{
	bool any = false;
	unsigned int i;

	for (i = 0; i < ret->sources; i++) {
		if (!weir_retention_lacks(ret, i, source, seq))
			continue;
		weir_retention_set_behind(ret, i);
		any = true;
	}
	return any;
}

/**
 * weir_retention_report() - check whether it is to be reported that a source is behind
 * @ret: the retention
 * @source: source id
 *
 * Any context. Return: true once each time that the source falls behind.
 */
bool weir_retention_report(struct weir_retention *ret, u16 source)
{
	if (!test_bit(source, ret->behind))
		return false;
	return !(atomic_fetch_or(WEIR_PROGRESS_REPORTED, &ret->progress[source].flags) &
		 WEIR_PROGRESS_REPORTED);
}

/**
 * weir_retention_moved() - see whether a source that lagged has caught up
 * @ret: the retention
 * @source: source id
 * @seq: the block that it is at
 * @present: its program is there, and not only its results
 *
 * Any context.
 */
void weir_retention_moved(struct weir_retention *ret, u16 source, u32 seq, bool present)
{
	struct weir_progress *progress = &ret->progress[source];
	int flags = atomic_read(&progress->flags);
	bool near;

	if (flags & WEIR_PROGRESS_BEHIND && !weir_retention_is_behind(ret, source)) {
		atomic_andnot(WEIR_PROGRESS_BEHIND | WEIR_PROGRESS_REPORTED, &progress->flags);
		clear_bit(source, ret->behind);
		weir_retention_lower(ret);
	}
	if (!present || !(flags & (WEIR_PROGRESS_STRAGGLES | WEIR_PROGRESS_RETRIED)))
		return;
	near = (s32)(seq + ret->window - READ_ONCE(ret->front)) >= 0;
	if (!near && flags & (WEIR_PROGRESS_RETRIED | WEIR_PROGRESS_BEHIND))
		return;
	if (!near)
		atomic_or(WEIR_PROGRESS_RETRIED, &progress->flags);
	atomic_andnot(near ? WEIR_PROGRESS_STRAGGLES | WEIR_PROGRESS_RETRIED :
			     WEIR_PROGRESS_STRAGGLES, &progress->flags);
	weir_retention_wait_for(ret, source);
}

/**
 * weir_retention_ack() - take an explicit acknowledgment
 * @ret: the retention
 * @source: source id
 * @seq: sequence number of the first block whose result the source lacks
 * @present: the source's program has got there, too
 *
 * Any context.
 *
 * Return: false if the source cannot have got there: no source has sent a block within a table of
 *	that one.
 */
bool weir_retention_ack(struct weir_retention *ret, u16 source, u32 seq, bool present)
{
	struct weir_progress *progress = &ret->progress[source];
	u32 old = READ_ONCE(progress->acked), seen;

	if ((s32)(seq - READ_ONCE(ret->front) - ret->slots) > 0)
		return false;
	while ((s32)(seq - old) > 0) {
		seen = cmpxchg(&progress->acked, old, seq);
		if (seen == old)
			break;
		old = seen;
	}
	if (unlikely(atomic_read(&progress->flags)))
		weir_retention_moved(ret, source, seq, present);
	return true;
}

/**
 * weir_retention_straggle() - let blocks complete without a source
 * @ret: the retention
 * @source: the source, which a block has timed out without
 * @seq: sequence number of the block
 *
 * Any context. A source that has contributed to that block or a later one is there: its packet was
 * lost.
 */
void weir_retention_straggle(struct weir_retention *ret, u16 source, u32 seq)
{
	if ((s32)(READ_ONCE(ret->progress[source].contributed) - seq) >= 0)
		return;
	if (!test_and_set_bit(source, ret->stragglers))
		atomic_inc(&ret->straggling);
	/* The flag last, as in weir_retention_set_behind(). */
	smp_mb__after_atomic();
	atomic_or(WEIR_PROGRESS_STRAGGLES, &ret->progress[source].flags);
}

/**
 * weir_retention_catch_up() - forget that a source has lagged
 * @ret: the retention
 * @source: source id
 *
 * Any context.
 */
void weir_retention_catch_up(struct weir_retention *ret, u16 source)
{
	atomic_set(&ret->progress[source].flags, 0);
	weir_retention_wait_for(ret, source);
	clear_bit(source, ret->behind);
}

/**
 * weir_retention_wait_for_all() - let blocks wait for every source again
 * @ret: the retention
 *
 * Process context; the caller holds the lock of the job's namespace.
 */
void weir_retention_wait_for_all(struct weir_retention *ret)
{
	unsigned int i;

	for (i = 0; i < ret->sources; i++) {
		atomic_andnot(WEIR_PROGRESS_STRAGGLES | WEIR_PROGRESS_RETRIED,
			      &ret->progress[i].flags);
		weir_retention_wait_for(ret, i);
	}
}

// SPDX-License-Identifier: GPL-2.0
/*
 * How long a result is retained: until every source has shown, by the blocks
 * that it sends, that it has it; and so how far ahead of the others a source may be.
 *
 * Nothing here is locked. An entry that is written late only makes a source look
 * further behind than it is, and a result is kept a little longer.
 */
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/slab.h>

#include "sum/horizon.h"

/* Set in weir_horizon.low where the lower half is valid. */
#define WEIR_LOW_KNOWN	BIT_ULL(32)

static u32 weir_window_max(const struct weir_horizon *horizon)
{
	return horizon->size / 2;
}

/* Has a source that has shown @shown all results up to @seq? */
static bool weir_shown_has(const struct weir_horizon *horizon, u32 shown, u32 seq)
{
	return (s32)(shown - weir_window_max(horizon) - seq) >= 0;
}

/**
 * weir_horizon_end() - the block after all that any source has shown
 * @horizon: the horizon
 * @start: the first one of the generation
 *
 * Return: its sequence number, @start where no source has shown a block since.
 */
u32 weir_horizon_end(const struct weir_horizon *horizon, u32 start)
{
	u32 end = start, shown;
	unsigned int i;

	for (i = 0; i < horizon->sources; i++) {
		shown = READ_ONCE(horizon->shown[i].seq);
		if ((s32)(shown - end) >= 0)
			end = shown + 1;
	}
	return end;
}

/**
 * weir_horizon_begin() - all sources stand before a block
 * @horizon: the horizon
 * @next: the block, weir_horizon_end()
 */
void weir_horizon_begin(struct weir_horizon *horizon, u32 next)
{
	unsigned int i;

	for (i = 0; i < horizon->sources; i++)
		WRITE_ONCE(horizon->shown[i].seq, next - 1);
}

/**
 * weir_horizon_init() - no source is there, and none has shown a block
 * @horizon: the horizon
 * @sources: how many there are
 * @size: slots of the table
 *
 * Return: 0 or -ENOMEM.
 */
int weir_horizon_init(struct weir_horizon *horizon, u16 sources, u32 size)
{
	horizon->sources = sources;
	horizon->size = size;
	bitmap_set(horizon->absent, 0, sources);
	horizon->shown = kvcalloc(sources, sizeof(*horizon->shown), GFP_KERNEL_ACCOUNT);
	if (!horizon->shown)
		return -ENOMEM;
	weir_horizon_begin(horizon, 0);
	return 0;
}

/**
 * weir_horizon_uninit() - free it
 * @horizon: the horizon
 */
void weir_horizon_uninit(struct weir_horizon *horizon)
{
	kvfree(horizon->shown);
}

/**
 * weir_horizon_leave() - retain nothing for a source any more
 * @horizon: the horizon
 * @source: source id
 *
 * Any context.
 */
void weir_horizon_leave(struct weir_horizon *horizon, u16 source)
{
	set_bit(source, horizon->absent);
}

/**
 * weir_horizon_return() - a source is there, for the first time or again
 * @horizon: the horizon
 * @source: source id
 *
 * Any context. It may be behind all sources of the last look. A look under way on
 * another CPU misses it, but is not remembered.
 */
void weir_horizon_return(struct weir_horizon *horizon, u16 source)
{
	clear_bit(source, horizon->absent);
	/* A CPU that reads the new count sees the source, too. */
	smp_mb__before_atomic();
	atomic_inc(&horizon->returned);
	/* A CPU that read the old count, and then stores low, reads the new count afterwards. */
	smp_mb__after_atomic();
	WRITE_ONCE(horizon->low, 0);
}

/**
 * weir_horizon_has() - has a source shown that it has a block's result?
 * @horizon: the horizon
 * @source: source id
 * @seq: sequence number of the block
 *
 * Any context.
 */
bool weir_horizon_has(const struct weir_horizon *horizon, u16 source, u32 seq)
{
	return weir_shown_has(horizon, READ_ONCE(horizon->shown[source].seq), seq);
}

/*
 * Stores the least. It is withdrawn at once where a source has come back meanwhile: the look
 * missed that source, and weir_horizon_return() may have cleared @low before it was stored.
 */
static void weir_horizon_remember(struct weir_horizon *horizon, u64 old, u64 low,
				  int returned)
{
	/* Full, and pairs with the barriers around atomic_inc() when one returns. */
	if (cmpxchg(&horizon->low, old, low) != old)
		return;
	if (atomic_read(&horizon->returned) != returned)
		WRITE_ONCE(horizon->low, 0);
}

/**
 * weir_horizon_is_at() - has a source shown a block, or a later one?
 * @horizon: the horizon
 * @source: source id
 * @seq: sequence number of the block
 *
 * Any context.
 */
bool weir_horizon_is_at(const struct weir_horizon *horizon, u16 source, u32 seq)
{
	return (s32)(READ_ONCE(horizon->shown[source].seq) - seq) >= 0;
}

/* Looks at every source but @source: have they the results up to @seq? */
static bool weir_horizon_look(struct weir_horizon *horizon, u16 source, u32 seq)
{
	int returned = atomic_read_acquire(&horizon->returned);
	u64 old = READ_ONCE(horizon->low), low = 0;
	unsigned int i;
	u32 shown;

	for (i = 0; i < horizon->sources; i++) {
		if (test_bit(i, horizon->absent))
			continue;
		shown = READ_ONCE(horizon->shown[i].seq);
		if (i != source && !weir_shown_has(horizon, shown, seq))
			return false;
		if (!low || (s32)(shown - (u32)low) < 0)
			low = WEIR_LOW_KNOWN | shown;
	}
	weir_horizon_remember(horizon, old, low, returned);
	return true;
}

/* Has no source ever been within a table of a block? */
static bool weir_horizon_is_beyond(const struct weir_horizon *horizon, u32 seq)
{
	unsigned int i;
	u32 shown;

	for (i = 0; i < horizon->sources; i++) {
		shown = READ_ONCE(horizon->shown[i].seq);
		if ((s32)(seq - shown - horizon->size) <= 0)
			return false;
	}
	return true;
}

/**
 * weir_horizon_reach() - may a source be at a block?
 * @horizon: the horizon
 * @source: source id
 * @seq: sequence number of the block
 *
 * Any context. Looks at every source only where the last look is too old, once
 * in many blocks while all keep together.
 *
 * Return: enum weir_reach. Where it is near, all other sources have the results
 * that are a table older than @seq.
 */
enum weir_reach weir_horizon_reach(struct weir_horizon *horizon, u16 source,
				   u32 seq)
{
	u64 low = READ_ONCE(horizon->low);
	u32 older = seq - horizon->size;

	if ((low && weir_shown_has(horizon, low, older)) ||
	    weir_horizon_look(horizon, source, older))
		return WEIR_REACH_NEAR;
	return weir_horizon_is_beyond(horizon, seq) ? WEIR_REACH_BEYOND :
						      WEIR_REACH_FAR;
}

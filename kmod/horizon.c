// SPDX-License-Identifier: GPL-2.0
/*
 * How long a result is retained: until every source has shown, by the blocks
 * that it sends, that it has it; and so how far ahead of the others a source may be.
 *
 * Nothing here is locked. An entry that is written late, or for a generation
 * that has just ended, only makes a source look further behind than it is, and
 * a result is kept a little longer.
 */
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/slab.h>

#include "horizon.h"

/* Set in an entry that was written at all. */
#define WEIR_SHOWN	BIT_ULL(63)

static u64 weir_shown(u32 generation, u32 id)
{
	return WEIR_SHOWN | (u64)generation << 32 | id;
}

static bool weir_shown_in(u64 shown, u32 generation)
{
	return shown >> 32 == weir_shown(generation, 0) >> 32;
}

static u32 weir_window_max(const struct weir_horizon *horizon)
{
	return horizon->size / 2;
}

/* Does an entry say that all up to @id are there? */
static bool weir_shown_has(const struct weir_horizon *horizon, u64 shown,
			   u32 generation, u32 id)
{
	return weir_shown_in(shown, generation) &&
	       (s32)((u32)shown - weir_window_max(horizon) - id) >= 0;
}

/*
 * Who has not shown anything in this generation is just before its first block: at
 * @begin, or before block 0.
 */
static u64 weir_horizon_place(const struct weir_horizon *horizon, u64 shown,
			      u32 generation)
{
	u64 begin;

	if (weir_shown_in(shown, generation))
		return shown;
	begin = READ_ONCE(horizon->begin);
	return weir_shown_in(begin, generation) ? begin :
						  weir_shown(generation, -1);
}

static u64 weir_horizon_position(const struct weir_horizon *horizon, u16 source,
				 u32 generation)
{
	return weir_horizon_place(horizon, READ_ONCE(horizon->shown[source]),
				  generation);
}

static bool weir_horizon_is_behind(const struct weir_horizon *horizon, u64 shown,
				   u32 generation, u32 id)
{
	return (s32)(id - (u32)weir_horizon_place(horizon, shown, generation)) > 0;
}

/**
 * weir_horizon_init() - nobody is there, and nobody has shown anything
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
	horizon->shown = kcalloc(sources, sizeof(*horizon->shown),
				 GFP_KERNEL_ACCOUNT);
	return horizon->shown ? 0 : -ENOMEM;
}

/**
 * weir_horizon_uninit() - free it
 * @horizon: the horizon
 */
void weir_horizon_uninit(struct weir_horizon *horizon)
{
	kfree(horizon->shown);
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
 * Any context. It may be behind all that were there when somebody last looked. A
 * look that is under way right now still misses it, but is not remembered.
 */
void weir_horizon_return(struct weir_horizon *horizon, u16 source)
{
	clear_bit(source, horizon->absent);
	/* Whoever finds the new count sees that it is there. */
	smp_mb__before_atomic();
	atomic_inc(&horizon->returned);
	/* Whoever has not found it yet, and then remembers, finds it afterwards. */
	smp_mb__after_atomic();
	WRITE_ONCE(horizon->low, 0);
}

/**
 * weir_horizon_begin() - the box gives out a generation
 * @horizon: the horizon
 * @generation: the generation; the current one from a moment later on
 * @start: block that it begins with
 */
void weir_horizon_begin(struct weir_horizon *horizon, u32 generation, u32 start)
{
	WRITE_ONCE(horizon->begin, weir_shown(generation, start - 1));
}

/**
 * weir_horizon_show() - a source sends a block, or asks for one
 * @horizon: the horizon
 * @source: source id
 * @generation: the current generation
 * @id: block id
 *
 * Any context.
 */
void weir_horizon_show(struct weir_horizon *horizon, u16 source,
		       u32 generation, u32 id)
{
	u64 new = weir_shown(generation, id);
	u64 old = READ_ONCE(horizon->shown[source]), seen;

	while (weir_horizon_is_behind(horizon, old, generation, id)) {
		seen = cmpxchg(&horizon->shown[source], old, new);
		if (seen == old)
			return;
		old = seen;
	}
}

/**
 * weir_horizon_has() - has a source shown that it has a block's result?
 * @horizon: the horizon
 * @source: source id
 * @generation: the current generation
 * @id: block id
 *
 * Any context.
 */
bool weir_horizon_has(const struct weir_horizon *horizon, u16 source,
		      u32 generation, u32 id)
{
	return weir_shown_has(horizon,
			      weir_horizon_position(horizon, source, generation),
			      generation, id);
}

/*
 * The least that is remembered. It is taken back at once where a source has come back
 * meanwhile: that source was not looked at, and whoever brought it back may have
 * wiped it out before it was written.
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

/* Looks at every source but @source: have they the results up to @id? */
static bool weir_horizon_look(struct weir_horizon *horizon, u16 source,
			      u32 generation, u32 id)
{
	int returned = atomic_read_acquire(&horizon->returned);
	u64 old = READ_ONCE(horizon->low), low = 0, position;
	unsigned int i;

	for (i = 0; i < horizon->sources; i++) {
		if (test_bit(i, horizon->absent))
			continue;
		position = weir_horizon_position(horizon, i, generation);
		if (i != source &&
		    !weir_shown_has(horizon, position, generation, id))
			return false;
		if (!low || (s32)((u32)position - (u32)low) < 0)
			low = position;
	}
	weir_horizon_remember(horizon, old, low, returned);
	return true;
}

/* Has no source ever been within a table of a block? */
static bool weir_horizon_is_beyond(const struct weir_horizon *horizon,
				   u32 generation, u32 id)
{
	unsigned int i;
	u32 position;

	for (i = 0; i < horizon->sources; i++) {
		position = weir_horizon_position(horizon, i, generation);
		if ((s32)(id - position - horizon->size) <= 0)
			return false;
	}
	return true;
}

/**
 * weir_horizon_reach() - may a source be at a block?
 * @horizon: the horizon
 * @source: source id
 * @generation: the current generation
 * @id: block id
 *
 * Any context. Looks at every source only where the last look is too old, once
 * in many blocks while all keep together.
 *
 * Return: enum weir_reach. Where it is near, all other sources have the results
 * that are a table older than @id.
 */
enum weir_reach weir_horizon_reach(struct weir_horizon *horizon, u16 source,
				   u32 generation, u32 id)
{
	u32 older = id - horizon->size;

	if (weir_shown_has(horizon, READ_ONCE(horizon->low), generation, older) ||
	    weir_horizon_look(horizon, source, generation, older))
		return WEIR_REACH_NEAR;
	return weir_horizon_is_beyond(horizon, generation, id) ?
	       WEIR_REACH_BEYOND : WEIR_REACH_FAR;
}

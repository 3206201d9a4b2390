// SPDX-License-Identifier: GPL-2.0
/*
 * How long a result is retained: until every source has shown, by the blocks
 * that it sends, that it has it.
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

/* Does an entry say that all up to @id are there? */
static bool weir_shown_has(u64 shown, u32 half, u32 generation, u32 id)
{
	return shown >> 32 == weir_shown(generation, 0) >> 32 &&
	       (s32)((u32)shown - half - id) >= 0;
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
	horizon->half = size / 2;
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
 * Any context. It may be behind all that were there when somebody last looked;
 * only a look that is under way right now still misses it.
 */
void weir_horizon_return(struct weir_horizon *horizon, u16 source)
{
	clear_bit(source, horizon->absent);
	/* Whoever finds nothing remembered looks at this source too. */
	smp_mb__after_atomic();
	WRITE_ONCE(horizon->low, 0);
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

	while (old >> 32 != new >> 32 || (s32)(id - (u32)old) > 0) {
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
	return weir_shown_has(READ_ONCE(horizon->shown[source]), horizon->half,
			      generation, id);
}

/* Looks at every source, and remembers the least that one has shown. */
static bool weir_horizon_look(struct weir_horizon *horizon, u32 generation,
			      u32 id)
{
	u64 low = 0, shown;
	unsigned int i;

	for (i = 0; i < horizon->sources; i++) {
		if (test_bit(i, horizon->absent))
			continue;
		shown = READ_ONCE(horizon->shown[i]);
		if (!weir_shown_has(shown, horizon->half, generation, id))
			return false;
		if (!low || (s32)((u32)shown - (u32)low) < 0)
			low = shown;
	}
	WRITE_ONCE(horizon->low, low);
	return true;
}

/**
 * weir_horizon_passed() - does every source have a block's result?
 * @horizon: the horizon
 * @generation: the current generation
 * @id: block id
 *
 * Any context. Looks at every source only where the last look is too old, once
 * in many blocks while all keep together.
 */
bool weir_horizon_passed(struct weir_horizon *horizon, u32 generation, u32 id)
{
	return weir_shown_has(READ_ONCE(horizon->low), horizon->half,
			      generation, id) ||
	       weir_horizon_look(horizon, generation, id);
}

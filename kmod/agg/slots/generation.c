// SPDX-License-Identifier: GPL-2.0
/*
 * Generations, and the order of all blocks across them. A generation that a packet
 * begins follows the one before in the same sequence: so the results that a slow
 * source may still lack keep their slots, and are answered to it.
 */
#include <linux/compiler.h>

#include "agg/slots/generation.h"
#include "agg/slots/retention.h"

/* As many as a packet can tell apart. */
#define WEIR_GENERATIONS	0x10000U

/**
 * weir_generations_init() - no generation has begun
 * @gens: zeroed
 */
void weir_generations_init(struct weir_generations *gens)
{
	seqlock_init(&gens->lock);
}

/*
 * The first generation may be any. A packet carries only the lower half. 0 stands for
 * no generation, so the upper half is never 0 where there is one.
 */
static u32 weir_generation_next(u32 old, u16 generation)
{
	u32 step = (u16)(generation - old);

	return old ? old + (step ?: WEIR_GENERATIONS) : WEIR_GENERATIONS | generation;
}

static bool weir_generation_is_new(u32 old, u16 generation)
{
	return !old || weir_generation_after(generation, old);
}

/* Its first block, @start, follows all blocks that any source has sent. */
static void weir_generations_set(struct weir_generations *gens, u16 generation,
				 u32 next, u32 start)
{
	WRITE_ONCE(gens->start, start);
	WRITE_ONCE(gens->base, next - start);
	WRITE_ONCE(gens->now, weir_generation_next(gens->now, generation));
}

static u32 weir_generations_end(const struct weir_generations *gens,
				const struct weir_retention *ret)
{
	return weir_retention_end(ret, gens->base + gens->start);
}

/*
 * The first block of a generation that a packet begins. Workers of the paper begin with any block.
 * The packet need not be of the first one: others may have been overtaken by it or lost, as many as
 * a window has. Where that may have been block 0, it was.
 */
static u32 weir_generations_first(const struct weir_retention *ret, u32 id)
{
	return id < ret->slots ? 0 : id - ret->window;
}

/**
 * weir_generations_advance() - begin a generation by a packet that carries a newer one
 * @gens: the job's generations
 * @ret: the blocks that its sources have sent
 * @generation: the generation of the packet
 * @id: block id of the packet
 *
 * Called with bottom halves disabled. Open blocks of older generations are swept away
 * when their slots are needed or looked at. Results of the generation before stay,
 * and are answered, until each source has shown in the new one that it has them.
 *
 * Return: the generation now, which is newer still if another CPU was quicker.
 */
u16 weir_generations_advance(struct weir_generations *gens, struct weir_retention *ret,
			     u16 generation, u32 id)
{
	if (likely(!weir_generation_is_new(READ_ONCE(gens->now), generation)))
		return READ_ONCE(gens->now);
	write_seqlock(&gens->lock);
	if (weir_generation_is_new(gens->now, generation)) {
		WRITE_ONCE(gens->before, gens->now);
		WRITE_ONCE(gens->before_base, gens->base);
		weir_generations_set(gens, generation, weir_generations_end(gens, ret),
				     weir_generations_first(ret, id));
	}
	generation = gens->now;
	write_sequnlock(&gens->lock);
	return generation;
}

/* All sources begin together. */
static void weir_generations_restart(struct weir_generations *gens, struct weir_retention *ret,
				     u16 generation, u32 start)
{
	u32 next = weir_generations_end(gens, ret);

	weir_retention_begin(ret, next);
	WRITE_ONCE(gens->before, 0);
	weir_generations_set(gens, generation, next, start);
}

/**
 * weir_generations_begin() - the box begins a generation
 * @gens: the job's generations
 * @ret: the blocks that its sources have sent
 * @generation: the generation
 * @start: block that it begins with
 *
 * Called with bottom halves disabled. All sources begin it together, so they need no
 * older results.
 *
 * Return: as weir_generations_advance().
 */
u16 weir_generations_begin(struct weir_generations *gens,
			   struct weir_retention *ret, u16 generation,
			   u32 start)
{
	write_seqlock(&gens->lock);
	if (weir_generation_is_new(gens->now, generation))
		weir_generations_restart(gens, ret, generation, start);
	generation = gens->now;
	write_sequnlock(&gens->lock);
	return generation;
}

/**
 * weir_generations_resume() - the first packet of a job is from the middle of a generation
 * @gens: the job's generations
 * @ret: the blocks that its sources have sent
 * @generation: the generation
 * @start: the first block that a source may still lack
 *
 * Called as weir_generations_begin(). Does nothing if a generation has begun meanwhile.
 */
void weir_generations_resume(struct weir_generations *gens, struct weir_retention *ret,
			     u16 generation, u32 start)
{
	write_seqlock(&gens->lock);
	if (!gens->now) {
		weir_generations_restart(gens, ret, generation, start);
		WRITE_ONCE(gens->resumed, gens->now);
	}
	write_sequnlock(&gens->lock);
}

/**
 * weir_generations_follow() - the parent box has begun a generation
 * @gens: the job's generations
 * @ret: the blocks that its sources have sent
 * @generation: the generation, whatever this box's has been: a parent that was set up again begins
 *	with any, and with the same one the blocks of before are over, too
 * @start: block that it begins with
 *
 * Called as weir_generations_begin().
 */
void weir_generations_follow(struct weir_generations *gens, struct weir_retention *ret,
			     u16 generation, u32 start)
{
	write_seqlock(&gens->lock);
	weir_generations_restart(gens, ret, generation, start);
	write_sequnlock(&gens->lock);
}

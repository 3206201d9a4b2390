/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_GENERATION_H
#define _WEIR_GENERATION_H

#include <linux/compiler.h>
#include <linux/seqlock.h>
#include <linux/types.h>

struct weir_retention;

/**
 * struct weir_generations - the current generation of a job, and the one before
 * @lock: guards everything below; taken with bottom halves disabled
 * @now: the current generation, 0 before the first; only ever goes forward. Packets
 *	carry its lower half, which wraps; a block that a slot held since before must not
 *	be taken for a current one
 * @base: sequence number of its block 0
 * @start: block that it begins with
 * @before: the generation before, where its results are answered; else 0
 * @before_base: sequence number of that one's block 0
 * @resumed: the generation that the first packet of a job has resumed, see
 *	weir_generations_resume(); 0 if the job's first generation began with its first block
 *
 * Blocks have ids in packets, and sequence numbers in the box. The latter run on, modulo
 * 2^32, from the last block of one generation to the first of the next.
 */
struct weir_generations {
	seqlock_t	lock;	/* all of the below */
	u32		now;
	u32		base;
	u32		start;
	u32		before;
	u32		before_base;
	u32		resumed;
};

/**
 * struct weir_place - where a block that a packet names belongs
 * @generation: its generation, as weir_generations.now
 * @seq: its sequence number
 * @past: it is of the generation before, or of the current one before its start
 */
struct weir_place {
	u32	generation;
	u32	seq;
	bool	past;
};

/**
 * weir_generation_after() - test whether one generation is newer than another
 * @a: the one
 * @b: the other
 *
 * Serial arithmetic on 16 bits (RFC 1982).
 */
static inline bool weir_generation_after(u16 a, u16 b)
{
	return (s16)(a - b) > 0;
}

static inline bool weir_generations_look(const struct weir_generations *gens,
					 u16 generation, u32 id,
					 struct weir_place *place)
{
	u32 now = READ_ONCE(gens->now), before = READ_ONCE(gens->before);

	if (likely(generation == (u16)now)) {
		place->generation = now;
		place->seq = READ_ONCE(gens->base) + id;
		place->past = (s32)(id - READ_ONCE(gens->start)) < 0;
		return true;
	}
	place->generation = before;
	place->seq = READ_ONCE(gens->before_base) + id;
	place->past = true;
	return before && generation == (u16)before;
}

/**
 * weir_generations_find() - find the generation and the slot of a block
 * @gens: the job's generations
 * @generation: from a packet
 * @id: block id
 * @place: filled
 *
 * Called with bottom halves disabled. Another CPU may begin a generation right after.
 *
 * Return: whether blocks of that generation are taken, or answered, at all.
 */
static inline bool weir_generations_find(struct weir_generations *gens, u16 generation,
					 u32 id, struct weir_place *place)
{
	unsigned int seen;
	bool found;

	do {
		seen = read_seqbegin(&gens->lock);
		found = weir_generations_look(gens, generation, id, place);
	} while (read_seqretry(&gens->lock, seen));
	return found;
}

void weir_generations_init(struct weir_generations *gens);
u16 weir_generations_advance(struct weir_generations *gens, struct weir_retention *ret,
			     u16 generation, u32 id);
u16 weir_generations_begin(struct weir_generations *gens,
			   struct weir_retention *ret, u16 generation,
			   u32 start);
void weir_generations_resume(struct weir_generations *gens, struct weir_retention *ret,
			     u16 generation, u32 start);
void weir_generations_follow(struct weir_generations *gens, struct weir_retention *ret,
			     u16 generation, u32 start);

#endif /* _WEIR_GENERATION_H */

// SPDX-License-Identifier: GPL-2.0
/* Which ranks are behind which source, in a job that spans boxes. */
#include <linux/bitmap.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include "agg/base/payload.h"
#include "agg/format/trio.h"
#include "agg/job/join.h"
#include "agg/tree/level.h"

/* As the source's last join has them. */
static unsigned long *weir_level_claim_of(const struct weir_level *level, unsigned int sources,
					  unsigned int source)
{
	return level->sets + (size_t)(sources + source) * level->words;
}

/**
 * weir_level_new() - no source has named its ranks
 * @sources: sources of this box
 * @ranks: workers of all boxes, 1 at least
 *
 * Sleeps. Return: it, or NULL without memory.
 */
struct weir_level *weir_level_new(unsigned int sources, u16 ranks)
{
	size_t words = BITS_TO_LONGS(ranks);
	size_t sets = (2 * sources + 1 + WEIR_LEVEL_GONE) * words * sizeof(long);
	struct weir_level *level;

	level = kvzalloc(sizeof(*level) + sets + sources * sizeof(*level->weight),
			 GFP_KERNEL_ACCOUNT);
	if (!level)
		return NULL;
	level->ranks = ranks;
	level->words = words;
	level->sets = (unsigned long *)(level + 1);
	level->weight = (u16 *)((u8 *)level->sets + sets);
	return level;
}

/**
 * weir_level_free() - free it
 * @level: of a job that no packet can reach any more, or NULL
 */
void weir_level_free(struct weir_level *level)
{
	kvfree(level);
}

/**
 * weir_level_claim() - a source that joins names its ranks
 * @level: the job's
 * @table: its joins, locked
 * @source: which
 * @ranks: bitmap of level->ranks
 *
 * Claims of sources that have not joined since the last new number do not count: all workers may
 * have been started anew, in other places.
 *
 * Return: 0, or 1 and a rank that another source has named: then the source's last claim stays.
 */
unsigned int weir_level_claim(struct weir_level *level, const struct weir_join_table *table,
			      unsigned int source, const unsigned long *ranks)
{
	const unsigned long *other;
	unsigned int i;

	for (i = 0; i < table->n; i++) {
		other = weir_level_claim_of(level, table->n, i);
		if (i != source && table->joiner[i].is_alive &&
		    bitmap_intersects(other, ranks, level->ranks))
			return 1 + find_first_and_bit(other, ranks, level->ranks);
	}
	bitmap_copy(weir_level_claim_of(level, table->n, source), ranks, level->ranks);
	return 0;
}

/**
 * weir_level_claimed() - all ranks that sources have named
 * @level: the job's
 * @table: its joins, locked
 * @ranks: bitmap of level->ranks, filled
 */
void weir_level_claimed(const struct weir_level *level, const struct weir_join_table *table,
			unsigned long *ranks)
{
	unsigned int i;

	bitmap_zero(ranks, level->ranks);
	for (i = 0; i < table->n; i++)
		if (table->joiner[i].is_alive)
			bitmap_or(ranks, ranks, weir_level_claim_of(level, table->n, i),
				  level->ranks);
}

/**
 * weir_level_begin() - a generation is about to begin, with the sources that have joined
 * @level: the job's
 * @table: its joins, locked
 */
void weir_level_begin(struct weir_level *level, const struct weir_join_table *table)
{
	unsigned long *set;
	unsigned int i;

	memset(weir_level_gone(level, table->n, 0), 0,
	       WEIR_LEVEL_GONE * level->words * sizeof(long));
	weir_level_claimed(level, table, (unsigned long *)weir_level_all(level, table->n));
	for (i = 0; i < table->n; i++) {
		set = (unsigned long *)weir_level_of(level, i);
		if (table->joiner[i].is_alive)
			bitmap_copy(set, weir_level_claim_of(level, table->n, i), level->ranks);
		else
			bitmap_zero(set, level->ranks);
		level->weight[i] = bitmap_weight(set, level->ranks);
	}
}

/**
 * weir_level_below() - a box below says which ranks behind it are gone
 * @level: the job's
 * @table: its joins, locked
 * @source: which of the job's sources it is; it cannot speak for ranks that are not behind it
 * @dead: bitmap of level->ranks
 * @excluded: likewise
 */
void weir_level_below(struct weir_level *level, const struct weir_join_table *table,
		      unsigned int source, const unsigned long *dead, const unsigned long *excluded)
{
	const unsigned long *behind = weir_level_of(level, source);
	unsigned long *set = weir_level_gone(level, table->n, WEIR_LEVEL_DEAD);

	bitmap_replace(set, set, dead, behind, level->ranks);
	set = weir_level_gone(level, table->n, WEIR_LEVEL_EXCLUDED);
	bitmap_replace(set, set, excluded, behind, level->ranks);
}

/**
 * weir_level_above() - the parent says which ranks are gone; this box knows better of its own
 * @level: the job's
 * @table: its joins, locked
 * @dead: bitmap of level->ranks
 * @excluded: likewise
 */
void weir_level_above(struct weir_level *level, const struct weir_join_table *table,
		      const unsigned long *dead, const unsigned long *excluded)
{
	const unsigned long *own = weir_level_all(level, table->n);

	bitmap_andnot(weir_level_gone(level, table->n, WEIR_LEVEL_DEAD_ABOVE), dead, own,
		      level->ranks);
	bitmap_andnot(weir_level_gone(level, table->n, WEIR_LEVEL_EXCLUDED_ABOVE), excluded, own,
		      level->ranks);
}

/**
 * weir_level_read() - a bitmap of ranks in a packet
 * @level: the job's
 * @pl: bytes of the packet
 * @at: the bitmap's first
 * @ranks: bitmap of level->ranks, filled
 *
 * Return: whether it is there, and names no rank that the job has not.
 */
bool weir_level_read(const struct weir_level *level, const struct weir_payload *pl, u32 at,
		     unsigned long *ranks)
{
	unsigned int words = DIV_ROUND_UP(level->ranks, 32), bytes = words * sizeof(__be32);
	__be32 mask[WEIR_RANK_WORDS];

	if (weir_payload_copy_from(pl, at, mask, bytes) != bytes)
		return false;
	weir_bitmap_read(ranks, mask, words);
	return find_next_bit(ranks, words * 32, level->ranks) >= words * 32;
}

// SPDX-License-Identifier: GPL-2.0
/* Rank maps: the identity of a job of one box, and the map of a job that spans boxes. */
#include <linux/bitmap.h>
#include <linux/nospec.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <uapi/weir_bpf.h>

#include "agg/base/payload.h"
#include "agg/format/trio.h"
#include "agg/job/join.h"
#include "agg/tree/level.h"

static bool weir_rank_map_read_one(const struct weir_rank_map *map, const struct weir_contrib *c,
				   u16 member, const struct weir_payload *pl, unsigned long *ranks)
{
	return !(c->flags & WEIR_CONTRIB_UP) && member == c->source + 1;
}

static unsigned int weir_rank_map_claim_one(struct weir_rank_map *map,
					    const struct weir_join_table *table,
					    unsigned int source, const unsigned long *ranks)
{
	return 0;
}

/* A generation may begin without sources that are excluded. */
static unsigned int weir_rank_map_claimed_one(const struct weir_rank_map *map,
					      const struct weir_join_table *table)
{
	return map->ranks;
}

static void weir_rank_map_begin_one(struct weir_rank_map *map, const struct weir_join_table *table)
{
}

static void weir_rank_map_behind_one(const struct weir_rank_map *map, const unsigned long *sources,
				     unsigned long *ranks)
{
	bitmap_copy(ranks, sources, WEIR_SOURCES_MAX);
}

static void weir_rank_map_waiting_one(const struct weir_rank_map *map,
				      const struct weir_join_table *table,
				      const unsigned long *sources, unsigned long *ranks)
{
	bitmap_copy(ranks, sources, WEIR_SOURCES_MAX);
}

static void weir_rank_map_add_gone_none(const struct weir_rank_map *map, unsigned long *dead,
					unsigned long *excluded)
{
}

static const struct weir_rank_map_ops weir_rank_map_identity = {
	.read		= weir_rank_map_read_one,
	.claim		= weir_rank_map_claim_one,
	.claimed	= weir_rank_map_claimed_one,
	.begin		= weir_rank_map_begin_one,
	.behind		= weir_rank_map_behind_one,
	.waiting	= weir_rank_map_waiting_one,
	.add_gone	= weir_rank_map_add_gone_none,
};

/* As the source's last join has them. */
static unsigned long *weir_rank_map_claim_of(const struct weir_rank_map *map, unsigned int source)
{
	return map->sets + (size_t)(map->sources + source) * map->words;
}

static unsigned long *weir_rank_map_gone(const struct weir_rank_map *map, enum weir_rank_gone which)
{
	return map->sets + (size_t)(2 * map->sources + 1 + which) * map->words;
}

/* A worker is the rank that it says, else that of its source id; a box names all of its ranks. */
static bool weir_rank_map_read(const struct weir_rank_map *map, const struct weir_contrib *c,
			       u16 member, const struct weir_payload *pl, unsigned long *ranks)
{
	if (c->flags & WEIR_CONTRIB_UP)
		return weir_rank_map_copy(map, pl, sizeof(struct weir_join), ranks) &&
		       !bitmap_empty(ranks, map->ranks);
	bitmap_zero(ranks, map->ranks);
	if (member > map->ranks)
		return false;
	__set_bit(array_index_nospec(member - 1, map->ranks), ranks);
	return true;
}

static unsigned int weir_rank_map_claim(struct weir_rank_map *map,
					const struct weir_join_table *table,
					unsigned int source, const unsigned long *ranks)
{
	const unsigned long *other;
	unsigned int i;

	for (i = 0; i < table->n; i++) {
		other = weir_rank_map_claim_of(map, i);
		if (i != source && table->joiner[i].is_alive &&
		    bitmap_intersects(other, ranks, map->ranks))
			return 1 + find_first_and_bit(other, ranks, map->ranks);
	}
	bitmap_copy(weir_rank_map_claim_of(map, source), ranks, map->ranks);
	return 0;
}

/**
 * weir_rank_map_claims() - all ranks that sources which have joined have claimed
 * @map: the map of a job that spans boxes
 * @table: the job's joins, locked
 * @ranks: bitmap of map->ranks, filled
 */
void weir_rank_map_claims(const struct weir_rank_map *map, const struct weir_join_table *table,
			  unsigned long *ranks)
{
	unsigned int i;

	bitmap_zero(ranks, map->ranks);
	for (i = 0; i < table->n; i++)
		if (table->joiner[i].is_alive)
			bitmap_or(ranks, ranks, weir_rank_map_claim_of(map, i), map->ranks);
}

static unsigned int weir_rank_map_claimed(const struct weir_rank_map *map,
					  const struct weir_join_table *table)
{
	DECLARE_BITMAP(ranks, WEIR_RANKS_MAX);

	weir_rank_map_claims(map, table, ranks);
	return bitmap_weight(ranks, map->ranks);
}

static void weir_rank_map_begin(struct weir_rank_map *map, const struct weir_join_table *table)
{
	unsigned long *set;
	unsigned int i;

	memset(weir_rank_map_gone(map, 0), 0, WEIR_RANK_GONE * map->words * sizeof(long));
	weir_rank_map_claims(map, table, (unsigned long *)weir_rank_map_all(map));
	for (i = 0; i < table->n; i++) {
		set = (unsigned long *)weir_rank_map_of(map, i);
		if (table->joiner[i].is_alive)
			bitmap_copy(set, weir_rank_map_claim_of(map, i), map->ranks);
		else
			bitmap_zero(set, map->ranks);
		map->weight[i] = bitmap_weight(set, map->ranks);
	}
}

static void weir_rank_map_behind(const struct weir_rank_map *map, const unsigned long *sources,
				 unsigned long *ranks)
{
	unsigned int i;

	bitmap_zero(ranks, WEIR_RANKS_MAX);
	for_each_set_bit(i, sources, map->sources)
		bitmap_or(ranks, ranks, weir_rank_map_of(map, i), map->ranks);
}

/* The sources that wait have named their ranks. */
static void weir_rank_map_waiting(const struct weir_rank_map *map,
				  const struct weir_join_table *table,
				  const unsigned long *sources, unsigned long *ranks)
{
	bitmap_zero(ranks, WEIR_RANKS_MAX);
	weir_rank_map_claims(map, table, ranks);
}

static void weir_rank_map_add_gone(const struct weir_rank_map *map, unsigned long *dead,
				   unsigned long *excluded)
{
	bitmap_or(dead, dead, weir_rank_map_gone(map, WEIR_RANK_DEAD), map->ranks);
	bitmap_or(dead, dead, weir_rank_map_gone(map, WEIR_RANK_DEAD_ABOVE), map->ranks);
	bitmap_or(excluded, excluded, weir_rank_map_gone(map, WEIR_RANK_EXCLUDED), map->ranks);
	bitmap_or(excluded, excluded, weir_rank_map_gone(map, WEIR_RANK_EXCLUDED_ABOVE),
		  map->ranks);
}

static const struct weir_rank_map_ops weir_rank_map_spanning = {
	.spans		= true,
	.read		= weir_rank_map_read,
	.claim		= weir_rank_map_claim,
	.claimed	= weir_rank_map_claimed,
	.begin		= weir_rank_map_begin,
	.behind		= weir_rank_map_behind,
	.waiting	= weir_rank_map_waiting,
	.add_gone	= weir_rank_map_add_gone,
};

/**
 * weir_rank_map_new() - create a map; no source has claimed any rank
 * @sources: sources of this box
 * @ranks: workers of all boxes; 0 of a job of one box, whose ranks are its sources
 *
 * Sleeps. Return: the map, or NULL without memory.
 */
struct weir_rank_map *weir_rank_map_new(unsigned int sources, u16 ranks)
{
	size_t words = BITS_TO_LONGS(ranks);
	size_t sets = (2 * sources + 1 + WEIR_RANK_GONE) * words * sizeof(long);
	size_t weights = ranks ? sources * sizeof(u16) : 0;
	struct weir_rank_map *map;

	map = kvzalloc(sizeof(*map) + sets + weights, GFP_KERNEL_ACCOUNT);
	if (!map)
		return NULL;
	map->ops = ranks ? &weir_rank_map_spanning : &weir_rank_map_identity;
	map->ranks = ranks ?: sources;
	map->sources = sources;
	map->words = words;
	map->sets = (unsigned long *)(map + 1);
	map->weight = (u16 *)((u8 *)map->sets + sets);
	return map;
}

/**
 * weir_rank_map_free() - free it
 * @map: of a job that no packet can reach, or NULL
 */
void weir_rank_map_free(struct weir_rank_map *map)
{
	kvfree(map);
}

/**
 * weir_rank_map_below() - keep what a box below says of the ranks behind it
 * @map: the map of a job that spans boxes, the lock of the job's joins held
 * @source: source id of the box; it cannot speak for ranks that are not behind it
 * @dead: bitmap of map->ranks, those that are dead
 * @excluded: bitmap of map->ranks, those that are excluded
 */
void weir_rank_map_below(struct weir_rank_map *map, unsigned int source, const unsigned long *dead,
			 const unsigned long *excluded)
{
	const unsigned long *behind = weir_rank_map_of(map, source);
	unsigned long *set = weir_rank_map_gone(map, WEIR_RANK_DEAD);

	bitmap_replace(set, set, dead, behind, map->ranks);
	set = weir_rank_map_gone(map, WEIR_RANK_EXCLUDED);
	bitmap_replace(set, set, excluded, behind, map->ranks);
}

/**
 * weir_rank_map_above() - keep what the parent says of ranks; this box knows better of its own
 * @map: the map of a job that spans boxes, the lock of the job's joins held
 * @dead: bitmap of map->ranks, those that are dead
 * @excluded: bitmap of map->ranks, those that are excluded
 */
void weir_rank_map_above(struct weir_rank_map *map, const unsigned long *dead,
			 const unsigned long *excluded)
{
	const unsigned long *own = weir_rank_map_all(map);

	bitmap_andnot(weir_rank_map_gone(map, WEIR_RANK_DEAD_ABOVE), dead, own, map->ranks);
	bitmap_andnot(weir_rank_map_gone(map, WEIR_RANK_EXCLUDED_ABOVE), excluded, own,
		      map->ranks);
}

/**
 * weir_rank_map_copy() - read a bitmap of ranks in a packet
 * @map: the job's map
 * @pl: bytes of the packet
 * @at: offset of the bitmap
 * @ranks: bitmap of map->ranks, filled
 *
 * Return: true if it is there, and names no rank that the job does not have.
 */
bool weir_rank_map_copy(const struct weir_rank_map *map, const struct weir_payload *pl, u32 at,
			unsigned long *ranks)
{
	unsigned int words = DIV_ROUND_UP(map->ranks, 32), bytes = words * sizeof(__be32);
	__be32 mask[WEIR_RANK_WORDS];

	if (weir_payload_copy_from(pl, at, mask, bytes) != bytes)
		return false;
	weir_bitmap_read(ranks, mask, words);
	return find_next_bit(ranks, words * 32, map->ranks) >= words * 32;
}

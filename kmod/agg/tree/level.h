/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_LEVEL_H
#define _WEIR_LEVEL_H

/*
 * Rank maps: which ranks are behind which source of a job. In a job of one box a rank is a source,
 * and the map is the identity. In a job that spans boxes a source is a worker, which is one rank,
 * or a box; sources name their ranks when they join. So no one has to tell one box which workers
 * are behind another, and two that claim the same rank are found before anything is summed.
 */
#include <linux/bitmap.h>
#include <linux/math.h>
#include <linux/types.h>
#include <uapi/weir_wire.h>

#include "agg/job/job.h"

/* 32-bit words of the longest bitmap of ranks. */
#define WEIR_RANK_WORDS		(WEIR_RANKS_MAX / 32)

struct weir_contrib;
struct weir_join_table;
struct weir_payload;
struct weir_rank_map;

/**
 * struct weir_rank_map_ops - operations of a rank map
 * @spans: the job spans boxes: a source may be a box, and speak for the ranks behind it. Its
 *	generations are begun by joins alone
 * @read: read the ranks that a source joins with. @member: 1 and the rank that a worker says, 0 for
 *	none; @pl: the join, with a bitmap of ranks behind it if the source is a box. Returns false
 *	if the job cannot have them
 * @claim: a source that joins claims its ranks; the claims of sources that have not joined since
 *	the last new number do not count, as all workers may have been restarted, in other places.
 *	Returns 0, or 1 and a rank that another source has: then the source's last claim stays
 * @claimed: count the ranks that the sources which have joined have claimed
 * @begin: a generation is about to begin, with the sources that have joined
 * @behind: fill @ranks with those behind @sources in the current generation
 * @waiting: fill @ranks with those that wait for the next generation, of whose sources @sources
 *	wait
 * @add_gone: add the ranks that other boxes have found dead, and excluded
 *
 * All but @read and @behind are called with the lock of the job's joins held. Bitmaps of ranks are
 * of WEIR_RANKS_MAX, those of sources of WEIR_SOURCES_MAX.
 */
struct weir_rank_map_ops {
	bool		spans;
	bool		(*read)(const struct weir_rank_map *map, const struct weir_contrib *c,
				u16 member, const struct weir_payload *pl, unsigned long *ranks);
	unsigned int	(*claim)(struct weir_rank_map *map, const struct weir_join_table *table,
				 unsigned int source, const unsigned long *ranks);
	unsigned int	(*claimed)(const struct weir_rank_map *map,
				   const struct weir_join_table *table);
	void		(*begin)(struct weir_rank_map *map, const struct weir_join_table *table);
	void		(*behind)(const struct weir_rank_map *map, const unsigned long *sources,
				  unsigned long *ranks);
	void		(*waiting)(const struct weir_rank_map *map,
				   const struct weir_join_table *table,
				   const unsigned long *sources, unsigned long *ranks);
	void		(*add_gone)(const struct weir_rank_map *map, unsigned long *dead,
				    unsigned long *excluded);
};

/**
 * struct weir_rank_map - which ranks are behind which source of a job
 * @ops: its operations
 * @ranks: workers of all boxes
 * @sources: sources of this box
 * @words: longs that a bitmap of the ranks takes; of the identity map 0, and so for all below
 * @weight: by source, how many ranks are behind it in the current generation
 * @sets: bitmaps of ranks, by source: those behind it in the current generation, then those that
 *	it has named in its last join; then those behind all sources; then enum weir_rank_gone
 * @heard: time of the last notice of a source that was passed on, ns; guarded by the lock of the
 *	job's joins
 */
struct weir_rank_map {
	const struct weir_rank_map_ops	*ops;
	u16				ranks;
	u16				sources;
	u16				words;
	u16				*weight;
	unsigned long			*sets;
	u64				heard;
};

/**
 * enum weir_rank_gone - ranks that other boxes have found silent, guarded by the lock of the joins
 * @WEIR_RANK_DEAD: dead, as boxes below have said of ranks behind them
 * @WEIR_RANK_EXCLUDED: excluded, as boxes below have said
 * @WEIR_RANK_DEAD_ABOVE: dead, as the parent has said of all others
 * @WEIR_RANK_EXCLUDED_ABOVE: excluded, as the parent has said
 * @WEIR_RANK_GONE: number of kinds
 */
enum weir_rank_gone {
	WEIR_RANK_DEAD,
	WEIR_RANK_EXCLUDED,
	WEIR_RANK_DEAD_ABOVE,
	WEIR_RANK_EXCLUDED_ABOVE,
	WEIR_RANK_GONE,
};

struct weir_rank_map *weir_rank_map_new(unsigned int sources, u16 ranks);
void weir_rank_map_free(struct weir_rank_map *map);
void weir_rank_map_below(struct weir_rank_map *map, unsigned int source, const unsigned long *dead,
			 const unsigned long *excluded);
void weir_rank_map_above(struct weir_rank_map *map, const unsigned long *dead,
			 const unsigned long *excluded);
void weir_rank_map_claims(const struct weir_rank_map *map, const struct weir_join_table *table,
			  unsigned long *ranks);
bool weir_rank_map_copy(const struct weir_rank_map *map, const struct weir_payload *pl, u32 at,
			unsigned long *ranks);

/**
 * weir_rank_map_of() - the ranks behind a source in the current generation
 * @map: the map of a job that spans boxes
 * @source: source id
 *
 * Any context. Another CPU may begin a generation meanwhile; no block of the one before is
 * completed then.
 */
static inline const unsigned long *weir_rank_map_of(const struct weir_rank_map *map,
						    unsigned int source)
{
	return map->sets + (size_t)source * map->words;
}

/* The ranks behind all sources in the current generation. */
static inline const unsigned long *weir_rank_map_all(const struct weir_rank_map *map)
{
	return weir_rank_map_of(map, 2 * map->sources);
}

/**
 * weir_job_words() - 32-bit words of a bitmap of a job's ranks
 * @job: the job
 */
static inline unsigned int weir_job_words(const struct weir_job *job)
{
	return DIV_ROUND_UP(job->map->ranks, 32);
}

#endif /* _WEIR_LEVEL_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_LEVEL_H
#define _WEIR_LEVEL_H

#include <linux/bitmap.h>
#include <linux/math.h>
#include <linux/types.h>
#include <uapi/weir_wire.h>

#include "agg/job/job.h"

/* 32-bit words of the longest bitmap of ranks. */
#define WEIR_RANK_WORDS		(WEIR_RANKS_MAX / 32)

struct weir_join_table;
struct weir_payload;

/**
 * struct weir_level - the ranks behind the sources of a job that spans boxes
 * @ranks: workers of all boxes
 * @words: longs that a bitmap of them takes
 * @weight: by source, how many of them are behind it in the current generation
 * @sets: bitmaps of ranks, by source: those behind it in the current generation, then those that
 *	it has named in its last join; then those behind all sources; then enum weir_level_gone
 * @heard: when a source's notice was passed on last, ns; guarded by the lock of the job's joins
 *
 * A source is a worker, which is one rank, or a box. Sources name their ranks when they join; so
 * nobody has to tell one box which workers are behind another, and two that claim the same rank
 * are found before anything is summed.
 */
struct weir_level {
	u16		ranks;
	u16		words;
	u16		*weight;
	unsigned long	*sets;
	u64		heard;
};

/**
 * enum weir_level_gone - ranks that other boxes have found silent, guarded by the lock of the joins
 * @WEIR_LEVEL_DEAD: dead, as boxes below have said of ranks behind them
 * @WEIR_LEVEL_EXCLUDED: likewise, excluded
 * @WEIR_LEVEL_DEAD_ABOVE: dead, as the parent has said of all others
 * @WEIR_LEVEL_EXCLUDED_ABOVE: likewise, excluded
 * @WEIR_LEVEL_GONE: how many kinds there are
 */
enum weir_level_gone {
	WEIR_LEVEL_DEAD,
	WEIR_LEVEL_EXCLUDED,
	WEIR_LEVEL_DEAD_ABOVE,
	WEIR_LEVEL_EXCLUDED_ABOVE,
	WEIR_LEVEL_GONE,
};

struct weir_level *weir_level_new(unsigned int sources, u16 ranks);
void weir_level_free(struct weir_level *level);
unsigned int weir_level_claim(struct weir_level *level, const struct weir_join_table *table,
			      unsigned int source, const unsigned long *ranks);
void weir_level_claimed(const struct weir_level *level, const struct weir_join_table *table,
			unsigned long *ranks);
void weir_level_begin(struct weir_level *level, const struct weir_join_table *table);
void weir_level_below(struct weir_level *level, const struct weir_join_table *table,
		      unsigned int source, const unsigned long *dead,
		      const unsigned long *excluded);
void weir_level_above(struct weir_level *level, const struct weir_join_table *table,
		      const unsigned long *dead, const unsigned long *excluded);
bool weir_level_read(const struct weir_level *level, const struct weir_payload *pl, u32 at,
		     unsigned long *ranks);

/**
 * weir_level_of() - the ranks behind a source in the current generation
 * @level: the job's
 * @source: source id
 *
 * Any context. Another CPU may begin a generation meanwhile; no block of the one before is
 * completed then.
 */
static inline const unsigned long *weir_level_of(const struct weir_level *level,
						 unsigned int source)
{
	return level->sets + (size_t)source * level->words;
}

/* Of all sources. */
static inline const unsigned long *weir_level_all(const struct weir_level *level,
						  unsigned int sources)
{
	return weir_level_of(level, 2 * sources);
}

static inline unsigned long *weir_level_gone(const struct weir_level *level, unsigned int sources,
					     enum weir_level_gone which)
{
	return level->sets + (size_t)(2 * sources + 1 + which) * level->words;
}

/**
 * weir_job_words() - 32-bit words of a bitmap of a job's sources, or ranks where it spans boxes
 * @job: the job
 */
static inline unsigned int weir_job_words(const struct weir_job *job)
{
	return DIV_ROUND_UP(job->level ? job->level->ranks : job->blocks.sources, 32);
}

#endif /* _WEIR_LEVEL_H */

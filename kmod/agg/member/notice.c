// SPDX-License-Identifier: GPL-2.0
/*
 * Notices tell the sources of a job which of them are dead, excluded, or wait for the next
 * generation.
 */
#include <linux/bitmap.h>

#include "core/base/compat.h"
#include "agg/base/payload.h"
#include "agg/format/trio.h"
#include "agg/tree/level.h"
#include "agg/member/notice.h"
#include "agg/tree/pace.h"
#include "agg/tree/parent.h"
#include "agg/tx/send.h"
#include "agg/job/source.h"

/*
 * A notice as all get it but for its address. The bitmaps of struct weir_notice are of ranks, and
 * may be longer if the job spans boxes.
 */
struct weir_notice_packet {
	struct weir_trio	hdr;
	__be32			bits[3 * WEIR_RANK_WORDS];
};

enum { WEIR_NOTICE_DEAD, WEIR_NOTICE_EXCLUDED, WEIR_NOTICE_WAITING };

static unsigned int weir_notice_words(const struct weir_job *job)
{
	return max(weir_job_words(job), WEIR_BITMAP_WORDS);
}

static __be32 *weir_notice_bits(struct weir_notice_packet *p, const struct weir_job *job,
				unsigned int which)
{
	return p->bits + which * weir_notice_words(job);
}

/* @dead: of WEIR_SOURCES_MAX, filled. */
static void weir_notice_dead(const struct weir_job *job, unsigned long *dead)
{
	unsigned int i;

	bitmap_zero(dead, WEIR_SOURCES_MAX);
	for (i = 0; i < job->blocks.sources; i++)
		if (weir_source_is_gone(READ_ONCE(job->watch.watched[i].state)))
			__set_bit(i, dead);
}

/**
 * weir_notice_gone_ranks() - all ranks of a job that are dead, and excluded
 * @job: the job
 * @dead: bitmap of WEIR_RANKS_MAX, filled
 * @excluded: bitmap of WEIR_RANKS_MAX, filled with those of @dead that blocks are complete without
 *
 * As far as this box knows: of its own sources, and what others have said. Any context that may
 * take the lock of the joins.
 */
void weir_notice_gone_ranks(struct weir_job *job, unsigned long *dead, unsigned long *excluded)
{
	const struct weir_rank_map *map = job->map;
	DECLARE_BITMAP(sources, WEIR_SOURCES_MAX);

	weir_notice_dead(job, sources);
	map->ops->behind(map, sources, dead);
	map->ops->behind(map, job->blocks.excluded, excluded);
	spin_lock_bh(&job->join.lock);
	map->ops->add_gone(map, dead, excluded);
	spin_unlock_bh(&job->join.lock);
}

static noinline void weir_notice_fill_waiting(struct weir_notice_packet *p, struct weir_job *job,
					      const unsigned long *waiting)
{
	DECLARE_BITMAP(ranks, WEIR_RANKS_MAX);

	spin_lock(&job->join.lock);
	job->map->ops->waiting(job->map, &job->join, waiting, ranks);
	spin_unlock(&job->join.lock);
	weir_bitmap_fill(weir_notice_bits(p, job, WEIR_NOTICE_WAITING), weir_notice_words(job),
			 ranks);
}

static noinline void weir_notice_fill_gone(struct weir_notice_packet *p, struct weir_job *job)
{
	DECLARE_BITMAP(dead, WEIR_RANKS_MAX);
	DECLARE_BITMAP(excluded, WEIR_RANKS_MAX);
	unsigned int n = weir_notice_words(job);

	weir_notice_gone_ranks(job, dead, excluded);
	weir_bitmap_fill(weir_notice_bits(p, job, WEIR_NOTICE_DEAD), n, dead);
	weir_bitmap_fill(weir_notice_bits(p, job, WEIR_NOTICE_EXCLUDED), n, excluded);
}

/* @members and @waiting: of WEIR_SOURCES_MAX, filled as weir_join_look() does. */
static void weir_notice_fill(struct weir_notice_packet *p, struct weir_job *job,
			     unsigned long *members, unsigned long *waiting)
{
	weir_trio_fill(&p->hdr, job->id, weir_blocks_generation(&job->blocks), 0,
		       WEIR_TRIO_NOTICE |
		       (READ_ONCE(job->joined) ? 0 : WEIR_TRIO_DEGRADED),
		       job->blocks.sources, 0);
	weir_join_look(&job->join, members, waiting);
	weir_notice_fill_gone(p, job);
	weir_notice_fill_waiting(p, job, waiting);
}

/* A source that may not hear gets the header alone, which is no longer than any packet. */
static void weir_notice_send(struct weir_job *job, struct weir_source *source,
			     unsigned int id, struct weir_notice_packet *p)
{
	struct weir_packet pkt = {
		.head		= p,
		.head_len	= sizeof(p->hdr),
	};

	if (weir_source_hears(source))
		pkt.head_len += 3 * weir_notice_words(job) * sizeof(p->bits[0]);

	p->hdr.src_id = id;
	weir_send(job, &source->dest, source->stats, &pkt, WEIR_C_NOTICES);
}

/* To sources that have not asked: none to a source that may not hear it. */
static void weir_notice_send_all(struct weir_job *job, const unsigned long *to,
				 struct weir_notice_packet *p)
{
	struct weir_source *source;
	unsigned int i;

	for_each_set_bit(i, to, job->blocks.sources) {
		source = weir_source_get(job, i);
		if (source && weir_source_hears(source))
			weir_notice_send(job, source, i, p);
	}
}

/**
 * weir_notice() - tell a source why its packet was refused, or for whom its join waits
 * @job: the job
 * @id: the source's id
 * @block: the block that it was about
 *
 * Called under RCU with bottom halves disabled and no lock held.
 */
void weir_notice(struct weir_job *job, unsigned int id, u32 block)
{
	struct weir_source *source = weir_source_get(job, id);
	DECLARE_BITMAP(members, WEIR_SOURCES_MAX);
	DECLARE_BITMAP(waiting, WEIR_SOURCES_MAX);
	struct weir_notice_packet p;

	if (!source)
		return;
	weir_notice_fill(&p, job, members, waiting);
	put_unaligned_be32(block, p.hdr.block_id);
	weir_notice_send(job, source, id, &p);
}

/**
 * weir_notice_behind_at() - report to a source that a result which it lacks was evicted
 * @job: the job
 * @id: the source's id
 * @block: block id of the result
 * @oldest: block id of the first result from which on none was evicted
 * @next: block id after the last one that any source has sent
 *
 * Called under RCU with bottom halves disabled and no lock held. A source that has not shown that
 * it receives gets nothing.
 */
void weir_notice_behind_at(struct weir_job *job, unsigned int id, u32 block, u32 oldest, u32 next)
{
	struct weir_source *source = weir_source_get(job, id);
	struct {
		struct weir_trio hdr;
		struct weir_behind behind;
	} __packed p;
	const struct weir_packet pkt = {
		.head		= &p,
		.head_len	= sizeof(p),
	};

	if (!source || !weir_source_hears(source))
		return;
	weir_trio_fill(&p.hdr, job->id, weir_blocks_generation(&job->blocks), block,
		       WEIR_TRIO_BEHIND, job->blocks.sources, 0);
	p.hdr.src_id = id;
	p.behind.oldest = htonl(oldest);
	p.behind.next = htonl(next);
	weir_send(job, &source->dest, source->stats, &pkt, WEIR_C_NOTICES);
}

/**
 * weir_notice_behind() - report to a source that this box has evicted a result which it lacks
 * @job: the job
 * @id: the source's id
 * @block: block id of the result, in the current generation
 *
 * Called as weir_notice_behind_at().
 */
void weir_notice_behind(struct weir_job *job, unsigned int id, u32 block)
{
	const struct weir_generations *gens = &job->blocks.gens;
	u32 base = READ_ONCE(gens->base), start = READ_ONCE(gens->start);
	u32 oldest = weir_retention_oldest(&job->blocks.retention) - base;

	weir_notice_behind_at(job, id, block, (s32)(oldest - start) < 0 ? start : oldest,
			      READ_ONCE(job->blocks.retention.front) + 1 - base);
}

/**
 * weir_notice_all() - tell all members which sources are dead and which want to come back
 * @job: the job
 *
 * Called as weir_notice(). A source that has not joined knows nothing of notices.
 */
void weir_notice_all(struct weir_job *job)
{
	DECLARE_BITMAP(members, WEIR_SOURCES_MAX);
	DECLARE_BITMAP(waiting, WEIR_SOURCES_MAX);
	struct weir_notice_packet p;

	weir_notice_fill(&p, job, members, waiting);
	weir_notice_send_all(job, members, &p);
}

/**
 * weir_notice_members() - tell the sources that run a generation which of them wait for the next
 * @job: the job
 *
 * Called as weir_notice(). The sources that wait know it themselves.
 */
void weir_notice_members(struct weir_job *job)
{
	DECLARE_BITMAP(members, WEIR_SOURCES_MAX);
	DECLARE_BITMAP(waiting, WEIR_SOURCES_MAX);
	struct weir_notice_packet p;

	weir_notice_fill(&p, job, members, waiting);
	bitmap_andnot(members, members, waiting, WEIR_SOURCES_MAX);
	weir_notice_send_all(job, members, &p);
}

/* Read a bitmap of ranks from @pl; empty if it is missing, or has ranks that do not exist. */
static void weir_notice_read(const struct weir_job *job, const struct weir_payload *pl,
			     unsigned int which, unsigned long *ranks)
{
	if (!weir_rank_map_copy(job->map, pl, which * weir_notice_words(job) * sizeof(__be32),
				ranks))
		bitmap_zero(ranks, WEIR_RANKS_MAX);
}

/**
 * weir_notice_above() - keep what the parent box says of other boxes' ranks
 * @job: the job
 * @pl: its three bitmaps of ranks, as on the wire
 *
 * Called as weir_notice().
 */
void weir_notice_above(struct weir_job *job, const struct weir_payload *pl)
{
	DECLARE_BITMAP(dead, WEIR_RANKS_MAX);
	DECLARE_BITMAP(excluded, WEIR_RANKS_MAX);

	weir_notice_read(job, pl, WEIR_NOTICE_DEAD, dead);
	weir_notice_read(job, pl, WEIR_NOTICE_EXCLUDED, excluded);
	spin_lock(&job->join.lock);
	weir_rank_map_above(job->map, dead, excluded);
	spin_unlock(&job->join.lock);
}

/* Keep what a box below says, and return whether another notice that it causes is due. */
static noinline bool weir_notice_keep_below(struct weir_job *job, unsigned int id,
					    const struct weir_payload *pl, u64 now)
{
	DECLARE_BITMAP(dead, WEIR_RANKS_MAX);
	DECLARE_BITMAP(excluded, WEIR_RANKS_MAX);
	bool may;

	weir_notice_read(job, pl, WEIR_NOTICE_DEAD, dead);
	weir_notice_read(job, pl, WEIR_NOTICE_EXCLUDED, excluded);
	spin_lock(&job->join.lock);
	weir_rank_map_below(job->map, id, dead, excluded);
	may = weir_pace_is_due(&job->map->heard, now);
	spin_unlock(&job->join.lock);
	return may;
}

/**
 * weir_notice_below() - a box below says which ranks behind it are gone
 * @job: the job
 * @id: the source that it is
 * @pl: its three bitmaps of ranks, as on the wire
 * @now: time, ns of the monotonic clock
 *
 * Called as weir_notice(). All members hear of it, and the job's parent, twenty times a second at
 * most: the box says it again as long as it holds, and some times after that.
 */
void weir_notice_below(struct weir_job *job, unsigned int id, const struct weir_payload *pl,
		       u64 now)
{
	if (!weir_notice_keep_below(job, id, pl, now))
		return;
	weir_notice_all(job);
	weir_notice_up(job);
}

/**
 * weir_notice_up() - tell the parent box, if there is one, which ranks below are gone
 * @job: the job
 *
 * Called as weir_notice().
 */
void weir_notice_up(struct weir_job *job)
{
	unsigned int words = weir_notice_words(job);
	struct weir_notice_packet p;

	if (!READ_ONCE(job->joined))
		return;
	weir_notice_fill_gone(&p, job);
	memset(weir_notice_bits(&p, job, WEIR_NOTICE_WAITING), 0, words * sizeof(p.bits[0]));
	job->uplink->notice(job, &p.hdr, sizeof(p.hdr) + weir_notice_bytes(job));
}

/**
 * weir_notice_pass() - pass on what the parent box says
 * @job: the job
 * @block: block that it is about
 * @generation: the parent's
 * @pl: its three bitmaps of ranks, as on the wire; may be empty
 *
 * Called as weir_notice(). To all sources, also those that wait for a generation to begin.
 */
void weir_notice_pass(struct weir_job *job, u32 block, u16 generation,
		      const struct weir_payload *pl)
{
	unsigned int i, n = 3 * weir_notice_words(job);
	DECLARE_BITMAP(members, WEIR_SOURCES_MAX);
	DECLARE_BITMAP(waiting, WEIR_SOURCES_MAX);
	struct weir_notice_packet p;
	__be32 word;

	weir_notice_fill(&p, job, members, waiting);
	for (i = 0; i < n; i++)
		if (weir_payload_copy_from(pl, i * sizeof(word), &word, sizeof(word)) ==
		    sizeof(word))
			p.bits[i] |= word;
	p.hdr.flags = WEIR_TRIO_NOTICE;
	put_unaligned_be16(generation, p.hdr.gen_id);
	put_unaligned_be32(block, p.hdr.block_id);
	bitmap_or(members, members, waiting, WEIR_SOURCES_MAX);
	weir_notice_send_all(job, members, &p);
}

/**
 * weir_notice_bytes() - bytes of a notice's bitmaps in a job
 * @job: the job
 */
unsigned int weir_notice_bytes(const struct weir_job *job)
{
	return 3 * weir_notice_words(job) * sizeof(__be32);
}

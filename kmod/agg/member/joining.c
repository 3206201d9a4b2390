// SPDX-License-Identifier: GPL-2.0
/*
 * The way of a join: it is held against the job, its source shows by a cookie that it receives
 * at its address, the table (job/join.c) says whether a generation begins, and the box answers.
 */
#include <linux/bitmap.h>
#include <linux/random.h>

#include "core/base/compat.h"
#include "agg/base/notify.h"
#include "agg/base/payload.h"
#include "agg/format/format.h"
#include "agg/format/trio.h"
#include "agg/member/joining.h"
#include "agg/tree/level.h"
#include "agg/member/notice.h"
#include "agg/tree/parent.h"
#include "agg/tx/send.h"
#include "agg/job/source.h"
#include "agg/member/straggler.h"
#include "agg/type/reduce.h"

/**
 * struct weir_joining - a join under way
 * @source: the source that it came from
 * @words: the contents of the join
 * @box: the source is a box, with a parent in this one
 * @ranks: the ranks behind it, if the job spans boxes
 * @taken: 1 and a rank among them that another source has; 0 for none
 * @there: number of ranks, once the last source has joined; else 0
 */
struct weir_joining {
	unsigned int		source;
	struct weir_join_words	words;
	bool			box;
	const unsigned long	*ranks;
	u16			taken;
	u16			there;
};

/* Fill in a job's figures for its workers: if it spans boxes, those that hold for all of them. */
static void weir_answer_figures(struct weir_join *answer, const struct weir_job *job)
{
	u32 blocks = job->blocks.open_max, grads = job->grads;
	u16 room = weir_blocks_room(&job->blocks);

	job->uplink->limit(job, &blocks, &grads, &room);
	answer->cookie = (__force u64)cpu_to_be64(weir_scan_answers_after(&job->scan));
	answer->ranks = htonl(job->map->ranks);
	answer->blocks = htonl(blocks);
	answer->grads = htonl(grads);
	answer->dtype = job->blocks.reduction->dtype;
	answer->op = job->blocks.reduction->op;
	answer->format = job->format->id;
	answer->features = WEIR_JOIN_ACKS;
	if (weir_trio_has_shares(job->format, job->blocks.reduction))
		answer->features |= WEIR_JOIN_SHARES;
	answer->cwnd_cap = htons(room);
}

/* An answer is as long as a join. @join: the job's figures, or others that did not fit. */
static void weir_answer(struct weir_job *job, unsigned int id,
			const struct weir_membership *in, const struct weir_join *join, u8 flags)
{
	struct weir_source *source = weir_source_get(job, id);
	struct {
		struct weir_trio hdr;
		struct weir_join join;
	} __packed answer;
	struct weir_packet pkt = {
		.head		= &answer,
		.head_len	= sizeof(answer),
	};

	if (!source)
		return;
	weir_trio_fill(&answer.hdr, job->id, in->generation, in->start, flags,
		       job->blocks.sources, 0);
	answer.hdr.src_id = id;
	answer.join = *join;
	answer.join.nonce = in->nonce;
	weir_send(job, &source->dest, source->stats, &pkt, WEIR_C_ANSWERS);
}

/*
 * A box that was set up again while the generation went on joins it again, and goes on where its
 * sources do: what is before that they have. Before it has shown a block, it has to begin where all
 * others do.
 */
static void weir_join_resume(struct weir_job *job, unsigned int id,
			     u32 lacks, struct weir_membership *in)
{
	struct weir_place place;

	if (weir_generations_find(&job->blocks.gens, in->generation,
				  in->start, &place) &&
	    weir_retention_is_at(&job->blocks.retention, id, place.seq))
		in->start = lacks;
}

/*
 * Its generation, to a source that is in one. A source that is bound to another address since it
 * joined is told when it joins from there. @again: the join of a box that is in it; else NULL.
 */
static void weir_join_answer(struct weir_job *job, unsigned int id,
			     const struct weir_joining *again)
{
	struct weir_source *source = weir_source_get(job, id);
	struct weir_membership in;
	struct weir_join figures = {};

	if (!source || !weir_source_hears(source) || !weir_join_member(&job->join, id, &in))
		return;
	if (again)
		weir_join_resume(job, id, again->words.lacks, &in);
	weir_answer_figures(&figures, job);
	if (in.little)
		figures.features |= WEIR_JOIN_LITTLE;
	weir_answer(job, id, &in, &figures, WEIR_TRIO_CONTROL);
}

/*
 * To a source whose join does not fit the job: the answer names the job's properties, and the rank
 * that another source has, or how many ranks there are where they are too few.
 */
static void weir_join_refuse(struct weir_job *job, const struct weir_joining *joining)
{
	const struct weir_membership none = { .nonce = joining->words.nonce };
	struct weir_join figures = {};

	weir_answer_figures(&figures, job);
	figures.member = htons(joining->taken);
	if (joining->there)
		figures.ranks = htonl(joining->there);
	weir_answer(job, joining->source, &none, &figures,
		    WEIR_TRIO_CONTROL | WEIR_TRIO_DEGRADED);
}

/*
 * To a source that has yet to show that it receives at its address: the cookie to bring. Workers
 * that have other boxes for the job ask them so, and learn whether any rank waits there.
 */
static void weir_join_challenge(struct weir_job *job, unsigned int id, u32 nonce, u64 cookie,
				u64 now)
{
	const struct weir_membership none = { .nonce = nonce };
	struct weir_join figures = {};

	weir_answer_figures(&figures, job);
	figures.cookie = cookie;
	figures.member = htons(weir_join_waiting(&job->join, now));
	weir_answer(job, id, &none, &figures, WEIR_TRIO_COOKIE);
}

/* A generation begins. */
static void weir_join_answer_all(struct weir_job *job)
{
	unsigned int i;

	for (i = 0; i < job->blocks.sources; i++)
		weir_join_answer(job, i, NULL);
}

/* A generation has begun. @back: sources that it has brought back. */
static void weir_join_started(struct weir_job *job, const unsigned long *back)
{
	weir_straggler_back(job, back);
	weir_join_answer_all(job);
	weir_notify->generation(job);
}

/* Sources that join the generation that is about to begin; in @back, those found silent before. */
static void weir_join_gather(struct weir_job *job, unsigned long *back)
{
	unsigned int i;

	lockdep_assert_held(&job->join.lock);

	for (i = 0; i < job->blocks.sources; i++)
		if (job->join.joiner[i].is_member && weir_straggler_joined(job, i))
			__set_bit(i, back);
}

/* All that depends on who is in the generation that begins, before it does. */
static void weir_join_enter(struct weir_job *job, u32 start, bool little, unsigned long *back)
{
	job->map->ops->begin(job->map, &job->join);
	weir_join_begin(&job->join, start, little);
	weir_join_gather(job, back);
}

/*
 * The first generation that a box gives out is a random one: packets that are still under way
 * from before the box was set up again are hardly of it. The later ones follow each other.
 */
static void weir_join_start(struct weir_job *job)
{
	u16 step = 1, generation;

	lockdep_assert_held(&job->join.lock);

	if (!xchg(&job->joined, true))
		step += get_random_u32_below(S16_MAX);
	generation = weir_blocks_generation(&job->blocks) + step;
	job->join.generation = weir_blocks_begin(&job->blocks, generation,
						 job->join.start);
}

/*
 * All sources have joined: a generation begins with the earliest block that any of them lacks. In a
 * job that spans boxes the root waits until all ranks are behind them, and the others ask their
 * parents to begin it.
 */
static enum weir_join_verdict weir_join_complete(struct weir_job *job,
						 struct weir_joining *joining,
						 u64 now, unsigned long *back)
{
	enum weir_join_verdict verdict = job->uplink->join(job, now);
	struct weir_join_words words;

	if (verdict != WEIR_JOIN_START)
		return verdict;
	joining->there = job->map->ops->claimed(job->map, &job->join);
	if (joining->there < job->map->ranks)
		return WEIR_JOIN_MISFIT;
	weir_join_sum_up(&job->join, &words);
	weir_join_enter(job, words.lacks, words.little, back);
	weir_join_start(job);
	return WEIR_JOIN_START;
}

/*
 * A generation begins under the table's lock, and when no source in it is excluded:
 * other CPUs may hear from any of its sources at that very moment. A source that repeats its
 * join is not found to be in it before, and a source in it is neither told of another
 * generation nor that it is out. @back is as weir_join_gather() fills it, empty at first;
 * @long_wait says whether the source may want to know for whom it waits.
 */
static enum weir_join_verdict weir_join_locked(struct weir_job *job, struct weir_joining *joining,
					       u64 now, unsigned long *back, bool *long_wait)
{
	struct weir_join_table *table = &job->join;
	enum weir_join_verdict verdict;

	spin_lock(&table->lock);
	*long_wait = false;
	joining->taken = job->map->ops->claim(job->map, table, joining->source, joining->ranks);
	if (joining->taken) {
		verdict = WEIR_JOIN_MISFIT;
		goto unlock;
	}
	verdict = weir_join(table, joining->source, &joining->words, job->blocks.excluded, now);
	if (verdict == WEIR_JOIN_START)
		verdict = weir_join_complete(job, joining, now, back);
	*long_wait = weir_join_is_long(table, verdict, now);
unlock:
	spin_unlock(&table->lock);
	return verdict;
}

/*
 * A worker that sends other numbers than the job's would get sums without a meaning. A worker
 * that leaves type and operation open reads them in the answer.
 */
static bool weir_join_fits(const struct weir_job *job, const struct weir_join *join)
{
	const struct weir_reduction *reduction = job->blocks.reduction;

	return job->format->joins && join->format == job->format->id &&
	       ntohl(join->ranks) == job->map->ranks && join->grads &&
	       ntohl(join->grads) <= job->grads &&
	       (!join->dtype || join->dtype == reduction->dtype) &&
	       (!join->op || join->op == reduction->op);
}

/* Act on a join, after the lock was dropped. */
static int weir_join_act(struct weir_job *job, const struct weir_joining *joining,
			 enum weir_join_verdict verdict, const unsigned long *back)
{
	switch (verdict) {
	case WEIR_JOIN_TELL:
		weir_notice_members(job);
		break;
	case WEIR_JOIN_WAIT:
		break;
	case WEIR_JOIN_AGAIN:
		weir_join_answer(job, joining->source, joining->box ? joining : NULL);
		break;
	case WEIR_JOIN_ABOVE:
		weir_parent_join(job);
		break;
	case WEIR_JOIN_MISFIT:
		weir_join_refuse(job, joining);
		return WEIR_REASON_JOIN;
	case WEIR_JOIN_START:
		weir_join_started(job, back);
		break;
	}
	return 0;
}

/**
 * weir_join_take() - a join has come
 * @job: the job
 * @source: the source whose address it came from
 * @c: the parsed packet
 * @pl: the join, all of it
 * @now: time, ns of the monotonic clock
 *
 * Called under RCU with bottom halves disabled and no lock held. A join brings a packet of its
 * own length to its source, or, where it waits for long, a notice; and where a generation begins or
 * one in it is to be told that the source waits, a packet to each source of the job that is known
 * to hear. Where it was the last that a box with a parent waits for, a join goes up.
 *
 * Return: 0, or WEIR_REASON_JOIN where it does not fit the job.
 */
int weir_join_take(struct weir_job *job, struct weir_source *source,
		   const struct weir_contrib *c, const struct weir_payload *pl, u64 now)
{
	DECLARE_BITMAP(ranks, WEIR_RANKS_MAX);
	DECLARE_BITMAP(back, WEIR_SOURCES_MAX) = {};
	struct weir_joining joining = {
		.source	= c->source,
		.box	= c->flags & WEIR_CONTRIB_UP,
		.ranks	= ranks,
	};
	enum weir_join_verdict verdict;
	struct weir_join join;
	bool long_wait;
	u64 cookie;

	weir_payload_copy(pl, &join, sizeof(join));
	joining.words.nonce = join.nonce;
	joining.words.lacks = c->block;
	joining.words.grads = ntohl(join.grads);
	joining.words.little = job->settings.byte_order == WEIR_BYTE_ORDER_WORKERS &&
			       join.features & WEIR_JOIN_LITTLE;
	if (!weir_join_fits(job, &join) ||
	    !job->map->ops->read(job->map, c, ntohs(join.member) ?: c->source + 1, pl, ranks)) {
		weir_join_refuse(job, &joining);
		return WEIR_REASON_JOIN;
	}
	cookie = weir_source_cookie(source, c->sport, join.nonce);
	if (join.cookie != cookie) {
		weir_join_challenge(job, c->source, join.nonce, cookie, now);
		return 0;
	}
	WRITE_ONCE(source->hears, true);
	verdict = weir_join_locked(job, &joining, now, back, &long_wait);
	if (long_wait)
		weir_notice(job, c->source, 0);
	return weir_join_act(job, &joining, verdict, back);
}

/*
 * The parent's cookie: the next join, which goes up at once, brings it. One cookie is taken for a
 * join, so that answers cannot have more joins sent than sources have caused.
 */
static bool weir_join_above_cookie(struct weir_parent *parent, u64 cookie)
{
	if (parent->challenged || parent->cookie == cookie)
		return false;
	parent->challenged = true;
	parent->cookie = cookie;
	return true;
}

/* The parent has begun a generation, and it begins here. */
static void weir_join_above_start(struct weir_job *job, u16 generation, u32 start,
				  const struct weir_join *answer, unsigned long *back)
{
	struct weir_parent *parent = job->parent;

	lockdep_assert_held(&job->join.lock);

	parent->waits = false;
	parent->probing = false;
	WRITE_ONCE(parent->blocks, ntohl(answer->blocks));
	WRITE_ONCE(parent->grads, ntohl(answer->grads));
	WRITE_ONCE(parent->room, ntohs(answer->cwnd_cap));
	WRITE_ONCE(parent->timeout, be64_to_cpu((__force __be64)answer->cookie));
	weir_join_enter(job, start, answer->features & WEIR_JOIN_LITTLE, back);
	WRITE_ONCE(job->joined, true);
	job->join.generation = generation;
	weir_generations_follow(&job->blocks.gens, &job->blocks.retention, generation, start);
}

/* All that wait are told why the parent does not take them. */
static void weir_join_above_refused(struct weir_job *job, const struct weir_join *answer)
{
	DECLARE_BITMAP(members, WEIR_SOURCES_MAX);
	DECLARE_BITMAP(waiting, WEIR_SOURCES_MAX);
	unsigned int i;

	weir_join_look(&job->join, members, waiting);
	for_each_set_bit(i, waiting, job->blocks.sources)
		weir_answer(job, i, &(struct weir_membership) {
			.nonce	= weir_join_waits_with(&job->join, i),
		}, answer, WEIR_TRIO_CONTROL | WEIR_TRIO_DEGRADED);
}

/*
 * Take the parent's answer, under the lock. It may be late: the sources may have
 * joined with other numbers since, or the generation may have begun.
 */
static enum weir_join_verdict weir_join_above_locked(struct weir_job *job,
						     const struct weir_contrib *c,
						     const struct weir_join *answer, u64 now,
						     unsigned long *back)
{
	struct weir_parent *parent = job->parent;
	u8 flags = c->said[0];

	lockdep_assert_held(&job->join.lock);

	if (!parent->waits || answer->nonce != parent->said.nonce ||
	    !weir_join_is_complete(&job->join, job->blocks.excluded, now))
		return WEIR_JOIN_WAIT;
	parent->validated = true;
	if ((flags & WEIR_TRIO_COOKIE) == WEIR_TRIO_COOKIE)
		return weir_join_above_cookie(parent, answer->cookie) ? WEIR_JOIN_ABOVE :
									WEIR_JOIN_WAIT;
	if (flags & WEIR_TRIO_DEGRADED) {
		parent->waits = false;
		return WEIR_JOIN_MISFIT;
	}
	weir_join_above_start(job, c->generation, c->block, answer, back);
	return WEIR_JOIN_START;
}

/**
 * weir_join_above() - the parent has answered the job's join
 * @job: the job
 * @c: the parsed packet
 * @pl: the answer, a struct weir_join
 * @now: time, ns of the monotonic clock
 *
 * Called as weir_join_take(). Where it is the generation, each source gets it.
 */
void weir_join_above(struct weir_job *job, const struct weir_contrib *c,
		     const struct weir_payload *pl, u64 now)
{
	DECLARE_BITMAP(back, WEIR_SOURCES_MAX) = {};
	enum weir_join_verdict verdict;
	struct weir_join answer;

	weir_payload_copy(pl, &answer, sizeof(answer));
	spin_lock(&job->join.lock);
	verdict = weir_join_above_locked(job, c, &answer, now, back);
	spin_unlock(&job->join.lock);
	switch (verdict) {
	case WEIR_JOIN_ABOVE:
		weir_parent_join(job);
		break;
	case WEIR_JOIN_MISFIT:
		weir_join_above_refused(job, &answer);
		break;
	case WEIR_JOIN_START:
		weir_join_started(job, back);
		break;
	default:
		break;
	}
}

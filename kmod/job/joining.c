// SPDX-License-Identifier: GPL-2.0
/*
 * The way of a join: it is held against the job, its source shows by a cookie that it receives
 * at its address, the table (job/join.c) says whether a generation begins, and the box answers.
 */
#include <linux/bitmap.h>
#include <linux/random.h>

#include "base/compat.h"
#include "base/notify.h"
#include "base/payload.h"
#include "format/format.h"
#include "format/trio.h"
#include "job/joining.h"
#include "job/notice.h"
#include "job/send.h"
#include "job/source.h"
#include "job/straggler.h"
#include "type/reduce.h"

/*
 * The answers differ in @in, @cookie and @flags; each names the job's properties, and is as long
 * as a join.
 */
static void weir_answer(struct weir_job *job, unsigned int id,
			const struct weir_membership *in, u64 cookie, u8 flags)
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
	answer.join.nonce = in->nonce;
	answer.join.ranks = htonl(job->blocks.sources);
	answer.join.blocks = htonl(job->blocks.size);
	answer.join.grads = htonl(job->grads);
	answer.join.cookie = cookie;
	answer.join.dtype = job->blocks.reduction->dtype;
	answer.join.op = job->blocks.reduction->op;
	answer.join.format = job->format->id;
	memset(answer.join.reserved, 0, sizeof(answer.join.reserved));
	weir_send(job, &source->dest, source->stats, &pkt, WEIR_C_ANSWERS);
}

/*
 * Its generation, to a source that is in one. A source that is bound to another address since it
 * joined is told when it joins from there.
 */
static void weir_join_answer(struct weir_job *job, unsigned int id)
{
	struct weir_source *source = weir_source_get(job, id);
	struct weir_membership in;

	if (source && weir_source_hears(source) &&
	    weir_join_member(&job->join, id, &in))
		weir_answer(job, id, &in, 0, WEIR_TRIO_CONTROL);
}

/* To a source whose join does not fit the job: the answer names the job's properties. */
static void weir_join_refuse(struct weir_job *job, unsigned int id, u32 nonce)
{
	const struct weir_membership none = { .nonce = nonce };

	weir_answer(job, id, &none, 0, WEIR_TRIO_CONTROL | WEIR_TRIO_DEGRADED);
}

/* To a source that has yet to show that it receives at its address: the cookie to bring. */
static void weir_join_challenge(struct weir_job *job, unsigned int id, u32 nonce, u64 cookie)
{
	const struct weir_membership none = { .nonce = nonce };

	weir_answer(job, id, &none, cookie, WEIR_TRIO_COOKIE);
}

/* A generation begins. */
static void weir_join_answer_all(struct weir_job *job)
{
	unsigned int i;

	for (i = 0; i < job->blocks.sources; i++)
		weir_join_answer(job, i);
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

/*
 * The first generation that a box gives out is a random one: packets that are still under way
 * from before the box was set up anew are hardly of it. The later ones follow each other.
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
 * A generation begins under the table's lock, and when no source in it is excluded any more:
 * other CPUs may hear from any of its sources at that very moment. A source that repeats its
 * join is not found to be in it before, and a source in it is neither told of another
 * generation nor that it is out. @back is as weir_join_gather() fills it, empty at first;
 * @long_wait says whether the source may want to know for whom it waits.
 */
static enum weir_join_verdict weir_join_locked(struct weir_job *job, unsigned int source,
					       u32 nonce, u32 lacks, u64 now,
					       unsigned long *back, bool *long_wait)
{
	struct weir_join_table *table = &job->join;
	enum weir_join_verdict verdict;

	spin_lock(&table->lock);
	verdict = weir_join(table, source, nonce, lacks, job->blocks.excluded, now);
	if (verdict == WEIR_JOIN_START) {
		weir_join_gather(job, back);
		weir_join_start(job);
	}
	*long_wait = weir_join_is_long(table, verdict, now);
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
	       ntohl(join->ranks) == job->blocks.sources && join->grads &&
	       ntohl(join->grads) <= job->grads &&
	       (!join->dtype || join->dtype == reduction->dtype) &&
	       (!join->op || join->op == reduction->op);
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
 * to hear.
 *
 * Return: 0, or WEIR_REASON_JOIN where it does not fit the job.
 */
int weir_join_take(struct weir_job *job, struct weir_source *source,
		   const struct weir_contrib *c, const struct weir_payload *pl, u64 now)
{
	DECLARE_BITMAP(back, WEIR_SOURCES_MAX) = {};
	enum weir_join_verdict verdict;
	struct weir_join join;
	bool long_wait;
	u64 cookie;

	weir_payload_copy(pl, &join, sizeof(join));
	if (!weir_join_fits(job, &join)) {
		weir_join_refuse(job, c->source, join.nonce);
		return WEIR_REASON_JOIN;
	}
	cookie = weir_source_cookie(source, c->sport, join.nonce);
	if (join.cookie != cookie) {
		weir_join_challenge(job, c->source, join.nonce, cookie);
		return 0;
	}
	WRITE_ONCE(source->hears, true);
	verdict = weir_join_locked(job, c->source, join.nonce, c->block, now, back, &long_wait);
	if (long_wait)
		weir_notice(job, c->source, 0, false);
	switch (verdict) {
	case WEIR_JOIN_TELL:
		weir_notice_members(job);
		break;
	case WEIR_JOIN_WAIT:
		break;
	case WEIR_JOIN_AGAIN:
		weir_join_answer(job, c->source);
		break;
	case WEIR_JOIN_START:
		weir_straggler_back(job, back);
		weir_join_answer_all(job);
		weir_notify->generation(job);
		break;
	}
	return 0;
}

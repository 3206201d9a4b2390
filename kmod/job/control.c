// SPDX-License-Identifier: GPL-2.0
/* What the box says beside blocks: answers to joins, and notices. */
#include <linux/bitmap.h>

#include "base/compat.h"
#include "format/format.h"
#include "format/trio.h"
#include "job/control.h"
#include "job/send.h"
#include "job/source.h"
#include "type/reduce.h"

/* What all kinds of answers say, with what the job is like. As long as a join. */
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

/**
 * weir_join_answer() - tell a source its generation, where it is in one
 * @job: the job
 * @id: the source's id
 *
 * Called under RCU with bottom halves disabled and no lock held. Who has joined and
 * is bound to another address since is told when it joins from there.
 */
void weir_join_answer(struct weir_job *job, unsigned int id)
{
	struct weir_source *source = weir_source_get(job, id);
	struct weir_membership in;

	if (source && weir_source_hears(source) &&
	    weir_join_member(&job->join, id, &in))
		weir_answer(job, id, &in, 0, WEIR_TRIO_CONTROL);
}

/**
 * weir_join_refuse() - tell a source that what it said does not fit the job
 * @job: the job
 * @id: the source's id
 * @nonce: the number that it said
 *
 * Called as weir_join_answer().
 */
void weir_join_refuse(struct weir_job *job, unsigned int id, u32 nonce)
{
	const struct weir_membership none = { .nonce = nonce };

	weir_answer(job, id, &none, 0, WEIR_TRIO_CONTROL | WEIR_TRIO_DEGRADED);
}

/**
 * weir_join_challenge() - tell a source what it is to bring with its join
 * @job: the job
 * @id: the source's id
 * @nonce: the number that it said
 * @cookie: what it is to bring
 *
 * Called as weir_join_answer().
 */
void weir_join_challenge(struct weir_job *job, unsigned int id, u32 nonce,
			 u64 cookie)
{
	const struct weir_membership none = { .nonce = nonce };

	weir_answer(job, id, &none, cookie, WEIR_TRIO_COOKIE);
}

/**
 * weir_join_answer_all() - tell those who are in it that a generation begins
 * @job: the job
 *
 * Called as weir_join_answer().
 */
void weir_join_answer_all(struct weir_job *job)
{
	unsigned int i;

	for (i = 0; i < job->blocks.sources; i++)
		weir_join_answer(job, i);
}

/* A notice as all get it but for its address. */
struct weir_notice_packet {
	struct weir_trio	hdr;
	struct weir_notice	notice;
};

static_assert(sizeof(struct weir_notice_packet) ==
	      sizeof(struct weir_trio) + sizeof(struct weir_notice));

/* @members and @waiting: of WEIR_SOURCES_MAX, filled as weir_join_look() does. */
static void weir_notice_fill(struct weir_notice_packet *p, struct weir_job *job,
			     unsigned long *members, unsigned long *waiting)
{
	DECLARE_BITMAP(dead, WEIR_SOURCES_MAX) = {};
	unsigned int i;

	weir_trio_fill(&p->hdr, job->id, weir_blocks_generation(&job->blocks), 0,
		       WEIR_TRIO_NOTICE |
		       (READ_ONCE(job->joined) ? 0 : WEIR_TRIO_DEGRADED),
		       job->blocks.sources, 0);
	for (i = 0; i < job->blocks.sources; i++)
		if (weir_straggler_is_gone(READ_ONCE(job->watch.watched[i].state)))
			__set_bit(i, dead);
	weir_bitmap_fill(p->notice.dead, WEIR_BITMAP_WORDS, dead);
	weir_bitmap_fill(p->notice.excluded, WEIR_BITMAP_WORDS,
			 job->blocks.excluded);
	weir_join_look(&job->join, members, waiting);
	weir_bitmap_fill(p->notice.waiting, WEIR_BITMAP_WORDS, waiting);
}

/* To one that may not hear the header alone, which is no longer than any packet. */
static void weir_notice_send(struct weir_job *job, struct weir_source *source,
			     unsigned int id, struct weir_notice_packet *p)
{
	struct weir_packet pkt = {
		.head		= p,
		.head_len	= weir_source_hears(source) ? sizeof(*p) :
							      sizeof(p->hdr),
	};

	p->hdr.src_id = id;
	weir_send(job, &source->dest, source->stats, &pkt, WEIR_C_NOTICES);
}

/* To some who have not asked: none where nobody may hear it. */
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
 * weir_notice() - tell a source why its packet was refused
 * @job: the job
 * @id: the source's id
 * @block: the block that it was about
 * @gone: that block's result is not retained any more, and the source lacks it
 *
 * Called as weir_join_answer(). A block is gone for a source only because it
 * was dead for a while, which is what it is told even where it is alive again.
 */
void weir_notice(struct weir_job *job, unsigned int id, u32 block, bool gone)
{
	struct weir_source *source = weir_source_get(job, id);
	DECLARE_BITMAP(members, WEIR_SOURCES_MAX);
	DECLARE_BITMAP(waiting, WEIR_SOURCES_MAX);
	struct weir_notice_packet p;

	if (!source)
		return;
	weir_notice_fill(&p, job, members, waiting);
	put_unaligned_be32(block, p.hdr.block_id);
	if (gone)
		p.notice.dead[id / 32] |= htonl(1U << id % 32);
	weir_notice_send(job, source, id, &p);
}

/**
 * weir_notice_all() - tell all who is gone and who wants to come back
 * @job: the job
 *
 * Called as weir_join_answer(). Who has not joined knows nothing of notices.
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
 * weir_notice_members() - tell those who run a generation who waits for the next
 * @job: the job
 *
 * Called as weir_join_answer(). Those who wait themselves know.
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

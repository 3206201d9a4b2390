// SPDX-License-Identifier: GPL-2.0
/* What the box says: results and answers to joins, in the job's format. */
#include <linux/string.h>
#include <linux/unaligned.h>
#include <net/net_namespace.h>
#include <uapi/weir_wire.h>

#include "dest.h"
#include "result.h"
#include "source.h"
#include "trace.h"

static void weir_trio_fill(struct weir_trio *hdr, const struct weir_job *job,
			   u16 generation, u32 block, u8 flags, u16 contributors,
			   u16 count)
{
	hdr->job_id = job->id;
	put_unaligned_be32(block, hdr->block_id);
	hdr->flags = flags;
	hdr->src_id = 0;
	hdr->src_cnt = contributors;	/* 256 becomes 0, as documented */
	put_unaligned_be16(generation, hdr->gen_id);
	put_unaligned_be16(count, hdr->grad_cnt);
}

/* One copy: the payload's pages are linked, not copied. */
static void weir_send(struct weir_job *job, struct weir_dest *dest,
		      struct weir_stats __percpu *source_stats,
		      const struct weir_packet *pkt, unsigned int counter)
{
	int err = weir_dest_send(dest, job, pkt);

	if (unlikely(err)) {
		trace_weir_send_error(job, &dest->addr, err);
		counter = WEIR_C_RESULT_ERRORS;
	}
	weir_count(job->wn->stats, counter, 1);
	weir_count(job->stats, counter, 1);
	if (source_stats)
		weir_count(source_stats, counter, 1);
}

static void weir_result_packet(struct weir_packet *pkt, struct weir_trio *hdr,
			       const struct weir_job *job,
			       const struct weir_result *res)
{
	weir_trio_fill(hdr, job, res->generation, res->id,
		       res->overflow ? WEIR_TRIO_OVERFLOW : 0, res->received,
		       res->count);
	pkt->head = hdr;
	pkt->head_len = sizeof(*hdr);
	pkt->pages = (struct page **)res->pages;
	pkt->len = res->count * sizeof(s32);
}

/**
 * weir_result_send() - send a result to the group or to every source
 * @job: the job
 * @res: the result; stays the caller's
 *
 * Called under RCU with bottom halves disabled and no lock held.
 */
void weir_result_send(struct weir_job *job, const struct weir_result *res)
{
	struct weir_dest *group = rcu_dereference_bh(job->group);
	struct weir_source *source;
	struct weir_packet pkt;
	struct weir_trio hdr;
	unsigned int i;

	weir_result_packet(&pkt, &hdr, job, res);
	if (group) {
		weir_send(job, group, NULL, &pkt, WEIR_C_RESULTS);
		return;
	}
	for (i = 0; i < job->blocks.sources; i++) {
		source = weir_source_get(job, i);
		if (source)
			weir_send(job, &source->dest, source->stats, &pkt,
				  WEIR_C_RESULTS);
	}
}

/**
 * weir_result_repeat() - send a retained result to a source that asked again
 * @job: the job
 * @source: the source
 * @res: the result; stays the caller's
 *
 * Called as weir_result_send(). The same bits as the first time.
 */
void weir_result_repeat(struct weir_job *job, struct weir_source *source,
			const struct weir_result *res)
{
	struct weir_packet pkt;
	struct weir_trio hdr;

	weir_result_packet(&pkt, &hdr, job, res);
	weir_send(job, &source->dest, source->stats, &pkt, WEIR_C_REPEATS);
}

/**
 * weir_join_answer() - tell a source its generation, or why it has none
 * @job: the job
 * @id: the source's id
 * @nonce: what it said
 * @refused: what it said does not fit the job
 *
 * Called as weir_result_send().
 */
void weir_join_answer(struct weir_job *job, unsigned int id, u32 nonce,
		      bool refused)
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
	weir_trio_fill(&answer.hdr, job, READ_ONCE(job->generation), 0,
		       WEIR_TRIO_JOIN | (refused ? WEIR_TRIO_DEGRADED : 0),
		       job->blocks.sources, 0);
	answer.hdr.src_id = id;
	answer.join.nonce = nonce;
	answer.join.ranks = htonl(job->blocks.sources);
	answer.join.blocks = htonl(job->blocks.size);
	answer.join.grads = htonl(job->grads);
	weir_send(job, &source->dest, source->stats, &pkt, WEIR_C_ANSWERS);
}

/**
 * weir_join_answer_all() - tell every source that a generation begins
 * @job: the job
 *
 * Called as weir_result_send().
 */
void weir_join_answer_all(struct weir_job *job)
{
	unsigned int i;

	for (i = 0; i < job->blocks.sources; i++)
		weir_join_answer(job, i, weir_join_nonce(&job->join, i), false);
}

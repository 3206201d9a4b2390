// SPDX-License-Identifier: GPL-2.0
/* Results of blocks, and replies where a block has none yet. */
#include <linux/math.h>
#include <linux/ktime.h>

#include "core/base/compat.h"
#include "agg/format/format.h"
#include "agg/format/trio.h"
#include "agg/job/job_trace.h"
#include "agg/tree/level.h"
#include "agg/tx/merged.h"
#include "agg/tree/parent.h"
#include "agg/engine/result.h"
#include "agg/tx/send.h"
#include "agg/job/source.h"

/**
 * struct weir_result_packet - a result in the job's format
 * @head: the bytes before the gradients
 * @mask: the contributors, sources or ranks, behind the sums of one that is degraded
 * @mask_len: bytes of @mask
 * @pkt: the packet, as yet without @mask
 */
struct weir_result_packet {
	u8			head[WEIR_HEAD_MAX];
	__be32			mask[WEIR_RANK_WORDS];
	unsigned int		mask_len;
	struct weir_packet	pkt;
};

static void weir_result_packet(struct weir_result_packet *p,
			       const struct weir_job *job,
			       const struct weir_result *res)
{
	unsigned int words = weir_job_words(job);

	p->pkt = (struct weir_packet) {
		.head		= p->head,
		.head_len	= job->format->result(p->head, job->id, res),
		.pages		= (struct page **)res->pages,
		.len		= res->len,
		.tail		= p->mask,
		.tos		= job->format->dscp << 2 | (job->format->ecn ? res->ecn : 0),
	};
	p->mask_len = 0;
	if (!res->degraded)
		return;
	weir_bitmap_fill(p->mask, words, weir_result_contributors(res));
	p->mask_len = words * sizeof(p->mask[0]);
}

/*
 * A client that has only the paper knows of no bytes behind the gradients, and a source that
 * may not hear gets no byte that its contribution has not paid for.
 */
static void weir_result_to(struct weir_job *job, struct weir_source *source, u16 id,
			   const struct weir_result *res,
			   struct weir_result_packet *p, unsigned int counter)
{
	p->pkt.dport = job->format->port ? htons(job->format->port(res, id)) : 0;
	p->pkt.tail_len = weir_source_hears(source) ? p->mask_len : 0;
	weir_send(job, &source->dest, source->stats, &p->pkt, counter);
}

/*
 * A frame to all stations of a link reaches all sources behind the device. Return true if it has
 * gone there for a source with a lower id.
 */
static bool weir_result_is_heard(const struct weir_job *job, unsigned int id,
				 const struct weir_dest *dest)
{
	const struct weir_source *source;
	unsigned int i;

	for (i = 0; job->format->link && i < id; i++) {
		source = weir_source_get(job, i);
		if (source && source->dest.ifindex == dest->ifindex &&
		    source->dest.vlan == dest->vlan)
			return true;
	}
	return false;
}

/* Return true if the paths to all receivers take a result with its bitmap. */
static bool weir_result_all_take(struct weir_job *job, struct weir_source *to,
				 const struct weir_packet *pkt)
{
	struct weir_dest *group = rcu_dereference_bh(job->group);
	struct weir_source *source;
	unsigned int i;

	if (to)
		return weir_source_hears(to) && weir_dest_carries(&to->dest, &job->local, pkt);
	if (group)
		return READ_ONCE(job->joined) && weir_dest_carries(group, &job->local, pkt);
	for (i = 0; i < job->blocks.sources; i++) {
		source = weir_source_get(job, i);
		if (source && !(weir_source_hears(source) &&
				weir_dest_carries(&source->dest, &job->local, pkt)))
			return false;
	}
	return true;
}

/*
 * Merges a result with others, where all its receivers get the same bytes at the same port.
 * Where it does not, they are sent first.
 */
static bool weir_result_merge(struct weir_merged *merged, struct weir_job *job,
			      struct weir_source *to, const unsigned long *skip,
			      struct weir_result_packet *p, unsigned int counter)
{
	const struct weir_receivers receivers = {
		.to	= to ? &to->dest : NULL,
		.stats	= to ? to->stats : NULL,
		.skip	= skip,
	};

	if (!merged || job->format->link || job->format->port)
		return false;
	p->pkt.tail_len = p->mask_len;
	if ((!p->mask_len || weir_result_all_take(job, to, &p->pkt)) &&
	    weir_merged_add(merged, job, &receivers, &p->pkt, counter))
		return true;
	weir_merged_flush(merged);
	return false;
}

/* To every source that is not in @skip, one at a time. @skip: NULL for none */
static void weir_result_send_each(struct weir_job *job, const struct weir_result *res,
				  const unsigned long *skip, struct weir_result_packet *p)
{
	struct weir_source *source;
	unsigned int i;

	for (i = 0; i < job->blocks.sources; i++) {
		source = weir_source_get(job, i);
		if (source && !(skip && test_bit(i, skip)) &&
		    !weir_result_is_heard(job, i, &source->dest))
			weir_result_to(job, source, i, res, p, WEIR_C_RESULTS);
	}
}

/* To the sources that are not in @skip. */
static void weir_result_send_rest(struct weir_job *job, const struct weir_result *res,
				  const unsigned long *skip, struct weir_result_packet *p,
				  struct weir_merged *merged)
{
	if (!weir_result_merge(merged, job, NULL, skip, p, WEIR_C_RESULTS))
		weir_result_send_each(job, res, skip, p);
}

static void weir_result_make_brief(struct weir_result_packet *p)
{
	weir_trio_brief(p->head);
	p->pkt.pages = NULL;
	p->pkt.len = 0;
}

/* To every source, and with the gradients to those that need them. */
static void weir_result_send_shares(struct weir_job *job, const struct weir_result *res,
				    struct weir_merged *merged)
{
	struct weir_result_packet p __uninitialized;
	DECLARE_BITMAP(others, WEIR_SOURCES_MAX);

	weir_result_packet(&p, job, res);
	bitmap_andnot(others, job->blocks.all, res->brief, WEIR_SOURCES_MAX);
	if (!bitmap_empty(others, WEIR_SOURCES_MAX))
		weir_result_send_rest(job, res, res->brief, &p, merged);
	weir_result_make_brief(&p);
	weir_result_send_rest(job, res, others, &p, merged);
}

/* To the group or to every source. */
static void weir_result_send(struct weir_job *job, const struct weir_result *res,
			     struct weir_merged *merged)
{
	struct weir_dest *group = rcu_dereference_bh(job->group);
	struct weir_result_packet p __uninitialized;

	if (unlikely(res->has_briefs) && !group) {
		weir_result_send_shares(job, res, merged);
		return;
	}
	weir_result_packet(&p, job, res);
	if (weir_result_merge(merged, job, NULL, NULL, &p, WEIR_C_RESULTS))
		return;
	if (group) {
		p.pkt.tail_len = READ_ONCE(job->joined) ? p.mask_len : 0;
		weir_send(job, group, NULL, &p.pkt, WEIR_C_RESULTS);
		return;
	}
	weir_result_send_each(job, res, NULL, &p);
}

/**
 * weir_result_answer() - a block is answered: count it, and send its result
 * @job: the job
 * @res: the result; stays the caller's. What is to be completed by the parent box goes there
 * @merged: other packets of the pass, to be merged with, or NULL
 *
 * Called under RCU with bottom halves disabled and no lock held.
 */
void weir_result_answer(struct weir_job *job, const struct weir_result *res,
			struct weir_merged *merged)
{
	if (unlikely(res->above)) {
		job->uplink->sum(job, res, merged);
		return;
	}
	weir_job_count(job, WEIR_C_BLOCKS, 1);
	if (res->overflow)
		weir_job_count(job, WEIR_C_OVERFLOWS, 1);
	if (res->degraded)
		weir_job_count(job, WEIR_C_DEGRADED, 1);
	if (trace_weir_result_enabled())
		trace_weir_result(job, res, ktime_get_ns() - res->start);
	weir_result_send(job, res, merged);
}

/**
 * weir_result_repeat() - send a retained result to a source that asked again
 * @job: the job
 * @source: the source
 * @id: its id
 * @res: the result; stays the caller's
 * @brief: without its gradients
 * @merged: other packets of the pass, to be merged with, or NULL
 *
 * Called as weir_result_answer(). The same bits as the first time.
 */
void weir_result_repeat(struct weir_job *job, struct weir_source *source, u16 id,
			const struct weir_result *res, bool brief, struct weir_merged *merged)
{
	struct weir_result_packet p __uninitialized;

	weir_result_packet(&p, job, res);
	if (brief)
		weir_result_make_brief(&p);
	if (weir_result_merge(merged, job, source, NULL, &p, WEIR_C_REPEATS))
		return;
	weir_result_to(job, source, id, res, &p, WEIR_C_REPEATS);
}

/**
 * weir_result_reply() - tell a source that asked that there is no result yet
 * @job: the job
 * @source: the source
 * @key: the block that it asked about
 * @received: contributions so far
 * @in: bitmap with their sources, or ranks if the job spans boxes, to be named; NULL if the
 *	source has not asked for it. One that may not hear gets no more bytes than it sent
 * @wanted: the source's is not among them
 * @merged: other packets of the pass, to be merged with, or NULL
 *
 * Called as weir_result_answer().
 */
void weir_result_reply(struct weir_job *job, struct weir_source *source,
		       const struct weir_block_key *key, u16 received,
		       const unsigned long *in, bool wanted, struct weir_merged *merged)
{
	const struct weir_receivers receivers = { .to = &source->dest, .stats = source->stats };
	unsigned int words = weir_job_words(job);
	__be32 mask[WEIR_RANK_WORDS];
	struct weir_trio hdr;
	struct weir_packet pkt = {
		.head		= &hdr,
		.head_len	= sizeof(hdr),
		.tail		= mask,
	};

	weir_trio_fill(&hdr, job->id, key->generation, key->id,
		       wanted ? WEIR_TRIO_WANTED : 0, received, 0);
	hdr.src_id = key->source;
	if (in && weir_source_hears(source)) {
		weir_bitmap_fill(mask, words, in);
		pkt.tail_len = words * sizeof(mask[0]);
	}
	if (merged && weir_merged_add(merged, job, &receivers, &pkt, WEIR_C_REPLIES))
		return;
	weir_send(job, &source->dest, source->stats, &pkt, WEIR_C_REPLIES);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The engine that sums blocks: contributions, queries and acknowledgments of sources become calls
 * of the slot table (slots/block.h), and what the table says of them becomes results, replies,
 * questions to the parent box, notices and counters.
 */
#include <linux/bitmap.h>
#include <linux/slab.h>
#include <net/inet_ecn.h>
#include <uapi/weir_bpf.h>
#include <uapi/weir_wire.h>

#include "core/base/compat.h"
#include "agg/base/payload.h"
#include "agg/engine/answer.h"
#include "agg/engine/down.h"
#include "agg/engine/result.h"
#include "agg/engine/scan.h"
#include "agg/engine/sums.h"
#include "agg/format/format.h"
#include "agg/format/trio.h"
#include "agg/job/engine.h"
#include "agg/job/job_trace.h"
#include "agg/job/path.h"
#include "agg/job/port.h"
#include "agg/job/source.h"
#include "agg/member/member.h"
#include "agg/member/notice.h"
#include "agg/member/straggler.h"
#include "agg/tree/level.h"
#include "agg/tree/parent.h"
#include "agg/type/reduce.h"

typedef int (*weir_sums_contribute_t)(struct weir_blocks *blocks,
	     const struct weir_block_key *key,
	     const struct weir_payload *pl, u64 now,
	     struct weir_outcome *out);

/* Check a worker's contribution without gradients, or without need of the result's. */
static int weir_sums_check_share(const struct weir_job *job, const struct weir_contrib *c,
				 u32 want)
{
	if (!weir_trio_has_shares(job->format, job->blocks.reduction) || !c->count ||
	    !(c->flags & WEIR_CONTRIB_JOINED))
		return WEIR_REASON_FLAGS;
	return weir_path_check_shape(c, c->flags & WEIR_CONTRIB_EMPTY ? 0 : want, job->grads) ?:
	       (c->weight == 1 ? 0 : WEIR_REASON_WEIGHT);
}

/**
 * weir_sums_check_other() - check a contribution in a job of one level that is no plain one
 * @job: the job
 * @c: a box's sum, of a format in which a box is a source like a worker; or a contribution with
 *	WEIR_SUMS_SHARES
 * @want: bytes of its gradients
 *
 * Return: 0 or an enum weir_reason.
 */
int weir_sums_check_other(const struct weir_job *job, const struct weir_contrib *c, u32 want)
{
	if (c->flags & WEIR_SUMS_SHARES)
		return c->flags & WEIR_CONTRIB_UP ? WEIR_REASON_FLAGS :
		       weir_sums_check_share(job, c, want);
	return weir_path_check_shape(c, want, job->grads) ?:
	       (job->format->up && c->weight ? 0 : WEIR_REASON_WEIGHT);
}

static int weir_sums_check_shape(const struct weir_job *job, const struct weir_contrib *c)
{
	return weir_sums_check(job, c);
}

/*
 * Return true if the source of a packet lacks the evicted result of its block; else the packet is a
 * late duplicate. A query shows that the source lacks the result even if it has acknowledged it: a
 * rank that is behind acknowledges results on receipt, and may resume at an earlier block.
 */
static bool weir_sums_is_lacked(const struct weir_job *job, const struct weir_contrib *c, u32 seq)
{
	return !c->count || !weir_retention_has(&job->blocks.retention, c->source, seq);
}

/*
 * A block has refused the packet. If the generation is another, other sources may go on without
 * this one.
 */
static int weir_sums_refused(const struct weir_path *path,
			     const struct weir_contrib *c, int reason,
			     const struct weir_outcome *out, u64 now)
{
	struct weir_job *job = path->job;

	if (out->retained)
		weir_straggler_retained(job, out->retained_seq);
	if (out->retained)
		job->uplink->show(job, c, now);
	if (reason == WEIR_REASON_GENERATION)
		weir_member_tell(path, c);
	if (reason == WEIR_REASON_STALE && weir_sums_is_lacked(job, c, out->seq))
		weir_member_tell_behind(path, c);
	return reason;
}

/*
 * A question of a few bytes is answered with a whole result, and its sender may have
 * said another's address. Where the source that has it may not hear, it is asked for its
 * contribution, which pays for the result; else the result is charged as well, before it
 * is sent.
 */
static int weir_sums_answer_query(const struct weir_path *path,
				  const struct weir_block_key *key,
				  const struct weir_result *res, u64 now)
{
	int reason;

	if (!weir_source_hears(path->source)) {
		weir_path_count(path, WEIR_C_QUERIES, 1);
		weir_result_reply(path->job, path->source, key, res->received, NULL,
				  true, path->merged);
		return 0;
	}
	reason = weir_path_police(path, 0, res->len, now);
	if (reason)
		return reason;
	weir_path_count(path, WEIR_C_QUERIES, 1);
	weir_result_repeat(path->job, path->source, key->source, res, false, path->merged);
	return 0;
}

/* There is no result yet. A question that is longer asks who is in the block. */
static void weir_sums_reply_query(const struct weir_path *path, const struct weir_contrib *c,
				  const struct weir_block_key *key,
				  const struct weir_outcome *out, bool wanted)
{
	weir_result_reply(path->job, path->source, key, out->received,
			  c->flags & WEIR_CONTRIB_EXPONENT ?
			  weir_result_contributors(&out->res) : NULL, wanted,
			  path->merged);
}

/*
 * The block's sum is with the parent, which is asked for the source. Its answer goes to the sources
 * that have asked, so that they hear from the whole way up, and not from this box alone.
 */
static noinline void weir_sums_ask_above(const struct weir_path *path,
					 const struct weir_block_key *key,
					 const struct weir_outcome *out, bool who, u64 now)
{
	if (weir_block_may_ask(&path->job->blocks, out->seq, key->source, now))
		path->job->uplink->ask(path->job, key, who);
}

/* @ranks: room for the ranks of a result, or NULL in a job of one box */
static __always_inline int weir_sums_take_query_in(const struct weir_path *path,
						   const struct weir_contrib *c, u64 now,
						   unsigned long *ranks)
{
	const struct weir_block_key key = {
		.id		= c->block,
		.generation	= c->generation,
		.source		= c->source,
	};
	struct weir_job *job = path->job;
	struct weir_outcome out __uninitialized;
	int verdict, reason;

	out.res.ranks = ranks;
	verdict = weir_block_query(&job->blocks, &key, now, &out);
	if (verdict == WEIR_VERDICT_ABOVE) {
		weir_path_count(path, WEIR_C_QUERIES, 1);
		weir_sums_ask_above(path, &key, &out, c->flags & WEIR_CONTRIB_EXPONENT, now);
		return 0;
	}
	/* The source waits for others that are behind; the reply tells it that the box is alive. */
	if (verdict == -WEIR_REASON_BUSY)
		weir_sums_reply_query(path, c, &key, &out, false);
	if (verdict < 0)
		return weir_sums_refused(path, c, -verdict, &out, now);
	if (verdict == WEIR_VERDICT_REPEAT) {
		reason = weir_sums_answer_query(path, &key, &out.res, now);
		weir_result_put(&out.res);
		return reason;
	}
	weir_path_count(path, WEIR_C_QUERIES, 1);
	weir_sums_reply_query(path, c, &key, &out, verdict == WEIR_VERDICT_WANTED);
	return 0;
}

static noinline int weir_sums_take_query(const struct weir_path *path,
					 const struct weir_contrib *c, u64 now)
{
	return weir_sums_take_query_in(path, c, now, NULL);
}

/* Opening the block had effects on others. Of one block in many, so that there is a call. */
static noinline void weir_sums_opened(const struct weir_path *path, const struct weir_outcome *out)
{
	if (out->abandoned)
		weir_path_count(path, WEIR_C_ABANDONED, 1);
	if (out->replaced)
		weir_path_count(path, WEIR_C_PAGES_LEFT, out->replaced);
	if (out->evicted)
		weir_straggler_behind(path->job);
}

/* Counts a contribution that was taken. */
static __always_inline void weir_sums_count(const struct weir_path *path,
					    const struct weir_contrib *c, int verdict,
					    const struct weir_outcome *out)
{
	if (unlikely(out->abandoned | out->evicted | out->replaced))
		weir_sums_opened(path, out);
	switch (verdict) {
	case WEIR_VERDICT_LATE:
	case WEIR_VERDICT_LATE_ABOVE:
		weir_path_count(path, WEIR_C_LATE, 1);
		weir_lateness_count(path->source->lateness, out->lateness);
		break;
	case WEIR_VERDICT_SUMMED:
	case WEIR_VERDICT_COMPLETE:
		weir_path_count_summed(path, c);
		weir_lateness_count(path->source->lateness, out->lateness);
		break;
	}
}

/*
 * A source that has joined sends a block in another form than the others: it may complete the
 * block, whose result tells all of them so. It stays a refusal, as its gradients are not used.
 */
static noinline int weir_sums_take_unlike(const struct weir_path *path,
					  const struct weir_block_key *key, u64 now,
					  struct weir_outcome *out)
{
	if (weir_block_spoil(&path->job->blocks, key, now, out) == WEIR_VERDICT_COMPLETE) {
		weir_answer_block(path->job, out, path->merged);
		weir_result_put(&out->res);
	}
	return WEIR_REASON_COUNT;
}

/*
 * A contribution to a block, with all of its effects. Nearly all of a datagram's path from here on
 * is compiled into one function; @contribute is constant. @ranks: room for the ranks of a result,
 * or NULL in a job of one box.
 */
static __always_inline int weir_sums_take_key(const struct weir_path *path,
					      const struct weir_contrib *c,
					      const struct weir_block_key *key,
					      const struct weir_payload *pl, u64 now,
					      weir_sums_contribute_t contribute,
					      unsigned long *ranks)
{
	struct weir_job *job = path->job;
	struct weir_outcome out __uninitialized;
	int verdict;

	out.res.ranks = ranks;
	verdict = contribute(&job->blocks, key, pl, now, &out);
	if (out.opened && verdict == WEIR_VERDICT_SUMMED)
		weir_scan_opened(job, weir_block_slot(&job->blocks, out.seq));
	if (verdict < 0)
		return verdict == -WEIR_REASON_COUNT && c->flags & WEIR_CONTRIB_JOINED ?
		       weir_sums_take_unlike(path, key, now, &out) :
		       weir_sums_refused(path, c, -verdict, &out, now);
	trace_weir_contribution(path->port->ifindex, c, verdict, out.lateness);
	weir_sums_count(path, c, verdict, &out);
	if (verdict == WEIR_VERDICT_SUMMED)
		return 0;
	if (unlikely(weir_verdict_is_above(verdict))) {
		weir_sums_ask_above(path, key, &out, false, now);
		return 0;
	}
	if (verdict == WEIR_VERDICT_COMPLETE)
		weir_answer_block(job, &out, path->merged);
	else
		weir_result_repeat(job, path->source, c->source, &out.res,
				   c->flags & WEIR_CONTRIB_BRIEF, path->merged);
	weir_result_put(&out.res);
	return 0;
}

/* Fill a key but for what tables with ranks or pairs need. */
static __always_inline void weir_sums_fill_key(struct weir_block_key *key,
					       const struct weir_contrib *c)
{
	key->id = c->block;
	key->generation = c->generation;
	key->source = c->source;
	key->form = c->count | (c->flags & WEIR_CONTRIB_LITTLE ? WEIR_FORM_LITTLE : 0) |
		    (c->flags & WEIR_CONTRIB_EXPONENT ? WEIR_FORM_EXPONENT : 0);
	key->shares = 0;
	key->exponent = c->exponent;
	key->ecn = c->tos & INET_ECN_MASK;
	key->said = c;
}

/*
 * A contribution without gradients is as long as no result. So its source has to have shown that it
 * hears, and is charged for the gradients as if it had sent them.
 */
static int weir_sums_pay(const struct weir_path *path, const struct weir_contrib *c, u64 now)
{
	if (!(c->flags & WEIR_CONTRIB_EMPTY))
		return 0;
	if (!weir_source_hears(path->source))
		return WEIR_REASON_JOIN;
	return weir_path_police(path, 0,
				weir_reduction_bytes(path->job->blocks.reduction, c->count), now);
}

static noinline int weir_sums_take_share(const struct weir_path *path,
					 const struct weir_contrib *c,
					 const struct weir_payload *pl, u64 now)
{
	struct weir_block_key key __uninitialized;
	int reason = weir_sums_pay(path, c, now);

	if (reason)
		return reason;
	weir_sums_fill_key(&key, c);
	key.shares = c->flags & WEIR_SUMS_SHARES;
	return weir_sums_take_key(path, c, &key, pl, now, weir_block_contribute, NULL);
}

static __always_inline int weir_sums_take_gradients(const struct weir_path *path,
						    const struct weir_contrib *c,
						    const struct weir_payload *pl, u64 now)
{
	struct weir_block_key key __uninitialized;

	if (unlikely(c->flags & WEIR_SUMS_SHARES))
		return weir_sums_take_share(path, c, pl, now);
	weir_sums_fill_key(&key, c);
	return weir_sums_take_key(path, c, &key, pl, now, weir_block_contribute, NULL);
}

/**
 * weir_sums_take() - see weir_engine.take
 * @path: the objects of the datagram
 * @c: the datagram
 * @pl: its gradients
 * @now: time, ns of the monotonic clock
 */
int weir_sums_take(const struct weir_path *path, struct weir_contrib *c,
		   const struct weir_payload *pl, u64 now)
{
	struct weir_job *job = path->job;
	int reason = 0;

	if (job->format->place)
		reason = job->format->place(job->state, &job->blocks, c, pl);
	reason = reason ?: weir_member_check(path, c);
	if (reason)
		return reason;
	return c->count ? weir_sums_take_gradients(path, c, pl, now) :
			  weir_sums_take_query(path, c, now);
}

/* A source acknowledges the results before a block. */
static int weir_sums_ack(const struct weir_path *path, const struct weir_contrib *c)
{
	struct weir_blocks *blocks = &path->job->blocks;
	struct weir_place place;
	int reason;

	reason = weir_member_check(path, c);
	if (reason)
		return reason;
	if (c->generation != weir_blocks_generation(blocks) ||
	    !weir_generations_find(&blocks->gens, c->generation, c->block, &place)) {
		weir_member_tell(path, c);
		return WEIR_REASON_GENERATION;
	}
	if (!weir_retention_ack(&blocks->retention, c->source, place.seq,
				c->flags & WEIR_CONTRIB_FINAL))
		return WEIR_REASON_AHEAD;
	weir_path_count(path, WEIR_C_ACKS, 1);
	return 0;
}

static u64 weir_sums_bytes(const struct weir_engine_config *config)
{
	return weir_blocks_bytes(config->blocks);
}

static int weir_sums_init_state(struct weir_job *job, const struct weir_blocks_config *config)
{
	const struct weir_format_ops *format = job->format;

	if (!format->state)
		return 0;
	job->state = kvzalloc(format->state(config->sources, config->size), GFP_KERNEL_ACCOUNT);
	if (!job->state)
		return -ENOMEM;
	if (format->init)
		format->init(job->state);
	return 0;
}

static int weir_sums_init(struct weir_job *job, const struct weir_engine_config *config)
{
	return weir_sums_init_state(job, config->blocks) ?:
	       weir_blocks_init(&job->blocks, config->blocks);
}

static void weir_sums_free(struct weir_job *job)
{
	if (job->blocks.slot)
		weir_blocks_uninit(&job->blocks);
	kvfree(job->state);
}

const struct weir_engine weir_engine_sums = {
	.bytes		= weir_sums_bytes,
	.init		= weir_sums_init,
	.free		= weir_sums_free,
	.check_shape	= weir_sums_check_shape,
	.take		= weir_sums_take,
	.ack		= weir_sums_ack,
	.check_down	= weir_down_check_plain,
	.down		= weir_down_take_plain,
};

/* Only the sum of a box may stand for many ranks; a bitmap of them follows it if it lacks some. */
static int weir_ranked_check_shape(const struct weir_job *job, const struct weir_contrib *c)
{
	u32 want = weir_reduction_bytes(job->blocks.reduction, c->count);

	if (!(c->flags & WEIR_CONTRIB_UP))
		return weir_sums_check(job, c);
	if (c->said[0] & WEIR_TRIO_DEGRADED)
		want += weir_job_words(job) * sizeof(__be32);
	return weir_path_check_shape(c, want, job->grads);
}

/* Read the ranks that a degraded sum states. Return false if its source cannot stand for them. */
static bool weir_ranked_read(const struct weir_job *job, const struct weir_contrib *c,
			     const struct weir_payload *pl, unsigned long *ranks)
{
	u32 at = weir_reduction_bytes(job->blocks.reduction, c->count);
	const struct weir_rank_map *map = job->map;

	return weir_rank_map_copy(map, pl, at, ranks) &&
	       bitmap_subset(ranks, weir_rank_map_of(map, c->source), map->ranks) &&
	       !bitmap_empty(ranks, map->ranks);
}

/*
 * A contribution stands for the ranks that its source has joined with; the sum of a box, if it is
 * degraded, for those that it names. Its count is modulo 256.
 */
static noinline int weir_ranked_take_gradients(const struct weir_path *path,
					       const struct weir_contrib *c,
					       const struct weir_payload *pl, u64 now)
{
	const struct weir_rank_map *map = path->job->map;
	u8 flags = c->flags & WEIR_CONTRIB_UP ? c->said[0] : 0;
	DECLARE_BITMAP(ranks, WEIR_RANKS_MAX);
	u16 weight = map->weight[c->source];
	struct weir_block_key key = {
		.ranks		= weir_rank_map_of(map, c->source),
		.overflow	= flags & WEIR_TRIO_OVERFLOW,
		.unlike		= flags & WEIR_TRIO_UNLIKE,
	};
	int reason;

	weir_sums_fill_key(&key, c);
	if (flags & WEIR_TRIO_DEGRADED) {
		if (!weir_ranked_read(path->job, c, pl, ranks))
			return WEIR_REASON_WEIGHT;
		key.ranks = ranks;
		weight = bitmap_weight(ranks, map->ranks);
	}
	if (!weight || (u8)weight != (u8)c->weight)
		return WEIR_REASON_WEIGHT;
	key.shares = c->flags & WEIR_SUMS_SHARES;
	reason = weir_sums_pay(path, c, now);
	if (reason)
		return reason;
	/* A result is filled when the contribution's ranks are in the block: one room serves. */
	return weir_sums_take_key(path, c, &key, pl, now, weir_block_contribute, ranks);
}

static noinline int weir_ranked_take_query(const struct weir_path *path,
					   const struct weir_contrib *c, u64 now)
{
	DECLARE_BITMAP(ranks, WEIR_RANKS_MAX);

	return weir_sums_take_query_in(path, c, now, ranks);
}

static int weir_ranked_take(const struct weir_path *path, struct weir_contrib *c,
			    const struct weir_payload *pl, u64 now)
{
	int reason = weir_member_check(path, c);

	if (reason)
		return reason;
	return c->count ? weir_ranked_take_gradients(path, c, pl, now) :
			  weir_ranked_take_query(path, c, now);
}

/* Sums in a job that spans boxes: contributions and results state the ranks that are in them. */
const struct weir_engine weir_engine_ranked = {
	.bytes		= weir_sums_bytes,
	.init		= weir_sums_init,
	.free		= weir_sums_free,
	.check_shape	= weir_ranked_check_shape,
	.take		= weir_ranked_take,
	.ack		= weir_sums_ack,
	.check_down	= weir_down_check_ranked,
	.down		= weir_down_take_ranked,
};

/*
 * A contribution to a pair of blocks that take turns. If a key's block is not there, the next key
 * counts.
 */
static int weir_pairs_take(const struct weir_path *path, struct weir_contrib *c,
			   const struct weir_payload *pl, u64 now)
{
	struct weir_block_key key[WEIR_FORMAT_KEYS] = {};
	int i, n, reason = 0;

	if (!c->count)
		return WEIR_REASON_LENGTH;
	for (i = 0; i < ARRAY_SIZE(key); i++) {
		key[i].source = c->source;
		key[i].count = c->count;
		key[i].said = c;
	}
	n = path->job->format->pair(path->job->state, c, key);
	if (n < 0)
		return -n;
	for (i = 0; i < n; i++) {
		reason = weir_sums_take_key(path, c, &key[i], pl, now,
					    weir_block_contribute_paired, NULL);
		if (reason != WEIR_REASON_AHEAD)
			break;
	}
	return reason;
}

const struct weir_engine weir_engine_pairs = {
	.bytes		= weir_sums_bytes,
	.init		= weir_sums_init,
	.free		= weir_sums_free,
	.check_shape	= weir_sums_check_shape,
	.take		= weir_pairs_take,
	.check_down	= weir_down_check_plain,
	.down		= weir_down_take_plain,
};

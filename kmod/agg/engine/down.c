// SPDX-License-Identifier: GPL-2.0
/*
 * Packets of the parent box: results, which complete this box's blocks; replies, on which it sends
 * a sum again; answers to its joins; and notices. The parent of a job that does not span boxes, as
 * its format does not tell ranks apart, sends results alone. The sender's address was checked.
 */
#include <linux/bitmap.h>
#include <linux/ktime.h>
#include <net/inet_ecn.h>
#include <uapi/weir_bpf.h>

#include "core/base/compat.h"
#include "agg/base/payload.h"
#include "agg/format/format.h"
#include "agg/format/trio.h"
#include "agg/engine/answer.h"
#include "agg/engine/down.h"
#include "agg/job/job.h"
#include "agg/job/path.h"
#include "agg/member/joining.h"
#include "agg/tree/level.h"
#include "agg/member/notice.h"
#include "agg/tree/pace.h"
#include "agg/tree/parent.h"
#include "agg/engine/result.h"
#include "agg/job/source.h"
#include "agg/type/reduce.h"

static bool weir_down_has_bitmap(const struct weir_contrib *c, u32 len, u32 bitmap)
{
	if (c->count)
		return c->said[0] & WEIR_TRIO_DEGRADED;
	/* A reply names the ranks where it was asked for them. */
	return len == bitmap;
}

/**
 * weir_down_check_plain() - see weir_engine.check_down
 * @job: a job of one level, whose parent sends results alone
 * @c: the parsed packet
 */
int weir_down_check_plain(const struct weir_job *job, const struct weir_contrib *c)
{
	u32 want = weir_reduction_bytes(job->blocks.reduction, c->count);

	return job->format->down(c) ?: weir_path_check_shape(c, want, job->grads);
}

/**
 * weir_down_check_ranked() - see weir_engine.check_down
 * @job: a job that spans boxes
 * @c: the parsed packet
 */
int weir_down_check_ranked(const struct weir_job *job, const struct weir_contrib *c)
{
	u32 bitmap = weir_job_words(job) * sizeof(__be32), want, len;

	if (c->payload_off < c->udp_off + sizeof(struct udphdr) ||
	    c->payload_off - c->udp_off > c->udp_len)
		return WEIR_REASON_LENGTH;
	len = c->udp_len - (c->payload_off - c->udp_off);
	if (weir_notice_is(c))
		return !len || len == weir_notice_bytes(job) ? 0 : WEIR_REASON_LENGTH;
	if (weir_notice_is_behind(c))
		return len == sizeof(struct weir_behind) ? 0 : WEIR_REASON_LENGTH;
	want = c->flags & WEIR_CONTRIB_JOIN ? sizeof(struct weir_join) :
	       weir_reduction_bytes(job->blocks.reduction, c->count) +
	       (weir_down_has_bitmap(c, len, bitmap) ? bitmap : 0);
	if (len != want)
		return WEIR_REASON_LENGTH;
	return c->count > job->grads ? WEIR_REASON_TOO_LONG : 0;
}

static void weir_down_all_ranks(const struct weir_job *job, unsigned long *ranks)
{
	bitmap_zero(ranks, job->map->ranks);
	bitmap_set(ranks, 0, job->map->ranks);
}

/*
 * @aged: it had timed out at the parent. @ranks: in a job that spans boxes the ranks of @key, whose
 * room serves for those of the result, too: they are the same.
 */
static int weir_down_answer(struct weir_job *job, const struct weir_block_key *key, bool aged,
			    const struct weir_payload *pl, unsigned long *ranks,
			    struct weir_merged *merged)
{
	struct weir_outcome out __uninitialized;
	int verdict;

	out.res.ranks = ranks;
	verdict = weir_block_answer(&job->blocks, key, aged, pl, ktime_get_ns(), &out);
	if (verdict < 0)
		return -verdict;
	weir_job_count(job, WEIR_C_PARENT_RESULTS, 1);
	if (out.replaced)
		weir_job_count(job, WEIR_C_PAGES_LEFT, out.replaced);
	weir_answer_block(job, &out, merged);
	weir_result_put(&out.res);
	return 0;
}

/**
 * weir_down_take_plain() - see weir_engine.down
 * @job: a job of one level, whose parent sends results alone
 * @c: the parsed packet, its shape checked
 * @pl: the payload behind its header; it replaces the sum
 * @now: time, ns of the monotonic clock
 * @merged: other packets of the pass, to be merged with, or NULL
 */
int weir_down_take_plain(struct weir_job *job, const struct weir_contrib *c,
			 struct weir_payload *pl, u64 now, struct weir_merged *merged)
{
	const struct weir_block_key key = {
		.id		= c->block,
		.generation	= c->generation,
		.count		= c->count,
		.ecn		= c->tos & INET_ECN_MASK,
		.said		= c,
	};

	return weir_down_answer(job, &key, false, pl, NULL, merged);
}

static int weir_down_result(struct weir_job *job, const struct weir_contrib *c,
			    const struct weir_payload *pl, struct weir_merged *merged)
{
	DECLARE_BITMAP(ranks, WEIR_RANKS_MAX);
	const struct weir_block_key key = {
		.id		= c->block,
		.generation	= c->generation,
		.count		= c->count,
		.little		= !!(c->flags & WEIR_CONTRIB_LITTLE),
		.has_exponent	= !!(c->flags & WEIR_CONTRIB_EXPONENT),
		.exponent	= c->exponent,
		.ecn		= c->tos & INET_ECN_MASK,
		.ranks		= ranks,
		.overflow	= c->said[0] & WEIR_TRIO_OVERFLOW,
		.unlike		= c->said[0] & WEIR_TRIO_UNLIKE,
	};

	if (!(c->said[0] & WEIR_TRIO_DEGRADED))
		weir_down_all_ranks(job, ranks);
	else if (!weir_rank_map_copy(job->map, pl,
				     weir_reduction_bytes(job->blocks.reduction, c->count),
				     ranks) ||
		 bitmap_empty(ranks, job->map->ranks))
		return WEIR_REASON_FLAGS;
	return weir_down_answer(job, &key,
				(c->said[0] & (WEIR_TRIO_DEGRADED | WEIR_TRIO_AGED)) ==
				(WEIR_TRIO_DEGRADED | WEIR_TRIO_AGED), pl, ranks, merged);
}

/* The parent has no result yet: the sources that have asked hear it. */
static void weir_down_reply_to(struct weir_job *job, const struct weir_contrib *c,
			       const unsigned long *askers, const unsigned long *ranks)
{
	struct weir_block_key key = { .id = c->block, .generation = c->generation };
	struct weir_source *source;
	unsigned int i;

	for_each_set_bit(i, askers, job->blocks.sources) {
		source = weir_source_get(job, i);
		key.source = i;
		if (source && weir_source_hears(source))
			weir_result_reply(job, source, &key, c->weight, ranks, false, NULL);
	}
}

static int weir_down_reply(struct weir_job *job, const struct weir_contrib *c,
			   const struct weir_payload *pl)
{
	const struct weir_block_key key = { .id = c->block, .generation = c->generation };
	bool names = c->udp_len > c->payload_off - c->udp_off;
	struct weir_result res __uninitialized;
	DECLARE_BITMAP(summed, WEIR_RANKS_MAX);
	DECLARE_BITMAP(ranks, WEIR_RANKS_MAX);
	DECLARE_BITMAP(askers, WEIR_SOURCES_MAX);

	res.ranks = summed;
	if (names && !weir_rank_map_copy(job->map, pl, 0, ranks))
		return WEIR_REASON_FLAGS;
	if (!weir_block_replied(&job->blocks, &key, &res, askers))
		return WEIR_REASON_STALE;
	if (c->said[0] & WEIR_TRIO_WANTED)
		job->uplink->sum(job, &res, NULL);
	else
		weir_down_reply_to(job, c, askers, names ? ranks : NULL);
	weir_result_put(&res);
	return 0;
}

/* The parent has evicted the result of a block that this box has asked about for its sources. */
static int weir_down_behind(struct weir_job *job, const struct weir_contrib *c,
			    const struct weir_payload *pl)
{
	const struct weir_block_key key = { .id = c->block, .generation = c->generation };
	DECLARE_BITMAP(askers, WEIR_SOURCES_MAX);
	struct weir_behind behind;
	unsigned int i;

	if (!weir_block_lose(&job->blocks, &key, askers))
		return WEIR_REASON_STALE;
	weir_payload_copy(pl, &behind, sizeof(behind));
	for_each_set_bit(i, askers, job->blocks.sources)
		weir_notice_behind_at(job, i, c->block, ntohl(behind.oldest),
				      ntohl(behind.next));
	return 0;
}

/*
 * The parent was set up again, and knows no generation: it is over here, too. The sources are told,
 * join again, and say which block they lack.
 */
static void weir_down_is_new(struct weir_job *job)
{
	weir_notice_all(job);
	spin_lock(&job->join.lock);
	weir_join_forget(&job->join);
	spin_unlock(&job->join.lock);
}

/**
 * enum weir_down_act - what a notice of the parent brings about
 * @WEIR_DOWN_IGNORE: nothing
 * @WEIR_DOWN_PASS: the sources hear it
 * @WEIR_DOWN_PROBE: the parent has to say it again to this box
 * @WEIR_DOWN_NEW: the generation is over, as the parent was set up again
 */
enum weir_down_act {
	WEIR_DOWN_IGNORE,
	WEIR_DOWN_PASS,
	WEIR_DOWN_PROBE,
	WEIR_DOWN_NEW,
};

/*
 * A notice that names another generation, or none, may end this one. It holds where it names the
 * number of the box's probe. Before a generation the parent is heard while it has a join to answer:
 * then it knows that this box receives, and sends more than a header.
 */
static enum weir_down_act weir_down_judge(struct weir_job *job, const struct weir_contrib *c,
					  bool has_bitmaps, u64 now)
{
	struct weir_parent *parent = job->parent;
	bool is_none = c->said[0] & WEIR_TRIO_DEGRADED, echoes;

	lockdep_assert_held(&job->join.lock);

	if (!READ_ONCE(job->joined))
		return parent->waits && has_bitmaps && weir_pace_is_due(&parent->passed, now) ?
		       WEIR_DOWN_PASS : WEIR_DOWN_IGNORE;
	echoes = parent->probing && c->block == parent->probe;
	if (!echoes && (is_none || c->generation != weir_blocks_generation(&job->blocks)))
		return weir_parent_may_probe(parent, now) ? WEIR_DOWN_PROBE : WEIR_DOWN_IGNORE;
	if (echoes)
		parent->probing = false;
	if (is_none) {
		WRITE_ONCE(job->joined, false);
		return WEIR_DOWN_NEW;
	}
	return weir_pace_is_due(&parent->passed, now) ? WEIR_DOWN_PASS : WEIR_DOWN_IGNORE;
}

static void weir_down_notice(struct weir_job *job, const struct weir_contrib *c,
			     const struct weir_payload *pl, u64 now)
{
	bool has_bitmaps = c->udp_len > c->payload_off - c->udp_off;
	enum weir_down_act act;

	spin_lock(&job->join.lock);
	act = weir_down_judge(job, c, has_bitmaps, now);
	spin_unlock(&job->join.lock);
	if (act == WEIR_DOWN_NEW) {
		weir_down_is_new(job);
		return;
	}
	if (act == WEIR_DOWN_PROBE) {
		weir_parent_probe(job);
		return;
	}
	/* A parent that does not know whether this box hears sends the header alone. */
	if (has_bitmaps && c->generation == weir_blocks_generation(&job->blocks))
		weir_notice_above(job, pl);
	if (act == WEIR_DOWN_PASS)
		weir_notice_pass(job, c->block, c->generation, pl);
}

/**
 * weir_down_take_ranked() - see weir_engine.down
 * @job: a job that spans boxes
 * @c: the parsed packet, its shape checked
 * @pl: the payload behind its header
 * @now: time, ns of the monotonic clock
 * @merged: other packets of the pass, to be merged with, or NULL
 *
 * One packet has one go to each source: a result as it completes its block, a reply as the source
 * has asked, and a notice twenty times a second at most. To the parent a sum goes again once for
 * each question that it was asked.
 */
int weir_down_take_ranked(struct weir_job *job, const struct weir_contrib *c,
			  struct weir_payload *pl, u64 now, struct weir_merged *merged)
{
	if (weir_notice_is(c)) {
		weir_down_notice(job, c, pl, now);
		return 0;
	}
	if (weir_notice_is_behind(c))
		return weir_down_behind(job, c, pl);
	if (c->flags & WEIR_CONTRIB_JOIN) {
		weir_join_above(job, c, pl, now);
		return 0;
	}
	return c->count ? weir_down_result(job, c, pl, merged) :
			  weir_down_reply(job, c, pl);
}

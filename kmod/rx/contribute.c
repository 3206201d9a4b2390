// SPDX-License-Identifier: GPL-2.0
/*
 * The way of one contribution: its job, its source, its length and checksum are
 * checked, and then it goes into the sum. A refusal changes no sum.
 */
#include <linux/ktime.h>
#include <linux/netdevice.h>
#include <linux/string.h>
#include <linux/udp.h>
#include <net/checksum.h>
#include <net/inet_ecn.h>
#include <net/ip6_checksum.h>
#include <net/ipv6.h>
#include <uapi/weir.h>
#include <uapi/weir_bpf.h>
#include <uapi/weir_wire.h>

#include "base/compat.h"
#include "base/link.h"
#include "base/notify.h"
#include "base/payload.h"
#include "format/format.h"
#include "engine/answer.h"
#include "rx/contribute.h"
#include "engine/down.h"
#include "job/job.h"
#include "job/job_trace.h"
#include "member/joining.h"
#include "kv/engine.h"
#include "tree/level.h"
#include "member/notice.h"
#include "tree/parent.h"
#include "job/path.h"
#include "job/port.h"
#include "engine/result.h"
#include "engine/scan.h"
#include "job/source.h"
#include "member/straggler.h"
#include "type/reduce.h"
#include "type/vector.h"

/*
 * The source's rate first: packets above it do not count for the job's rate. @packets is 1
 * for a packet that has come, and 0 for a result that it makes the box send.
 */
static __always_inline int weir_police(const struct weir_path *path, u32 packets, u32 bytes,
				       u64 now)
{
	struct weir_rate *rate = rcu_dereference_bh(path->job->rate);

	if (!weir_rate_take(&path->source->rate, now, packets, bytes))
		return WEIR_REASON_SOURCE_RATE;
	if (rate && !weir_rate_take(rate, now, packets, bytes))
		return WEIR_REASON_JOB_RATE;
	return 0;
}

/* Does a box that is a source say which ranks behind it are gone? */
static bool weir_is_notice(const struct weir_contrib *c)
{
	return c->flags & WEIR_CONTRIB_UP && weir_path_is_join(c) && weir_notice_is(c);
}

/*
 * What a box sends to its parent may have the bitmap of its ranks behind it. A join may be one of
 * other numbers of ranks, and is answered so.
 */
static noinline u32 weir_shape_up(const struct weir_job *job, const struct weir_contrib *c)
{
	u32 bitmap = c->udp_len - (c->payload_off - c->udp_off) - sizeof(struct weir_join);

	if (job->format->up)
		return 0;
	if (weir_is_notice(c))
		return job->level ? weir_notice_bytes(job) - sizeof(struct weir_join) : 0;
	if (c->flags & WEIR_CONTRIB_JOIN)
		return bitmap <= WEIR_RANKS_MAX / 8 ? round_down(bitmap, sizeof(__be32)) : 0;
	return c->said[0] & WEIR_TRIO_DEGRADED ? weir_job_words(job) * sizeof(__be32) : 0;
}

/* The sum of a box stands for many ranks, in a job that spans boxes. */
static bool weir_may_weigh(const struct weir_job *job, const struct weir_contrib *c)
{
	return job->level || c->flags & WEIR_CONTRIB_JOIN || (job->format->up && c->weight);
}

static __always_inline int weir_check_shape(const struct weir_job *job,
					    const struct weir_contrib *c)
{
	u32 want;

	if (unlikely(job->kv) && !(c->flags & WEIR_CONTRIB_JOIN))
		return weir_kv_check_shape(c);
	want = c->flags & WEIR_CONTRIB_JOIN ?
	       sizeof(struct weir_join) :
	       weir_reduction_bytes(job->blocks.reduction, c->count);
	if (unlikely(c->flags & WEIR_CONTRIB_UP))
		want += weir_shape_up(job, c);
	if (c->payload_off < c->udp_off + (weir_contrib_is_link(c) ? 0 : sizeof(struct udphdr)) ||
	    c->payload_off - c->udp_off + want != c->udp_len)
		return WEIR_REASON_LENGTH;
	if (unlikely(c->flags & WEIR_CONTRIB_UP) ? !weir_may_weigh(job, c) : c->weight != 1)
		return WEIR_REASON_WEIGHT;
	return c->count > job->grads ? WEIR_REASON_TOO_LONG : 0;
}

static __sum16 weir_pseudo(const struct weir_contrib *c, __wsum csum)
{
	if (ipv6_addr_v4mapped((const struct in6_addr *)c->saddr))
		return csum_tcpudp_magic(c->saddr[3], c->daddr[3], c->udp_len,
					 IPPROTO_UDP, csum);
	return csum_ipv6_magic((const struct in6_addr *)c->saddr,
			       (const struct in6_addr *)c->daddr, c->udp_len,
			       IPPROTO_UDP, csum);
}

/*
 * A driver does not tell XDP whether it has checked the checksum, so it is
 * checked here. A sender on this very machine leaves it to a device that never
 * comes: the field then holds the pseudo header's sum alone, which is taken
 * for what it is. IPv4 allows none at all.
 */
static noinline int weir_check_csum(const struct weir_contrib *c,
				    const struct weir_payload *datagram)
{
	const struct udphdr *uh;
	struct udphdr room;
	__sum16 check;

	uh = weir_payload_peek(datagram, &room, sizeof(room));
	if (!uh)
		return WEIR_REASON_RUNT;
	check = uh->check;
	if (!check)
		return ipv6_addr_v4mapped((const struct in6_addr *)c->saddr) ?
		       0 : WEIR_REASON_CHECKSUM;
	if (check == (__force __sum16)~weir_pseudo(c, 0))
		return 0;
	return weir_pseudo(c, weir_payload_csum(datagram)) ?
	       WEIR_REASON_CHECKSUM : 0;
}

static int weir_take_join(const struct weir_path *path, const struct weir_contrib *c,
			  const struct weir_payload *pl, u64 now)
{
	int reason = weir_join_take(path->job, path->source, c, pl, now);

	if (!reason)
		weir_path_count(path, WEIR_C_JOINS, 1);
	return reason;
}

/*
 * A source that has joined is told why its packet was refused. A client that has only the
 * paper would take the notice for a result.
 */
static void weir_tell(const struct weir_path *path, const struct weir_contrib *c)
{
	if (c->flags & WEIR_CONTRIB_JOINED)
		weir_notice(path->job, c->source, c->block);
}

static void weir_tell_behind(const struct weir_path *path, const struct weir_contrib *c)
{
	if (c->flags & WEIR_CONTRIB_JOINED)
		weir_notice_behind(path->job, c->source, c->block);
}

/*
 * A source that joined before the box was set up anew is told so. A source that has not joined
 * may begin a newer generation by itself, but not end one that the box has given out.
 */
static __always_inline int weir_check_generation(const struct weir_path *path,
						 const struct weir_contrib *c)
{
	struct weir_job *job = path->job;

	if (READ_ONCE(job->joined))
		return 0;
	if (c->flags & WEIR_CONTRIB_JOINED || job->level) {
		weir_tell(path, c);
		return WEIR_REASON_GENERATION;
	}
	weir_blocks_advance(&job->blocks, c->generation, c->block);
	return 0;
}

static __always_inline int weir_check_member(const struct weir_path *path,
					     const struct weir_contrib *c)
{
	if (likely(!test_bit(c->source, path->job->blocks.excluded)))
		return weir_check_generation(path, c);
	weir_tell(path, c);
	return WEIR_REASON_EXCLUDED;
}

/*
 * A block has refused the packet. If the generation is another, other sources may go on without
 * this one. If the block's slot has a later block, the source is behind, or the packet is old.
 */
static int weir_block_refused(const struct weir_path *path,
			      const struct weir_contrib *c, int reason,
			      const struct weir_outcome *out, u64 now)
{
	struct weir_job *job = path->job;

	if (out->retained)
		weir_straggler_retained(job, out->retained_seq);
	if (out->retained && job->parent && job->level)
		weir_parent_show(job, c, now);
	if (reason == WEIR_REASON_GENERATION)
		weir_tell(path, c);
	if (reason == WEIR_REASON_STALE &&
	    !weir_retention_has(&job->blocks.retention, c->source, out->seq))
		weir_tell_behind(path, c);
	return reason;
}

/*
 * A question of a few bytes is answered with a whole result, and its sender may have
 * said another's address. Where the source that has it may not hear, it is asked for its
 * contribution, which pays for the result; else the result is charged as well, before it
 * is sent.
 */
static int weir_answer_query(const struct weir_path *path,
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
	reason = weir_police(path, 0, res->len, now);
	if (reason)
		return reason;
	weir_path_count(path, WEIR_C_QUERIES, 1);
	weir_result_repeat(path->job, path->source, key->source, res, path->merged);
	return 0;
}

/* There is no result yet. A question that is longer asks who is in the block. */
static void weir_reply_query(const struct weir_path *path, const struct weir_contrib *c,
			     const struct weir_block_key *key,
			     const struct weir_outcome *out, bool wanted)
{
	weir_result_reply(path->job, path->source, key, out->received,
			  !(c->flags & WEIR_CONTRIB_EXPONENT) ? NULL :
			  path->job->level ? out->res.ranks : out->res.mask, wanted,
			  path->merged);
}

/*
 * The block's sum is with the parent, which is asked for the source. Its answer goes to the sources
 * that have asked, so that they hear from the whole way up, and not from this box alone.
 */
static noinline void weir_ask_above(const struct weir_path *path,
				    const struct weir_block_key *key,
				    const struct weir_outcome *out, bool who, u64 now)
{
	if (!weir_block_may_ask(&path->job->blocks, out->seq, key->source, now))
		return;
	if (path->job->level)
		weir_parent_ask(path->job, key, who);
	else
		weir_parent_repeat(path->job, key);
}

static noinline int weir_take_query(const struct weir_path *path,
				    const struct weir_contrib *c, u64 now)
{
	const struct weir_block_key key = {
		.id		= c->block,
		.generation	= c->generation,
		.source		= c->source,
	};
	struct weir_job *job = path->job;
	struct weir_outcome out __uninitialized;
	int verdict, reason;

	verdict = weir_block_query(&job->blocks, &key, now, &out);
	if (verdict == WEIR_VERDICT_ABOVE) {
		weir_path_count(path, WEIR_C_QUERIES, 1);
		weir_ask_above(path, &key, &out, c->flags & WEIR_CONTRIB_EXPONENT, now);
		return 0;
	}
	/* The source waits for others that are behind; the reply tells it that the box is alive. */
	if (verdict == -WEIR_REASON_BUSY)
		weir_reply_query(path, c, &key, &out, false);
	if (verdict < 0)
		return weir_block_refused(path, c, -verdict, &out, now);
	if (verdict == WEIR_VERDICT_REPEAT) {
		reason = weir_answer_query(path, &key, &out.res, now);
		weir_result_put(&out.res);
		return reason;
	}
	weir_path_count(path, WEIR_C_QUERIES, 1);
	weir_reply_query(path, c, &key, &out, verdict == WEIR_VERDICT_WANTED);
	return 0;
}

/* Opening the block had effects on others. Of one block in many, so that there is a call. */
static noinline void weir_opened(const struct weir_path *path, const struct weir_outcome *out)
{
	if (out->abandoned)
		weir_path_count(path, WEIR_C_ABANDONED, 1);
	if (out->replaced)
		weir_path_count(path, WEIR_C_PAGES_LEFT, out->replaced);
	if (out->evicted)
		weir_straggler_behind(path->job);
}

/* Counts a contribution that was taken. */
static __always_inline void weir_contributed(const struct weir_path *path,
					     const struct weir_contrib *c, int verdict,
					     const struct weir_outcome *out)
{
	if (unlikely(out->abandoned | out->evicted | out->replaced))
		weir_opened(path, out);
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
static noinline int weir_take_unlike(const struct weir_path *path,
				     const struct weir_block_key *key, u64 now,
				     struct weir_outcome *out)
{
	if (weir_block_spoil(&path->job->blocks, key, now, out) == WEIR_VERDICT_COMPLETE) {
		weir_answer_block(path->job, out, path->merged);
		weir_result_put(&out->res);
	}
	return WEIR_REASON_COUNT;
}

/* Nearly all of a datagram's way from here on is compiled into one function. */
static __always_inline int weir_take_key(const struct weir_path *path,
					 const struct weir_contrib *c,
					 const struct weir_block_key *key,
					 const struct weir_payload *pl, u64 now)
{
	struct weir_job *job = path->job;
	struct weir_outcome out __uninitialized;
	int verdict;

	verdict = likely(!job->blocks.paired) ?
		  weir_block_contribute(&job->blocks, key, pl, now, &out) :
		  weir_block_contribute_paired(&job->blocks, key, pl, now, &out);
	if (out.opened && verdict == WEIR_VERDICT_SUMMED)
		weir_scan_opened(job, weir_block_slot(&job->blocks, out.seq));
	if (verdict < 0)
		return verdict == -WEIR_REASON_COUNT && c->flags & WEIR_CONTRIB_JOINED ?
		       weir_take_unlike(path, key, now, &out) :
		       weir_block_refused(path, c, -verdict, &out, now);
	trace_weir_contribution(path->port->ifindex, c, verdict, out.lateness);
	weir_contributed(path, c, verdict, &out);
	if (verdict == WEIR_VERDICT_SUMMED)
		return 0;
	if (unlikely(weir_verdict_is_above(verdict))) {
		weir_ask_above(path, key, &out, false, now);
		return 0;
	}
	if (verdict == WEIR_VERDICT_COMPLETE)
		weir_answer_block(job, &out, path->merged);
	else
		weir_result_repeat(job, path->source, c->source, &out.res,
				   path->merged);
	weir_result_put(&out.res);
	return 0;
}

/* The ranks that a degraded sum states; returns whether they can be. */
static bool weir_read_ranks(const struct weir_job *job, const struct weir_contrib *c,
			    const struct weir_payload *pl, unsigned long *ranks)
{
	u32 at = weir_reduction_bytes(job->blocks.reduction, c->count);

	return weir_level_read(job->level, pl, at, ranks) &&
	       bitmap_subset(ranks, weir_level_of(job->level, c->source), job->level->ranks) &&
	       !bitmap_empty(ranks, job->level->ranks);
}

/*
 * A contribution in a job that spans boxes stands for the ranks that its source has joined with;
 * the sum of a box, where it is degraded, for those that it names. Its count is modulo 256.
 */
static noinline int weir_take_ranked(const struct weir_path *path, const struct weir_contrib *c,
				     struct weir_block_key *key, const struct weir_payload *pl,
				     u64 now)
{
	const struct weir_level *level = path->job->level;
	u8 flags = c->flags & WEIR_CONTRIB_UP ? c->said[0] : 0;
	DECLARE_BITMAP(ranks, WEIR_RANKS_MAX);
	u16 weight = level->weight[c->source];

	key->ranks = weir_level_of(level, c->source);
	key->overflow = flags & WEIR_TRIO_OVERFLOW;
	key->unlike = flags & WEIR_TRIO_UNLIKE;
	if (flags & WEIR_TRIO_DEGRADED) {
		if (!weir_read_ranks(path->job, c, pl, ranks))
			return WEIR_REASON_WEIGHT;
		key->ranks = ranks;
		weight = bitmap_weight(ranks, level->ranks);
	}
	if (!weight || (u8)weight != (u8)c->weight)
		return WEIR_REASON_WEIGHT;
	return weir_take_key(path, c, key, pl, now);
}

static __always_inline int weir_take_gradients(const struct weir_path *path,
					       const struct weir_contrib *c,
					       const struct weir_payload *pl, u64 now)
{
	struct weir_block_key key __uninitialized;

	/* The rest of the key is for tables with ranks or pairs. */
	key.id = c->block;
	key.generation = c->generation;
	key.source = c->source;
	key.count = c->count;
	key.has_exponent = c->flags & WEIR_CONTRIB_EXPONENT;
	key.exponent = c->exponent;
	key.ecn = c->tos & INET_ECN_MASK;
	key.said = c;
	if (unlikely(path->job->level))
		return weir_take_ranked(path, c, &key, pl, now);
	return weir_take_key(path, c, &key, pl, now);
}

/*
 * Of a pair that takes turns. A key that is not there leaves it to the one that follows. What
 * has no pairs is not to pay for the room of the keys.
 */
static noinline int weir_take_paired(const struct weir_path *path, struct weir_contrib *c,
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
		reason = weir_take_key(path, c, &key[i], pl, now);
		if (reason != WEIR_REASON_AHEAD)
			break;
	}
	return reason;
}

/* Of members alone: who has not shown that it hears must not have others get packets. */
static noinline int weir_take_notice(const struct weir_path *path, const struct weir_contrib *c,
				     const struct weir_payload *pl, u64 now)
{
	struct weir_job *job = path->job;
	int reason;

	if (!job->level || !weir_source_hears(path->source))
		return WEIR_REASON_JOIN;
	reason = weir_check_member(path, c);
	if (!reason && c->generation != weir_blocks_generation(&job->blocks))
		reason = WEIR_REASON_GENERATION;
	if (!reason)
		weir_notice_below(job, c->source, pl, now);
	return reason;
}

/*
 * A source acknowledges the results before a block. The parser takes an acknowledgment only of
 * format trio; a BPF program may make one of any.
 */
static int weir_take_ack(const struct weir_path *path, const struct weir_contrib *c)
{
	struct weir_blocks *blocks = &path->job->blocks;
	struct weir_place place;
	int reason;

	if (!blocks->slot || blocks->paired)
		return WEIR_REASON_FLAGS;
	reason = weir_check_member(path, c);
	if (reason)
		return reason;
	if (c->generation != weir_blocks_generation(blocks) ||
	    !weir_generations_find(&blocks->gens, c->generation, c->block, &place)) {
		weir_tell(path, c);
		return WEIR_REASON_GENERATION;
	}
	if (!weir_retention_ack(&blocks->retention, c->source, place.seq,
				c->flags & WEIR_CONTRIB_FINAL))
		return WEIR_REASON_AHEAD;
	weir_path_count(path, WEIR_C_ACKS, 1);
	return 0;
}

static noinline int weir_take_control(const struct weir_path *path, const struct weir_contrib *c,
				      const struct weir_payload *pl, u64 now)
{
	if (c->flags & WEIR_CONTRIB_ACK)
		return weir_take_ack(path, c);
	if (weir_is_notice(c))
		return weir_take_notice(path, c, pl, now);
	return weir_path_is_join(c) ? weir_take_join(path, c, pl, now) : WEIR_REASON_JOIN;
}

/* The datagram is whole, and its source is verified. */
static __always_inline int weir_take_whole(const struct weir_path *path, struct weir_contrib *c,
					   const struct weir_payload *pl, u64 now)
{
	struct weir_job *job = path->job;
	int reason = 0;

	if (c->flags & (WEIR_CONTRIB_JOIN | WEIR_CONTRIB_ACK))
		return weir_take_control(path, c, pl, now);
	if (unlikely(job->blocks.paired))
		return weir_take_paired(path, c, pl, now);
	if (unlikely(job->kv))
		return weir_kv_take(path, c, pl, now);
	if (job->format->place)
		reason = job->format->place(job->state, &job->blocks, c, pl);
	reason = reason ?: weir_check_member(path, c);
	if (reason)
		return reason;
	return c->count ? weir_take_gradients(path, c, pl, now) :
			  weir_take_query(path, c, now);
}

/* Find the job of a packet that goes down: it has to be from the job's parent box. */
static int weir_find_down(struct weir_path *path, const struct weir_contrib *c)
{
	struct weir_job *job = path->port ? weir_job_get(path->wn, c->job) : NULL;

	if (!job || job->format->id != c->format || !weir_path_is_to(job, c) ||
	    !weir_parent_is(job, c, path->port->ifindex))
		return weir_path_find_none(path, c) ?: WEIR_REASON_DIRECTION;
	path->job = job;
	return 0;
}

/* It goes down: from the parent box of a job, or it is refused. */
static noinline int weir_take_down(struct weir_path *path, struct weir_contrib *c,
				   struct weir_payload *datagram, u32 header, bool verified,
				   u64 now)
{
	int reason = weir_find_down(path, c);

	if (!reason && !datagram)
		reason = WEIR_REASON_LENGTH;
	if (!reason)
		reason = weir_down_check_shape(path->job, c);
	if (!reason && !verified)
		reason = header ? weir_check_csum(c, datagram) : WEIR_REASON_CHECKSUM;
	if (reason)
		return reason;
	weir_payload_pull(datagram, c->payload_off - c->udp_off - sizeof(struct udphdr) + header);
	return weir_down_take(path->job, c, datagram, now, path->merged);
}

/* Its job and source are found. @datagram: from its UDP header on, or NULL. */
static __always_inline int weir_check(const struct weir_path *path,
				      const struct weir_contrib *c,
				      const struct weir_payload *datagram,
				      bool verified, u64 now)
{
	int reason = weir_police(path, 1, c->udp_len, now);

	if (!reason && !datagram)
		reason = WEIR_REASON_LENGTH;
	if (!reason)
		reason = weir_check_shape(path->job, c);
	if (!reason && !verified)
		reason = weir_check_csum(c, datagram);
	return reason;
}

static int weir_take(struct weir_path *path, struct weir_contrib *c,
		     struct weir_payload *datagram, bool verified)
{
	u64 now = ktime_get_ns();
	int reason;

	if (unlikely(c->flags & WEIR_CONTRIB_DOWN))
		return weir_take_down(path, c, datagram, sizeof(struct udphdr), verified, now);
	reason = weir_path_find(path, c) ?: weir_check(path, c, datagram, verified, now);
	if (reason)
		return reason;
	weir_straggler_heard(path->job, c->source);
	weir_payload_pull(datagram, c->payload_off - c->udp_off);
	return weir_take_whole(path, c, datagram, now);
}

static void weir_refused(const struct weir_path *path, int ifindex,
			 const struct weir_contrib *c, u32 reason)
{
	weir_path_count(path, WEIR_C_REFUSED + reason, 1);
	if (reason == WEIR_REASON_JOB_RATE || reason == WEIR_REASON_SOURCE_RATE)
		weir_path_count(path, WEIR_C_POLICED_BYTES, c->udp_len);
	trace_weir_refusal(ifindex, c, reason);
}

/**
 * weir_contribute() - take a contribution or a join
 * @dev: the device that it came in on
 * @c: the parsed packet; gets the fields that the packet leaves to the format
 * @datagram: the UDP datagram, from its header on and c->udp_len long; used
 *	up; NULL where the frame ends before it does
 * @verified: the stack or the device has checked the UDP checksum already
 *
 * Called under RCU with bottom halves disabled, from NAPI or softirq.
 *
 * Return: 0 where it was taken, else an enum weir_reason, counted and traced.
 */
int weir_contribute(struct net_device *dev, struct weir_contrib *c,
		    struct weir_payload *datagram, bool verified)
{
	struct weir_path path = { .wn = weir_net(dev_net(dev)) };
	int reason;

	lockdep_assert(rcu_read_lock_bh_held());

	path.port = weir_port_get(path.wn, dev->ifindex);
	reason = weir_take(&path, c, datagram, verified);
	if (unlikely(reason))
		weir_refused(&path, dev->ifindex, c, reason);
	return reason;
}

/**
 * weir_refuse() - count a packet that a parser found bad
 * @dev: the device that it came in on
 * @c: the parsed packet, as far as @c->daddr, @c->dport and @c->format
 * @reason: enum weir_reason, valid
 *
 * Context as weir_contribute(). A packet that is sent to no job is other traffic,
 * and not bad at all.
 *
 * Return: @reason, or the reason for which the packet is passed.
 */
int weir_refuse(struct net_device *dev, const struct weir_contrib *c,
		u32 reason)
{
	struct weir_path path = { .wn = weir_net(dev_net(dev)) };

	lockdep_assert(rcu_read_lock_bh_held());

	path.port = weir_port_get(path.wn, dev->ifindex);
	reason = weir_path_find_none(&path, c) ?: reason;
	weir_refused(&path, dev->ifindex, c, reason);
	return reason;
}

/**
 * weir_pass_begin() - datagrams of a merged packet follow
 * @pass: their way; filled
 * @dev: the device that the packet came in on
 *
 * Context as weir_contribute(), until weir_pass_end().
 */
void weir_pass_begin(struct weir_pass *pass, struct net_device *dev)
{
	lockdep_assert(rcu_read_lock_bh_held());

	*pass = (struct weir_pass) {
		.path = {
			.wn	= weir_net(dev_net(dev)),
			.tally	= &pass->tally,
			.merged	= &pass->merged,
		},
		.ifindex	= dev->ifindex,
		.now		= ktime_get_ns(),
	};
	pass->path.port = weir_port_get(pass->path.wn, dev->ifindex);
	weir_vector_keep();
}

/* Its path is its own: the source of the datagram before it may be that of the next. */
static noinline int weir_pass_take_down(struct weir_pass *pass, struct weir_contrib *c,
					struct weir_payload *payload, bool verified)
{
	struct weir_path path = {
		.wn	= pass->path.wn,
		.port	= pass->path.port,
		.merged	= &pass->merged,
	};
	int reason = weir_take_down(&path, c, payload, 0, verified, pass->now);

	if (unlikely(reason))
		weir_refused(&path, pass->ifindex, c, reason);
	return reason;
}

/**
 * weir_pass_take() - take a contribution or a join of a merged packet
 * @pass: the packet's
 * @c: the parsed datagram, as of weir_contribute(), as if it began with a UDP header
 * @payload: it, without that header; used up
 * @verified: as of weir_contribute(); if not, the datagram is refused, as it has no checksum
 *	of its own
 *
 * Return: as weir_contribute().
 */
int weir_pass_take(struct weir_pass *pass, struct weir_contrib *c,
		   struct weir_payload *payload, bool verified)
{
	struct weir_path *path = &pass->path;
	int reason;

	if (unlikely(c->flags & WEIR_CONTRIB_DOWN))
		return weir_pass_take_down(pass, c, payload, verified);
	reason = weir_path_find_next(path, c) ?: weir_check(path, c, payload, true, pass->now);
	if (!reason && !verified)
		reason = WEIR_REASON_CHECKSUM;
	if (!reason) {
		weir_straggler_heard(path->job, c->source);
		weir_payload_pull(payload, c->payload_off - c->udp_off - sizeof(struct udphdr));
		reason = weir_take_whole(path, c, payload, pass->now);
	}
	if (unlikely(reason))
		weir_refused(path, pass->ifindex, c, reason);
	return reason;
}

/**
 * weir_pass_refuse() - count a datagram of a merged packet that a parser found bad
 * @pass: the packet's
 * @c: as of weir_refuse()
 * @reason: enum weir_reason, valid
 *
 * Return: as weir_refuse().
 */
int weir_pass_refuse(struct weir_pass *pass, const struct weir_contrib *c, u32 reason)
{
	struct weir_path path = { .wn = pass->path.wn, .port = pass->path.port };

	reason = weir_path_find_none(&path, c) ?: reason;
	weir_refused(&path, pass->ifindex, c, reason);
	return reason;
}

/**
 * weir_pass_end() - no datagram of the packet follows
 * @pass: the packet's
 */
void weir_pass_end(struct weir_pass *pass)
{
	weir_path_count_tally(&pass->path);
	weir_vector_drop();
	weir_merged_flush(&pass->merged);
}

static_assert(sizeof_field(struct weir_contrib, reserved) == 2);

static bool weir_contrib_valid(const struct weir_contrib *c)
{
	return !(c->reserved[0] | c->reserved[1]) &&
	       !(c->flags & ~(WEIR_CONTRIB_JOIN | WEIR_CONTRIB_FINAL |
			      WEIR_CONTRIB_JOINED | WEIR_CONTRIB_VLAN |
			      WEIR_CONTRIB_EXPONENT | WEIR_CONTRIB_UNNAMED |
			      WEIR_CONTRIB_LINK | WEIR_CONTRIB_DOWN | WEIR_CONTRIB_UP |
			      WEIR_CONTRIB_ACK));
}

/**
 * weir_contrib_copy() - take a descriptor from a BPF program
 * @c: filled
 * @from: where the program has it, or NULL; another CPU may write there
 * @size: its size there
 *
 * Reads @from once, before anything is checked.
 *
 * Return: whether it is of the form that this module knows.
 */
bool weir_contrib_copy(struct weir_contrib *c, const struct weir_contrib *from,
		       u32 size)
{
	if (!from || size != sizeof(*c))
		return false;
	*c = *from;
	/* The compiler may take nothing from there any more. */
	barrier();
	return weir_contrib_valid(c);
}

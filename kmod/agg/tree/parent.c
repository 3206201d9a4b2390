// SPDX-License-Identifier: GPL-2.0
/*
 * Packets from a box to its parent. There it is a source among others (Trio paper, end of
 * section 4): it joins with the ranks of all its sources when these have joined, sends the sum of
 * a block as one contribution, and asks about a block when one of its own sources does. So it
 * needs no timer of its own: its workers time the whole way to the root and back, and what they
 * ask for again is asked for again at each level.
 */
#include <linux/bitmap.h>
#include <linux/ktime.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <uapi/weir_bpf.h>

#include "core/base/compat.h"
#include "agg/format/format.h"
#include "agg/format/trio.h"
#include "agg/job/job.h"
#include "agg/tree/level.h"
#include "agg/tx/merged.h"
#include "agg/tree/pace.h"
#include "agg/tree/parent.h"
#include "agg/tx/send.h"
#include "agg/job/source.h"
#include "agg/type/reduce.h"

/*
 * A join that has no answer is sent again no more often, ns: sources repeat their joins at about
 * the same time. The second one holds for an address that has not answered any join yet.
 */
#define WEIR_PARENT_JOIN_EVERY	NSEC_PER_MSEC
#define WEIR_PARENT_FIRST_EVERY	(20 * NSEC_PER_MSEC)

/* Nor questions that only show that this box is there. */
#define WEIR_PARENT_SHOW_EVERY	NSEC_PER_MSEC

/**
 * weir_parent_new() - a way up
 * @config: whom it leads to
 *
 * Sleeps. Return: it, or NULL without memory.
 */
struct weir_parent *weir_parent_new(const struct weir_parent_config *config)
{
	struct weir_parent *parent = kzalloc(sizeof(*parent), GFP_KERNEL_ACCOUNT);

	if (!parent)
		return NULL;
	parent->config = *config;
	if (weir_dest_init(&parent->dest, &config->addr, config->port, GFP_KERNEL_ACCOUNT)) {
		kfree(parent);
		return NULL;
	}
	parent->dest.ifindex = config->ifindex;
	parent->dest.vlan = config->vlan == WEIR_VLAN_ANY ? 0 : config->vlan;
	return parent;
}

/**
 * weir_parent_free() - free it
 * @parent: of a job that no packet can reach, or NULL
 */
void weir_parent_free(struct weir_parent *parent)
{
	if (!parent)
		return;
	weir_dest_uninit(&parent->dest);
	kfree(parent);
}

/**
 * weir_parent_is() - check that a packet comes from where the job's parent is bound to
 * @job: the job
 * @c: the packet
 * @ifindex: the device that it came in on
 */
bool weir_parent_is(const struct weir_job *job, const struct weir_contrib *c, int ifindex)
{
	const struct weir_parent_config *config;

	if (!job->parent)
		return false;
	config = &job->parent->config;
	return config->port == c->sport &&
	       ipv6_addr_equal((const struct in6_addr *)c->saddr, &config->addr) &&
	       (!config->ifindex || config->ifindex == ifindex) &&
	       (config->vlan == WEIR_VLAN_ANY || config->vlan == c->vlan);
}

/* All that goes up; @generation: 0 in a join. */
static void weir_parent_fill(struct weir_trio *hdr, const struct weir_job *job, u32 block,
			     u16 generation, u8 flags, u16 weight, u16 count)
{
	weir_trio_fill(hdr, job->id, generation, block, flags, weight, 0);
	hdr->src_id = job->parent->config.source;
	put_unaligned_be16(count | WEIR_TRIO_UP, hdr->grad_cnt);
}

static void weir_parent_send(struct weir_job *job, const struct weir_packet *pkt,
			     unsigned int counter)
{
	weir_send(job, &job->parent->dest, NULL, pkt, counter);
}

/* Sources repeat their joins until they are answered, and with each the join goes up again. */
static enum weir_join_verdict weir_parent_may_join(struct weir_job *job, u64 now)
{
	struct weir_parent *parent = job->parent;
	u64 every = parent->validated ? WEIR_PARENT_JOIN_EVERY : WEIR_PARENT_FIRST_EVERY;
	struct weir_join_words words;

	lockdep_assert_held(&job->join.lock);

	weir_join_sum_up(&job->join, &words);
	if (parent->asked && now < parent->asked + every &&
	    (parent->waits || parent->said.nonce == words.nonce))
		return WEIR_JOIN_WAIT;
	parent->said = words;
	parent->asked = now;
	parent->waits = true;
	parent->challenged = false;
	return WEIR_JOIN_ABOVE;
}

/* Limit a job's figures to what holds for all its boxes, once the parent has answered a join. */
static void weir_parent_limit(const struct weir_job *job, u32 *blocks, u32 *grads, u16 *room)
{
	const struct weir_parent *parent = job->parent;

	if (!READ_ONCE(parent->blocks))
		return;
	*blocks = min(*blocks, READ_ONCE(parent->blocks));
	*grads = min(*grads, READ_ONCE(parent->grads));
	*room = min(*room, READ_ONCE(parent->room));
}

/**
 * weir_parent_join() - join the parent's job with all ranks below
 * @job: the job, whose sources have joined
 *
 * Called under RCU with bottom halves disabled and no lock held, when weir_uplink.join has
 * returned WEIR_JOIN_ABOVE: the join says what that has found.
 */
void weir_parent_join(struct weir_job *job)
{
	const struct weir_reduction *reduction = job->blocks.reduction;
	DECLARE_BITMAP(ranks, WEIR_RANKS_MAX);
	struct weir_parent *parent = job->parent;
	unsigned int words = weir_job_words(job);
	__be32 mask[WEIR_RANK_WORDS];
	struct {
		struct weir_trio hdr;
		struct weir_join join;
	} __packed packet = {};
	const struct weir_packet pkt = {
		.head		= &packet,
		.head_len	= sizeof(packet),
		.tail		= mask,
		.tail_len	= words * sizeof(mask[0]),
	};

	packet.join.ranks = htonl(job->map->ranks);
	packet.join.dtype = reduction->dtype;
	packet.join.op = reduction->op;
	packet.join.format = job->format->id;
	spin_lock(&job->join.lock);
	weir_rank_map_claims(job->map, &job->join, ranks);
	packet.join.nonce = parent->said.nonce;
	packet.join.grads = htonl(parent->said.grads);
	packet.join.features = parent->said.little ? WEIR_JOIN_LITTLE : 0;
	packet.join.cookie = parent->cookie;
	weir_parent_fill(&packet.hdr, job, parent->said.lacks, 0, WEIR_TRIO_CONTROL, 1, 0);
	spin_unlock(&job->join.lock);
	weir_bitmap_fill(mask, words, ranks);
	weir_parent_send(job, &pkt, WEIR_C_PARENT_QUERIES);
}

static void weir_parent_notice(struct weir_job *job, struct weir_trio *notice, unsigned int len)
{
	const struct weir_packet pkt = { .head = notice, .head_len = len };

	weir_parent_fill(notice, job, 0, weir_blocks_generation(&job->blocks), WEIR_TRIO_NOTICE, 1,
			 WEIR_TRIO_JOINED);
	weir_parent_send(job, &pkt, WEIR_C_PARENT_QUERIES);
}

/*
 * Return true if a sum will be sent with others of the pass. A sum that exceeds the path MTU
 * with its bitmap is not merged: weir_dest_send() omits the bitmap.
 */
static bool weir_parent_merge(struct weir_job *job, const struct weir_packet *pkt,
			      struct weir_merged *merged)
{
	const struct weir_receivers receivers = { .to = &job->parent->dest };

	return merged &&
	       (!pkt->tail_len || weir_dest_carries(receivers.to, &job->local, pkt)) &&
	       weir_merged_add(merged, job, &receivers, pkt, WEIR_C_PARENT_SUMS);
}

/* As the format has it, to a parent that tells nothing but results. */
static void weir_parent_sum_plain(struct weir_job *job, const struct weir_result *res,
				  struct weir_merged *merged)
{
	u8 head[WEIR_HEAD_MAX];
	const struct weir_packet pkt = {
		.head		= head,
		.head_len	= job->format->up(head, job->id, job->parent->config.source, res),
		.pages		= (struct page **)res->pages,
		.len		= res->len,
		.tos		= job->format->dscp << 2 | (job->format->ecn ? res->ecn : 0),
	};

	if (!weir_parent_merge(job, &pkt, merged))
		weir_parent_send(job, &pkt, WEIR_C_PARENT_SUMS);
}

/* If it lacks ranks of those below, a bitmap says which are in it. */
static void weir_parent_sum_ranked(struct weir_job *job, const struct weir_result *res,
				   struct weir_merged *merged)
{
	const struct weir_rank_map *map = job->map;
	unsigned int words = weir_job_words(job);
	bool degraded = !bitmap_equal(res->ranks, weir_rank_map_all(map), map->ranks);
	struct {
		struct weir_trio hdr;
		struct weir_trio_exponent exponent;
	} __packed head;
	__be32 mask[WEIR_RANK_WORDS];
	struct weir_packet pkt = {
		.head		= &head,
		.head_len	= sizeof(head.hdr),
		.pages		= (struct page **)res->pages,
		.len		= res->len,
		.tail		= mask,
		/* A box of before, which says no cwnd_cap, would not tell of a mark. */
		.tos		= READ_ONCE(job->parent->room) ? res->ecn : 0,
	};

	weir_parent_fill(&head.hdr, job, res->id, res->generation,
			 weir_trio_flags(res, degraded), res->received,
			 res->count | WEIR_TRIO_JOINED |
			 (res->has_exponent ? WEIR_TRIO_EXPONENT : 0));
	if (res->has_exponent) {
		put_unaligned_be32(res->exponent, &head.exponent);
		pkt.head_len += sizeof(head.exponent);
	}
	if (degraded) {
		weir_bitmap_fill(mask, words, res->ranks);
		pkt.tail_len = words * sizeof(mask[0]);
	}
	if (!weir_parent_merge(job, &pkt, merged))
		weir_parent_send(job, &pkt, WEIR_C_PARENT_SUMS);
}

/*
 * In a format of sums and results alone, a box asks for a result as a worker does: it sends its sum
 * again. The source's contribution, which is as long, pays for it.
 */
static void weir_parent_repeat(struct weir_job *job, const struct weir_block_key *key, bool who)
{
	struct weir_result res __uninitialized;

	res.ranks = NULL;
	if (!weir_block_replied(&job->blocks, key, &res, NULL))
		return;
	weir_parent_sum_plain(job, &res, NULL);
	weir_result_put(&res);
}

static void weir_parent_ask(struct weir_job *job, const struct weir_block_key *key, bool who)
{
	struct {
		struct weir_trio hdr;
		struct weir_trio_exponent none;
	} __packed head = {};
	const struct weir_packet pkt = {
		.head		= &head,
		.head_len	= who ? sizeof(head) : sizeof(head.hdr),
	};

	weir_parent_fill(&head.hdr, job, key->id, key->generation, 0, 1,
			 WEIR_TRIO_JOINED | (who ? WEIR_TRIO_EXPONENT : 0));
	weir_parent_send(job, &pkt, WEIR_C_PARENT_QUERIES);
}

/**
 * weir_parent_may_probe() - check whether the parent may be probed now
 * @parent: the parent, the lock of the job's joins held
 * @now: time, ns of the monotonic clock
 *
 * Return: true, and weir_parent_probe() follows; not more often than notices are passed on.
 */
bool weir_parent_may_probe(struct weir_parent *parent, u64 now)
{
	if (!weir_pace_is_due(&parent->probed, now))
		return false;
	if (!parent->probing)
		parent->probe = get_random_u32();
	parent->probing = true;
	return true;
}

/**
 * weir_parent_probe() - have the parent repeat a notice that ends a generation
 * @job: the job
 *
 * Called under RCU with bottom halves disabled and no lock held. Anyone who forges the parent's
 * address can say that the parent has lost its generation. So the box asks about a block of a
 * generation that the parent does not have either way: the parent refuses it by a notice, which
 * names the block. Its number is random, and only a host that receives at the parent's address can
 * repeat it.
 */
void weir_parent_probe(struct weir_job *job)
{
	const struct weir_block_key key = {
		.id		= READ_ONCE(job->parent->probe),
		.generation	= weir_blocks_generation(&job->blocks) ^ 0x8000,
	};

	weir_parent_ask(job, &key, false);
}

/*
 * The box waits until its own silent source counts as dead. Without a packet from it the parent
 * would take the box itself for dead, and keep no result for the sources that are alive.
 */
static void weir_parent_show(struct weir_job *job, const struct weir_contrib *c, u64 now)
{
	const struct weir_block_key key = { .id = c->block, .generation = c->generation };
	struct weir_parent *parent = job->parent;

	if (now < READ_ONCE(parent->shown) + WEIR_PARENT_SHOW_EVERY)
		return;
	WRITE_ONCE(parent->shown, now);
	weir_parent_ask(job, &key, false);
}

const struct weir_uplink weir_uplink_ranked = {
	.join	= weir_parent_may_join,
	.limit	= weir_parent_limit,
	.sum	= weir_parent_sum_ranked,
	.ask	= weir_parent_ask,
	.show	= weir_parent_show,
	.notice	= weir_parent_notice,
};

static enum weir_join_verdict weir_uplink_none_join(struct weir_job *job, u64 now)
{
	return WEIR_JOIN_START;
}

static void weir_uplink_none_limit(const struct weir_job *job, u32 *blocks, u32 *grads, u16 *room)
{
}

static void weir_uplink_none_sum(struct weir_job *job, const struct weir_result *res,
				 struct weir_merged *merged)
{
}

static void weir_uplink_none_ask(struct weir_job *job, const struct weir_block_key *key, bool who)
{
}

static void weir_uplink_none_show(struct weir_job *job, const struct weir_contrib *c, u64 now)
{
}

static void weir_uplink_none_notice(struct weir_job *job, struct weir_trio *notice,
				    unsigned int len)
{
}

const struct weir_uplink weir_uplink_plain = {
	.join	= weir_uplink_none_join,
	.limit	= weir_uplink_none_limit,
	.sum	= weir_parent_sum_plain,
	.ask	= weir_parent_repeat,
	.show	= weir_uplink_none_show,
	.notice	= weir_uplink_none_notice,
};

const struct weir_uplink weir_uplink_none = {
	.join	= weir_uplink_none_join,
	.limit	= weir_uplink_none_limit,
	.sum	= weir_uplink_none_sum,
	.ask	= weir_uplink_none_ask,
	.show	= weir_uplink_none_show,
	.notice	= weir_uplink_none_notice,
};

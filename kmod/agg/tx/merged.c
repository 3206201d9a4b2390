// SPDX-License-Identifier: GPL-2.0
/* Packets of a job to the same receivers, merged on their way out. */
#include "agg/job/job.h"
#include "agg/out/skb.h"
#include "agg/tx/merged.h"
#include "agg/tx/send.h"
#include "agg/job/source.h"

/* The last receiver gets the packet itself, the others copies. */
static void weir_merged_send(struct weir_merged *merged, struct weir_merged_lane *lane,
			     struct weir_dest *dest, struct weir_stats __percpu *source_stats,
			     bool last)
{
	weir_send_merged(lane->job, dest, source_stats, &lane->merge, lane->counter, last);
	merged->sent++;
}

static void weir_merged_send_to(struct weir_merged *merged, struct weir_merged_lane *lane,
				struct weir_source *to, bool last)
{
	weir_merged_send(merged, lane, &to->dest, to->stats, last);
}

static void weir_merged_send_all(struct weir_merged *merged, struct weir_merged_lane *lane)
{
	struct weir_source *source, *before = NULL;
	unsigned int i;

	for (i = 0; i < lane->job->blocks.sources; i++) {
		source = weir_source_get(lane->job, i);
		if (!source || (lane->skips && test_bit(i, lane->skip)))
			continue;
		if (before)
			weir_merged_send_to(merged, lane, before, false);
		before = source;
	}
	if (before)
		weir_merged_send_to(merged, lane, before, true);
}

static void weir_merged_flush_lane(struct weir_merged *merged, struct weir_merged_lane *lane)
{
	struct weir_dest *group;

	if (lane->merge.n) {
		group = rcu_dereference_bh(lane->job->group);
		if (lane->to)
			weir_merged_send(merged, lane, lane->to, lane->stats, true);
		else if (group)
			weir_merged_send(merged, lane, group, NULL, true);
		else
			weir_merged_send_all(merged, lane);
	}
	weir_merge_drop(&lane->merge);
}

/**
 * weir_merged_flush() - send what there is
 * @merged: the packets; none are left
 *
 * Called under RCU with bottom halves disabled and no lock held.
 */
void weir_merged_flush(struct weir_merged *merged)
{
	weir_merged_flush_lane(merged, &merged->long_lane);
	weir_merged_flush_lane(merged, &merged->short_lane);
}

static bool weir_merged_skips_alike(const struct weir_merged_lane *lane,
				    const unsigned long *skip)
{
	return lane->skips == !!skip &&
	       (!skip || bitmap_equal(lane->skip, skip, WEIR_SOURCES_MAX));
}

static bool weir_merged_takes(const struct weir_merged_lane *lane, const struct weir_job *job,
			      const struct weir_receivers *receivers,
			      const struct weir_packet *pkt, unsigned int counter)
{
	return lane->job == job && lane->to == receivers->to && lane->counter == counter &&
	       weir_merged_skips_alike(lane, receivers->skip) &&
	       weir_merge_takes(&lane->merge, pkt);
}

static void weir_merged_begin(struct weir_merged_lane *lane, struct weir_job *job,
			      const struct weir_receivers *receivers, unsigned int counter)
{
	lane->job = job;
	lane->to = receivers->to;
	lane->stats = receivers->stats;
	lane->counter = counter;
	lane->skips = receivers->skip;
	if (lane->skips)
		bitmap_copy(lane->skip, receivers->skip, WEIR_SOURCES_MAX);
}

/**
 * weir_merged_add() - send a packet soon, with others to the same receivers
 * @merged: those; sent first where @pkt cannot go with them
 * @job: the job
 * @receivers: its receivers
 * @pkt: the packet; its payload's pages are linked where they are long
 * @counter: enum weir_counter for it
 *
 * Called as weir_merged_flush().
 *
 * Return: whether it will be sent; not without memory, and then the caller sends it.
 */
bool weir_merged_add(struct weir_merged *merged, struct weir_job *job,
		     const struct weir_receivers *receivers, const struct weir_packet *pkt,
		     unsigned int counter)
{
	struct weir_merged_lane *lane = pkt->len ? &merged->long_lane : &merged->short_lane;

	if (!weir_merged_takes(lane, job, receivers, pkt, counter)) {
		weir_merged_flush_lane(merged, lane);
		weir_merged_begin(lane, job, receivers, counter);
	}
	return weir_merge_add(&lane->merge, pkt);
}

// SPDX-License-Identifier: GPL-2.0
/* Packets of a job to the same receivers, merged on their way out. */
#include "agg/job/job.h"
#include "agg/tx/merged.h"
#include "agg/tx/send.h"
#include "agg/job/source.h"

/* The last receiver gets the packet itself, the others copies. */
static void weir_merged_send(struct weir_merged *merged, struct weir_dest *dest,
			     struct weir_stats __percpu *source_stats, bool last)
{
	weir_send_merged(merged->job, dest, source_stats, &merged->merge, merged->counter, last);
	merged->sent++;
}

static void weir_merged_send_to(struct weir_merged *merged, struct weir_source *to, bool last)
{
	weir_merged_send(merged, &to->dest, to->stats, last);
}

static void weir_merged_send_all(struct weir_merged *merged)
{
	struct weir_source *source, *before = NULL;
	unsigned int i;

	for (i = 0; i < merged->job->blocks.sources; i++) {
		source = weir_source_get(merged->job, i);
		if (!source)
			continue;
		if (before)
			weir_merged_send_to(merged, before, false);
		before = source;
	}
	if (before)
		weir_merged_send_to(merged, before, true);
}

/**
 * weir_merged_flush() - send what there is
 * @merged: the packets; none are left
 *
 * Called under RCU with bottom halves disabled and no lock held.
 */
void weir_merged_flush(struct weir_merged *merged)
{
	struct weir_dest *group;

	if (merged->merge.n) {
		group = rcu_dereference_bh(merged->job->group);
		if (merged->to)
			weir_merged_send(merged, merged->to, merged->stats, true);
		else if (group)
			weir_merged_send(merged, group, NULL, true);
		else
			weir_merged_send_all(merged);
	}
	weir_merge_drop(&merged->merge);
}

static bool weir_merged_takes(const struct weir_merged *merged, const struct weir_job *job,
			      const struct weir_dest *to, const struct weir_packet *pkt,
			      unsigned int counter)
{
	return merged->job == job && merged->to == to && merged->counter == counter &&
	       weir_merge_takes(&merged->merge, pkt);
}

/**
 * weir_merged_add() - send a packet soon, with others to the same receivers
 * @merged: those; sent first where @pkt cannot go with them
 * @job: the job
 * @to: the receiver, NULL for all of the job's
 * @stats: the receiver's counters, or NULL
 * @pkt: the packet; its payload's pages are linked where they are long
 * @counter: enum weir_counter for it
 *
 * Called as weir_merged_flush().
 *
 * Return: whether it will be sent; not without memory, and then the caller sends it.
 */
bool weir_merged_add(struct weir_merged *merged, struct weir_job *job,
		     struct weir_dest *to, struct weir_stats __percpu *stats,
		     const struct weir_packet *pkt, unsigned int counter)
{
	if (!weir_merged_takes(merged, job, to, pkt, counter)) {
		weir_merged_flush(merged);
		merged->job = job;
		merged->to = to;
		merged->stats = stats;
		merged->counter = counter;
	}
	return weir_merge_add(&merged->merge, pkt);
}

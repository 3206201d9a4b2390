// SPDX-License-Identifier: GPL-2.0
/* Packets of a job to one destination, and counted. */
#include <linux/lockdep.h>

#include "agg/format/format.h"
#include "agg/job/job.h"
#include "agg/job/job_trace.h"
#include "agg/tx/send.h"
#include "agg/out/ether.h"
#include "agg/type/vector.h"

/* @n packets were handed to the stack, or not. */
static void weir_send_count(struct weir_job *job, const struct weir_dest *dest,
			    struct weir_stats __percpu *source_stats, unsigned int counter,
			    u32 n, int err)
{
	if (unlikely(err)) {
		trace_weir_send_error(job, &dest->addr, err);
		counter = WEIR_C_RESULT_ERRORS;
	}
	weir_job_count(job, counter, n);
	if (source_stats)
		weir_count(source_stats, counter, n);
}

/**
 * weir_send() - send a packet
 * @job: the job
 * @dest: the destination
 * @source_stats: the receiver's counters, or NULL
 * @pkt: the packet; its payload's pages are linked, not copied
 * @counter: enum weir_counter for a packet that was handed to the stack
 *
 * Called under RCU with bottom halves disabled and no lock held.
 */
void weir_send(struct weir_job *job, struct weir_dest *dest,
	       struct weir_stats __percpu *source_stats,
	       const struct weir_packet *pkt, unsigned int counter)
{
	int err;

	lockdep_assert(rcu_read_lock_bh_held());

	weir_vector_yield();
	err = job->format->link ? weir_ether_send(dest, &job->local, pkt) :
				  weir_dest_send(dest, &job->local, pkt);
	weir_send_count(job, dest, source_stats, counter, 1, err);
}

/**
 * weir_send_merged() - send packets as one
 * @job: the job, of a format over IP
 * @dest: the destination
 * @source_stats: the receiver's counters, or NULL
 * @merge: the packets, one at least
 * @counter: enum weir_counter for each packet that was handed to the stack
 * @last: no other receiver gets them; none may be left then
 *
 * Called as weir_send().
 */
void weir_send_merged(struct weir_job *job, struct weir_dest *dest,
		      struct weir_stats __percpu *source_stats,
		      struct weir_merge *merge, unsigned int counter, bool last)
{
	u32 n = merge->n;

	lockdep_assert(rcu_read_lock_bh_held());

	weir_vector_yield();
	weir_send_count(job, dest, source_stats, counter, n,
			weir_dest_send_merged(dest, &job->local, merge, last));
}

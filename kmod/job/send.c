// SPDX-License-Identifier: GPL-2.0
/* One packet of a job to one destination, and counted. */
#include <linux/lockdep.h>

#include "format/format.h"
#include "job/job.h"
#include "job/job_trace.h"
#include "job/send.h"
#include "out/ether.h"

/**
 * weir_send() - send a packet
 * @job: the job
 * @dest: where to
 * @source_stats: the receiver's counters, or NULL
 * @pkt: what; payload's pages are linked, not copied
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

	err = job->format->link ? weir_ether_send(dest, &job->local, pkt) :
				  weir_dest_send(dest, &job->local, pkt);
	if (unlikely(err)) {
		trace_weir_send_error(job, &dest->addr, err);
		counter = WEIR_C_RESULT_ERRORS;
	}
	weir_job_count(job, counter, 1);
	if (source_stats)
		weir_count(source_stats, counter, 1);
}

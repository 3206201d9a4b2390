// SPDX-License-Identifier: GPL-2.0
/* A block is complete: its result is sent at once, or soon by a timer. */
#include "core/base/compat.h"
#include "agg/engine/answer.h"
#include "agg/job/job.h"
#include "agg/tx/merged.h"
#include "agg/engine/result.h"
#include "agg/engine/scan.h"

/*
 * Packets that a merged packet may have the box send before it is through. Its datagrams, 128
 * at most, may complete as many blocks, of 256 sources each; the job's timers send the results
 * beyond that, so that other packets do not wait.
 */
#define WEIR_ANSWER_PACKETS	1024

/**
 * weir_answer_block() - a block has been completed
 * @job: the job
 * @out: outcome of the contribution that completed it; the result stays the caller's
 * @merged: other packets of the pass, to be merged with, or NULL
 *
 * Called under RCU with bottom halves disabled and no lock held.
 */
void weir_answer_block(struct weir_job *job, const struct weir_outcome *out,
		       struct weir_merged *merged)
{
	if (likely(!merged || merged->sent < WEIR_ANSWER_PACKETS) ||
	    !weir_block_leave_unsent(&job->blocks, out->seq, &out->res))
		weir_result_answer(job, &out->res, merged);
	else
		weir_scan_unsent(job, weir_block_slot(&job->blocks, out->seq));
}

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_RESULT_H
#define _WEIR_RESULT_H

#include "agg/job/job.h"

struct weir_merged;
struct weir_source;

/**
 * weir_result_receivers() - packets that one result takes
 * @job: the job
 */
static inline unsigned int weir_result_receivers(const struct weir_job *job)
{
	return rcu_access_pointer(job->group) ? 1 : job->blocks.sources;
}

void weir_result_answer(struct weir_job *job, const struct weir_result *res,
			struct weir_merged *merged);
void weir_result_repeat(struct weir_job *job, struct weir_source *source, u16 id,
			const struct weir_result *res, bool brief, struct weir_merged *merged);
void weir_result_reply(struct weir_job *job, struct weir_source *source,
		       const struct weir_block_key *key, u16 received,
		       const unsigned long *in, bool wanted, struct weir_merged *merged);

#endif /* _WEIR_RESULT_H */

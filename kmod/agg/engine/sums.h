/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_SUMS_H
#define _WEIR_SUMS_H

#include <uapi/weir_bpf.h>

#include "agg/job/path.h"
#include "agg/type/reduce.h"

struct weir_payload;

/* Flags of a contribution whose source has a share of the block's gradients, or of its result. */
#define WEIR_SUMS_SHARES	(WEIR_CONTRIB_EMPTY | WEIR_CONTRIB_BRIEF)

/* Operations of weir_engine_sums, which nearly all packets are for: they are called directly. */
int weir_sums_check_other(const struct weir_job *job, const struct weir_contrib *c, u32 want);
int weir_sums_take(const struct weir_path *path, struct weir_contrib *c,
		   const struct weir_payload *pl, u64 now);

/**
 * weir_sums_check() - see weir_engine.check_shape
 * @job: the job
 * @c: a contribution, query or acknowledgment
 */
static __always_inline int weir_sums_check(const struct weir_job *job,
					   const struct weir_contrib *c)
{
	u32 want = weir_reduction_bytes(job->blocks.reduction, c->count);

	if (unlikely(c->flags & (WEIR_CONTRIB_UP | WEIR_SUMS_SHARES)))
		return weir_sums_check_other(job, c, want);
	return weir_path_check_shape(c, want, job->grads) ?:
	       (c->weight == 1 ? 0 : WEIR_REASON_WEIGHT);
}

#endif /* _WEIR_SUMS_H */

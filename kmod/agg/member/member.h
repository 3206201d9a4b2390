/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_MEMBER_H
#define _WEIR_MEMBER_H

#include <uapi/weir_bpf.h>

#include "agg/job/path.h"
#include "agg/member/notice.h"
#include "agg/tree/level.h"

/*
 * Tell a source that has joined why its packet was refused. A client that has only the paper would
 * take the notice for a result.
 */
static inline void weir_member_tell(const struct weir_path *path, const struct weir_contrib *c)
{
	if (c->flags & WEIR_CONTRIB_JOINED)
		weir_notice(path->job, c->source, c->block);
}

/* Tell a source that has joined that a result which it lacks was evicted. */
static inline void weir_member_tell_behind(const struct weir_path *path,
					   const struct weir_contrib *c)
{
	if (c->flags & WEIR_CONTRIB_JOINED)
		weir_notice_behind(path->job, c->source, c->block);
}

/*
 * A source that joined before the box was set up again is told so. A source that has not joined
 * may begin a newer generation by itself, but not end one that the box has given out.
 */
static __always_inline int weir_member_check_generation(const struct weir_path *path,
							const struct weir_contrib *c)
{
	struct weir_job *job = path->job;

	if (READ_ONCE(job->joined))
		return 0;
	if (c->flags & WEIR_CONTRIB_JOINED || job->map->ops->spans) {
		weir_member_tell(path, c);
		return WEIR_REASON_GENERATION;
	}
	weir_blocks_advance(&job->blocks, c->generation, c->block);
	return 0;
}

/**
 * weir_member_check() - check whether a source may contribute now
 * @path: the job and the source
 * @c: the source's packet; one of a newer generation may begin that generation
 *
 * Called under RCU with bottom halves disabled and no lock held.
 *
 * Return: 0 or an enum weir_reason; a source that has joined is told.
 */
static __always_inline int weir_member_check(const struct weir_path *path,
					     const struct weir_contrib *c)
{
	if (likely(!test_bit(c->source, path->job->blocks.excluded)))
		return weir_member_check_generation(path, c);
	weir_member_tell(path, c);
	return WEIR_REASON_EXCLUDED;
}

#endif /* _WEIR_MEMBER_H */

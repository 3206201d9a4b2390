/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_NOTICE_H
#define _WEIR_NOTICE_H

#include <uapi/weir_bpf.h>
#include <uapi/weir_wire.h>

#include "job/job.h"

struct weir_payload;

/* Notices of other boxes are passed on to all sources no more often, ns. */
#define WEIR_NOTICE_PASS_EVERY	(50 * NSEC_PER_MSEC)

/**
 * weir_notice_is() - is a packet of format trio a notice, of a parent or of a box below?
 * @c: the packet
 */
static inline bool weir_notice_is(const struct weir_contrib *c)
{
	return c->flags & WEIR_CONTRIB_JOIN &&
	       (c->said[0] & WEIR_TRIO_NOTICE) == WEIR_TRIO_NOTICE;
}

/**
 * weir_notice_is_behind() - check whether a packet of format trio reports an evicted result
 * @c: the packet, from a parent
 */
static inline bool weir_notice_is_behind(const struct weir_contrib *c)
{
	return c->flags & WEIR_CONTRIB_JOIN &&
	       (c->said[0] & (WEIR_TRIO_AGE_OP | WEIR_TRIO_CONTROL)) == WEIR_TRIO_BEHIND;
}

/**
 * weir_notice_is_due() - may another box's notice be passed on now?
 * @passed: when one was last, ns; guarded by the lock of the joins, which is held
 * @now: time, ns of the monotonic clock
 *
 * Where it may, it counts as passed on.
 */
static inline bool weir_notice_is_due(u64 *passed, u64 now)
{
	if (now < *passed + WEIR_NOTICE_PASS_EVERY)
		return false;
	*passed = now;
	return true;
}

void weir_notice(struct weir_job *job, unsigned int id, u32 block);
void weir_notice_behind(struct weir_job *job, unsigned int id, u32 block);
void weir_notice_behind_at(struct weir_job *job, unsigned int id, u32 block, u32 oldest, u32 next);
void weir_notice_all(struct weir_job *job);
void weir_notice_members(struct weir_job *job);
void weir_notice_above(struct weir_job *job, const struct weir_payload *pl);
void weir_notice_below(struct weir_job *job, unsigned int id, const struct weir_payload *pl,
		       u64 now);
void weir_notice_up(struct weir_job *job);
void weir_notice_gone_ranks(struct weir_job *job, unsigned long *dead, unsigned long *excluded);
void weir_notice_pass(struct weir_job *job, u32 block, u16 generation,
		      const struct weir_payload *pl);
unsigned int weir_notice_bytes(const struct weir_job *job);

#endif /* _WEIR_NOTICE_H */

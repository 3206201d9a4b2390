/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_NOTICE_H
#define _WEIR_NOTICE_H

#include <uapi/weir_bpf.h>
#include <uapi/weir_wire.h>

#include "agg/job/job.h"

struct weir_payload;

/**
 * weir_notice_is() - test for a notice, of a parent or of a box below
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

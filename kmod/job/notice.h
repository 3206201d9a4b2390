/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_NOTICE_H
#define _WEIR_NOTICE_H

#include "job/job.h"

struct weir_payload;

/* Notices of other boxes are passed on to all sources no more often, ns. */
#define WEIR_NOTICE_PASS_EVERY	(50 * NSEC_PER_MSEC)

void weir_notice(struct weir_job *job, unsigned int id, u32 block, bool gone);
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

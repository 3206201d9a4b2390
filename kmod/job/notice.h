/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_NOTICE_H
#define _WEIR_NOTICE_H

#include "job/job.h"

struct weir_payload;

void weir_notice(struct weir_job *job, unsigned int id, u32 block, bool gone);
void weir_notice_all(struct weir_job *job);
void weir_notice_members(struct weir_job *job);
void weir_notice_pass(struct weir_job *job, u32 block, u16 generation,
		      const struct weir_payload *pl);
unsigned int weir_notice_bytes(const struct weir_job *job);

#endif /* _WEIR_NOTICE_H */

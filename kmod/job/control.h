/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_CONTROL_H
#define _WEIR_CONTROL_H

#include "job/job.h"

void weir_join_answer(struct weir_job *job, unsigned int id);
void weir_join_refuse(struct weir_job *job, unsigned int id, u32 nonce);
void weir_join_challenge(struct weir_job *job, unsigned int id, u32 nonce,
			 u64 cookie);
void weir_join_answer_all(struct weir_job *job);
void weir_notice(struct weir_job *job, unsigned int id, u32 block, bool gone);
void weir_notice_all(struct weir_job *job);
void weir_notice_members(struct weir_job *job);

#endif /* _WEIR_CONTROL_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_NOTICE_H
#define _WEIR_NOTICE_H

#include "job/job.h"

void weir_notice(struct weir_job *job, unsigned int id, u32 block, bool gone);
void weir_notice_all(struct weir_job *job);
void weir_notice_members(struct weir_job *job);

#endif /* _WEIR_NOTICE_H */

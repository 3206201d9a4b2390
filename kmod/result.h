/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_RESULT_H
#define _WEIR_RESULT_H

#include "job.h"

struct weir_source;

void weir_result_send(struct weir_job *job, const struct weir_result *res);
void weir_result_repeat(struct weir_job *job, struct weir_source *source,
			const struct weir_result *res);
void weir_join_answer(struct weir_job *job, unsigned int id, u32 nonce,
		      bool refused);
void weir_join_answer_all(struct weir_job *job);

#endif /* _WEIR_RESULT_H */

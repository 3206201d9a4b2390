/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_RESULT_H
#define _WEIR_RESULT_H

#include "job.h"

struct weir_source;

void weir_result_answer(struct weir_job *job, const struct weir_result *res);
void weir_result_repeat(struct weir_job *job, struct weir_source *source,
			const struct weir_result *res);
void weir_result_reply(struct weir_job *job, struct weir_source *source,
		       const struct weir_block_key *key, u16 received,
		       bool wanted);

#endif /* _WEIR_RESULT_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_ANSWER_H
#define _WEIR_ANSWER_H

struct weir_job;
struct weir_merged;
struct weir_outcome;

void weir_answer_block(struct weir_job *job, const struct weir_outcome *out,
		       struct weir_merged *merged);

#endif /* _WEIR_ANSWER_H */

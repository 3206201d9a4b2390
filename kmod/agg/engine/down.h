/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_DOWN_H
#define _WEIR_DOWN_H

#include <linux/types.h>

struct weir_contrib;
struct weir_job;
struct weir_merged;
struct weir_payload;

int weir_down_check_plain(const struct weir_job *job, const struct weir_contrib *c);
int weir_down_take_plain(struct weir_job *job, const struct weir_contrib *c,
			 struct weir_payload *pl, u64 now, struct weir_merged *merged);
int weir_down_check_ranked(const struct weir_job *job, const struct weir_contrib *c);
int weir_down_take_ranked(struct weir_job *job, const struct weir_contrib *c,
			  struct weir_payload *pl, u64 now, struct weir_merged *merged);

#endif /* _WEIR_DOWN_H */

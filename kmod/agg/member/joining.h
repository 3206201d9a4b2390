/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_JOINING_H
#define _WEIR_JOINING_H

#include <linux/types.h>

struct weir_contrib;
struct weir_job;
struct weir_payload;
struct weir_source;

int weir_join_take(struct weir_job *job, struct weir_source *source,
		   const struct weir_contrib *c, const struct weir_payload *pl, u64 now);

void weir_join_above(struct weir_job *job, const struct weir_contrib *c,
		     const struct weir_payload *pl, u64 now);

#endif /* _WEIR_JOINING_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_SUMS_H
#define _WEIR_SUMS_H

#include <linux/types.h>

struct weir_contrib;
struct weir_job;
struct weir_path;
struct weir_payload;

/* Operations of weir_engine_sums, which nearly all packets are for: they are called directly. */
int weir_sums_check_shape(const struct weir_job *job, const struct weir_contrib *c);
int weir_sums_take(const struct weir_path *path, struct weir_contrib *c,
		   const struct weir_payload *pl, u64 now);

#endif /* _WEIR_SUMS_H */

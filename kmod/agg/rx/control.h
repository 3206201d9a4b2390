/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_CONTROL_H
#define _WEIR_CONTROL_H

#include <linux/types.h>

struct weir_contrib;
struct weir_job;
struct weir_path;
struct weir_payload;

int weir_control_check_shape(const struct weir_job *job, const struct weir_contrib *c);
int weir_control_take(const struct weir_path *path, const struct weir_contrib *c,
		      const struct weir_payload *pl, u64 now);

#endif /* _WEIR_CONTROL_H */

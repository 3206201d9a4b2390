/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_EVENT_H
#define _WEIR_EVENT_H

#include <linux/types.h>

struct weir_job;

void weir_event_generation(const struct weir_job *job);
void weir_event_source(const struct weir_job *job, u32 event, u32 source,
		       u64 straggles);

#endif /* _WEIR_EVENT_H */

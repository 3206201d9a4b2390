/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_SCAN_H
#define _WEIR_SCAN_H

#include <linux/types.h>

struct weir_job;
struct weir_scan;

int weir_scan_init(struct weir_job *job, unsigned int n, u64 timeout,
		   bool answer);
void weir_scan_uninit(struct weir_scan *scan);
void weir_scan_set(struct weir_job *job, u64 timeout, bool answer);
void weir_scan_unsent(struct weir_job *job, u32 slot);
void weir_scan_opened(struct weir_job *job, u32 slot);

#endif /* _WEIR_SCAN_H */

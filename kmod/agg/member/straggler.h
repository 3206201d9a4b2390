/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_STRAGGLER_H
#define _WEIR_STRAGGLER_H

#include <linux/types.h>

struct weir_job;
struct weir_watch;

int weir_straggler_init(struct weir_job *job, u64 period, bool exclude);
void weir_straggler_uninit(struct weir_watch *watch);
void weir_straggler_set(struct weir_job *job, u64 period, bool exclude);
void weir_straggler_heard(struct weir_job *job, unsigned int source);
void weir_straggler_missing(struct weir_job *job, const unsigned long *missing);
void weir_straggler_retained(struct weir_job *job, u32 seq);
void weir_straggler_behind(struct weir_job *job);
u8 weir_straggler_state(const struct weir_job *job, unsigned int source);
void weir_straggler_bound(struct weir_job *job, unsigned int source);
void weir_straggler_unbound(struct weir_job *job, unsigned int source);
bool weir_straggler_joined(struct weir_job *job, unsigned int source);
void weir_straggler_back(struct weir_job *job, const unsigned long *back);

#endif /* _WEIR_STRAGGLER_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_POOL_H
#define _WEIR_POOL_H

#include <linux/gfp.h>
#include <linux/types.h>

struct page;

/* Pages that the largest block (WEIR_GRADS_MAX gradients) takes while it is open. */
#define WEIR_BLOCK_PAGES	8

/* And the largest result. */
#define WEIR_RESULT_PAGES	2

/*
 * A job that is too large for the machine, or for its administrator's cgroup, is
 * refused, and no process is killed to make room for it.
 */
#define WEIR_POOL_GFP	(GFP_KERNEL_ACCOUNT | __GFP_NOWARN | __GFP_RETRY_MAYFAIL)

int weir_pool_init(void);
u64 weir_pool_limit(void);
u64 weir_pool_used(void);
int weir_pool_charge(u64 bytes);
void weir_pool_uncharge(u64 bytes);
int weir_pool_alloc(struct page **pages, unsigned int unit);
int weir_pool_refresh(struct page **pages, unsigned int n, unsigned int unit);

#endif /* _WEIR_POOL_H */

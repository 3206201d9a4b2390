/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_POOL_H
#define _WEIR_POOL_H

#include <linux/gfp.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct mem_cgroup;
struct page;

/* Pages that the largest block (WEIR_GRADS_MAX gradients) takes. */
#define WEIR_BLOCK_PAGES	2

/*
 * A job that is too large for the machine, or for its administrator's cgroup, is
 * refused, and nobody is killed to make room for it.
 */
#define WEIR_POOL_GFP	(GFP_KERNEL_ACCOUNT | __GFP_NOWARN | __GFP_RETRY_MAYFAIL)

#define WEIR_SPARE_MIN	64U	/* pages that stand by from the beginning */
#define WEIR_SPARE_LOOK	64U	/* of them, how many a packet looks at */

/**
 * struct weir_spare - a job's pages that stand by
 * @lock: protects @next, @n and @page
 * @next: where to look next
 * @n: how many there are
 * @max: how many there may be
 * @memcg: whose memory they are
 * @page: the pages; receivers may still hold some
 */
struct weir_spare {
	spinlock_t	lock;	/* next and the pages */
	u32		next;
	u32		n;
	u32		max;
	struct mem_cgroup *memcg;
	struct page	**page;
};

void weir_pool_init(void);
u64 weir_pool_limit(void);
u64 weir_pool_used(void);
int weir_pool_charge(u64 bytes);
void weir_pool_uncharge(u64 bytes);
int weir_spare_init(struct weir_spare *spare, u32 pages);
void weir_spare_uninit(struct weir_spare *spare);
int weir_pool_refresh(struct weir_spare *spare, struct page **pages,
		      unsigned int n);

#endif /* _WEIR_POOL_H */

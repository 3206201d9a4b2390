/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_POOL_H
#define _WEIR_POOL_H

#include <linux/gfp.h>
#include <linux/spinlock.h>
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

#define WEIR_SPARE_PAGES	64U	/* that stand by */

/**
 * struct weir_spare - a job's pages that stand by
 * @lock: protects @next and @page
 * @unit: pages that lie together, 1 or 2, and are held together
 * @next: where to look next
 * @n: how many there are, of @unit pages each
 * @page: the first of each; receivers may still hold some
 */
struct weir_spare {
	spinlock_t	lock;	/* next and the pages */
	unsigned int	unit;
	u32		next;
	u32		n;
	struct page	*page[WEIR_SPARE_PAGES];
};

void weir_pool_init(void);
u64 weir_pool_limit(void);
u64 weir_pool_used(void);
int weir_pool_charge(u64 bytes);
void weir_pool_uncharge(u64 bytes);
int weir_pool_alloc(struct page **pages, unsigned int unit);
int weir_spare_init(struct weir_spare *spare, unsigned int unit);
void weir_spare_uninit(struct weir_spare *spare);
int weir_pool_refresh(struct weir_spare *spare, struct page **pages,
		      unsigned int n);

#endif /* _WEIR_POOL_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * Aggregation memory. A job's pages are allocated when it is added, so that
 * the data path never waits for memory, and all jobs of all namespaces
 * together stay below a quarter of the machine's.
 *
 * A result is sent from the block's own pages. While a receiver still holds
 * one, the block that comes next into the slot must not write to it: it takes
 * a fresh page instead and leaves the old one to the receivers. So nothing
 * ever waits for a packet to be freed.
 */
#include <linux/atomic.h>
#include <linux/gfp.h>
#include <linux/mm.h>

#include "pool.h"

static atomic64_t weir_pool_bytes = ATOMIC64_INIT(0);
static u64 weir_pool_max;

/**
 * weir_pool_init() - find the limit
 */
void weir_pool_init(void)
{
	weir_pool_max = (u64)totalram_pages() / 4 * PAGE_SIZE;
}

/**
 * weir_pool_limit() - bytes that all jobs together may hold
 */
u64 weir_pool_limit(void)
{
	return weir_pool_max;
}

/**
 * weir_pool_used() - bytes that all jobs hold now
 */
u64 weir_pool_used(void)
{
	return atomic64_read(&weir_pool_bytes);
}

/**
 * weir_pool_charge() - reserve memory for a job
 * @bytes: how much
 *
 * Return: 0, or -EDQUOT where the limit does not leave room.
 */
int weir_pool_charge(u64 bytes)
{
	if ((u64)atomic64_add_return(bytes, &weir_pool_bytes) <= weir_pool_max)
		return 0;
	atomic64_sub(bytes, &weir_pool_bytes);
	return -EDQUOT;
}

/**
 * weir_pool_uncharge() - give a reservation back
 * @bytes: as it was charged
 */
void weir_pool_uncharge(u64 bytes)
{
	atomic64_sub(bytes, &weir_pool_bytes);
}

/**
 * weir_pool_refresh() - make sure that nobody else reads these pages
 * @pages: a slot's pages; the caller owns one reference to each
 * @n: how many, at most WEIR_BLOCK_PAGES
 *
 * Any context; does not sleep. The caller's reference to a page that receivers
 * still hold is given up, and a new page stands in its place.
 *
 * Return: 0, or -ENOMEM and all pages are as they were.
 */
int weir_pool_refresh(struct page **pages, unsigned int n)
{
	struct page *fresh[WEIR_BLOCK_PAGES] = {};
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (likely(page_ref_count(pages[i]) == 1))
			continue;
		fresh[i] = alloc_page(GFP_ATOMIC | __GFP_NOWARN);
		if (!fresh[i])
			goto undo;
	}
	for (i = 0; i < n; i++) {
		if (!fresh[i])
			continue;
		put_page(pages[i]);
		pages[i] = fresh[i];
	}
	return 0;

undo:
	while (i--)
		if (fresh[i])
			put_page(fresh[i]);
	return -ENOMEM;
}

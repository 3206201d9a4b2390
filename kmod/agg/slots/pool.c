// SPDX-License-Identifier: GPL-2.0
/*
 * Aggregation memory. A job's pages are allocated when it is added, so that
 * the data path never waits for memory, and all jobs of all namespaces
 * together stay below a quarter of the machine's.
 *
 * A result is sent from the block's own pages. While a receiver still holds one, the block that
 * comes next into the slot must not write to it: the page is left to the receiver, to whose
 * socket or queue it is charged like that of any packet, and the slot takes a new one. So no block
 * waits for a packet to be freed, a job never owns more pages than its quota, and what a receiver
 * holds is bounded by its own buffer. No page comes from the emergency reserves: receivers drop
 * packets with such pages.
 */
#include <linux/atomic.h>
#include <linux/gfp.h>
#include <linux/mm.h>

#include "agg/slots/pool.h"

static atomic64_t weir_pool_bytes = ATOMIC64_INIT(0);
static u64 weir_pool_max;

/**
 * weir_pool_init() - find the limit
 *
 * Return: 0.
 */
int weir_pool_init(void)
{
	weir_pool_max = (u64)totalram_pages() / 4 * PAGE_SIZE;
	return 0;
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
 * @bytes: number of bytes
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

static void weir_pool_spread(struct page **pages, struct page *first, unsigned int unit)
{
	unsigned int i;

	for (i = 0; i < unit; i++)
		pages[i] = first + i;
}

/**
 * weir_pool_alloc() - allocate pages that lie together
 * @pages: filled; one reference holds them all
 * @unit: number of pages, 1 or 2
 *
 * Sleeps. Return: 0 or -ENOMEM.
 */
int weir_pool_alloc(struct page **pages, unsigned int unit)
{
	struct page *first = alloc_pages(WEIR_POOL_GFP | (unit > 1 ? __GFP_COMP : 0), unit - 1);

	if (!first)
		return -ENOMEM;
	weir_pool_spread(pages, first, unit);
	return 0;
}

/**
 * weir_pool_refresh() - make sure that no receiver reads these pages
 * @pages: a slot's pages; the caller owns one reference to each unit
 * @n: number of pages, at most WEIR_BLOCK_PAGES
 * @unit: number of pages that lie together and are held together, 1 or 2
 *
 * Any context; does not sleep. Pages that a receiver still holds are left to it, and new ones take
 * their place.
 *
 * Return: the number of pages that were left, or -ENOMEM: then some may have been replaced, and no
 *	page is lost.
 */
int weir_pool_refresh(struct page **pages, unsigned int n, unsigned int unit)
{
	const gfp_t gfp = GFP_NOWAIT | __GFP_NOWARN | __GFP_NOMEMALLOC;
	struct page *page;
	unsigned int i;
	int left = 0;

	for (i = 0; i < n; i += unit) {
		if (likely(page_ref_count(pages[i]) == 1))
			continue;
		page = alloc_pages(gfp | (unit > 1 ? __GFP_COMP : 0), unit - 1);
		if (!page)
			return -ENOMEM;
		put_page(pages[i]);
		weir_pool_spread(&pages[i], page, unit);
		left += unit;
	}
	return left;
}

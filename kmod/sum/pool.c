// SPDX-License-Identifier: GPL-2.0
/*
 * Aggregation memory. A job's pages are allocated when it is added, so that
 * the data path never waits for memory, and all jobs of all namespaces
 * together stay below a quarter of the machine's.
 *
 * A result is sent from the block's own pages. While a receiver still holds one, the
 * block that comes next into the slot must not write to it: it takes one of the job's
 * spare pages instead, and the old one stands by until no receiver holds it. So no
 * block waits for a packet to be freed, pages that receivers hold stay charged, and no
 * page comes from the emergency reserves: receivers drop packets with such pages.
 */
#include <linux/atomic.h>
#include <linux/gfp.h>
#include <linux/mm.h>

#include "sum/pool.h"

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

static void weir_pool_spread(struct page **pages, struct page *first, unsigned int unit)
{
	unsigned int i;

	for (i = 0; i < unit; i++)
		pages[i] = first + i;
}

/**
 * weir_pool_alloc() - allocate pages that lie together
 * @pages: filled; one reference holds them all
 * @unit: how many, 1 or 2
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
 * weir_spare_init() - allocate pages that stand by
 * @spare: zeroed; filled
 * @unit: how many lie together, 1 or 2
 *
 * Sleeps. Return: 0, or -ENOMEM, and weir_spare_uninit() frees what there is.
 */
int weir_spare_init(struct weir_spare *spare, unsigned int unit)
{
	struct page *pages[2];

	spin_lock_init(&spare->lock);
	spare->unit = unit;
	for (; spare->n < WEIR_SPARE_PAGES / unit; spare->n++) {
		if (weir_pool_alloc(pages, unit))
			return -ENOMEM;
		spare->page[spare->n] = pages[0];
	}
	return 0;
}

/**
 * weir_spare_uninit() - free the pages that stand by
 * @spare: the pages; receivers free those that they hold
 */
void weir_spare_uninit(struct weir_spare *spare)
{
	while (spare->n)
		put_page(spare->page[--spare->n]);
}

/*
 * The next page without a reader, or -1. Pages that were swapped in last come last,
 * and a page held for long is passed over.
 */
static int weir_spare_find(struct weir_spare *spare)
{
	u32 i, at;

	for (i = 0; i < spare->n; i++) {
		at = spare->next;
		spare->next = at + 1 < spare->n ? at + 1 : 0;
		if (page_ref_count(spare->page[at]) == 1)
			return at;
	}
	return -1;
}

static void weir_spare_swap(struct weir_spare *spare, u32 at,
			    struct page **page)
{
	struct page *held = *page;

	weir_pool_spread(page, spare->page[at], spare->unit);
	spare->page[at] = held;
}

/**
 * weir_pool_refresh() - make sure that no receiver reads these pages
 * @spare: the job's spare pages
 * @pages: a slot's pages; the caller owns one reference to each
 * @n: how many, at most WEIR_BLOCK_PAGES
 *
 * Any context; does not sleep. A page that receivers still hold stands by, and a free
 * one takes its place.
 *
 * Return: 0, or -ENOMEM with all pages unchanged.
 */
int weir_pool_refresh(struct weir_spare *spare, struct page **pages,
		      unsigned int n)
{
	const unsigned int unit = spare->unit;
	int at[WEIR_BLOCK_PAGES];
	unsigned int i;

	for (i = 0; i < n && likely(page_ref_count(pages[i]) == 1); i += unit)
		;
	if (likely(i >= n))
		return 0;

	spin_lock(&spare->lock);
	for (i = 0; i < n; i += unit) {
		at[i] = -1;
		if (page_ref_count(pages[i]) == 1)
			continue;
		at[i] = weir_spare_find(spare);
		if (at[i] < 0)
			goto undo;
		weir_spare_swap(spare, at[i], &pages[i]);
	}
	spin_unlock(&spare->lock);
	return 0;

undo:
	while (i) {
		i -= unit;
		if (at[i] >= 0)
			weir_spare_swap(spare, at[i], &pages[i]);
	}
	spin_unlock(&spare->lock);
	return -ENOMEM;
}

// SPDX-License-Identifier: GPL-2.0
/* The parts of the mocked kernel outside of its headers, for threads. */
#include "kernel.h"

unsigned long mock_ram_pages = 1 << 20;
bool mock_cpu_has_vectors;
bool mock_cpu_has_halves;
bool mock_fpu_usable;

void mock_assert(bool ok, const char *what)
{
	if (ok)
		return;
	printf("Bail out! broken in the module: %s\n", what);
	fflush(stdout);
	abort();
}

void *mock_alloc(size_t size)
{
	void *p;

	return posix_memalign(&p, SMP_CACHE_BYTES, size) ? NULL : memset(p, 0, size);
}

void mock_free(const void *p)
{
	free((void *)p);
}

/* One, as threads have blocks of a page. */
struct page *alloc_pages(gfp_t gfp, unsigned int order)
{
	/* In a cache line of its own, as the kernel's is. */
	struct page *page = aligned_alloc(SMP_CACHE_BYTES, SMP_CACHE_BYTES);

	(void)gfp;
	if (order)
		abort();
	if (!page)
		return NULL;
	page->refs = 1;
	page->data = aligned_alloc(PAGE_SIZE, PAGE_SIZE);
	if (page->data)
		return page;
	free(page);
	return NULL;
}

void get_page(struct page *page)
{
	__atomic_add_fetch(&page->refs, 1, __ATOMIC_RELAXED);
}

void put_page(struct page *page)
{
	if (__atomic_sub_fetch(&page->refs, 1, __ATOMIC_ACQ_REL))
		return;
	free(page->data);
	free(page);
}

/* No packet has a checksum here. */
__wsum csum_partial(const void *data, int len, __wsum sum)
{
	abort();
}

__wsum csum_block_add(__wsum a, __wsum b, int off)
{
	abort();
}

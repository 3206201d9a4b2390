// SPDX-License-Identifier: GPL-2.0
/*
 * Reduction of a packet's gradients into a block's pages: picks the vector
 * unit where it may be used, and walks packet segments and pages at once.
 */
#include <linux/mm.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "agg/base/payload.h"
#include "agg/type/reduce.h"
#include "agg/type/reduce_ops.h"
#include "agg/type/vector.h"

static bool weir_reduce_begin(const struct weir_reduction *r, unsigned int count)
{
	return weir_vector_begin(r->needs, count >= r->least);
}

/**
 * weir_reduce_unit() - the name of the implementation that is used
 */
const char *weir_reduce_unit(void)
{
	return weir_vector_has(WEIR_CPU_VECTORS) ? WEIR_VECTOR_UNIT : "scalar";
}

/**
 * weir_reduction_pages() - pages that a block takes while it is open
 * @reduction: operation that combines gradients
 * @count: gradients
 */
unsigned int weir_reduction_pages(const struct weir_reduction *reduction, u32 count)
{
	return DIV_ROUND_UP(count, 1U << reduction->page_shift);
}

/**
 * struct weir_walk - over a packet's segments and a block's pages at once
 * @r: operation that combines gradients
 * @run: the inner loop, over gradients that lie together both in the packet and in a page
 * @pages: the block's pages
 * @bias: for the loop
 */
struct weir_walk {
	const struct weir_reduction	*r;
	weir_reduce_fn			run;
	struct page			**pages;
	u32				bias;
};

/* Gradients from @i on that a page has. */
static unsigned int weir_reduce_page(const struct weir_reduction *r, unsigned int i)
{
	unsigned int all = 1U << r->page_shift;

	return all - (i & (all - 1));
}

/* The first word of gradient @i; those of gradients of 8 bytes have as many. */
static void *weir_reduce_at(const struct weir_reduction *r, struct page **pages,
			    unsigned int i)
{
	unsigned int in_page = i & ((1U << r->page_shift) - 1);

	return page_address(pages[i >> r->page_shift]) + (in_page << (r->shift == 3 ? 3 : 2));
}

/* @n gradients from one segment, cut where the pages are. */
static noinline u32 weir_reduce_seg(const struct weir_walk *w, unsigned int i, const u8 *src,
				    unsigned int n)
{
	unsigned int run;
	u32 all = 0;

	for (; n; n -= run, i += run, src += weir_reduction_bytes(w->r, run)) {
		run = min(n, weir_reduce_page(w->r, i));
		all |= w->run(weir_reduce_at(w->r, w->pages, i), src, run, w->bias);
	}
	return all;
}

/* Gradients that are put together at a time: those of a vector, whatever its unit. */
#define WEIR_REDUCE_GATHERED	8

/*
 * Numbers across two or more segments are put together first, as a whole vector: the rest of a
 * segment would take as much by itself as several. So would that of the next.
 */
static noinline u32 weir_reduce_segs(const struct weir_walk *w,
				     const struct weir_payload *pl, unsigned int count)
{
	u8 gathered[WEIR_REDUCE_GATHERED * sizeof(u64)];
	unsigned int s, n, whole, have = 0, i = 0;
	u32 all = 0;

	for (s = 0; s < pl->n && i < count; s++) {
		const u8 *src = pl->seg[s].data;
		unsigned int len = pl->seg[s].len;

		if (have) {
			n = min(count - i, WEIR_REDUCE_GATHERED);
			whole = weir_reduction_bytes(w->r, n);
			len = min(whole - have, len);
			memcpy(gathered + have, src, len);
			have += len;
			if (have < whole)
				continue;
			all |= weir_reduce_seg(w, i, gathered, n);
			i += n;
			src += len;
			len = pl->seg[s].len - len;
		}
		n = min(len >> w->r->shift, count - i);
		if (i + n < count)
			n = round_down(n, WEIR_REDUCE_GATHERED);
		all |= weir_reduce_seg(w, i, src, n);
		i += n;
		have = len - weir_reduction_bytes(w->r, n);
		if (i < count)
			memcpy(gathered, src + weir_reduction_bytes(w->r, n), have);
	}
	return all;
}

/* Return true if the sums lie in one piece. A block's first two pages may, see pool.h. */
static __always_inline bool weir_reduce_is_one(const struct weir_reduction *r,
					       struct page **pages, unsigned int count)
{
	if (count <= 1U << r->page_shift)
		return true;
	return count <= 2U << r->page_shift && r->page_shift >= PAGE_SHIFT - 3 &&
	       page_address(pages[1]) == page_address(pages[0]) + PAGE_SIZE;
}

/* A packet whose gradients do not lie in one piece, or whose sums do not. */
static noinline u32 weir_reduce_pieces(const struct weir_walk *w, const struct weir_payload *pl,
				       unsigned int count)
{
	return pl->n == 1 ? weir_reduce_seg(w, 0, pl->seg[0].data, count) :
			    weir_reduce_segs(w, pl, count);
}

enum weir_reduce_step { WEIR_SET, WEIR_ADD, WEIR_CHECK };

static __always_inline weir_reduce_fn weir_reduce_loop(const struct weir_reduce_ops *ops,
						       enum weir_reduce_step step)
{
	return step == WEIR_SET ? ops->set : step == WEIR_ADD ? ops->add : ops->check;
}

/* Compiled for each step by itself: most of a packet's instructions run here. */
static __always_inline u32 weir_reduce(const struct weir_reduction *r, bool little,
				       enum weir_reduce_step step, struct page **pages,
				       const struct weir_payload *pl, unsigned int count,
				       u32 bias)
{
	bool vector = weir_reduce_begin(r, count);
	weir_reduce_fn run = weir_reduce_loop((vector ? r->vector : r->scalar)[little], step);
	u32 all;

	if (likely(pl->n == 1 && weir_reduce_is_one(r, pages, count)))
		all = run(page_address(pages[0]), pl->seg[0].data, count, bias);
	else
		all = weir_reduce_pieces(&(struct weir_walk){ r, run, pages, bias }, pl, count);
	if (vector)
		weir_vector_end();
	return all;
}

/**
 * weir_reduce_set() - the first contribution to a block
 * @reduction: operation that combines gradients
 * @little: the packet's gradients are little-endian
 * @pages: the block's pages; overwritten with the gradients in the reduction's form
 * @pl: the packet's gradients, at least @count
 * @count: gradients
 * @bias: from weir_reduce_bias()
 *
 * Any context in which the caller owns the block.
 *
 * Return: a guard for weir_reduce_wide().
 */
u32 weir_reduce_set(const struct weir_reduction *reduction, bool little, struct page **pages,
		    const struct weir_payload *pl, unsigned int count, u32 bias)
{
	return weir_reduce(reduction, little, WEIR_SET, pages, pl, count, bias);
}

/**
 * weir_reduce_add() - a further contribution
 * @reduction: operation that combines gradients; sums of integers are modulo 2^32, or 2^64
 * @little: the packet's gradients are little-endian
 * @pages: the block's pages, with the contributions before
 * @pl: the packet's gradients, at least @count
 * @count: gradients
 * @bias: from weir_reduce_bias()
 *
 * Return: a guard for weir_reduce_wide().
 */
u32 weir_reduce_add(const struct weir_reduction *reduction, bool little, struct page **pages,
		    const struct weir_payload *pl, unsigned int count, u32 bias)
{
	return weir_reduce(reduction, little, WEIR_ADD, pages, pl, count, bias);
}

/**
 * weir_reduce_check() - test whether the last addition left the range of the type
 * @reduction: operation that combines gradients; one that has guards
 * @little: the packet's gradients are little-endian
 * @pages: the sums with @pl in them
 * @pl: the packet's gradients, as they were added
 * @count: gradients
 *
 * Return: nonzero where it did.
 */
u32 weir_reduce_check(const struct weir_reduction *reduction, bool little, struct page **pages,
		      const struct weir_payload *pl, unsigned int count)
{
	return weir_reduce(reduction, little, WEIR_CHECK, pages, pl, count, 0);
}

/*
 * Return the place of gradient @i of a result. @n: set to the number from there to the page's end
 */
static void *weir_reduce_wire(const struct weir_reduction *r, struct page **pages,
			      unsigned int i, unsigned int *n)
{
	u32 at = weir_reduction_bytes(r, i);

	*n = (PAGE_SIZE - at % PAGE_SIZE) >> r->shift;
	return page_address(pages[at / PAGE_SIZE]) + at % PAGE_SIZE;
}

/**
 * weir_reduce_finish() - make the result as packets have it
 * @reduction: operation that combines gradients
 * @little: the result's gradients are little-endian
 * @pages: the block's pages; the result begins with the first one
 * @count: gradients
 *
 * A result takes no more memory than the sums that it is made from, so no sum is
 * overwritten before it was read.
 */
void weir_reduce_finish(const struct weir_reduction *reduction, bool little, struct page **pages,
			unsigned int count)
{
	bool vector = weir_reduce_begin(reduction, count);
	const struct weir_reduce_ops *ops = vector ? reduction->vector[little] :
						     reduction->scalar[little];
	unsigned int i, n;
	void *wire;

	for (i = 0; i < count; i += n) {
		wire = weir_reduce_wire(reduction, pages, i, &n);
		n = min3(n, count - i, weir_reduce_page(reduction, i));
		ops->to_wire(wire, weir_reduce_at(reduction, pages, i), n);
	}
	if (vector)
		weir_vector_end();
}

static bool weir_reduce_is_float(const struct weir_reduction *r)
{
	return r->dtype != WEIR_DTYPE_INT32 && r->dtype != WEIR_DTYPE_INT64;
}

/**
 * weir_reduce_neutral() - make a result that changes no sum to which it is added
 * @reduction: a sum
 * @little: the result's gradients are little-endian
 * @pages: the block's pages; the result begins with the first one
 * @count: gradients
 *
 * That is 0 of integers and -0.0 of floats: +0.0 would change the sign of -0.0.
 */
void weir_reduce_neutral(const struct weir_reduction *reduction, bool little, struct page **pages,
			 unsigned int count)
{
	unsigned int size = weir_reduction_bytes(reduction, 1), i, j, n;
	bool is_float = weir_reduce_is_float(reduction);
	u8 *wire;

	for (i = 0; i < count; i += n) {
		wire = weir_reduce_wire(reduction, pages, i, &n);
		n = min(n, count - i);
		memset(wire, 0, n * size);
		for (j = little ? size - 1 : 0; is_float && j < n * size; j += size)
			wire[j] = 0x80;
	}
}

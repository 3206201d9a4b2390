// SPDX-License-Identifier: GPL-2.0
/*
 * Reduction of a packet's gradients into a block's pages: picks the vector
 * unit where it may be used, and walks packet segments and pages at once.
 */
#include <linux/mm.h>
#include <linux/minmax.h>
#include <linux/string.h>
#ifdef CONFIG_X86
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>
#endif

#include "base/payload.h"
#include "type/reduce.h"
#include "type/reduce_ops.h"

#define WEIR_GRADS_A_PAGE	(PAGE_SIZE / sizeof(s32))

/*
 * Below this many gradients saving the vector registers costs more than the
 * scalar loop.
 */
#define WEIR_VECTOR_MIN		64

#ifdef CONFIG_X86
static bool weir_have_avx2 __read_mostly;

static bool weir_vector_begin(unsigned int count)
{
	/* A softirq can come upon a task that is using the registers. */
	if (!weir_have_avx2 || count < WEIR_VECTOR_MIN || !irq_fpu_usable())
		return false;
	kernel_fpu_begin();
	return true;
}

static void weir_vector_end(void)
{
	kernel_fpu_end();
}

#define weir_reduce_vector weir_reduce_avx2
#else
#define weir_have_avx2 false
static bool weir_vector_begin(unsigned int count)
{
	return false;
}

static void weir_vector_end(void)
{
}

#define weir_reduce_vector weir_reduce_scalar
#endif

/**
 * weir_reduce_init() - find out what the processor has
 */
void weir_reduce_init(void)
{
#ifdef CONFIG_X86
	weir_have_avx2 = boot_cpu_has(X86_FEATURE_AVX2) &&
			 cpu_has_xfeatures(XFEATURE_MASK_SSE |
					   XFEATURE_MASK_YMM, NULL);
#endif
}

/**
 * weir_reduce_unit() - the name of the implementation that is used
 */
const char *weir_reduce_unit(void)
{
	return weir_have_avx2 ? weir_reduce_vector.name :
				weir_reduce_scalar.name;
}

enum weir_reduce_op { WEIR_SET, WEIR_ADD, WEIR_CHECK };

/* Gradients that lie together both in the packet and in a page. */
static u32 weir_reduce_run(const struct weir_reduce_ops *ops,
			   enum weir_reduce_op op, s32 *acc, const u8 *src,
			   unsigned int n, u32 bias)
{
	switch (op) {
	case WEIR_SET:
		return ops->set(acc, src, n, bias);
	case WEIR_ADD:
		return ops->add(acc, src, n, bias);
	default:
		return ops->check(acc, src, n);
	}
}

static s32 *weir_reduce_at(struct page **pages, unsigned int i)
{
	return (s32 *)page_address(pages[i / WEIR_GRADS_A_PAGE]) +
	       i % WEIR_GRADS_A_PAGE;
}

/* @n gradients from one segment, cut where the pages are. */
static u32 weir_reduce_seg(const struct weir_reduce_ops *ops,
			   enum weir_reduce_op op, struct page **pages,
			   unsigned int i, const u8 *src, unsigned int n,
			   u32 bias)
{
	unsigned int run;
	u32 all = 0;

	for (; n; n -= run, i += run, src += run * sizeof(s32)) {
		run = min_t(unsigned int, n,
			    WEIR_GRADS_A_PAGE - i % WEIR_GRADS_A_PAGE);
		all |= weir_reduce_run(ops, op, weir_reduce_at(pages, i), src,
				       run, bias);
	}
	return all;
}

/*
 * All gradients of a packet. One that lies across two or more segments is put
 * together in @word first.
 */
static u32 weir_reduce_walk(const struct weir_reduce_ops *ops,
			    enum weir_reduce_op op, struct page **pages,
			    const struct weir_payload *pl, unsigned int count,
			    u32 bias)
{
	unsigned int s, n, have = 0, i = 0;
	u8 word[sizeof(s32)];
	u32 all = 0;

	for (s = 0; s < pl->n && i < count; s++) {
		const u8 *src = pl->seg[s].data;
		unsigned int len = pl->seg[s].len;

		if (have) {
			n = min_t(unsigned int, sizeof(word) - have, len);
			memcpy(word + have, src, n);
			have += n;
			src += n;
			len -= n;
			if (have < sizeof(word))
				continue;
			all |= weir_reduce_seg(ops, op, pages, i++, word, 1,
					       bias);
		}
		n = min_t(unsigned int, len / sizeof(s32), count - i);
		all |= weir_reduce_seg(ops, op, pages, i, src, n, bias);
		i += n;
		have = len - n * sizeof(s32);
		if (i < count)
			memcpy(word, src + n * sizeof(s32), have);
	}
	return all;
}

static u32 weir_reduce(enum weir_reduce_op op, struct page **pages,
		       const struct weir_payload *pl, unsigned int count,
		       u32 bias)
{
	u32 all;

	if (!weir_vector_begin(count))
		return weir_reduce_walk(&weir_reduce_scalar, op, pages, pl,
					count, bias);
	all = weir_reduce_walk(&weir_reduce_vector, op, pages, pl, count, bias);
	weir_vector_end();
	return all;
}

/**
 * weir_reduce_set() - the first contribution to a block
 * @pages: the block's pages; become the gradients in host byte order
 * @pl: the packet's gradients, at least @count
 * @count: gradients
 * @bias: from weir_reduce_bias()
 *
 * Any context in which the caller owns the block.
 *
 * Return: a guard for weir_reduce_wide().
 */
u32 weir_reduce_set(struct page **pages, const struct weir_payload *pl,
		    unsigned int count, u32 bias)
{
	return weir_reduce(WEIR_SET, pages, pl, count, bias);
}

/**
 * weir_reduce_add() - a further contribution, modulo 2^32
 * @pages: the sums so far, host byte order
 * @pl: the packet's gradients, at least @count
 * @count: gradients
 * @bias: from weir_reduce_bias()
 *
 * Return: a guard for weir_reduce_wide().
 */
u32 weir_reduce_add(struct page **pages, const struct weir_payload *pl,
		    unsigned int count, u32 bias)
{
	return weir_reduce(WEIR_ADD, pages, pl, count, bias);
}

/**
 * weir_reduce_check() - did the addition just made leave the range of int32?
 * @pages: the sums with @pl in them, host byte order
 * @pl: the packet's gradients, as they were added
 * @count: gradients
 *
 * Return: nonzero where it did.
 */
u32 weir_reduce_check(struct page **pages, const struct weir_payload *pl,
		      unsigned int count)
{
	return weir_reduce(WEIR_CHECK, pages, pl, count, 0);
}

/**
 * weir_reduce_swap() - bring finished sums into network byte order
 * @pages: the sums
 * @count: gradients
 */
void weir_reduce_swap(struct page **pages, unsigned int count)
{
	bool vector = weir_vector_begin(count);
	const struct weir_reduce_ops *ops = vector ? &weir_reduce_vector :
						     &weir_reduce_scalar;
	unsigned int i, n;

	for (i = 0; i < count; i += n) {
		n = min_t(unsigned int, count - i, WEIR_GRADS_A_PAGE);
		ops->to_wire(weir_reduce_at(pages, i), n);
	}
	if (vector)
		weir_vector_end();
}

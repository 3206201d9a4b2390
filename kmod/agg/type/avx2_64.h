/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The inner loops over numbers of 64 bits for AVX2: avx2.h with four lanes. The rest behind whole
 * vectors goes to the type's loops in plain C. No kernel headers, see reduce_ops.h.
 */
#ifndef _WEIR_AVX2_64_H
#define _WEIR_AVX2_64_H

#include "agg/type/avx2.h"
#include "agg/type/scalar64.h"

typedef unsigned long long weir_vu64 __attribute__((vector_size(32), aligned(8), may_alias));
typedef unsigned long long weir_vp64 __attribute__((vector_size(32), aligned(1), may_alias));

#define WEIR_LANES64	4
#define WEIR_SIZE64	8
#define WEIR_STEP64	(WEIR_LANES64 * WEIR_SIZE64)	/* bytes of a vector */

WEIR_INNER weir_vq weir_splat64(unsigned long long v)
{
	return (weir_vq){ v, v, v, v };
}

/* See weir_swap(). */
WEIR_INNER weir_vq weir_swap64(weir_vq x)
{
#ifdef WEIR_LITTLE
	return x;
#else
	const weir_vb mask = {
		7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8,
		7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8,
	};

	return (weir_vq)__builtin_ia32_pshufb256((weir_vb)x, mask);
#endif
}

WEIR_INNER weir_vq weir_load64_swapped(const void *src)
{
	return weir_swap64(*(const weir_vp64 *)src);
}

WEIR_INNER void weir_store64_swapped(void *wire, weir_vq x)
{
	*(weir_vp64 *)wire = weir_swap64(x);
}

WEIR_INNER weir_vu64 *weir_at64(void *acc, unsigned int i)
{
	return (weir_vu64 *)((weir_word64 *)acc + i);
}

WEIR_INNER weir_vq weir_take64(const void *acc)
{
	return *(const weir_vu64 *)acc;
}

/* All ones where a lane is negative. */
WEIR_INNER weir_vq weir_negative64(weir_vq x)
{
	return (weir_vq)((weir_vl)x < 0);
}

/* The sign of each lane of @mask decides, as in weir_blend(). */
WEIR_INNER weir_vq weir_blend64(weir_vq no, weir_vq yes, weir_vq mask)
{
	return (weir_vq)__builtin_ia32_blendvpd256((weir_vd)no, (weir_vd)yes, (weir_vd)mask);
}

WEIR_INNER int weir_any64(weir_vq x)
{
	return !__builtin_ia32_ptestz256((weir_vl)x, (weir_vl)x);
}

WEIR_INNER weir_vq weir_vmin64(weir_vq a, weir_vq b)
{
	return weir_blend64(a, b, (weir_vq)((weir_vl)a > (weir_vl)b));
}

WEIR_INNER weir_vq weir_vmax64(weir_vq a, weir_vq b)
{
	return weir_blend64(b, a, (weir_vq)((weir_vl)a > (weir_vl)b));
}

typedef weir_vq (*weir_vload64_fn)(const void *src);
typedef weir_vq (*weir_vcombine64_fn)(weir_vq acc, weir_vq x);
typedef void (*weir_vstore64_fn)(void *wire, weir_vq x);

/* Each returns the number of gradients done, as those of avx2.h. */
WEIR_INNER unsigned int weir_avx2_set64(void *acc, const void *src, unsigned int n,
					weir_vload64_fn load)
{
	const char *s = src;
	weir_word64 *a = acc;

	for (; n >= WEIR_LANES64; n -= WEIR_LANES64) {
		*weir_at64(a, 0) = load(s);
		a += WEIR_LANES64;
		s += WEIR_STEP64;
	}
	return a - (weir_word64 *)acc;
}

WEIR_INNER void weir_avx2_add64_one(weir_word64 *a, const char *s, weir_vload64_fn load,
				    weir_vcombine64_fn combine)
{
	*weir_at64(a, 0) = combine(*weir_at64(a, 0), load(s));
}

WEIR_INNER unsigned int weir_avx2_add64(void *acc, const void *src, unsigned int n,
					weir_vload64_fn load, weir_vcombine64_fn combine)
{
	const char *s = src;
	weir_word64 *a = acc;

	for (; n >= 4 * WEIR_LANES64; n -= 4 * WEIR_LANES64) {
		weir_avx2_add64_one(a, s, load, combine);
		weir_avx2_add64_one(a + WEIR_LANES64, s + WEIR_STEP64, load, combine);
		weir_avx2_add64_one(a + 2 * WEIR_LANES64, s + 2 * WEIR_STEP64, load, combine);
		weir_avx2_add64_one(a + 3 * WEIR_LANES64, s + 3 * WEIR_STEP64, load, combine);
		a += 4 * WEIR_LANES64;
		s += 4 * WEIR_STEP64;
	}
	for (; n >= WEIR_LANES64; n -= WEIR_LANES64) {
		weir_avx2_add64_one(a, s, load, combine);
		a += WEIR_LANES64;
		s += WEIR_STEP64;
	}
	return a - (weir_word64 *)acc;
}

/* Forward, as @wire may be the memory of @acc: no sum is overwritten before it was read. */
WEIR_INNER unsigned int weir_avx2_to_wire64(void *wire, const void *acc, unsigned int n,
					    weir_vstore64_fn store)
{
	const weir_word64 *a = acc;
	char *w = wire;

	for (; n >= WEIR_LANES64; n -= WEIR_LANES64) {
		store(w, weir_take64(a));
		a += WEIR_LANES64;
		w += WEIR_STEP64;
	}
	return a - (const weir_word64 *)acc;
}

/* Gradients of @n that a loop of whole vectors has left go to plain C. */
WEIR_INNER void weir_rest64(unsigned int (*loop)(void *acc, const void *src, unsigned int n,
						 unsigned int bias),
			    void *acc, const void *src, unsigned int n, unsigned int done)
{
	if (n - done)
		loop((weir_word64 *)acc + done, (const char *)src + done * WEIR_SIZE64, n - done,
		     0);
}

WEIR_INNER void weir_rest64_to_wire(void (*loop)(void *wire, const void *acc, unsigned int n),
				    void *wire, const void *acc, unsigned int n,
				    unsigned int done)
{
	if (n - done)
		loop((char *)wire + done * WEIR_SIZE64, (const weir_word64 *)acc + done, n - done);
}

#endif /* _WEIR_AVX2_64_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The inner loops for AVX2, byte swap included. Called between
 * kernel_fpu_begin() and kernel_fpu_end() only. No kernel headers, see
 * reduce_ops.h: the files of the vector unit alone are built with vector instructions.
 *
 * A type defines how eight gradients are loaded and stored. The rest behind whole vectors
 * goes to the type's loops in plain C, or through the first lanes of one.
 */
#ifndef _WEIR_AVX2_H
#define _WEIR_AVX2_H

#include "agg/type/scalar.h"

/* Unsigned: sums are modulo 2^32, and signed ones must not overflow in C. */
typedef unsigned int weir_v __attribute__((vector_size(32)));
typedef int weir_vi __attribute__((vector_size(32)));
typedef float weir_vf __attribute__((vector_size(32)));
typedef double weir_vd __attribute__((vector_size(32)));
typedef long long weir_vl __attribute__((vector_size(32)));
typedef unsigned long long weir_vq __attribute__((vector_size(32)));
typedef short weir_vs __attribute__((vector_size(32)));
typedef unsigned short weir_vw __attribute__((vector_size(32)));
typedef char weir_vb __attribute__((vector_size(32)));
typedef unsigned int weir_vu __attribute__((vector_size(32), aligned(4), may_alias));
typedef unsigned int weir_vp __attribute__((vector_size(32), aligned(1), may_alias));

/* Halves of a vector. */
typedef unsigned int weir_h __attribute__((vector_size(16)));
typedef unsigned long long weir_hq __attribute__((vector_size(16)));
typedef unsigned int weir_hu __attribute__((vector_size(16), aligned(1), may_alias));
typedef char weir_hb __attribute__((vector_size(16)));
typedef short weir_hs __attribute__((vector_size(16)));
typedef unsigned short weir_hw __attribute__((vector_size(16)));
typedef char weir_hp __attribute__((vector_size(16), aligned(1), may_alias));

/*
 * Operations with different names in GCC and clang. (GCC makes four instructions of a
 * conversion that is one.)
 */
#ifdef __clang__
#define WEIR_WIDEN(x)		__builtin_convertvector((weir_hw)(x), weir_v)
#define WEIR_MIN(a, b)		__builtin_elementwise_min(a, b)
#define WEIR_MAX(a, b)		__builtin_elementwise_max(a, b)
#if __has_builtin(__builtin_elementwise_sub_sat)
#define WEIR_SUB_SATURATED(a, b)	__builtin_elementwise_sub_sat((weir_vw)(a), (weir_vw)(b))
#else
#define WEIR_SUB_SATURATED(a, b)	__builtin_ia32_psubusw256(a, b)
#endif
#else
#define WEIR_WIDEN(x)		__builtin_ia32_pmovzxwd256((weir_hs)(x))
#define WEIR_MIN(a, b)		__builtin_ia32_pminsd256(a, b)
#define WEIR_MAX(a, b)		__builtin_ia32_pmaxsd256(a, b)
#define WEIR_SUB_SATURATED(a, b)	__builtin_ia32_psubusw256(a, b)
#endif

/* The lower half, 0, or the upper one, 1. */
#define WEIR_HALF_OF(x, upper)	((weir_h)__builtin_ia32_extract128i256((weir_vl)(x), upper))

#define WEIR_LANES	8
#define WEIR_HALF	4	/* lanes of half a vector */

WEIR_INNER weir_v weir_splat(unsigned int v)
{
	return (weir_v){ v, v, v, v, v, v, v, v };
}

/*
 * Swap the bytes of each lane, where packets have another byte order; the shuffle works within
 * halves of 16 bytes.
 */
WEIR_INNER weir_v weir_swap(weir_v x)
{
#ifdef WEIR_LITTLE
	return x;
#else
	const weir_vb mask = {
		3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12,
		3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12,
	};

	return (weir_v)__builtin_ia32_pshufb256((weir_vb)x, mask);
#endif
}

WEIR_INNER weir_v weir_load_swapped(const void *src)
{
	return weir_swap(*(const weir_vp *)src);
}

WEIR_INNER void weir_store_swapped(void *wire, weir_v x)
{
	*(weir_vp *)wire = weir_swap(x);
}

/*
 * Half a vector. The 364 gradients of a packet of 1,500 bytes end in one: as a rest of single
 * lanes it would cost as much as ten vectors.
 */
WEIR_INNER weir_h weir_swap_half(weir_h x)
{
#ifdef WEIR_LITTLE
	return x;
#else
	const weir_hb mask = { 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12 };

	return (weir_h)__builtin_ia32_pshufb128((weir_hb)x, mask);
#endif
}

WEIR_INNER weir_h weir_load_half_swapped(const void *src)
{
	return weir_swap_half(*(const weir_hu *)src);
}

WEIR_INNER void weir_store_half_swapped(void *wire, weir_h x)
{
	*(weir_hu *)wire = weir_swap_half(x);
}

WEIR_INNER weir_hu *weir_half_at(const void *acc)
{
	return (weir_hu *)acc;
}

WEIR_INNER weir_vu *weir_at(void *acc, unsigned int i)
{
	return (weir_vu *)((weir_word *)acc + i);
}

WEIR_INNER weir_v weir_take(const void *acc)
{
	return *(const weir_vu *)acc;
}

/*
 * The first @n words of a packet. Not by a masked load: QEMU reads the others, too, which may lie
 * behind the last page there is.
 */
WEIR_INNER weir_v weir_load_rest(const void *src, unsigned int n)
{
	weir_v x = {};

	__builtin_memcpy(&x, src, n * sizeof(weir_word));
	return x;
}

/* All bits of the first @n lanes. Those of a block's page alone are written. */
WEIR_INNER weir_v weir_first_lanes(unsigned int n)
{
	const weir_vi lanes = { 0, 1, 2, 3, 4, 5, 6, 7 };

	return (weir_v)(lanes < (weir_vi)weir_splat(n));
}

/* Zero in the other lanes. */
WEIR_INNER weir_v weir_take_first(const void *from, weir_v first)
{
	return (weir_v)__builtin_ia32_maskloadd256((const weir_vi *)from, (weir_vi)first);
}

WEIR_INNER void weir_put_first(void *to, weir_v first, weir_v x)
{
	__builtin_ia32_maskstored256((weir_vi *)to, (weir_vi)first, (weir_vi)x);
}

WEIR_INNER int weir_any(weir_v x)
{
	return !__builtin_ia32_ptestz256((weir_vl)x, (weir_vl)x);
}

/*
 * A blend of floats, as compilers turn the blend of bytes into a test of chars below 0,
 * and the kernel's chars are unsigned.
 */
WEIR_INNER weir_v weir_blend(weir_v no, weir_v yes, weir_v mask)
{
	return (weir_v)__builtin_ia32_blendvps256((weir_vf)no, (weir_vf)yes, (weir_vf)mask);
}

/* Two vectors: of 16-bit numbers, they come from one load. */
struct weir_pair {
	weir_v a;
	weir_v b;
};

WEIR_INNER struct weir_pair weir_load_pair_swapped(const void *src)
{
	return (struct weir_pair) {
		weir_load_swapped(src),
		weir_load_swapped((const char *)src + sizeof(weir_v)),
	};
}

typedef weir_v (*weir_vload_fn)(const void *src);
typedef struct weir_pair (*weir_vload_pair_fn)(const void *src);
typedef weir_v (*weir_vcombine_fn)(weir_v acc, weir_v x);
typedef void (*weir_vstore_fn)(void *wire, weir_v x);

/*
 * @size is that of a gradient in the packet. Each returns the number of gradients done.
 * Loops count n down and move the pointers: an index would be scaled again for every load,
 * which costs a third of the speed.
 */
WEIR_INNER unsigned int weir_avx2_set(void *acc, const void *src, unsigned int n,
				      unsigned int size, weir_vload_fn load)
{
	const char *s = src;
	weir_word *a = acc;

	for (; n >= WEIR_LANES; n -= WEIR_LANES) {
		*weir_at(a, 0) = load(s);
		a += WEIR_LANES;
		s += WEIR_LANES * size;
	}
	return a - (weir_word *)acc;
}

WEIR_INNER void weir_avx2_add_pair(weir_word *a, const char *s, weir_vload_pair_fn load,
				   weir_vcombine_fn combine)
{
	struct weir_pair x = load(s);

	*weir_at(a, 0) = combine(*weir_at(a, 0), x.a);
	*weir_at(a, WEIR_LANES) = combine(*weir_at(a, WEIR_LANES), x.b);
}

/* Four vectors a turn keep the loads independent; more gain nothing. */
WEIR_INNER unsigned int weir_avx2_add(void *acc, const void *src, unsigned int n,
				      unsigned int size, weir_vload_fn load,
				      weir_vload_pair_fn load_pair,
				      weir_vcombine_fn combine)
{
	const unsigned int step = WEIR_LANES * size;
	const char *s = src;
	weir_word *a = acc;

	for (; n >= 4 * WEIR_LANES; n -= 4 * WEIR_LANES) {
		weir_avx2_add_pair(a, s, load_pair, combine);
		weir_avx2_add_pair(a + 2 * WEIR_LANES, s + 2 * step, load_pair, combine);
		a += 4 * WEIR_LANES;
		s += 4 * step;
	}
	for (; n >= WEIR_LANES; n -= WEIR_LANES) {
		*weir_at(a, 0) = combine(*weir_at(a, 0), load(s));
		a += WEIR_LANES;
		s += step;
	}
	return a - (weir_word *)acc;
}

/* Forward, as @wire may be the memory of @acc: no sum is overwritten before it was read. */
WEIR_INNER unsigned int weir_avx2_to_wire(void *wire, const void *acc, unsigned int n,
					  unsigned int size, weir_vstore_fn store)
{
	const unsigned int step = WEIR_LANES * size;
	const weir_word *a = acc;
	char *w = wire;

	for (; n >= 4 * WEIR_LANES; n -= 4 * WEIR_LANES) {
		store(w, weir_take(a));
		store(w + step, weir_take(a + WEIR_LANES));
		store(w + 2 * step, weir_take(a + 2 * WEIR_LANES));
		store(w + 3 * step, weir_take(a + 3 * WEIR_LANES));
		a += 4 * WEIR_LANES;
		w += 4 * step;
	}
	for (; n >= WEIR_LANES; n -= WEIR_LANES) {
		store(w, weir_take(a));
		a += WEIR_LANES;
		w += step;
	}
	return a - (const weir_word *)acc;
}

WEIR_INNER weir_v weir_vmin(weir_v a, weir_v b)
{
	return (weir_v)WEIR_MIN((weir_vi)a, (weir_vi)b);
}

WEIR_INNER weir_v weir_vmax(weir_v a, weir_v b)
{
	return (weir_v)WEIR_MAX((weir_vi)a, (weir_vi)b);
}

#endif /* _WEIR_AVX2_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * The inner loops for AVX2, byte swap included. Called between
 * kernel_fpu_begin() and kernel_fpu_end() only. No kernel headers, see
 * reduce_ops.h: this file alone is built with vector instructions.
 *
 * A sum that leaves int32 must not go unnoticed, but an exact test costs three
 * operations a vector and a quarter of the speed. So the loops only collect
 * whether any gradient is too large to rule an overflow out (two operations,
 * hidden behind the loads), and check() does the exact test for those blocks.
 */
#include "reduce_ops.h"

/* Unsigned: sums are modulo 2^32, and signed ones must not overflow in C. */
typedef unsigned int weir_v __attribute__((vector_size(32)));
typedef unsigned int weir_vu __attribute__((vector_size(32), aligned(4), may_alias));
typedef unsigned int weir_vp __attribute__((vector_size(32), aligned(1), may_alias));
typedef char weir_vb __attribute__((vector_size(32)));

#define LANES	8
#define UNROLL	(4 * LANES)

/* Swap the bytes of each lane; the shuffle works within halves of 16 bytes. */
static inline weir_v swap(weir_v x)
{
	const weir_vb mask = {
		3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12,
		3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12,
	};

	return (weir_v)__builtin_ia32_pshufb256((weir_vb)x, mask);
}

static inline weir_v load(const void *src, unsigned int i)
{
	return swap(*(const weir_vp *)((const char *)src + 4 * i));
}

static inline weir_vu *at(const int *acc, unsigned int i)
{
	return (weir_vu *)(acc + i);
}

static inline unsigned int fold(weir_v x)
{
	unsigned int i, all = 0;

	for (i = 0; i < LANES; i++)
		all |= x[i];
	return all;
}

static inline weir_v splat(unsigned int v)
{
	return (weir_v){ v, v, v, v, v, v, v, v };
}

static unsigned int avx2_set(int *acc, const void *src, unsigned int n,
			     unsigned int bias)
{
	const weir_v vbias = splat(bias);
	weir_v v, guard = {};
	unsigned int i;

	for (i = 0; i + LANES <= n; i += LANES) {
		v = load(src, i);
		guard |= v + vbias;
		*at(acc, i) = v;
	}
	return fold(guard) |
	       weir_reduce_scalar.set(acc + i, (const char *)src + 4 * i,
				      n - i, bias);
}

static unsigned int avx2_add(int *acc, const void *src, unsigned int n,
			     unsigned int bias)
{
	const weir_v vbias = splat(bias);
	weir_v v, v0, v1, v2, v3, guard = {}, guard1 = {};
	unsigned int i;

	/* Four vectors a turn keep the loads and the two guards independent. */
	for (i = 0; i + UNROLL <= n; i += UNROLL) {
		v0 = load(src, i);
		v1 = load(src, i + LANES);
		v2 = load(src, i + 2 * LANES);
		v3 = load(src, i + 3 * LANES);
		*at(acc, i) += v0;
		*at(acc, i + LANES) += v1;
		*at(acc, i + 2 * LANES) += v2;
		*at(acc, i + 3 * LANES) += v3;
		guard |= v0 + vbias;
		guard1 |= v1 + vbias;
		guard |= v2 + vbias;
		guard1 |= v3 + vbias;
	}
	for (; i + LANES <= n; i += LANES) {
		v = load(src, i);
		*at(acc, i) += v;
		guard |= v + vbias;
	}
	return fold(guard | guard1) |
	       weir_reduce_scalar.add(acc + i, (const char *)src + 4 * i,
				      n - i, bias);
}

static unsigned int avx2_check(const int *acc, const void *src,
			       unsigned int n)
{
	weir_v v, sum, bad = {};
	unsigned int i;

	for (i = 0; i + LANES <= n; i += LANES) {
		v = load(src, i);
		sum = *at(acc, i);
		bad |= (sum ^ v) & (sum ^ (sum - v));
	}
	return fold(bad) >> 31 |
	       weir_reduce_scalar.check(acc + i, (const char *)src + 4 * i,
					n - i);
}

static void avx2_swap(int *acc, unsigned int n)
{
	unsigned int i;

	for (i = 0; i + LANES <= n; i += LANES)
		*at(acc, i) = swap(*at(acc, i));
	weir_reduce_scalar.to_wire(acc + i, n - i);
}

const struct weir_reduce_ops weir_reduce_avx2 = {
	.name	= "avx2",
	.set	= avx2_set,
	.add	= avx2_add,
	.check	= avx2_check,
	.to_wire = avx2_swap,
};

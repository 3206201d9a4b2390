// SPDX-License-Identifier: GPL-2.0
/*
 * Two's complement of 64 bits, for AVX2. Guards are those of int64_loops.h: of the 32-bit lanes
 * that are collected only the upper ones of each number count.
 */
#include "agg/type/avx2_64.h"

/* The OR of the upper halves of all lanes. */
static inline unsigned int fold_upper(weir_vq x)
{
	return (x[0] | x[1] | x[2] | x[3]) >> 32;
}

static unsigned int int64_sum_set(void *acc, const void *src, unsigned int n,
				  unsigned int bias)
{
	const weir_vq vbias = weir_splat64((unsigned long long)bias << 32);
	weir_vq v, guards = {};
	const char *s = src;
	weir_word64 *a = acc;
	unsigned int guard;

	for (; n >= WEIR_LANES64; n -= WEIR_LANES64) {
		v = weir_load64_swapped(s);
		*weir_at64(a, 0) = v;
		guards |= v + vbias;
		a += WEIR_LANES64;
		s += WEIR_STEP64;
	}
	guard = fold_upper(guards);
	return n ? guard | WEIR_OPS(int64, sum, scalar).set(a, s, n, bias) : guard;
}

static unsigned int int64_sum_add(void *acc, const void *src, unsigned int n,
				  unsigned int bias)
{
	const weir_vq vbias = weir_splat64((unsigned long long)bias << 32);
	weir_vq v0, v1, v2, v3, guards0 = {}, guards1 = {};
	const char *s = src;
	weir_word64 *a = acc;
	unsigned int guard;

	/* Four vectors a turn keep the loads and the two guards independent. */
	for (; n >= 4 * WEIR_LANES64; n -= 4 * WEIR_LANES64) {
		v0 = weir_load64_swapped(s);
		v1 = weir_load64_swapped(s + WEIR_STEP64);
		v2 = weir_load64_swapped(s + 2 * WEIR_STEP64);
		v3 = weir_load64_swapped(s + 3 * WEIR_STEP64);
		*weir_at64(a, 0) += v0;
		*weir_at64(a, WEIR_LANES64) += v1;
		*weir_at64(a, 2 * WEIR_LANES64) += v2;
		*weir_at64(a, 3 * WEIR_LANES64) += v3;
		guards0 |= (v0 + vbias) | (v1 + vbias);
		guards1 |= (v2 + vbias) | (v3 + vbias);
		a += 4 * WEIR_LANES64;
		s += 4 * WEIR_STEP64;
	}
	for (; n >= WEIR_LANES64; n -= WEIR_LANES64) {
		v0 = weir_load64_swapped(s);
		*weir_at64(a, 0) += v0;
		guards0 |= v0 + vbias;
		a += WEIR_LANES64;
		s += WEIR_STEP64;
	}
	guard = fold_upper(guards0 | guards1);
	return n ? guard | WEIR_OPS(int64, sum, scalar).add(a, s, n, bias) : guard;
}

static unsigned int int64_sum_check(void *acc, const void *src, unsigned int n,
				    unsigned int bias)
{
	const char *s = src;
	weir_vq v, sum, bad = {};
	weir_word64 *a = acc;

	for (; n >= WEIR_LANES64; n -= WEIR_LANES64) {
		v = weir_load64_swapped(s);
		sum = weir_take64(a);
		bad |= (sum ^ v) & (sum ^ (sum - v));
		a += WEIR_LANES64;
		s += WEIR_STEP64;
	}
	return fold_upper(bad) >> 31 | WEIR_OPS(int64, sum, scalar).check(a, s, n, bias);
}

static unsigned int int64_set(void *acc, const void *src, unsigned int n,
			      unsigned int bias)
{
	(void)bias;
	weir_rest64(WEIR_OPS(int64, min, scalar).set, acc, src, n,
		    weir_avx2_set64(acc, src, n, weir_load64_swapped));
	return 0;
}

static unsigned int int64_min_add(void *acc, const void *src, unsigned int n,
				  unsigned int bias)
{
	(void)bias;
	weir_rest64(WEIR_OPS(int64, min, scalar).add, acc, src, n,
		    weir_avx2_add64(acc, src, n, weir_load64_swapped, weir_vmin64));
	return 0;
}

static unsigned int int64_max_add(void *acc, const void *src, unsigned int n,
				  unsigned int bias)
{
	(void)bias;
	weir_rest64(WEIR_OPS(int64, max, scalar).add, acc, src, n,
		    weir_avx2_add64(acc, src, n, weir_load64_swapped, weir_vmax64));
	return 0;
}

static void int64_to_wire(void *wire, const void *acc, unsigned int n)
{
	weir_rest64_to_wire(WEIR_OPS(int64, sum, scalar).to_wire, wire, acc, n,
			    weir_avx2_to_wire64(wire, acc, n, weir_store64_swapped));
}

WEIR_INT_OPS(int64, avx2);

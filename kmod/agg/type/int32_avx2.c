// SPDX-License-Identifier: GPL-2.0
/*
 * Two's complement of 32 bits, for AVX2.
 *
 * A sum that leaves int32 must not go unnoticed, but an exact test costs three
 * operations a vector and a quarter of the speed. So the loops only collect
 * whether any gradient is too large to rule an overflow out (two operations,
 * hidden behind the loads), and check() does the exact test for those blocks.
 */
#include "agg/type/avx2.h"

#define SIZE	4
#define STEP	(WEIR_LANES * SIZE)	/* bytes of a vector */

/* The OR of all lanes. */
static inline unsigned int fold_half(weir_h x)
{
	const weir_hq q = (weir_hq)x;
	unsigned long long half = q[0] | q[1];

	return half | half >> 32;
}

static inline weir_h halve(weir_v x)
{
	return WEIR_HALF_OF(x, 0) | WEIR_HALF_OF(x, 1);
}

static unsigned int int32_sum_set(void *acc, const void *src, unsigned int n,
				  unsigned int bias)
{
	const weir_v vbias = weir_splat(bias);
	weir_v v0, v1, v2, v3, guards = {};
	const char *s = src;
	weir_word *a = acc;
	unsigned int guard;
	weir_h h, rest;

	for (; n >= 4 * WEIR_LANES; n -= 4 * WEIR_LANES) {
		v0 = weir_load_swapped(s);
		v1 = weir_load_swapped(s + STEP);
		v2 = weir_load_swapped(s + 2 * STEP);
		v3 = weir_load_swapped(s + 3 * STEP);
		*weir_at(a, 0) = v0;
		*weir_at(a, WEIR_LANES) = v1;
		*weir_at(a, 2 * WEIR_LANES) = v2;
		*weir_at(a, 3 * WEIR_LANES) = v3;
		guards |= (v0 + vbias) | (v1 + vbias) | (v2 + vbias) | (v3 + vbias);
		a += 4 * WEIR_LANES;
		s += 4 * STEP;
	}
	for (; n >= WEIR_LANES; n -= WEIR_LANES, a += WEIR_LANES, s += STEP) {
		v0 = weir_load_swapped(s);
		*weir_at(a, 0) = v0;
		guards |= v0 + vbias;
	}
	rest = halve(guards);
	if (n & WEIR_HALF) {
		h = weir_load_half_swapped(s);
		*weir_half_at(a) = h;
		rest |= h + WEIR_HALF_OF(vbias, 0);
		a += WEIR_HALF;
		s += STEP / 2;
		n -= WEIR_HALF;
	}
	guard = fold_half(rest);
	return n ? guard | WEIR_OPS(int32, sum, scalar).set(a, s, n, bias) : guard;
}

static unsigned int int32_sum_add(void *acc, const void *src, unsigned int n,
				  unsigned int bias)
{
	const weir_v vbias = weir_splat(bias);
	weir_v v0, v1, v2, v3, guards0 = {}, guards1 = {};
	const char *s = src;
	weir_word *a = acc;
	unsigned int guard;
	weir_h h, rest;

	/* Four vectors a turn keep the loads and the two guards independent. */
	for (; n >= 4 * WEIR_LANES; n -= 4 * WEIR_LANES) {
		v0 = weir_load_swapped(s);
		v1 = weir_load_swapped(s + STEP);
		v2 = weir_load_swapped(s + 2 * STEP);
		v3 = weir_load_swapped(s + 3 * STEP);
		*weir_at(a, 0) += v0;
		*weir_at(a, WEIR_LANES) += v1;
		*weir_at(a, 2 * WEIR_LANES) += v2;
		*weir_at(a, 3 * WEIR_LANES) += v3;
		guards0 |= (v0 + vbias) | (v1 + vbias);
		guards1 |= (v2 + vbias) | (v3 + vbias);
		a += 4 * WEIR_LANES;
		s += 4 * STEP;
	}
	for (; n >= WEIR_LANES; n -= WEIR_LANES, a += WEIR_LANES, s += STEP) {
		v0 = weir_load_swapped(s);
		*weir_at(a, 0) += v0;
		guards0 |= v0 + vbias;
	}
	rest = halve(guards0 | guards1);
	if (n & WEIR_HALF) {
		h = weir_load_half_swapped(s);
		*weir_half_at(a) += h;
		rest |= h + WEIR_HALF_OF(vbias, 0);
		a += WEIR_HALF;
		s += STEP / 2;
		n -= WEIR_HALF;
	}
	guard = fold_half(rest);
	return n ? guard | WEIR_OPS(int32, sum, scalar).add(a, s, n, bias) : guard;
}

static unsigned int int32_sum_check(void *acc, const void *src, unsigned int n,
				    unsigned int bias)
{
	const char *s = src;
	weir_v v, sum, bad = {};
	weir_word *a = acc;

	for (; n >= WEIR_LANES; n -= WEIR_LANES, a += WEIR_LANES, s += STEP) {
		v = weir_load_swapped(s);
		sum = weir_take(a);
		bad |= (sum ^ v) & (sum ^ (sum - v));
	}
	return fold_half(halve(bad)) >> 31 | WEIR_OPS(int32, sum, scalar).check(a, s, n, bias);
}

static unsigned int int32_set(void *acc, const void *src, unsigned int n,
			      unsigned int bias)
{
	unsigned int done = weir_avx2_set(acc, src, n, SIZE, weir_load_swapped);

	return WEIR_OPS(int32, min, scalar).set((weir_word *)acc + done, src + done * SIZE,
					 n - done, bias);
}

static unsigned int int32_min_add(void *acc, const void *src, unsigned int n,
				  unsigned int bias)
{
	unsigned int done = weir_avx2_add(acc, src, n, SIZE, weir_load_swapped,
					  weir_load_pair_swapped, weir_vmin);

	return WEIR_OPS(int32, min, scalar).add((weir_word *)acc + done, src + done * SIZE,
					 n - done, bias);
}

static unsigned int int32_max_add(void *acc, const void *src, unsigned int n,
				  unsigned int bias)
{
	unsigned int done = weir_avx2_add(acc, src, n, SIZE, weir_load_swapped,
					  weir_load_pair_swapped, weir_vmax);

	return WEIR_OPS(int32, max, scalar).add((weir_word *)acc + done, src + done * SIZE,
					 n - done, bias);
}

static void int32_to_wire(void *wire, const void *acc, unsigned int n)
{
	unsigned int done = weir_avx2_to_wire(wire, acc, n, SIZE,
					      weir_store_swapped);

	if ((n - done) & WEIR_HALF) {
		weir_store_half_swapped(wire + done * SIZE,
					*weir_half_at((weir_word *)acc + done));
		done += WEIR_HALF;
	}
	if (n - done)
		WEIR_OPS(int32, sum, scalar).to_wire(wire + done * SIZE,
						     (const weir_word *)acc + done, n - done);
}

WEIR_INT_OPS(int32, avx2);

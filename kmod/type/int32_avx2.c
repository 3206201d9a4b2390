// SPDX-License-Identifier: GPL-2.0
/*
 * Two's complement of 32 bits, for AVX2.
 *
 * A sum that leaves int32 must not go unnoticed, but an exact test costs three
 * operations a vector and a quarter of the speed. So the loops only collect
 * whether any gradient is too large to rule an overflow out (two operations,
 * hidden behind the loads), and check() does the exact test for those blocks.
 */
#include "type/avx2.h"

#define SIZE	4
#define STEP	(WEIR_LANES * SIZE)	/* bytes of a vector */

/* The OR of all lanes. */
static inline unsigned int fold(weir_v x)
{
	const weir_vq q = (weir_vq)x;
	unsigned long long half = q[0] | q[1] | q[2] | q[3];

	return half | half >> 32;
}

static unsigned int int32_sum_set(void *acc, const void *src, unsigned int n,
				  unsigned int bias)
{
	const weir_v vbias = weir_splat(bias);
	const char *s = src;
	weir_v v0, v1, v2, v3, first, guard = {};
	weir_word *a = acc;

	for (; n >= 4 * WEIR_LANES; n -= 4 * WEIR_LANES) {
		v0 = weir_load_swapped(s);
		v1 = weir_load_swapped(s + STEP);
		v2 = weir_load_swapped(s + 2 * STEP);
		v3 = weir_load_swapped(s + 3 * STEP);
		*weir_at(a, 0) = v0;
		*weir_at(a, WEIR_LANES) = v1;
		*weir_at(a, 2 * WEIR_LANES) = v2;
		*weir_at(a, 3 * WEIR_LANES) = v3;
		guard |= (v0 + vbias) | (v1 + vbias) | (v2 + vbias) | (v3 + vbias);
		a += 4 * WEIR_LANES;
		s += 4 * STEP;
	}
	for (; n >= WEIR_LANES; n -= WEIR_LANES, a += WEIR_LANES, s += STEP) {
		v0 = weir_load_swapped(s);
		*weir_at(a, 0) = v0;
		guard |= v0 + vbias;
	}
	if (n) {
		first = weir_first_lanes(n);
		v0 = weir_swap(weir_load_rest(s, n));
		weir_put_first(a, first, v0);
		guard |= first & (v0 + vbias);
	}
	return fold(guard);
}

static unsigned int int32_sum_add(void *acc, const void *src, unsigned int n,
				  unsigned int bias)
{
	const weir_v vbias = weir_splat(bias);
	const char *s = src;
	weir_v v0, v1, v2, v3, first, guard0 = {}, guard1 = {};
	weir_word *a = acc;

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
		guard0 |= (v0 + vbias) | (v1 + vbias);
		guard1 |= (v2 + vbias) | (v3 + vbias);
		a += 4 * WEIR_LANES;
		s += 4 * STEP;
	}
	for (; n >= WEIR_LANES; n -= WEIR_LANES, a += WEIR_LANES, s += STEP) {
		v0 = weir_load_swapped(s);
		*weir_at(a, 0) += v0;
		guard0 |= v0 + vbias;
	}
	if (n) {
		first = weir_first_lanes(n);
		v0 = weir_swap(weir_load_rest(s, n));
		weir_put_first(a, first, weir_take_first(a, first) + v0);
		guard1 |= first & (v0 + vbias);
	}
	return fold(guard0 | guard1);
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
	return fold(bad) >> 31 | weir_int32_sum_scalar.check(a, s, n, bias);
}

static unsigned int int32_set(void *acc, const void *src, unsigned int n,
			      unsigned int bias)
{
	unsigned int done = weir_avx2_set(acc, src, n, SIZE, weir_load_swapped);

	return weir_int32_min_scalar.set((weir_word *)acc + done, src + done * SIZE,
					 n - done, bias);
}

static unsigned int int32_min_add(void *acc, const void *src, unsigned int n,
				  unsigned int bias)
{
	unsigned int done = weir_avx2_add(acc, src, n, SIZE, weir_load_swapped,
					  weir_load_pair_swapped, weir_vmin);

	return weir_int32_min_scalar.add((weir_word *)acc + done, src + done * SIZE,
					 n - done, bias);
}

static unsigned int int32_max_add(void *acc, const void *src, unsigned int n,
				  unsigned int bias)
{
	unsigned int done = weir_avx2_add(acc, src, n, SIZE, weir_load_swapped,
					  weir_load_pair_swapped, weir_vmax);

	return weir_int32_max_scalar.add((weir_word *)acc + done, src + done * SIZE,
					 n - done, bias);
}

static void int32_to_wire(void *wire, const void *acc, unsigned int n)
{
	unsigned int done = weir_avx2_to_wire(wire, acc, n, SIZE,
					      weir_store_swapped);

	weir_int32_sum_scalar.to_wire(wire + done * SIZE,
				      (const weir_word *)acc + done, n - done);
}

const struct weir_reduce_ops weir_int32_sum_avx2 = {
	.set	= int32_sum_set,
	.add	= int32_sum_add,
	.check	= int32_sum_check,
	.to_wire = int32_to_wire,
};

const struct weir_reduce_ops weir_int32_min_avx2 = {
	.set	= int32_set,
	.add	= int32_min_add,
	.to_wire = int32_to_wire,
};

const struct weir_reduce_ops weir_int32_max_avx2 = {
	.set	= int32_set,
	.add	= int32_max_add,
	.to_wire = int32_to_wire,
};

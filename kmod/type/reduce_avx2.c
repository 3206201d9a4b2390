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
#include "type/reduce_ops.h"

/* Unsigned: sums are modulo 2^32, and signed ones must not overflow in C. */
typedef unsigned int weir_v __attribute__((vector_size(32)));
typedef unsigned int weir_vu __attribute__((vector_size(32), aligned(4), may_alias));
typedef unsigned int weir_vp __attribute__((vector_size(32), aligned(1), may_alias));
typedef unsigned long long weir_vq __attribute__((vector_size(32)));
typedef char weir_vb __attribute__((vector_size(32)));

#define LANES	8
#define STEP	(4 * LANES)	/* bytes of a vector */

/* Swap the bytes of each lane; the shuffle works within halves of 16 bytes. */
static inline weir_v swap(weir_v x)
{
	const weir_vb mask = {
		3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12,
		3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12,
	};

	return (weir_v)__builtin_ia32_pshufb256((weir_vb)x, mask);
}

static inline weir_v load(const char *src)
{
	return swap(*(const weir_vp *)src);
}

static inline weir_vu *at(const int *acc)
{
	return (weir_vu *)acc;
}

/* The OR of all lanes. */
static inline unsigned int fold(weir_v x)
{
	const weir_vq q = (weir_vq)x;
	unsigned long long half = q[0] | q[1] | q[2] | q[3];

	return half | half >> 32;
}

static inline weir_v splat(unsigned int v)
{
	return (weir_v){ v, v, v, v, v, v, v, v };
}

/*
 * Loops count n down and move the pointers: an index would be scaled anew for
 * every load, which costs a third of the speed.
 */
static unsigned int avx2_set(int *acc, const void *packet, unsigned int n,
			     unsigned int bias)
{
	const weir_v vbias = splat(bias);
	const char *src = packet;
	weir_v v, guard = {};

	for (; n >= LANES; n -= LANES, acc += LANES, src += STEP) {
		v = load(src);
		guard |= v + vbias;
		*at(acc) = v;
	}
	return fold(guard) | weir_reduce_scalar.set(acc, src, n, bias);
}

static unsigned int avx2_add(int *acc, const void *packet, unsigned int n,
			     unsigned int bias)
{
	const weir_v vbias = splat(bias);
	const char *src = packet;
	weir_v v0, v1, v2, v3, guard0 = {}, guard1 = {};

	/* Four vectors a turn keep the loads and the two guards independent. */
	for (; n >= 4 * LANES; n -= 4 * LANES, acc += 4 * LANES, src += 4 * STEP) {
		v0 = load(src);
		v1 = load(src + STEP);
		v2 = load(src + 2 * STEP);
		v3 = load(src + 3 * STEP);
		*at(acc) += v0;
		*at(acc + LANES) += v1;
		*at(acc + 2 * LANES) += v2;
		*at(acc + 3 * LANES) += v3;
		guard0 |= (v0 + vbias) | (v1 + vbias);
		guard1 |= (v2 + vbias) | (v3 + vbias);
	}
	for (; n >= LANES; n -= LANES, acc += LANES, src += STEP) {
		v0 = load(src);
		*at(acc) += v0;
		guard0 |= v0 + vbias;
	}
	guard0 |= guard1;
	/* Whole vectors are the rule. */
	if (!n)
		return fold(guard0);
	return fold(guard0) | weir_reduce_scalar.add(acc, src, n, bias);
}

static unsigned int avx2_check(const int *acc, const void *packet,
			       unsigned int n)
{
	const char *src = packet;
	weir_v v, sum, bad = {};

	for (; n >= LANES; n -= LANES, acc += LANES, src += STEP) {
		v = load(src);
		sum = *at(acc);
		bad |= (sum ^ v) & (sum ^ (sum - v));
	}
	return fold(bad) >> 31 | weir_reduce_scalar.check(acc, src, n);
}

static void avx2_swap(int *acc, unsigned int n)
{
	for (; n >= LANES; n -= LANES, acc += LANES)
		*at(acc) = swap(*at(acc));
	weir_reduce_scalar.to_wire(acc, n);
}

const struct weir_reduce_ops weir_reduce_avx2 = {
	.name	= "avx2",
	.set	= avx2_set,
	.add	= avx2_add,
	.check	= avx2_check,
	.to_wire = avx2_swap,
};

/* SPDX-License-Identifier: GPL-2.0 */
/* Unsigned integers of 32 bits, in plain C. The file of a unit has the tables. */
#include "agg/type/scalar.h"

static unsigned int uint32_sum_set(void *acc, const void *src, unsigned int n,
				   unsigned int bias)
{
	unsigned int i, v, guard = 0;
	weir_word *a = acc;

	weir_for_each(i, n) {
		v = weir_load32(src, i);
		/* A number of the upper half is none below the limit. */
		guard |= (v + bias) | v;
		a[i] = v;
	}
	return guard;
}

static unsigned int uint32_sum_add(void *acc, const void *src, unsigned int n,
				   unsigned int bias)
{
	unsigned int i, v, guard = 0;
	weir_word *a = acc;

	weir_for_each(i, n) {
		v = weir_load32(src, i);
		guard |= (v + bias) | v;
		a[i] += v;
	}
	return guard;
}

static unsigned int uint32_sum_check(void *acc, const void *src, unsigned int n,
				     unsigned int bias)
{
	const weir_word *a = acc;
	unsigned int i, bad = 0;

	(void)bias;
	weir_for_each(i, n)
		bad |= a[i] < weir_load32(src, i);
	return bad;
}

WEIR_INNER unsigned int uint32_min_of(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

WEIR_INNER unsigned int uint32_max_of(unsigned int a, unsigned int b)
{
	return a > b ? a : b;
}

static unsigned int uint32_set(void *acc, const void *src, unsigned int n, unsigned int bias)
{
	(void)bias;
	weir_scalar_set(acc, src, n, weir_load32);
	return 0;
}

static unsigned int uint32_min_add(void *acc, const void *src, unsigned int n,
				   unsigned int bias)
{
	(void)bias;
	weir_scalar_add(acc, src, n, weir_load32, uint32_min_of);
	return 0;
}

static unsigned int uint32_max_add(void *acc, const void *src, unsigned int n,
				   unsigned int bias)
{
	(void)bias;
	weir_scalar_add(acc, src, n, weir_load32, uint32_max_of);
	return 0;
}

static void uint32_to_wire(void *wire, const void *acc, unsigned int n)
{
	weir_scalar_to_wire(wire, acc, n, weir_store32);
}

/* SPDX-License-Identifier: GPL-2.0 */
/* Two's complement of 32 bits, in plain C. The file of a unit has the tables. */
#include "agg/type/scalar.h"

static unsigned int int32_sum_set(void *acc, const void *src, unsigned int n,
				  unsigned int bias)
{
	unsigned int i, v, guard = 0;
	weir_word *a = acc;

	weir_for_each(i, n) {
		v = weir_load32(src, i);
		guard |= v + bias;
		a[i] = v;
	}
	return guard;
}

static unsigned int int32_sum_add(void *acc, const void *src, unsigned int n,
				  unsigned int bias)
{
	unsigned int i, v, guard = 0;
	weir_word *a = acc;

	weir_for_each(i, n) {
		v = weir_load32(src, i);
		guard |= v + bias;
		a[i] += v;
	}
	return guard;
}

static unsigned int int32_sum_check(void *acc, const void *src, unsigned int n,
				    unsigned int bias)
{
	unsigned int i, v, sum, bad = 0;
	const weir_word *a = acc;

	(void)bias;
	weir_for_each(i, n) {
		v = weir_load32(src, i);
		sum = a[i];
		/* Both addends have one sign and the sum has the other. */
		bad |= (sum ^ v) & (sum ^ (sum - v));
	}
	return bad >> 31;
}

static unsigned int int32_set(void *acc, const void *src, unsigned int n,
			      unsigned int bias)
{
	(void)bias;
	weir_scalar_set(acc, src, n, weir_load32);
	return 0;
}

static unsigned int int32_min_add(void *acc, const void *src, unsigned int n,
				  unsigned int bias)
{
	(void)bias;
	weir_scalar_add(acc, src, n, weir_load32, weir_min);
	return 0;
}

static unsigned int int32_max_add(void *acc, const void *src, unsigned int n,
				  unsigned int bias)
{
	(void)bias;
	weir_scalar_add(acc, src, n, weir_load32, weir_max);
	return 0;
}

static void int32_to_wire(void *wire, const void *acc, unsigned int n)
{
	weir_scalar_to_wire(wire, acc, n, weir_store32);
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two's complement of 64 bits, in plain C. The file of a unit has the tables.
 *
 * A number lies in [-b, b) with b = bias * 2^32 if its upper 32 bits lie in [-bias, bias). So a
 * guard has 32 bits as that of int32 has.
 */
#include "agg/type/scalar64.h"

static unsigned int int64_sum_set(void *acc, const void *src, unsigned int n,
				  unsigned int bias)
{
	unsigned long long v, guard = 0;
	weir_word64 *a = acc;
	unsigned int i;

	weir_for_each(i, n) {
		v = weir_load64(src, i);
		guard |= v + ((unsigned long long)bias << 32);
		a[i] = v;
	}
	return guard >> 32;
}

static unsigned int int64_sum_add(void *acc, const void *src, unsigned int n,
				  unsigned int bias)
{
	unsigned long long v, guard = 0;
	weir_word64 *a = acc;
	unsigned int i;

	weir_for_each(i, n) {
		v = weir_load64(src, i);
		guard |= v + ((unsigned long long)bias << 32);
		a[i] += v;
	}
	return guard >> 32;
}

static unsigned int int64_sum_check(void *acc, const void *src, unsigned int n,
				    unsigned int bias)
{
	unsigned long long v, sum, bad = 0;
	const weir_word64 *a = acc;
	unsigned int i;

	(void)bias;
	weir_for_each(i, n) {
		v = weir_load64(src, i);
		sum = a[i];
		/* Both addends have one sign and the sum has the other. */
		bad |= (sum ^ v) & (sum ^ (sum - v));
	}
	return bad >> 63;
}

static unsigned int int64_set(void *acc, const void *src, unsigned int n,
			      unsigned int bias)
{
	(void)bias;
	weir_scalar64_set(acc, src, n, weir_load64);
	return 0;
}

static unsigned int int64_min_add(void *acc, const void *src, unsigned int n,
				  unsigned int bias)
{
	(void)bias;
	weir_scalar64_add(acc, src, n, weir_load64, weir_min64);
	return 0;
}

static unsigned int int64_max_add(void *acc, const void *src, unsigned int n,
				  unsigned int bias)
{
	(void)bias;
	weir_scalar64_add(acc, src, n, weir_load64, weir_max64);
	return 0;
}

static void int64_to_wire(void *wire, const void *acc, unsigned int n)
{
	weir_scalar64_to_wire(wire, acc, n, weir_store64);
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * IEEE 754 binary64, in plain C: float_loops.h with words of 8 bytes. A unit has WEIR_ADD and
 * the tables.
 */
#include "agg/type/scalar64.h"

WEIR_INNER unsigned long long load_min_key(const void *src, unsigned int i)
{
	return weir_f64_to_key(weir_load64(src, i), WEIR_F64_SIGN);
}

WEIR_INNER unsigned long long load_max_key(const void *src, unsigned int i)
{
	return weir_f64_to_key(weir_load64(src, i), WEIR_F64_ABS);
}

WEIR_INNER void store_key(void *wire, unsigned int i, unsigned long long key)
{
	weir_store64(wire, i, weir_f64_from_key(key));
}

WEIR_INNER void store_canonical(void *wire, unsigned int i, unsigned long long sum)
{
	weir_store64(wire, i, weir_f64_canonical(sum));
}

static unsigned int sum_set(void *acc, const void *src, unsigned int n,
			    unsigned int bias)
{
	(void)bias;
	weir_scalar64_set(acc, src, n, weir_load64);
	return 0;
}

static unsigned int sum_add(void *acc, const void *src, unsigned int n,
			    unsigned int bias)
{
	(void)bias;
	weir_scalar64_add(acc, src, n, weir_load64, WEIR_ADD);
	return 0;
}

static void sum_to_wire(void *wire, const void *acc, unsigned int n)
{
	weir_scalar64_to_wire(wire, acc, n, store_canonical);
}

static unsigned int binned_set(void *acc, const void *src, unsigned int n,
			       unsigned int bias)
{
	struct weir_binned64 x;
	unsigned int i;

	(void)bias;
	for (i = 0; i < n; i++) {
		x = weir_binned64_split(weir_load64(src, i));
		weir_binned64_store(&x, (weir_word64 *)acc + i);
	}
	return 0;
}

static unsigned int binned_add(void *acc, const void *src, unsigned int n,
			       unsigned int bias)
{
	struct weir_binned64 b, x;
	unsigned int i;

	(void)bias;
	for (i = 0; i < n; i++) {
		x = weir_binned64_split(weir_load64(src, i));
		weir_binned64_load(&b, (weir_word64 *)acc + i);
		weir_binned64_add(&b, &x);
		weir_binned64_store(&b, (weir_word64 *)acc + i);
	}
	return 0;
}

static void binned_to_wire(void *wire, const void *acc, unsigned int n)
{
	struct weir_binned64 b;
	unsigned int i;

	for (i = 0; i < n; i++) {
		weir_binned64_load(&b, (const weir_word64 *)acc + i);
		weir_store64(wire, i, weir_binned64_round(&b));
	}
}

static unsigned int min_set(void *acc, const void *src, unsigned int n,
			    unsigned int bias)
{
	(void)bias;
	weir_scalar64_set(acc, src, n, load_min_key);
	return 0;
}

static unsigned int min_add(void *acc, const void *src, unsigned int n,
			    unsigned int bias)
{
	(void)bias;
	weir_scalar64_add(acc, src, n, load_min_key, weir_min64);
	return 0;
}

static unsigned int max_set(void *acc, const void *src, unsigned int n,
			    unsigned int bias)
{
	(void)bias;
	weir_scalar64_set(acc, src, n, load_max_key);
	return 0;
}

static unsigned int max_add(void *acc, const void *src, unsigned int n,
			    unsigned int bias)
{
	(void)bias;
	weir_scalar64_add(acc, src, n, load_max_key, weir_max64);
	return 0;
}

static void key_to_wire(void *wire, const void *acc, unsigned int n)
{
	weir_scalar64_to_wire(wire, acc, n, store_key);
}

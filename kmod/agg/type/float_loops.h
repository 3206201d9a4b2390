/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Loops that all types of floats share, in plain C. The file of a type defines how it is
 * loaded and stored, as WEIR_LOAD and WEIR_STORE, WEIR_TO_ODD where it has fewer
 * bits than a binary32, and how two binary32 are added, as WEIR_ADD. Sums are binary32 while
 * a block is open, minima and maxima keys.
 */
#include "agg/type/scalar.h"

WEIR_INNER unsigned int load_min_key(const void *src, unsigned int i)
{
	return weir_f32_to_key(WEIR_LOAD(src, i), 0x80000000);
}

WEIR_INNER unsigned int load_max_key(const void *src, unsigned int i)
{
	return weir_f32_to_key(WEIR_LOAD(src, i), 0x7fffffff);
}

WEIR_INNER void store_key(void *wire, unsigned int i, unsigned int key)
{
	WEIR_STORE(wire, i, weir_f32_from_key(key));
}

static unsigned int sum_set(void *acc, const void *src, unsigned int n,
			    unsigned int bias)
{
	(void)bias;
	weir_scalar_set(acc, src, n, WEIR_LOAD);
	return 0;
}

static unsigned int sum_add(void *acc, const void *src, unsigned int n,
			    unsigned int bias)
{
	(void)bias;
	weir_scalar_add(acc, src, n, WEIR_LOAD, WEIR_ADD);
	return 0;
}

static void sum_to_wire(void *wire, const void *acc, unsigned int n)
{
	weir_scalar_to_wire(wire, acc, n, WEIR_STORE);
}

static unsigned int binned_set(void *acc, const void *src, unsigned int n,
			       unsigned int bias)
{
	(void)bias;
	weir_scalar_binned_set(acc, src, n, WEIR_LOAD);
	return 0;
}

static unsigned int binned_add(void *acc, const void *src, unsigned int n,
			       unsigned int bias)
{
	(void)bias;
	weir_scalar_binned_add(acc, src, n, WEIR_LOAD);
	return 0;
}

static void binned_to_wire(void *wire, const void *acc, unsigned int n)
{
	weir_scalar_binned_to_wire(wire, acc, n, WEIR_STORE, WEIR_TO_ODD);
}

static unsigned int min_set(void *acc, const void *src, unsigned int n,
			    unsigned int bias)
{
	(void)bias;
	weir_scalar_set(acc, src, n, load_min_key);
	return 0;
}

static unsigned int min_add(void *acc, const void *src, unsigned int n,
			    unsigned int bias)
{
	(void)bias;
	weir_scalar_add(acc, src, n, load_min_key, weir_min);
	return 0;
}

static unsigned int max_set(void *acc, const void *src, unsigned int n,
			    unsigned int bias)
{
	(void)bias;
	weir_scalar_set(acc, src, n, load_max_key);
	return 0;
}

static unsigned int max_add(void *acc, const void *src, unsigned int n,
			    unsigned int bias)
{
	(void)bias;
	weir_scalar_add(acc, src, n, load_max_key, weir_max);
	return 0;
}

static void key_to_wire(void *wire, const void *acc, unsigned int n)
{
	weir_scalar_to_wire(wire, acc, n, store_key);
}

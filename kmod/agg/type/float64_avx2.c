// SPDX-License-Identifier: GPL-2.0
/*
 * IEEE 754 binary64, for AVX2: float_avx2.h with four lanes. Bins are added with vectors and
 * rounded in plain C, once a block.
 */
#include "agg/type/avx2_64.h"

WEIR_INNER weir_vq is_nan(weir_vq x)
{
	return (weir_vq)((weir_vl)(x & WEIR_F64_ABS) > (weir_vl)weir_splat64(WEIR_F64_INF));
}

WEIR_INNER weir_vq turn(weir_vq x)
{
	return x ^ (weir_negative64(x) >> 1);
}

WEIR_INNER weir_vq to_key(weir_vq x, unsigned long long nan)
{
	return weir_blend64(turn(x), weir_splat64(nan), is_nan(x));
}

WEIR_INNER weir_vq load_min_key(const void *src)
{
	return to_key(weir_load64_swapped(src), WEIR_F64_SIGN);
}

WEIR_INNER weir_vq load_max_key(const void *src)
{
	return to_key(weir_load64_swapped(src), WEIR_F64_ABS);
}

WEIR_INNER void store_canonical(void *wire, weir_vq x)
{
	weir_store64_swapped(wire, weir_blend64(x, weir_splat64(WEIR_F64_NAN), is_nan(x)));
}

WEIR_INNER void store_key(void *wire, weir_vq key)
{
	store_canonical(wire, turn(key));
}

WEIR_INNER weir_vq add_float(weir_vq acc, weir_vq x)
{
	return (weir_vq)((weir_vd)acc + (weir_vd)x);
}

/*
 * One to three numbers behind whole vectors: in plain C an addition takes some hundred
 * instructions.
 */
WEIR_INNER void add_rest(void *acc, const void *src, unsigned int n, unsigned int done)
{
	weir_word64 *a = (weir_word64 *)acc + done;
	weir_vq x = {}, sum = {};

	if (done == n)
		return;
	n = (n - done) * WEIR_SIZE64;
	__builtin_memcpy(&x, (const char *)src + done * WEIR_SIZE64, n);
	__builtin_memcpy(&sum, a, n);
	sum = add_float(sum, weir_swap64(x));
	__builtin_memcpy(a, &sum, n);
}

static unsigned int sum_set(void *acc, const void *src, unsigned int n,
			    unsigned int bias)
{
	(void)bias;
	weir_rest64(WEIR_OPS(float64, sum, scalar).set, acc, src, n,
		    weir_avx2_set64(acc, src, n, weir_load64_swapped));
	return 0;
}

static unsigned int sum_add(void *acc, const void *src, unsigned int n,
			    unsigned int bias)
{
	(void)bias;
	add_rest(acc, src, n, weir_avx2_add64(acc, src, n, weir_load64_swapped, add_float));
	return 0;
}

static void sum_to_wire(void *wire, const void *acc, unsigned int n)
{
	weir_rest64_to_wire(WEIR_OPS(float64, sum, scalar).to_wire, wire, acc, n,
			    weir_avx2_to_wire64(wire, acc, n, store_canonical));
}

/* A contribution: of its three bins the lowest has no bits. */
struct split {
	weir_vq high;
	weir_vq low;
	weir_vq level;
};

WEIR_INNER int has_special(weir_vq x)
{
	return weir_any64((weir_vq)((x & WEIR_F64_INF) == WEIR_F64_INF));
}

/* Finite numbers. */
WEIR_INNER struct split split(weir_vq x)
{
	weir_vq size = x & WEIR_F64_ABS, negative = weir_negative64(x);
	weir_vq exponent = size >> 52, normal = (weir_vq)(exponent != 0);
	weir_vq m = (size & WEIR_F64_MANTISSA) | (normal & WEIR_F64_HIDDEN);
	weir_vq bin, at;

	/* Products of the lower 32 bits. */
	exponent += normal;
	bin = (weir_vq)__builtin_ia32_pmuludq256((weir_vi)exponent,
						 (weir_vi)weir_splat64(WEIR_BIN64_RECIPROCAL));
	bin >>= WEIR_BIN64_SHIFT;
	at = (weir_vq)__builtin_ia32_pmuludq256((weir_vi)bin,
						(weir_vi)weir_splat64(WEIR_BIN64_BITS));
	at = exponent - at;
	return (struct split) {
		.high = ((m >> (WEIR_BIN64_BITS - at)) ^ negative) - negative,
		.low = (((m << at) & WEIR_BIN64_MASK) ^ negative) - negative,
		.level = weir_blend64(bin + WEIR_LEVEL_FIRST, negative + WEIR_LEVEL_ZERO,
				      (weir_vq)(size == 0)),
	};
}

WEIR_INNER void put_split(weir_word64 *a, struct split x)
{
	*weir_at64(a, 0) = x.high;
	*weir_at64(a, WEIR_BINNED64_WORDS) = x.low;
	*weir_at64(a, 2 * WEIR_BINNED64_WORDS) = (weir_vq){};
	*weir_at64(a, 3 * WEIR_BINNED64_WORDS) = x.level;
}

/* If the contributions' highest bins are not those of the sums. */
WEIR_INNER void add_across(weir_word64 *a, struct split x)
{
	weir_vq b0 = weir_take64(a), b1 = weir_take64(a + WEIR_BINNED64_WORDS);
	weir_vq b2 = weir_take64(a + 2 * WEIR_BINNED64_WORDS);
	weir_vq level = weir_take64(a + 3 * WEIR_BINNED64_WORDS);
	weir_vq max = weir_vmax64(level, x.level), up = max - level, below = max - x.level;
	weir_vq by0 = (weir_vq)(up == 0), by1 = (weir_vq)(up == 1), by2 = (weir_vq)(up == 2);

	b2 = (b2 & by0) | (b1 & by1) | (b0 & by2);
	b1 = (b1 & by0) | (b0 & by1);
	b0 &= by0;
	by0 = (weir_vq)(below == 0);
	by1 = (weir_vq)(below == 1);
	by2 = (weir_vq)(below == 2);
	*weir_at64(a, 0) = b0 + (x.high & by0);
	*weir_at64(a, WEIR_BINNED64_WORDS) = b1 + ((x.low & by0) | (x.high & by1));
	*weir_at64(a, 2 * WEIR_BINNED64_WORDS) = b2 + ((x.low & by1) | (x.high & by2));
	*weir_at64(a, 3 * WEIR_BINNED64_WORDS) = max;
}

WEIR_INNER void add_split(weir_word64 *a, struct split x)
{
	if (weir_any64(weir_take64(a + 3 * WEIR_BINNED64_WORDS) ^ x.level)) {
		add_across(a, x);
		return;
	}
	*weir_at64(a, 0) += x.high;
	*weir_at64(a, WEIR_BINNED64_WORDS) += x.low;
}

/* Vectors of finite numbers go to @put, others and the rest to @loop, in plain C. */
WEIR_INNER void binned_each(void *acc, const void *src, unsigned int n,
			    void (*put)(weir_word64 *a, struct split x),
			    unsigned int (*loop)(void *acc, const void *src, unsigned int n,
						 unsigned int bias))
{
	const char *s = src;
	weir_word64 *a = acc;

	for (; n >= WEIR_LANES64; n -= WEIR_LANES64) {
		weir_vq x = weir_load64_swapped(s);

		if (!has_special(x))
			put(a, split(x));
		else
			loop(a, s, WEIR_LANES64, 0);
		a += WEIR_LANES64;
		s += WEIR_STEP64;
	}
	weir_rest64(loop, a, s, n, 0);
}

static unsigned int binned_set(void *acc, const void *src, unsigned int n,
			       unsigned int bias)
{
	(void)bias;
	binned_each(acc, src, n, put_split, WEIR_OPS(float64, binned, scalar).set);
	return 0;
}

static unsigned int binned_add(void *acc, const void *src, unsigned int n,
			       unsigned int bias)
{
	(void)bias;
	binned_each(acc, src, n, add_split, WEIR_OPS(float64, binned, scalar).add);
	return 0;
}

static void binned_to_wire(void *wire, const void *acc, unsigned int n)
{
	WEIR_OPS(float64, binned, scalar).to_wire(wire, acc, n);
}

static unsigned int min_set(void *acc, const void *src, unsigned int n,
			    unsigned int bias)
{
	(void)bias;
	weir_rest64(WEIR_OPS(float64, min, scalar).set, acc, src, n,
		    weir_avx2_set64(acc, src, n, load_min_key));
	return 0;
}

static unsigned int min_add(void *acc, const void *src, unsigned int n,
			    unsigned int bias)
{
	(void)bias;
	weir_rest64(WEIR_OPS(float64, min, scalar).add, acc, src, n,
		    weir_avx2_add64(acc, src, n, load_min_key, weir_vmin64));
	return 0;
}

static unsigned int max_set(void *acc, const void *src, unsigned int n,
			    unsigned int bias)
{
	(void)bias;
	weir_rest64(WEIR_OPS(float64, max, scalar).set, acc, src, n,
		    weir_avx2_set64(acc, src, n, load_max_key));
	return 0;
}

static unsigned int max_add(void *acc, const void *src, unsigned int n,
			    unsigned int bias)
{
	(void)bias;
	weir_rest64(WEIR_OPS(float64, max, scalar).add, acc, src, n,
		    weir_avx2_add64(acc, src, n, load_max_key, weir_vmax64));
	return 0;
}

static void key_to_wire(void *wire, const void *acc, unsigned int n)
{
	weir_rest64_to_wire(WEIR_OPS(float64, min, scalar).to_wire, wire, acc, n,
			    weir_avx2_to_wire64(wire, acc, n, store_key));
}

WEIR_FLOAT_OPS(float64, avx2);

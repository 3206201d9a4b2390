/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The inner loops over numbers of 64 bits in plain C: scalar.h with words of 8 bytes. No kernel
 * headers, see reduce_ops.h.
 */
#ifndef _WEIR_SCALAR64_H
#define _WEIR_SCALAR64_H

#include "agg/type/binned64.h"
#include "agg/type/scalar.h"
#include "agg/type/soft64.h"

struct weir_unaligned64 {
	unsigned long long v;
} __attribute__((packed, may_alias));

typedef unsigned long long weir_word64 __attribute__((may_alias));

#ifdef WEIR_LITTLE
#define WEIR_SWAP64(v)	(v)
#else
#define WEIR_SWAP64(v)	__builtin_bswap64(v)
#endif

/* Gradients as they stand in a packet. */
WEIR_INNER unsigned long long weir_load64(const void *src, unsigned int i)
{
	return WEIR_SWAP64(((const struct weir_unaligned64 *)src)[i].v);
}

WEIR_INNER void weir_store64(void *wire, unsigned int i, unsigned long long v)
{
	((struct weir_unaligned64 *)wire)[i].v = WEIR_SWAP64(v);
}

typedef unsigned long long (*weir_load64_fn)(const void *src, unsigned int i);
typedef unsigned long long (*weir_combine64_fn)(unsigned long long acc, unsigned long long x);
typedef void (*weir_store64_fn)(void *wire, unsigned int i, unsigned long long v);

WEIR_INNER void weir_scalar64_set(void *acc, const void *src, unsigned int n,
				  weir_load64_fn load)
{
	weir_word64 *a = acc;
	unsigned int i;

	weir_for_each(i, n)
		a[i] = load(src, i);
}

WEIR_INNER void weir_scalar64_add(void *acc, const void *src, unsigned int n,
				  weir_load64_fn load, weir_combine64_fn combine)
{
	weir_word64 *a = acc;
	unsigned int i;

	weir_for_each(i, n)
		a[i] = combine(a[i], load(src, i));
}

/* Forward, as @wire may be the memory of @acc. */
WEIR_INNER void weir_scalar64_to_wire(void *wire, const void *acc, unsigned int n,
				      weir_store64_fn store)
{
	const weir_word64 *a = acc;
	unsigned int i;

	weir_for_each(i, n)
		store(wire, i, a[i]);
}

WEIR_INNER unsigned long long weir_min64(unsigned long long a, unsigned long long b)
{
	return (long long)a < (long long)b ? a : b;
}

WEIR_INNER unsigned long long weir_max64(unsigned long long a, unsigned long long b)
{
	return (long long)a > (long long)b ? a : b;
}

/**
 * struct weir_binned64 - the bins of a gradient, or of a contribution
 * @bin: the highest one, and those below it
 * @level: see binned64.h
 */
struct weir_binned64 {
	long long bin[3];
	long long level;
};

WEIR_INNER struct weir_binned64 weir_binned64_special(unsigned long long x)
{
	struct weir_binned64 b = { .level = WEIR_LEVEL64_SPECIAL };

	if (weir_f64_is_nan(x))
		b.bin[0] = WEIR_SPECIAL_NAN;
	else
		b.bin[0] = x & WEIR_F64_SIGN ? WEIR_SPECIAL_MINUS : WEIR_SPECIAL_PLUS;
	return b;
}

/* The bits of a binary64 by bins; of three only two have any. */
WEIR_INNER struct weir_binned64 weir_binned64_split(unsigned long long x)
{
	unsigned int exponent = x >> 52 & 0x7ff, bin, at;
	unsigned long long m = x & WEIR_F64_MANTISSA;
	long long negative = (long long)x >> 63;

	if (exponent == 0x7ff)
		return weir_binned64_special(x);
	if (!(x & WEIR_F64_ABS))
		return (struct weir_binned64) { .level = WEIR_LEVEL_ZERO + negative };
	/* The position of its last bit. */
	m |= exponent ? WEIR_F64_HIDDEN : 0;
	exponent -= exponent != 0;
	bin = exponent * WEIR_BIN64_RECIPROCAL >> WEIR_BIN64_SHIFT;
	at = exponent - bin * WEIR_BIN64_BITS;
	return (struct weir_binned64) {
		.bin = {
			((long long)(m >> (WEIR_BIN64_BITS - at)) ^ negative) - negative,
			((long long)(m << at & WEIR_BIN64_MASK) ^ negative) - negative,
		},
		.level = bin + WEIR_LEVEL_FIRST,
	};
}

WEIR_INNER void weir_binned64_load(struct weir_binned64 *b, const weir_word64 *acc)
{
	b->bin[0] = acc[0];
	b->bin[1] = acc[WEIR_BINNED64_WORDS];
	b->bin[2] = acc[2 * WEIR_BINNED64_WORDS];
	b->level = acc[3 * WEIR_BINNED64_WORDS];
}

WEIR_INNER void weir_binned64_store(const struct weir_binned64 *b, weir_word64 *acc)
{
	acc[0] = b->bin[0];
	acc[WEIR_BINNED64_WORDS] = b->bin[1];
	acc[2 * WEIR_BINNED64_WORDS] = b->bin[2];
	acc[3 * WEIR_BINNED64_WORDS] = b->level;
}

/* To a higher level: the highest bin becomes a lower one, or is dropped. */
WEIR_INNER void weir_binned64_raise(struct weir_binned64 *b, long long level)
{
	for (; b->level < level && (b->bin[0] | b->bin[1] | b->bin[2]); b->level++) {
		b->bin[2] = b->bin[1];
		b->bin[1] = b->bin[0];
		b->bin[0] = 0;
	}
	b->level = level;
}

WEIR_INNER void weir_binned64_add(struct weir_binned64 *b, const struct weir_binned64 *x)
{
	unsigned int below, i;

	if (x->level > b->level)
		weir_binned64_raise(b, x->level);
	below = b->level - x->level;
	for (i = 0; i + below < 3; i++)
		b->bin[i + below] += x->bin[i];
}

/**
 * struct weir_exact64 - a number before it is rounded: x * 2^(at - 1074)
 * @negative: its sign
 * @x: the upper bits of its value, all 64 of them if there are lower ones
 * @at: position of the last bit of @x
 * @rest: lower bits; only whether there are any matters
 */
struct weir_exact64 {
	int negative;
	unsigned long long x;
	int at;
	unsigned long long rest;
};

/* The bits of a bin that follows the ones in @e. */
WEIR_INNER void weir_exact64_append(struct weir_exact64 *e, unsigned long long bin)
{
	int up = e->x ? __builtin_clzll(e->x) : WEIR_BIN64_BITS;

	if (up > WEIR_BIN64_BITS)
		up = WEIR_BIN64_BITS;
	e->x = e->x << up | bin >> (WEIR_BIN64_BITS - up);
	e->at -= up;
	e->rest |= bin << up & WEIR_BIN64_MASK;
}

WEIR_INNER struct weir_exact64 weir_binned64_sum(const struct weir_binned64 *b)
{
	long long middle = b->bin[1] + (b->bin[2] >> WEIR_BIN64_BITS);
	long long high = b->bin[0] + (middle >> WEIR_BIN64_BITS);
	unsigned long long mid = middle & WEIR_BIN64_MASK, low = b->bin[2] & WEIR_BIN64_MASK;
	struct weir_exact64 sum = { .negative = high < 0 };

	if (sum.negative) {
		high = -high - ((mid | low) != 0);
		mid = -(mid + (low != 0)) & WEIR_BIN64_MASK;
		low = -low & WEIR_BIN64_MASK;
	}
	/* The bin of level 2 below the lowest has no bits. */
	sum.at = (b->level - WEIR_LEVEL_FIRST + 1) * WEIR_BIN64_BITS;
	sum.x = high;
	weir_exact64_append(&sum, mid);
	weir_exact64_append(&sum, low);
	return sum;
}

/* Rounded to a binary64: to the nearest, halves to even. */
WEIR_INNER unsigned long long weir_exact64_round(const struct weir_exact64 *e)
{
	unsigned long long sign = e->negative ? WEIR_F64_SIGN : 0;
	unsigned long long x = e->x | (e->rest != 0), m, rest, half;
	int top, last, down;

	if (!x)
		return 0;
	top = 63 - __builtin_clzll(x) + e->at;
	last = top > 52 ? top - 52 : 0;
	down = last - e->at;
	if (down <= 0) {
		m = x << -down;
	} else {
		m = x >> down;
		rest = x & ((1ULL << down) - 1);
		half = 1ULL << (down - 1);
		m += rest > half || (rest == half && (m & 1));
	}
	m += (unsigned long long)last << 52;
	return sign | (m < WEIR_F64_INF ? m : WEIR_F64_INF);
}

/* The value of a gradient's bins, as a binary64. */
WEIR_INNER unsigned long long weir_binned64_round(const struct weir_binned64 *b)
{
	struct weir_exact64 sum;
	int plus, minus;

	if (b->level <= WEIR_LEVEL_ZERO)
		return b->level < WEIR_LEVEL_ZERO ? WEIR_F64_SIGN : 0;
	if (b->level < WEIR_LEVEL64_SPECIAL) {
		sum = weir_binned64_sum(b);
		return weir_exact64_round(&sum);
	}
	plus = b->bin[0] & WEIR_SPECIAL_COUNT;
	minus = b->bin[0] / WEIR_SPECIAL_MINUS & WEIR_SPECIAL_COUNT;
	if (b->bin[0] >= WEIR_SPECIAL_NAN || (plus && minus))
		return WEIR_F64_NAN;
	return plus ? WEIR_F64_INF : WEIR_F64_SIGN | WEIR_F64_INF;
}

#endif /* _WEIR_SCALAR64_H */

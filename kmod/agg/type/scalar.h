/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The inner loops in plain C. They run where the vector unit is absent or in use, and over
 * the rest behind whole vectors, and give the same bits. For NEON the compiler makes vectors
 * of them (neon.h). No kernel headers, see reduce_ops.h.
 *
 * A type defines how a gradient is loaded into the 32 bits that are combined, and how these
 * are stored.
 */
#ifndef _WEIR_SCALAR_H
#define _WEIR_SCALAR_H

#include "agg/type/binned.h"
#include "agg/type/reduce_ops.h"
#include "agg/type/soft.h"

#define WEIR_INNER	static inline __attribute__((always_inline))

struct weir_unaligned32 {
	unsigned int v;
} __attribute__((packed, may_alias));

struct weir_unaligned16 {
	unsigned short v;
} __attribute__((packed, may_alias));

typedef unsigned int weir_word __attribute__((may_alias));

/* Between the order of packets and the processor's, which is little-endian. */
#ifdef WEIR_LITTLE
#define WEIR_SWAP32(v)	(v)
#define WEIR_SWAP16(v)	(v)
#else
#define WEIR_SWAP32(v)	__builtin_bswap32(v)
#define WEIR_SWAP16(v)	__builtin_bswap16(v)
#endif

/* Gradients as they stand in a packet. */
WEIR_INNER unsigned int weir_load32(const void *src, unsigned int i)
{
	return WEIR_SWAP32(((const struct weir_unaligned32 *)src)[i].v);
}

WEIR_INNER unsigned int weir_load16(const void *src, unsigned int i)
{
	return WEIR_SWAP16(((const struct weir_unaligned16 *)src)[i].v);
}

WEIR_INNER void weir_store32(void *wire, unsigned int i, unsigned int v)
{
	((struct weir_unaligned32 *)wire)[i].v = WEIR_SWAP32(v);
}

WEIR_INNER void weir_store16(void *wire, unsigned int i, unsigned int v)
{
	((struct weir_unaligned16 *)wire)[i].v = WEIR_SWAP16((unsigned short)v);
}

/*
 * No turn of the loop that follows reads what one before it has written: vectors may be loaded and
 * stored whole, where src or wire may be the memory of acc, as far as the compiler sees.
 */
#ifdef __clang__
#define WEIR_APART	_Pragma("clang loop vectorize(assume_safety)")
#else
#define WEIR_APART	_Pragma("GCC ivdep")
#endif
#define weir_for_each(i, n)	WEIR_APART for (i = 0; i < (n); i++)

typedef unsigned int (*weir_load_fn)(const void *src, unsigned int i);
typedef unsigned int (*weir_combine_fn)(unsigned int acc, unsigned int x);
typedef void (*weir_store_fn)(void *wire, unsigned int i, unsigned int v);

WEIR_INNER void weir_scalar_set(void *acc, const void *src, unsigned int n,
				weir_load_fn load)
{
	weir_word *a = acc;
	unsigned int i;

	weir_for_each(i, n)
		a[i] = load(src, i);
}

WEIR_INNER void weir_scalar_add(void *acc, const void *src, unsigned int n,
				weir_load_fn load, weir_combine_fn combine)
{
	weir_word *a = acc;
	unsigned int i;

	weir_for_each(i, n)
		a[i] = combine(a[i], load(src, i));
}

/* Forward, as @wire may be the memory of @acc. */
WEIR_INNER void weir_scalar_to_wire(void *wire, const void *acc, unsigned int n,
				    weir_store_fn store)
{
	const weir_word *a = acc;
	unsigned int i;

	weir_for_each(i, n)
		store(wire, i, a[i]);
}

WEIR_INNER unsigned int weir_min(unsigned int a, unsigned int b)
{
	return (int)a < (int)b ? a : b;
}

WEIR_INNER unsigned int weir_max(unsigned int a, unsigned int b)
{
	return (int)a > (int)b ? a : b;
}

/**
 * struct weir_binned - the bins of a gradient, or of a contribution
 * @bin: the highest one, and those below it
 * @level: see binned.h
 */
struct weir_binned {
	int bin[3];
	int level;
};

WEIR_INNER struct weir_binned weir_binned_special(unsigned int x)
{
	struct weir_binned b = { .level = WEIR_LEVEL_SPECIAL };

	if (weir_f32_is_nan(x))
		b.bin[0] = WEIR_SPECIAL_NAN;
	else
		b.bin[0] = x & WEIR_F32_SIGN ? WEIR_SPECIAL_MINUS : WEIR_SPECIAL_PLUS;
	return b;
}

/* The bits of a binary32 by bins; of three only two have any. */
WEIR_INNER struct weir_binned weir_binned_split(unsigned int x)
{
	unsigned int exponent = x >> 23 & 0xff, m = x & WEIR_F32_MANTISSA;
	int negative = (int)x >> 31;
	unsigned int bin, at;

	if (exponent == 0xff)
		return weir_binned_special(x);
	if (!(x & WEIR_F32_ABS))
		return (struct weir_binned) { .level = WEIR_LEVEL_ZERO + negative };
	/* The position of its last bit. */
	m |= exponent ? WEIR_F32_HIDDEN : 0;
	exponent -= exponent != 0;
	bin = exponent * WEIR_BIN_RECIPROCAL >> 16;
	at = exponent - bin * WEIR_BIN_BITS;
	return (struct weir_binned) {
		.bin = {
			((int)(m >> (WEIR_BIN_BITS - at)) ^ negative) - negative,
			((int)(m << at & WEIR_BIN_MASK) ^ negative) - negative,
		},
		.level = bin + WEIR_LEVEL_FIRST,
	};
}

WEIR_INNER void weir_binned_load(struct weir_binned *b, const weir_word *acc)
{
	b->bin[0] = acc[0];
	b->bin[1] = acc[WEIR_BINNED_WORDS];
	b->bin[2] = acc[2 * WEIR_BINNED_WORDS];
	b->level = acc[3 * WEIR_BINNED_WORDS];
}

WEIR_INNER void weir_binned_store(const struct weir_binned *b, weir_word *acc)
{
	acc[0] = b->bin[0];
	acc[WEIR_BINNED_WORDS] = b->bin[1];
	acc[2 * WEIR_BINNED_WORDS] = b->bin[2];
	acc[3 * WEIR_BINNED_WORDS] = b->level;
}

/* To a higher level: the highest bin becomes a lower one, or is dropped. */
WEIR_INNER void weir_binned_raise(struct weir_binned *b, int level)
{
	for (; b->level < level && (b->bin[0] | b->bin[1] | b->bin[2]); b->level++) {
		b->bin[2] = b->bin[1];
		b->bin[1] = b->bin[0];
		b->bin[0] = 0;
	}
	b->level = level;
}

WEIR_INNER void weir_binned_add(struct weir_binned *b, const struct weir_binned *x)
{
	unsigned int below, i;

	if (x->level > b->level)
		weir_binned_raise(b, x->level);
	below = b->level - x->level;
	for (i = 0; i + below < 3; i++)
		b->bin[i + below] += x->bin[i];
}

/**
 * struct weir_exact - a number before it is rounded: x * 2^(at - 149)
 * @negative: its sign
 * @x: below 2^55; its last bit stands for all below it
 * @at: position of its last bit
 */
struct weir_exact {
	int negative;
	unsigned long long x;
	int at;
};

WEIR_INNER struct weir_exact weir_binned_sum(const struct weir_binned *b)
{
	int middle = b->bin[1] + (b->bin[2] >> WEIR_BIN_BITS);
	unsigned int low = b->bin[2] & WEIR_BIN_MASK;
	long long upper = (long long)b->bin[0] * (1 << WEIR_BIN_BITS) + middle;
	struct weir_exact sum = { .negative = upper < 0 };

	if (sum.negative) {
		upper = -upper - (low != 0);
		low = -low & WEIR_BIN_MASK;
	}
	/* The bin of level 2 below the lowest has no bits. */
	sum.at = (b->level - WEIR_LEVEL_FIRST - 1) * WEIR_BIN_BITS;
	if (upper >> WEIR_BINNED_ENOUGH) {
		sum.x = (unsigned long long)upper << 1 | (low != 0);
		sum.at += WEIR_BIN_BITS - 1;
	} else {
		sum.x = (unsigned long long)upper << WEIR_BIN_BITS | low;
	}
	return sum;
}

/*
 * Rounded to a binary32: to the nearest, halves to even; or to the one with an odd last bit
 * where it lies between two, which may be rounded once more, to a type of fewer bits, as if
 * it had not been rounded before.
 */
WEIR_INNER unsigned int weir_exact_round(const struct weir_exact *e, int to_odd)
{
	unsigned int sign = e->negative ? WEIR_F32_SIGN : 0, m;
	unsigned long long rest, half;
	int top, last, down;

	if (!e->x)
		return 0;
	top = 63 - __builtin_clzll(e->x) + e->at;
	last = top > 23 ? top - 23 : 0;
	down = last - e->at;
	if (down <= 0) {
		m = e->x << -down;
		rest = 0;
		half = 0;
	} else {
		m = e->x >> down;
		rest = e->x & ((1ULL << down) - 1);
		half = 1ULL << (down - 1);
	}
	if (to_odd)
		m |= rest != 0;
	else
		m += rest > half || (rest && rest == half && (m & 1));
	m += (unsigned int)last << 23;
	if (m < WEIR_F32_INF)
		return sign | m;
	/* The largest finite number is odd. */
	return sign | (to_odd ? WEIR_F32_INF - 1 : WEIR_F32_INF);
}

/* The value of a gradient's bins, as a binary32. */
WEIR_INNER unsigned int weir_binned_round(const struct weir_binned *b, int to_odd)
{
	struct weir_exact sum;
	int plus, minus;

	if (b->level <= WEIR_LEVEL_ZERO)
		return b->level < WEIR_LEVEL_ZERO ? WEIR_F32_SIGN : 0;
	if (b->level < WEIR_LEVEL_SPECIAL) {
		sum = weir_binned_sum(b);
		return weir_exact_round(&sum, to_odd);
	}
	plus = b->bin[0] & WEIR_SPECIAL_COUNT;
	minus = b->bin[0] / WEIR_SPECIAL_MINUS & WEIR_SPECIAL_COUNT;
	if (b->bin[0] >= WEIR_SPECIAL_NAN || (plus && minus))
		return WEIR_F32_NAN;
	return plus ? WEIR_F32_INF : WEIR_F32_SIGN | WEIR_F32_INF;
}

WEIR_INNER void weir_scalar_binned_set(void *acc, const void *src, unsigned int n,
				       weir_load_fn load)
{
	struct weir_binned x;
	unsigned int i;

	for (i = 0; i < n; i++) {
		x = weir_binned_split(load(src, i));
		weir_binned_store(&x, (weir_word *)acc + i);
	}
}

WEIR_INNER void weir_scalar_binned_add(void *acc, const void *src, unsigned int n,
				       weir_load_fn load)
{
	struct weir_binned b, x;
	unsigned int i;

	for (i = 0; i < n; i++) {
		x = weir_binned_split(load(src, i));
		weir_binned_load(&b, (weir_word *)acc + i);
		weir_binned_add(&b, &x);
		weir_binned_store(&b, (weir_word *)acc + i);
	}
}

WEIR_INNER void weir_scalar_binned_to_wire(void *wire, const void *acc, unsigned int n,
					   weir_store_fn store, int to_odd)
{
	struct weir_binned b;
	unsigned int i;

	for (i = 0; i < n; i++) {
		weir_binned_load(&b, (const weir_word *)acc + i);
		store(wire, i, weir_binned_round(&b, to_odd));
	}
}

#endif /* _WEIR_SCALAR_H */

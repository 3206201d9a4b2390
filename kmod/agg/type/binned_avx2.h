/* SPDX-License-Identifier: GPL-2.0 */
/* Sums in any order, eight gradients at once: see binned.h, and scalar.h for each step. */
#ifndef _WEIR_BINNED_AVX2_H
#define _WEIR_BINNED_AVX2_H

#include "agg/type/avx2.h"

typedef int weir_hi __attribute__((vector_size(16)));
typedef float weir_hf __attribute__((vector_size(16)));

/* A contribution: of its three bins the lowest has no bits. */
struct weir_vsplit {
	weir_v high;
	weir_v low;
	weir_v level;
};

/* Eight gradients' bins. */
struct weir_vbinned {
	weir_v bin[3];
	weir_v level;
};

/* Each @x with the sign of @of, which is zero only where @x is. */
WEIR_INNER weir_v weir_vsign(weir_v x, weir_v of)
{
	return (weir_v)__builtin_ia32_psignd256((weir_vi)x, (weir_vi)of);
}

/*
 * Constants of the loops. They are hidden from the compiler, which would make each again in three
 * instructions at each turn instead of keeping it.
 */
struct weir_vconst {
	weir_v size;
	weir_v mantissa;
	weir_v hidden;
	weir_v last;	/* the exponent of the largest number, less one */
	weir_v reciprocal;
	weir_v bits;
	weir_v first;
	weir_v one;
	weir_v two;
};

WEIR_INNER weir_v weir_keep(unsigned int x)
{
	weir_v v = weir_splat(x);

	asm("" : "+x" (v));
	return v;
}

WEIR_INNER struct weir_vconst weir_vconst(void)
{
	return (struct weir_vconst) {
		.size = weir_keep(WEIR_F32_ABS),
		.mantissa = weir_keep(WEIR_F32_MANTISSA),
		.hidden = weir_keep(WEIR_F32_HIDDEN),
		.last = weir_keep(253),
		.reciprocal = weir_keep(WEIR_BIN_RECIPROCAL),
		.bits = weir_keep(WEIR_BIN_BITS),
		.first = weir_keep(WEIR_LEVEL_FIRST),
		.one = weir_keep(1),
		.two = weir_keep(2),
	};
}

/*
 * A mantissa below 2^24, and an exponent of 0 to 253 by which 2^-149 is to be raised; @x has the
 * sign, and is zero only where the mantissa is.
 */
WEIR_INNER struct weir_vsplit weir_vcut(const struct weir_vconst *c, weir_v m, weir_v exponent,
					weir_v x)
{
	weir_v bin = (weir_v)__builtin_ia32_pmulhuw256((weir_vs)exponent, (weir_vs)c->reciprocal);
	weir_v at = exponent - (weir_v)((weir_vs)bin * (weir_vs)c->bits);

	return (struct weir_vsplit) {
		.high = weir_vsign(m >> (c->bits - at), x),
		.low = weir_vsign((m << at) & c->mantissa, x),
		.level = bin + c->first,
	};
}

/* Finite numbers. */
WEIR_INNER struct weir_vsplit weir_vsplit(const struct weir_vconst *c, weir_v x)
{
	weir_v size = x & c->size;
	weir_v exponent = size >> 23;
	weir_v normal = (weir_v)(exponent != 0);
	weir_v m = (size & c->mantissa) | (normal & c->hidden);
	struct weir_vsplit split = weir_vcut(c, m, exponent + normal, x);

	split.level = weir_blend(split.level, (weir_v)((weir_vi)x >> 31) + WEIR_LEVEL_ZERO,
				 (weir_v)(size == 0));
	return split;
}

/* The exponents of normal numbers, from 0 on; those of zeroes and denormals are all ones. */
WEIR_INNER weir_v weir_vexponent(const struct weir_vconst *c, weir_v x)
{
	return ((x & c->size) >> 23) - c->one;
}

/* Return true if there is a zero, a denormal, an infinity or a NaN, by the exponents. */
WEIR_INNER int weir_vhas_odd(const struct weir_vconst *c, weir_v exponent)
{
	return weir_any((weir_v)WEIR_SUB_SATURATED((weir_vs)exponent, (weir_vs)c->last));
}

/* weir_vsplit() for normal numbers: nearly all are. */
WEIR_INNER struct weir_vsplit weir_vsplit_normal(const struct weir_vconst *c, weir_v x,
						 weir_v exponent)
{
	return weir_vcut(c, (x & c->mantissa) | c->hidden, exponent, x);
}

WEIR_INNER int weir_vhas_special(weir_v x)
{
	return weir_any((weir_v)((x & WEIR_F32_INF) == WEIR_F32_INF));
}

WEIR_INNER void weir_vbinned_load(struct weir_vbinned *b, const weir_word *acc)
{
	b->bin[0] = weir_take(acc);
	b->bin[1] = weir_take(acc + WEIR_BINNED_WORDS);
	b->bin[2] = weir_take(acc + 2 * WEIR_BINNED_WORDS);
	b->level = weir_take(acc + 3 * WEIR_BINNED_WORDS);
}

WEIR_INNER void weir_vbinned_store(const struct weir_vbinned *b, weir_word *acc)
{
	*weir_at(acc, 0) = b->bin[0];
	*weir_at(acc, WEIR_BINNED_WORDS) = b->bin[1];
	*weir_at(acc, 2 * WEIR_BINNED_WORDS) = b->bin[2];
	*weir_at(acc, 3 * WEIR_BINNED_WORDS) = b->level;
}

/* Each lane by so many levels. */
WEIR_INNER void weir_vbinned_raise(const struct weir_vconst *c, struct weir_vbinned *b,
				   weir_v up)
{
	weir_v by0 = (weir_v)(up == 0), by1 = (weir_v)(up == c->one);
	weir_v by2 = (weir_v)(up == c->two);

	b->bin[2] = (b->bin[2] & by0) | (b->bin[1] & by1) | (b->bin[0] & by2);
	b->bin[1] = (b->bin[1] & by0) | (b->bin[0] & by1);
	b->bin[0] &= by0;
	b->level += up;
}

WEIR_INNER void weir_vbinned_set(weir_word *acc, struct weir_vsplit x)
{
	const struct weir_vbinned b = { .bin = { x.high, x.low }, .level = x.level };

	weir_vbinned_store(&b, acc);
}

/* Add contributions whose highest bin is not the same for all eight. */
WEIR_INNER void weir_vbinned_add_across(const struct weir_vconst *c, weir_word *acc,
					struct weir_vsplit x)
{
	struct weir_vbinned b;
	weir_v up, below, by0, by1, by2;

	weir_vbinned_load(&b, acc);
	up = weir_vmax(b.level, x.level) - b.level;
	if (weir_any(up)) {
		weir_vbinned_raise(c, &b, up);
		*weir_at(acc, 3 * WEIR_BINNED_WORDS) = b.level;
	}
	below = b.level - x.level;
	by0 = (weir_v)(below == 0);
	by1 = (weir_v)(below == c->one);
	by2 = (weir_v)(below == c->two);
	*weir_at(acc, 0) = b.bin[0] + (x.high & by0);
	*weir_at(acc, WEIR_BINNED_WORDS) = b.bin[1] + ((x.low & by0) | (x.high & by1));
	*weir_at(acc, 2 * WEIR_BINNED_WORDS) = b.bin[2] + ((x.low & by1) | (x.high & by2));
}

WEIR_INNER void weir_vbinned_add(const struct weir_vconst *c, weir_word *acc,
				 struct weir_vsplit x)
{
	if (weir_any(weir_take(acc + 3 * WEIR_BINNED_WORDS) ^ x.level)) {
		weir_vbinned_add_across(c, acc, x);
		return;
	}
	*weir_at(acc, 0) += x.high;
	*weir_at(acc, WEIR_BINNED_WORDS) += x.low;
}

/* Numbers below 2^52 as doubles, by their bits behind the point of 2^52. */
WEIR_INNER weir_vd weir_vq_to_double(weir_vq x)
{
	const unsigned long long two52 = 0x4330000000000000ULL;

	return (weir_vd)(x | two52) - 4503599627370496.0;
}

/*
 * Four sums that are finite, as doubles that round to a binary32 as the sums do: where
 * they have too many bits, the last one is odd if anything was cut off.
 */
WEIR_INNER weir_vd weir_vbinned_exact(weir_hi bin0, weir_hi bin1, weir_hi bin2, weir_hi level)
{
	const weir_hi mask = { WEIR_BIN_MASK, WEIR_BIN_MASK, WEIR_BIN_MASK, WEIR_BIN_MASK };
	weir_hi middle = bin1 + (bin2 >> WEIR_BIN_BITS);
	weir_vl low = __builtin_convertvector(bin2 & mask, weir_vl);
	weir_vl upper = (__builtin_convertvector(bin0, weir_vl) << WEIR_BIN_BITS) +
			__builtin_convertvector(middle, weir_vl);
	weir_vl negative = upper < 0;
	weir_vl some = low > 0;		/* -1 where it has bits */
	weir_vl enough, x, at;
	weir_vd d;

	upper = ((upper ^ negative) - negative) + (some & negative);
	low = ((low ^ negative) - negative) & WEIR_BIN_MASK;
	enough = upper > (1LL << WEIR_BINNED_ENOUGH) - 1;
	/* 54 bits, of which 52 are kept; the last one stands for all bits below. */
	x = (weir_vl)((weir_vq)upper >> 2) |
	    (1 & (((upper & 3) != 0) | some));
	x = (x & enough) | (((upper << WEIR_BIN_BITS) | low) & ~enough);
	at = (__builtin_convertvector(level, weir_vl) - WEIR_LEVEL_FIRST - 1);
	at = at * WEIR_BIN_BITS + (enough & (WEIR_BIN_BITS + 2));
	d = weir_vq_to_double((weir_vq)x);
	d *= (weir_vd)((at + 1023 - 149) << 52);
	return (weir_vd)((weir_vl)d | (negative & (1LL << 63)));
}

/* To the binary32 with an odd last bit where a double lies between two. */
WEIR_INNER weir_hf weir_vd_to_odd(weir_vd d)
{
	weir_hf nearest = __builtin_ia32_cvtpd2ps256(d);
	weir_vd back = __builtin_convertvector(nearest, weir_vd);
	const weir_vl abs = { -1ULL >> 1, -1ULL >> 1, -1ULL >> 1, -1ULL >> 1 };
	weir_vl beyond = ((weir_vl)back & abs) > ((weir_vl)d & abs);
	weir_vl inexact = (weir_vl)(back != d);
	weir_hi x = (weir_hi)nearest + __builtin_convertvector(beyond, weir_hi);

	return (weir_hf)(x | (__builtin_convertvector(inexact, weir_hi) & 1));
}

/* Half of eight gradients. */
WEIR_INNER weir_hi weir_half(weir_v x, int upper)
{
	return upper ? (weir_hi)__builtin_ia32_extract128i256((weir_vl)x, 1) :
		       (weir_hi)__builtin_ia32_extract128i256((weir_vl)x, 0);
}

WEIR_INNER weir_hf weir_vbinned_round_half(const struct weir_vbinned *b, int upper, int to_odd)
{
	weir_vd d = weir_vbinned_exact(weir_half(b->bin[0], upper), weir_half(b->bin[1], upper),
				       weir_half(b->bin[2], upper), weir_half(b->level, upper));

	return to_odd ? weir_vd_to_odd(d) : __builtin_ia32_cvtpd2ps256(d);
}

/* Levels below WEIR_LEVEL_SPECIAL. */
WEIR_INNER weir_v weir_vbinned_round(const struct weir_vbinned *b, int to_odd)
{
	weir_hf lower = weir_vbinned_round_half(b, 0, to_odd);
	weir_hf upper = weir_vbinned_round_half(b, 1, to_odd);
	weir_v x = (weir_v)__builtin_shufflevector(lower, upper, 0, 1, 2, 3, 4, 5, 6, 7);

	return x | ((weir_v)(b->level == 0) & WEIR_F32_SIGN);
}

WEIR_INNER int weir_vbinned_is_special(const struct weir_vbinned *b)
{
	return weir_any((weir_v)(b->level == WEIR_LEVEL_SPECIAL));
}

#endif /* _WEIR_BINNED_AVX2_H */

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Floating point in integer arithmetic, for where the vector registers cannot be used.
 * Numbers are handed around as their bits. All rounding is to nearest, halves to even, and
 * denormals are not flushed to zero, as in the kernel's vector unit, so that both give the
 * same bits. No kernel headers, see reduce_ops.h.
 */
#ifndef _WEIR_SOFT_H
#define _WEIR_SOFT_H

#define WEIR_F32_SIGN		0x80000000U
#define WEIR_F32_ABS		0x7fffffffU
#define WEIR_F32_INF		0x7f800000U
#define WEIR_F32_NAN		0x7fc00000U	/* the one that results have */
#define WEIR_F32_HIDDEN		0x00800000U	/* mantissa's bit that is not stored */
#define WEIR_F32_MANTISSA	0x007fffffU

static inline int weir_f32_is_nan(unsigned int x)
{
	return (x & WEIR_F32_ABS) > WEIR_F32_INF;
}

/* Of the many NaNs results have one. */
static inline unsigned int weir_f32_canonical(unsigned int x)
{
	return weir_f32_is_nan(x) ? WEIR_F32_NAN : x;
}

/*
 * Numbers as integers that are ordered as they are: -0 before 0, as IEEE 754-2019 has it
 * for minimum and maximum. A NaN becomes @nan, the last or the first of all, so that it
 * prevails. The same step turns it back into a NaN.
 */
static inline unsigned int weir_f32_turn(unsigned int x)
{
	return x ^ ((unsigned int)((int)x >> 31) & WEIR_F32_ABS);
}

static inline unsigned int weir_f32_to_key(unsigned int x, unsigned int nan)
{
	return weir_f32_is_nan(x) ? nan : weir_f32_turn(x);
}

static inline unsigned int weir_f32_from_key(unsigned int key)
{
	return weir_f32_canonical(weir_f32_turn(key));
}

/* One of them is NaN or infinite. */
static inline unsigned int weir_f32_add_special(unsigned int a, unsigned int b)
{
	if (weir_f32_is_nan(a) || weir_f32_is_nan(b))
		return WEIR_F32_NAN;
	if ((a & WEIR_F32_ABS) != WEIR_F32_INF)
		return b;
	if ((b & WEIR_F32_ABS) == WEIR_F32_INF && a != b)
		return WEIR_F32_NAN;
	return a;
}

/*
 * @mantissa has its highest bit at 26 and three bits below the last one that is kept, the
 * last of which stands for all bits below; smaller where @exponent is 1.
 */
static inline unsigned int weir_f32_round(unsigned int sign, unsigned int exponent,
					  unsigned int mantissa)
{
	unsigned int rest = mantissa & 7, x = mantissa >> 3;

	x += rest > 4 || (rest == 4 && (x & 1));
	/* The hidden bit, and a carry out of the mantissa, count into the exponent. */
	x += (exponent - 1) << 23;
	return sign | (x < WEIR_F32_INF ? x : WEIR_F32_INF);
}

/* Finite numbers, and @a is not the smaller one by its size. */
static inline unsigned int weir_f32_add_ordered(unsigned int a, unsigned int b)
{
	unsigned int ea = a >> 23 & 0xff, eb = b >> 23 & 0xff;
	unsigned int ma = a & WEIR_F32_MANTISSA, mb = b & WEIR_F32_MANTISSA;
	unsigned int down, up, sign = a & WEIR_F32_SIGN;

	ma |= ea ? WEIR_F32_HIDDEN : 0;
	mb |= eb ? WEIR_F32_HIDDEN : 0;
	ea += ea == 0;
	eb += eb == 0;
	ma <<= 3;
	mb <<= 3;
	down = ea - eb;
	if (down > 26)
		mb = mb != 0;
	else if (down)
		mb = mb >> down | (mb << (32 - down) != 0);
	if (!((a ^ b) & WEIR_F32_SIGN)) {
		ma += mb;
		if (ma >> 27) {
			ma = ma >> 1 | (ma & 1);
			ea++;
		}
		return weir_f32_round(sign, ea, ma);
	}
	ma -= mb;
	if (!ma)
		return 0;
	up = __builtin_clz(ma) - 5;
	if (up >= ea)
		up = ea - 1;
	return weir_f32_round(sign, ea - up, ma << up);
}

/* a + b */
static inline unsigned int weir_f32_add(unsigned int a, unsigned int b)
{
	unsigned int x = a & WEIR_F32_ABS, y = b & WEIR_F32_ABS;

	if (x >= WEIR_F32_INF || y >= WEIR_F32_INF)
		return weir_f32_add_special(a, b);
	if (!(x | y))
		return a & b;
	return x >= y ? weir_f32_add_ordered(a, b) : weir_f32_add_ordered(b, a);
}

/* A binary16, exactly. */
static inline unsigned int weir_f32_from_f16(unsigned int h)
{
	unsigned int sign = (h & 0x8000) << 16, x = h & 0x7fff;
	unsigned int up;

	if (x >= 0x7c00)
		return sign | WEIR_F32_INF | (x & 0x3ff) << 13;
	if (x >= 0x400)
		return sign | ((x << 13) + ((127 - 15) << 23));
	if (!x)
		return sign;
	/* A denormal becomes a normal one: its highest bit is the hidden one. */
	up = __builtin_clz(x) - 8;
	return sign | ((x << up) + ((127 - 15 + 13 - up) << 23));
}

/* To a binary16. */
static inline unsigned int weir_f32_to_f16(unsigned int f)
{
	unsigned int sign = f >> 16 & 0x8000, x = f & WEIR_F32_ABS;
	unsigned int m, down, rest, half;

	if (x > WEIR_F32_INF)
		return 0x7e00;
	if (x >= (127 + 16) << 23)
		return sign | 0x7c00;
	if (x >= (127 - 14) << 23) {
		/* Normal there, too, or rounded up to infinity. */
		x -= (127 - 15) << 23;
		return sign | (x + 0xfff + (x >> 13 & 1)) >> 13;
	}
	/* Less than half of the smallest one: 2^-25 and its halves to even are left. */
	if (x < (127 - 25) << 23)
		return sign;
	m = (x & WEIR_F32_MANTISSA) | WEIR_F32_HIDDEN;
	down = 126 - (x >> 23);
	rest = m & ((1U << down) - 1);
	half = 1U << (down - 1);
	m >>= down;
	return sign | (m + (rest > half || (rest == half && (m & 1))));
}

/* A bfloat16 is a binary32 without its lower half. */
static inline unsigned int weir_f32_from_bf16(unsigned int b)
{
	return b << 16;
}

static inline unsigned int weir_f32_to_bf16(unsigned int f)
{
	if (weir_f32_is_nan(f))
		return WEIR_F32_NAN >> 16;
	return (f + 0x7fff + (f >> 16 & 1)) >> 16;
}

#endif /* _WEIR_SOFT_H */

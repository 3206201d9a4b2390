/* SPDX-License-Identifier: GPL-2.0 */
/*
 * binary64 in integer arithmetic, for where the vector registers cannot be used: what soft.h
 * has for binary32, with the same rounding and the same treatment of denormals and NaNs. No
 * kernel headers, see reduce_ops.h.
 */
#ifndef _WEIR_SOFT64_H
#define _WEIR_SOFT64_H

#define WEIR_F64_SIGN		0x8000000000000000ULL
#define WEIR_F64_ABS		0x7fffffffffffffffULL
#define WEIR_F64_INF		0x7ff0000000000000ULL
#define WEIR_F64_NAN		0x7ff8000000000000ULL	/* the one that results have */
#define WEIR_F64_HIDDEN		0x0010000000000000ULL	/* mantissa's bit that is not stored */
#define WEIR_F64_MANTISSA	0x000fffffffffffffULL

static inline int weir_f64_is_nan(unsigned long long x)
{
	return (x & WEIR_F64_ABS) > WEIR_F64_INF;
}

/* Of the many NaNs results have one. */
static inline unsigned long long weir_f64_canonical(unsigned long long x)
{
	return weir_f64_is_nan(x) ? WEIR_F64_NAN : x;
}

/* Integers that are ordered as the numbers are, and back: see weir_f32_turn(). */
static inline unsigned long long weir_f64_turn(unsigned long long x)
{
	return x ^ ((unsigned long long)((long long)x >> 63) & WEIR_F64_ABS);
}

static inline unsigned long long weir_f64_to_key(unsigned long long x, unsigned long long nan)
{
	return weir_f64_is_nan(x) ? nan : weir_f64_turn(x);
}

static inline unsigned long long weir_f64_from_key(unsigned long long key)
{
	return weir_f64_canonical(weir_f64_turn(key));
}

/* One of them is NaN or infinite. */
static inline unsigned long long weir_f64_add_special(unsigned long long a, unsigned long long b)
{
	if (weir_f64_is_nan(a) || weir_f64_is_nan(b))
		return WEIR_F64_NAN;
	if ((a & WEIR_F64_ABS) != WEIR_F64_INF)
		return b;
	if ((b & WEIR_F64_ABS) == WEIR_F64_INF && a != b)
		return WEIR_F64_NAN;
	return a;
}

/*
 * @mantissa has its highest bit at 55 and three bits below the last one that is kept, the
 * last of which stands for all bits below; smaller if @exponent is 1.
 */
static inline unsigned long long weir_f64_round(unsigned long long sign, unsigned int exponent,
						unsigned long long mantissa)
{
	unsigned int rest = mantissa & 7;
	unsigned long long x = mantissa >> 3;

	x += rest > 4 || (rest == 4 && (x & 1));
	/* The hidden bit, and a carry out of the mantissa, count into the exponent. */
	x += (unsigned long long)(exponent - 1) << 52;
	return sign | (x < WEIR_F64_INF ? x : WEIR_F64_INF);
}

/* Finite numbers, and @a is not the smaller one by its size. */
static inline unsigned long long weir_f64_add_ordered(unsigned long long a, unsigned long long b)
{
	unsigned int ea = a >> 52 & 0x7ff, eb = b >> 52 & 0x7ff;
	unsigned long long ma = a & WEIR_F64_MANTISSA, mb = b & WEIR_F64_MANTISSA;
	unsigned long long sign = a & WEIR_F64_SIGN;
	unsigned int down, up;

	ma |= ea ? WEIR_F64_HIDDEN : 0;
	mb |= eb ? WEIR_F64_HIDDEN : 0;
	ea += ea == 0;
	eb += eb == 0;
	ma <<= 3;
	mb <<= 3;
	down = ea - eb;
	if (down > 55)
		mb = mb != 0;
	else if (down)
		mb = mb >> down | (mb << (64 - down) != 0);
	if (!((a ^ b) & WEIR_F64_SIGN)) {
		ma += mb;
		if (ma >> 56) {
			ma = ma >> 1 | (ma & 1);
			ea++;
		}
		return weir_f64_round(sign, ea, ma);
	}
	ma -= mb;
	if (!ma)
		return 0;
	up = __builtin_clzll(ma) - 8;
	if (up >= ea)
		up = ea - 1;
	return weir_f64_round(sign, ea - up, ma << up);
}

/* a + b */
static inline unsigned long long weir_f64_add(unsigned long long a, unsigned long long b)
{
	unsigned long long x = a & WEIR_F64_ABS, y = b & WEIR_F64_ABS;

	if (x >= WEIR_F64_INF || y >= WEIR_F64_INF)
		return weir_f64_add_special(a, b);
	if (!(x | y))
		return a & b;
	return x >= y ? weir_f64_add_ordered(a, b) : weir_f64_add_ordered(b, a);
}

#endif /* _WEIR_SOFT64_H */

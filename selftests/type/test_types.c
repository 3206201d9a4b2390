// SPDX-License-Identifier: GPL-2.0
/*
 * The module's inner loops over numbers, natively: each type and operation against this
 * machine's own floating point, in plain C and with vectors, over all pairs of special
 * values and many random ones. The same bits are asked for everywhere. Those of 8 bytes are in
 * types64.c.
 *
 * PAIRS=n takes so many random pairs a test instead of 10^8.
 */
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <agg/type/binned.h>
#include <agg/type/reduce_ops.h>
#include <agg/type/soft.h>

#include "../bpf/ktap.h"
#include "types64.h"

#define N		256	/* gradients at once: as many as a page of bins has */
#define SOURCES_MAX	256

typedef unsigned int u32;

static unsigned long pairs = 100000000;
static unsigned long wrong;

/* xorshift64*: quick, and long enough. */
static uint64_t state = 88172645463325252ULL;

static u32 any32(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 2685821657736338717ULL >> 32;
}

static float number(u32 bits)
{
	float f;

	memcpy(&f, &bits, 4);
	return f;
}

static u32 bits_of(float f)
{
	u32 bits;

	memcpy(&bits, &f, 4);
	return bits;
}

static void complain(const char *what, u32 a, u32 b, u32 got, u32 want)
{
	if (wrong++ < 5)
		printf("# %s of %08x and %08x is %08x instead of %08x\n", what, a, b, got, want);
}

static u32 canonical(u32 bits)
{
	return isnan(number(bits)) ? 0x7fc00000 : bits;
}

/**
 * struct type - how a type of numbers is on the wire, and what it means
 * @name: its name
 * @size: bytes
 * @specials: numbers worth to be tried, as on the wire, in host byte order
 * @count: how many
 * @load: its exact value as a binary32, by other means than the module's
 * @round: a binary32 rounded to it, likewise
 * @sum: the loops
 */
struct type {
	const char *name;
	unsigned int size;
	const u32 *specials;
	unsigned int count;
	u32 (*load)(u32 x);
	u32 (*round)(double x);
	const struct weir_reduce_ops *sum[2], *binned[2], *min[2], *max[2];
};

static const u32 specials32[] = {
	0, 1, 2, 3, 0x7fffff, 0x800000, 0x800001, 0xffffff, 0x1000000, 0x1000001,
	0x33800000, 0x33800001, 0x34000000, 0x3f7fffff, 0x3f800000, 0x3f800001,
	0x4b000000, 0x4b7fffff, 0x4b800000, 0x4b800001, 0x4bffffff,
	0x7f000000, 0x7f7ffffe, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fbfffff,
	0x7fc00000, 0x7fc00001, 0x7fffffff,
	0x0b800000, 0x0c000000, 0x17400000, 0x17800000, 0x22ffffff, 0x23000000,
};

static const u32 specials_half[] = {
	0, 1, 2, 3, 0x3fe, 0x3ff, 0x400, 0x401, 0x7ff, 0x800, 0x1400, 0x1800,
	0x3bff, 0x3c00, 0x3c01, 0x6400, 0x6800, 0x77ff, 0x7800, 0x7bfe, 0x7bff,
	0x7c00, 0x7c01, 0x7dff, 0x7e00, 0x7fff,
};

static const u32 specials_brain[] = {
	0, 1, 2, 0x7f, 0x80, 0x81, 0xff, 0x100, 0x3f7f, 0x3f80, 0x3f81, 0x4b00, 0x4b80,
	0x7f00, 0x7f7e, 0x7f7f, 0x7f80, 0x7f81, 0x7fbf, 0x7fc0, 0x7fff,
};

static u32 load_float32(u32 x)
{
	return x;
}

/* The compiler's own conversions. */
static u32 load_float16(u32 x)
{
	uint16_t half = x;
	_Float16 h;

	memcpy(&h, &half, 2);
	return bits_of((float)h);
}

static u32 load_bfloat16(u32 x)
{
	return x << 16;
}

static u32 round_float32(double x)
{
	return canonical(bits_of((float)x));
}

/* The nearest of the two beside it, found by what they are: there is no conversion to ask. */
static u32 nearest(double x, u32 (*load)(u32), u32 infinite, double beyond)
{
	u32 sign = signbit(x) ? 0x8000 : 0, low = 0, high = infinite - 1, half;
	double size = fabs(x), below, above;

	if (isnan(x))
		return infinite == 0x7c00 ? 0x7e00 : 0x7fc0;
	if (size >= beyond)
		return sign | infinite;
	while (low < high) {
		half = (low + high + 1) / 2;
		if ((double)number(load(half)) <= size)
			low = half;
		else
			high = half - 1;
	}
	below = size - (double)number(load(low));
	if (low + 1 == infinite)
		return sign | low;
	above = (double)number(load(low + 1)) - size;
	return sign | (low + (above < below || (above == below && (low & 1))));
}

static u32 round_float16(double x)
{
	/* Half way between the largest one and the next that there would be. */
	return nearest(x, load_float16, 0x7c00, 65520.0);
}

static u32 round_bfloat16(double x)
{
	return nearest(x, load_bfloat16, 0x7f80, 0x1.ffp127);
}

#ifdef __x86_64__
#define VECTOR(name)	(&weir_##name##_avx2)
#define has_vectors()	(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c"))
#else
#define VECTOR(name)	(&weir_##name##_neon)
#define has_vectors()	true
#endif
#define LOOPS(type, op)	{ &weir_##type##_##op##_scalar, VECTOR(type##_##op) }

/* 113 bits of mantissa. */
#if LDBL_MANT_DIG == 113
typedef long double quad;
#else
typedef __float128 quad;
#endif
#define TYPE(type, bytes, values)						\
	{ #type, bytes, values, sizeof(values) / sizeof(values[0]),		\
	  load_##type, round_##type, LOOPS(type, sum), LOOPS(type, binned),	\
	  LOOPS(type, min), LOOPS(type, max) }

static const struct type types[] = {
	TYPE(float32, 4, specials32),
	TYPE(float16, 2, specials_half),
	TYPE(bfloat16, 2, specials_brain),
};

static const char *const units[] = { "plain C", "vectors" };

/* Accumulators as in a page, and as much more for a result that is not in their place. */
static unsigned char page[4096] __attribute__((aligned(32)));

static void put(unsigned char *packet, unsigned int size, unsigned int i, u32 x)
{
	if (size == 4) {
		x = __builtin_bswap32(x);
		memcpy(packet + 4 * i, &x, 4);
	} else {
		uint16_t half = __builtin_bswap16(x);

		memcpy(packet + 2 * i, &half, 2);
	}
}

static u32 get(const unsigned char *packet, unsigned int size, unsigned int i)
{
	uint16_t half;
	u32 x;

	if (size == 4) {
		memcpy(&x, packet + 4 * i, 4);
		return __builtin_bswap32(x);
	}
	memcpy(&half, packet + 2 * i, 2);
	return __builtin_bswap16(half);
}

/* Reduce @n numbers of each of @sources rows by @ops, in place in the page; store the result in @out. */
static void reduce(const struct type *t, const struct weir_reduce_ops *ops,
		   u32 (*x)[N], const unsigned char *order, unsigned int sources, unsigned int n,
		   u32 *out)
{
	static unsigned char packet[4 * N + 1];
	unsigned int s, i, row;

	for (s = 0; s < sources; s++) {
		row = order ? order[s] : s;
		for (i = 0; i < n; i++)
			put(packet + 1, t->size, i, x[row][i]);
		if (s)
			ops->add(page, packet + 1, n, 0);
		else
			ops->set(page, packet + 1, n, 0);
	}
	ops->to_wire(page, page, n);
	for (i = 0; i < n; i++)
		out[i] = get(page, t->size, i);
}

/* Sizes close to each other, so that sums round, cancel and carry; and any bits at all. */
static u32 any_number(const struct type *t, u32 like)
{
	unsigned int bits = 8 * t->size, mantissa = t->size == 4 ? 23 : t->load == load_float16 ? 10 : 7;
	u32 r = any32(), x = r & (bits == 32 ? 0xffffffff : 0xffff);

	switch (any32() % 8) {
	case 0:
		return t->specials[r % t->count] | (r >> 31) << (bits - 1);
	case 1:
		return x;
	case 2:
		/* The same size, nearly, and perhaps the other sign. */
		return like ^ (x & 7) ^ (r >> 31) << (bits - 1);
	default:
		/* An exponent some steps away. */
		return ((like & ~((1U << mantissa) - 1)) + ((r >> 8) % 64 << mantissa) -
			(32U << mantissa)) ^ (x & (((1U << mantissa) - 1) | 1U << (bits - 1)));
	}
}

static u32 mask_of(const struct type *t)
{
	return t->size == 4 ? 0xffffffff : 0xffff;
}

/* The module's steps in integers against the machine's: each has one answer. */
static void check_add(u32 a, u32 b)
{
	u32 got = canonical(weir_f32_add(a, b));
	u32 want = canonical(bits_of(number(a) + number(b)));

	if (got != want)
		complain("the sum", a, b, got, want);
}

static bool soft_add(void)
{
	unsigned int i, j, k;
	unsigned long n;
	u32 a;

	wrong = 0;
	for (i = 0; i < sizeof(specials32) / 4; i++)
		for (j = 0; j < sizeof(specials32) / 4; j++)
			for (k = 0; k < 4; k++)
				check_add(specials32[i] | (k & 1) << 31, specials32[j] | (k >> 1) << 31);
	for (n = 0; n < pairs; n++) {
		a = any_number(&types[0], any32());
		check_add(a, any_number(&types[0], a));
	}
	return !wrong;
}

static bool soft_float16(void)
{
	unsigned long n;
	u32 x;

	wrong = 0;
	for (x = 0; x < 0x10000; x++)
		if (canonical(weir_f32_from_f16(x)) != canonical(load_float16(x)))
			complain("the value", x, 0, weir_f32_from_f16(x), load_float16(x));
	/* Each, what lies half way to the next, and the two beside that. */
	for (x = 0; x < 0x7c00; x++) {
		u32 a = load_float16(x), b = load_float16(x + 1), mid;
		int d;

		mid = x + 1 == 0x7c00 ? bits_of(65520.0f) :
		      bits_of((float)(((double)number(a) + (double)number(b)) / 2));
		for (d = -1; d <= 1; d++)
			if (weir_f32_to_f16(mid + d) != round_float16(number(mid + d)))
				complain("rounding", mid + d, 0, weir_f32_to_f16(mid + d),
					 round_float16(number(mid + d)));
	}
	for (n = 0; n < pairs / 16; n++) {
		_Float16 h;
		uint16_t half;

		x = any32();
		h = (_Float16)number(x);
		memcpy(&half, &h, 2);
		if (isnan(number(x)))
			half = 0x7e00;
		if (weir_f32_to_f16(x) != half)
			complain("rounding", x, 0, weir_f32_to_f16(x), half);
	}
	return !wrong;
}

static bool soft_bfloat16(void)
{
	unsigned long n;

	wrong = 0;
	for (n = 0; n < pairs / 64; n++) {
		u32 x = any_number(&types[0], any32()), want = round_bfloat16(number(x));

		if (weir_f32_to_bf16(x) != want)
			complain("rounding", x, 0, weir_f32_to_bf16(x), want);
	}
	return !wrong;
}

/* In the order of arrival: binary32 after each step, and rounded once at the end. */
static u32 want_sum(const struct type *t, u32 (*x)[N], unsigned int sources, unsigned int i)
{
	float sum = number(t->load(x[0][i]));
	unsigned int s;

	for (s = 1; s < sources; s++)
		sum += number(t->load(x[s][i]));
	return t->size == 4 ? canonical(bits_of(sum)) : t->round(sum);
}

/* IEEE 754-2019, minimum and maximum: what is no number prevails, and -0 is below 0. */
static u32 want_extreme(const struct type *t, u32 (*x)[N], unsigned int sources, unsigned int i,
			bool max)
{
	u32 best = x[0][i], sign = 1U << (8 * t->size - 1);
	unsigned int s;

	for (s = 0; s < sources; s++) {
		float a = number(t->load(x[s][i])), b = number(t->load(best));

		if (isnan(a))
			return t->round(NAN);
		if (max ? a > b : a < b)
			best = x[s][i];
		if (a == 0 && b == 0 && (max ? !(x[s][i] & sign) : x[s][i] & sign))
			best = x[s][i];
	}
	return best;
}

/* By name, so that what differs says so. */
static void check_row(const struct type *t, const char *what, int unit, u32 (*x)[N], const u32 *got,
		      u32 (*want)(const struct type *t, u32 (*x)[N], unsigned int sources,
				  unsigned int i), unsigned int sources, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		u32 w = want(t, x, sources, i);

		if (got[i] != w) {
			if (wrong < 5)
				printf("# %s, %s, %u sources, gradient %u of %u:\n", t->name,
				       units[unit], sources, i, n);
			complain(what, x[0][i], sources > 1 ? x[1][i] : 0, got[i], w);
		}
	}
}

static u32 want_min(const struct type *t, u32 (*x)[N], unsigned int sources, unsigned int i)
{
	return want_extreme(t, x, sources, i, false);
}

static u32 want_max(const struct type *t, u32 (*x)[N], unsigned int sources, unsigned int i)
{
	return want_extreme(t, x, sources, i, true);
}

/*
 * The sum that binned.h promises, by other means: all that lies below the highest
 * contribution's bin and the two below that is cut off each contribution; the rest is added
 * up exactly, as 128-bit integers, and rounded once by the machine.
 */
static u32 want_binned(const struct type *t, u32 (*x)[N], unsigned int sources, unsigned int i)
{
	int top = -1, at;
	bool plus = false, minus = false, all_minus_zero = true;
	__int128 sum = 0;
	unsigned int s;
	long double l;
	quad q;

	for (s = 0; s < sources; s++) {
		float f = number(t->load(x[s][i]));
		u32 e = bits_of(f) >> 23 & 0xff;

		if (isnan(f))
			return t->round(NAN);
		plus |= isinf(f) && f > 0;
		minus |= isinf(f) && f < 0;
		all_minus_zero &= bits_of(f) == 0x80000000;
		e = e ? e - 1 : 0;
		if (f != 0 && (int)e / 23 > top)
			top = e / 23;
	}
	if (plus || minus)
		return t->round(plus && minus ? NAN : plus ? INFINITY : -INFINITY);
	if (all_minus_zero)
		return t->round(-0.0);
	/* The last bit that is kept, above 2^-149. */
	at = (top - 1) * 23;
	for (s = 0; s < sources; s++) {
		float f = number(t->load(x[s][i]));
		u32 b = bits_of(f), e = b >> 23 & 0xff;
		__int128 m = (b & 0x7fffff) | (e ? 0x800000 : 0);
		int up = (int)(e ? e - 1 : 0) - at;

		m = up >= 0 ? m << up : up > -32 ? m >> -up : 0;
		sum += b >> 31 ? -m : m;
	}
	/* 113 bits hold it. */
	q = sum;
	for (; at > 0; at--)
		q *= 2;
	for (; at < 0; at++)
		q /= 2;
	q *= 0x1p-149L;
	if (t->size == 4)
		return canonical(bits_of((float)q));
	/*
	 * A double would round before; so would a long double of 64 bits, but to odd it does no harm:
	 * what is cut off shows in the last one.
	 */
	l = q;
	if ((quad)l != q) {
		uint64_t mantissa;

		if ((l > 0) == ((quad)l > q))
			l = nextafterl(l, 0);
		memcpy(&mantissa, &l, 8);
		mantissa |= 1;
		memcpy(&l, &mantissa, 8);
	}
	{
		double d = l;

		if ((long double)d != l) {
			uint64_t b;

			if ((l > 0) == ((long double)d > l))
				d = nextafter(d, 0);
			memcpy(&b, &d, 8);
			b |= 1;
			memcpy(&d, &b, 8);
		}
		return t->round(d);
	}
}

static void any_rows(const struct type *t, u32 (*x)[N], unsigned int sources, unsigned int n)
{
	unsigned int s, i;

	for (i = 0; i < n; i++) {
		x[0][i] = any_number(t, any32()) & mask_of(t);
		for (s = 1; s < sources; s++)
			x[s][i] = any_number(t, x[any32() % s][i]) & mask_of(t);
	}
}

/* Numbers without infinities and the like, most of the time: these hide all else. */
static void tame_rows(const struct type *t, u32 (*x)[N], unsigned int sources, unsigned int n)
{
	unsigned int s, i;

	any_rows(t, x, sources, n);
	for (i = 0; i < n; i++)
		for (s = 0; any32() % 16 && s < sources; s++)
			while (!isfinite(number(t->load(x[s][i]))))
				x[s][i] = any_number(t, any32()) & mask_of(t);
}

static u32 rows[SOURCES_MAX][N];

/* All pairs of specials of either sign, then random rows; @of how many gradients in all. */
static bool against(const struct type *t, const char *what,
		    const struct weir_reduce_ops *const loops[2], int unit,
		    u32 (*want)(const struct type *t, u32 (*x)[N], unsigned int sources,
				unsigned int i), unsigned long of)
{
	unsigned int all = 2 * t->count, i, n, sources;
	u32 sign = 1U << (8 * t->size - 1), out[N];
	unsigned long done;

	wrong = 0;
	for (done = 0; done < all * all; done += n) {
		n = all * all - done < N ? all * all - done : N;
		for (i = 0; i < n; i++) {
			unsigned int a = (done + i) / all, b = (done + i) % all;

			rows[0][i] = t->specials[a / 2] | (a & 1 ? sign : 0);
			rows[1][i] = t->specials[b / 2] | (b & 1 ? sign : 0);
		}
		reduce(t, loops[unit], rows, NULL, 2, n, out);
		check_row(t, what, unit, rows, out, want, 2, n);
	}
	for (done = 0; done < of; done += n * sources) {
		n = 1 + any32() % N;
		sources = any32() % 16 ? 1 + any32() % 6 : 1 + any32() % SOURCES_MAX;
		tame_rows(t, rows, sources, n);
		reduce(t, loops[unit], rows, NULL, sources, n, out);
		check_row(t, what, unit, rows, out, want, sources, n);
	}
	return !wrong;
}

static void shuffle(unsigned char *order, unsigned int n)
{
	unsigned int i, j;

	for (i = 0; i < n; i++)
		order[i] = i;
	for (i = n; i > 1; i--) {
		unsigned char o = order[i - 1];

		j = any32() % i;
		order[i - 1] = order[j];
		order[j] = o;
	}
}

/* Two to 256 sources, in any order, partly in plain C and partly with vectors. */
static bool any_order(const struct type *t)
{
	static const unsigned int counts[] = { 2, 3, 7, 64, 256 };
	unsigned char order[SOURCES_MAX];
	unsigned int c, round, i;
	u32 first[N], out[N];

	wrong = 0;
	for (c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
		tame_rows(t, rows, counts[c], N);
		reduce(t, t->binned[0], rows, NULL, counts[c], N, first);
		for (round = 0; round < 50; round++) {
			shuffle(order, counts[c]);
			reduce(t, t->binned[round & 1], rows, order, counts[c], N, out);
			for (i = 0; i < N; i++)
				if (out[i] != first[i])
					complain("the sum in another order", rows[0][i], rows[1][i],
						 out[i], first[i]);
		}
	}
	return !wrong;
}

/* 256 of the largest: what the bins hold at most. */
static bool bins_are_full(const struct type *t, int unit)
{
	static const u32 largest[] = { 0x7f7fffff, 0x7effffff, 0x4b7fffff, 0x00ffffff, 0x007fffff };
	unsigned int i, s, k, down;
	u32 out[N];

	wrong = 0;
	for (k = 0; k < 2 * sizeof(largest) / sizeof(largest[0]); k++) {
		for (i = 0; i < N; i++)
			for (s = 0; s < SOURCES_MAX; s++) {
				down = s ? i % 64 << 23 : 0;
				rows[s][i] = largest[k / 2];
				rows[s][i] = (rows[s][i] > down ? rows[s][i] - down : rows[s][i]) |
					     (k & 1 ? 0x80000000 : 0);
				if (t->size == 2)
					rows[s][i] >>= 16;
			}
		reduce(t, t->binned[unit], rows, NULL, SOURCES_MAX, N, out);
		check_row(t, "the sum", unit, rows, out, want_binned, SOURCES_MAX, N);
	}
	return !wrong;
}

static void report(bool ok, const char *name, const char *unit)
{
	ktap_ok(ok, "%s, %s", name, unit);
}

int main(void)
{
	bool vector = has_vectors();
	const char *given = getenv("PAIRS");
	unsigned int i;
	int unit;

	if (given)
		pairs = strtoul(given, NULL, 0);
	ktap_header();
	ktap_ok(soft_add(), "the sum of binary32 in integers");
	ktap_ok(soft_float16(), "binary16 in integers");
	ktap_ok(soft_bfloat16(), "bfloat16 in integers");
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		const struct type *t = &types[i];

		for (unit = 0; unit <= vector; unit++) {
			ktap_ok(against(t, "the sum", t->sum, unit, want_sum, pairs / 10),
				"sums of %s, %s", t->name, units[unit]);
			ktap_ok(against(t, "the least", t->min, unit, want_min, pairs / 50),
				"minima of %s, %s", t->name, units[unit]);
			ktap_ok(against(t, "the greatest", t->max, unit, want_max, pairs / 50),
				"maxima of %s, %s", t->name, units[unit]);
			ktap_ok(against(t, "the sum", t->binned, unit, want_binned, pairs / 50),
				"sums in a fixed order of %s, %s", t->name, units[unit]);
			if (t->load != load_float16)
				ktap_ok(bins_are_full(t, unit), "bins of %s are full, %s", t->name,
					units[unit]);
		}
		if (vector)
			ktap_ok(any_order(t), "sums of %s in any order are the same", t->name);
	}
	types64(pairs, vector, report);
	return ktap_end();
}

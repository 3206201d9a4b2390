// SPDX-License-Identifier: GPL-2.0
/*
 * The module's inner loops over numbers of 8 bytes, natively, as test_types.c has those of 2 and 4:
 * float64 against this machine's doubles, and in a fixed order against a number of all the bits that a
 * binary64 can have; int64 against 128-bit integers.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <agg/type/binned64.h>
#include <agg/type/reduce_ops.h>
#include <agg/type/soft64.h>

#include "types64.h"

#define N		128	/* gradients at once: as many as a page of bins has */
#define SOURCES_MAX	256

#ifdef __x86_64__
#define VECTOR(name)	(&weir_##name##_avx2)
#else
#define VECTOR(name)	(&weir_##name##_neon)
#endif
#define LOOPS(name)	{ &weir_##name##_scalar, VECTOR(name) }

typedef const struct weir_reduce_ops *const loops[2];
typedef uint64_t (*want_fn)(unsigned int sources, unsigned int i);

static loops float_sum = LOOPS(float64_sum), float_binned = LOOPS(float64_binned);
static loops float_min = LOOPS(float64_min), float_max = LOOPS(float64_max);
static loops int_sum = LOOPS(int64_sum), int_min = LOOPS(int64_min), int_max = LOOPS(int64_max);

static const char *const units[] = { "plain C", "vectors" };

static const uint64_t specials[] = {
	0, 1, 2, 3, 0xfffffffffffff, 0x10000000000000, 0x10000000000001, 0x1fffffffffffff,
	0x20000000000000, 0x20000000000001, 0x3ca0000000000000, 0x3ca0000000000001,
	0x3cb0000000000000, 0x3fefffffffffffff, 0x3ff0000000000000, 0x3ff0000000000001,
	0x4330000000000000, 0x433fffffffffffff, 0x4340000000000000, 0x4340000000000001,
	0x7fe0000000000000, 0x7feffffffffffffe, 0x7fefffffffffffff, 0x7ff0000000000000,
	0x7ff0000000000001, 0x7ff7ffffffffffff, 0x7ff8000000000000, 0x7ff8000000000001,
	0x7fffffffffffffff, 0x0350000000000000, 0x0360000000000000, 0x06a0000000000000,
};

#define SPECIALS	(sizeof(specials) / sizeof(specials[0]))

static unsigned long wrong;
static uint64_t rows[SOURCES_MAX][N];

/* Accumulators as in a page. */
static unsigned char page[4096] __attribute__((aligned(32)));

static uint64_t any64(void)
{
	static uint64_t state = 88172645463325252ULL;

	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 2685821657736338717ULL ^ state >> 11;
}

static double number(uint64_t bits)
{
	double f;

	memcpy(&f, &bits, 8);
	return f;
}

static uint64_t bits_of(double f)
{
	uint64_t bits;

	memcpy(&bits, &f, 8);
	return bits;
}

static uint64_t canonical(uint64_t bits)
{
	return isnan(number(bits)) ? 0x7ff8000000000000 : bits;
}

static void complain(const char *what, uint64_t a, uint64_t b, uint64_t got, uint64_t want)
{
	if (wrong++ < 5)
		printf("# %s of %016llx and %016llx is %016llx instead of %016llx\n", what,
		       (unsigned long long)a, (unsigned long long)b, (unsigned long long)got,
		       (unsigned long long)want);
}

/* The packet of a row, at an odd address. */
static const unsigned char *packet_of(const uint64_t *row, unsigned int n)
{
	static unsigned char packet[8 * N + 1];
	unsigned int i;
	uint64_t x;

	for (i = 0; i < n; i++) {
		x = __builtin_bswap64(row[i]);
		memcpy(packet + 1 + 8 * i, &x, 8);
	}
	return packet + 1;
}

static void get(const struct weir_reduce_ops *ops, unsigned int n, uint64_t *out)
{
	unsigned int i;

	ops->to_wire(page, page, n);
	for (i = 0; i < n; i++) {
		memcpy(&out[i], page + 8 * i, 8);
		out[i] = __builtin_bswap64(out[i]);
	}
}

/* Reduce @n numbers of each of @sources rows by @ops, in place in the page; store the result in @out. */
static void reduce(const struct weir_reduce_ops *ops, const unsigned char *order,
		   unsigned int sources, unsigned int n, uint64_t *out)
{
	unsigned int s;

	for (s = 0; s < sources; s++) {
		const unsigned char *packet = packet_of(rows[order ? order[s] : s], n);

		if (s)
			ops->add(page, packet, n, 0);
		else
			ops->set(page, packet, n, 0);
	}
	get(ops, n, out);
}

/* Sizes close to each other, so that sums round, cancel and carry; and any bits at all. */
static uint64_t any_number(uint64_t like)
{
	const uint64_t mantissa = 0xfffffffffffff;
	uint64_t r = any64(), x = any64();

	switch (any64() % 8) {
	case 0:
		return specials[r % SPECIALS] | (x & 1ULL << 63);
	case 1:
		return x;
	case 2:
		return like ^ (x & 7) ^ (x & 1ULL << 63);
	default:
		return ((like & ~mantissa) + ((r >> 8) % 128 << 52) - (64ULL << 52)) ^
		       (x & (mantissa | 1ULL << 63));
	}
}

static void check_add(uint64_t a, uint64_t b)
{
	uint64_t got = canonical(weir_f64_add(a, b));
	uint64_t want = canonical(bits_of(number(a) + number(b)));

	if (got != want)
		complain("the sum", a, b, got, want);
}

static bool soft_add(unsigned long pairs)
{
	unsigned int i, j, k;
	unsigned long n;
	uint64_t a;

	wrong = 0;
	for (i = 0; i < SPECIALS; i++)
		for (j = 0; j < SPECIALS; j++)
			for (k = 0; k < 4; k++)
				check_add(specials[i] | (uint64_t)(k & 1) << 63,
					  specials[j] | (uint64_t)(k >> 1) << 63);
	for (n = 0; n < pairs; n++) {
		a = any_number(any64());
		check_add(a, any_number(a));
	}
	return !wrong;
}

static uint64_t want_sum(unsigned int sources, unsigned int i)
{
	double sum = number(rows[0][i]);
	unsigned int s;

	for (s = 1; s < sources; s++)
		sum += number(rows[s][i]);
	return canonical(bits_of(sum));
}

/* IEEE 754-2019, minimum and maximum: what is no number prevails, and -0 is below 0. */
static uint64_t want_extreme(unsigned int sources, unsigned int i, bool max)
{
	uint64_t best = rows[0][i];
	unsigned int s;

	for (s = 0; s < sources; s++) {
		double a = number(rows[s][i]), b = number(best);

		if (isnan(a))
			return canonical(rows[s][i]);
		if (max ? a > b : a < b)
			best = rows[s][i];
		if (a == 0 && b == 0 && (max ? !signbit(a) : signbit(a)))
			best = rows[s][i];
	}
	return best;
}

static uint64_t want_min(unsigned int sources, unsigned int i)
{
	return want_extreme(sources, i, false);
}

static uint64_t want_max(unsigned int sources, unsigned int i)
{
	return want_extreme(sources, i, true);
}

/* Limbs of 32 bits, two's complement: 2,046 positions of a last bit, 53 more, and carries. */
#define LIMBS		68

/* Adds @m * 2^@up, or takes it away. */
static void big_add(uint32_t *big, uint64_t m, unsigned int up, bool minus)
{
	unsigned __int128 x = (unsigned __int128)m << up % 32;
	int64_t carry = 0;
	unsigned int i;

	for (i = up / 32; i < LIMBS; i++, x >>= 32) {
		carry += minus ? -(int64_t)(uint32_t)x : (int64_t)(uint32_t)x;
		carry += big[i];
		big[i] = carry;
		carry >>= 32;
	}
}

/* To the nearest, halves to even, in units of 2^-1074. */
static uint64_t big_round(uint32_t *big)
{
	bool minus = big[LIMBS - 1] >> 31, sticky = false;
	uint64_t m = 0, sign = minus ? 1ULL << 63 : 0, carry = 1;
	int top = -1, i, last;

	for (i = 0; minus && i < LIMBS; i++) {
		carry += (uint32_t)~big[i];
		big[i] = carry;
		carry >>= 32;
	}
	for (i = 0; i < 32 * LIMBS; i++)
		if (big[i / 32] >> i % 32 & 1)
			top = i;
	if (top < 0)
		return 0;
	last = top > 52 ? top - 52 : 0;
	for (i = top; i >= last; i--)
		m = m << 1 | (big[i / 32] >> i % 32 & 1);
	for (i = 0; i < last - 1; i++)
		sticky |= big[i / 32] >> i % 32 & 1;
	if (last && (big[(last - 1) / 32] >> (last - 1) % 32 & 1) && (sticky || (m & 1)))
		m++;
	m += (uint64_t)last << 52;
	return sign | (m < 0x7ff0000000000000 ? m : 0x7ff0000000000000);
}

/*
 * The sum that binned64.h promises: all that lies below the highest contribution's bin and the two
 * below that is cut off each contribution, and the rest is added up exactly and rounded once.
 */
static uint64_t want_binned(unsigned int sources, unsigned int i)
{
	bool plus = false, minus = false, all_minus_zero = true;
	uint32_t big[LIMBS] = {};
	int top = -1, at;
	unsigned int s;

	for (s = 0; s < sources; s++) {
		double f = number(rows[s][i]);
		int e = rows[s][i] >> 52 & 0x7ff;

		if (isnan(f))
			return canonical(rows[s][i]);
		plus |= isinf(f) && f > 0;
		minus |= isinf(f) && f < 0;
		all_minus_zero &= rows[s][i] == 1ULL << 63;
		e = e ? e - 1 : 0;
		if (f != 0 && e / 53 > top)
			top = e / 53;
	}
	if (plus || minus)
		return canonical(bits_of(plus && minus ? NAN : plus ? INFINITY : -INFINITY));
	if (all_minus_zero)
		return 1ULL << 63;
	/* The last bit that is kept, above 2^-1074. */
	at = (top - 1) * 53;
	for (s = 0; s < sources; s++) {
		int e = rows[s][i] >> 52 & 0x7ff;
		uint64_t m = (rows[s][i] & 0xfffffffffffff) | (e ? 1ULL << 52 : 0);
		int up = e ? e - 1 : 0;

		if (up < at) {
			m = at - up < 64 ? m >> (at - up) << (at - up) : 0;
			if (!m)
				continue;
		}
		big_add(big, m, up, rows[s][i] >> 63);
	}
	return big_round(big);
}

static void check_rows(const char *what, int unit, const uint64_t *got, want_fn want,
		       unsigned int sources, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		uint64_t w = want(sources, i);

		if (got[i] == w)
			continue;
		if (wrong < 5)
			printf("# %s, %u sources, gradient %u of %u:\n", units[unit], sources, i, n);
		complain(what, rows[0][i], sources > 1 ? rows[1][i] : 0, got[i], w);
	}
}

/* Numbers without infinities and the like, most of the time: these hide all else. */
static void any_rows(unsigned int sources, unsigned int n)
{
	unsigned int s, i;

	for (i = 0; i < n; i++) {
		bool tame = any64() % 16;

		for (s = 0; s < sources; s++)
			do
				rows[s][i] = any_number(s ? rows[any64() % s][i] : any64());
			while (tame && !isfinite(number(rows[s][i])));
	}
}

/* All pairs of specials of either sign, then random rows; @of how many gradients in all. */
static bool against(const char *what, const struct weir_reduce_ops *ops, int unit, want_fn want,
		    unsigned long of)
{
	unsigned int all = 2 * SPECIALS, i, n, sources;
	unsigned long done;
	uint64_t out[N];

	wrong = 0;
	for (done = 0; done < all * all; done += n) {
		n = all * all - done < N ? all * all - done : N;
		for (i = 0; i < n; i++) {
			unsigned int a = (done + i) / all, b = (done + i) % all;

			rows[0][i] = specials[a / 2] | (uint64_t)(a & 1) << 63;
			rows[1][i] = specials[b / 2] | (uint64_t)(b & 1) << 63;
		}
		reduce(ops, NULL, 2, n, out);
		check_rows(what, unit, out, want, 2, n);
	}
	for (done = 0; done < of; done += n * sources) {
		n = 1 + any64() % N;
		sources = any64() % 16 ? 1 + any64() % 6 : 1 + any64() % SOURCES_MAX;
		any_rows(sources, n);
		reduce(ops, NULL, sources, n, out);
		check_rows(what, unit, out, want, sources, n);
	}
	return !wrong;
}

/* Two to 256 sources, in any order, partly in plain C and partly with vectors. */
static bool any_order(void)
{
	static const unsigned int counts[] = { 2, 3, 7, 64, 256 };
	unsigned int c, round, i, j;
	uint64_t first[N], out[N];

	wrong = 0;
	for (c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
		unsigned char order[SOURCES_MAX];

		any_rows(counts[c], N);
		reduce(float_binned[0], NULL, counts[c], N, first);
		for (i = 0; i < counts[c]; i++)
			order[i] = i;
		for (round = 0; round < 50; round++) {
			for (i = counts[c]; i > 1; i--) {
				unsigned char o = order[i - 1];

				j = any64() % i;
				order[i - 1] = order[j];
				order[j] = o;
			}
			reduce(float_binned[round & 1], order, counts[c], N, out);
			for (i = 0; i < N; i++)
				if (out[i] != first[i])
					complain("the sum in another order", rows[0][i], rows[1][i],
						 out[i], first[i]);
		}
	}
	return !wrong;
}

/* 256 of the largest: what the bins hold at most. */
static bool bins_are_full(int unit)
{
	static const uint64_t largest[] = {
		0x7fefffffffffffff, 0x7fdfffffffffffff, 0x433fffffffffffff, 0x001fffffffffffff,
		0x000fffffffffffff,
	};
	unsigned int i, s, k;
	uint64_t out[N], down;

	wrong = 0;
	for (k = 0; k < 2 * sizeof(largest) / sizeof(largest[0]); k++) {
		for (i = 0; i < N; i++)
			for (s = 0; s < SOURCES_MAX; s++) {
				down = s ? (uint64_t)i << 52 : 0;
				rows[s][i] = largest[k / 2];
				rows[s][i] = (rows[s][i] > down ? rows[s][i] - down : rows[s][i]) |
					     (uint64_t)(k & 1) << 63;
			}
		reduce(float_binned[unit], NULL, SOURCES_MAX, N, out);
		check_rows("the sum", unit, out, want_binned, SOURCES_MAX, N);
	}
	return !wrong;
}

static uint64_t want_int_min(unsigned int sources, unsigned int i)
{
	int64_t least = INT64_MAX;

	while (sources--)
		if ((int64_t)rows[sources][i] < least)
			least = rows[sources][i];
	return least;
}

static uint64_t want_int_max(unsigned int sources, unsigned int i)
{
	int64_t most = INT64_MIN;

	while (sources--)
		if ((int64_t)rows[sources][i] > most)
			most = rows[sources][i];
	return most;
}

static bool integers_extreme(int unit, unsigned long of)
{
	bool ok = against("the least", int_min[unit], unit, want_int_min, of);

	return against("the greatest", int_max[unit], unit, want_int_max, of) && ok;
}

static int64_t any_integer(int64_t bias)
{
	switch (any64() % 4) {
	case 0: return any64();
	case 1: return bias - 1 - (int64_t)(any64() % 3);
	case 2: return -bias + (int64_t)(any64() % 3);
	default: return (int64_t)(any64() % 2001) - 1000;
	}
}

/* Sums modulo 2^64; a guard that sees just what is outside of bias * 2^32; and the exact check. */
static bool integers_sum(int unit, unsigned long of)
{
	const struct weir_reduce_ops *ops = int_sum[unit];
	uint64_t want[N], out[N];
	unsigned long done;

	wrong = 0;
	for (done = 0; done < of; done += N) {
		unsigned int sources = 1 + any64() % 5, n = 1 + any64() % N, i, s;
		unsigned int shift = sources > 4 ? 3 : sources > 2 ? 2 : sources - 1;
		uint32_t bias = 1U << 31 >> shift, guard;
		bool over, wide, small;

		memset(want, 0, sizeof(want));
		for (s = 0; s < sources; s++) {
			over = false;
			wide = false;
			small = any64() % 2;
			for (i = 0; i < n; i++) {
				int64_t x = any_integer((int64_t)(((uint64_t)bias << 32) - 1)), sum;

				if (small)
					x %= 1000;
				rows[s][i] = x;
				over |= __builtin_add_overflow((int64_t)want[i], x, &sum);
				wide |= (__int128)x >= (__int128)bias << 32 ||
					(__int128)x < -((__int128)bias << 32);
				want[i] += x;
			}
			guard = (s ? ops->add : ops->set)(page, packet_of(rows[s], n), n, bias);
			if (!!(guard & ~(2 * bias - 1)) != wide)
				complain("the guard", n, bias, guard, wide);
			if (!!ops->check(page, packet_of(rows[s], n), n, 0) != over)
				complain("the check", n, s, !over, over);
		}
		get(ops, n, out);
		for (i = 0; i < n; i++)
			if (out[i] != want[i])
				complain("the sum", rows[0][i], rows[sources - 1][i], out[i], want[i]);
	}
	return !wrong;
}

void types64(unsigned long pairs, bool vector,
	     void (*report)(bool ok, const char *name, const char *unit))
{
	int unit;

	report(soft_add(pairs), "the sum of binary64 in integers", units[0]);
	for (unit = 0; unit <= vector; unit++) {
		report(against("the sum", float_sum[unit], unit, want_sum, pairs / 10),
		       "sums of float64", units[unit]);
		report(against("the least", float_min[unit], unit, want_min, pairs / 50),
		       "minima of float64", units[unit]);
		report(against("the greatest", float_max[unit], unit, want_max, pairs / 50),
		       "maxima of float64", units[unit]);
		report(against("the sum", float_binned[unit], unit, want_binned, pairs / 500),
		       "sums in a fixed order of float64", units[unit]);
		report(bins_are_full(unit), "bins of float64 are full", units[unit]);
		report(integers_sum(unit, pairs / 10), "sums of int64", units[unit]);
		report(integers_extreme(unit, pairs / 50), "minima and maxima of int64",
		       units[unit]);
	}
	if (vector)
		report(any_order(), "sums of float64 in any order are the same", units[1]);
}

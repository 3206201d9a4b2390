// SPDX-License-Identifier: GPL-2.0
/*
 * The rounding error of a sum of 16-bit floats: the module's own loops, which widen each
 * gradient to float32 and round the sum once, beside a ring, in which each hop rounds the
 * partial sum to the 16 bits that go over the wire. Prints "NAME VALUE" a line.
 *
 * Gradients are normally distributed, of the same seed in each run: no clock and no chance is
 * in the figures.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <agg/type/reduce_ops.h>

#define GRADS	1024
#define VECTORS	64

/**
 * struct half - a type of 16-bit floats
 * @name: behind the figures' names
 * @ops: the module's loops
 * @widen: the number that 16 bits are
 */
struct half {
	const char *name;
	const struct weir_reduce_ops *ops;
	float (*widen)(uint16_t bits);
};

static float widen_bfloat16(uint16_t bits)
{
	uint32_t word = (uint32_t)bits << 16;
	float f;

	memcpy(&f, &word, sizeof(f));
	return f;
}

static float widen_float16(uint16_t bits)
{
	_Float16 h;

	memcpy(&h, &bits, sizeof(h));
	return (float)h;
}

static const struct half halves[] = {
	{ "bfloat16", &weir_bfloat16_sum_scalar, widen_bfloat16 },
	{ "float16", &weir_float16_sum_scalar, widen_float16 },
};

static uint64_t state = 1;

/* xorshift64* and Box-Muller. */
static double uniform(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return ((state * 2685821657736338717ULL >> 11) + 1) * 0x1p-53;
}

static double normal(void)
{
	double radius = sqrt(-2 * log(uniform()));

	return radius * cos(6.283185307179586 * uniform());
}

/* Sums vectors in network byte order into the first, as a box does: rounded once. */
static void box(const struct half *half, uint16_t (*v)[GRADS], unsigned int n,
		uint16_t result[GRADS])
{
	static uint32_t acc[GRADS] __attribute__((aligned(64)));
	unsigned int i;

	half->ops->set(acc, v[0], GRADS, 0);
	for (i = 1; i < n; i++)
		half->ops->add(acc, v[i], GRADS, 0);
	half->ops->to_wire(result, acc, GRADS);
}

/* A hop of a ring adds two vectors of 16 bits to one of 16 bits, as a box of two sources does. */
static void ring(const struct half *half, uint16_t (*v)[GRADS], unsigned int n,
		 uint16_t result[GRADS])
{
	uint16_t pair[2][GRADS];
	unsigned int i;

	memcpy(pair[0], v[0], sizeof(pair[0]));
	for (i = 1; i < n; i++) {
		memcpy(pair[1], v[i], sizeof(pair[1]));
		box(half, pair, 2, pair[0]);
	}
	memcpy(result, pair[0], sizeof(pair[0]));
}

static void draw(const struct half *half, uint16_t (*v)[GRADS], unsigned int n)
{
	uint32_t acc[GRADS];
	float f[GRADS];
	unsigned int i, k;

	for (i = 0; i < n; i++) {
		for (k = 0; k < GRADS; k++)
			f[k] = (float)normal();
		/* An open block is of float32, so its result is the rounding of these. */
		memcpy(acc, f, sizeof(acc));
		half->ops->to_wire(v[i], acc, GRADS);
	}
}

/* The squares of a result's distances from the exact sums. */
static double error(const struct half *half, const uint16_t result[GRADS], const double exact[GRADS])
{
	double sum = 0;
	unsigned int k;

	for (k = 0; k < GRADS; k++) {
		double d = half->widen(__builtin_bswap16(result[k])) - exact[k];

		sum += d * d;
	}
	return sum;
}

/* The root mean square of the ring's errors by that of the box's. */
static double compare(const struct half *half, unsigned int n)
{
	uint16_t (*v)[GRADS] = calloc(n, sizeof(*v)), result[GRADS];
	double ring_error = 0, box_error = 0, exact[GRADS];
	unsigned int i, k, round;

	for (round = 0; round < VECTORS; round++) {
		draw(half, v, n);
		memset(exact, 0, sizeof(exact));
		for (i = 0; i < n; i++)
			for (k = 0; k < GRADS; k++)
				exact[k] += half->widen(__builtin_bswap16(v[i][k]));
		ring(half, v, n, result);
		ring_error += error(half, result, exact);
		box(half, v, n, result);
		box_error += error(half, result, exact);
	}
	free(v);
	return sqrt(ring_error / box_error);
}

int main(void)
{
	static const unsigned int ranks[] = { 4, 8, 32, 256 };
	unsigned int t, i;

	for (t = 0; t < sizeof(halves) / sizeof(halves[0]); t++)
		for (i = 0; i < sizeof(ranks) / sizeof(ranks[0]); i++)
			printf("ring_error_over_box_%s_n%u %.2f\n", halves[t].name, ranks[i],
			       compare(&halves[t], ranks[i]));
	return 0;
}

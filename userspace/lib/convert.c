// SPDX-License-Identifier: BSD-2-Clause
#include "convert.h"

#include <endian.h>
#include <errno.h>
#include <math.h>
#include <string.h>

/*
 * The loops are plain, so that the compiler makes vectors of them. On x86 the
 * byte shuffle and the wide conversions come with AVX2 only, so there is a
 * second copy of each, chosen when the program starts. Sanitizers run before
 * that choice can be made.
 */
#if defined(__x86_64__) && defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && \
	!defined(__clang__)
#define VECTORS __attribute__((target_clones("avx2", "default")))
#else
#define VECTORS
#endif

/*
 * 1.5 * 2^52: added to a double below 2^31 it leaves the nearest integer in the
 * low bits of the mantissa, in two's complement. Unlike lrint() this needs no
 * conversion instruction, so that it becomes vectors on every machine.
 */
#define ROUND_MAGIC 6755399441055744.0

/* The largest product that rounds to an int32. */
#define PRODUCT_MAX 2147483647.0

#define FLOAT_ABS 0x7fffffffu
#define FLOAT_INF 0x7f800000u

VECTORS void convert_int32_to_wire(uint32_t *restrict wire,
				   const int32_t *restrict in, size_t count)
{
	for (size_t i = 0; i < count; i++)
		wire[i] = htobe32((uint32_t)in[i]);
}

VECTORS void convert_wire_to_int32(int32_t *restrict out,
				   const uint32_t *restrict wire, size_t count)
{
	for (size_t i = 0; i < count; i++)
		out[i] = (int32_t)be32toh(wire[i]);
}

VECTORS void convert_float_to_wire(uint32_t *restrict wire,
				   const float *restrict in, size_t count,
				   double scale)
{
	for (size_t i = 0; i < count; i++) {
		double rounded = (double)in[i] * scale + ROUND_MAGIC;
		uint64_t bits;

		memcpy(&bits, &rounded, sizeof(bits));
		wire[i] = htobe32((uint32_t)bits);
	}
}

VECTORS void convert_wire_to_float(float *restrict out,
				   const uint32_t *restrict wire, size_t count,
				   double scale)
{
	for (size_t i = 0; i < count; i++)
		out[i] = (float)((double)(int32_t)be32toh(wire[i]) / scale);
}

static uint32_t abs_bits(float x)
{
	uint32_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits & FLOAT_ABS;
}

/*
 * The bits of floats without their sign are ordered as the floats are, with the
 * infinities and what is not a number above all: one integer maximum finds both
 * kinds of elements that cannot be sent.
 */
VECTORS static int32_t largest(const float *in, size_t count)
{
	int32_t max = 0;

	for (size_t i = 0; i < count; i++) {
		int32_t bits = (int32_t)abs_bits(in[i]);

		max = bits > max ? bits : max;
	}
	return max;
}

static int verdict(uint32_t bits, double scale)
{
	float x;

	if (bits >= FLOAT_INF)
		return -EDOM;
	memcpy(&x, &bits, sizeof(x));
	return (double)x * scale > PRODUCT_MAX ? -ERANGE : 0;
}

int convert_float_check(const float *in, size_t count, double scale, size_t *at)
{
	int err = verdict((uint32_t)largest(in, count), scale);

	if (!err)
		return 0;
	for (*at = 0; *at < count; ++*at) {
		err = verdict(abs_bits(in[*at]), scale);
		if (err)
			break;
	}
	return err;
}

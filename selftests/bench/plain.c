// SPDX-License-Identifier: GPL-2.0
/*
 * The yardsticks of the reduction: the most obvious loops, over the same arrays
 * but in the machine's own byte order, and without a look at overflows. Built
 * with -O3 -mavx2 -mf16c.
 */
#include <immintrin.h>
#include <string.h>

#include "plain.h"

/* Numbers in a packet: headers leave them at an odd place. */
typedef int unaligned_int __attribute__((aligned(1), may_alias));
typedef float unaligned_float __attribute__((aligned(1), may_alias));
typedef long long unaligned_long __attribute__((aligned(1), may_alias));
typedef double unaligned_double __attribute__((aligned(1), may_alias));
typedef unsigned short unaligned_half __attribute__((aligned(1), may_alias));

void plain_add_int32(void *restrict acc, const void *restrict src, unsigned int n)
{
	const unaligned_int *x = src;
	int *sum = acc;
	unsigned int i;

	for (i = 0; i < n; i++)
		sum[i] += x[i];
}

void plain_add_float32(void *restrict acc, const void *restrict src, unsigned int n)
{
	const unaligned_float *x = src;
	float *sum = acc;
	unsigned int i;

	for (i = 0; i < n; i++)
		sum[i] += x[i];
}

void plain_add_int64(void *restrict acc, const void *restrict src, unsigned int n)
{
	const unaligned_long *x = src;
	long long *sum = acc;
	unsigned int i;

	for (i = 0; i < n; i++)
		sum[i] += x[i];
}

void plain_add_float64(void *restrict acc, const void *restrict src, unsigned int n)
{
	const unaligned_double *x = src;
	double *sum = acc;
	unsigned int i;

	for (i = 0; i < n; i++)
		sum[i] += x[i];
}

void plain_add_bfloat16(void *restrict acc, const void *restrict src, unsigned int n)
{
	const unaligned_half *x = src;
	float *sum = acc;
	unsigned int i;

	for (i = 0; i < n; i++) {
		unsigned int bits = (unsigned int)x[i] << 16;
		float f;

		memcpy(&f, &bits, sizeof(f));
		sum[i] += f;
	}
}

/* The compiler makes no vectors of this one by itself. */
void plain_add_float16(void *restrict acc, const void *restrict src, unsigned int n)
{
	const unaligned_half *x = src;
	float *sum = acc;
	unsigned int i;

	for (i = 0; i + 8 <= n; i += 8) {
		__m256 f = _mm256_cvtph_ps(_mm_loadu_si128((const void *)(x + i)));

		_mm256_storeu_ps(sum + i, _mm256_add_ps(_mm256_loadu_ps(sum + i), f));
	}
	for (; i < n; i++)
		sum[i] += _cvtsh_ss(x[i]);
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For NEON the compiler makes vectors of the loops in plain C: each gradient is combined by
 * itself, so the bits are the same. What plain C does in integers is a float's here. Called
 * between kernel_neon_begin() and kernel_neon_end() only, with the rounding that
 * weir_vector_take() sets. No kernel headers, see reduce_ops.h.
 */
#ifndef _WEIR_NEON_H
#define _WEIR_NEON_H

#include "agg/type/scalar.h"

union weir_f32_bits {
	unsigned int u;
	float f;
};

union weir_f64_bits {
	unsigned long long u;
	double f;
};

union weir_f16_bits {
	unsigned short u;
	__fp16 f;
};

WEIR_INNER unsigned int weir_neon_add(unsigned int a, unsigned int b)
{
	union weir_f32_bits x = { .u = a };
	const union weir_f32_bits y = { .u = b };

	x.f += y.f;
	return x.u;
}

WEIR_INNER unsigned long long weir_neon_add64(unsigned long long a, unsigned long long b)
{
	union weir_f64_bits x = { .u = a };
	const union weir_f64_bits y = { .u = b };

	x.f += y.f;
	return x.u;
}

WEIR_INNER unsigned int weir_neon_from_f16(unsigned short h)
{
	const union weir_f16_bits half = { .u = h };
	const union weir_f32_bits x = { .f = half.f };

	return x.u;
}

/* To the nearest, halves to even. */
WEIR_INNER unsigned short weir_neon_to_f16(unsigned int f)
{
	const union weir_f32_bits x = { .u = weir_f32_canonical(f) };
	const union weir_f16_bits half = { .f = x.f };

	return half.u;
}

#endif /* _WEIR_NEON_H */

// SPDX-License-Identifier: GPL-2.0
/* IEEE 754 binary16, for AVX2 with F16C. */
#include "agg/type/avx2.h"

WEIR_INNER weir_hs swap_half(weir_hb x)
{
#ifdef WEIR_LITTLE
	return (weir_hs)x;
#else
	const weir_hb mask = { 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14 };

	return (weir_hs)__builtin_ia32_pshufb128(x, mask);
#endif
}

WEIR_INNER weir_v load_float16(const void *src)
{
	return (weir_v)__builtin_ia32_vcvtph2ps256(swap_half(*(const weir_hp *)src));
}

WEIR_INNER struct weir_pair load_float16_pair(const void *src)
{
	return (struct weir_pair) { load_float16(src), load_float16(src + 16) };
}

/* To the nearest, halves to even. */
WEIR_INNER void store_float16(void *wire, weir_v x)
{
	*(weir_hp *)wire = (weir_hb)swap_half((weir_hb)__builtin_ia32_vcvtps2ph256((weir_vf)x, 0));
}

#define WEIR_LOAD	load_float16
#define WEIR_LOAD_PAIR	load_float16_pair
#define WEIR_STORE	store_float16
#define WEIR_SIZE	2
#define WEIR_TO_ODD	1
#define WEIR_REST(op)	WEIR_OPS(float16, op, scalar)
#include "agg/type/float_avx2.h"

WEIR_FLOAT_OPS(float16, avx2);

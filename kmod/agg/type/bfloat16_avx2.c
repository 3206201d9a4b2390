// SPDX-License-Identifier: GPL-2.0
/* bfloat16, the upper half of a binary32, for AVX2. */
#include "agg/type/avx2.h"

/* Offset in a packet of byte @i of the little-endian numbers. */
#ifdef WEIR_LITTLE
#define AT(i)	(i)
#else
#define AT(i)	((i) ^ 1)
#endif

/* The shuffle that swaps the bytes moves them into the upper half as well. */
WEIR_INNER weir_v load_bfloat16(const void *src)
{
	const weir_vb mask = {
		-1, -1, AT(0), AT(1), -1, -1, AT(4), AT(5),
		-1, -1, AT(8), AT(9), -1, -1, AT(12), AT(13),
		-1, -1, AT(0), AT(1), -1, -1, AT(4), AT(5),
		-1, -1, AT(8), AT(9), -1, -1, AT(12), AT(13),
	};
	weir_v x = (weir_v)WEIR_WIDEN(*(const weir_hp *)src);

	return (weir_v)__builtin_ia32_pshufb256((weir_vb)x, mask);
}

/*
 * Shuffles work within the halves of a vector. So quarters change places first, and then
 * zeroes come below each number.
 */
WEIR_INNER struct weir_pair load_bfloat16_pair(const void *src)
{
	const weir_vb mask = {
		AT(0), AT(1), AT(2), AT(3), AT(4), AT(5), AT(6), AT(7),
		AT(8), AT(9), AT(10), AT(11), AT(12), AT(13), AT(14), AT(15),
		AT(0), AT(1), AT(2), AT(3), AT(4), AT(5), AT(6), AT(7),
		AT(8), AT(9), AT(10), AT(11), AT(12), AT(13), AT(14), AT(15),
	};
	weir_vl quarters = __builtin_ia32_permdi256((weir_vl)*(const weir_vp *)src, 0xd8);
	weir_vs x = (weir_vs)__builtin_ia32_pshufb256((weir_vb)quarters, mask);
	const weir_vs zero = {};

	return (struct weir_pair) {
		(weir_v)__builtin_shufflevector(zero, x, 0, 16, 1, 17, 2, 18, 3, 19,
						8, 24, 9, 25, 10, 26, 11, 27),
		(weir_v)__builtin_shufflevector(zero, x, 4, 20, 5, 21, 6, 22, 7, 23,
						12, 28, 13, 29, 14, 30, 15, 31),
	};
}

/*
 * To the nearest, halves to even. A NaN is the canonical one already. The upper halves are
 * swapped and gathered in each half of the vector, then brought together.
 */
WEIR_INNER void store_bfloat16(void *wire, weir_v x)
{
	const weir_vb mask = {
		AT(2), AT(3), AT(6), AT(7), AT(10), AT(11), AT(14), AT(15),
		-1, -1, -1, -1, -1, -1, -1, -1,
		AT(2), AT(3), AT(6), AT(7), AT(10), AT(11), AT(14), AT(15),
		-1, -1, -1, -1, -1, -1, -1, -1,
	};
	weir_vq q;

	x += 0x7fff + (x >> 16 & 1);
	q = (weir_vq)__builtin_ia32_pshufb256((weir_vb)x, mask);
	q = __builtin_shufflevector(q, q, 0, 2, 1, 3);
	*(weir_hp *)wire = (weir_hb)__builtin_shufflevector(q, q, 0, 1);
}

#define WEIR_LOAD	load_bfloat16
#define WEIR_LOAD_PAIR	load_bfloat16_pair
#define WEIR_STORE	store_bfloat16
#define WEIR_SIZE	2
#define WEIR_TO_ODD	1
#define WEIR_REST(op)	WEIR_OPS(bfloat16, op, scalar)
#include "agg/type/float_avx2.h"

WEIR_FLOAT_OPS(bfloat16, avx2);

// SPDX-License-Identifier: GPL-2.0
/* IEEE 754 binary32, for AVX2. */
#include "agg/type/avx2.h"

#define WEIR_LOAD	weir_load_swapped
#define WEIR_LOAD_REST(src, n)	weir_swap(weir_load_rest(src, n))
#define WEIR_LOAD_PAIR	weir_load_pair_swapped
#define WEIR_STORE	weir_store_swapped
#define WEIR_SIZE	4
#define WEIR_TO_ODD	0
#define WEIR_REST(op)	WEIR_OPS(float32, op, scalar)
#include "agg/type/float_avx2.h"

WEIR_FLOAT_OPS(float32, avx2);

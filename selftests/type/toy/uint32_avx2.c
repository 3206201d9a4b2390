// SPDX-License-Identifier: GPL-2.0
/* Unsigned integers of 32 bits, for AVX2. */
#include "agg/type/uint32_loops.h"

WEIR_INT_OPS(uint32, avx2);

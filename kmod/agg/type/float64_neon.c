// SPDX-License-Identifier: GPL-2.0
/* IEEE 754 binary64, for NEON. */
#include "agg/type/neon.h"

#define WEIR_ADD	weir_neon_add64
#include "agg/type/float64_loops.h"

WEIR_FLOAT_OPS(float64, neon);

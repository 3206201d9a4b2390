// SPDX-License-Identifier: GPL-2.0
/* IEEE 754 binary16, for NEON. */
#include "agg/type/neon.h"

#define WEIR_ADD	weir_neon_add
#define WEIR_FROM_HALF	weir_neon_from_f16
#define WEIR_TO_HALF	weir_neon_to_f16
#include "agg/type/half_loops.h"

WEIR_FLOAT_OPS(float16, neon);

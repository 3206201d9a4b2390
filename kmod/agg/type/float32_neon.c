// SPDX-License-Identifier: GPL-2.0
/* IEEE 754 binary32, for NEON. */
#include "agg/type/neon.h"

#define WEIR_ADD	weir_neon_add
#include "agg/type/float32_loops.h"

WEIR_FLOAT_OPS(float32, neon);

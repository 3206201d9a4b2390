// SPDX-License-Identifier: GPL-2.0
/* bfloat16, the upper half of a binary32, for NEON. */
#include "type/neon.h"

#define WEIR_ADD	weir_neon_add
#include "type/bfloat16_loops.h"

WEIR_FLOAT_OPS(bfloat16, neon);

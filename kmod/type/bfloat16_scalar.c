// SPDX-License-Identifier: GPL-2.0
/* bfloat16, the upper half of a binary32, in plain C. */
#define WEIR_ADD	weir_f32_add
#include "type/bfloat16_loops.h"

WEIR_FLOAT_OPS(bfloat16, scalar);

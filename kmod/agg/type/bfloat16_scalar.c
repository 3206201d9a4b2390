// SPDX-License-Identifier: GPL-2.0
/* bfloat16, the upper half of a binary32, in plain C. */
#define WEIR_ADD	weir_f32_add
#define WEIR_FROM_HALF	weir_f32_from_bf16
#define WEIR_TO_HALF	weir_f32_to_bf16
#include "agg/type/half_loops.h"

WEIR_FLOAT_OPS(bfloat16, scalar);

// SPDX-License-Identifier: GPL-2.0
/* IEEE 754 binary16, in plain C. */
#define WEIR_ADD	weir_f32_add
#define WEIR_FROM_HALF	weir_f32_from_f16
#define WEIR_TO_HALF	weir_f32_to_f16
#include "agg/type/half_loops.h"

WEIR_FLOAT_OPS(float16, scalar);

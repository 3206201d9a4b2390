// SPDX-License-Identifier: GPL-2.0
/* IEEE 754 binary32, in plain C. */
#define WEIR_ADD	weir_f32_add
#include "agg/type/float32_loops.h"

WEIR_FLOAT_OPS(float32, scalar);

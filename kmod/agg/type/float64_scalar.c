// SPDX-License-Identifier: GPL-2.0
/* IEEE 754 binary64, in plain C. */
#define WEIR_ADD	weir_f64_add
#include "agg/type/float64_loops.h"

WEIR_FLOAT_OPS(float64, scalar);

// SPDX-License-Identifier: GPL-2.0
/* Two's complement of 32 bits, in plain C. */
#include "agg/type/int32_loops.h"

WEIR_INT_OPS(int32, scalar);

// SPDX-License-Identifier: GPL-2.0
/* Two's complement of 64 bits, in plain C. */
#include "agg/type/int64_loops.h"

WEIR_INT_OPS(int64, scalar);

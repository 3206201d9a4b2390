// SPDX-License-Identifier: GPL-2.0
/* int32_scalar.c for gradients in little-endian byte order. */
#define WEIR_LITTLE
#include "agg/type/int32_scalar.c"

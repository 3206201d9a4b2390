// SPDX-License-Identifier: GPL-2.0
/* float32_scalar.c for gradients in little-endian byte order. */
#define WEIR_LITTLE
#include "agg/type/float32_scalar.c"

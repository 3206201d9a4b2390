// SPDX-License-Identifier: GPL-2.0
/* float16_neon.c for gradients in little-endian byte order. */
#define WEIR_LITTLE
#include "agg/type/float16_neon.c"

// SPDX-License-Identifier: GPL-2.0
/* bfloat16_neon.c for gradients in little-endian byte order. */
#define WEIR_LITTLE
#include "agg/type/bfloat16_neon.c"

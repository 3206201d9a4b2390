// SPDX-License-Identifier: GPL-2.0
/* int64_neon.c for gradients in little-endian byte order. */
#define WEIR_LITTLE
#include "agg/type/int64_neon.c"

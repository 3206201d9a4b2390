// SPDX-License-Identifier: GPL-2.0
/* int64_avx2.c for gradients in little-endian byte order. */
#define WEIR_LITTLE
#include "agg/type/int64_avx2.c"

// SPDX-License-Identifier: GPL-2.0
/* IEEE 754 binary16, for NEON. */
#include "type/neon.h"

WEIR_INNER unsigned int load_float16(const void *src, unsigned int i)
{
	return weir_neon_from_f16(weir_load16(src, i));
}

WEIR_INNER void store_float16(void *wire, unsigned int i, unsigned int sum)
{
	weir_store16(wire, i, weir_neon_to_f16(sum));
}

#define WEIR_LOAD	load_float16
#define WEIR_STORE	store_float16
#define WEIR_TO_ODD	1
#define WEIR_ADD	weir_neon_add
#include "type/float_loops.h"

WEIR_FLOAT_OPS(float16, neon);

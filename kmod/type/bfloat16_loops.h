/* SPDX-License-Identifier: GPL-2.0 */
/* bfloat16, the upper half of a binary32, in plain C. A unit has WEIR_ADD and the tables. */
#include "type/scalar.h"

WEIR_INNER unsigned int load_bfloat16(const void *src, unsigned int i)
{
	return weir_f32_from_bf16(weir_load16(src, i));
}

WEIR_INNER void store_bfloat16(void *wire, unsigned int i, unsigned int sum)
{
	weir_store16(wire, i, weir_f32_to_bf16(sum));
}

#define WEIR_LOAD	load_bfloat16
#define WEIR_STORE	store_bfloat16
#define WEIR_TO_ODD	1
#include "type/float_loops.h"

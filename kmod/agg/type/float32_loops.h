/* SPDX-License-Identifier: GPL-2.0 */
/* IEEE 754 binary32, in plain C. A unit has WEIR_ADD and the tables. */
#include "agg/type/scalar.h"

WEIR_INNER unsigned int load_float32(const void *src, unsigned int i)
{
	return weir_load32(src, i);
}

WEIR_INNER void store_float32(void *wire, unsigned int i, unsigned int sum)
{
	weir_store32(wire, i, weir_f32_canonical(sum));
}

#define WEIR_LOAD	load_float32
#define WEIR_STORE	store_float32
#define WEIR_TO_ODD	0
#include "agg/type/float_loops.h"

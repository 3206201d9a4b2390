/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Floats of 16 bits, in plain C. A unit has WEIR_ADD and the tables, and how numbers become those
 * of 32 bits and back: WEIR_FROM_HALF and WEIR_TO_HALF.
 */
#include "agg/type/scalar.h"

WEIR_INNER unsigned int load_half(const void *src, unsigned int i)
{
	return WEIR_FROM_HALF(weir_load16(src, i));
}

WEIR_INNER void store_half(void *wire, unsigned int i, unsigned int sum)
{
	weir_store16(wire, i, WEIR_TO_HALF(sum));
}

#define WEIR_LOAD	load_half
#define WEIR_STORE	store_half
#define WEIR_TO_ODD	1
#include "agg/type/float_loops.h"

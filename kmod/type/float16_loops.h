/* SPDX-License-Identifier: GPL-2.0 */
/*
 * IEEE 754 binary16, in plain C. A unit has WEIR_ADD and the tables, and how numbers are
 * converted: WEIR_FROM_F16 and WEIR_TO_F16.
 */
#include "type/scalar.h"

WEIR_INNER unsigned int load_float16(const void *src, unsigned int i)
{
	return WEIR_FROM_F16(weir_load16(src, i));
}

WEIR_INNER void store_float16(void *wire, unsigned int i, unsigned int sum)
{
	weir_store16(wire, i, WEIR_TO_F16(sum));
}

#define WEIR_LOAD	load_float16
#define WEIR_STORE	store_float16
#define WEIR_TO_ODD	1
#include "type/float_loops.h"

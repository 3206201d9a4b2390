// SPDX-License-Identifier: BSD-2-Clause
#include "number/number.h"

#include <weir.h>

/* Joins and calls number types and operations alike. */
_Static_assert(WEIR_INT32 == (int)WEIR_DTYPE_INT32 && WEIR_FLOAT32 == (int)WEIR_DTYPE_FLOAT32 &&
	       WEIR_BFLOAT16 == (int)WEIR_DTYPE_BFLOAT16 && WEIR_FLOAT16 == (int)WEIR_DTYPE_FLOAT16 &&
	       WEIR_INT64 == (int)WEIR_DTYPE_INT64 && WEIR_FLOAT64 == (int)WEIR_DTYPE_FLOAT64,
	       "types are numbered as in the box");
_Static_assert(WEIR_SUM == (int)WEIR_OP_SUM && WEIR_MIN == (int)WEIR_OP_MIN &&
	       WEIR_MAX == (int)WEIR_OP_MAX, "operations are numbered as in the box");

static const char *const types[] = {
	[WEIR_INT32] = "int32",
	[WEIR_FLOAT32] = "float32",
	[WEIR_BFLOAT16] = "bfloat16",
	[WEIR_FLOAT16] = "float16",
	[WEIR_INT64] = "int64",
	[WEIR_FLOAT64] = "float64",
};

static const char *const operations[] = {
	[WEIR_SUM] = "sum",
	[WEIR_MIN] = "min",
	[WEIR_MAX] = "max",
};

const char *number_name(enum weir_type type)
{
	if (type >= sizeof(types) / sizeof(types[0]) || !types[type])
		return "?";
	return types[type];
}

const char *operation_name(enum weir_operation operation)
{
	if (operation >= sizeof(operations) / sizeof(operations[0]) || !operations[operation])
		return "?";
	return operations[operation];
}

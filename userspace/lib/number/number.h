/* SPDX-License-Identifier: BSD-2-Clause */
/* Types of numbers and operations on them. */
#ifndef WEIR_NUMBER_H
#define WEIR_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

#include <weir.h>

#include "libweir.h"

/* Bytes of one of a vector; 0 if there is no such type. */
static inline size_t number_size(enum weir_type type)
{
	switch (type) {
	case WEIR_INT64:
	case WEIR_FLOAT64:
		return 8;
	case WEIR_INT32:
	case WEIR_FLOAT32:
		return 4;
	case WEIR_BFLOAT16:
	case WEIR_FLOAT16:
		return 2;
	default:
		return 0;
	}
}

static inline bool number_is_float(enum weir_type type)
{
	return type != WEIR_INT32 && type != WEIR_INT64;
}

/* A job of such a type takes vectors of this type alone, and no other job takes them. */
static inline bool number_is_alone(enum weir_type type)
{
	return number_size(type) == 8;
}

/* Elements of a block at most. */
static inline size_t number_grads_max(enum weir_type type)
{
	return number_size(type) == 8 ? WEIR_GRADS_MAX / 2 : WEIR_GRADS_MAX;
}

/* Return the name as users write it, or "?" if there is none. */
const char *number_name(enum weir_type type);
const char *operation_name(enum weir_operation operation);

#endif

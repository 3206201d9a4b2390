/* SPDX-License-Identifier: BSD-2-Clause */
/* Values, as the ends keep them: with more room than a packet has. */
#ifndef WEIR_KV_VALUE_H
#define WEIR_KV_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "libweir.h"

/**
 * union kv_value - a value
 * @integer: in a job of int32 or int64
 * @real: in a job of float32
 */
union kv_value {
	int64_t integer;
	double real;
};

/* The type of values, int32, int64 or float32 alone, and the operation that combines them. */
struct kv_numbers {
	enum weir_type type;
	enum weir_operation operation;
};

/* A value of a packet, and one for it: of int32 it must be in range. */
union kv_value kv_value_read(const struct kv_numbers *numbers, uint64_t bits);
uint64_t kv_value_bits(const struct kv_numbers *numbers, union kv_value value);

static inline bool kv_value_is_integer(const struct kv_numbers *numbers)
{
	return numbers->type != WEIR_FLOAT32;
}

/*
 * As the box does (enum weir_op, enum weir_dtype), but that sums have 64 bits. False: one has no
 * room there, and @to is as it was.
 */
bool kv_value_combine(const struct kv_numbers *numbers, union kv_value *to, union kv_value more);

/* Return true if a packet has room for the value. */
bool kv_value_fits(const struct kv_numbers *numbers, union kv_value value);

#endif

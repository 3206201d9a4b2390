/* SPDX-License-Identifier: BSD-2-Clause */
/* Values, as the ends keep them: with more room than a packet has. */
#ifndef WEIR_KV_VALUE_H
#define WEIR_KV_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "libweir.h"

/**
 * union kv_value - a value
 * @integer: in a job of int32
 * @real: in a job of float32
 */
union kv_value {
	int64_t integer;
	double real;
};

/* How values are combined: of int32 or float32 alone. */
struct kv_numbers {
	enum weir_type type;
	enum weir_operation operation;
};

/* A value of a packet, and one for it: of int32 it must be in range. */
union kv_value kv_value_read(const struct kv_numbers *numbers, uint32_t bits);
uint32_t kv_value_bits(const struct kv_numbers *numbers, union kv_value value);

/* As the box does (enum weir_op, enum weir_dtype), but that sums have 64 bits. */
union kv_value kv_value_combine(const struct kv_numbers *numbers, union kv_value a,
				union kv_value b);

/* Does a packet's value hold it? */
bool kv_value_fits(const struct kv_numbers *numbers, union kv_value value);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* The reference box's arithmetic: by the compiler's own types, one number after the other. */
#ifndef REFSUM_H
#define REFSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * union refsum - a number while its block is open
 */
union refsum {
	int32_t i;
	float f;
	int64_t l;
	double d;
};

/* Bytes of a number in a packet; @dtype is an enum weir_dtype. */
size_t refsum_size(uint8_t dtype);

/* A block's first numbers. */
void refsum_set(union refsum *sum, const uint8_t *wire, unsigned int count, uint8_t dtype,
		bool little);

/* Set numbers to a sum of none: 0, of floats -0. */
void refsum_set_neutral(union refsum *sum, unsigned int count, uint8_t dtype);

/* Further ones; @op is an enum weir_op. Returns whether a sum has left its type. */
bool refsum_add(union refsum *sum, const uint8_t *wire, unsigned int count, uint8_t dtype,
		uint8_t op, bool little);

/* As packets have them. */
void refsum_get(uint8_t *wire, const union refsum *sum, unsigned int count, uint8_t dtype,
		bool little);

#endif

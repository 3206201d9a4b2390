/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements to and from the wire: byte order, and floats as scaled integers. */
#ifndef WEIR_CONVERT_H
#define WEIR_CONVERT_H

#include <stddef.h>
#include <stdint.h>

void convert_int32_to_wire(uint32_t *restrict wire, const int32_t *restrict in,
			   size_t count);
void convert_wire_to_int32(int32_t *restrict out, const uint32_t *restrict wire,
			   size_t count);
void convert_float_to_wire(uint32_t *restrict wire, const float *restrict in,
			   size_t count, double scale);
void convert_wire_to_float(float *restrict out, const uint32_t *restrict wire,
			   size_t count, double scale);

/**
 * convert_float_check() - can all these elements be sent?
 * @in: the elements
 * @count: how many
 * @scale: what they will be multiplied with
 * @at: set to the first that cannot
 *
 * Return: 0, -EDOM when it is not finite, -ERANGE when it does not fit int32.
 */
int convert_float_check(const float *in, size_t count, double scale, size_t *at);

#endif

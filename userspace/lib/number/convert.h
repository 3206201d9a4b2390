/* SPDX-License-Identifier: BSD-2-Clause */
/* Elements to and from the wire: byte order, types, and floats as scaled integers. */
#ifndef WEIR_CONVERT_H
#define WEIR_CONVERT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "number/number.h"

/* The most elements of one call. */
#define CONVERT_MAX	2048

/**
 * struct scaling - how floats become integers
 * @factor: the factor of each
 * @limit: integers are cut to less than that, and to no less than -limit, and a NaN to 0; 0 where
 *	none can be larger
 */
struct scaling {
	double factor;
	double limit;
};

/**
 * convert_to_wire() - elements as the box takes them
 * @wire: buffer for them
 * @wire_type: the job's type
 * @in: the elements
 * @type: type of the elements; int32, int64 and float64 only for the same @wire_type
 * @count: number of elements, CONVERT_MAX at most
 * @scaling: of floats to an int32
 * @little: little-endian there, else in network byte order
 *
 * Floats are rounded to the nearest, halves to even.
 */
void convert_to_wire(void *restrict wire, enum weir_type wire_type, const void *restrict in,
		     enum weir_type type, size_t count, const struct scaling *scaling, bool little);

/**
 * convert_from_wire() - elements as the box has sent them
 * @out: buffer for them
 * @type: their type then; int32, int64 and float64 only from the same
 * @wire: the elements there
 * @wire_type: the job's type
 * @count: number of elements, CONVERT_MAX at most
 * @divisor: the divisor of each before it is rounded, 1 for none; floats only
 * @little: little-endian there, else in network byte order
 */
void convert_from_wire(void *restrict out, enum weir_type type, const void *restrict wire,
		       enum weir_type wire_type, size_t count, double divisor, bool little);

/* Turn elements of the wire, of @size bytes each, into the other byte order, where they are. */
void convert_swap(void *wire, size_t size, size_t count);

/**
 * convert_largest() - the largest of floats, by their size
 * @in: the elements
 * @type: type of the elements
 * @count: number of elements
 *
 * Return: an infinity or a NaN, where one of them is not finite.
 */
float convert_largest(const void *in, enum weir_type type, size_t count);

/* The same, where an infinity counts as the largest finite number, and a NaN as 0. */
float convert_largest_saturated(const void *in, enum weir_type type, size_t count);

/* The rest of floats that are scaled and cut: in - cut / factor; 0 of those that are not finite. */
void convert_cut_off(void *restrict rest, const void *restrict in, enum weir_type type,
		     size_t count, const struct scaling *scaling);

/**
 * convert_check() - check that all these floats can be sent
 * @in: the elements
 * @type: type of the elements
 * @count: number of elements
 * @scale: the factor of each
 * @at: set to the first that cannot
 * @value: and to its value
 *
 * Return: 0, -EDOM when it is not finite, -ERANGE when it does not fit int32.
 */
int convert_check(const void *in, enum weir_type type, size_t count, double scale, size_t *at,
		  double *value);

#endif

// SPDX-License-Identifier: BSD-2-Clause
#include "kv/value.h"

#include <float.h>
#include <math.h>
#include <string.h>

union kv_value kv_value_read(const struct kv_numbers *numbers, uint32_t bits)
{
	union kv_value value;
	float real;

	if (numbers->type == WEIR_INT32) {
		value.integer = (int32_t)bits;
		return value;
	}
	memcpy(&real, &bits, sizeof(real));
	value.real = (double)real;
	return value;
}

uint32_t kv_value_bits(const struct kv_numbers *numbers, union kv_value value)
{
	float real;
	uint32_t bits;

	if (numbers->type == WEIR_INT32)
		return (uint32_t)value.integer;
	real = (float)value.real;
	memcpy(&bits, &real, sizeof(bits));
	return bits;
}

static int64_t combine_integers(enum weir_operation operation, int64_t a, int64_t b)
{
	if (operation == WEIR_SUM)
		return a + b;
	return (operation == WEIR_MIN) == (a < b) ? a : b;
}

/* -0 is less than 0. */
static bool is_less(double a, double b)
{
	return a < b || (a <= b && signbit(a) && !signbit(b));
}

static double combine_reals(enum weir_operation operation, double a, double b)
{
	if (operation == WEIR_SUM)
		return a + b;
	/* A NaN prevails. */
	if (isnan(a) || isnan(b))
		return isnan(a) ? a : b;
	return (operation == WEIR_MIN) == is_less(a, b) ? a : b;
}

union kv_value kv_value_combine(const struct kv_numbers *numbers, union kv_value a,
				union kv_value b)
{
	if (numbers->type == WEIR_INT32)
		a.integer = combine_integers(numbers->operation, a.integer, b.integer);
	else
		a.real = combine_reals(numbers->operation, a.real, b.real);
	return a;
}

bool kv_value_fits(const struct kv_numbers *numbers, union kv_value value)
{
	if (numbers->type == WEIR_INT32)
		return value.integer == (int32_t)value.integer;
	return !isfinite(value.real) || fabs(value.real) <= (double)FLT_MAX;
}

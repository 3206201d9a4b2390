// SPDX-License-Identifier: BSD-2-Clause
#include "kv/value.h"

#include <math.h>
#include <string.h>

union kv_value kv_value_read(const struct kv_numbers *numbers, uint64_t bits)
{
	uint32_t low = (uint32_t)bits;
	union kv_value value;
	float real;

	if (numbers->type == WEIR_FLOAT32) {
		memcpy(&real, &low, sizeof(real));
		value.real = (double)real;
	} else {
		value.integer = numbers->type == WEIR_INT64 ? (int64_t)bits : (int32_t)low;
	}
	return value;
}

uint64_t kv_value_bits(const struct kv_numbers *numbers, union kv_value value)
{
	float real;
	uint32_t bits;

	if (kv_value_is_integer(numbers))
		return (uint64_t)value.integer;
	real = (float)value.real;
	memcpy(&bits, &real, sizeof(bits));
	return bits;
}

static bool combine_integers(enum weir_operation operation, int64_t *to, int64_t more)
{
	int64_t sum;

	if (operation != WEIR_SUM) {
		*to = (operation == WEIR_MIN) == (*to < more) ? *to : more;
		return true;
	}
	if (__builtin_add_overflow(*to, more, &sum))
		return false;
	*to = sum;
	return true;
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

bool kv_value_combine(const struct kv_numbers *numbers, union kv_value *to, union kv_value more)
{
	if (kv_value_is_integer(numbers))
		return combine_integers(numbers->operation, &to->integer, more.integer);
	to->real = combine_reals(numbers->operation, to->real, more.real);
	return true;
}

bool kv_value_fits(const struct kv_numbers *numbers, union kv_value value)
{
	if (numbers->type == WEIR_INT64)
		return true;
	if (numbers->type == WEIR_INT32)
		return value.integer == (int32_t)value.integer;
	/* FLT_MAX in nine digits is a larger double, and is rounded to FLT_MAX. */
	return !isfinite(value.real) || isfinite((float)value.real);
}

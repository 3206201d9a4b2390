// SPDX-License-Identifier: GPL-2.0
#include "refsum.h"

#include <math.h>
#include <string.h>

#include <weir.h>

size_t refsum_size(uint8_t dtype)
{
	switch (dtype) {
	case WEIR_DTYPE_INT64:
	case WEIR_DTYPE_FLOAT64:
		return 8;
	case WEIR_DTYPE_BFLOAT16:
	case WEIR_DTYPE_FLOAT16:
		return 2;
	default:
		return 4;
	}
}

static uint64_t get(const uint8_t *wire, size_t size, bool little)
{
	uint64_t value = 0;

	for (size_t i = 0; i < size; i++)
		value = value << 8 | wire[little ? size - 1 - i : i];
	return value;
}

static void put(uint8_t *wire, size_t size, uint64_t value, bool little)
{
	for (size_t i = 0; i < size; i++, value >>= 8)
		wire[little ? i : size - 1 - i] = (uint8_t)value;
}

static float float_of(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

static uint32_t bits_of(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

static union refsum load(const uint8_t *wire, uint8_t dtype, bool little)
{
	uint64_t all = get(wire, refsum_size(dtype), little);
	uint32_t bits = (uint32_t)all;
	uint16_t half = (uint16_t)bits;
	union refsum sum;
	_Float16 h;

	switch (dtype) {
	case WEIR_DTYPE_INT64:
		return (union refsum) { .l = (int64_t)all };
	case WEIR_DTYPE_FLOAT64:
		memcpy(&sum.d, &all, sizeof(all));
		return sum;
	case WEIR_DTYPE_FLOAT32:
		return (union refsum) { .f = float_of(bits) };
	case WEIR_DTYPE_BFLOAT16:
		return (union refsum) { .f = float_of(bits << 16) };
	case WEIR_DTYPE_FLOAT16:
		memcpy(&h, &half, sizeof(h));
		return (union refsum) { .f = (float)h };
	default:
		return (union refsum) { .i = (int32_t)bits };
	}
}

static uint32_t brain(float f)
{
	uint32_t below = bits_of(f) & 0xffff0000, rest = bits_of(f) & 0xffff;

	if (rest > 0x8000 || (rest == 0x8000 && below & 0x10000))
		below += 0x10000;
	return below >> 16;
}

static void store(uint8_t *wire, union refsum sum, uint8_t dtype, bool little)
{
	_Float16 h = 0;
	uint16_t half;
	uint64_t all;

	switch (dtype) {
	case WEIR_DTYPE_INT64:
		put(wire, 8, (uint64_t)sum.l, little);
		break;
	case WEIR_DTYPE_FLOAT64:
		memcpy(&all, &sum.d, sizeof(all));
		put(wire, 8, isnan(sum.d) ? 0x7ff8ULL << 48 : all, little);
		break;
	case WEIR_DTYPE_FLOAT32:
		put(wire, 4, isnan(sum.f) ? 0x7fc00000 : bits_of(sum.f), little);
		break;
	case WEIR_DTYPE_BFLOAT16:
		put(wire, 2, isnan(sum.f) ? 0x7fc0 : brain(sum.f), little);
		break;
	case WEIR_DTYPE_FLOAT16:
		h = (_Float16)sum.f;
		memcpy(&half, &h, sizeof(half));
		put(wire, 2, isnan(sum.f) ? 0x7e00 : half, little);
		break;
	default:
		put(wire, 4, (uint32_t)sum.i, little);
	}
}

static double combine_doubles(double a, double b, uint8_t op)
{
	if (op == WEIR_OP_SUM)
		return a + b;
	if (isnan(a) || isnan(b))
		return NAN;
	if (a == b)
		return signbit(a) == (op == WEIR_OP_MIN) ? a : b;
	return (a < b) == (op == WEIR_OP_MIN) ? a : b;
}

static float combine_floats(float a, float b, uint8_t op)
{
	return op == WEIR_OP_SUM ? a + b : (float)combine_doubles((double)a, (double)b, op);
}

static bool combine_longs(int64_t *a, int64_t b, uint8_t op)
{
	if (op == WEIR_OP_SUM)
		return __builtin_add_overflow(*a, b, a);
	if ((b < *a) == (op == WEIR_OP_MIN))
		*a = b;
	return false;
}

static bool combine_ints(int32_t *a, int32_t b, uint8_t op)
{
	if (op == WEIR_OP_SUM)
		return __builtin_add_overflow(*a, b, a);
	if ((b < *a) == (op == WEIR_OP_MIN))
		*a = b;
	return false;
}

void refsum_set(union refsum *sum, const uint8_t *wire, unsigned int count, uint8_t dtype,
		bool little)
{
	for (unsigned int i = 0; i < count; i++)
		sum[i] = load(wire + i * refsum_size(dtype), dtype, little);
}

void refsum_set_neutral(union refsum *sum, unsigned int count, uint8_t dtype)
{
	union refsum neutral;

	switch (dtype) {
	case WEIR_DTYPE_INT32:
		neutral = (union refsum) { .i = 0 };
		break;
	case WEIR_DTYPE_INT64:
		neutral = (union refsum) { .l = 0 };
		break;
	case WEIR_DTYPE_FLOAT64:
		neutral = (union refsum) { .d = -0.0 };
		break;
	default:
		neutral = (union refsum) { .f = -0.0f };
	}
	for (unsigned int i = 0; i < count; i++)
		sum[i] = neutral;
}

bool refsum_add(union refsum *sum, const uint8_t *wire, unsigned int count, uint8_t dtype,
		uint8_t op, bool little)
{
	bool left = false;

	for (unsigned int i = 0; i < count; i++) {
		union refsum x = load(wire + i * refsum_size(dtype), dtype, little);

		if (dtype == WEIR_DTYPE_INT32)
			left |= combine_ints(&sum[i].i, x.i, op);
		else if (dtype == WEIR_DTYPE_INT64)
			left |= combine_longs(&sum[i].l, x.l, op);
		else if (dtype == WEIR_DTYPE_FLOAT64)
			sum[i].d = combine_doubles(sum[i].d, x.d, op);
		else
			sum[i].f = combine_floats(sum[i].f, x.f, op);
	}
	return left;
}

void refsum_get(uint8_t *wire, const union refsum *sum, unsigned int count, uint8_t dtype,
		bool little)
{
	for (unsigned int i = 0; i < count; i++)
		store(wire + i * refsum_size(dtype), sum[i], dtype, little);
}

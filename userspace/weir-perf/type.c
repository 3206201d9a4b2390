// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "perf.h"

static const struct {
	const char *name;
	size_t size;
	unsigned int bits;
} types[] = {
	[WEIR_INT32] = { "int32", 4, 31 },
	[WEIR_FLOAT32] = { "float32", 4, 24 },
	[WEIR_BFLOAT16] = { "bfloat16", 2, 8 },
	[WEIR_FLOAT16] = { "float16", 2, 11 },
	/* No more than the noise has that elements are made of. */
	[WEIR_INT64] = { "int64", 8, 31 },
	[WEIR_FLOAT64] = { "float64", 8, 31 },
};

static const char *const operations[] = {
	[WEIR_SUM] = "sum",
	[WEIR_MIN] = "min",
	[WEIR_MAX] = "max",
};

size_t type_size(enum weir_type type)
{
	return types[type].size;
}

const char *type_name(enum weir_type type)
{
	return types[type].name;
}

unsigned int type_bits(enum weir_type type)
{
	return types[type].bits;
}

const char *operation_name(enum weir_operation operation)
{
	return operations[operation];
}

enum weir_type type_find(const char *name)
{
	for (enum weir_type type = WEIR_INT32; type <= WEIR_FLOAT64; type++)
		if (!strcmp(name, types[type].name))
			return type;
	return 0;
}

enum weir_operation operation_find(const char *name)
{
	for (enum weir_operation op = WEIR_SUM; op <= WEIR_MAX; op++)
		if (!strcmp(name, operations[op]))
			return op;
	return 0;
}

double type_get(const void *vector, enum weir_type type, size_t i)
{
	uint32_t bits;
	_Float16 half;
	float f;

	switch (type) {
	case WEIR_INT32:
		return ((const int32_t *)vector)[i];
	case WEIR_FLOAT32:
		return (double)((const float *)vector)[i];
	case WEIR_INT64:
		return (double)((const int64_t *)vector)[i];
	case WEIR_FLOAT64:
		return ((const double *)vector)[i];
	case WEIR_BFLOAT16:
		bits = (uint32_t)((const uint16_t *)vector)[i] << 16;
		memcpy(&f, &bits, sizeof(f));
		return (double)f;
	default:
		memcpy(&half, (const uint16_t *)vector + i, sizeof(half));
		return (double)half;
	}
}

void type_put(void *vector, enum weir_type type, size_t i, double value)
{
	_Float16 half = (_Float16)value;
	float f = (float)value;
	uint32_t bits;

	switch (type) {
	case WEIR_INT32:
		((int32_t *)vector)[i] = (int32_t)value;
		break;
	case WEIR_FLOAT32:
		((float *)vector)[i] = f;
		break;
	case WEIR_INT64:
		((int64_t *)vector)[i] = (int64_t)value;
		break;
	case WEIR_FLOAT64:
		((double *)vector)[i] = value;
		break;
	case WEIR_BFLOAT16:
		/* It has no more bits than that. */
		memcpy(&bits, &f, sizeof(bits));
		((uint16_t *)vector)[i] = (uint16_t)(bits >> 16);
		break;
	default:
		memcpy((uint16_t *)vector + i, &half, sizeof(half));
		break;
	}
}

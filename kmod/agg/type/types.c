// SPDX-License-Identifier: GPL-2.0
/* The types of numbers and their operations: a line each. */
#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <uapi/weir.h>

#include "agg/type/binned64.h"
#include "agg/type/reduce.h"
#include "agg/type/reduce_ops.h"
#include "agg/type/vector.h"

/*
 * Gradients from which on vectors pay: saving their registers costs as much as plain C
 * takes for so many integers. Floats are some twenty times as dear there.
 */
#define WEIR_LEAST_INT		64
#define WEIR_LEAST_FLOAT	8

/* The loops of packets in network byte order, and in little-endian order. */
#define WEIR_SCALARS(name)	{ &weir_##name##_scalar, &weir_##name##_scalar_little }
#ifdef CONFIG_X86_64
#define WEIR_VECTORS(name)	{ &weir_##name##_avx2, &weir_##name##_avx2_little }
#elif defined(CONFIG_ARM64)
#define WEIR_VECTORS(name)	{ &weir_##name##_neon, &weir_##name##_neon_little }
#else
#define WEIR_VECTORS(name)	{}
#endif

/* Gradients of an open block that a page has room for: one word of 4 or 8 bytes each, or four. */
#define WEIR_ONE_WORD		(PAGE_SHIFT - 2)
#define WEIR_FOUR_WORDS		(PAGE_SHIFT - 4)
#define WEIR_ONE_WORD64		(PAGE_SHIFT - 3)
#define WEIR_FOUR_WORDS64	(PAGE_SHIFT - 5)
static_assert(1 << WEIR_FOUR_WORDS == WEIR_BINNED_WORDS);
static_assert(1 << WEIR_FOUR_WORDS64 == WEIR_BINNED64_WORDS);

#define WEIR_INT(type, operation, bytes_shift, words, loops) {			\
	.dtype = WEIR_DTYPE_##type, .op = WEIR_OP_##operation,			\
	.shift = bytes_shift, .page_shift = words,				\
	.needs = WEIR_CPU_VECTORS, .least = WEIR_LEAST_INT,			\
	.scalar = WEIR_SCALARS(loops), .vector = WEIR_VECTORS(loops),		\
}

#define WEIR_FLOAT(type, operation, in_order, bytes_shift, words, cpu, loops) {	\
	.dtype = WEIR_DTYPE_##type, .op = WEIR_OP_##operation,			\
	.order = in_order, .shift = bytes_shift, .page_shift = words,		\
	.needs = cpu, .least = WEIR_LEAST_FLOAT,				\
	.scalar = WEIR_SCALARS(loops), .vector = WEIR_VECTORS(loops),		\
}

/* Only of sums there are two kinds: minima and maxima are the same in any order. */
#define WEIR_FLOATS_OF(type, name, shift, one, four, cpu)			\
	WEIR_FLOAT(type, SUM, WEIR_ORDER_ARRIVAL, shift, one, cpu, name##_sum),	\
	WEIR_FLOAT(type, SUM, WEIR_ORDER_FIXED, shift, four, cpu, name##_binned), \
	WEIR_FLOAT(type, MIN, 0, shift, one, cpu, name##_min),			\
	WEIR_FLOAT(type, MAX, 0, shift, one, cpu, name##_max)

#define WEIR_FLOATS(type, name, shift, cpu)					\
	WEIR_FLOATS_OF(type, name, shift, WEIR_ONE_WORD, WEIR_FOUR_WORDS, cpu)

static const struct weir_reduction weir_reductions[] = {
	WEIR_INT(INT32, SUM, 2, WEIR_ONE_WORD, int32_sum),
	WEIR_INT(INT32, MIN, 2, WEIR_ONE_WORD, int32_min),
	WEIR_INT(INT32, MAX, 2, WEIR_ONE_WORD, int32_max),
	WEIR_FLOATS(FLOAT32, float32, 2, WEIR_CPU_VECTORS),
	WEIR_FLOATS(BFLOAT16, bfloat16, 1, WEIR_CPU_VECTORS),
	WEIR_FLOATS(FLOAT16, float16, 1, WEIR_CPU_VECTORS | WEIR_CPU_HALVES),
	WEIR_INT(INT64, SUM, 3, WEIR_ONE_WORD64, int64_sum),
	WEIR_INT(INT64, MIN, 3, WEIR_ONE_WORD64, int64_min),
	WEIR_INT(INT64, MAX, 3, WEIR_ONE_WORD64, int64_max),
	WEIR_FLOATS_OF(FLOAT64, float64, 3, WEIR_ONE_WORD64, WEIR_FOUR_WORDS64, WEIR_CPU_VECTORS),
};

/**
 * weir_reduction_find() - find the reduction of a job
 * @dtype: enum weir_dtype
 * @op: enum weir_op
 * @order: enum weir_order
 *
 * Any context. Return: the reduction, or NULL where there is none.
 */
const struct weir_reduction *weir_reduction_find(u32 dtype, u32 op, u32 order)
{
	const struct weir_reduction *r;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(weir_reductions); i++) {
		r = &weir_reductions[i];
		if (r->dtype == dtype && r->op == op && (!r->order || r->order == order))
			return r;
	}
	return NULL;
}

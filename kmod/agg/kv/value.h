/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_KV_VALUE_H
#define _WEIR_KV_VALUE_H

#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/types.h>
#include <uapi/weir.h>

#include "agg/type/soft.h"

/* Bytes of a value of an enum weir_dtype. */
static __always_inline u32 weir_kv_width(u8 dtype)
{
	return dtype == WEIR_DTYPE_INT64 ? 8 : 4;
}

static __always_inline bool weir_kv_value_int64(u8 op, u64 *to, u64 from)
{
	s64 sum;

	if (op == WEIR_OP_SUM) {
		if (check_add_overflow((s64)*to, (s64)from, &sum))
			return false;
		*to = sum;
		return true;
	}
	*to = op == WEIR_OP_MIN ? min((s64)*to, (s64)from) : max((s64)*to, (s64)from);
	return true;
}

static __always_inline bool weir_kv_value_int32(u8 op, u64 *to, u32 from)
{
	u32 was = *to;
	s32 sum;

	if (op == WEIR_OP_SUM) {
		if (check_add_overflow((s32)was, (s32)from, &sum))
			return false;
		*to = (u32)sum;
		return true;
	}
	*to = (u32)(op == WEIR_OP_MIN ? min((s32)was, (s32)from) : max((s32)was, (s32)from));
	return true;
}

/* A NaN prevails, as in blocks. */
static inline void weir_kv_value_float(u8 op, u64 *to, u32 from)
{
	u32 nan = op == WEIR_OP_MIN ? 0x80000000 : 0x7fffffff;
	s32 a, b;

	if (op == WEIR_OP_SUM) {
		*to = weir_f32_add(*to, from);
		return;
	}
	a = weir_f32_to_key(*to, nan);
	b = weir_f32_to_key(from, nan);
	*to = weir_f32_from_key(op == WEIR_OP_MIN ? min(a, b) : max(a, b));
}

/**
 * weir_kv_value_add() - combine two values
 * @dtype: enum weir_dtype: int32, float32 or int64
 * @op: enum weir_op
 * @to: the bits of one, and of the result
 * @from: of the other
 *
 * Return: false where a sum of integers has no room in the type; @to is unchanged then.
 */
static __always_inline bool weir_kv_value_add(u8 dtype, u8 op, u64 *to, u64 from)
{
	if (dtype == WEIR_DTYPE_INT32)
		return weir_kv_value_int32(op, to, from);
	if (dtype == WEIR_DTYPE_INT64)
		return weir_kv_value_int64(op, to, from);
	weir_kv_value_float(op, to, from);
	return true;
}

#endif /* _WEIR_KV_VALUE_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_KV_VALUE_H
#define _WEIR_KV_VALUE_H

#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/types.h>
#include <uapi/weir.h>

#include "type/soft.h"

static __always_inline bool weir_kv_value_int(u8 op, u32 *to, u32 from)
{
	s32 sum;

	if (op == WEIR_OP_SUM) {
		if (check_add_overflow((s32)*to, (s32)from, &sum))
			return false;
		*to = sum;
		return true;
	}
	*to = op == WEIR_OP_MIN ? min((s32)*to, (s32)from) : max((s32)*to, (s32)from);
	return true;
}

/* A NaN prevails, as in blocks. */
static inline void weir_kv_value_float(u8 op, u32 *to, u32 from)
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
 * @is_float: they are binary32, else two's complement
 * @op: enum weir_op
 * @to: one, and the result
 * @from: the other
 *
 * Return: false where a sum of integers has no room in 32 bits; @to is unchanged then.
 */
static __always_inline bool weir_kv_value_add(bool is_float, u8 op, u32 *to, u32 from)
{
	if (!is_float)
		return weir_kv_value_int(op, to, from);
	weir_kv_value_float(op, to, from);
	return true;
}

#endif /* _WEIR_KV_VALUE_H */

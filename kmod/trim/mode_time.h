/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_MODE_TIME_H
#define _WEIR_MODE_TIME_H

#include <linux/types.h>

/**
 * struct weir_mode_time - how long meters were not in the optimistic mode, ns
 * @pessimistic: in the pessimistic mode
 * @half: in the half-pessimistic mode
 */
struct weir_mode_time {
	u64	pessimistic;
	u64	half;
};

/**
 * weir_mode_time() - divide the time since an overflow into modes
 * @since: ns since the overflow; no other came since
 * @t0: ns that the pessimistic mode lasts
 * @t1: ns at which the half-pessimistic mode ends, not before @t0
 */
static inline struct weir_mode_time weir_mode_time(u64 since, u64 t0, u64 t1)
{
	struct weir_mode_time time = { .pessimistic = since };

	if (since <= t0)
		return time;
	time.pessimistic = t0;
	time.half = (since < t1 ? since : t1) - t0;
	return time;
}

#endif /* _WEIR_MODE_TIME_H */

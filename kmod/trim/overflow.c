// SPDX-License-Identifier: GPL-2.0
/*
 * Overflows of the real queue behind the meters of a port: the paper's deflect-on-drop and NOTIFY
 * packets are a time stamp here, which every CPU reads.
 */
#include <linux/ktime.h>

#include "trim/overflow.h"
#include "trim/trim.h"

/* @last: the stamp before. Another CPU may have set a later one already. */
static bool weir_overflow_stamp(struct weir_trim_rev *rev, u64 now, u64 *last)
{
	*last = READ_ONCE(rev->port.overflow);
	do {
		if ((s64)(now - *last) <= 0)
			return false;
	} while (!try_cmpxchg(&rev->port.overflow, last, now));
	return true;
}

/**
 * weir_overflow_signal() - tell all CPUs that a port had no room
 * @trim: its policy
 * @drops: frames that found none
 *
 * Called under rcu_read_lock(), with bottom halves disabled. Only per-CPU meters
 * use it.
 */
void weir_overflow_signal(const struct weir_trim *trim, unsigned int drops)
{
	struct weir_trim_rev *rev = weir_trim_rev(trim);
	struct weir_mode_time time;
	u64 now, last;

	if (!weir_trim_has_modes(&rev->config))
		return;
	weir_trim_count(trim, WEIR_TRIM_C_OVERFLOWS, drops);
	now = ktime_get_ns();
	if (!weir_overflow_stamp(rev, now, &last) || !last)
		return;
	time = weir_mode_time(now - last, rev->port.meters.t0,
			      rev->port.meters.t1);
	weir_trim_count(trim, WEIR_TRIM_C_PESSIMISTIC_TIME, time.pessimistic);
	weir_trim_count(trim, WEIR_TRIM_C_HALF_TIME, time.half);
}

/**
 * weir_overflow_time() - time in modes since the last overflow of a port
 * @rev: its policy
 *
 * The counters have the time before that.
 */
struct weir_mode_time weir_overflow_time(const struct weir_trim_rev *rev)
{
	u64 now = ktime_get_ns(), last = READ_ONCE(rev->port.overflow);

	if (!last || (s64)(now - last) < 0)
		return (struct weir_mode_time) { };
	return weir_mode_time(now - last, rev->port.meters.t0,
			      rev->port.meters.t1);
}

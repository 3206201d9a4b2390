/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_PACE_H
#define _WEIR_PACE_H

#include <linux/time64.h>
#include <linux/types.h>

/* Notices of another box have an effect on others no more often, ns. */
#define WEIR_PACE	(50 * NSEC_PER_MSEC)

/**
 * weir_pace_is_due() - check whether another box's notice may have an effect on others now
 * @last: time when one had, ns; guarded by the lock of the joins, which is held. Set to @now if it
 *	may
 * @now: time, ns of the monotonic clock
 */
static inline bool weir_pace_is_due(u64 *last, u64 now)
{
	if (now < *last + WEIR_PACE)
		return false;
	*last = now;
	return true;
}

#endif /* _WEIR_PACE_H */

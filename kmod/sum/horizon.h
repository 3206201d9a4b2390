/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_HORIZON_H
#define _WEIR_HORIZON_H

#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/types.h>
#include <uapi/weir.h>

/**
 * struct weir_shown - how far a source is
 * @seq: the last block that it has sent, or asked for
 *
 * Nearly each packet of the source writes it, and other sources' packets come on other CPUs: so
 * it has a cache line of its own.
 */
struct weir_shown {
	u32	seq;
} ____cacheline_aligned_in_smp;

/**
 * struct weir_horizon - which results every source has, as far as it has shown
 * @sources: how many there are
 * @size: slots of the table
 * @absent: sources that nothing is retained for: they have no address, or are
 *	dead
 * @returned: number of times that a source has come back
 * @low: the least of @shown at the last look, and above that WEIR_LOW_KNOWN, which
 *	is clear until a look after a source came back
 * @shown: by source id
 *
 * Blocks are sequence numbers here, see struct weir_generations. A worker sends a
 * block only when it has the results of all blocks a window before it, and a window
 * is half of the table at most. So the blocks that it sends show which results it
 * has; and the blocks of the others limit how far ahead it can honestly be.
 */
struct weir_horizon {
	u16		sources;
	u32		size;
	DECLARE_BITMAP(absent, WEIR_SOURCES_MAX);
	atomic_t	returned;
	u64		low;
	struct weir_shown *shown;
};

/**
 * enum weir_reach - how far ahead of the others a block is
 * @WEIR_REACH_NEAR: within half a table of the last block that every other source
 *	has shown
 * @WEIR_REACH_FAR: some source is further behind than that
 * @WEIR_REACH_BEYOND: more than a table ahead of all blocks that any source has
 *	ever shown, its own included: no honest worker is
 */
enum weir_reach {
	WEIR_REACH_NEAR,
	WEIR_REACH_FAR,
	WEIR_REACH_BEYOND,
};

int weir_horizon_init(struct weir_horizon *horizon, u16 sources, u32 size);
void weir_horizon_uninit(struct weir_horizon *horizon);
u32 weir_horizon_end(const struct weir_horizon *horizon, u32 start);
void weir_horizon_begin(struct weir_horizon *horizon, u32 next);
void weir_horizon_leave(struct weir_horizon *horizon, u16 source);
void weir_horizon_return(struct weir_horizon *horizon, u16 source);
bool weir_horizon_is_at(const struct weir_horizon *horizon, u16 source, u32 seq);
bool weir_horizon_has(const struct weir_horizon *horizon, u16 source, u32 seq);
enum weir_reach weir_horizon_reach(struct weir_horizon *horizon, u16 source,
				   u32 seq);

/**
 * weir_horizon_show() - a source sends a block, or asks for one
 * @horizon: the horizon
 * @source: source id
 * @seq: sequence number of the block
 *
 * Any context.
 */
static inline void weir_horizon_show(struct weir_horizon *horizon, u16 source, u32 seq)
{
	u32 old = READ_ONCE(horizon->shown[source].seq), seen;

	while ((s32)(seq - old) > 0) {
		seen = cmpxchg(&horizon->shown[source].seq, old, seq);
		if (seen == old)
			return;
		old = seen;
	}
}

#endif /* _WEIR_HORIZON_H */

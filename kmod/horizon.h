/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_HORIZON_H
#define _WEIR_HORIZON_H

#include <linux/bitmap.h>
#include <linux/types.h>
#include <uapi/weir.h>

/**
 * struct weir_horizon - which results every source has, as far as it has shown
 * @sources: how many there are
 * @half: a window at most, half of the table
 * @absent: sources that nothing is retained for: they have no address, or are
 *	dead
 * @low: the least of @shown when somebody last looked
 * @shown: by source id, the last block that it has sent, or asked for, and its
 *	generation above that, so that both change as one
 *
 * A worker sends a block only when it has the results of all blocks a window
 * before it. So what it sends shows what it has.
 */
struct weir_horizon {
	u16	sources;
	u32	half;
	DECLARE_BITMAP(absent, WEIR_SOURCES_MAX);
	u64	low;
	u64	*shown;
};

int weir_horizon_init(struct weir_horizon *horizon, u16 sources, u32 size);
void weir_horizon_uninit(struct weir_horizon *horizon);
void weir_horizon_leave(struct weir_horizon *horizon, u16 source);
void weir_horizon_return(struct weir_horizon *horizon, u16 source);
void weir_horizon_show(struct weir_horizon *horizon, u16 source,
		       u32 generation, u32 id);
bool weir_horizon_has(const struct weir_horizon *horizon, u16 source,
		      u32 generation, u32 id);
bool weir_horizon_passed(struct weir_horizon *horizon, u32 generation, u32 id);

#endif /* _WEIR_HORIZON_H */

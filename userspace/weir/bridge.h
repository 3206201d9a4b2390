/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A bridge of the kernel: its ports, what it has learned, and what follows from that
 * for a frame that comes in by one of the ports.
 */
#ifndef WEIR_BRIDGE_H
#define WEIR_BRIDGE_H

#include <linux/types.h>

#include <weir_trim.h>

#include "rtnl.h"

/**
 * struct bridge_way - a frame with this key leaves by this device, as it is
 */
struct bridge_way {
	struct weir_fdb_key key;
	uint32_t egress;
};

/* In the order of their keys. */
struct bridge_ways {
	size_t count;
	struct bridge_way *way;
};

/*
 * All that the bridge would forward to one port without changing the frame. What it
 * would flood, filter, or give or take a VLAN tag has no way. The caller frees
 * @ways->way, whatever was returned. Returns 0 or a negative errno.
 */
int bridge_ways(struct nl *rtnl, unsigned int bridge, struct bridge_ways *ways);

int bridge_compare_ways(const void *a, const void *b);

#endif

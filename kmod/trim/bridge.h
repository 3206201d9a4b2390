/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_BRIDGE_H
#define _WEIR_BRIDGE_H

#include <linux/types.h>

struct ethhdr;
struct net_device;

int weir_bridge_find(struct net_device *from, const struct ethhdr *eth, u16 tag,
		     bool shown);

#endif /* _WEIR_BRIDGE_H */

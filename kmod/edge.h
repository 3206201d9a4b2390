/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_EDGE_H
#define _WEIR_EDGE_H

#include <linux/types.h>

struct net_device;
struct weir_net;

bool weir_edge(struct weir_net *wn, int ifindex);
bool weir_edge_early(struct net_device *dev);

#endif /* _WEIR_EDGE_H */

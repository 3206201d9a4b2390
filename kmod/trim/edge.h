/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_EDGE_H
#define _WEIR_EDGE_H

#include <linux/types.h>

struct net_device;
struct sk_buff;
struct weir_trim_net;

bool weir_edge(const struct sk_buff *skb);
bool weir_edge_any(struct weir_trim_net *wn);
bool weir_edge_early(struct net_device *dev);
void weir_edge_vouch(struct sk_buff *skb);

#endif /* _WEIR_EDGE_H */

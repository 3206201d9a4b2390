/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_DEFLECT_H
#define _WEIR_DEFLECT_H

#include <linux/types.h>

struct net_device;
struct sk_buff;

struct net_device *weir_deflect_alloc(struct net_device *to);
struct net_device *weir_deflect_before(const struct net_device *dev);
bool weir_deflect_taken(const struct sk_buff *skb, u32 *counter);
bool weir_deflect_told(const struct net_device *dev);

#endif /* _WEIR_DEFLECT_H */

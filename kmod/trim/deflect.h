/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_DEFLECT_H
#define _WEIR_DEFLECT_H

#include <linux/types.h>

struct net_device;
struct sk_buff;
struct weir_trim;

/**
 * struct weir_deflect_was - a packet that its device had no room for
 * @skb: the packet, which may be gone; NULL where it was not deflected
 * @counter: the counter that it is in: enum weir_trim_counter, or WEIR_TRIM_C_TX_OF()
 * @len: with so many bytes
 */
struct weir_deflect_was {
	const struct sk_buff	*skb;
	u32			counter;
	u32			len;
};

struct net_device *weir_deflect_alloc(struct net_device *to);
struct net_device *weir_deflect_before(const struct net_device *dev);
void weir_deflect_was(struct sk_buff *skb, struct weir_deflect_was *was);
void weir_deflect_take(const struct weir_trim *trim,
		       const struct weir_deflect_was *was);
bool weir_deflect_told(const struct net_device *dev);

#endif /* _WEIR_DEFLECT_H */

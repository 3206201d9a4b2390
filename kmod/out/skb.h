/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_SKB_H
#define _WEIR_SKB_H

#include <linux/types.h>

struct sk_buff;
struct weir_packet;

struct sk_buff *weir_skb(const struct weir_packet *pkt, bool tail);

#endif /* _WEIR_SKB_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_FRAME_H
#define _WEIR_FRAME_H

#include <linux/types.h>

struct sk_buff;
struct weir_contrib;
struct xdp_buff;

bool weir_frame_is_ours_xdp(const struct xdp_buff *xdp, const struct weir_contrib *c);
bool weir_frame_is_ours_skb(const struct sk_buff *skb, const struct weir_contrib *c);
u16 weir_frame_vlan_xdp(const struct xdp_buff *xdp,
			const struct weir_contrib *c);
bool weir_frame_leaves(const struct sk_buff *skb);
bool weir_frame_is_fragments(const struct sk_buff *skb);

#endif /* _WEIR_FRAME_H */

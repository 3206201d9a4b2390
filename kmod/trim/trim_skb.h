/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_TRIM_SKB_H
#define _WEIR_TRIM_SKB_H

#include <linux/types.h>
#include <trim/weir_trim_class.h>

struct sk_buff;

bool weir_trim_skb_parse(struct sk_buff *skb, struct weir_trim_pkt *pkt);
int weir_trim_skb_unmark(struct sk_buff *skb, struct weir_trim_pkt *pkt);
struct sk_buff *weir_trim_skb_cut(const struct weir_trim_policy *policy,
				  struct sk_buff *skb,
				  struct weir_trim_pkt *pkt);
int weir_trim_skb_class(struct sk_buff *skb, u32 class);
bool weir_trim_skb_returnable(const struct weir_trim_policy *policy,
			      const struct sk_buff *skb);
bool weir_trim_skb_return(const struct weir_trim_policy *policy,
			  struct sk_buff *skb, struct weir_trim_pkt *pkt);

#endif /* _WEIR_TRIM_SKB_H */

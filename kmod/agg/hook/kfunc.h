/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_KFUNC_H
#define _WEIR_KFUNC_H

#include <linux/types.h>

struct __sk_buff;
struct weir_contrib;
struct xdp_md;

int weir_contribute_xdp(struct xdp_md *ctx, struct weir_contrib *contrib,
			u32 contrib__sz);
int weir_contribute_skb(struct __sk_buff *ctx, struct weir_contrib *contrib,
			u32 contrib__sz);
int weir_contribute_merged_skb(struct __sk_buff *ctx, struct weir_contrib *contrib,
			       u32 contrib__sz);
int weir_refuse_xdp(struct xdp_md *ctx, struct weir_contrib *contrib,
		    u32 contrib__sz, u32 reason);
int weir_refuse_skb(struct __sk_buff *ctx, struct weir_contrib *contrib,
		    u32 contrib__sz, u32 reason);
int weir_arp_xdp(struct xdp_md *ctx, struct weir_contrib *contrib, u32 contrib__sz);
int weir_arp_skb(struct __sk_buff *ctx, struct weir_contrib *contrib, u32 contrib__sz);

int weir_kfunc_init(void);

#endif /* _WEIR_KFUNC_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_TRIM_KFUNC_H
#define _WEIR_TRIM_KFUNC_H

#include <linux/types.h>

struct __sk_buff;
struct xdp_md;

u8 *weir_trim_port_xdp(struct xdp_md *ctx, u32 ifindex,
		       const u32 rdwr_buf_size);
u8 *weir_trim_port_skb(struct __sk_buff *ctx, u32 ifindex,
		       const u32 rdwr_buf_size);
u8 *weir_trim_cpu_xdp(struct xdp_md *ctx, u32 ifindex,
		      const u32 rdwr_buf_size);
u8 *weir_trim_cpu_skb(struct __sk_buff *ctx, u32 ifindex,
		      const u32 rdwr_buf_size);
u32 weir_trim_from_xdp(struct xdp_md *ctx);
int weir_trim_edge_xdp(struct xdp_md *ctx);
int weir_trim_edge_skb(struct __sk_buff *ctx);
u32 weir_trim_acl_xdp(struct xdp_md *ctx, u32 ifindex, const void *ends, u32 ends__sz);
u32 weir_trim_acl_skb(struct __sk_buff *ctx, u32 ifindex, const void *ends, u32 ends__sz);
int weir_trim_acl_count_xdp(struct xdp_md *ctx, u32 ifindex, u32 prio, u32 bytes);
int weir_trim_acl_count_skb(struct __sk_buff *ctx, u32 ifindex, u32 prio, u32 bytes);
int weir_trim_backlog_xdp(struct xdp_md *ctx, u32 ifindex);
int weir_trim_bridge_xdp(struct xdp_md *ctx, u32 tag);
void weir_trim_frags_xdp(struct xdp_md *ctx, u32 len);
int weir_trim_note_xdp(struct xdp_md *ctx, u32 counter);
int weir_trim_plain_skb(struct __sk_buff *ctx);
int weir_trim_length_skb(struct __sk_buff *ctx);
int weir_trim_queue_skb(struct __sk_buff *ctx, u32 queue);
int weir_trim_class_skb(struct __sk_buff *ctx, u32 class);

int weir_trim_kfunc_init(void);

#endif /* _WEIR_TRIM_KFUNC_H */

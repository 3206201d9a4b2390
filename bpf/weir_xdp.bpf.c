// SPDX-License-Identifier: GPL-2.0
/*
 * The XDP program of a port: hands contributions over, leaves the rest alone.
 * In the driver or behind it; frames may have fragments.
 */
#include <linux/bpf.h>
#include <linux/errno.h>
#include <stdbool.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "lib/format/weir_parse.h"

extern int weir_contribute_xdp(struct xdp_md *ctx, struct weir_contrib *contrib,
			       __u32 contrib__sz) __ksym;
extern int weir_refuse_xdp(struct xdp_md *ctx, struct weir_contrib *contrib,
			   __u32 contrib__sz, __u32 reason) __ksym;

extern int weir_arp_xdp(struct xdp_md *ctx, struct weir_contrib *contrib,
			__u32 contrib__sz) __ksym;

#ifdef WEIR_XDP_BOUND
extern int bpf_xdp_metadata_rx_vlan_tag(const struct xdp_md *ctx,
					__be16 *vlan_proto,
					__u16 *vlan_tci) __ksym;

/* A tag that the driver has taken off stood before all tags in the frame. */
static __always_inline void weir_driver_tag(struct xdp_md *ctx,
					    struct weir_contrib *contrib)
{
	__be16 proto;
	__u16 tci;
	int err = bpf_xdp_metadata_rx_vlan_tag(ctx, &proto, &tci);

	if (!err)
		contrib->vlan = tci & WEIR_VLAN_ID;
	if (err != -EOPNOTSUPP)
		contrib->flags |= WEIR_CONTRIB_VLAN;
}
#else
static __always_inline void weir_driver_tag(struct xdp_md *ctx,
					    struct weir_contrib *contrib)
{
}
#endif

SEC("xdp.frags")
int weir_xdp(struct xdp_md *ctx)
{
	struct weir_contrib contrib = {};
	struct weir_cursor c = {
		.start	= (void *)(long)ctx->data,
		.pos	= (void *)(long)ctx->data,
		.end	= (void *)(long)ctx->data_end,
	};
	int ret;

	ret = weir_parse(&c, &contrib);
	if (ret == WEIR_PARSE_OTHER)
		return XDP_PASS;
	weir_driver_tag(ctx, &contrib);
	if (ret < WEIR_PARSE_OTHER) {
		if (ret == WEIR_PARSE_ARP)
			return weir_arp_xdp(ctx, &contrib, sizeof(contrib)) ? XDP_PASS :
									      XDP_DROP;
		ret = weir_parse_frame(&c, &contrib, bpf_xdp_get_buff_len(ctx));
	}
	if (ret == WEIR_PARSE_OK)
		ret = weir_contribute_xdp(ctx, &contrib, sizeof(contrib));
	else
		ret = weir_refuse_xdp(ctx, &contrib, sizeof(contrib), ret);
	return weir_refusal_passes(ret, contrib.format) ? XDP_PASS : XDP_DROP;
}

char _license[] SEC("license") = "GPL";

/* SPDX-License-Identifier: GPL-2.0 */
/* Find the device by which a port's bridge would forward a frame: a lookup in the bridge itself. */
#ifndef _WEIR_BPF_BRIDGE_H
#define _WEIR_BPF_BRIDGE_H

/*
 * The index of the device that the frame leaves by, or 0; @tag is the length of its VLAN
 * tag. Frames with a tag of 802.1ad are the bridge's, and so are frames with a tag of
 * VLAN 0, which the bridge takes off. @asked: the frame shows all its tags, as the driver
 * was asked.
 */
static __always_inline __u32 weir_bridge_find(struct xdp_md *ctx,
					      const struct ethhdr *eth, void *end,
					      bool asked, __u32 *tag)
{
	const struct weir_trim_tag *outer = (const void *)(eth + 1);
	__u32 vlan = 0;

	if (eth->h_proto == weir_htons(ETH_P_8021AD))
		return 0;
	if (eth->h_proto == weir_htons(ETH_P_8021Q)) {
		if ((void *)(outer + 1) > end)
			return 0;
		vlan = weir_ntohs(outer->tci) & WEIR_TRIM_VLAN_ID;
		if (!vlan)
			return 0;
		*tag = sizeof(*outer);
	}
	return weir_trim_bridge_xdp(ctx, asked ? vlan | WEIR_TRIM_TAG_SHOWN : vlan);
}

#endif /* _WEIR_BPF_BRIDGE_H */

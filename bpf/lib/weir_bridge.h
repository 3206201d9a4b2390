/* SPDX-License-Identifier: GPL-2.0 */
/* Where the bridge of a port would forward a frame: the bridge is asked. */
#ifndef _WEIR_BPF_BRIDGE_H
#define _WEIR_BPF_BRIDGE_H

/*
 * The index of the device that the frame leaves by, or 0; @tag is the length of its VLAN
 * tag. What a tag of 802.1ad means to the bridge it knows, and a tag that says no more
 * than a priority it takes off. @asked: the driver has none that the frame does not show.
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

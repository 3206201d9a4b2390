// SPDX-License-Identifier: GPL-2.0
/*
 * Samples of packets for those who listen to the kernel's psample family, as agents of sFlow do.
 * A packet in XDP has no socket buffer, which psample reads: it gets one with the packet's headers.
 */
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <net/psample.h>
#include <net/xdp.h>
#include <uapi/weir_xdp_nl.h>

#include "core/base/device.h"
#include "xdp/filter/sample.h"

/* Of what is behind the headers, only the length is told. */
static struct sk_buff *weir_filter_sample_skb(const struct xdp_buff *xdp, u32 head, u32 len)
{
	struct sk_buff *skb = alloc_skb(head, GFP_ATOMIC | __GFP_NOWARN);

	if (!skb)
		return NULL;
	skb_put_data(skb, xdp->data, head);
	skb->len = len;
	skb->data_len = len - head;
	return skb;
}

/**
 * weir_filter_sample() - send a packet to listeners
 * @group: their group
 * @xdp: the packet
 * @len: its bytes
 * @sample: the packet stands for so many
 *
 * Called with bottom halves disabled, in an RCU read-side section.
 *
 * Return: false without memory.
 */
bool weir_filter_sample(struct psample_group *group, const struct xdp_buff *xdp, u32 len,
			u32 sample)
{
	struct psample_metadata meta = {
		.trunc_size	= min_t(u32, xdp->data_end - xdp->data,
					WEIR_XDP_FILTER_SAMPLE_BYTES),
		.in_ifindex	= weir_xdp_dev(xdp)->ifindex,
	};
	struct sk_buff *skb = weir_filter_sample_skb(xdp, meta.trunc_size, len);

	if (!skb)
		return false;
	psample_sample_packet(group, skb, sample, &meta);
	consume_skb(skb);
	return true;
}

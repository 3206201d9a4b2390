// SPDX-License-Identifier: GPL-2.0
/*
 * Output: Ethernet frames without IP, to all stations of the link that a destination is on.
 * They go by the device's qdisc, as any frame of the box.
 */
#include <linux/etherdevice.h>
#include <linux/if_arp.h>
#include <linux/if_ether.h>
#include <linux/if_vlan.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <uapi/weir_wire.h>

#include "agg/out/dest.h"
#include "agg/out/ether.h"
#include "agg/out/skb.h"

/* A device that can send it, or NULL. */
static struct net_device *weir_ether_dev(const struct weir_dest *dest,
					 const struct weir_local *from)
{
	struct net_device *dev = dev_get_by_index_rcu(from->net, dest->ifindex);

	return dev && dev->type == ARPHRD_ETHER && dev->flags & IFF_UP ? dev : NULL;
}

static void weir_push_ether(struct sk_buff *skb, const struct net_device *dev)
{
	struct ethhdr *eth;

	skb_reset_network_header(skb);
	eth = __skb_push(skb, sizeof(*eth));
	skb_reset_mac_header(skb);
	eth_broadcast_addr(eth->h_dest);
	ether_addr_copy(eth->h_source, dev->dev_addr);
	eth->h_proto = htons(WEIR_LAB_ETHERTYPE);
	skb->protocol = eth->h_proto;
}

/**
 * weir_ether_send() - send one frame by the device that a destination is behind
 * @dest: the destination; reached under RCU
 * @from: the namespace that it is sent in
 * @pkt: the packet; its tail is left out
 *
 * Called as weir_dest_send(). It is broadcast, in the destination's VLAN.
 *
 * Return: 0 where the frame was handed over; -EHOSTUNREACH where the device is gone or down
 * or no Ethernet, -EMSGSIZE where its MTU is too small, -ENOMEM, or -ENOBUFS where the stack
 * dropped it.
 */
int weir_ether_send(const struct weir_dest *dest, const struct weir_local *from,
		    const struct weir_packet *pkt)
{
	struct net_device *dev = weir_ether_dev(dest, from);
	struct sk_buff *skb;
	int ret;

	if (unlikely(!dev))
		return -EHOSTUNREACH;
	if (unlikely(pkt->head_len + pkt->len > READ_ONCE(dev->mtu)))
		return -EMSGSIZE;
	skb = weir_skb(pkt, false);
	if (unlikely(!skb))
		return -ENOMEM;
	skb->dev = dev;
	weir_push_ether(skb, dev);
	if (dest->vlan)
		__vlan_hwaccel_put_tag(skb, htons(ETH_P_8021Q), dest->vlan);
	ret = dev_queue_xmit(skb);
	return net_xmit_eval(ret) ? -ENOBUFS : 0;
}

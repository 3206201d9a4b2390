// SPDX-License-Identifier: GPL-2.0
/*
 * Facts of the link layer and the stack about a packet that a program hands over: that it is for
 * this host, that it was received at all, and that it is one packet.
 */
#include <linux/etherdevice.h>
#include <linux/if_ether.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <net/net_namespace.h>
#include <net/sch_generic.h>
#include <net/xdp.h>
#include <uapi/weir_bpf.h>

#include "agg/base/link.h"
#include "core/base/vlan.h"
#include "agg/hook/frame.h"
#include "agg/job/source.h"

static int weir_upper_has_mac(struct net_device *upper,
			      struct netdev_nested_priv *priv)
{
	return ether_addr_equal(upper->dev_addr, priv->data);
}

static bool weir_upper_dev_has_mac(struct net_device *dev, u8 *mac)
{
	struct netdev_nested_priv priv = { .data = mac };

	return netdev_walk_all_upper_dev_rcu(dev, weir_upper_has_mac, &priv);
}

/*
 * Return true if it is an address of a device, or of one above it: a VLAN, a bond, the bridge that
 * it is a port of.
 */
static __always_inline bool weir_dev_has_mac(struct net_device *dev, u8 *mac)
{
	return likely(ether_addr_equal(dev->dev_addr, mac)) ||
	       weir_upper_dev_has_mac(dev, mac);
}

/**
 * weir_frame_is_ours_xdp() - test whether a frame is for this host
 * @xdp: the frame
 * @c: the contribution that the program parsed
 *
 * A port may be promiscuous, and a switch floods frames for hosts that it does not
 * know; the stack would drop them, or a bridge forward them. A frame without IP is
 * for the job with its destination address. Called under RCU.
 */
bool weir_frame_is_ours_xdp(const struct xdp_buff *xdp, const struct weir_contrib *c)
{
	return (xdp->data_end - xdp->data >= ETH_HLEN &&
		weir_dev_has_mac(xdp->rxq->dev, xdp->data)) || weir_contrib_is_link(c);
}

/**
 * weir_frame_vlan_xdp() - the VLAN of a frame, as far as it is known
 * @xdp: the frame
 * @c: the contribution that the program parsed
 *
 * A tag that the driver has taken off is not in the frame. The program has it only
 * where it asked the driver.
 *
 * Return: its id, 0 for none, or WEIR_VLAN_ANY, which no source is bound to, where
 * it is unknown.
 */
u16 weir_frame_vlan_xdp(const struct xdp_buff *xdp, const struct weir_contrib *c)
{
	if (c->flags & WEIR_CONTRIB_VLAN || !weir_dev_hides_vlan(xdp->rxq->dev))
		return c->vlan;
	return WEIR_VLAN_ANY;
}

/**
 * weir_frame_is_ours_skb() - test whether a packet is for this host
 * @skb: the packet, as it has come in
 * @c: the contribution that the program parsed
 *
 * The stack compares with the device alone; a port of a bridge has the bridge's
 * address, too. Called under RCU.
 */
bool weir_frame_is_ours_skb(const struct sk_buff *skb, const struct weir_contrib *c)
{
	return skb->pkt_type == PACKET_HOST ||
	       (skb->pkt_type == PACKET_OTHERHOST &&
		weir_dev_has_mac(skb->dev, skb_mac_header(skb))) || weir_contrib_is_link(c);
}

/**
 * weir_frame_leaves() - test whether a packet is on its way out, where a queue may be locked
 * @skb: the packet
 *
 * A classifier inside of a qdisc runs under the qdisc's lock: a result that is sent
 * from there may go by the same qdisc. A device without a queue has no such lock. Which
 * transmit queue the packet has does not matter: the program can change that number.
 */
bool weir_frame_leaves(const struct sk_buff *skb)
{
	const struct Qdisc *root;

	if (skb_at_tc_ingress(skb))
		return false;
	root = rcu_dereference_bh(skb->dev->qdisc);
	return root->enqueue || root->flags & TCQ_F_MQROOT;
}

/**
 * weir_frame_is_fragments() - test whether a packet would cross a link as fragments
 * @skb: the packet
 *
 * UDP fragmentation offload: one datagram, which only looks like a merged packet.
 */
bool weir_frame_is_fragments(const struct sk_buff *skb)
{
	return skb_is_gso(skb) && skb_shinfo(skb)->gso_type & SKB_GSO_UDP;
}

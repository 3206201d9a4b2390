// SPDX-License-Identifier: GPL-2.0
/*
 * The end of the trimming domain: marks of trimmed packets that are not trusted. The stack
 * knows only the last device that a packet came in by. That device may lie above the port
 * that is an edge: a VLAN, bond or VRF of it, a bridge that routes, or a tunnel, whose
 * packets may have come through any port. A packet whose way is unknown is not trusted.
 */
#include <linux/if_arp.h>
#include <linux/netdevice.h>
#include <linux/rcupdate.h>
#include <linux/skbuff.h>
#include <net/geneve.h>
#include <net/gre.h>
#include <net/vxlan.h>

#include "trim/edge.h"
#include "trim/trim.h"

static int weir_edge_one(struct net_device *dev, struct netdev_nested_priv *priv)
{
	return weir_trim_edge(weir_trim_net(dev_net(dev)), dev->ifindex);
}

/* Packets that leave a tunnel came in by another device, with other headers. */
static bool weir_edge_is_tunnel(const struct net_device *dev)
{
	switch (dev->type) {
	case ARPHRD_TUNNEL:
	case ARPHRD_TUNNEL6:
	case ARPHRD_SIT:
	case ARPHRD_IPGRE:
	case ARPHRD_IP6GRE:
	case ARPHRD_NONE:
		return true;
	default:
		return netif_is_vxlan(dev) || netif_is_geneve(dev) ||
		       netif_is_gretap(dev) || netif_is_ip6gretap(dev);
	}
}

/* A policy of the tunnel's own decides, where an administrator set one. */
static bool weir_edge_tunnel(struct weir_trim_net *wn, const struct net_device *dev)
{
	return READ_ONCE(wn->edges) && weir_edge_is_tunnel(dev) &&
	       !weir_trim_get(wn, dev->ifindex);
}

static bool weir_edge_dev(struct weir_trim_net *wn, struct net_device *dev)
{
	struct netdev_nested_priv priv = { };

	return weir_edge_one(dev, &priv) || weir_edge_tunnel(wn, dev) ||
	       netdev_walk_all_lower_dev_rcu(dev, weir_edge_one, &priv);
}

/* 0 stands for this host. */
static bool weir_edge_index(struct weir_trim_net *wn, int ifindex)
{
	struct net_device *dev;
	bool edge;

	if (!ifindex)
		return false;
	rcu_read_lock();
	dev = dev_get_by_index_rcu(wn->ns.net, ifindex);
	edge = !dev || weir_edge_dev(wn, dev);
	rcu_read_unlock();
	return edge;
}

static bool weir_edge_is_vouched(const struct weir_trim_net *wn,
				 const struct sk_buff *skb)
{
	return skb->inner_protocol_type == ENCAP_TYPE_ETHER &&
	       skb->inner_protocol == wn->returned && !skb->encapsulation;
}

/**
 * weir_edge() - test whether a packet's mark of a trimmed one is not trusted
 * @skb: the packet, on its way out
 *
 * Any context but hard interrupts.
 */
bool weir_edge(const struct sk_buff *skb)
{
	struct weir_trim_net *wn = weir_trim_net(dev_net(skb->dev));

	return weir_edge_index(wn, skb->skb_iif) &&
	       !weir_edge_is_vouched(wn, skb);
}

/**
 * weir_edge_vouch() - trust the mark of a packet that this host sends back
 * @skb: the packet, as it is to come in, with its ingress device
 *
 * It comes in by the port that it was to leave by, as if its receiver had sent it, and that
 * may be an edge. From there to the next qdisc the stack leaves the protocol of inner
 * headers alone, which has no meaning in a packet without any. Only the kernel can set it,
 * and only weir knows the number.
 */
void weir_edge_vouch(struct sk_buff *skb)
{
	if (!skb->encapsulation)
		skb_set_inner_protocol(skb, weir_trim_net(dev_net(skb->dev))->returned);
}

/**
 * weir_edge_early() - the same of a packet that the stack has not seen yet
 * @dev: the device that it came in by
 *
 * The devices above are looked at, too: the stack would give the packet to one of them.
 */
bool weir_edge_early(struct net_device *dev)
{
	struct netdev_nested_priv priv = { };
	bool edge;

	rcu_read_lock();
	edge = weir_edge_dev(weir_trim_net(dev_net(dev)), dev) ||
	       netdev_walk_all_upper_dev_rcu(dev, weir_edge_one, &priv);
	rcu_read_unlock();
	return edge;
}

/**
 * weir_edge_any() - test whether the trimming domain ends at any port
 * @wn: the namespace; RTNL is held
 *
 * Only then must each packet be looked at, as any may have a mark to lose.
 */
bool weir_edge_any(struct weir_trim_net *wn)
{
	struct weir_trim *trim;
	unsigned long ifindex;

	ASSERT_RTNL();

	xa_for_each(&wn->trims, ifindex, trim)
		if (weir_trim_edge(wn, ifindex))
			return true;
	return false;
}

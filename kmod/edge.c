// SPDX-License-Identifier: GPL-2.0
/*
 * Where the trimming domain ends: which packets that say that they were trimmed are
 * not believed. The stack knows of a packet only the last device that it came in
 * by, which may lie above the port that is an edge: a VLAN, bond or VRF of it, a
 * bridge that routes, or a tunnel, of which nobody knows what its packets have come
 * through. Where it cannot be told which way a packet came it is not believed.
 */
#include <linux/if_arp.h>
#include <linux/netdevice.h>
#include <linux/rcupdate.h>
#include <net/geneve.h>
#include <net/gre.h>
#include <net/vxlan.h>

#include "edge.h"
#include "trim.h"

static int weir_edge_one(struct net_device *dev, struct netdev_nested_priv *priv)
{
	return weir_trim_edge(weir_net(dev_net(dev)), dev->ifindex);
}

/* What comes out of it came in by another device, with other headers. */
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

/* Who gives a tunnel a policy that says that it is no edge knows better. */
static bool weir_edge_tunnel(struct weir_net *wn, const struct net_device *dev)
{
	return READ_ONCE(wn->edges) && weir_edge_is_tunnel(dev) &&
	       !weir_trim_get(wn, dev->ifindex);
}

static bool weir_edge_dev(struct weir_net *wn, struct net_device *dev)
{
	struct netdev_nested_priv priv = { };

	return weir_edge_one(dev, &priv) || weir_edge_tunnel(wn, dev) ||
	       netdev_walk_all_lower_dev_rcu(dev, weir_edge_one, &priv);
}

/**
 * weir_edge() - is a packet not believed that says that it was trimmed?
 * @wn: the namespace
 * @ifindex: the device that it came in by, as the stack says, 0 where it is from
 *	this host
 *
 * Any context but hard interrupts.
 */
bool weir_edge(struct weir_net *wn, int ifindex)
{
	struct net_device *dev;
	bool edge;

	if (!ifindex)
		return false;
	rcu_read_lock();
	dev = dev_get_by_index_rcu(wn->net, ifindex);
	edge = !dev || weir_edge_dev(wn, dev);
	rcu_read_unlock();
	return edge;
}

/**
 * weir_edge_early() - the same of one that the stack has not seen yet
 * @dev: the device that it came in by
 *
 * The devices above, one of which the stack would give it to, are asked, too.
 */
bool weir_edge_early(struct net_device *dev)
{
	struct netdev_nested_priv priv = { };
	bool edge;

	rcu_read_lock();
	edge = weir_edge_dev(weir_net(dev_net(dev)), dev) ||
	       netdev_walk_all_upper_dev_rcu(dev, weir_edge_one, &priv);
	rcu_read_unlock();
	return edge;
}

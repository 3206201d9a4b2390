// SPDX-License-Identifier: GPL-2.0
/*
 * Where a bridge would forward a frame, asked before the stack has seen it. Only a frame
 * that the bridge would forward to one port, unchanged, has a way. All other frames are the
 * bridge's: frames that it drops, floods, answers or changes, and frames that it has to
 * learn from.
 */
#include <linux/etherdevice.h>
#include <linux/if_bridge.h>
#include <linux/if_vlan.h>
#include <linux/netdevice.h>

#include "core/base/compat.h"
#include "core/base/vlan.h"
#include "trim/bridge.h"
#include "trim/bridge_port.h"
#include "trim/fdb.h"

/*
 * A bridge sees a station's frames again after this part of the ageing time, in which it
 * would forget a silent one.
 */
#define WEIR_BRIDGE_REFRESH	4

/* Ports where the bridge answers for others, rewrites, or has another protocol for loops. */
static const unsigned long weir_bridge_flags[] = {
	BR_PROXYARP, BR_PROXYARP_WIFI, BR_NEIGH_SUPPRESS, BR_VLAN_TUNNEL,
	BR_MRP_AWARE, BR_NEIGH_VLAN_SUPPRESS,
};

/**
 * struct weir_bridge_frame - a frame that came in by a port of a bridge
 * @bridge: the bridge
 * @from: the port
 * @eth: its Ethernet header
 * @tag: VLAN of its tag, 0 without one
 * @shown: no tag was taken off before
 * @vlan: the bridge's VLAN for it, 0 where it does not filter by VLAN
 */
struct weir_bridge_frame {
	struct net_device	*bridge;
	struct net_device	*from;
	const struct ethhdr	*eth;
	u16			tag;
	bool			shown;
	u16			vlan;
};

static bool weir_bridge_port_plain(const struct net_device *port)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(weir_bridge_flags); i++)
		if (br_port_flag_is_set(port, weir_bridge_flags[i]))
			return false;
	return true;
}

/* Frames with its tag go to the VLAN device of a port, and not to the bridge. */
static bool weir_bridge_tag_is_taken(const struct weir_bridge_frame *f)
{
	struct net_device *dev;

	if (!f->tag)
		return false;
	dev = __vlan_find_dev_deep_rcu(f->from, htons(ETH_P_8021Q), f->tag);
	return dev && vlan_dev_real_dev(dev) == f->from;
}

/* No notifier reports states of single VLANs (MST), so such a bridge keeps its frames. */
static bool weir_bridge_of(struct weir_bridge_frame *f)
{
	if (!weir_bridge_port_forwards(f->from))
		return false;
	f->bridge = netdev_master_upper_dev_get_rcu(f->from);
	return f->bridge && netif_is_bridge_master(f->bridge) &&
	       f->bridge->flags & IFF_UP && !br_mst_enabled(f->bridge);
}

/*
 * A driver that takes tags off keeps them beside the frame, and the stack puts them back.
 * Without it the frame would cross into the VLAN of frames that have none, or into that of
 * a tag that stood behind it.
 */
static bool weir_bridge_tag_is_hidden(const struct weir_bridge_frame *f)
{
	return !f->shown && weir_dev_hides_vlan(f->from);
}

/* The VLAN of the frame, where its port is in it. */
static bool weir_bridge_vlan(struct weir_bridge_frame *f)
{
	struct bridge_vlan_info info;
	u16 proto;

	f->vlan = f->tag;
	if (!br_vlan_enabled(f->bridge)) {
		f->vlan = 0;
		return true;
	}
	if (weir_bridge_tag_is_hidden(f) ||
	    br_vlan_get_proto(f->bridge, &proto) || proto != ETH_P_8021Q)
		return false;
	if (!f->tag && br_vlan_get_pvid_rcu(f->from, &f->vlan))
		return false;
	return f->vlan && !br_vlan_get_info_rcu(f->from, f->vlan, &info);
}

/* Return true if a frame leaves by a port with the tag that it came with, or came without one. */
static bool weir_bridge_keeps_tag(const struct weir_bridge_frame *f,
				  const struct net_device *to)
{
	struct bridge_vlan_info info;

	if (!f->vlan)
		return true;
	return !br_vlan_get_info_rcu(to, f->vlan, &info) &&
	       !(info.flags & BRIDGE_VLAN_INFO_UNTAGGED) == !!f->tag;
}

/*
 * A bridge learns from the frames that it sees. So it has to see a frame whose source is
 * new, has moved or was silent for long, and one whose source may not enter by a locked
 * port.
 */
static bool weir_bridge_knows_source(const struct weir_bridge_frame *f)
{
	clock_t ageing = br_get_ageing_time(f->bridge);
	struct weir_fdb_entry source;
	bool learns;

	learns = ageing && br_port_flag_is_set(f->from, BR_LEARNING);
	if (!learns && !br_port_flag_is_set(f->from, BR_PORT_LOCKED))
		return is_valid_ether_addr(f->eth->h_source);
	if (!weir_fdb_find(f->bridge, f->eth->h_source, f->vlan, &source) ||
	    source.ifindex != f->from->ifindex || source.local || source.locked)
		return false;
	return !learns || !source.ages ||
	       source.age < ageing / WEIR_BRIDGE_REFRESH;
}

/* Return true if a port can send it. XDP would count a frame first and then lose it. */
static bool weir_bridge_delivers(const struct weir_bridge_frame *f,
				 struct net_device *to)
{
	return netdev_master_upper_dev_get_rcu(to) == f->bridge &&
	       weir_bridge_port_forwards(to) && netif_running(to) &&
	       netif_carrier_ok(to) && weir_bridge_port_plain(to) &&
	       !(br_port_flag_is_set(f->from, BR_ISOLATED) &&
		 br_port_flag_is_set(to, BR_ISOLATED));
}

static int weir_bridge_way(struct weir_bridge_frame *f)
{
	struct weir_fdb_entry station;
	struct net_device *to;

	if (is_multicast_ether_addr(f->eth->h_dest) || !weir_bridge_of(f) ||
	    weir_bridge_tag_is_taken(f) || !weir_bridge_vlan(f) ||
	    !weir_fdb_find(f->bridge, f->eth->h_dest, f->vlan, &station) ||
	    station.local || station.locked)
		return 0;
	to = dev_get_by_index_rcu(dev_net(f->from), station.ifindex);
	if (!to || !weir_bridge_delivers(f, to) || !weir_bridge_keeps_tag(f, to) ||
	    !weir_bridge_port_plain(f->from) || !weir_bridge_knows_source(f))
		return 0;
	return to->ifindex;
}

/**
 * weir_bridge_find() - find the device by which a port's bridge would forward a frame
 * @from: the device that it came in by
 * @eth: its Ethernet header
 * @tag: VLAN id of its 802.1Q tag, 0 without one
 * @shown: no tag was taken off it before
 *
 * Called with bottom halves disabled.
 *
 * Return: index of the port that the frame leaves by, unchanged; 0 where the stack decides.
 */
int weir_bridge_find(struct net_device *from, const struct ethhdr *eth, u16 tag,
		     bool shown)
{
	struct weir_bridge_frame frame = {
		.from = from,
		.eth = eth,
		.tag = tag,
		.shown = shown,
	};
	int ifindex;

	rcu_read_lock();
	ifindex = weir_bridge_way(&frame);
	rcu_read_unlock();
	return ifindex;
}

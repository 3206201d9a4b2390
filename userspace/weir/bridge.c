// SPDX-License-Identifier: GPL-2.0
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_bridge.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "bridge.h"

#define VLANS 4096

/* What a port is to a VLAN. */
enum { MEMBER = 1, UNTAGGED = 2, PVID = 4 };

/**
 * struct bridge_port - a port of the bridge
 * @forwards: neither spanning tree nor the port's own state stops frames
 * @isolated: it sends nothing to ports that are so, too
 * @vlan: MEMBER and the like, by VLAN id
 */
struct bridge_port {
	unsigned int ifindex;
	bool forwards;
	bool isolated;
	uint8_t vlan[VLANS];
};

/*
 * @filters: by VLAN; else it does not look at tags
 * @service: its VLANs are those of 802.1ad tags, which the program leaves to it
 */
struct bridge {
	unsigned int ifindex;
	bool filters;
	bool service;
	size_t ports;
	struct bridge_port *port;
};

/* Lists attr of a nest that may occur often. */
static void read_vlans(struct bridge_port *port, const struct nlattr *nest)
{
	const struct nlattr *attr;
	unsigned int first = 0, id;

	mnl_attr_for_each_nested(attr, nest) {
		const struct bridge_vlan_info *info = mnl_attr_get_payload(attr);

		if (mnl_attr_get_type(attr) != IFLA_BRIDGE_VLAN_INFO || info->vid >= VLANS)
			continue;
		if (!(info->flags & BRIDGE_VLAN_INFO_RANGE_END))
			first = info->vid;
		if (info->flags & BRIDGE_VLAN_INFO_RANGE_BEGIN)
			continue;
		for (id = first; id <= info->vid; id++)
			port->vlan[id] = MEMBER |
				(info->flags & BRIDGE_VLAN_INFO_UNTAGGED ? UNTAGGED : 0) |
				(info->flags & BRIDGE_VLAN_INFO_PVID ? PVID : 0);
	}
}

static void read_port(struct bridge *bridge, const struct nlmsghdr *message)
{
	const struct nlattr *table[IFLA_MAX + 1], *state[IFLA_BRPORT_MAX + 1];
	const struct ifinfomsg *header = mnl_nlmsg_get_payload(message);
	struct bridge_port *port = &bridge->port[bridge->ports];

	nl_attributes(message, sizeof(*header), table, IFLA_MAX);
	if (nl_uint(table[IFLA_MASTER]) != bridge->ifindex || !table[IFLA_PROTINFO] ||
	    (unsigned int)header->ifi_index == bridge->ifindex)
		return;
	nl_nested(table[IFLA_PROTINFO], state, IFLA_BRPORT_MAX);
	port->ifindex = header->ifi_index;
	port->forwards = nl_uint(state[IFLA_BRPORT_STATE]) == BR_STATE_FORWARDING;
	port->isolated = nl_uint(state[IFLA_BRPORT_ISOLATED]);
	if (table[IFLA_AF_SPEC])
		read_vlans(port, table[IFLA_AF_SPEC]);
	bridge->ports++;
}

/* The ports of all bridges; those of ours are kept. */
static int read_ports(struct nl *rtnl, struct bridge *bridge)
{
	struct nl_replies replies = {};
	char buffer[NL_REQUEST_SIZE];
	struct ifinfomsg *header;
	size_t i;
	int err;

	rtnl->header = sizeof(*header);
	header = nl_begin(rtnl, buffer, RTM_GETLINK, NLM_F_DUMP);
	header->ifi_family = AF_BRIDGE;
	mnl_attr_put_u32((struct nlmsghdr *)buffer, IFLA_EXT_MASK, RTEXT_FILTER_BRVLAN);
	bridge->port = nl_list(rtnl, buffer, &replies, sizeof(*bridge->port), &err);
	for (i = 0; !err && i < replies.count; i++)
		read_port(bridge, replies.message[i]);
	nl_replies_free(&replies);
	return err;
}

static void read_tags(struct bridge *bridge, const struct nlattr **data)
{
	const struct nlattr *protocol = data[IFLA_BR_VLAN_PROTOCOL];

	bridge->filters = nl_uint(data[IFLA_BR_VLAN_FILTERING]);
	bridge->service = protocol && mnl_attr_get_u16(protocol) != htons(ETH_P_8021Q);
}

/* -EINVAL where the device is no bridge. */
static int read_filtering(struct nl *rtnl, struct bridge *bridge)
{
	const struct nlattr *table[IFLA_MAX + 1], *info[IFLA_INFO_MAX + 1];
	const struct nlattr *data[IFLA_BR_MAX + 1];
	struct nl_replies replies = {};
	char buffer[NL_REQUEST_SIZE];
	struct ifinfomsg *header;
	int err;

	rtnl->header = sizeof(*header);
	header = nl_begin(rtnl, buffer, RTM_GETLINK, 0);
	header->ifi_index = bridge->ifindex;
	err = nl_talk(rtnl, buffer, &replies);
	if (!err && !replies.count)
		err = -ENODEV;
	if (!err) {
		nl_attributes(replies.message[0], sizeof(*header), table, IFLA_MAX);
		err = -EINVAL;
		if (table[IFLA_LINKINFO]) {
			nl_nested(table[IFLA_LINKINFO], info, IFLA_INFO_MAX);
			if (!strcmp(nl_string(info[IFLA_INFO_KIND]), "bridge") &&
			    info[IFLA_INFO_DATA]) {
				nl_nested(info[IFLA_INFO_DATA], data, IFLA_BR_MAX);
				read_tags(bridge, data);
				err = 0;
			}
		}
	}
	nl_replies_free(&replies);
	return err;
}

static const struct bridge_port *find_port(const struct bridge *bridge, unsigned int ifindex)
{
	size_t i;

	for (i = 0; i < bridge->ports; i++) {
		if (bridge->port[i].ifindex == ifindex)
			return &bridge->port[i];
	}
	return NULL;
}

/*
 * The tag that frames of a VLAN have on their way from one port to the other, 0 for
 * none; false where they do not get there, or not with the same one.
 */
static bool same_tag(const struct bridge *bridge, const struct bridge_port *from,
		     const struct bridge_port *to, uint16_t vlan, uint16_t *tag)
{
	*tag = 0;
	if (!bridge->filters)
		return !vlan;
	if (!(from->vlan[vlan] & MEMBER) || !(to->vlan[vlan] & MEMBER))
		return false;
	if (to->vlan[vlan] & UNTAGGED)
		return from->vlan[vlan] & PVID;
	*tag = vlan;
	return !bridge->service;
}

static void add_ways(struct bridge_ways *ways, const struct bridge *bridge,
		     const struct bridge_port *to, const uint8_t *mac, uint16_t vlan)
{
	size_t i;

	for (i = 0; i < bridge->ports; i++) {
		const struct bridge_port *from = &bridge->port[i];
		struct bridge_way *way = &ways->way[ways->count];
		uint16_t tag;

		if (from == to || !from->forwards || (from->isolated && to->isolated) ||
		    !same_tag(bridge, from, to, vlan, &tag))
			continue;
		way->key.ifindex = from->ifindex;
		way->key.vlan = tag;
		memcpy(way->key.mac, mac, sizeof(way->key.mac));
		way->egress = to->ifindex;
		ways->count++;
	}
}

/* A station behind a port. The bridge's own addresses are permanent. */
static void read_entry(struct bridge_ways *ways, const struct bridge *bridge,
		       const struct nlmsghdr *message)
{
	const struct ndmsg *header = mnl_nlmsg_get_payload(message);
	const struct nlattr *table[NDA_MAX + 1];
	const struct bridge_port *port;
	uint16_t vlan;

	nl_attributes(message, sizeof(*header), table, NDA_MAX);
	port = find_port(bridge, header->ndm_ifindex);
	vlan = nl_uint(table[NDA_VLAN]);
	if (!port || !port->forwards || header->ndm_state & NUD_PERMANENT ||
	    nl_uint(table[NDA_MASTER]) != bridge->ifindex || !table[NDA_LLADDR] ||
	    mnl_attr_get_payload_len(table[NDA_LLADDR]) != 6 || vlan >= VLANS)
		return;
	add_ways(ways, bridge, port, mnl_attr_get_payload(table[NDA_LLADDR]), vlan);
}

static int read_entries(struct nl *rtnl, const struct bridge *bridge, struct bridge_ways *ways)
{
	struct nl_replies replies = {};
	char buffer[NL_REQUEST_SIZE];
	struct ndmsg *header;
	size_t i;
	int err;

	rtnl->header = sizeof(*header);
	header = nl_begin(rtnl, buffer, RTM_GETNEIGH, NLM_F_DUMP);
	header->ndm_family = AF_BRIDGE;
	mnl_attr_put_u32((struct nlmsghdr *)buffer, NDA_MASTER, bridge->ifindex);
	/* To a station there is a way from each port. */
	ways->way = nl_list(rtnl, buffer, &replies, bridge->ports * sizeof(*ways->way), &err);
	for (i = 0; !err && i < replies.count; i++)
		read_entry(ways, bridge, replies.message[i]);
	nl_replies_free(&replies);
	return err;
}

int bridge_compare_ways(const void *a, const void *b)
{
	const struct bridge_way *one = a, *other = b;

	return memcmp(&one->key, &other->key, sizeof(one->key));
}

int bridge_ways(struct nl *rtnl, unsigned int ifindex, struct bridge_ways *ways)
{
	struct bridge bridge = { .ifindex = ifindex };
	int err;

	memset(ways, 0, sizeof(*ways));
	err = read_filtering(rtnl, &bridge);
	err = err ?: read_ports(rtnl, &bridge);
	err = err ?: read_entries(rtnl, &bridge, ways);
	if (!err)
		qsort(ways->way, ways->count, sizeof(*ways->way), bridge_compare_ways);
	free(bridge.port);
	return err;
}

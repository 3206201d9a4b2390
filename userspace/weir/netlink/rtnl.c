// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <linux/if_link.h>
#include <linux/neighbour.h>
#include <linux/pkt_cls.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "base/tool.h"
#include "netlink/rtnl.h"

int rtnl_try_open(struct nl *nl)
{
	return nl_open(nl, NETLINK_ROUTE, sizeof(struct rtmsg));
}

int rtnl_open(struct nl *nl)
{
	int err = rtnl_try_open(nl);

	return err ? refused(err, "cannot open a route netlink socket: %s", strerror(-err)) : WEIR_OK;
}

static void copy_string(char *to, size_t size, const struct nlattr *attr)
{
	strncpy(to, nl_string(attr), size - 1);
	to[size - 1] = '\0';
}

static void parse_kind(const struct nlattr *info, struct link *link)
{
	const struct nlattr *table[IFLA_INFO_MAX + 1];

	if (!info)
		return;
	nl_nested(info, table, IFLA_INFO_MAX);
	copy_string(link->kind, sizeof(link->kind), table[IFLA_INFO_KIND]);
}

static void parse_xdp(const struct nlattr *xdp, struct link *link)
{
	const struct nlattr *table[IFLA_XDP_MAX + 1];

	if (!xdp)
		return;
	nl_nested(xdp, table, IFLA_XDP_MAX);
	link->driver_id = nl_uint(table[IFLA_XDP_DRV_PROG_ID]);
	link->generic_id = nl_uint(table[IFLA_XDP_SKB_PROG_ID]);
	link->hardware_id = nl_uint(table[IFLA_XDP_HW_PROG_ID]);
}

static void parse_drops(const struct nlattr *attr, struct drops *drops)
{
	struct rtnl_link_stats64 stats = {};
	size_t size = attr ? mnl_attr_get_payload_len(attr) : 0;

	if (size)
		memcpy(&stats, mnl_attr_get_payload(attr),
		       size < sizeof(stats) ? size : sizeof(stats));
	drops->in = stats.rx_packets;
	drops->out = stats.tx_packets;
	drops->in_dropped = stats.rx_dropped;
	drops->missed = stats.rx_missed_errors;
	drops->out_dropped = stats.tx_dropped;
}

static void parse_link(const struct nlmsghdr *message, struct link *link)
{
	const struct ifinfomsg *header = mnl_nlmsg_get_payload(message);
	const struct nlattr *table[IFLA_MAX + 1];

	memset(link, 0, sizeof(*link));
	nl_attributes(message, sizeof(*header), table, IFLA_MAX);
	link->ifindex = header->ifi_index;
	link->flags = header->ifi_flags;
	link->mtu = nl_uint(table[IFLA_MTU]);
	/* Of another namespace, the index is that of another device here, or of none. */
	link->peer = table[IFLA_LINK_NETNSID] ? 0 : nl_uint(table[IFLA_LINK]);
	link->master = nl_uint(table[IFLA_MASTER]);
	copy_string(link->name, sizeof(link->name), table[IFLA_IFNAME]);
	parse_kind(table[IFLA_LINKINFO], link);
	parse_xdp(table[IFLA_XDP], link);
	parse_drops(table[IFLA_STATS64], &link->drops);
}

int rtnl_link(struct nl *nl, unsigned int ifindex, struct link *link)
{
	struct nl_replies replies = {};
	char buffer[NL_REQUEST_SIZE];
	struct ifinfomsg *header;
	int err;

	memset(link, 0, sizeof(*link));
	nl->header = sizeof(*header);
	header = nl_begin(nl, buffer, RTM_GETLINK, 0);
	header->ifi_index = ifindex;
	err = nl_talk(nl, buffer, &replies);
	if (!err && !replies.count)
		err = -ENODEV;
	if (!err)
		parse_link(replies.message[0], link);
	nl_replies_free(&replies);
	return err;
}

int rtnl_links(struct nl *nl, struct link **links, size_t *count)
{
	struct nl_replies replies = {};
	char buffer[NL_REQUEST_SIZE];
	size_t i;
	int err;

	*count = 0;
	nl->header = sizeof(struct ifinfomsg);
	nl_begin(nl, buffer, RTM_GETLINK, NLM_F_DUMP);
	*links = nl_list(nl, buffer, &replies, sizeof(**links), &err);
	for (i = 0; !err && i < replies.count; i++)
		parse_link(replies.message[i], &(*links)[(*count)++]);
	nl_replies_free(&replies);
	return err;
}

/* A classifier's own header, which a message about no filter lacks. */
static bool parse_filter(const struct nlmsghdr *message, struct filter *filter)
{
	const struct tcmsg *header = mnl_nlmsg_get_payload(message);
	const struct nlattr *table[TCA_MAX + 1], *bpf[TCA_BPF_MAX + 1];

	memset(filter, 0, sizeof(*filter));
	nl_attributes(message, sizeof(*header), table, TCA_MAX);
	filter->handle = header->tcm_handle;
	filter->priority = TC_H_MAJ(header->tcm_info) >> 16;
	if (!filter->handle || !table[TCA_OPTIONS])
		return false;
	if (strcmp(nl_string(table[TCA_KIND]), "bpf"))
		return true;
	nl_nested(table[TCA_OPTIONS], bpf, TCA_BPF_MAX);
	filter->program_id = nl_uint(bpf[TCA_BPF_ID]);
	copy_string(filter->name, sizeof(filter->name), bpf[TCA_BPF_NAME]);
	return true;
}

static int dump_filters(struct nl *nl, unsigned int ifindex, uint32_t hook,
			struct nl_replies *replies)
{
	char buffer[NL_REQUEST_SIZE];
	struct tcmsg *header;
	int err;

	nl->header = sizeof(*header);
	header = nl_begin(nl, buffer, RTM_GETTFILTER, NLM_F_DUMP);
	header->tcm_ifindex = ifindex;
	header->tcm_parent = TC_H_MAKE(TC_H_CLSACT, hook);
	err = nl_talk(nl, buffer, replies);
	/* no clsact, no filters */
	return err == -EINVAL || err == -ENOENT ? 0 : err;
}

int rtnl_filters(struct nl *nl, unsigned int ifindex, uint32_t hook, uint16_t priority,
		 const uint32_t handles[2], unsigned int *count, struct filter *found)
{
	struct nl_replies replies = {};
	struct filter filter;
	size_t i;
	int err;

	*count = 0;
	memset(found, 0, sizeof(*found));
	err = dump_filters(nl, ifindex, hook, &replies);
	for (i = 0; i < replies.count; i++) {
		if (!parse_filter(replies.message[i], &filter))
			continue;
		(*count)++;
		if (!found->handle && filter.priority == priority &&
		    (filter.handle == handles[0] || filter.handle == handles[1]))
			*found = filter;
	}
	nl_replies_free(&replies);
	return err;
}

static void parse_gateway(const struct nlattr **table, struct route *route)
{
	const struct nlattr *gateway = table[RTA_GATEWAY];
	const struct rtvia *via;

	if (gateway) {
		nl_addr(gateway, &route->gateway);
	} else if (table[RTA_VIA]) {
		via = mnl_attr_get_payload(table[RTA_VIA]);
		addr_from(&route->gateway, via->rtvia_addr,
			  mnl_attr_get_payload_len(table[RTA_VIA]) - sizeof(*via));
	}
}

static void parse_route(const struct nlmsghdr *message, struct route *route)
{
	const struct nlattr *table[RTA_MAX + 1], *metrics[RTAX_MAX + 1];
	const struct rtmsg *header = mnl_nlmsg_get_payload(message);

	nl_attributes(message, sizeof(*header), table, RTA_MAX);
	route->type = header->rtm_type;
	route->ifindex = nl_uint(table[RTA_OIF]);
	parse_gateway(table, route);
	if (table[RTA_METRICS]) {
		nl_nested(table[RTA_METRICS], metrics, RTAX_MAX);
		route->mtu = nl_uint(metrics[RTAX_MTU]);
	}
}

int rtnl_route_from(struct nl *nl, const struct addr *to, const struct addr *from,
		    struct route *route)
{
	struct nl_replies replies = {};
	char buffer[NL_REQUEST_SIZE];
	struct rtmsg *header;
	int err;

	memset(route, 0, sizeof(*route));
	nl->header = sizeof(*header);
	header = nl_begin(nl, buffer, RTM_GETROUTE, 0);
	header->rtm_family = addr_family(to);
	header->rtm_dst_len = to->len * 8;
	nl_put((struct nlmsghdr *)buffer, RTA_DST, to->len, to->bytes);
	if (from) {
		header->rtm_src_len = from->len * 8;
		nl_put((struct nlmsghdr *)buffer, RTA_SRC, from->len, from->bytes);
	}
	err = nl_talk(nl, buffer, &replies);
	if (!err && !replies.count)
		err = -ENETUNREACH;
	if (!err)
		parse_route(replies.message[0], route);
	nl_replies_free(&replies);
	return err;
}

int rtnl_route(struct nl *nl, const struct addr *to, struct route *route)
{
	return rtnl_route_from(nl, to, NULL, route);
}

int rtnl_neighbour(struct nl *nl, unsigned int ifindex, const struct addr *addr)
{
	struct nl_replies replies = {};
	char buffer[NL_REQUEST_SIZE];
	struct ndmsg *header;
	int state;

	nl->header = sizeof(*header);
	header = nl_begin(nl, buffer, RTM_GETNEIGH, 0);
	header->ndm_family = addr_family(addr);
	header->ndm_ifindex = ifindex;
	nl_put((struct nlmsghdr *)buffer, NDA_DST, addr->len, addr->bytes);
	state = nl_talk(nl, buffer, &replies);
	if (!state && !replies.count)
		state = -ENOENT;
	if (!state) {
		header = mnl_nlmsg_get_payload(replies.message[0]);
		state = header->ndm_state;
	}
	nl_replies_free(&replies);
	return state;
}

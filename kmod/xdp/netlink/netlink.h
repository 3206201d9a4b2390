/* SPDX-License-Identifier: GPL-2.0 */
/* The netlink family of chains, filters, flow records and orders. */
#ifndef _WEIR_XDP_NETLINK_H
#define _WEIR_XDP_NETLINK_H

#include "core/netlink/netlink.h"
#include "xdp/base/net.h"
#include "xdp/netlink/gen.h"

struct weir_xdp_dev;
struct weir_chain_place;
struct weir_filter_rule;
struct weir_reorder;
struct weir_sources_owner;
struct weir_sources_seen;

extern struct weir_nl weir_xdp_nl;

static inline struct weir_xdp_net *weir_xdp_nl_net(struct genl_info *info)
{
	return weir_xdp_net(genl_info_net(info));
}

int weir_xdp_nl_init(void);
void weir_xdp_nl_uninit(void);
void weir_nl_chain_notify(struct weir_xdp_net *wn, const struct weir_xdp_dev *xd,
			  const struct weir_chain_place *place, u8 cmd);
void weir_nl_filter_notify(struct weir_xdp_net *wn, int ifindex,
			   const struct weir_filter_rule *rule, u8 cmd);
void weir_nl_filter_source_notify(const struct weir_sources_owner *owner,
				  const struct weir_sources_seen *seen);
void weir_nl_order_notify(struct weir_xdp_net *wn, const struct weir_reorder *order, u8 cmd);

#endif /* _WEIR_XDP_NETLINK_H */

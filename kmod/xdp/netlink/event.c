// SPDX-License-Identifier: GPL-2.0
/* Messages to the events group that packets, timers and devices cause. */
#include "xdp/base/notify.h"
#include "xdp/filter/filter.h"
#include "xdp/netlink/event.h"
#include "xdp/netlink/flow.h"
#include "xdp/netlink/netlink.h"

static void weir_event_chain_gone(struct weir_xdp_net *wn, const struct weir_xdp_dev *xd,
				  const struct weir_chain_place *place)
{
	weir_nl_chain_notify(wn, xd, place, WEIR_XDP_CMD_CHAIN_DEL_NTF);
}

static void weir_event_flow_gone(struct weir_flow_table *table)
{
	weir_nl_flow_notify(table, WEIR_XDP_CMD_FLOW_DEL_NTF);
}

static void weir_event_filter_gone(struct weir_xdp_net *wn, const struct weir_filter *filter,
				   const struct weir_filter_rule *rule)
{
	weir_nl_filter_notify(wn, filter->ifindex, rule, WEIR_XDP_CMD_FILTER_DEL_NTF);
}

static void weir_event_filter_source(const struct weir_sources_owner *owner,
				     const struct weir_sources_seen *seen)
{
	weir_nl_filter_source_notify(owner, seen);
}

static void weir_event_order_gone(struct weir_xdp_net *wn, const struct weir_reorder *order)
{
	weir_nl_order_notify(wn, order, WEIR_XDP_CMD_ORDER_DEL_NTF);
}

static const struct weir_xdp_notify weir_xdp_event_notify = {
	.chain_gone	= weir_event_chain_gone,
	.flow_report	= weir_nl_flow_report,
	.flow_reported	= weir_nl_flow_reported,
	.flow_alarm	= weir_nl_flow_alarm,
	.flow_gone	= weir_event_flow_gone,
	.filter_gone	= weir_event_filter_gone,
	.filter_source	= weir_event_filter_source,
	.order_gone	= weir_event_order_gone,
};

/**
 * weir_xdp_event_init() - send events that no request causes
 *
 * Return: 0.
 */
int weir_xdp_event_init(void)
{
	weir_xdp_notify = &weir_xdp_event_notify;
	return 0;
}

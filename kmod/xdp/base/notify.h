/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Callbacks for events without a request. netlink/ fills them in, so that packets and
 * devices do not depend on netlink.
 */
#ifndef _WEIR_XDP_NOTIFY_H
#define _WEIR_XDP_NOTIFY_H

#include <linux/types.h>

struct weir_xdp_dev;
struct weir_chain_place;
struct weir_filter;
struct weir_filter_rule;
struct weir_flow;
struct weir_flow_notice;
struct weir_flow_sum;
struct weir_flow_table;
struct weir_reorder;
struct weir_sources_owner;
struct weir_sources_seen;
struct weir_xdp_net;

/**
 * struct weir_xdp_notify - callbacks for events
 * @chain_gone: a program is gone from its chain, and is there until this returns; RTNL is held
 * @flow_report: a record has ended, or goes on: enum weir_xdp_flow_end, and its packets since it
 *	was reported; sleeps
 * @flow_reported: no more is reported for a while; sleeps
 * @flow_alarm: a threshold was reached; sleeps
 * @flow_gone: a table is gone from its device, and is there until this returns; RTNL is held
 * @filter_gone: a rule is gone from its filter, and is there until this returns; the namespace's
 *	lock is held
 * @filter_source: a source was blocked or unblocked; sleeps
 * @order_gone: an order is gone, and is there until this returns; sleeps
 */
struct weir_xdp_notify {
	void (*chain_gone)(struct weir_xdp_net *wn, const struct weir_xdp_dev *xd,
			   const struct weir_chain_place *place);
	void (*flow_report)(struct weir_flow_table *table, const struct weir_flow *flow,
			    const struct weir_flow_sum *since, u8 end);
	void (*flow_reported)(struct weir_flow_table *table);
	void (*flow_alarm)(struct weir_flow_table *table, const struct weir_flow_notice *notice);
	void (*flow_gone)(struct weir_flow_table *table);
	void (*filter_gone)(struct weir_xdp_net *wn, const struct weir_filter *filter,
			    const struct weir_filter_rule *rule);
	void (*filter_source)(const struct weir_sources_owner *owner,
			      const struct weir_sources_seen *seen);
	void (*order_gone)(struct weir_xdp_net *wn, const struct weir_reorder *order);
};

/* Set before the first event, and never changed. */
extern const struct weir_xdp_notify *weir_xdp_notify;

#endif /* _WEIR_XDP_NOTIFY_H */

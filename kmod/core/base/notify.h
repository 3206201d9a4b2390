/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Callbacks for events without a request. netlink/ fills them in, so that packets and
 * devices do not depend on netlink.
 */
#ifndef _WEIR_NOTIFY_H
#define _WEIR_NOTIFY_H

#include <linux/types.h>

struct weir_chain;
struct weir_chain_place;
struct weir_flow;
struct weir_flow_notice;
struct weir_flow_sum;
struct weir_flow_table;
struct weir_filter;
struct weir_filter_rule;
struct weir_job;
struct weir_net;
struct weir_reorder;
struct weir_port;
struct weir_sources_owner;
struct weir_sources_seen;
struct weir_trim;

/**
 * struct weir_notify - callbacks for events
 * @port_gone: a port is gone from its namespace, and is there until this returns; sleeps
 * @chain_gone: a program is gone from its chain, and is there until this returns; RTNL is held
 * @flow_report: a record has ended, or goes on: enum weir_flow_end, and its packets since it was
 *	reported; sleeps
 * @flow_reported: no more is reported for a while; sleeps
 * @flow_alarm: a threshold was reached; sleeps
 * @flow_gone: a table is gone from its device, and is there until this returns; RTNL is held
 * @filter_gone: a rule is gone from its filter, and is there until this returns; the namespace's
 *	lock is held
 * @filter_source: a source was blocked, or is not any more; sleeps
 * @order_gone: an order is gone, and is there until this returns; sleeps
 * @trim_changed: a policy has changed; RTNL is held
 * @trim_gone: a policy is gone; RTNL is held
 * @generation: a generation of a job begins; any context
 * @source: a source has changed its state: enum weir_event, the source's id, and in how
 *	many blocks it was missing in the last period; any context
 */
struct weir_notify {
	void (*port_gone)(struct weir_net *wn, const struct weir_port *port);
	void (*chain_gone)(struct weir_net *wn, const struct weir_chain *chain,
			   const struct weir_chain_place *place);
	void (*flow_report)(struct weir_flow_table *table, const struct weir_flow *flow,
			    const struct weir_flow_sum *since, u8 end);
	void (*flow_reported)(struct weir_flow_table *table);
	void (*flow_alarm)(struct weir_flow_table *table, const struct weir_flow_notice *notice);
	void (*flow_gone)(struct weir_flow_table *table);
	void (*filter_gone)(struct weir_net *wn, const struct weir_filter *filter,
			    const struct weir_filter_rule *rule);
	void (*filter_source)(const struct weir_sources_owner *owner,
			      const struct weir_sources_seen *seen);
	void (*order_gone)(struct weir_net *wn, const struct weir_reorder *order);
	void (*trim_changed)(struct weir_net *wn, const struct weir_trim *trim);
	void (*trim_gone)(struct weir_net *wn, const struct weir_trim *trim);
	void (*generation)(const struct weir_job *job);
	void (*source)(const struct weir_job *job, u32 event, u32 source,
		       u64 straggles);
};

/* Set before the first event, and never changed. */
extern const struct weir_notify *weir_notify;

#endif /* _WEIR_NOTIFY_H */

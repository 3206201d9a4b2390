/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_FILTER_H
#define _WEIR_FILTER_H

#include <linux/rcupdate.h>
#include <linux/rtnetlink.h>
#include <linux/xarray.h>

#include "xdp/base/dev.h"
#include "xdp/filter/filter_rule.h"

struct weir_classifier;
struct xdp_md;

/**
 * struct weir_filter - the rules of a device
 * @rcu: it is freed a grace period after its last rule has gone
 * @ifindex: the device
 * @classifier: the rules as packets look them up; NULL where all are pending. Written under RTNL
 * @rules: struct weir_filter_rule by prio; under the namespace's lock
 * @count: number of rules; under the namespace's lock
 * @matches: number of matches of all rules; under the namespace's lock
 * @hidden: packets and requests no longer find it; written under RTNL
 * @ending: ends it without RTNL
 *
 * Changes are made under the namespace's lock, and RTNL is taken only to publish them: a
 * classifier of many matches takes its time. A device that goes takes RTNL, and hides its filter;
 * whoever holds the namespace's lock has the filter, and its rules, until it is released.
 */
struct weir_filter {
	struct rcu_head			rcu;
	int				ifindex;
	struct weir_classifier __rcu	*classifier;
	struct xarray			rules;
	u32				count;
	u32				matches;
	bool				hidden;
	struct weir_ending		ending;
};

/**
 * weir_filter_get() - find a filter
 * @wn: the namespace
 * @ifindex: the device
 *
 * Called under RTNL or rcu_read_lock(), or with bottom halves disabled; the filter lives as
 * long as that is held.
 */
static inline struct weir_filter *weir_filter_get(struct weir_xdp_net *wn, int ifindex)
{
	struct weir_xdp_dev *xd = weir_xdp_dev_find(wn, ifindex);

	return xd ? rcu_dereference_check(xd->filter, weir_xdp_dev_held()) : NULL;
}

/**
 * weir_filter_find() - find a filter for a request
 * @wn: the namespace, whose lock is held: until it is released the filter stays, even where the
 *	device goes
 * @ifindex: the device
 */
static inline struct weir_filter *weir_filter_find(struct weir_xdp_net *wn, int ifindex)
{
	struct weir_filter *filter;

	lockdep_assert_held(&wn->ns.lock);
	rcu_read_lock();
	filter = weir_filter_get(wn, ifindex);
	rcu_read_unlock();
	return filter;
}

struct weir_filter_rule *weir_filter_rule(struct weir_filter *filter, u32 prio);
u32 weir_filter_next_prio(struct weir_filter *filter);
int weir_filter_add(struct weir_xdp_net *wn, int ifindex, struct weir_filter_rule *rule, bool more);
int weir_filter_replace(struct weir_xdp_net *wn, struct weir_filter *filter,
			struct weir_filter_rule *rule);
int weir_filter_commit(struct weir_xdp_net *wn, struct weir_filter *filter);
int weir_filter_del(struct weir_xdp_net *wn, struct weir_filter *filter, u32 prio);
void weir_filter_end(struct weir_xdp_net *wn, struct weir_filter *filter);
void weir_filter_flush(struct net *net);
void weir_filter_gone(struct weir_xdp_net *wn, struct weir_xdp_dev *xd);
int weir_filter_xdp(struct xdp_md *ctx);

#endif /* _WEIR_FILTER_H */

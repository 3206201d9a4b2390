/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_TRIM_H
#define _WEIR_TRIM_H

#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/rtnetlink.h>

#include "trim/net.h"
#include "trim/trim_config.h"

struct net_device;

/**
 * struct weir_trim_rev - a revision of a port's trimming policy
 * @rcu: it is freed a grace period after another took its place
 * @config: the policy as requested
 * @limits: the qdisc's limits, made from @config
 * @policy: the qdisc's rules and marks, made from @config
 * @idle: no frame of the device is longer than what trimming leaves of it
 * @port: for hooks and BPF programs, with a copy of @policy; programs may write to it,
 *	so the module itself reads only the stamps there
 *
 * Never changes while it can be reached, but for @port.
 */
struct weir_trim_rev {
	struct rcu_head			rcu;
	struct weir_trim_config		config;
	struct weir_bands_limits	limits;
	struct weir_trim_policy		policy;
	bool				idle;
	struct weir_trim_port		port;
};

/**
 * struct weir_trim - the trimming policy of an egress port
 * @node: in weir_net.trim_table
 * @rcu: it is freed a grace period after it was taken away
 * @dev: the device; only under RTNL, and until the policy is taken away
 * @dropped: packets that the device had dropped when counting began
 * @ifindex: its index
 * @rev: the policy as it is now; replaced under RTNL, read under RCU
 * @next: the policy's next revision; only under RTNL, while the default changes
 * @cpu: per-CPU meters and counters, which outlive changes of the policy
 * @cleared: the counters as they were when they were set to zero; under RTNL
 * @hits_cleared: counters of rules when they were set to zero, by slots; under RTNL
 * @class_cleared: counters of traffic classes when they were set to zero; under RTNL
 * @deflect: the device that programs redirect to, or NULL; only under RTNL
 *
 * Reached through weir_net.trim_table under RCU, and in order through weir_net.trims. It
 * holds no reference to the device: the device notifier takes it away with the device.
 */
struct weir_trim {
	struct hlist_node		node;
	struct rcu_head			rcu;
	struct net_device		*dev;
	u64				dropped;
	int				ifindex;
	struct weir_trim_rev __rcu	*rev;
	struct weir_trim_rev		*next;
	struct weir_trim_cpu __percpu	*cpu;
	u64				cleared[WEIR_TRIM_C_MAX];
	struct weir_trim_hits		hits_cleared[WEIR_TRIM_SLOTS];
	struct weir_trim_class_count	class_cleared[WEIR_TRIM_CLASSES];
	struct net_device		*deflect;
};

/**
 * weir_trim_get() - find the policy of a port
 * @wn: the namespace
 * @ifindex: the device
 *
 * Called under RTNL or rcu_read_lock(), or with bottom halves disabled; the
 * policy lives as long as that is held.
 */
static inline struct weir_trim *weir_trim_get(struct weir_trim_net *wn, int ifindex)
{
	return weir_dev_find(wn->trim_table, ifindex, struct weir_trim);
}

/**
 * weir_trim_rev() - a policy's current revision
 * @trim: the policy
 *
 * Context as for weir_trim_get().
 */
static inline struct weir_trim_rev *weir_trim_rev(const struct weir_trim *trim)
{
	return rcu_dereference_check(trim->rev, rcu_read_lock_bh_held() ||
						lockdep_rtnl_is_held());
}

/**
 * weir_trim_edge() - test whether a device's policy makes it an edge
 * @wn: the namespace
 * @ifindex: the device
 *
 * Context as for weir_trim_get().
 */
static inline bool weir_trim_edge(struct weir_trim_net *wn, int ifindex)
{
	struct weir_trim *trim = weir_trim_get(wn, ifindex);

	return trim && weir_trim_rev(trim)->config.edge;
}

/**
 * weir_trim_count() - add to a counter on this CPU
 * @trim: the policy
 * @counter: enum weir_trim_counter
 * @n: value to add
 *
 * Any context that cannot be interrupted by one that counts the same.
 */
static inline void weir_trim_count(const struct weir_trim *trim,
				   enum weir_trim_counter counter, u64 n)
{
	this_cpu_add(trim->cpu->count[counter], n);
}

#endif /* _WEIR_TRIM_H */

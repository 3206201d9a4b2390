// SPDX-License-Identifier: GPL-2.0
/* Per-CPU counters of namespaces, jobs, sources and ports. */
#include <linux/cpumask.h>
#include <net/netlink.h>

#include "core/base/compat.h"
#include "agg/base/net.h"
#include "agg/base/stats.h"

static u64 weir_stats_sum(struct weir_stats __percpu *stats, unsigned int i)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(stats, cpu)->c[i]);
	return sum;
}

static int weir_refusal_put(struct sk_buff *skb, u32 reason, u64 packets)
{
	struct nlattr *nest = nla_nest_start(skb, WEIR_A_STATS_REFUSAL);

	if (!nest)
		return -EMSGSIZE;
	if (nla_put_u32(skb, WEIR_A_REFUSAL_REASON, reason) ||
	    nla_put_uint(skb, WEIR_A_REFUSAL_PACKETS, packets)) {
		nla_nest_cancel(skb, nest);
		return -EMSGSIZE;
	}
	nla_nest_end(skb, nest);
	return 0;
}

/**
 * weir_stats_put() - write an object's counters into a netlink message
 * @skb: the message
 * @attr: attribute that the nest goes under
 * @stats: the counters
 *
 * Counters that are zero are written too, reasons that never occurred are not.
 *
 * Return: 0 or -EMSGSIZE.
 */
int weir_stats_put(struct sk_buff *skb, int attr,
		   struct weir_stats __percpu *stats)
{
	struct nlattr *nest;
	unsigned int i;
	u64 n;

	static_assert(WEIR_A_STATS_REFUSAL == 1 + WEIR_C_REFUSED);

	nest = nla_nest_start(skb, attr);
	if (!nest)
		return -EMSGSIZE;

	for (i = 0; i < WEIR_C_REFUSED; i++)
		if (nla_put_uint(skb, i + 1, weir_stats_sum(stats, i)))
			goto cancel;
	for (i = 1; i <= WEIR_REASON_MAX; i++) {
		n = weir_stats_sum(stats, WEIR_C_REFUSED + i);
		if (n && weir_refusal_put(skb, i, n))
			goto cancel;
	}
	nla_nest_end(skb, nest);
	return 0;

cancel:
	nla_nest_cancel(skb, nest);
	return -EMSGSIZE;
}

/**
 * weir_totals_net_init() - have counters of a namespace
 * @net: the namespace
 *
 * Return: 0 or -ENOMEM.
 */
int weir_totals_net_init(struct net *net)
{
	struct weir_net *wn = weir_net(net);

	wn->stats = alloc_percpu(struct weir_stats);
	return wn->stats ? 0 : -ENOMEM;
}

void weir_totals_net_uninit(struct net *net)
{
	free_percpu(weir_net(net)->stats);
}

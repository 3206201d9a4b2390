// SPDX-License-Identifier: GPL-2.0
/*
 * The kfunc of weir's program on a device that has a chain: uapi/weir_bpf.h describes it,
 * kfunc.c registers it.
 */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/filter.h>
#include <linux/netdevice.h>
#include <net/xdp.h>

#include "base/compat.h"
#include "base/net_bh.h"
#include "chain/chain.h"

/*
 * The packet that runs through a chain on this CPU. A program of a chain may call the kfunc,
 * too, which would have no end; it has no other packet than its own. A softirq's may come in
 * between where a test run leaves bottom halves enabled.
 */
static DEFINE_PER_CPU(struct xdp_buff *, weir_chain_packet);

/*
 * Weir's program takes no fragments where one of the chain's does not, and one that was added
 * a moment ago, or somebody else's program above, may let some through.
 */
static bool weir_chain_takes(const struct weir_member *member, struct xdp_buff *xdp)
{
	return !xdp_buff_has_frags(xdp) || weir_member_has_frags(member);
}

/* The programs from @first on. @by is set to the one that has run last. */
static __always_inline u32 weir_chain_run(const struct weir_chain_list *list, u32 first,
					  struct xdp_buff *xdp, struct bpf_prog **by)
{
	u32 i, verdict = XDP_PASS;

	for (i = first; i < list->count && verdict == XDP_PASS; i++) {
		struct weir_member *member = list->place[i].member;

		if (unlikely(!weir_chain_takes(member, xdp))) {
			this_cpu_inc(member->count->verdict[XDP_ABORTED]);
			return XDP_ABORTED;
		}
		*by = member->prog;
		verdict = weir_member_run(member, xdp);
	}
	return verdict;
}

/**
 * weir_chain_below() - run the programs behind a place
 * @dev: the device that a packet came in by
 * @xdp: the packet
 * @prio: the place
 * @by: set to the program that has given the verdict, where there is one
 *
 * For a part of a chain that runs the rest of it elsewhere. Called in an RCU read-side section, on
 * one CPU.
 *
 * Return: the verdict; XDP_PASS where there are none.
 */
u32 weir_chain_below(const struct net_device *dev, struct xdp_buff *xdp, u32 prio,
		     struct bpf_prog **by)
{
	struct weir_chain *chain = weir_chain_get(weir_net_bh(dev_net(dev)), dev->ifindex);
	struct xdp_buff *other = this_cpu_read(weir_chain_packet);
	const struct weir_chain_list *list;
	u32 first = 0, verdict;

	if (unlikely(!chain))
		return XDP_PASS;
	list = rcu_dereference_check(chain->list, rcu_read_lock_bh_held());
	while (first < list->count && list->place[first].prio <= prio)
		first++;
	this_cpu_write(weir_chain_packet, xdp);
	verdict = weir_chain_run(list, first, xdp, by);
	this_cpu_write(weir_chain_packet, other);
	return verdict;
}

__bpf_kfunc_start_defs();

__bpf_kfunc int weir_chain_xdp(struct xdp_md *ctx)
{
	struct xdp_buff *xdp = (struct xdp_buff *)ctx;
	const struct net_device *dev = xdp->rxq->dev;
	struct weir_chain *chain = weir_chain_get(weir_net_bh(dev_net(dev)), dev->ifindex);
	struct xdp_buff *other = this_cpu_read(weir_chain_packet);
	struct bpf_prog *by;
	u32 verdict;

	if (unlikely(!chain))
		return XDP_PASS;
	if (unlikely(other == xdp))
		return XDP_ABORTED;
	this_cpu_write(weir_chain_packet, xdp);
	verdict = weir_chain_run(rcu_dereference_check(chain->list, rcu_read_lock_bh_held()), 0,
				 xdp, &by);
	this_cpu_write(weir_chain_packet, other);
	return verdict;
}

__bpf_kfunc_end_defs();

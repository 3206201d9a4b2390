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

#include "core/base/compat.h"
#include "core/base/cut.h"
#include "core/base/device.h"
#include "xdp/base/net.h"
#include "xdp/base/running.h"
#include "xdp/chain/chain.h"

/*
 * Weir's program takes no fragments where one of the chain's does not; but one that was added a
 * moment ago, or somebody else's program above, may let some through.
 */
static u32 weir_chain_judge(struct weir_member *member, struct xdp_buff *xdp, bool timed)
{
	if (xdp_buff_has_frags(xdp) && !weir_member_has_frags(member))
		return XDP_ABORTED;
	return timed ? weir_member_time(member, xdp) : bpf_prog_run(member->prog, xdp);
}

/* @rare: the packet has fragments, or its time is taken */
static __always_inline u32 weir_chain_loop(const struct weir_chain_list *list, u32 first,
					   struct xdp_buff *xdp, struct bpf_prog **by, bool rare,
					   bool timed)
{
	const struct weir_chain_place *place = &list->place[first];
	const struct weir_chain_place *end = &list->place[list->count];
	struct weir_member *member;
	u32 verdict;

	do {
		member = place->member;
		if (by)
			*by = member->prog;
		verdict = rare ? weir_chain_judge(member, xdp, timed) :
				 bpf_prog_run(member->prog, xdp);
		if (verdict != XDP_PASS)
			return weir_member_count(member, verdict);
		this_cpu_inc(member->count->verdict[XDP_PASS]);
	} while (++place != end);
	return XDP_PASS;
}

/* The program that has called the kfunc may use fragments that programs here cut off. */
static noinline u32 weir_chain_run_rare(const struct weir_chain_list *list, u32 first,
					struct xdp_buff *xdp, struct bpf_prog **by, bool timed)
{
	struct weir_cut_frags frags;
	u32 verdict;

	if (unlikely(!weir_cut_begin(&frags, xdp)))
		return XDP_ABORTED;
	verdict = weir_chain_loop(list, first, xdp, by, true, timed);
	weir_cut_end(&frags, xdp);
	return verdict;
}

/* The programs from @first on, which there is. @by: set to the one that has run last, or NULL */
static __always_inline u32 weir_chain_run(const struct weir_chain_list *list, u32 first,
					  struct xdp_buff *xdp, struct bpf_prog **by)
{
	if (unlikely(weir_member_turns(list->place[first].member)))
		return weir_chain_run_rare(list, first, xdp, by, true);
	if (unlikely(xdp_buff_has_frags(xdp)))
		return weir_chain_run_rare(list, first, xdp, by, false);
	return weir_chain_loop(list, first, xdp, by, false, false);
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
	const struct weir_chain_list *list = weir_chain_programs(weir_xdp_net_bh(dev_net(dev)),
								 dev->ifindex);
	u32 first = 0, verdict, was;

	if (unlikely(!list))
		return XDP_PASS;
	while (first < list->count && list->place[first].prio <= prio)
		first++;
	if (first == list->count)
		return XDP_PASS;
	was = weir_running_begin(xdp, WEIR_RUNNING_CHAIN);
	verdict = weir_chain_run(list, first, xdp, by);
	weir_running_end(xdp, WEIR_RUNNING_CHAIN, was);
	return verdict;
}

__bpf_kfunc_start_defs();

__bpf_kfunc int weir_chain_xdp(struct xdp_md *ctx)
{
	struct xdp_buff *xdp = (struct xdp_buff *)ctx;
	const struct net_device *dev = weir_xdp_dev(xdp);
	const struct weir_chain_list *list = weir_chain_programs(weir_xdp_net_bh(dev_net(dev)),
								 dev->ifindex);
	u32 verdict;

	if (unlikely(!list))
		return XDP_PASS;
	if (unlikely(weir_running(xdp, WEIR_RUNNING_CHAIN)))
		return XDP_ABORTED;
	weir_running_begin(xdp, WEIR_RUNNING_CHAIN);
	verdict = weir_chain_run(list, 0, xdp, NULL);
	weir_running_end(xdp, WEIR_RUNNING_CHAIN, 0);
	return verdict;
}

__bpf_kfunc_end_defs();

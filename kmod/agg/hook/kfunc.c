// SPDX-License-Identifier: GPL-2.0
/*
 * The kfuncs of BPF programs, described in uapi/weir_bpf.h. Every pointer and
 * every length is checked here, as the verifier of some kernels lets NULL with
 * size 0 through, and as a program may be wrong about a packet. A program's
 * arguments are copied first: they may lie in a map that another CPU writes to.
 */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/btf_ids.h>
#include <linux/filter.h>
#include <linux/module.h>
#include <linux/nospec.h>
#include <linux/skbuff.h>
#include <net/xdp.h>
#include <uapi/weir.h>
#include <uapi/weir_bpf.h>

#include "core/base/compat.h"
#include "core/base/device.h"
#include "agg/base/link.h"
#include "agg/base/payload.h"
#include "agg/hook/arp.h"
#include "agg/hook/frame.h"
#include "agg/hook/kfunc.h"
#include "agg/hook/merged.h"
#include "agg/rx/contribute.h"

/* Return true if the UDP checksum needs no further look; a frame without IP has none. */
static bool weir_skb_verified(const struct sk_buff *skb, const struct weir_contrib *c)
{
	return skb_csum_unnecessary(skb) ||
	       skb->ip_summed == CHECKSUM_PARTIAL || weir_contrib_is_link(c);
}

/* The reason that a program gives, or 0 where there is none like that. */
static u32 weir_reason_check(u32 reason)
{
	return reason <= WEIR_REASON_MAX ? array_index_nospec(reason, WEIR_REASON_MAX + 1) : 0;
}

/* Return the enum weir_reason for which an skb is not looked into, or 0. */
static int weir_skb_reason(const struct sk_buff *skb, const struct weir_contrib *c)
{
	if (weir_frame_leaves(skb))
		return WEIR_REASON_NO_PORT;
	if (!weir_frame_is_ours_skb(skb, c))
		return WEIR_REASON_NOT_LOCAL;
	return weir_frame_is_fragments(skb) ? WEIR_REASON_FRAGMENT : 0;
}

/* @err: result of the search for the datagram. */
static int weir_contribute_found(struct net_device *dev, struct weir_contrib *c,
				 struct weir_payload *pl, int err, bool verified)
{
	if (unlikely(err == -EFAULT))
		return weir_refuse(dev, c, WEIR_REASON_UNREADABLE);
	return weir_contribute(dev, c, err ? NULL : pl, verified);
}

__bpf_kfunc_start_defs();

__bpf_kfunc int weir_contribute_xdp(struct xdp_md *ctx,
				    struct weir_contrib *contrib,
				    u32 contrib__sz)
{
	struct xdp_buff *xdp = (struct xdp_buff *)ctx;
	struct weir_payload pl __uninitialized;
	struct weir_contrib c __uninitialized;
	int err;

	if (!weir_contrib_copy(&c, contrib, contrib__sz))
		return -EINVAL;
	if (unlikely(!weir_frame_is_ours_xdp(xdp, &c)))
		return weir_refuse(weir_xdp_dev(xdp), &c, WEIR_REASON_NOT_LOCAL);
	c.vlan = weir_frame_vlan_xdp(xdp, &c);
	err = weir_payload_from_xdp(&pl, xdp, c.udp_off, c.udp_len);
	return weir_contribute_found(weir_xdp_dev(xdp), &c, &pl, err,
				     weir_contrib_is_link(&c));
}

__bpf_kfunc int weir_contribute_skb(struct __sk_buff *ctx,
				    struct weir_contrib *contrib,
				    u32 contrib__sz)
{
	struct sk_buff *skb = (struct sk_buff *)ctx;
	struct weir_payload pl __uninitialized;
	struct weir_contrib c __uninitialized;
	int err;

	if (!weir_contrib_copy(&c, contrib, contrib__sz))
		return -EINVAL;
	err = weir_skb_reason(skb, &c);
	if (unlikely(err))
		return weir_refuse(skb->dev, &c, err);
	err = weir_payload_from_skb(&pl, skb, c.udp_off, c.udp_len);
	return weir_contribute_found(skb->dev, &c, &pl, err, weir_skb_verified(skb, &c));
}

__bpf_kfunc int weir_contribute_merged_skb(struct __sk_buff *ctx,
					   struct weir_contrib *contrib,
					   u32 contrib__sz)
{
	struct sk_buff *skb = (struct sk_buff *)ctx;
	struct weir_contrib c __uninitialized;
	int err;

	if (!weir_contrib_copy(&c, contrib, contrib__sz) || weir_contrib_is_link(&c))
		return -EINVAL;
	err = weir_skb_reason(skb, &c);
	if (unlikely(err))
		return weir_refuse(skb->dev, &c, err);
	return weir_contribute_merged(skb, &c, weir_skb_verified(skb, &c));
}

__bpf_kfunc int weir_refuse_xdp(struct xdp_md *ctx,
				struct weir_contrib *contrib, u32 contrib__sz,
				u32 reason)
{
	struct xdp_buff *xdp = (struct xdp_buff *)ctx;
	struct weir_contrib c __uninitialized;

	reason = weir_reason_check(reason);
	if (!weir_contrib_copy(&c, contrib, contrib__sz) || !reason)
		return -EINVAL;
	if (unlikely(!weir_frame_is_ours_xdp(xdp, &c)))
		reason = WEIR_REASON_NOT_LOCAL;
	return weir_refuse(weir_xdp_dev(xdp), &c, reason);
}

__bpf_kfunc int weir_refuse_skb(struct __sk_buff *ctx,
				struct weir_contrib *contrib, u32 contrib__sz,
				u32 reason)
{
	struct sk_buff *skb = (struct sk_buff *)ctx;
	struct weir_contrib c __uninitialized;

	reason = weir_reason_check(reason);
	if (!weir_contrib_copy(&c, contrib, contrib__sz) || !reason)
		return -EINVAL;
	return weir_refuse(skb->dev, &c, weir_skb_reason(skb, &c) ?: reason);
}

__bpf_kfunc int weir_arp_xdp(struct xdp_md *ctx, struct weir_contrib *contrib,
			     u32 contrib__sz)
{
	struct xdp_buff *xdp = (struct xdp_buff *)ctx;
	struct weir_payload pl __uninitialized;
	struct weir_contrib c __uninitialized;

	if (!weir_contrib_copy(&c, contrib, contrib__sz))
		return -EINVAL;
	c.vlan = weir_frame_vlan_xdp(xdp, &c);
	if (weir_payload_from_xdp(&pl, xdp, c.udp_off, WEIR_ARP_LEN))
		return -ENOENT;
	return weir_arp_answer(weir_xdp_dev(xdp), &pl, c.vlan) ? 0 : -ENOENT;
}

__bpf_kfunc int weir_arp_skb(struct __sk_buff *ctx, struct weir_contrib *contrib,
			     u32 contrib__sz)
{
	struct sk_buff *skb = (struct sk_buff *)ctx;
	struct weir_payload pl __uninitialized;
	struct weir_contrib c __uninitialized;

	if (!weir_contrib_copy(&c, contrib, contrib__sz))
		return -EINVAL;
	if (weir_frame_leaves(skb) ||
	    weir_payload_from_skb(&pl, skb, c.udp_off, WEIR_ARP_LEN))
		return -ENOENT;
	return weir_arp_answer(skb->dev, &pl, c.vlan) ? 0 : -ENOENT;
}

__bpf_kfunc_end_defs();

/* A module has one set for a type of program. */
BTF_KFUNCS_START(weir_agg_xdp_kfuncs)
BTF_ID_FLAGS(func, weir_contribute_xdp)
BTF_ID_FLAGS(func, weir_refuse_xdp)
BTF_ID_FLAGS(func, weir_arp_xdp)
BTF_KFUNCS_END(weir_agg_xdp_kfuncs)

BTF_KFUNCS_START(weir_agg_skb_kfuncs)
BTF_ID_FLAGS(func, weir_contribute_skb)
BTF_ID_FLAGS(func, weir_contribute_merged_skb)
BTF_ID_FLAGS(func, weir_refuse_skb)
BTF_ID_FLAGS(func, weir_arp_skb)
BTF_KFUNCS_END(weir_agg_skb_kfuncs)

static const struct btf_kfunc_id_set weir_xdp_set = {
	.owner	= THIS_MODULE,
	.set	= &weir_agg_xdp_kfuncs,
};

static const struct btf_kfunc_id_set weir_skb_set = {
	.owner	= THIS_MODULE,
	.set	= &weir_agg_skb_kfuncs,
};

/**
 * weir_kfunc_init() - offer the functions to BPF programs
 *
 * They go with the module's BTF; programs that use them hold the module.
 */
int weir_kfunc_init(void)
{
	int err;

	err = register_btf_kfunc_id_set(BPF_PROG_TYPE_XDP, &weir_xdp_set);
	if (err)
		return err;
	return register_btf_kfunc_id_set(BPF_PROG_TYPE_SCHED_CLS,
					 &weir_skb_set);
}

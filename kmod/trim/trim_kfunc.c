// SPDX-License-Identifier: GPL-2.0
/*
 * The kfuncs of BPF programs that trim. uapi/weir_trim.h describes them, kfunc.c
 * registers them. Programs run with bottom halves disabled, or in an RCU read-side
 * section, so the memory that they get lasts as long as they run.
 */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_vlan.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <linux/skbuff.h>
#include <net/checksum.h>
#include <net/sch_generic.h>
#include <net/xdp.h>

#include "core/base/compat.h"
#include "core/base/device.h"
#include "trim/net.h"
#include "trim/acl.h"
#include "trim/backlog.h"
#include "trim/bridge.h"
#include "trim/edge.h"
#include "trim/trim.h"
#include "trim/trim_kfunc.h"
#include "trim/trim_skb.h"

/*
 * A program with another size of the struct has another layout, too: it was built for
 * another module, and would read and count at the wrong places.
 */
static u8 *weir_trim_port_of(const struct net_device *dev, u32 ifindex,
			     u32 size)
{
	struct weir_trim *trim = weir_trim_get(weir_trim_net_bh(dev_net(dev)), ifindex);

	if (!trim || size != sizeof(struct weir_trim_port))
		return NULL;
	return (u8 *)&weir_trim_rev(trim)->port;
}

static u8 *weir_trim_cpu_of(const struct net_device *dev, u32 ifindex, u32 size)
{
	struct weir_trim *trim = weir_trim_get(weir_trim_net_bh(dev_net(dev)), ifindex);

	if (!trim || size != sizeof(struct weir_trim_cpu))
		return NULL;
	return (u8 *)this_cpu_ptr(trim->cpu);
}

static int weir_trim_backlog_of(const struct net_device *dev, u32 ifindex,
				u32 len)
{
	struct weir_trim_net *wn = weir_trim_net_bh(dev_net(dev));
	struct weir_trim *trim = weir_trim_get(wn, ifindex);

	if (!trim)
		return -ENOENT;
	return weir_backlog_full(wn, ifindex, &weir_trim_rev(trim)->limits,
				 len);
}

static struct weir_trim_acl *weir_trim_acl_of(const struct net_device *dev, u32 ifindex)
{
	struct weir_trim *trim = weir_trim_get(weir_trim_net_bh(dev_net(dev)), ifindex);

	return trim ? weir_trim_rev(trim)->config.acl : NULL;
}

/* @size: as that of a port */
static u32 weir_trim_acl_ask(const struct weir_trim_acl *acl, const void *ends, u32 size,
			     const void *start, const void *end)
{
	return acl && size == sizeof(struct weir_trim_ends) ?
	       weir_trim_acl_find(acl, ends, start, end) : 0;
}

/*
 * The program holds pointers into the packet, so nothing may move: the caller has made
 * the headers writable.
 */
static bool weir_trim_is_writable(const struct sk_buff *skb, unsigned int len)
{
	return !skb_shared(skb) && len <= skb_headlen(skb) &&
	       (!skb_cloned(skb) || skb_clone_writable(skb, len));
}

/* The sum is made in place: a copy of shared pages would move the headers. */
static int weir_trim_fill_csum(struct sk_buff *skb)
{
	unsigned int start = skb_checksum_start_offset(skb);
	unsigned int at = start + skb->csum_offset;
	unsigned int end = at + (skb_csum_is_sctp(skb) ? sizeof(__le32) : sizeof(__sum16));

	/* A program may have removed headers, so that the sum begins before the packet. */
	if (skb_is_gso(skb) || start >= skb_headlen(skb) || !weir_trim_is_writable(skb, end))
		return -EINVAL;
	if (skb_csum_is_sctp(skb))
		return skb_has_shared_frag(skb) ? -EINVAL :
						  skb_csum_hwoffload_help(skb, 0);
	*(__sum16 *)(skb->data + at) =
		csum_fold(skb_checksum(skb, start, skb->len - start, 0)) ?:
		CSUM_MANGLED_0;
	return 0;
}

static int weir_trim_plain(struct sk_buff *skb)
{
	int err = 0;

	if (skb->ip_summed == CHECKSUM_PARTIAL)
		err = weir_trim_fill_csum(skb);
	if (err)
		return err;
	skb->ip_summed = CHECKSUM_NONE;
	skb->encapsulation = 0;
	return 0;
}

/* As in skbedit: the stack does not choose another queue afterwards. */
static int weir_trim_queue(struct sk_buff *skb, u32 queue)
{
	if (skb_at_tc_ingress(skb) || queue >= skb->dev->real_num_tx_queues)
		return -EINVAL;
	skb_set_queue_mapping(skb, queue);
	netdev_xmit_skip_txqueue(true);
	return 0;
}

static int weir_trim_class(struct sk_buff *skb, u32 class)
{
	int queue = weir_trim_skb_class(skb, class);

	return queue < 0 ? queue : weir_trim_queue(skb, queue);
}

/*
 * Qdiscs use the length that a packet had before tc egress. The length of a merged
 * packet counts the headers of all its segments, and no merged packet was cut.
 */
static int weir_trim_length(struct sk_buff *skb)
{
	if (skb_is_gso(skb))
		return -EINVAL;
	qdisc_skb_cb(skb)->pkt_len = skb->len;
	return 0;
}

static struct net_device *weir_ctx_dev(const struct xdp_md *ctx)
{
	return weir_xdp_dev((const struct xdp_buff *)ctx);
}

static const struct net_device *weir_skb_dev(const struct __sk_buff *ctx)
{
	return ((const struct sk_buff *)ctx)->dev;
}

__bpf_kfunc_start_defs();

__bpf_kfunc u8 *weir_trim_port_xdp(struct xdp_md *ctx, u32 ifindex,
				   const u32 rdwr_buf_size)
{
	return weir_trim_port_of(weir_ctx_dev(ctx), ifindex, rdwr_buf_size);
}

__bpf_kfunc u8 *weir_trim_port_skb(struct __sk_buff *ctx, u32 ifindex,
				   const u32 rdwr_buf_size)
{
	return weir_trim_port_of(weir_skb_dev(ctx), ifindex, rdwr_buf_size);
}

__bpf_kfunc u8 *weir_trim_cpu_xdp(struct xdp_md *ctx, u32 ifindex,
				  const u32 rdwr_buf_size)
{
	return weir_trim_cpu_of(weir_ctx_dev(ctx), ifindex, rdwr_buf_size);
}

__bpf_kfunc u8 *weir_trim_cpu_skb(struct __sk_buff *ctx, u32 ifindex,
				  const u32 rdwr_buf_size)
{
	return weir_trim_cpu_of(weir_skb_dev(ctx), ifindex, rdwr_buf_size);
}

__bpf_kfunc u32 weir_trim_from_xdp(struct xdp_md *ctx)
{
	return weir_ctx_dev(ctx)->ifindex;
}

__bpf_kfunc int weir_trim_edge_xdp(struct xdp_md *ctx)
{
	return weir_edge_early(weir_ctx_dev(ctx));
}

__bpf_kfunc int weir_trim_edge_skb(struct __sk_buff *ctx)
{
	return weir_edge((const struct sk_buff *)ctx);
}

__bpf_kfunc u32 weir_trim_acl_xdp(struct xdp_md *ctx, u32 ifindex, const void *ends,
				  u32 ends__sz)
{
	const struct xdp_buff *xdp = (const struct xdp_buff *)ctx;

	return weir_trim_acl_ask(weir_trim_acl_of(weir_ctx_dev(ctx), ifindex), ends, ends__sz,
				 xdp->data, xdp->data_end);
}

__bpf_kfunc u32 weir_trim_acl_skb(struct __sk_buff *ctx, u32 ifindex, const void *ends,
				  u32 ends__sz)
{
	const struct sk_buff *skb = (const struct sk_buff *)ctx;

	return weir_trim_acl_ask(weir_trim_acl_of(weir_skb_dev(ctx), ifindex), ends, ends__sz,
				 skb->data, skb->data + skb_headlen(skb));
}

__bpf_kfunc int weir_trim_acl_count_xdp(struct xdp_md *ctx, u32 ifindex, u32 prio, u32 bytes)
{
	struct weir_trim_acl *acl = weir_trim_acl_of(weir_ctx_dev(ctx), ifindex);

	return acl ? weir_trim_acl_count(acl, prio, 1, bytes) : -ENOENT;
}

__bpf_kfunc int weir_trim_acl_count_skb(struct __sk_buff *ctx, u32 ifindex, u32 prio, u32 bytes)
{
	struct weir_trim_acl *acl = weir_trim_acl_of(weir_skb_dev(ctx), ifindex);

	return acl ? weir_trim_acl_count(acl, prio, 1, bytes) : -ENOENT;
}

__bpf_kfunc int weir_trim_backlog_xdp(struct xdp_md *ctx, u32 ifindex)
{
	return weir_trim_backlog_of(weir_ctx_dev(ctx), ifindex,
				    xdp_get_buff_len((struct xdp_buff *)ctx));
}

__bpf_kfunc int weir_trim_bridge_xdp(struct xdp_md *ctx, u32 tag)
{
	const struct xdp_buff *xdp = (const struct xdp_buff *)ctx;
	u32 vlan = tag & ~WEIR_TRIM_TAG_SHOWN;

	if (xdp->data_end - xdp->data < ETH_HLEN || vlan >= VLAN_N_VID)
		return 0;
	return weir_bridge_find(weir_xdp_dev(xdp), xdp->data, vlan,
				tag & WEIR_TRIM_TAG_SHOWN);
}

__bpf_kfunc int weir_trim_plain_skb(struct __sk_buff *ctx)
{
	return weir_trim_plain((struct sk_buff *)ctx);
}

__bpf_kfunc int weir_trim_length_skb(struct __sk_buff *ctx)
{
	return weir_trim_length((struct sk_buff *)ctx);
}

__bpf_kfunc int weir_trim_queue_skb(struct __sk_buff *ctx, u32 queue)
{
	return weir_trim_queue((struct sk_buff *)ctx, queue);
}

__bpf_kfunc int weir_trim_class_skb(struct __sk_buff *ctx, u32 class)
{
	return weir_trim_class((struct sk_buff *)ctx, class);
}

__bpf_kfunc_end_defs();

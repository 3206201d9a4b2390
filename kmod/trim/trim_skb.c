// SPDX-License-Identifier: GPL-2.0
/*
 * Trimming a packet that is about to leave: its bytes from the Ethernet header
 * on are data, tags may lie beside them.
 */
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <linux/netdevice.h>
#include <linux/nospec.h>
#include <linux/skbuff.h>
#include <net/checksum.h>

#include "trim/acl.h"
#include "trim/edge.h"
#include "trim/trim.h"
#include "trim/trim_skb.h"

/* Sum over bytes of the original packet. Without one they count as zeroes. */
static u32 weir_trim_sum(struct weir_trim_pkt *pkt, u32 off, u32 len)
{
	const struct sk_buff *whole = pkt->ctx;

	return whole ? (__force u32)skb_checksum(whole, off, len, 0) : 0;
}

#include <trim/weir_trim_mark.h>

/**
 * weir_trim_acl() - find the rule of a port's ACL that decides about a packet
 * @policy: that of a revision, with WEIR_TRIM_ASKS_ACL
 * @ends: the packet
 * @start: its Ethernet header
 * @end: behind its last byte that can be read
 *
 * Return: as weir_trim_acl_find().
 */
u32 weir_trim_acl(const struct weir_trim_policy *policy, const struct weir_trim_ends *ends,
		  const void *start, const void *end)
{
	const struct weir_trim_rev *rev = container_of(policy, struct weir_trim_rev, policy);

	return weir_trim_acl_find(rev->config.acl, ends, start, end);
}

/* Headers are looked for in so many bytes, which are pulled into the linear part. */
#define WEIR_TRIM_HEADERS	256

static void weir_trim_skb_range(struct sk_buff *skb, struct weir_trim_pkt *pkt)
{
	memset(pkt, 0, sizeof(*pkt));
	pkt->start = skb->data;
	pkt->end = skb->data + skb_headlen(skb);
	pkt->len = skb->len;
	pkt->from = skb->skb_iif;
	if (!skb_vlan_tag_present(skb))
		return;
	pkt->vlan = skb_vlan_tag_get_id(skb);
	pkt->beside = VLAN_HLEN;
}

/* The parser goes on without NDP's shim where it is not in the linear part. */
static bool weir_trim_skb_seen(const struct weir_trim_pkt *pkt)
{
	return pkt->dport != WEIR_NDP_PORT || pkt->ndp;
}

/**
 * weir_trim_skb_parse() - find a packet's headers
 * @skb: the packet, not shared
 * @pkt: filled; its pointers hold until @skb is changed
 *
 * For most packets the linear part is enough.
 *
 * Return: whether trimming may apply to it.
 */
bool weir_trim_skb_parse(struct sk_buff *skb, struct weir_trim_pkt *pkt)
{
	u32 need = min_t(u32, skb->len, WEIR_TRIM_HEADERS);
	bool whole = skb_headlen(skb) >= need;
	int err;

	weir_trim_skb_range(skb, pkt);
	err = weir_trim_parse(pkt);
	if (whole || (!err && weir_trim_skb_seen(pkt)))
		return !err;
	if (!pskb_may_pull(skb, need))
		return false;
	weir_trim_skb_range(skb, pkt);
	return !weir_trim_parse(pkt);
}

/* The same headers in another copy of the packet's first bytes. */
static void weir_trim_skb_rebase(struct weir_trim_pkt *pkt, struct sk_buff *skb)
{
	ptrdiff_t delta = (void *)skb->data - pkt->start;

	pkt->start += delta;
	pkt->l3 += delta;
	pkt->l4 += delta;
	if (pkt->ndp)
		pkt->ndp += delta;
	pkt->end = skb->data + skb_headlen(skb);
}

/**
 * weir_trim_skb_unmark() - remove a mark that is not trusted
 * @skb: the packet, not shared
 * @pkt: as weir_trim_skb_parse() left it
 *
 * Return: 0 or -ENOMEM.
 */
int weir_trim_skb_unmark(struct sk_buff *skb, struct weir_trim_pkt *pkt)
{
	if (skb_ensure_writable(skb, pkt->headers))
		return -ENOMEM;
	weir_trim_skb_rebase(pkt, skb);
	weir_trim_unmark(pkt);
	return 0;
}

/*
 * Return true if the device would fill in the checksum of the UDP or TCP header that was
 * parsed: then the trimmed bytes are enough to compute it.
 */
static bool weir_trim_skb_own_csum(const struct sk_buff *skb,
				   const struct weir_trim_pkt *pkt)
{
	return (pkt->proto == IPPROTO_UDP || pkt->proto == IPPROTO_TCP) &&
	       skb_checksum_start_offset(skb) == pkt->l4 - pkt->start;
}

/* A checksum that stays, or that is behind the parsed headers, covers the whole packet. */
static int weir_trim_skb_csum(const struct weir_trim_policy *policy,
			      struct sk_buff *skb, struct weir_trim_pkt *pkt)
{
	int err;

	if (skb->ip_summed != CHECKSUM_PARTIAL ||
	    (!(policy->flags & WEIR_TRIM_KEEP_LENGTH) &&
	     weir_trim_skb_own_csum(skb, pkt)))
		return 0;
	err = skb_csum_hwoffload_help(skb, 0);
	if (!err)
		weir_trim_skb_rebase(pkt, skb);
	return err;
}

/*
 * The device's checksum is computed here, with the trimmed bytes as zeroes. They then add
 * nothing, and only lengths are to be changed.
 */
static void weir_trim_skb_fill_csum(struct sk_buff *skb,
				    struct weir_trim_pkt *pkt)
{
	unsigned int start = skb_checksum_start_offset(skb);

	if (skb->ip_summed != CHECKSUM_PARTIAL)
		return;
	*(__sum16 *)(skb->data + start + skb->csum_offset) =
		csum_fold(csum_partial(skb->data + start, skb->len - start, 0)) ?:
		CSUM_MANGLED_0;
	pkt->ctx = NULL;
}

/* The first bytes, with the packet's metadata except its socket. */
static struct sk_buff *weir_trim_skb_copy(struct sk_buff *skb, u32 len)
{
	unsigned int headroom = skb_headroom(skb);
	struct sk_buff *copy;

	copy = alloc_skb(headroom + len, GFP_ATOMIC | __GFP_NOWARN);
	if (!copy)
		return NULL;
	/* Offsets of headers count from the beginning of the buffer. */
	skb_reserve(copy, headroom);
	skb_put(copy, len);
	if (skb_copy_bits(skb, 0, copy->data, len)) {
		kfree_skb(copy);
		return NULL;
	}
	skb_copy_header(copy, skb);
	return copy;
}

/**
 * weir_trim_skb_cut() - trim a packet
 * @policy: the egress port's policy
 * @skb: the packet, not merged and not shared
 * @pkt: as weir_trim_skb_parse() left it; then of the trimmed packet
 *
 * The trimmed packet is a copy: the memory of the whole one is free at once, its sender is
 * no longer charged for it, and its clones stay unchanged.
 *
 * Return: the trimmed packet, while @skb stays the caller's; NULL without memory.
 */
struct sk_buff *weir_trim_skb_cut(const struct weir_trim_policy *policy,
				  struct sk_buff *skb,
				  struct weir_trim_pkt *pkt)
{
	struct sk_buff *copy;
	u32 len;

	len = weir_trim_length(policy, pkt);
	if (len < pkt->len && weir_trim_skb_csum(policy, skb, pkt))
		return NULL;
	copy = weir_trim_skb_copy(skb, len);
	if (!copy)
		return NULL;
	weir_trim_skb_rebase(pkt, copy);
	pkt->ctx = skb;
	if (len < pkt->len) {
		weir_trim_skb_fill_csum(copy, pkt);
		copy->ip_summed = CHECKSUM_NONE;
	}
	weir_trim_mark(policy, pkt, len);
	pkt->ctx = NULL;
	if (policy->flags & WEIR_TRIM_SET_PRIORITY)
		copy->priority = policy->priority;
	return copy;
}

/**
 * weir_trim_skb_class() - choose a transmit queue of a traffic class
 * @skb: the packet, which leaves by its device
 * @class: the class
 *
 * By the hash of the packet's flow, as the stack does for a priority. Without classes, queue n of
 * the device is class n.
 *
 * Return: the queue, or -EINVAL if the device does not have the class or its queue.
 */
int weir_trim_skb_class(struct sk_buff *skb, u32 class)
{
	const struct net_device *dev = skb->dev;
	u32 classes = READ_ONCE(dev->num_tc), count;
	const struct netdev_tc_txq *txq;

	if (!classes)
		return class < dev->real_num_tx_queues ? class : -EINVAL;
	if (class >= TC_MAX_QUEUE || class >= classes)
		return -EINVAL;
	txq = &dev->tc_to_txq[array_index_nospec(class, TC_MAX_QUEUE)];
	count = READ_ONCE(txq->count);
	if (!count)
		return -EINVAL;
	return READ_ONCE(txq->offset) + reciprocal_scale(skb_get_hash(skb), count);
}

/**
 * weir_trim_skb_returnable() - test whether a packet can go back to its sender
 * @policy: the egress port's policy
 * @skb: the packet
 *
 * A packet from this host has no ingress device. Without a bridge, or the like, a packet
 * goes back by the IP layer, which drops packets shorter than their length field.
 */
bool weir_trim_skb_returnable(const struct weir_trim_policy *policy,
			      const struct sk_buff *skb)
{
	if (!(policy->flags & WEIR_TRIM_RETURN) || !skb->skb_iif)
		return false;
	return !(policy->flags & WEIR_TRIM_KEEP_LENGTH) ||
	       rcu_access_pointer(skb->dev->rx_handler);
}

/* Gives the packet, whose headers are final, the state of an arriving one. */
static struct sk_buff *weir_trim_skb_arrive(struct sk_buff *skb)
{
	skb_scrub_packet(skb, false);
	skb_set_queue_mapping(skb, 0);
	skb_clear_hash(skb);
	skb_clear_tstamp(skb);
	skb->priority = 0;
	skb->mark = 0;
	skb->protocol = eth_type_trans(skb, skb->dev);
	skb_reset_network_header(skb);
	weir_edge_vouch(skb);
	return skb;
}

/**
 * weir_trim_skb_return() - send a trimmed packet back to its sender
 * @policy: the egress port's policy
 * @skb: the packet, trimmed here or upstream
 * @pkt: as weir_trim_skb_cut() or weir_trim_skb_parse() left it
 *
 * A copy comes in by the device that the packet was to leave by, as if its
 * receiver had sent it: so the bridge or router that chose this way finds the
 * way back, with the VLANs, addresses and rules of each side. It only joins a
 * queue here, so the qdisc's lock may be held.
 *
 * Return: whether it is on its way, and @skb freed; else @skb is unchanged.
 */
bool weir_trim_skb_return(const struct weir_trim_policy *policy,
			  struct sk_buff *skb, struct weir_trim_pkt *pkt)
{
	struct sk_buff *back = weir_trim_skb_copy(skb, skb->len);

	if (!back)
		return false;
	weir_trim_skb_rebase(pkt, back);
	weir_trim_return(policy, pkt);
	if (netif_rx(weir_trim_skb_arrive(back)) != NET_RX_SUCCESS)
		return false;
	consume_skb(skb);
	return true;
}

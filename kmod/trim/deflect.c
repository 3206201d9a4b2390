// SPDX-License-Identifier: GPL-2.0
/*
 * Deflect-on-drop (trimming paper, section 3). The kernel frees redirected frames that a
 * driver does not take, and no program learns of it. So a policy of hook xdp has a device
 * of its own before the real one. Programs redirect to it, and it hands the frames on in
 * the same batch. Frames that come back go to the real device's qdiscs as packets, where
 * the weir qdisc trims and queues them. They also signal an overflow.
 *
 * A program counts a frame before a driver has taken it. The program notes the counter in
 * the frame's headroom. So the module can subtract a frame that comes back, and count its
 * real end.
 */
#include <linux/if_ether.h>
#include <linux/netdevice.h>
#include <linux/percpu.h>
#include <linux/skbuff.h>
#include <net/sch_generic.h>
#include <net/xdp.h>

#include "base/compat.h"
#include "base/virtual.h"
#include "trim/deflect.h"
#include "trim/overflow.h"
#include "trim/trim.h"
#include "trim/trim_kfunc.h"

#define WEIR_NOTE_MAGIC		0x77656972

/**
 * struct weir_note - how a program counted a frame that is redirected
 * @magic: WEIR_NOTE_MAGIC
 * @counter: enum weir_trim_counter
 * @headroom: bytes before the frame's first byte, from the beginning of its memory
 * @len: bytes of its linear part
 *
 * Lies behind the struct xdp_frame. A driver that refused a frame may already have moved
 * its beginning, for a header.
 */
struct weir_note {
	u32	magic;
	u32	counter;
	u32	headroom;
	u32	len;
};

/* That of order lies behind it. */
static_assert(WEIR_VIRTUAL_NOTE_TRIM + sizeof(struct weir_note) <= WEIR_VIRTUAL_NOTE_ORDER);

/**
 * struct weir_deflected - a packet on its way to the qdisc
 * @skb: the packet, or NULL
 * @port: the device that had no room for it, until a drop there was attributed to that
 * @counter: the counter that it was in
 * @taken: a weir qdisc has it, and counts it
 */
struct weir_deflected {
	const struct sk_buff	*skb;
	const struct net_device	*port;
	u32			counter;
	bool			taken;
};

static DEFINE_PER_CPU(struct weir_deflected, weir_deflected);

/**
 * weir_deflect_taken() - did a packet come back from its device?
 * @skb: a packet that a weir qdisc is given
 * @counter: set to the counter that it was subtracted from
 *
 * Called with bottom halves disabled. From now on the qdisc counts it.
 */
bool weir_deflect_taken(const struct sk_buff *skb, u32 *counter)
{
	struct weir_deflected *d = this_cpu_ptr(&weir_deflected);

	if (likely(d->skb != skb))
		return false;
	d->taken = true;
	*counter = d->counter;
	return true;
}

/**
 * weir_deflect_told() - was an overflow behind a drop signalled before?
 * @dev: the device at whose qdisc a packet is dropped
 *
 * A packet that finds room neither in the device nor in its qdisc is one overflow. So the
 * first drop at the qdisc that it causes, of whichever packet, is not signalled again.
 */
bool weir_deflect_told(const struct net_device *dev)
{
	struct weir_deflected *d;

	if (!softirq_count())
		return false;
	d = this_cpu_ptr(&weir_deflected);
	if (d->port != dev)
		return false;
	d->port = NULL;
	return true;
}

static struct weir_note *weir_note_at(void *memory)
{
	return memory + WEIR_VIRTUAL_NOTE_TRIM;
}

static int weir_note_leave(struct xdp_buff *xdp, u32 counter)
{
	struct weir_note *note = weir_note_at(xdp->data_hard_start);

	if (counter >= WEIR_TRIM_C_MAX ||
	    !weir_virtual_fits(xdp, WEIR_VIRTUAL_NOTE_TRIM, sizeof(*note)))
		return -ENOSPC;
	note->magic = WEIR_NOTE_MAGIC;
	note->counter = counter;
	note->headroom = xdp->data - xdp->data_hard_start;
	note->len = xdp->data_end - xdp->data;
	return 0;
}

/* A note is valid once, as its memory is used again. */
static bool weir_note_read(void *memory, struct weir_note *to)
{
	struct weir_note *note = weir_note_at(memory);

	*to = *note;
	note->magic = 0;
	return to->magic == WEIR_NOTE_MAGIC && to->counter < WEIR_TRIM_C_MAX;
}

/* The frame as the program has left it. */
static bool weir_deflect_restore(struct xdp_frame *frame, struct weir_note *note)
{
	if (!weir_note_read(frame, note))
		return false;
	frame->data = (void *)frame + note->headroom;
	frame->headroom = note->headroom - sizeof(*frame);
	frame->len = note->len;
	return true;
}

static const struct weir_trim *weir_deflect_trim(const struct net_device *to)
{
	return weir_trim_get(weir_net(dev_net(to)), to->ifindex);
}

/* Modulo 2^64 a counter may be taken off on another CPU than it was added to. */
static void weir_deflect_count(const struct weir_trim *trim, u32 counter,
			       u32 len, s64 n)
{
	weir_trim_count(trim, counter, n);
	if (counter == WEIR_TRIM_C_WHOLE)
		weir_trim_count(trim, WEIR_TRIM_C_WHOLE_BYTES, n * len);
}

/* A device that is down has a qdisc that drops all, and calls it congestion. */
static bool weir_deflect_is_up(struct net_device *to)
{
	return rcu_access_pointer(netdev_get_tx_queue(to, 0)->qdisc) !=
	       &noop_qdisc;
}

/* Without a queue, frames that the device does not take are lost. */
static bool weir_deflect_has_queue(struct net_device *to)
{
	return weir_deflect_is_up(to) &&
	       rcu_dereference_bh(netdev_get_tx_queue(to, 0)->qdisc)->enqueue;
}

/*
 * A weir qdisc counts the packet where there is one; else it is counted here, as before.
 * @port is the device that had no room, or NULL where none was tried.
 */
static void weir_deflect_send(const struct weir_trim *trim, struct net_device *to,
			      struct sk_buff *skb, u32 counter,
			      const struct net_device *port)
{
	struct weir_deflected *d = this_cpu_ptr(&weir_deflected);
	struct weir_deflected before = *d;
	u32 len = skb->len;
	bool taken;
	int err;

	weir_trim_count(trim, WEIR_TRIM_C_DEFLECTED, 1);
	*d = (struct weir_deflected) {
		.skb = skb, .port = port, .counter = counter,
	};
	skb->dev = to;
	err = dev_queue_xmit(skb);
	taken = d->taken;
	*d = before;
	if (taken)
		return;
	if (err == NET_XMIT_SUCCESS || err == NET_XMIT_CN)
		weir_deflect_count(trim, counter, len, 1);
	else
		weir_trim_count(trim, WEIR_TRIM_C_LOST, 1);
}

static struct sk_buff *weir_deflect_build(struct net_device *to,
					  struct xdp_frame *frame)
{
	struct sk_buff *skb;

	if (!weir_deflect_has_queue(to))
		return NULL;
	skb = xdp_build_skb_from_frame(frame, to);
	if (!skb)
		return NULL;
	skb_reset_network_header(skb);
	__skb_push(skb, ETH_HLEN);
	skb_reset_mac_header(skb);
	skb_metadata_clear(skb);
	return skb;
}

static void weir_deflect_frame(const struct weir_trim *trim,
			       struct net_device *to, struct xdp_frame *frame)
{
	struct weir_note note;
	struct sk_buff *skb;

	/* A frame of another program has no note. */
	if (!weir_deflect_restore(frame, &note) || !trim) {
		xdp_return_frame(frame);
		return;
	}
	weir_deflect_count(trim, note.counter, xdp_get_frame_len(frame), -1);
	skb = weir_deflect_build(to, frame);
	if (!skb) {
		xdp_return_frame(frame);
		weir_trim_count(trim, WEIR_TRIM_C_LOST, 1);
		return;
	}
	weir_deflect_send(trim, to, skb, note.counter, to);
}

/* Frames that are not sent are consumed here, too, so the caller has none to free. */
static int weir_deflect_xdp_xmit(struct net_device *dev, int n,
				 struct xdp_frame **frames, u32 flags)
{
	struct net_device *to = weir_virtual(dev)->to;
	int sent = weir_virtual_xmit(to, n, frames, flags), i;
	const struct weir_trim *trim;

	if (likely(sent == n))
		return n;
	rcu_read_lock();
	trim = weir_deflect_trim(to);
	if (trim)
		weir_overflow_signal(trim, n - sent);
	for (i = sent; i < n; i++)
		weir_deflect_frame(trim, to, frames[i]);
	rcu_read_unlock();
	return n;
}

static void weir_deflect_packet(const struct weir_trim *trim,
				struct net_device *to, struct sk_buff *skb)
{
	struct weir_note note;

	if (!trim || skb_headroom(skb) < WEIR_VIRTUAL_NOTE_TRIM + sizeof(note) ||
	    !weir_note_read(skb->head, &note)) {
		kfree_skb(skb);
		return;
	}
	weir_deflect_count(trim, note.counter, skb->len, -1);
	if (weir_deflect_is_up(to)) {
		weir_deflect_send(trim, to, skb, note.counter, NULL);
		return;
	}
	kfree_skb(skb);
	weir_trim_count(trim, WEIR_TRIM_C_LOST, 1);
}

/* Generic XDP redirects packets, which no driver takes by XDP. */
static netdev_tx_t weir_deflect_start_xmit(struct sk_buff *skb,
					   struct net_device *dev)
{
	struct net_device *to = weir_virtual(dev)->to;

	rcu_read_lock();
	weir_deflect_packet(weir_deflect_trim(to), to, skb);
	rcu_read_unlock();
	return NETDEV_TX_OK;
}

static const struct net_device_ops weir_deflect_ops = {
	.ndo_open	= weir_virtual_open,
	.ndo_start_xmit	= weir_deflect_start_xmit,
	.ndo_xdp_xmit	= weir_deflect_xdp_xmit,
	.ndo_get_iflink	= weir_virtual_iflink,
};

/**
 * weir_deflect_before() - which device does a device stand before?
 * @dev: any device
 *
 * Return: that device; NULL where @dev is of another kind.
 */
struct net_device *weir_deflect_before(const struct net_device *dev)
{
	return dev->netdev_ops == &weir_deflect_ops ? weir_virtual(dev)->to : NULL;
}

/**
 * weir_deflect_alloc() - put a device before another
 * @to: the other, which loses its policy before it goes
 *
 * RTNL is held. Frames that XDP redirects to the new device leave by @to.
 *
 * Return: the device, which is up, or an error pointer.
 */
struct net_device *weir_deflect_alloc(struct net_device *to)
{
	return weir_virtual_alloc(to, NULL, &weir_deflect_ops);
}

__bpf_kfunc_start_defs();

__bpf_kfunc int weir_trim_note_xdp(struct xdp_md *ctx, u32 counter)
{
	return weir_note_leave((struct xdp_buff *)ctx, counter);
}

__bpf_kfunc_end_defs();

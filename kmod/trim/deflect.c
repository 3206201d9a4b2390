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
 *
 * Programs can write to the headroom of a frame and to the control block of a packet. What
 * the module reads there is therefore no more than the number of a counter, which is checked:
 * where a frame begins and how long it is are taken from the frame itself.
 */
#include <linux/if_ether.h>
#include <linux/netdevice.h>
#include <linux/nospec.h>
#include <linux/once.h>
#include <linux/percpu.h>
#include <linux/random.h>
#include <linux/siphash.h>
#include <linux/skbuff.h>
#include <net/sch_generic.h>
#include <net/xdp.h>

#include "core/base/compat.h"
#include "core/base/virtual.h"
#include "trim/deflect.h"
#include "trim/overflow.h"
#include "trim/trim.h"
#include "trim/trim_kfunc.h"

#define WEIR_NOTE_MAGIC		0x77656972
#define WEIR_DEFLECT_MAGIC	0x6465666c

/* Frames that a driver gets at once; as many as the kernel gives a device. */
#define WEIR_DEFLECT_BATCH	16

/**
 * struct weir_note - how a program counted a frame that is redirected
 * @magic: WEIR_NOTE_MAGIC
 * @counter: enum weir_trim_counter, or WEIR_TRIM_C_TX_OF()
 * @headroom: bytes before the frame's first byte, from the beginning of its memory
 * @len: bytes of its linear part
 *
 * Lies behind the struct xdp_frame. A note that does not describe the frame it lies in is
 * another frame's, whose memory is used again.
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
 * struct weir_deflected - a packet that a task on this CPU gives to a device's qdisc
 * @skb: the packet
 * @port: the device that had no room for it, until a drop there was attributed to that
 * @taken: a weir qdisc has it, and counts it
 * @task: the task; with PREEMPT_RT several may be here at once, with bottom halves disabled
 * @next: that of another task, or of the same one further out
 *
 * Lies on the task's stack.
 */
struct weir_deflected {
	const struct sk_buff		*skb;
	const struct net_device		*port;
	bool				taken;
	const struct task_struct	*task;
	struct weir_deflected		*next;
};

static DEFINE_PER_CPU(struct weir_deflected *, weir_deflected);

static void weir_deflected_begin(struct weir_deflected *d)
{
	d->task = current;
	preempt_disable();
	d->next = this_cpu_read(weir_deflected);
	this_cpu_write(weir_deflected, d);
	preempt_enable();
}

static void weir_deflected_end(const struct weir_deflected *d)
{
	struct weir_deflected **at;

	preempt_disable();
	for (at = this_cpu_ptr(&weir_deflected); *at != d; at = &(*at)->next)
		;
	*at = d->next;
	preempt_enable();
}

/* The packet that this task gives to a qdisc, or NULL. */
static struct weir_deflected *weir_deflected_here(void)
{
	struct weir_deflected *d;

	preempt_disable();
	for (d = this_cpu_read(weir_deflected); d && d->task != current; d = d->next)
		;
	preempt_enable();
	return d;
}

/**
 * struct weir_deflect_place - where a frame lies before a driver gets it
 * @headroom: bytes before its first byte, behind the struct xdp_frame
 * @len: bytes of its linear part
 *
 * A driver that refuses a frame may already have moved its beginning, for a header.
 */
struct weir_deflect_place {
	u32	headroom;
	u32	len;
};

/**
 * struct weir_deflect_mark - what a deflected packet tells the qdisc that it comes to
 * @magic: WEIR_DEFLECT_MAGIC
 * @tag: hash of the packet, its device and the rest under a secret
 * @counter: the counter that the packet is in, as in a note
 * @len: number of bytes that it was counted with
 *
 * Lies where a qdisc has its notes of a packet, until one has the packet. Since Linux 6.19 a CPU
 * may leave its packets to another one, which gives them to the qdisc together with its own: so
 * it is the packet that says where it comes from, and not the CPU. Programs at tc egress can read
 * and write all of it. The tag tells them nothing, and they cannot make one.
 */
struct weir_deflect_mark {
	u32	magic;
	u32	tag;
	u32	counter;
	u32	len;
};

/* Counters in notes, and one more than the last. */
#define WEIR_NOTE_MAX		WEIR_TRIM_C_TX_OF(WEIR_TRIM_CLASSES)

static siphash_key_t weir_deflect_key __read_mostly;

static struct weir_deflect_mark *weir_deflect_mark(const struct sk_buff *skb)
{
	qdisc_cb_private_validate(skb, sizeof(struct weir_deflect_mark));
	return (struct weir_deflect_mark *)qdisc_skb_cb(skb)->data;
}

static u32 weir_deflect_tag(const struct sk_buff *skb, u32 counter, u32 len)
{
	get_random_once(&weir_deflect_key, sizeof(weir_deflect_key));
	return siphash_3u64((unsigned long)skb, (unsigned long)skb->dev, (u64)counter << 32 | len,
			    &weir_deflect_key);
}

static void weir_deflect_mark_set(struct sk_buff *skb, u32 counter)
{
	*weir_deflect_mark(skb) = (struct weir_deflect_mark) {
		.magic		= WEIR_DEFLECT_MAGIC,
		.tag		= weir_deflect_tag(skb, counter, skb->len),
		.counter	= counter,
		.len		= skb->len,
	};
}

/* A mark is valid once. */
static bool weir_deflect_mark_take(struct sk_buff *skb, struct weir_deflect_mark *mark)
{
	*mark = *weir_deflect_mark(skb);
	weir_deflect_mark(skb)->magic = 0;
	return mark->counter < WEIR_NOTE_MAX &&
	       mark->tag == weir_deflect_tag(skb, mark->counter, mark->len);
}

/**
 * weir_deflect_was() - find out whether a packet was deflected, and how it is counted
 * @skb: a packet that a weir qdisc is given, as it comes
 * @was: set
 *
 * Called with bottom halves disabled. A caller that counts the packet again calls
 * weir_deflect_take().
 */
void weir_deflect_was(struct sk_buff *skb, struct weir_deflect_was *was)
{
	struct weir_deflect_mark mark;

	was->skb = NULL;
	if (likely(weir_deflect_mark(skb)->magic != WEIR_DEFLECT_MAGIC) ||
	    !weir_deflect_mark_take(skb, &mark))
		return;
	*was = (struct weir_deflect_was) {
		.skb		= skb,
		.counter	= array_index_nospec(mark.counter, WEIR_NOTE_MAX),
		.len		= mark.len,
	};
}

/* Modulo 2^64 a counter may be taken off on another CPU than it was added to. */
static void weir_deflect_uncount(const struct weir_trim *trim, u32 counter,
				 u32 len)
{
	if (counter >= WEIR_TRIM_C_MAX) {
		this_cpu_dec(trim->cpu->class[counter - WEIR_TRIM_C_MAX].tx_trim);
		counter = WEIR_TRIM_C_TX_TRIM;
	}
	weir_trim_count(trim, counter, -1);
	if (counter == WEIR_TRIM_C_WHOLE)
		weir_trim_count(trim, WEIR_TRIM_C_WHOLE_BYTES, -(s64)len);
}

/**
 * weir_deflect_take() - a qdisc counts a deflected packet from now on
 * @trim: the policy
 * @was: weir_deflect_was() has set it, on this CPU, and bottom halves are disabled since
 */
void weir_deflect_take(const struct weir_trim *trim,
		       const struct weir_deflect_was *was)
{
	struct weir_deflected *d = weir_deflected_here();

	weir_deflect_uncount(trim, was->counter, was->len);
	if (d && d->skb == was->skb)
		d->taken = true;
}

/**
 * weir_deflect_told() - test whether an overflow behind a drop was signalled before
 * @dev: the device at whose qdisc a packet is dropped
 *
 * A packet that finds room neither in the device nor in its qdisc is one overflow. So the
 * first drop at the qdisc that it causes, of whichever packet, is not signalled again, unless it
 * is left to another CPU.
 */
bool weir_deflect_told(const struct net_device *dev)
{
	struct weir_deflected *d;

	if (!softirq_count())
		return false;
	d = weir_deflected_here();
	if (!d || d->port != dev)
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

	if (counter >= WEIR_NOTE_MAX ||
	    !weir_virtual_fits(xdp, WEIR_VIRTUAL_NOTE_TRIM, sizeof(*note)))
		return -ENOSPC;
	note->magic = WEIR_NOTE_MAGIC;
	note->counter = counter;
	note->headroom = xdp->data - xdp->data_hard_start;
	note->len = xdp->data_end - xdp->data;
	return 0;
}

/*
 * A note is valid once, as its memory is used again. @headroom and @len are those of the frame
 * at @memory, which has room for a note. Return: the counter in it, or -ENOENT.
 */
static int weir_note_read(void *memory, u32 headroom, u32 len)
{
	struct weir_note *at = weir_note_at(memory), note = *at;

	at->magic = 0;
	if (note.magic != WEIR_NOTE_MAGIC || note.headroom != headroom || note.len != len ||
	    note.counter >= WEIR_NOTE_MAX)
		return -ENOENT;
	return array_index_nospec(note.counter, WEIR_NOTE_MAX);
}

static int weir_note_read_frame(struct xdp_frame *frame)
{
	if (!weir_virtual_frame_fits(frame, WEIR_VIRTUAL_NOTE_TRIM, sizeof(struct weir_note)))
		return -ENOENT;
	return weir_note_read(frame, sizeof(*frame) + frame->headroom, frame->len);
}

static int weir_note_read_skb(struct sk_buff *skb)
{
	if (skb_headroom(skb) < WEIR_VIRTUAL_NOTE_TRIM + sizeof(struct weir_note))
		return -ENOENT;
	return weir_note_read(skb->head, skb_headroom(skb), skb_headlen(skb));
}

/* The frame as it was before the driver had it. */
static void weir_deflect_restore(struct xdp_frame *frame, const struct weir_deflect_place *place)
{
	frame->data += (s32)(place->headroom - frame->headroom);
	frame->headroom = place->headroom;
	frame->len = place->len;
}

static const struct weir_trim *weir_deflect_trim(const struct net_device *to)
{
	return weir_trim_get(weir_trim_net(dev_net(to)), to->ifindex);
}

static void weir_deflect_lost(const struct weir_trim *trim, u32 counter, u32 len)
{
	weir_deflect_uncount(trim, counter, len);
	weir_trim_count(trim, WEIR_TRIM_C_LOST, 1);
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
 * A weir qdisc, if there is one, counts the packet again; else it stays counted as it is.
 * @port is the device that had no room, or NULL where none was tried.
 */
static void weir_deflect_send(const struct weir_trim *trim, struct net_device *to,
			      struct sk_buff *skb, u32 counter,
			      const struct net_device *port)
{
	struct weir_deflected d = { .skb = skb, .port = port };
	u32 len = skb->len;
	int err;

	weir_trim_count(trim, WEIR_TRIM_C_DEFLECTED, 1);
	weir_deflected_begin(&d);
	skb->dev = to;
	weir_deflect_mark_set(skb, counter);
	err = dev_queue_xmit(skb);
	weir_deflected_end(&d);
	if (!d.taken && err != NET_XMIT_SUCCESS && err != NET_XMIT_CN)
		weir_deflect_lost(trim, counter, len);
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
	int counter = weir_note_read_frame(frame);
	struct sk_buff *skb;
	u32 len;

	/* A frame of another program has no note. */
	if (counter < 0 || !trim) {
		xdp_return_frame(frame);
		return;
	}
	len = xdp_get_frame_len(frame);
	skb = weir_deflect_build(to, frame);
	if (!skb) {
		xdp_return_frame(frame);
		weir_deflect_lost(trim, counter, len);
		return;
	}
	weir_deflect_send(trim, to, skb, counter, to);
}

/* At most WEIR_DEFLECT_BATCH frames. */
static void weir_deflect_xmit(struct net_device *to, int n, struct xdp_frame **frames, u32 flags)
{
	struct weir_deflect_place place[WEIR_DEFLECT_BATCH];
	const struct weir_trim *trim;
	int sent, i;

	for (i = 0; i < n; i++) {
		place[i].headroom = frames[i]->headroom;
		place[i].len = frames[i]->len;
	}
	sent = weir_virtual_xmit(to, n, frames, flags);
	if (likely(sent == n))
		return;
	rcu_read_lock();
	trim = weir_deflect_trim(to);
	if (trim)
		weir_overflow_signal(trim, n - sent);
	for (i = sent; i < n; i++) {
		weir_deflect_restore(frames[i], &place[i]);
		weir_deflect_frame(trim, to, frames[i]);
	}
	rcu_read_unlock();
}

/* Loses frames that are too long for a device. Return: how many are left, the first ones. */
static int weir_deflect_fitting(struct net_device *to, struct xdp_frame **frames, int n)
{
	const struct weir_trim *trim;
	int i, counter, left = 0;

	for (i = 0; i < n; i++) {
		if (likely(!weir_virtual_is_too_long(to, frames[i]))) {
			frames[left++] = frames[i];
			continue;
		}
		counter = weir_note_read_frame(frames[i]);
		rcu_read_lock();
		trim = weir_deflect_trim(to);
		if (counter >= 0 && trim)
			weir_deflect_lost(trim, counter, xdp_get_frame_len(frames[i]));
		rcu_read_unlock();
		xdp_return_frame(frames[i]);
	}
	return left;
}

/* Frames that are not sent are consumed here, too, so the caller has none to free. */
static int weir_deflect_xdp_xmit(struct net_device *dev, int n,
				 struct xdp_frame **frames, u32 flags)
{
	struct net_device *to = weir_virtual(dev)->to;
	int left = weir_deflect_fitting(to, frames, n);
	int done, batch;

	for (done = 0; done < left; done += batch) {
		batch = min(left - done, WEIR_DEFLECT_BATCH);
		weir_deflect_xmit(to, batch, frames + done, flags);
	}
	return n;
}

static void weir_deflect_packet(const struct weir_trim *trim,
				struct net_device *to, struct sk_buff *skb)
{
	int counter = weir_note_read_skb(skb);

	if (counter < 0 || !trim) {
		kfree_skb(skb);
		return;
	}
	if (weir_deflect_is_up(to) && is_skb_forwardable(to, skb)) {
		weir_deflect_send(trim, to, skb, counter, NULL);
		return;
	}
	weir_deflect_lost(trim, counter, skb->len);
	kfree_skb(skb);
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
 * weir_deflect_before() - find the device that a device stands before
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

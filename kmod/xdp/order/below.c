// SPDX-License-Identifier: GPL-2.0
/*
 * The rest of a chain for a packet that has a number: here, or on the CPU that the packet was sent
 * to. What the rest says decides whether the packet goes to the queue, or is gone.
 */
#include <linux/filter.h>
#include <linux/netdevice.h>
#include <net/xdp.h>

#include "core/base/compat.h"
#include "core/base/device.h"
#include "xdp/base/running.h"
#include "xdp/chain/chain.h"
#include "xdp/order/item.h"
#include "xdp/order/order.h"

/**
 * weir_order_is_below() - test whether a packet has its number already
 * @xdp: the packet
 */
bool weir_order_is_below(const struct xdp_buff *xdp)
{
	return weir_running(xdp, WEIR_RUNNING_ORDER);
}

/*
 * Where a program of the chain wants a packet to leave by, or 0 where it wants more than a device:
 * a map's entry may be gone when it is the packet's turn.
 */
static u32 weir_order_target(const struct xdp_buff *xdp, u32 verdict)
{
	const struct bpf_redirect_info *ri = bpf_net_ctx_get_ri();

	if (verdict == XDP_TX)
		return weir_xdp_dev(xdp)->ifindex;
	if (ri->map_type != BPF_MAP_TYPE_UNSPEC || ri->map_id != INT_MAX)
		return 0;
	return ri->tgt_index;
}

static u32 weir_order_rest(const struct weir_reorder *order, struct xdp_buff *xdp,
			   struct bpf_prog **by)
{
	u32 was = weir_running_begin(xdp, WEIR_RUNNING_ORDER), verdict;

	verdict = weir_chain_below(order->dev, xdp, WEIR_XDP_CHAIN_PRIO_ORDER, by);
	weir_running_end(xdp, WEIR_RUNNING_ORDER, was);
	return verdict;
}

/* Return a verdict as the queue takes it: XDP_PASS if the packet is queued, to leave by @out. */
static u32 weir_order_judge(const struct xdp_buff *xdp, u32 verdict, u32 *out)
{
	*out = 0;
	if (likely(verdict == XDP_PASS))
		return verdict;
	if (verdict != XDP_TX && verdict != XDP_REDIRECT)
		return XDP_DROP;
	*out = weir_order_target(xdp, verdict);
	return *out ? XDP_PASS : verdict;
}

/**
 * weir_order_below() - run the rest of the chain here
 * @order: the packet's
 * @xdp: the packet
 * @out: set to the device that it leaves by, 0 for the stack
 *
 * Called with bottom halves disabled.
 *
 * Return: XDP_PASS where it goes to the queue; XDP_DROP; or XDP_REDIRECT to what is in a map.
 */
u32 weir_order_below(const struct weir_reorder *order, struct xdp_buff *xdp, u32 *out)
{
	struct bpf_prog *by;

	return weir_order_judge(xdp, weir_order_rest(order, xdp, &by), out);
}

/**
 * weir_order_leaves() - a packet does not go to the queue
 * @order: the packet's
 * @note: its note
 * @verdict: XDP_DROP by a program, XDP_REDIRECT, or XDP_ABORTED where it has no headroom
 */
void weir_order_leaves(struct weir_reorder *order, const struct weir_order_note *note, u32 verdict)
{
	u32 counter = verdict == XDP_REDIRECT ? WEIR_A_ORDER_STATS_UNORDERED :
		      verdict == XDP_DROP ? WEIR_A_ORDER_STATS_DROPPED : WEIR_A_ORDER_STATS_LOST;
	struct weir_order_flow *flow = weir_order_note_flow(order, note);

	weir_order_add_count(order, counter, 1);
	if (likely(flow))
		weir_order_gone(flow, note->generation, note->number);
}

/* Programs may have moved the frame's begin, and written where the note was. */
static bool weir_order_keep(struct xdp_buff *xdp, struct xdp_frame *frame,
			    const struct weir_order_note *note)
{
	if (!weir_order_note_fits(xdp) || xdp_update_frame_from_buff(xdp, frame))
		return false;
	weir_order_note_at(frame)->out = note->out;
	return true;
}

/* Out by a map, at once. */
static void weir_order_redirect(struct weir_order_worker *worker, struct xdp_buff *xdp,
				struct xdp_frame *frame, struct bpf_prog *by)
{
	if (xdp_do_redirect(worker->order->dev, xdp, by))
		xdp_return_frame(frame);
	else
		worker->flush = true;
}

/**
 * weir_order_work() - run the rest of the chain on the CPU that a packet was sent to
 * @worker: of that CPU
 * @frame: the packet
 *
 * Called by the worker's NAPI.
 */
void weir_order_work(struct weir_order_worker *worker, struct xdp_frame *frame)
{
	struct weir_order_note note = *weir_order_note_at(frame);
	struct weir_reorder *order = worker->order;
	struct bpf_prog *by = NULL;
	struct xdp_buff xdp;
	u32 verdict;

	worker->rxq.mem = weir_compat_frame_mem(frame);
	xdp_convert_frame_to_buff(frame, &xdp);
	xdp.rxq = &worker->rxq;
	verdict = weir_order_judge(&xdp, weir_order_rest(order, &xdp, &by), &note.out);
	if (verdict == XDP_PASS && !weir_order_keep(&xdp, frame, &note))
		verdict = XDP_ABORTED;
	if (likely(verdict == XDP_PASS)) {
		weir_order_take(order, &note, weir_order_frame_item(frame), true);
		return;
	}
	weir_order_leaves(order, &note, verdict);
	if (verdict == XDP_REDIRECT)
		weir_order_redirect(worker, &xdp, frame, by);
	else
		xdp_return_frame(frame);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The XDP program of a device whose packets may leave by a port with a trimming
 * policy whose hook is xdp: it forwards them itself, past the qdiscs, and trims
 * packets for which the port has no room. It bridges frames that the bridge of the
 * device would forward to one port, and routes frames that are sent to the device's
 * own address and have a route to a known neighbour. All other frames go to the
 * stack, unchanged.
 *
 * Where the port's meter is the backlog of its weir qdisc, the stack goes on
 * forwarding. Only packets for which the qdisc has no room are trimmed here, before
 * the stack has spent anything on them.
 */
#include <linux/bpf.h>
#include <stdbool.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "lib/trim/weir_trim_parse.h"

#define WEIR_TRIM_CTX struct xdp_md

extern __u8 *weir_trim_port_xdp(struct xdp_md *ctx, __u32 ifindex,
				const int rdwr_buf_size) __ksym;
extern __u8 *weir_trim_cpu_xdp(struct xdp_md *ctx, __u32 ifindex,
			       const int rdwr_buf_size) __ksym;
extern int weir_trim_edge_xdp(struct xdp_md *ctx) __ksym;
extern __u32 weir_trim_acl_xdp(struct xdp_md *ctx, __u32 ifindex,
			       const void *ends, __u32 ends__sz) __ksym;
extern int weir_trim_acl_count_xdp(struct xdp_md *ctx, __u32 ifindex,
				   __u32 prio, __u32 bytes) __ksym;
extern int weir_trim_backlog_xdp(struct xdp_md *ctx, __u32 ifindex) __ksym;
extern int weir_trim_bridge_xdp(struct xdp_md *ctx, __u32 tag) __ksym;
extern void weir_trim_frags_xdp(struct xdp_md *ctx, __u32 len) __ksym;
extern int weir_trim_note_xdp(struct xdp_md *ctx, __u32 counter) __ksym;

#ifdef WEIR_FORWARD_BOUND
extern int bpf_xdp_metadata_rx_vlan_tag(const struct xdp_md *ctx,
					__be16 *vlan_proto,
					__u16 *vlan_tci) __ksym;
#endif

#include "lib/forward/weir_own_mac.h"

static __always_inline void weir_trim_frame(struct xdp_md *ctx,
					    struct weir_trim_pkt *pkt)
{
	pkt->len = bpf_xdp_get_buff_len(ctx);
}

static __always_inline long weir_trim_load(void *ctx, __u32 off, void *to,
					   __u32 len)
{
	return bpf_xdp_load_bytes(ctx, off, to, len);
}

static __always_inline __u32 weir_trim_from(struct xdp_md *ctx)
{
	return weir_ingress(ctx);
}

static __always_inline int weir_trim_edge(struct xdp_md *ctx)
{
	return weir_trim_edge_xdp(ctx);
}

static __always_inline __u32 weir_trim_acl(struct xdp_md *ctx, __u32 ifindex,
					   const void *ends, __u32 size)
{
	return weir_trim_acl_xdp(ctx, ifindex, ends, size);
}

static __always_inline int weir_trim_acl_count(struct xdp_md *ctx, __u32 ifindex,
					       __u32 prio, __u32 bytes)
{
	return weir_trim_acl_count_xdp(ctx, ifindex, prio, bytes);
}

#include "lib/trim/weir_trim_steps.h"
#include "lib/trim/weir_trim_count.h"
#include "lib/forward/weir_bridge.h"
#include "lib/forward/weir_tag.h"
#include "lib/forward/weir_route.h"

/**
 * struct weir_forward - a frame on its way
 * @fib: result of the route lookup; its ifindex is that of the egress device
 * @look: the frame as parsed and judged
 * @driver: the driver's answer about its outer VLAN tag
 * @routed: it is routed, not bridged
 * @tag: bytes of its outer VLAN tag
 */
struct weir_forward {
	struct bpf_fib_lookup fib;
	struct weir_trim_look look;
	struct weir_tag driver;
	bool routed;
	__u32 tag;
};

/* Finds a frame's egress device: 0, or -1 where the stack decides. */
static __always_inline int weir_forward_find(struct xdp_md *ctx,
					     struct weir_forward *f)
{
	const struct ethhdr *eth = (void *)(long)ctx->data;
	void *end = (void *)(long)ctx->data_end;

	if ((void *)(eth + 1) > end)
		return -1;
	f->fib.ifindex = weir_bridge_find(ctx, eth, end, f->driver.asked, &f->tag);
	if (f->fib.ifindex)
		return 0;
	if (!weir_own_mac(ctx, eth))
		return -1;
	f->routed = true;
	return weir_route_find(ctx, eth, end, &f->fib);
}

/* Not back to its ingress device, and not longer than the egress device can send. */
static __always_inline bool weir_forward_fits(struct xdp_md *ctx,
					      const struct weir_forward *f)
{
	__u32 mtu = bpf_xdp_get_buff_len(ctx) - sizeof(struct ethhdr) - f->tag;

	return f->fib.ifindex != weir_ingress(ctx) &&
	       bpf_check_mtu(ctx, f->fib.ifindex, &mtu, 0, 0) ==
	       BPF_MTU_CHK_RET_SUCCESS;
}

/* The program reads no byte of the frame after this. */
static __always_inline int weir_forward_cut(struct xdp_md *ctx,
					    const struct weir_trim_look *look)
{
	int more;

	if (look->left >= look->len)
		return 0;
	weir_trim_frags_xdp(ctx, look->left);
	more = look->left - bpf_xdp_get_buff_len(ctx);
	return more ? bpf_xdp_adjust_tail(ctx, more) : 0;
}

static __always_inline void weir_forward_route(struct xdp_md *ctx,
					       const struct weir_forward *f)
{
	struct ethhdr *eth = (void *)(long)ctx->data;
	void *end = (void *)(long)ctx->data_end;

	if (f->routed && (void *)(eth + 1) <= end)
		weir_route_rewrite(eth, end, &f->fib);
}

static __always_inline int weir_forward_failed(struct weir_trim_cpu *cpu)
{
	cpu->count[WEIR_TRIM_C_FAILED]++;
	return XDP_DROP;
}

/*
 * By the device before the port's, counted as @counter. A frame that the port does
 * not take is subtracted there again.
 */
static __always_inline int weir_forward_send(struct xdp_md *ctx,
					     struct weir_trim_port *port,
					     __u32 counter)
{
	if (weir_trim_note_xdp(ctx, counter))
		return XDP_DROP;
	return bpf_redirect(port->via, 0);
}

static __always_inline int weir_forward_whole(struct xdp_md *ctx,
					      struct weir_trim_port *port,
					      struct weir_trim_cpu *cpu,
					      struct weir_forward *f)
{
	int verdict;

	if (f->look.class == WEIR_TRIM_UNTRUSTED &&
	    weir_trim_step_unmark(ctx, &f->look))
		return weir_forward_failed(cpu);
	weir_forward_route(ctx, f);
	verdict = weir_forward_send(ctx, port, weir_trim_whole_as(&f->look));
	if (verdict != XDP_REDIRECT)
		return weir_forward_failed(cpu);
	weir_trim_count_whole(cpu, &f->look);
	return verdict;
}

/*
 * Exchange a packet's addresses if it goes back to its sender, and return whether it does. A global
 * function, as those of lib/weir_trim_steps.h are.
 */
__noinline int weir_forward_turn(struct xdp_md *ctx, struct weir_trim_port *port,
				 struct weir_trim_look *look)
{
	struct weir_trim_pkt pkt = {};

	if (!port || !look || !(port->policy.flags & WEIR_TRIM_RETURN) ||
	    weir_trim_step_look(ctx, look))
		return false;
	weir_trim_resume(ctx, look, &pkt);
	if (!weir_trim_returns(&pkt, look->class))
		return false;
	weir_trim_return(&port->policy, &pkt);
	return true;
}

/* A marked frame whose addresses are turned around goes back by its ingress device. */
static __always_inline int weir_forward_back(struct xdp_md *ctx,
					     struct weir_trim_port *port,
					     struct weir_trim_cpu *cpu,
					     const struct weir_forward *f)
{
	if (weir_forward_cut(ctx, &f->look))
		return weir_forward_failed(cpu);
	if (f->look.class == WEIR_TRIM_DATA)
		weir_trim_count_trim(port, cpu, &f->look, WEIR_TRIM_C_RETURNED);
	else
		weir_trim_count_drop(port, cpu, &f->look);
	return XDP_TX;
}

/* A trimmed frame goes on to the port, or to the stack; or always back. */
static __always_inline int weir_forward_trim(struct xdp_md *ctx,
					     struct weir_trim_port *port,
					     struct weir_trim_cpu *cpu,
					     struct weir_forward *f, bool redirect)
{
	int verdict = XDP_PASS;

	if (weir_trim_step_mark(ctx, port, &f->look))
		return weir_forward_failed(cpu);
	if (port->policy.flags & WEIR_TRIM_RETURN_ALWAYS &&
	    weir_forward_turn(ctx, port, &f->look))
		return weir_forward_back(ctx, port, cpu, f);
	if (redirect)
		weir_forward_route(ctx, f);
	if (weir_forward_cut(ctx, &f->look))
		return weir_forward_failed(cpu);
	if (redirect)
		verdict = weir_forward_send(ctx, port,
					    WEIR_TRIM_C_TX_OF(weir_trim_tc(port, &f->look)));
	if (redirect && verdict != XDP_REDIRECT)
		return weir_forward_failed(cpu);
	weir_trim_count_trim(port, cpu, &f->look, WEIR_TRIM_C_TX_TRIM);
	return verdict;
}

/* Not even its header has room: it goes back by its ingress device, or is dropped. */
static __always_inline int weir_forward_full(struct xdp_md *ctx,
					     struct weir_trim_port *port,
					     struct weir_trim_cpu *cpu,
					     struct weir_forward *f)
{
	if (f->look.class == WEIR_TRIM_DATA)
		weir_trim_step_mark(ctx, port, &f->look);
	if (!weir_forward_turn(ctx, port, &f->look)) {
		weir_trim_count_drop(port, cpu, &f->look);
		return XDP_DROP;
	}
	return weir_forward_back(ctx, port, cpu, f);
}

/*
 * The qdisc counts the packets that it gets; this counts those trimmed for it. The
 * qdisc would not trust the mark of a packet from an edge, so it trims these itself.
 */
static __always_inline int weir_forward_backlog(struct xdp_md *ctx,
						struct weir_trim_port *port,
						struct weir_trim_cpu *cpu,
						struct weir_forward *f)
{
	if (f->look.class != WEIR_TRIM_DATA ||
	    weir_trim_backlog_xdp(ctx, f->fib.ifindex) != 1 ||
	    weir_trim_edge(ctx))
		return XDP_PASS;
	weir_trim_count_rule(ctx, port, cpu, &f->look);
	return weir_forward_trim(ctx, port, cpu, f, false);
}

/* Where the driver takes no redirected frame, all would be deflected: the stack forwards them. */
static __always_inline bool weir_forward_sends(const struct xdp_md *ctx,
					       const struct weir_trim_port *port,
					       const struct weir_forward *f)
{
	__u32 need = WEIR_TRIM_SENDS;

	if (ctx->data_end - ctx->data < f->look.len)
		need |= WEIR_TRIM_SENDS_FRAGS;
	return (port->sends & need) == need;
}

static __always_inline int weir_forward_meter(struct xdp_md *ctx,
					      struct weir_trim_port *port,
					      struct weir_trim_cpu *cpu,
					      struct weir_forward *f)
{
	switch (weir_trim_step_meter(port, cpu, &f->look)) {
	case WEIR_METER_WHOLE:
		return weir_forward_whole(ctx, port, cpu, f);
	case WEIR_METER_TRIM:
		return weir_forward_trim(ctx, port, cpu, f, true);
	default:
		return weir_forward_full(ctx, port, cpu, f);
	}
}

static __always_inline int weir_forward_frame(struct xdp_md *ctx,
					      struct weir_forward *f)
{
	struct weir_trim_port *port;
	struct weir_trim_cpu *cpu;

	if (weir_forward_find(ctx, f))
		return XDP_PASS;
	port = (void *)weir_trim_port_xdp(ctx, f->fib.ifindex, sizeof(*port));
	if (!port || port->hook != WEIR_TRIM_HOOK_XDP)
		return XDP_PASS;
	cpu = (void *)weir_trim_cpu_xdp(ctx, f->fib.ifindex, sizeof(*cpu));
	if (!cpu || !weir_forward_fits(ctx, f))
		return XDP_PASS;
	weir_trim_judge(ctx, port, &f->look);
	if (port->meters.kind == WEIR_TRIM_METER_BACKLOG)
		return weir_forward_backlog(ctx, port, cpu, f);
	if (!weir_forward_sends(ctx, port, f))
		return XDP_PASS;
	weir_trim_count_rule(ctx, port, cpu, &f->look);
	return weir_forward_meter(ctx, port, cpu, f);
}

SEC("xdp.frags")
int weir_forward(struct xdp_md *ctx)
{
	struct weir_forward f = {};

	if (!weir_tag_ask(ctx, &f.driver))
		return XDP_PASS;
	return weir_tag_leave(ctx, &f.driver, weir_forward_frame(ctx, &f));
}

char _license[] SEC("license") = "GPL";

// SPDX-License-Identifier: GPL-2.0
/*
 * The tc program of a port whose qdisc must stay: at egress, before it, it trims packets
 * for which a virtual queue of the port's rate has no room. The qdisc sees trimmed
 * packets with a priority and a transmit queue of their own.
 *
 * A merged packet has no length that could be cut: it goes on, and takes its room.
 */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <stdbool.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "lib/trim/weir_trim_parse.h"

#define WEIR_TRIM_CTX struct __sk_buff

/* Bytes of headers that trimming reads, nearly always; they must lie in one piece. */
#define WEIR_HEADERS_MAX	192

extern __u8 *weir_trim_port_skb(struct __sk_buff *ctx, __u32 ifindex,
				const int rdwr_buf_size) __ksym;
extern __u8 *weir_trim_cpu_skb(struct __sk_buff *ctx, __u32 ifindex,
			       const int rdwr_buf_size) __ksym;
extern int weir_trim_edge_skb(struct __sk_buff *ctx) __ksym;
extern __u32 weir_trim_acl_skb(struct __sk_buff *ctx, __u32 ifindex,
			       const void *ends, __u32 ends__sz) __ksym;
extern int weir_trim_acl_count_skb(struct __sk_buff *ctx, __u32 ifindex,
				   __u32 prio, __u32 bytes) __ksym;
extern int weir_trim_plain_skb(struct __sk_buff *ctx) __ksym;
extern int weir_trim_length_skb(struct __sk_buff *ctx) __ksym;
extern int weir_trim_queue_skb(struct __sk_buff *ctx, __u32 queue) __ksym;
extern int weir_trim_class_skb(struct __sk_buff *ctx, __u32 class) __ksym;

/* The outer tag is mostly beside the packet. */
static __always_inline void weir_trim_frame(struct __sk_buff *skb,
					    struct weir_trim_pkt *pkt)
{
	pkt->len = skb->len;
	if (skb->vlan_present) {
		pkt->vlan = skb->vlan_tci & WEIR_TRIM_VLAN_ID;
		pkt->beside = sizeof(struct weir_trim_tag);
	}
}

static __always_inline long weir_trim_load(void *ctx, __u32 off, void *to,
					   __u32 len)
{
	return bpf_skb_load_bytes(ctx, off, to, len);
}

static __always_inline __u32 weir_trim_from(struct __sk_buff *skb)
{
	return skb->ingress_ifindex;
}

static __always_inline int weir_trim_edge(struct __sk_buff *skb)
{
	return weir_trim_edge_skb(skb);
}

static __always_inline __u32 weir_trim_acl(struct __sk_buff *skb, __u32 ifindex,
					   const void *ends, __u32 size)
{
	return weir_trim_acl_skb(skb, ifindex, ends, size);
}

static __always_inline int weir_trim_acl_count(struct __sk_buff *skb, __u32 ifindex,
					       __u32 prio, __u32 bytes)
{
	return weir_trim_acl_count_skb(skb, ifindex, prio, bytes);
}

#include "lib/trim/weir_trim_steps.h"
#include "lib/trim/weir_trim_count.h"

/* Headers in one piece, and writable. */
static __always_inline long weir_trim_pull(struct __sk_buff *skb)
{
	return bpf_skb_pull_data(skb, skb->len < WEIR_HEADERS_MAX ?
				      skb->len : WEIR_HEADERS_MAX);
}

/* Priority and transmit queue of packets trimmed here or elsewhere, for the qdiscs below. */
static __always_inline void weir_trim_steer(const struct weir_trim_policy *policy,
					    struct __sk_buff *skb, __u8 dscp)
{
	__u8 class = policy->class[dscp & (sizeof(policy->class) - 1)];

	if (policy->flags & WEIR_TRIM_SET_PRIORITY)
		skb->priority = policy->priority;
	if (policy->flags & WEIR_TRIM_SET_QUEUE)
		weir_trim_queue_skb(skb, policy->queue);
	if (policy->flags & WEIR_TRIM_SET_CLASS && class != WEIR_TRIM_NO_CLASS)
		weir_trim_class_skb(skb, class);
}

/*
 * Before a byte is changed: the stack must neither complete nor trust a checksum that
 * changes here.
 */
static __always_inline int weir_trim_prepare(struct __sk_buff *skb)
{
	return weir_trim_pull(skb) || weir_trim_plain_skb(skb);
}

static __always_inline int weir_trim_cut(struct __sk_buff *skb, __u32 left)
{
	return bpf_skb_change_tail(skb, left, 0) || weir_trim_length_skb(skb);
}

static __always_inline int weir_trim_failed(struct weir_trim_cpu *cpu)
{
	cpu->count[WEIR_TRIM_C_FAILED]++;
	return TC_ACT_SHOT;
}

/*
 * Marks or unmarks a packet. The steps write to a copy of @look, so that for most
 * packets the original can stay in registers.
 */
static __always_inline int weir_trim_rewrite(struct __sk_buff *skb,
					     struct weir_trim_port *port,
					     const struct weir_trim_look *look)
{
	struct weir_trim_look full = *look;

	if (weir_trim_prepare(skb))
		return -1;
	return look->class == WEIR_TRIM_UNTRUSTED ?
	       weir_trim_step_unmark(skb, &full) :
	       weir_trim_step_mark(skb, port, &full);
}

static __always_inline int weir_trim_packet(struct __sk_buff *skb,
					    struct weir_trim_port *port,
					    struct weir_trim_cpu *cpu,
					    const struct weir_trim_look *look)
{
	if (weir_trim_rewrite(skb, port, look))
		return weir_trim_failed(cpu);
	if (look->left < look->len && weir_trim_cut(skb, look->left))
		return weir_trim_failed(cpu);
	weir_trim_steer(&port->policy, skb, port->policy.dscp);
	weir_trim_count_trim(port, cpu, look, WEIR_TRIM_C_TX_TRIM);
	return TC_ACT_UNSPEC;
}

/* A mark is taken off, or followed: 0, or an error. */
static __always_inline int weir_trim_marked(struct __sk_buff *skb,
					    struct weir_trim_port *port,
					    const struct weir_trim_look *look)
{
	if (look->class == WEIR_TRIM_UNTRUSTED)
		return weir_trim_rewrite(skb, port, look);
	if (weir_trim_is_marked(look->class))
		weir_trim_steer(&port->policy, skb, look->dscp);
	return 0;
}

static __always_inline int weir_trim_whole(struct __sk_buff *skb,
					   struct weir_trim_port *port,
					   struct weir_trim_cpu *cpu,
					   const struct weir_trim_look *look)
{
	/* Most packets have none. */
	if (look->class != WEIR_TRIM_DATA && weir_trim_marked(skb, port, look))
		return weir_trim_failed(cpu);
	weir_trim_count_whole(cpu, look);
	return TC_ACT_UNSPEC;
}

static __always_inline int weir_trim_meter(struct __sk_buff *skb,
					   struct weir_trim_port *port,
					   struct weir_trim_cpu *cpu,
					   const struct weir_trim_look *look)
{
	switch (weir_trim_step_meter(port, cpu, look)) {
	case WEIR_METER_WHOLE:
		return weir_trim_whole(skb, port, cpu, look);
	case WEIR_METER_TRIM:
		return weir_trim_packet(skb, port, cpu, look);
	default:
		weir_trim_count_drop(port, cpu, look);
		return TC_ACT_SHOT;
	}
}

/* A merged packet takes the room of all its segments, with all their headers. */
static __always_inline int weir_trim_merged(struct __sk_buff *skb,
					    struct weir_trim_port *port,
					    struct weir_trim_cpu *cpu)
{
	struct weir_trim_look look = {
		.len	= skb->wire_len,
		.left	= skb->wire_len,
	};

	/* The meter adds the link's own bytes once. */
	if (skb->gso_segs > 1)
		look.len += (skb->gso_segs - 1) * port->meters.overhead;
	weir_trim_step_meter(port, cpu, &look);
	cpu->count[WEIR_TRIM_C_MERGED]++;
	return TC_ACT_UNSPEC;
}

SEC("tc")
int weir_trim(struct __sk_buff *skb)
{
	struct weir_trim_look look = {};
	struct weir_trim_port *port;
	struct weir_trim_cpu *cpu;
	__u32 linear;

	port = (void *)weir_trim_port_skb(skb, skb->ifindex, sizeof(*port));
	if (!port || port->hook != WEIR_TRIM_HOOK_TC)
		return TC_ACT_UNSPEC;
	cpu = (void *)weir_trim_cpu_skb(skb, skb->ifindex, sizeof(*cpu));
	if (!cpu)
		return TC_ACT_UNSPEC;
	if (skb->gso_size)
		return weir_trim_merged(skb, port, cpu);
	/* A header outside of the linear part cannot be seen: bring it there. */
	linear = skb->data_end - skb->data;
	if (linear < skb->len && linear < WEIR_HEADERS_MAX)
		weir_trim_pull(skb);
	weir_trim_judge(skb, port, &look);
	weir_trim_count_rule(skb, port, cpu, &look);
	return weir_trim_meter(skb, port, cpu, &look);
}

char _license[] SEC("license") = "GPL";

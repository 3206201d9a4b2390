/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trimming in steps for BPF programs. Most are global functions, which the verifier
 * checks by themselves: so the many forms of headers in one step do not multiply with
 * the branches of the next. Between the steps only the offsets of headers are known.
 *
 * The including file defines WEIR_TRIM_CTX, the type of the program's context, and
 *
 *	void weir_trim_frame(WEIR_TRIM_CTX *ctx, struct weir_trim_pkt *pkt)
 *	long weir_trim_load(void *ctx, __u32 off, void *to, __u32 len)
 *	__u32 weir_trim_from(WEIR_TRIM_CTX *ctx)
 *	int weir_trim_edge(WEIR_TRIM_CTX *ctx)
 *	__u32 weir_trim_acl(WEIR_TRIM_CTX *ctx, __u32 ifindex, const void *ends, __u32 size)
 *	int weir_trim_acl_count(WEIR_TRIM_CTX *ctx, __u32 ifindex, __u32 prio, __u32 bytes)
 *
 * The first sets the length of a zeroed @pkt and the tag beside it. The second copies
 * bytes of the frame and returns 0, or an error. The third returns the ingress device,
 * the fourth whether that is an edge. The last two are the kfuncs of that name.
 *
 * The verifier demands NULL checks even of pointers that can never be NULL.
 */
#ifndef _WEIR_TRIM_STEPS_H
#define _WEIR_TRIM_STEPS_H

#include "trim/weir_meter.h"
#include "trim/weir_trim_class.h"
#include "trim/weir_trim_sum.h"
#include "trim/weir_trim_mark.h"

/**
 * struct weir_trim_look - a packet as parsed and judged
 * @len: bytes of the frame
 * @left: bytes that trimming leaves, @len where it cuts nothing
 * @beside: bytes of a tag that lies beside the frame
 * @class: enum weir_trim_class
 * @ruled: the rules that decide about it, as in struct weir_trim_pkt
 * @was: its DSCP as it came
 * @headers: bytes that no trimming takes away; this and the rest are set for packets
 *	that are to be changed
 * @l3_len: bytes that the IP header states
 * @l3: offset of the IP header
 * @l4: offset of the header behind the IP headers
 * @ndp: offset of the byte with NDP's flags, 0 where it is not NDP
 * @vlan: id of the outer tag, 0 without
 * @dport: UDP or TCP destination port, host byte order, else 0
 * @ip: 4 or 6
 * @proto: the protocol that follows the IP headers
 * @dscp: DSCP
 * @flags: WEIR_TRIM_PKT_*
 */
struct weir_trim_look {
	__u32 len;
	__u32 left;
	__u8 beside;
	__u32 ruled;
	__u8 class;
	__u8 was;
	__u32 headers;
	__u32 l3_len;
	__u16 l3;
	__u16 l4;
	__u16 ndp;
	__u16 vlan;
	__u16 dport;
	__u8 ip;
	__u8 proto;
	__u8 dscp;
	__u8 flags;
};

static __always_inline void weir_trim_begin(WEIR_TRIM_CTX *ctx,
					    struct weir_trim_pkt *pkt)
{
	pkt->ctx = ctx;
	pkt->start = (void *)(long)ctx->data;
	pkt->end = (void *)(long)ctx->data_end;
}

/* The packet again, as it was parsed. */
static __always_inline void weir_trim_resume(WEIR_TRIM_CTX *ctx,
					     const struct weir_trim_look *look,
					     struct weir_trim_pkt *pkt)
{
	weir_trim_begin(ctx, pkt);
	pkt->len = look->len;
	pkt->l3 = pkt->start + (look->l3 & WEIR_TRIM_OFFSET);
	pkt->l4 = pkt->start + (look->l4 & WEIR_TRIM_OFFSET);
	if (look->ndp)
		pkt->ndp = pkt->start + (look->ndp & WEIR_TRIM_OFFSET);
	pkt->headers = look->headers;
	pkt->l3_len = look->l3_len;
	pkt->vlan = look->vlan;
	pkt->dport = look->dport;
	pkt->l3_off = look->l3;
	pkt->l4_off = look->l4;
	pkt->ip = look->ip;
	pkt->proto = look->proto;
	pkt->dscp = look->dscp;
	pkt->flags = look->flags;
	pkt->beside = look->beside;
}

/**
 * weir_trim_judge() - a packet's class at a port
 * @ctx: of the program
 * @port: the egress port
 * @look: zeroed; @len, @beside, @class, @ruled and @was are set, @dscp of marked ones, and @left,
 *	to the bytes that trimming would leave of an eligible packet
 *
 * This runs for each packet, and so is inlined. Behind it only numbers describe the
 * headers, so all their forms are one to the verifier.
 */
static __always_inline void weir_trim_judge(WEIR_TRIM_CTX *ctx,
					    struct weir_trim_port *port,
					    struct weir_trim_look *look)
{
	struct weir_trim_pkt pkt = {};
	int class;

	weir_trim_begin(ctx, &pkt);
	weir_trim_frame(ctx, &pkt);
	look->len = pkt.len;
	look->left = pkt.len;
	look->beside = pkt.beside;
	pkt.from = weir_trim_from(ctx);
	if (weir_trim_parse(&pkt))
		return;
	class = weir_trim_classify(&port->policy, &pkt);
	look->ruled = pkt.ruled;
	look->was = pkt.dscp;
	if (weir_trim_is_marked(class)) {
		look->dscp = pkt.dscp;
		if (weir_trim_edge(ctx))
			class = weir_trim_distrust(&port->policy, &pkt, class);
	}
	look->class = class;
	if (class == WEIR_TRIM_DATA)
		look->left = weir_trim_length(&port->policy, &pkt);
}

/**
 * weir_trim_step_look() - find the headers of a packet that is to be changed
 * @ctx: of the program
 * @look: as weir_trim_judge() left it; the rest is filled
 *
 * Return: 0, or -1 where the packet is to be left alone.
 */
__noinline int weir_trim_step_look(WEIR_TRIM_CTX *ctx,
				   struct weir_trim_look *look)
{
	struct weir_trim_pkt pkt = {};

	if (!look)
		return -1;
	weir_trim_begin(ctx, &pkt);
	weir_trim_frame(ctx, &pkt);
	if (weir_trim_parse(&pkt) || pkt.headers > WEIR_TRIM_OFFSET)
		return -1;
	look->headers = pkt.headers;
	look->l3_len = pkt.l3_len;
	look->l3 = pkt.l3_off;
	look->l4 = pkt.l4_off;
	look->ndp = pkt.ndp ? (void *)pkt.ndp - pkt.start : 0;
	look->vlan = pkt.vlan;
	look->dport = pkt.dport;
	look->ip = pkt.ip;
	look->proto = pkt.proto;
	look->dscp = pkt.dscp;
	look->flags = pkt.flags;
	return 0;
}

/**
 * weir_trim_step_meter() - check a port for room for a packet
 * @port: the egress port
 * @cpu: this CPU's part of it
 * @look: the packet
 *
 * Return: enum weir_meter_verdict.
 */
static __always_inline int
weir_trim_step_meter(struct weir_trim_port *port, struct weir_trim_cpu *cpu,
		     const struct weir_trim_look *look)
{
	struct weir_meter_packet packet;

	packet.len = look->len + look->beside;
	packet.trimmed = look->left + look->beside;
	packet.eligible = look->class == WEIR_TRIM_DATA;
	packet.always = look->class == WEIR_TRIM_OTHER ||
			look->class == WEIR_TRIM_UNTRUSTED;
	return weir_meter(port, cpu, bpf_ktime_get_ns(), &packet);
}

/**
 * weir_trim_step_mark() - make a packet's headers those of a trimmed one
 * @ctx: of the program
 * @port: the egress port
 * @look: the packet, which is not cut yet
 *
 * Return: 0, or -1 where the packet has changed.
 */
__noinline int weir_trim_step_mark(WEIR_TRIM_CTX *ctx,
				   struct weir_trim_port *port,
				   struct weir_trim_look *look)
{
	struct weir_trim_pkt pkt = {};

	if (!port || !look || weir_trim_step_look(ctx, look))
		return -1;
	weir_trim_resume(ctx, look, &pkt);
	weir_trim_mark(&port->policy, &pkt, look->left);
	return 0;
}

/**
 * weir_trim_step_unmark() - remove a mark that is not trusted
 * @ctx: of the program
 * @look: the packet
 *
 * Return: 0, or -1 where the packet has changed.
 */
__noinline int weir_trim_step_unmark(WEIR_TRIM_CTX *ctx,
				     struct weir_trim_look *look)
{
	struct weir_trim_pkt pkt = {};

	if (!look || weir_trim_step_look(ctx, look))
		return -1;
	weir_trim_resume(ctx, look, &pkt);
	weir_trim_unmark(&pkt);
	return 0;
}

#endif /* _WEIR_TRIM_STEPS_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * Programs of an author who means harm: they write what the module trusts into memory that they
 * can reach, keep pointers across calls that change a frame, and call all kfuncs with anything.
 */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <stdbool.h>
#include <stddef.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include <weir.h>
#include <weir_bpf.h>
#include <weir_trim.h>

#include "author.h"

/* As far as the kernel's own are read. */
struct net_device;
struct sk_buff {
	struct net_device	*dev;
} __attribute__((preserve_access_index));
struct xdp_frame {
	void			*data;
} __attribute__((preserve_access_index));

extern int bpf_dynptr_from_xdp(struct xdp_md *xdp, __u64 flags, struct bpf_dynptr *ptr) __ksym;
extern void *bpf_dynptr_slice_rdwr(const struct bpf_dynptr *ptr, __u32 offset, void *buffer,
				   __u32 buffer__szk) __ksym;
extern void *bpf_cast_to_kern_ctx(void *ctx) __ksym;

extern int weir_contribute_xdp(struct xdp_md *ctx, struct weir_contrib *contrib,
			       __u32 contrib__sz) __ksym;
extern int weir_refuse_xdp(struct xdp_md *ctx, struct weir_contrib *contrib, __u32 contrib__sz,
			   __u32 reason) __ksym;
extern int weir_arp_xdp(struct xdp_md *ctx, struct weir_contrib *contrib, __u32 contrib__sz) __ksym;
extern int weir_chain_xdp(struct xdp_md *ctx) __ksym;
extern int weir_flow_xdp(struct xdp_md *ctx) __ksym;
extern int weir_filter_xdp(struct xdp_md *ctx) __ksym;
extern __u64 weir_order_xdp(struct xdp_md *ctx) __ksym;
extern __u8 *weir_trim_port_xdp(struct xdp_md *ctx, __u32 ifindex,
				const __u32 rdwr_buf_size) __ksym;
extern __u8 *weir_trim_cpu_xdp(struct xdp_md *ctx, __u32 ifindex,
			       const __u32 rdwr_buf_size) __ksym;
extern __u32 weir_trim_from_xdp(struct xdp_md *ctx) __ksym;
extern int weir_trim_edge_xdp(struct xdp_md *ctx) __ksym;
extern int weir_trim_backlog_xdp(struct xdp_md *ctx, __u32 ifindex) __ksym;
extern int weir_trim_bridge_xdp(struct xdp_md *ctx, __u32 tag) __ksym;
extern void weir_trim_frags_xdp(struct xdp_md *ctx, __u32 len) __ksym;
extern int weir_trim_note_xdp(struct xdp_md *ctx, __u32 counter) __ksym;

extern int weir_contribute_skb(struct __sk_buff *ctx, struct weir_contrib *contrib,
			       __u32 contrib__sz) __ksym;
extern int weir_contribute_merged_skb(struct __sk_buff *ctx, struct weir_contrib *contrib,
				      __u32 contrib__sz) __ksym;
extern int weir_refuse_skb(struct __sk_buff *ctx, struct weir_contrib *contrib, __u32 contrib__sz,
			   __u32 reason) __ksym;
extern int weir_arp_skb(struct __sk_buff *ctx, struct weir_contrib *contrib,
			__u32 contrib__sz) __ksym;
extern __u8 *weir_trim_port_skb(struct __sk_buff *ctx, __u32 ifindex,
				const __u32 rdwr_buf_size) __ksym;
extern __u8 *weir_trim_cpu_skb(struct __sk_buff *ctx, __u32 ifindex,
			       const __u32 rdwr_buf_size) __ksym;
extern int weir_trim_edge_skb(struct __sk_buff *ctx) __ksym;
extern int weir_trim_plain_skb(struct __sk_buff *ctx) __ksym;
extern int weir_trim_length_skb(struct __sk_buff *ctx) __ksym;
extern int weir_trim_queue_skb(struct __sk_buff *ctx, __u32 queue) __ksym;
extern int weir_trim_class_skb(struct __sk_buff *ctx, __u32 class) __ksym;

__u32 port;		/* index of a device with a policy of hook xdp */
__u32 order_device;	/* of the device that an order's packets are redirected to */
struct author_note forged;
bool honest;		/* the note is the module's own */
__s32 moved;		/* bytes that the beginning moves after the note */

/* Behind the struct xdp_frame, which the kernel itself writes there. */
#define NOTE_AT		bpf_core_type_size(struct xdp_frame)

/* Writes a note where the module would. Return: 0, or less where the frame has no room. */
static __always_inline int forge(struct xdp_md *ctx, const void *note, __u32 len, __u32 at)
{
	int back = AUTHOR_HEADROOM - at;

	return bpf_xdp_adjust_head(ctx, -back) ?: bpf_xdp_store_bytes(ctx, 0, (void *)note, len) ?:
	       bpf_xdp_adjust_head(ctx, back);
}

static __u32 via(struct xdp_md *ctx)
{
	struct weir_trim_port *p = (void *)weir_trim_port_xdp(ctx, port, sizeof(*p));

	return p ? p->via : 0;
}

/* A frame that the device does not take, with a note. */
SEC("xdp")
int author_note(struct xdp_md *ctx)
{
	struct author_note note = forged;

	if (honest ? weir_trim_note_xdp(ctx, note.counter) :
		     forge(ctx, &note, sizeof(note), NOTE_AT))
		return XDP_ABORTED;
	if (moved && bpf_xdp_adjust_head(ctx, moved))
		return XDP_ABORTED;
	return bpf_redirect(via(ctx), 0);
}

struct author_order_note forged_order;
bool inside;		/* the note lies in the frame's own bytes */

/* A frame with an order's note that the module has not written. */
SEC("xdp")
int author_order_note(struct xdp_md *ctx)
{
	__u8 head[] = { 255, 255, 255, 255, 255, 255, 2, 0, 0, 0, 0, 0, 0x88, 0xb5 };
	struct author_order_note note = forged_order;

	if (inside) {
		if (bpf_xdp_adjust_head(ctx, (int)NOTE_AT - AUTHOR_HEADROOM) ||
		    bpf_xdp_store_bytes(ctx, 0, head, sizeof(head)) ||
		    bpf_xdp_store_bytes(ctx, AUTHOR_ORDER_APART, &note, sizeof(note)))
			return XDP_ABORTED;
	} else if (forge(ctx, &note, sizeof(note), NOTE_AT + AUTHOR_ORDER_APART)) {
		return XDP_ABORTED;
	}
	return bpf_redirect(order_device, 0);
}

/* And one with the module's own. */
SEC("xdp")
int author_order(struct xdp_md *ctx)
{
	__u64 to = weir_order_xdp(ctx);

	return to >> 32 == WEIR_ORDER_TO_DEVICE ? bpf_redirect((__u32)to, 0) : (int)to;
}

__u64 peeks, addresses;

/* In the rest of an order's chain: count the packets with an address in the headroom. */
SEC("xdp.frags")
int author_peek(struct xdp_md *ctx)
{
	int back = AUTHOR_HEADROOM - AUTHOR_ORDER_APART - NOTE_AT -
		   offsetof(struct author_order_note, next);
	__u64 word = 0;

	if (bpf_xdp_adjust_head(ctx, -back))
		return XDP_PASS;
	if (!bpf_xdp_load_bytes(ctx, 0, &word, sizeof(word)) && word)
		addresses++;
	bpf_xdp_adjust_head(ctx, back);
	peeks++;
	return XDP_PASS;
}

struct author_mark seen[AUTHOR_MARKS];
__u32 marks;
bool forges_mark;
__u32 forged_counter;

/* Reads and changes what the module leaves in a packet for the qdisc. */
SEC("tc")
int author_mark(struct __sk_buff *skb)
{
	struct sk_buff *kernel = bpf_cast_to_kern_ctx(skb);
	__u32 at = marks & (AUTHOR_MARKS - 1);

	seen[at].block = skb->cb[0] | (__u64)skb->cb[1] << 32;
	seen[at].packet = (__u64)kernel;
	seen[at].device = (__u64)kernel->dev;
	marks++;
	if (forges_mark)
		skb->cb[2] = forged_counter;
	return TC_ACT_OK;
}

__u64 before, after;
__u32 slice_at;

/* A pointer to a fragment, which is used after @change. */
#define KEEPS_SLICE(change) do {							\
	volatile __u64 *at;								\
	struct bpf_dynptr ptr;								\
	__u64 buffer;									\
											\
	if (bpf_dynptr_from_xdp(ctx, 0, &ptr))						\
		return XDP_ABORTED;							\
	at = bpf_dynptr_slice_rdwr(&ptr, slice_at, &buffer, sizeof(buffer));		\
	if (!at)									\
		return XDP_ABORTED;							\
	before = *at;									\
	change;										\
	after = *at;									\
	*at = ~after;									\
	if (*at != ~after)								\
		after = 0;								\
} while (0)

SEC("xdp.frags")
int author_slice_trim(struct xdp_md *ctx)
{
	KEEPS_SLICE(weir_trim_frags_xdp(ctx, 64));
	return XDP_DROP;
}

SEC("xdp.frags")
int author_slice_chain(struct xdp_md *ctx)
{
	KEEPS_SLICE(weir_chain_xdp(ctx));
	return XDP_DROP;
}

SEC("xdp.frags")
int author_slice_order(struct xdp_md *ctx)
{
	KEEPS_SLICE(weir_order_xdp(ctx));
	return XDP_DROP;
}

__u64 cuts;

/* A program of a chain that shortens all frames. */
SEC("xdp.frags")
int author_cut(struct xdp_md *ctx)
{
	int len = bpf_xdp_get_buff_len(ctx);

	if (len > 64 && !bpf_xdp_adjust_tail(ctx, 64 - len))
		cuts++;
	return XDP_PASS;
}

__u32 mapping;
int reason;

/* Says that the packet goes by a transmit queue that there is not. */
SEC("tc")
int author_queue(struct __sk_buff *skb)
{
	struct weir_contrib trio = { .format = WEIR_FORMAT_TRIO };

	skb->queue_mapping = mapping;
	reason = weir_contribute_skb(skb, &trio, sizeof(trio));
	weir_contribute_merged_skb(skb, &trio, sizeof(trio));
	weir_refuse_skb(skb, &trio, sizeof(trio), WEIR_REASON_RUNT);
	weir_arp_skb(skb, &trio, sizeof(trio));
	return TC_ACT_SHOT;
}

__u64 runs;
__u32 devices[AUTHOR_DEVICES];	/* that frames are redirected to */

static __always_inline __u32 any(void)
{
	return bpf_get_prandom_u32();
}

/* Small, large, or anything. Not static, so that it is verified once. */
__noinline __u32 number(void)
{
	__u32 what = any();

	return what & 1 ? any() & 63 : what & 2 ? any() & 0xffff : what & 4 ? -(any() & 63) : any();
}

static __always_inline __u32 device(void)
{
	return devices[any() & (AUTHOR_DEVICES - 1)];
}

struct weir_contrib contrib;

/* A descriptor of anything. */
__noinline int anything(void)
{
	int i;

	contrib.block = number();
	contrib.exponent = number();
	contrib.job = number();
	contrib.generation = number();
	contrib.source = number();
	contrib.weight = number();
	contrib.count = number();
	contrib.udp_off = any() & 1 ? 34 : number();
	contrib.udp_len = number();
	contrib.payload_off = any() & 1 ? 54 : number();
	contrib.sport = any() & 1 ? 12000 : number();
	contrib.dport = any() & 1 ? 12000 : number();
	contrib.flags = number();
	contrib.vlan = number();
	contrib.format = number() & 15;
	contrib.tos = number();
	for (i = 0; i < 4; i++) {
		contrib.saddr[i] = AUTHOR_SADDR(i);
		contrib.daddr[i] = AUTHOR_DADDR(i);
	}
	for (i = 0; i < WEIR_CONTRIB_SAID; i++)
		contrib.said[i] = number();
	return 0;
}

/* A word of a note, or of anything. */
__noinline __u32 word(void)
{
	switch (any() & 7) {
	case 0:
		return AUTHOR_TRIM_MAGIC;
	case 1:
		return AUTHOR_ORDER_MAGIC;
	case 2:
		return 0;
	default:
		return number();
	}
}

/* Fills as much of the headroom as a program can reach. */
static __always_inline void scribble(struct xdp_md *ctx)
{
	int back = 8 * (1 + (any() & 31)), i;
	__u32 *words, *end;

	if (bpf_xdp_adjust_head(ctx, -back))
		return;
	words = (void *)(long)ctx->data;
	end = (void *)(long)ctx->data_end;
	for (i = 0; i < 60; i++)
		if (words + i + 1 <= end && any() & 3)
			words[i] = word();
	if (any() & 7)
		bpf_xdp_adjust_head(ctx, back);
}

static __always_inline void calls_xdp(struct xdp_md *ctx)
{
	switch (any() & 15) {
	case 0:
		weir_contribute_xdp(ctx, &contrib, sizeof(contrib));
		break;
	case 1:
		weir_refuse_xdp(ctx, &contrib, sizeof(contrib), number());
		break;
	case 2:
		weir_arp_xdp(ctx, &contrib, sizeof(contrib));
		break;
	case 3:
	case 4:
		weir_chain_xdp(ctx);
		break;
	case 5:
		weir_flow_xdp(ctx);
		break;
	case 6:
		weir_filter_xdp(ctx);
		break;
	case 7:
	case 8:
		weir_order_xdp(ctx);
		break;
	case 9:
		weir_trim_from_xdp(ctx);
		weir_trim_edge_xdp(ctx);
		break;
	case 10:
		weir_trim_backlog_xdp(ctx, any() & 1 ? device() : number());
		break;
	case 11:
		weir_trim_bridge_xdp(ctx, number());
		break;
	case 12:
		weir_trim_frags_xdp(ctx, number());
		break;
	default:
		weir_trim_note_xdp(ctx, number());
	}
}

/* Writes into the state of a port that programs are given. */
static __always_inline void spoil_xdp(struct xdp_md *ctx)
{
	struct weir_trim_port *p = (void *)weir_trim_port_xdp(ctx, device(), sizeof(*p));
	struct weir_trim_cpu *cpu = (void *)weir_trim_cpu_xdp(ctx, device(), sizeof(*cpu));

	if (p && any() & 1) {
		p->overflow = number();
		p->queue = number();
		p->meters.t0 = number();
		p->meters.t1 = number();
		p->meters.limit = number();
		p->policy.size = number();
		p->policy.flags = number();
		p->policy.rules = number();
	}
	if (cpu && any() & 1)
		cpu->count[any() & 15] = number();
}

SEC("xdp.frags")
int author_any_xdp(struct xdp_md *ctx)
{
	int i;

	runs++;
	for (i = 0; i < 4; i++) {
		anything();
		scribble(ctx);
		if (any() & 1)
			bpf_xdp_adjust_meta(ctx, -4 * (any() & 7));
		calls_xdp(ctx);
		if (!(any() & 7))
			bpf_xdp_adjust_tail(ctx, (int)(any() & 255) - 128);
		spoil_xdp(ctx);
	}
	return any() & 3 ? bpf_redirect(device(), 0) : any() % 5;
}

static __always_inline void calls_skb(struct __sk_buff *skb)
{
	struct weir_trim_cpu *cpu;
	struct weir_trim_port *p;

	switch (any() & 15) {
	case 0:
	case 1:
		weir_contribute_skb(skb, &contrib, sizeof(contrib));
		break;
	case 2:
	case 3:
		weir_contribute_merged_skb(skb, &contrib, sizeof(contrib));
		break;
	case 4:
		weir_refuse_skb(skb, &contrib, sizeof(contrib), number());
		break;
	case 5:
		weir_arp_skb(skb, &contrib, sizeof(contrib));
		break;
	case 6:
		p = (void *)weir_trim_port_skb(skb, device(), sizeof(*p));
		if (p)
			p->meters.limit = number();
		break;
	case 7:
		cpu = (void *)weir_trim_cpu_skb(skb, device(), sizeof(*cpu));
		if (cpu)
			cpu->count[any() & 15] = number();
		break;
	case 8:
		weir_trim_edge_skb(skb);
		break;
	case 9:
		weir_trim_length_skb(skb);
		break;
	case 10:
		weir_trim_queue_skb(skb, number());
		break;
	case 11:
		weir_trim_class_skb(skb, number());
		break;
	default:
		weir_trim_plain_skb(skb);
	}
}

/* All fields of a packet that a program can write. */
static __always_inline void fields(struct __sk_buff *skb)
{
	int i;

	skb->mark = number();
	skb->priority = number();
	skb->queue_mapping = number();
	skb->tc_index = number();
	skb->tc_classid = number();
	skb->tstamp = number();
	for (i = 0; i < 5; i++)
		skb->cb[i] = any() & 1 ? AUTHOR_DEFLECT_MAGIC : number();
}

SEC("tc")
int author_any_skb(struct __sk_buff *skb)
{
	int i;

	runs++;
	for (i = 0; i < 4; i++) {
		anything();
		fields(skb);
		if (!(any() & 3))
			bpf_skb_change_type(skb, any() & 3);
		if (!(any() & 7))
			bpf_skb_change_tail(skb, 64 + (any() & 1023), 0);
		if (!(any() & 7))
			bpf_skb_adjust_room(skb, (int)(any() & 63) - 32, BPF_ADJ_ROOM_MAC, 0);
		if (!(any() & 7))
			bpf_skb_change_head(skb, any() & 63, 0);
		calls_skb(skb);
	}
	return any() & 3 ? TC_ACT_OK : bpf_redirect(device(), 0);
}

char _license[] SEC("license") = "GPL";

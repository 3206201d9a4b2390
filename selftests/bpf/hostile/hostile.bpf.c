// SPDX-License-Identifier: GPL-2.0
/*
 * Programs whose descriptor lies in a map, and one that writes there as another CPU
 * would: just after the module has checked it, whenever that is. And programs that
 * were built for a module whose structs were longer or shorter.
 */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <bpf/bpf_helpers.h>

#include <weir.h>
#include <weir_bpf.h>
#include <weir_trim.h>

extern int weir_contribute_xdp(struct xdp_md *ctx, struct weir_contrib *contrib,
			       __u32 contrib__sz) __ksym;
extern int weir_contribute_skb(struct __sk_buff *ctx,
			       struct weir_contrib *contrib,
			       __u32 contrib__sz) __ksym;
extern int weir_contribute_merged_skb(struct __sk_buff *ctx,
				      struct weir_contrib *contrib,
				      __u32 contrib__sz) __ksym;
extern int weir_refuse_xdp(struct xdp_md *ctx, struct weir_contrib *contrib,
			   __u32 contrib__sz, __u32 reason) __ksym;
extern int weir_refuse_skb(struct __sk_buff *ctx, struct weir_contrib *contrib,
			   __u32 contrib__sz, __u32 reason) __ksym;

extern __u8 *weir_trim_port_xdp(struct xdp_md *ctx, __u32 ifindex,
				const __u32 rdwr_buf_size) __ksym;
extern __u8 *weir_trim_port_skb(struct __sk_buff *ctx, __u32 ifindex,
				const __u32 rdwr_buf_size) __ksym;
extern __u8 *weir_trim_cpu_xdp(struct xdp_md *ctx, __u32 ifindex,
			       const __u32 rdwr_buf_size) __ksym;
extern __u8 *weir_trim_cpu_skb(struct __sk_buff *ctx, __u32 ifindex,
			       const __u32 rdwr_buf_size) __ksym;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct weir_contrib);
} descriptor SEC(".maps");

struct weir_contrib right;	/* the descriptor at a call's beginning */
__u64 taken;			/* calls that the module has taken it in */
__u64 changed;			/* how often it was changed under way */

static struct weir_contrib *get(void)
{
	__u32 key = 0;

	return bpf_map_lookup_elem(&descriptor, &key);
}

/* Each call is about a block of its own, or all but the first were duplicates. */
static struct weir_contrib *next(void)
{
	struct weir_contrib *contrib = get();

	right.block++;
	if (contrib)
		*contrib = right;
	return contrib;
}

static void count(int ret)
{
	if (!ret)
		taken++;
}

static int change(void)
{
	struct weir_contrib *contrib = get();

	if (!contrib)
		return 0;
	contrib->source = 60000;
	contrib->count = 4095;
	contrib->udp_len = 65535;
	contrib->payload_off = 65535;
	contrib->job = 65535;
	contrib->dport = 1;
	changed++;
	return 0;
}

/* All has been checked, nothing is summed yet. */
SEC("kprobe/weir_straggler_heard")
int hostile_heard(void *ctx)
{
	return change();
}

/* The packet's memory has been found, nothing is checked yet. */
SEC("kprobe/weir_contribute")
int hostile_contribute(void *ctx)
{
	return change();
}

SEC("kprobe/weir_refuse")
int hostile_refuse(void *ctx)
{
	return change();
}

SEC("xdp.frags")
int hostile_contribute_xdp(struct xdp_md *ctx)
{
	struct weir_contrib *contrib = next();

	if (contrib)
		count(weir_contribute_xdp(ctx, contrib, sizeof(*contrib)));
	return XDP_DROP;
}

SEC("tc")
int hostile_contribute_skb(struct __sk_buff *skb)
{
	struct weir_contrib *contrib = next();

	if (contrib)
		count(weir_contribute_skb(skb, contrib, sizeof(*contrib)));
	return TC_ACT_SHOT;
}

SEC("tc")
int hostile_contribute_merged_skb(struct __sk_buff *skb)
{
	struct weir_contrib *contrib = next();

	if (contrib)
		count(weir_contribute_merged_skb(skb, contrib, sizeof(*contrib)));
	return TC_ACT_SHOT;
}

/* About where the datagrams lie. A reason is right whatever they are said to be. */
SEC("tc")
int hostile_lie_merged_skb(struct __sk_buff *skb)
{
	struct weir_contrib contrib = right;

	contrib.udp_off = bpf_get_prandom_u32();
	contrib.udp_len = bpf_get_prandom_u32();
	contrib.payload_off = bpf_get_prandom_u32();
	if (contrib.udp_off & 1)
		contrib.udp_off %= 128;
	if (weir_contribute_merged_skb(skb, &contrib, sizeof(contrib)) > 0)
		count(0);
	return TC_ACT_SHOT;
}

SEC("xdp.frags")
int hostile_refuse_xdp(struct xdp_md *ctx)
{
	struct weir_contrib *contrib = next();

	if (contrib && weir_refuse_xdp(ctx, contrib, sizeof(*contrib),
				       WEIR_REASON_RUNT) == WEIR_REASON_RUNT)
		count(0);
	return XDP_DROP;
}

SEC("tc")
int hostile_refuse_skb(struct __sk_buff *skb)
{
	struct weir_contrib *contrib = next();

	if (contrib && weir_refuse_skb(skb, contrib, sizeof(*contrib),
				       WEIR_REASON_RUNT) == WEIR_REASON_RUNT)
		count(0);
	return TC_ACT_SHOT;
}

__u32 port;	/* index of a device with a policy */
__u32 given;	/* a bit for each struct that the module has handed out */

/* Bit 0: as long as the module's; 1: shorter; 2: longer. */
#define SIZES(get, ctx, type)						\
	((!!get(ctx, port, sizeof(type))) |				\
	 (!!get(ctx, port, sizeof(type) - sizeof(__u64)) << 1) |	\
	 (!!get(ctx, port, sizeof(type) + sizeof(__u64)) << 2))

SEC("xdp.frags")
int hostile_sizes_xdp(struct xdp_md *ctx)
{
	given = SIZES(weir_trim_port_xdp, ctx, struct weir_trim_port) |
		SIZES(weir_trim_cpu_xdp, ctx, struct weir_trim_cpu) << 4;
	return XDP_DROP;
}

SEC("tc")
int hostile_sizes_skb(struct __sk_buff *skb)
{
	given = SIZES(weir_trim_port_skb, skb, struct weir_trim_port) |
		SIZES(weir_trim_cpu_skb, skb, struct weir_trim_cpu) << 4;
	return TC_ACT_SHOT;
}

char _license[] SEC("license") = "GPL";

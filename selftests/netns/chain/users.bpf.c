// SPDX-License-Identifier: GPL-2.0
/* Programs as users have them in a chain, good ones and others. */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/ip.h>
#include <linux/udp.h>
#include <stddef.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#define DROPPED_PORT 5555

#ifndef AF_INET
#define AF_INET 2
#endif

extern int weir_chain_xdp(struct xdp_md *ctx) __ksym;

SEC("xdp.frags")
int users_pass(struct xdp_md *ctx)
{
	return XDP_PASS;
}

/* Takes no fragments. */
SEC("xdp")
int users_flat(struct xdp_md *ctx)
{
	return XDP_PASS;
}

SEC("xdp.frags")
int users_drop(struct xdp_md *ctx)
{
	void *end = (void *)(long)ctx->data_end;
	struct ethhdr *eth = (void *)(long)ctx->data;
	struct iphdr *ip = (void *)(eth + 1);
	struct udphdr *udp = (void *)(ip + 1);

	if ((void *)(udp + 1) > end || eth->h_proto != bpf_htons(ETH_P_IP) ||
	    ip->ihl != 5 || ip->protocol != IPPROTO_UDP)
		return XDP_PASS;
	return udp->dest == bpf_htons(DROPPED_PORT) ? XDP_DROP : XDP_PASS;
}

/* Those behind it see the frame at another place. */
SEC("xdp.frags")
int users_shift(struct xdp_md *ctx)
{
	if (bpf_xdp_adjust_head(ctx, -16) || bpf_xdp_adjust_head(ctx, 16))
		return XDP_ABORTED;
	return XDP_PASS;
}

static long spin(__u32 i, void *ctx)
{
	return 0;
}

/* Takes as long as it comes. */
SEC("xdp.frags")
int users_dally(struct xdp_md *ctx)
{
	bpf_loop(bpf_get_prandom_u32() & 0xfff, spin, NULL, 0);
	return XDP_PASS;
}

/* One of four, whichever. */
SEC("xdp.frags")
int users_some(struct xdp_md *ctx)
{
	return bpf_get_prandom_u32() & 3 ? XDP_PASS : XDP_DROP;
}

/* Out of the device that the route says, however long the frame is. */
SEC("xdp.frags")
int users_route(struct xdp_md *ctx)
{
	struct bpf_fib_lookup fib = { .family = AF_INET, .ifindex = ctx->ingress_ifindex };
	void *end = (void *)(long)ctx->data_end;
	struct ethhdr *eth = (void *)(long)ctx->data;
	struct iphdr *ip = (void *)(eth + 1);

	if ((void *)(ip + 1) > end || eth->h_proto != bpf_htons(ETH_P_IP))
		return XDP_PASS;
	fib.ipv4_src = ip->saddr;
	fib.ipv4_dst = ip->daddr;
	if (bpf_fib_lookup(ctx, &fib, sizeof(fib), 0))
		return XDP_PASS;
	return bpf_redirect(fib.ifindex, 0);
}

/* Would have no end. */
SEC("xdp.frags")
int users_again(struct xdp_md *ctx)
{
	return weir_chain_xdp(ctx);
}

/* A verdict that there is not. */
SEC("xdp.frags")
int users_odd(struct xdp_md *ctx)
{
	return 77;
}

SEC("xdp.frags/cpumap")
int users_cpumap(struct xdp_md *ctx)
{
	return XDP_PASS;
}

SEC("tc")
int users_tc(struct __sk_buff *skb)
{
	return 0;
}

char _license[] SEC("license") = "GPL";

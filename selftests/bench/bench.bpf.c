// SPDX-License-Identifier: GPL-2.0
/* The yardsticks of weir's cost: the cheapest things XDP can do. */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 64);
	__type(key, __u32);
	__type(value, __u32);
} bench_egress SEC(".maps");

SEC("xdp.frags")
int bench_pass(struct xdp_md *ctx)
{
	return XDP_PASS;
}

SEC("xdp.frags")
int bench_drop(struct xdp_md *ctx)
{
	return XDP_DROP;
}

/* Back to the sender, with the addresses swapped as any reflector must. */
SEC("xdp.frags")
int bench_tx(struct xdp_md *ctx)
{
	struct ethhdr *eth = (void *)(long)ctx->data;
	unsigned char mac[ETH_ALEN];

	if ((void *)(eth + 1) > (void *)(long)ctx->data_end)
		return XDP_DROP;
	__builtin_memcpy(mac, eth->h_dest, ETH_ALEN);
	__builtin_memcpy(eth->h_dest, eth->h_source, ETH_ALEN);
	__builtin_memcpy(eth->h_source, mac, ETH_ALEN);
	return XDP_TX;
}

/* Out of another device, chosen by the one that it came in on. */
SEC("xdp.frags")
int bench_redirect(struct xdp_md *ctx)
{
	__u32 key = ctx->ingress_ifindex, *egress;

	egress = bpf_map_lookup_elem(&bench_egress, &key);
	return egress ? bpf_redirect(*egress, 0) : XDP_ABORTED;
}

char _license[] SEC("license") = "GPL";

// SPDX-License-Identifier: GPL-2.0
/*
 * The filter of Trio's paper (section 3.2): IPv4 packets without options pass. All others
 * are dropped, and counted by why.
 */
#include <linux/bpf.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

enum why { NOT_IP, NOT_PLAIN, WHYS };

struct counter {
	__u64 packets;
	__u64 bytes;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WHYS);
	__type(key, __u32);
	__type(value, struct counter);
} dropped SEC(".maps");

SEC("xdp.frags")
int trio_filter(struct xdp_md *ctx)
{
	struct ethhdr *eth = (void *)(long)ctx->data;
	void *end = (void *)(long)ctx->data_end;
	struct iphdr *ip = (void *)(eth + 1);
	struct counter *counter;
	__u32 why = NOT_IP;

	if ((void *)ip <= end && eth->h_proto == bpf_htons(ETH_P_IP)) {
		if ((void *)(ip + 1) <= end && ip->version == 4 && ip->ihl == 5)
			return XDP_PASS;
		why = NOT_PLAIN;
	}
	counter = bpf_map_lookup_elem(&dropped, &why);
	if (counter) {
		counter->packets++;
		counter->bytes += bpf_xdp_get_buff_len(ctx);
	}
	return XDP_DROP;
}

char _license[] SEC("license") = "GPL";

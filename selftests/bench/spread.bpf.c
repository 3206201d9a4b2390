// SPDX-License-Identifier: GPL-2.0
/* Do what an order does without its queue: hand a packet to the stack by a CPU's map. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_CPUMAP);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct bpf_cpumap_val);
	__uint(pinning, LIBBPF_PIN_BY_NAME);
} bench_cpus SEC(".maps");

SEC("xdp.frags")
int bench_spread(struct xdp_md *ctx)
{
	return bpf_redirect_map(&bench_cpus, 0, XDP_PASS);
}

char _license[] SEC("license") = "GPL";

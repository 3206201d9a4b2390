// SPDX-License-Identifier: GPL-2.0
/*
 * The XDP programs of a device whose packets are spread over CPUs, or come out of order: the one
 * in the device's chain, which gives each packet its number and its CPU, and the one that runs
 * there. The module holds packets until it is their turn: both redirect to a device of its own.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <weir_bpf.h>

extern __u64 weir_order_xdp(struct xdp_md *ctx) __ksym;
extern __u64 weir_order_far_xdp(struct xdp_md *ctx) __ksym;

/* Entries for the CPUs of all orders of the device, by the CPU's number. */
struct {
	__uint(type, BPF_MAP_TYPE_CPUMAP);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct bpf_cpumap_val);
} weir_cpus SEC(".maps");

SEC("xdp.frags")
int weir_order(struct xdp_md *ctx)
{
	__u64 to = weir_order_xdp(ctx);

	switch (to >> 32) {
	case WEIR_ORDER_TO_CPU:
		return bpf_redirect_map(&weir_cpus, (__u32)to, XDP_PASS);
	case WEIR_ORDER_TO_DEVICE:
		return bpf_redirect((__u32)to, 0);
	default:
		return (__u32)to;
	}
}

SEC("xdp.frags/cpumap")
int weir_order_far(struct xdp_md *ctx)
{
	__u64 to = weir_order_far_xdp(ctx);

	return to >> 32 == WEIR_ORDER_TO_DEVICE ? bpf_redirect((__u32)to, 0) : (__u32)to;
}

char _license[] SEC("license") = "GPL";

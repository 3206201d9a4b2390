// SPDX-License-Identifier: GPL-2.0
/*
 * The XDP program of a device whose packets are spread over CPUs, or come out of order. The module
 * owns packets from here on: they are redirected to a device of its own.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <weir_bpf.h>

extern __u64 weir_order_xdp(struct xdp_md *ctx) __ksym;

SEC("xdp.frags")
int weir_order(struct xdp_md *ctx)
{
	__u64 to = weir_order_xdp(ctx);

	return to >> 32 == WEIR_ORDER_TO_DEVICE ? bpf_redirect((__u32)to, 0) : (__u32)to;
}

char _license[] SEC("license") = "GPL";

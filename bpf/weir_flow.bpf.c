// SPDX-License-Identifier: GPL-2.0
/* The XDP program of a device whose flows are recorded, for its chain. Any packet goes on. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

extern int weir_flow_xdp(struct xdp_md *ctx) __ksym;

SEC("xdp.frags")
int weir_flow(struct xdp_md *ctx)
{
	weir_flow_xdp(ctx);
	return XDP_PASS;
}

char _license[] SEC("license") = "GPL";

// SPDX-License-Identifier: GPL-2.0
/* A program of a chain that has much to do with each packet. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

extern int bench_work(struct xdp_md *ctx) __ksym;

SEC("xdp.frags")
int bench_heavy(struct xdp_md *ctx)
{
	bench_work(ctx);
	return XDP_PASS;
}

char _license[] SEC("license") = "GPL";

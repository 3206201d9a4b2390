// SPDX-License-Identifier: GPL-2.0
/* The XDP program of a device that has a filter, in its chain. The rules are the module's. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

extern int weir_filter_xdp(struct xdp_md *ctx) __ksym;

SEC("xdp.frags")
int weir_filter(struct xdp_md *ctx)
{
	return weir_filter_xdp(ctx);
}

char _license[] SEC("license") = "GPL";

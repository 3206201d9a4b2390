// SPDX-License-Identifier: GPL-2.0
/*
 * The XDP program of a device that has a chain of programs, which the module runs. A driver
 * that has a program of the second kind builds no frames with fragments: it is for chains of
 * which some program takes none.
 */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

extern int weir_chain_xdp(struct xdp_md *ctx) __ksym;

SEC("xdp.frags")
int weir_chain(struct xdp_md *ctx)
{
	return weir_chain_xdp(ctx);
}

SEC("xdp")
int weir_chain_flat(struct xdp_md *ctx)
{
	return weir_chain_xdp(ctx);
}

char _license[] SEC("license") = "GPL";

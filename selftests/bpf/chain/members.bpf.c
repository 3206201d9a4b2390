// SPDX-License-Identifier: GPL-2.0
/* Programs for a chain; each leaves its number behind those of the ones before it. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

extern int weir_chain_xdp(struct xdp_md *ctx) __ksym;

__u64 trail;

static int leave(__u64 number, int verdict)
{
	trail = trail * 10 + number;
	return verdict;
}

SEC("xdp.frags")
int member_1(struct xdp_md *ctx)
{
	return leave(1, XDP_PASS);
}

SEC("xdp.frags")
int member_2(struct xdp_md *ctx)
{
	return leave(2, XDP_PASS);
}

SEC("xdp.frags")
int member_3(struct xdp_md *ctx)
{
	return leave(3, XDP_PASS);
}

SEC("xdp.frags")
int member_4(struct xdp_md *ctx)
{
	return leave(4, XDP_PASS);
}

SEC("xdp.frags")
int member_drop(struct xdp_md *ctx)
{
	return leave(5, XDP_DROP);
}

SEC("xdp.frags")
int member_tx(struct xdp_md *ctx)
{
	return leave(6, XDP_TX);
}

SEC("xdp.frags")
int member_redirect(struct xdp_md *ctx)
{
	return leave(7, XDP_REDIRECT);
}

SEC("xdp.frags")
int member_odd(struct xdp_md *ctx)
{
	return leave(8, 1 << 30);
}

SEC("xdp.frags")
int member_again(struct xdp_md *ctx)
{
	return leave(9, weir_chain_xdp(ctx));
}

SEC("xdp")
int member_flat(struct xdp_md *ctx)
{
	return leave(1, XDP_PASS);
}

SEC("xdp.frags/cpumap")
int member_cpumap(struct xdp_md *ctx)
{
	return XDP_PASS;
}

SEC("xdp.frags/devmap")
int member_devmap(struct xdp_md *ctx)
{
	return XDP_PASS;
}

SEC("tc")
int member_tc(struct __sk_buff *skb)
{
	return 0;
}

char _license[] SEC("license") = "GPL";

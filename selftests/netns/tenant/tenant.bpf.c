// SPDX-License-Identifier: GPL-2.0
/* Have each packet ask for the loopback device's policy and its qdiscs. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include <weir.h>
#include <weir_trim.h>

#define LOOPBACK	1

extern __u8 *weir_trim_port_xdp(struct xdp_md *ctx, __u32 ifindex,
				const __u32 rdwr_buf_size) __ksym;
extern int weir_trim_backlog_xdp(struct xdp_md *ctx, __u32 ifindex) __ksym;

/* XDP_PASS where there are a policy and a qdisc that has room. */
SEC("xdp")
int tenant_asks(struct xdp_md *ctx)
{
	if (!weir_trim_port_xdp(ctx, LOOPBACK, sizeof(struct weir_trim_port)))
		return XDP_ABORTED;
	return weir_trim_backlog_xdp(ctx, LOOPBACK) ? XDP_DROP : XDP_PASS;
}

char _license[] SEC("license") = "GPL";

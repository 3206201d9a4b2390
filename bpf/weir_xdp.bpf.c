// SPDX-License-Identifier: GPL-2.0
/*
 * The XDP program of a port: hands contributions over, leaves the rest alone.
 * In the driver or behind it; frames may have fragments.
 */
#include <linux/bpf.h>
#include <stdbool.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "lib/weir_parse.h"

extern int weir_contribute_xdp(struct xdp_md *ctx, struct weir_contrib *contrib,
			       __u32 contrib__sz) __ksym;
extern int weir_refuse_xdp(struct xdp_md *ctx, struct weir_contrib *contrib,
			   __u32 contrib__sz, __u32 reason) __ksym;

SEC("xdp.frags")
int weir_xdp(struct xdp_md *ctx)
{
	struct weir_contrib contrib = {};
	struct weir_cursor c = {
		.start	= (void *)(long)ctx->data,
		.pos	= (void *)(long)ctx->data,
		.end	= (void *)(long)ctx->data_end,
	};
	int ret;

	ret = weir_parse(&c, &contrib);
	if (ret == WEIR_PARSE_OTHER)
		return XDP_PASS;
	if (ret == WEIR_PARSE_OK)
		ret = weir_contribute_xdp(ctx, &contrib, sizeof(contrib));
	else
		ret = weir_refuse_xdp(ctx, &contrib, sizeof(contrib), ret);
	return weir_refusal_passes(ret) ? XDP_PASS : XDP_DROP;
}

char _license[] SEC("license") = "GPL";

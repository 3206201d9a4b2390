// SPDX-License-Identifier: GPL-2.0
/* An XDP program that is not weir's. */
#include <linux/bpf.h>

__attribute__((section("xdp"), used)) int somebody_else(struct xdp_md *ctx)
{
	(void)ctx;
	return XDP_PASS;
}

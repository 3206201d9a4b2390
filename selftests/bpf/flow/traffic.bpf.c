// SPDX-License-Identifier: GPL-2.0
/* Makes another flow of each frame, before it is recorded: a generator whose counts are known. */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define SOURCE 26	/* where the source address of IPv4 is in a frame */
#define NET 0x0a000000

/* Frames that came so far; flows that they take turns over. */
__u64 frames;
__u64 flows = 1;
/* Each second frame is one of so many heavy flows instead; 0 for none. */
__u64 heavy;

static __u32 choose(__u64 n)
{
	if (heavy && n % 2)
		return n / 2 % heavy;
	return heavy + n % flows;
}

SEC("xdp.frags")
int flow_traffic(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	__u32 *source = data + SOURCE;

	if ((void *)(source + 1) > end)
		return XDP_ABORTED;
	*source = __builtin_bswap32(NET + choose(frames));
	frames++;
	return XDP_PASS;
}

char _license[] SEC("license") = "GPL";

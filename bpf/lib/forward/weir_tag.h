/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The VLAN tag that a driver has taken off a frame. A program that is bound to its device
 * reads it from the driver, and puts it back into the frame while it works: all other
 * code finds it there, and the frame takes it along where it is sent on. The stack has
 * the tag beside the frame, and gets the frame as it came.
 *
 * With WEIR_FORWARD_BOUND the including file declares bpf_xdp_metadata_rx_vlan_tag().
 */
#ifndef _WEIR_BPF_TAG_H
#define _WEIR_BPF_TAG_H

#include <linux/errno.h>

#define WEIR_TAG_SIZE	((int)sizeof(struct weir_trim_tag))

/**
 * struct weir_tag - a driver's answer about a frame's outer VLAN tag
 * @asked: the driver was asked, and the frame shows all its tags
 * @back: a tag was put back for that
 */
struct weir_tag {
	bool asked;
	bool back;
};

/* Both Ethernet addresses. */
struct weir_tag_addresses {
	__u16 word[ETH_ALEN];
};

static __always_inline int weir_tag_move(struct xdp_md *ctx, __u32 from, __u32 to)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	struct weir_tag_addresses addresses;

	if (data + sizeof(struct ethhdr) + WEIR_TAG_SIZE > end)
		return -1;
	addresses = *(struct weir_tag_addresses *)(data + from);
	*(struct weir_tag_addresses *)(data + to) = addresses;
	return 0;
}

/* The tag goes behind the addresses, where the driver found it. */
static __always_inline int weir_tag_insert(struct xdp_md *ctx, __be16 proto, __u16 tci)
{
	struct ethhdr *eth;
	struct weir_trim_tag *tag;

	if (bpf_xdp_adjust_head(ctx, -WEIR_TAG_SIZE) || weir_tag_move(ctx, WEIR_TAG_SIZE, 0))
		return -1;
	eth = (void *)(long)ctx->data;
	tag = (void *)(eth + 1);
	if ((void *)(tag + 1) > (void *)(long)ctx->data_end)
		return -1;
	eth->h_proto = proto;
	tag->tci = bpf_htons(tci);
	return 0;
}

/*
 * Returns whether the program can work on the frame; it can where it has no driver to ask. A
 * function of its own: the verifier would follow the rest of the program for each answer.
 */
#ifdef WEIR_FORWARD_BOUND
__noinline int weir_tag_ask(struct xdp_md *ctx, struct weir_tag *tag)
{
	__be16 proto;
	__u16 tci;
	int err;

	if (!tag)
		return false;
	err = bpf_xdp_metadata_rx_vlan_tag(ctx, &proto, &tci);
	tag->asked = err != -EOPNOTSUPP;
	tag->back = !err;
	return err || !weir_tag_insert(ctx, proto, tci);
}
#else
static __always_inline int weir_tag_ask(struct xdp_md *ctx, struct weir_tag *tag)
{
	return true;
}
#endif

/* A frame for the stack loses the tag again. */
static __always_inline int weir_tag_leave(struct xdp_md *ctx, const struct weir_tag *tag,
					  int verdict)
{
	if (!tag->back || verdict != XDP_PASS)
		return verdict;
	if (weir_tag_move(ctx, 0, WEIR_TAG_SIZE) || bpf_xdp_adjust_head(ctx, WEIR_TAG_SIZE))
		return XDP_DROP;
	return XDP_PASS;
}

#endif /* _WEIR_BPF_TAG_H */

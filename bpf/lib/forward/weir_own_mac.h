/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The device that a frame came in by: which it is, and whether the frame is addressed to it:
 * bpf_fib_lookup() does not check, and a router must not take frames for its neighbours.
 */
#ifndef _WEIR_OWN_MAC_H
#define _WEIR_OWN_MAC_H

#include <linux/if_ether.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

/* Only the members of the kernel's types that are read here. */
struct net_device {
	const unsigned char *dev_addr;
	unsigned int flags;
} __attribute__((preserve_access_index));

struct xdp_rxq_info {
	struct net_device *dev;
} __attribute__((preserve_access_index));

struct xdp_buff {
	struct xdp_rxq_info *rxq;
} __attribute__((preserve_access_index));

extern void *bpf_cast_to_kern_ctx(void *ctx) __ksym;
extern void *bpf_rdonly_cast(const void *obj, __u32 btf_id) __ksym;

extern __u32 weir_trim_from_xdp(struct xdp_md *ctx) __ksym;

/* IFF_SLAVE: the program may be that of a bond, on one of its members. */
#define WEIR_DEV_MEMBER		0x800

/**
 * weir_ingress() - find the device whose program runs on a frame
 * @ctx: the program's context
 *
 * Return: its ifindex; that of the bond if the frame came in by one of its members.
 */
static __always_inline __u32 weir_ingress(struct xdp_md *ctx)
{
	struct xdp_buff *xdp = bpf_cast_to_kern_ctx(ctx);

	if (xdp->rxq->dev->flags & WEIR_DEV_MEMBER)
		return weir_trim_from_xdp(ctx);
	return ctx->ingress_ifindex;
}

/* Return true if the destination of @eth is the address of the device that received it. */
static __always_inline bool weir_own_mac(struct xdp_md *ctx,
					 const struct ethhdr *eth)
{
	struct xdp_buff *xdp = bpf_cast_to_kern_ctx(ctx);
	const struct ethhdr *own;
	int i;

	own = bpf_rdonly_cast(xdp->rxq->dev->dev_addr,
			      bpf_core_type_id_kernel(struct ethhdr));
	for (i = 0; i < ETH_ALEN; i++)
		if (own->h_dest[i] != eth->h_dest[i])
			return false;
	return true;
}

#endif /* _WEIR_OWN_MAC_H */

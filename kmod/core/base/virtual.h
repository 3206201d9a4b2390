/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_VIRTUAL_H
#define _WEIR_VIRTUAL_H

#include <linux/if_vlan.h>
#include <linux/netdevice.h>
#include <linux/types.h>
#include <net/xdp.h>

/* Bytes of a frame's headroom left to drivers, for headers of their own. */
#define WEIR_VIRTUAL_APART	64

/*
 * Notes about a frame that is redirected lie in its headroom, behind the struct xdp_frame: the
 * one of trimming first (trim/deflect.c), then the one of order (order/note.c).
 */
#define WEIR_VIRTUAL_NOTE_TRIM	sizeof(struct xdp_frame)
#define WEIR_VIRTUAL_NOTE_ORDER	(WEIR_VIRTUAL_NOTE_TRIM + 16)

/* Return true if a frame has room for @len bytes of a note at @at. */
static inline bool weir_virtual_fits(const struct xdp_buff *xdp, size_t at, size_t len)
{
	const void *first = min(xdp->data, xdp->data_meta);

	return xdp->data_hard_start + at + len + WEIR_VIRTUAL_APART <= first;
}

/*
 * Return true if @len bytes of a note at @at lie before the first byte of a frame. The kernel
 * copies frames out of AF_XDP's buffers without any headroom: there the packet's own bytes would be
 * read.
 */
static inline bool weir_virtual_frame_fits(const struct xdp_frame *frame, size_t at, size_t len)
{
	return sizeof(*frame) + frame->headroom >= at + len + frame->metasize;
}

/**
 * struct weir_virtual - private part of a device that XDP redirects to in the stead of another
 * @to: the other
 * @owner: the object that takes its packets
 */
struct weir_virtual {
	struct net_device	*to;
	void			*owner;
};

static inline struct weir_virtual *weir_virtual(const struct net_device *dev)
{
	return netdev_priv(dev);
}

/**
 * weir_virtual_is_too_long() - test whether a frame is longer than a device's MTU allows
 * @to: the device
 * @frame: the frame
 *
 * The kernel has compared the frame with the MTU of the device that stands before @to. As it does
 * for others, this leaves room for a VLAN tag.
 */
static inline bool weir_virtual_is_too_long(const struct net_device *to, struct xdp_frame *frame)
{
	return xdp_get_frame_len(frame) > READ_ONCE(to->mtu) + to->hard_header_len + VLAN_HLEN;
}

struct net_device *weir_virtual_alloc(struct net_device *to, void *owner,
				      const struct net_device_ops *ops);
int weir_virtual_xmit(struct net_device *to, int n, struct xdp_frame **frames, u32 flags);
void weir_virtual_free(struct net_device *dev);
int weir_virtual_open(struct net_device *dev);
int weir_virtual_iflink(const struct net_device *dev);

#endif /* _WEIR_VIRTUAL_H */

// SPDX-License-Identifier: GPL-2.0
/*
 * Devices that XDP redirects frames to, so that the module owns them: the kernel has no other
 * place to redirect to. Such a device has no address, and no protocol uses it.
 */
#include <linux/etherdevice.h>
#include <linux/if_arp.h>
#include <linux/rtnetlink.h>
#include <net/rtnetlink.h>

#include "core/base/compat.h"
#include "core/base/virtual.h"

/* No request makes or deletes such a device. */
static struct rtnl_link_ops weir_virtual_link_ops = {
	.kind = "weir",
};

/* ndo_open */
int weir_virtual_open(struct net_device *dev)
{
	return 0;
}
EXPORT_SYMBOL_NS_GPL(weir_virtual_open, "WEIR");

/* ndo_get_iflink: the device before which it stands */
int weir_virtual_iflink(const struct net_device *dev)
{
	return weir_virtual(dev)->to->ifindex;
}
EXPORT_SYMBOL_NS_GPL(weir_virtual_iflink, "WEIR");

static bool weir_virtual_any_frags(int n, struct xdp_frame **frames)
{
	while (n--)
		if (xdp_frame_has_frags(frames[n]))
			return true;
	return false;
}

/* The kernel made these checks for the virtual device and not for the one behind it. */
static bool weir_virtual_can(const struct net_device *to, int n, struct xdp_frame **frames)
{
	u32 features = READ_ONCE(to->xdp_features);

	return to->flags & IFF_UP && features & NETDEV_XDP_ACT_NDO_XMIT &&
	       (features & NETDEV_XDP_ACT_NDO_XMIT_SG ||
		!weir_virtual_any_frags(n, frames));
}

/**
 * weir_virtual_xmit() - hand frames on to a device
 * @to: the device
 * @n: number of frames
 * @frames: the frames, none of which is too long for it
 * @flags: XDP_XMIT_*
 *
 * Called with bottom halves disabled.
 *
 * Return: how many it has taken, the first ones; the others are the caller's.
 */
int weir_virtual_xmit(struct net_device *to, int n, struct xdp_frame **frames, u32 flags)
{
	int sent;

	if (!weir_virtual_can(to, n, frames))
		return 0;
	sent = to->netdev_ops->ndo_xdp_xmit(to, n, frames, flags);
	return sent < 0 ? 0 : sent;
}
EXPORT_SYMBOL_NS_GPL(weir_virtual_xmit, "WEIR");

static void weir_virtual_setup(struct net_device *dev)
{
	dev->rtnl_link_ops = &weir_virtual_link_ops;
	dev->needs_free_netdev = true;
	dev->type = ARPHRD_VOID;
	dev->flags = IFF_NOARP;
	dev->priv_flags |= IFF_NO_QUEUE;
	dev->hard_header_len = ETH_HLEN;
	dev->addr_len = 0;
	dev->mtu = U16_MAX;
	weir_compat_stays(dev);
	dev->xdp_features = NETDEV_XDP_ACT_NDO_XMIT |
					  NETDEV_XDP_ACT_NDO_XMIT_SG;
}

/**
 * weir_virtual_free() - take a device away again
 * @dev: a device that weir_virtual_alloc() made, or NULL
 *
 * RTNL is held. No frame is under way in it when this returns.
 */
noinline void weir_virtual_free(struct net_device *dev)
{
	ASSERT_RTNL();

	if (dev && dev->reg_state == NETREG_REGISTERED)
		unregister_netdevice(dev);
}
EXPORT_SYMBOL_NS_GPL(weir_virtual_free, "WEIR");

/*
 * The kernel returns EINVAL without memory for a name, and EPERM or ENOBUFS where a
 * notifier of devices had none. Here these errors have no other cause.
 */
static int weir_virtual_error(int err)
{
	return err == -EINVAL || err == -EPERM || err == -ENOBUFS ? -ENOMEM : err;
}

/**
 * weir_virtual_alloc() - put a device before another
 * @to: the other
 * @owner: the object that takes its packets
 * @ops: its operations; they last as long as the module
 *
 * RTNL is held.
 *
 * Return: the device, which is up, or an error pointer.
 */
struct net_device *weir_virtual_alloc(struct net_device *to, void *owner,
				      const struct net_device_ops *ops)
{
	struct net_device *dev;
	int err;

	ASSERT_RTNL();

	dev = alloc_netdev(sizeof(struct weir_virtual), "weir%d", NET_NAME_ENUM,
			   weir_virtual_setup);
	if (!dev)
		return ERR_PTR(-ENOMEM);
	dev->netdev_ops = ops;
	weir_virtual(dev)->to = to;
	weir_virtual(dev)->owner = owner;
	dev_net_set(dev, dev_net(to));
	err = register_netdevice(dev);
	if (err) {
		free_netdev(dev);
		return ERR_PTR(weir_virtual_error(err));
	}
	err = dev_open(dev, NULL);
	if (err) {
		weir_virtual_free(dev);
		return ERR_PTR(weir_virtual_error(err));
	}
	return dev;
}
EXPORT_SYMBOL_NS_GPL(weir_virtual_alloc, "WEIR");

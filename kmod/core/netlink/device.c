// SPDX-License-Identifier: GPL-2.0
/* Netlink requests about devices themselves: what weir's programs cannot see of their packets. */
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>

#include <uapi/weir.h>

#include "core/netlink/netlink.h"

/*
 * Return true if the other end of a pair leaves checksums to hardware that does not exist. It may
 * be in a namespace that userspace here cannot look into.
 */
static bool weir_nl_device_unfinished(struct net_device *dev)
{
	struct net_device *peer = NULL;
	bool unfinished;

	rcu_read_lock();
	if (dev->netdev_ops->ndo_get_peer_dev)
		peer = dev->netdev_ops->ndo_get_peer_dev(dev);
	unfinished = peer && peer->features & NETIF_F_CSUM_MASK;
	rcu_read_unlock();
	return unfinished;
}

static int weir_nl_fill_device(const struct weir_nl_msg *msg, const void *obj)
{
	struct net_device *dev = (struct net_device *)obj;
	void *hdr = weir_nl_begin(msg);

	if (!hdr)
		return -EMSGSIZE;
	if (weir_nl_put_dev(msg->skb, WEIR_A_DEVICE_IFINDEX, WEIR_A_DEVICE_IFNAME, dev_net(dev),
			    dev->ifindex) ||
	    (weir_nl_device_unfinished(dev) &&
	     nla_put_flag(msg->skb, WEIR_A_DEVICE_UNFINISHED))) {
		genlmsg_cancel(msg->skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(msg->skb, hdr);
	return 0;
}

/**
 * weir_nl_device() - answer what weir's programs cannot see of a device's packets
 * @info: the request
 * @cmd: the family's command
 *
 * The attribute set device is the same in all families that have it.
 *
 * Return: 0, or an error with the sentence set.
 */
int weir_nl_device(struct genl_info *info, u8 cmd)
{
	struct net_device *dev;
	int ifindex, err;

	err = weir_nl_ifindex(info, WEIR_A_DEVICE_IFINDEX, &ifindex);
	if (err)
		return err;
	rtnl_lock();
	dev = __dev_get_by_index(genl_info_net(info), ifindex);
	err = dev ? weir_nl_reply(info, cmd, weir_nl_fill_device, dev) :
		    weir_nl_refuse_dev(info, WEIR_A_DEVICE_IFINDEX, ifindex, -ENODEV, "is gone");
	rtnl_unlock();
	return err;
}
EXPORT_SYMBOL_NS_GPL(weir_nl_device, "WEIR");

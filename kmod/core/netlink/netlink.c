// SPDX-License-Identifier: GPL-2.0
/*
 * Code that the generic netlink families of all modules share. Each module has its own family,
 * whose policies and operations are generated from a spec in uapi/.
 *
 * A request holds its module's lock of the namespace from pre_doit to post_doit, so the objects
 * that it finds stay.
 */
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/sock.h>

#include "core/base/compat.h"
#include "core/base/device.h"
#include "core/base/lateness.h"
#include "core/netlink/netlink.h"

/*
 * Return true if a request may walk over all slots of a job. The walk holds the namespace's lock,
 * and requests may repeat it without end. So it takes the capability that deleting
 * the job takes.
 */
static bool weir_nl_may_walk(const struct sk_buff *request)
{
	return netlink_capable(request, CAP_NET_ADMIN);
}

/**
 * weir_nl_lock() - begin a request: a module's pre_doit
 * @ns: the module's part of the request's namespace; locked
 * @skb: the request
 * @info: the request
 */
void weir_nl_lock(struct weir_ns *ns, struct sk_buff *skb, struct genl_info *info)
{
	info->user_ptr[0] = weir_nl_may_walk(skb) ? info : NULL;
	mutex_lock(&ns->lock);
}
EXPORT_SYMBOL_NS_GPL(weir_nl_lock, "WEIR");

/**
 * weir_nl_start() - register a module's family
 * @nl: the family
 *
 * Return: 0 or an error.
 */
int weir_nl_start(struct weir_nl *nl)
{
	int err = genl_register_family(nl->family);

	if (!err)
		WRITE_ONCE(nl->up, true);
	return err;
}
EXPORT_SYMBOL_NS_GPL(weir_nl_start, "WEIR");

/**
 * weir_nl_stop() - accept no request; requests under way have ended
 * @nl: the family
 */
void weir_nl_stop(struct weir_nl *nl)
{
	WRITE_ONCE(nl->up, false);
	genl_unregister_family(nl->family);
}
EXPORT_SYMBOL_NS_GPL(weir_nl_stop, "WEIR");

/**
 * weir_nl_ifindex() - the device that a request is about
 * @info: the request
 * @attr: the attribute that must hold its index
 * @ifindex: set
 *
 * Return: 0, or -EINVAL with the sentence set.
 */
int weir_nl_ifindex(struct genl_info *info, int attr, int *ifindex)
{
	if (!WEIR_NL_REQUIRE(info, attr,
			     "say which device: its index is missing"))
		return -EINVAL;
	*ifindex = nla_get_u32(info->attrs[attr]);
	return 0;
}
EXPORT_SYMBOL_NS_GPL(weir_nl_ifindex, "WEIR");

/**
 * weir_nl_put_dev() - write a device's index, and its name where there is one
 * @skb: the message
 * @attr: the attribute of its index
 * @name_attr: that of its name
 * @net: the namespace
 * @ifindex: the device
 *
 * Return: 0 or -EMSGSIZE.
 */
int weir_nl_put_dev(struct sk_buff *skb, int attr, int name_attr,
		    struct net *net, int ifindex)
{
	struct net_device *dev;
	int err;

	err = nla_put_u32(skb, attr, ifindex);
	if (err)
		return err;
	rcu_read_lock();
	dev = dev_get_by_index_rcu(net, ifindex);
	if (dev)
		err = nla_put_string(skb, name_attr, dev->name);
	rcu_read_unlock();
	return err;
}
EXPORT_SYMBOL_NS_GPL(weir_nl_put_dev, "WEIR");

/**
 * weir_nl_refuse_dev() - refuse a request for a reason with a device's name
 * @info: the request
 * @attr: the attribute that holds its index
 * @ifindex: the device; where it does not exist, the sentence says so
 * @err: the error to return
 * @what: the rest of the sentence behind the device's name
 *
 * Return: @err.
 */
int weir_nl_refuse_dev(struct genl_info *info, int attr, int ifindex, int err,
		       const char *what)
{
	struct net_device *dev;

	NL_SET_BAD_ATTR(info->extack, info->attrs[attr]);
	rcu_read_lock();
	dev = dev_get_by_index_rcu(genl_info_net(info), ifindex);
	if (dev)
		NL_SET_ERR_MSG_FMT(info->extack, "device %s %s", dev->name,
				   what);
	else
		NL_SET_ERR_MSG_FMT(info->extack,
				   "there is no device %d in this network namespace",
				   ifindex);
	rcu_read_unlock();
	return err;
}
EXPORT_SYMBOL_NS_GPL(weir_nl_refuse_dev, "WEIR");

/**
 * weir_nl_sees() - refuse a device whose packets no program sees
 * @info: the request
 * @attr: the attribute that holds its index
 * @ifindex: the device
 * @ethernet: the program expects an Ethernet header
 *
 * Return: 0, also where there is no such device; or -EOPNOTSUPP with the sentence set.
 */
int weir_nl_sees(struct genl_info *info, int attr, int ifindex, bool ethernet)
{
	const char *blind = NULL;
	struct net_device *dev;

	rcu_read_lock();
	dev = dev_get_by_index_rcu(genl_info_net(info), ifindex);
	if (dev)
		blind = weir_device_blind(dev, ethernet);
	rcu_read_unlock();
	return blind ? weir_nl_refuse_dev(info, attr, ifindex, -EOPNOTSUPP, blind) : 0;
}
EXPORT_SYMBOL_NS_GPL(weir_nl_sees, "WEIR");

/**
 * weir_nl_sees_vlan() - refuse a device whose VLAN tags rules may not see
 * @info: the request
 * @attr: the attribute that holds its index
 * @ifindex: the device
 *
 * Return: 0, also where there is no such device; or -EOPNOTSUPP with the sentence set.
 */
int weir_nl_sees_vlan(struct genl_info *info, int attr, int ifindex)
{
	struct net_device *dev;
	bool hides;

	rcu_read_lock();
	dev = dev_get_by_index_rcu(genl_info_net(info), ifindex);
	hides = dev && weir_device_hides_vlan(dev);
	rcu_read_unlock();
	if (!hides)
		return 0;
	return weir_nl_refuse_dev(info, attr, ifindex, -EOPNOTSUPP,
				  "hides VLAN tags: turn off rxvlan, and its peer's txvlan");
}
EXPORT_SYMBOL_NS_GPL(weir_nl_sees_vlan, "WEIR");

/**
 * weir_nl_refuse() - refuse a request for an attribute
 * @info: the request
 * @attr: the attribute, or NULL where the request has none
 * @err: the error to return
 * @msg: the sentence
 *
 * Return: @err.
 */
int weir_nl_refuse(struct genl_info *info, const struct nlattr *attr, int err,
		   const char *msg)
{
	if (attr)
		NL_SET_BAD_ATTR(info->extack, attr);
	NL_SET_ERR_MSG_FMT(info->extack, "%s", msg);
	return err;
}
EXPORT_SYMBOL_NS_GPL(weir_nl_refuse, "WEIR");

/**
 * weir_nl_changed() - mark dumps under way as inconsistent
 * @ns: the namespace, its lock held
 */
void weir_nl_changed(struct weir_ns *ns)
{
	lockdep_assert_held(&ns->lock);
	if (!++ns->seq)
		ns->seq = 1;
}
EXPORT_SYMBOL_NS_GPL(weir_nl_changed, "WEIR");

/**
 * weir_nl_begin() - start an object's message
 * @msg: the message
 *
 * Return: the header for genlmsg_end(), or NULL where there is no room.
 */
void *weir_nl_begin(const struct weir_nl_msg *msg)
{
	void *hdr = genlmsg_put(msg->skb, msg->portid, msg->seq,
				msg->family, msg->flags, msg->cmd);

	if (hdr && msg->cb)
		genl_dump_check_consistent(msg->cb, hdr);
	return hdr;
}
EXPORT_SYMBOL_NS_GPL(weir_nl_begin, "WEIR");

/**
 * weir_nl_dump_start() - set up a dump's messages
 * @ns: the namespace, its lock held
 * @cb: the dump
 * @msg: filled
 * @skb: the message that is written
 * @cmd: the family's command
 */
void weir_nl_dump_start(struct weir_ns *ns, struct netlink_callback *cb,
			struct weir_nl_msg *msg, struct sk_buff *skb, u8 cmd)
{
	lockdep_assert_held(&ns->lock);
	cb->seq = ns->seq;
	*msg = (struct weir_nl_msg) {
		.family	= genl_info_dump(cb)->family,
		.skb	= skb,
		.portid	= NETLINK_CB(cb->skb).portid,
		.seq	= cb->nlh->nlmsg_seq,
		.flags	= NLM_F_MULTI,
		.cmd	= cmd,
		.walks	= weir_nl_may_walk(cb->skb),
		.cb	= cb,
	};
}
EXPORT_SYMBOL_NS_GPL(weir_nl_dump_start, "WEIR");

/**
 * weir_nl_dump_devs() - dump objects of devices
 * @ns: the namespace
 * @skb: the message that is written
 * @cb: the dump; args[0] is the device where it continues, and args[1] is for @fill, 0 at first
 * @cmd: the family's command
 * @devs: by interface index
 * @fill: writes one, of a struct weir_nl_dev
 *
 * Sleeps. RTNL keeps the device notifier from removing objects meanwhile. Removal by
 * request holds the namespace's lock, as this does.
 *
 * Return: as a dump does.
 */
int weir_nl_dump_devs(struct weir_ns *ns, struct sk_buff *skb, struct netlink_callback *cb, u8 cmd,
		      struct xarray *devs,
		      int (*fill)(const struct weir_nl_msg *msg,
				  const void *obj))
{
	struct weir_nl_dev dev = { .net = ns->net };
	unsigned long ifindex = cb->args[0];
	struct weir_nl_msg msg;
	void *of;
	int err = 0;

	mutex_lock(&ns->lock);
	rtnl_lock();
	weir_nl_dump_start(ns, cb, &msg, skb, cmd);
	xa_for_each_start(devs, ifindex, of, cb->args[0]) {
		/* The device in the middle of which the last message ended may have gone. */
		if (cb->args[0] != ifindex)
			cb->args[1] = 0;
		cb->args[0] = ifindex;
		dev.of = of;
		err = fill(&msg, &dev);
		if (err)
			break;
		cb->args[0] = ifindex + 1;
	}
	rtnl_unlock();
	mutex_unlock(&ns->lock);
	return skb->len ?: err;
}
EXPORT_SYMBOL_NS_GPL(weir_nl_dump_devs, "WEIR");

/**
 * weir_nl_reply() - answer a request with one object
 * @info: the request
 * @cmd: the family's command
 * @fill: writes the object
 * @obj: for @fill
 *
 * Return: 0 or an error.
 */
int weir_nl_reply(struct genl_info *info, u8 cmd,
		  int (*fill)(const struct weir_nl_msg *msg, const void *obj),
		  const void *obj)
{
	struct weir_nl_msg msg = {
		.family	= info->family,
		.skb	= genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL),
		.portid	= info->snd_portid,
		.seq	= info->snd_seq,
		.cmd	= cmd,
		.walks	= info->user_ptr[0],
	};
	int err;

	if (!msg.skb)
		return -ENOMEM;
	err = fill(&msg, obj);
	if (err) {
		nlmsg_free(msg.skb);
		return err;
	}
	return genlmsg_reply(msg.skb, info);
}
EXPORT_SYMBOL_NS_GPL(weir_nl_reply, "WEIR");

/**
 * weir_nl_heard() - test whether the events group has a listener
 * @nl: the family
 * @ns: the namespace
 *
 * Any context.
 */
bool weir_nl_heard(const struct weir_nl *nl, const struct weir_ns *ns)
{
	return READ_ONCE(nl->up) && genl_has_listeners(nl->family, ns->net, WEIR_NL_EVENTS);
}
EXPORT_SYMBOL_NS_GPL(weir_nl_heard, "WEIR");

/**
 * weir_nl_lost() - have listeners of the events group read that they missed a message
 * @nl: the family
 * @ns: the namespace
 *
 * Any context, takes no memory. They read ENOBUFS, as slow listeners do.
 */
void weir_nl_lost(const struct weir_nl *nl, const struct weir_ns *ns)
{
	genl_set_err(nl->family, ns->net, 0, WEIR_NL_EVENTS, -ENOBUFS);
}
EXPORT_SYMBOL_NS_GPL(weir_nl_lost, "WEIR");

/**
 * weir_nl_notify() - tell the events group about an object
 * @nl: the family
 * @ns: the namespace
 * @cmd: the notification
 * @fill: writes the object
 * @obj: for @fill
 *
 * Sleeps. Does nothing without a listener.
 */
void weir_nl_notify(const struct weir_nl *nl, struct weir_ns *ns, u8 cmd,
		    int (*fill)(const struct weir_nl_msg *msg, const void *obj),
		    const void *obj)
{
	struct weir_nl_msg msg = { .family = nl->family, .cmd = cmd, .walks = true };

	if (!weir_nl_heard(nl, ns))
		return;
	msg.skb = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	if (!msg.skb || fill(&msg, obj)) {
		nlmsg_free(msg.skb);
		weir_nl_lost(nl, ns);
		return;
	}
	genlmsg_multicast_netns(nl->family, ns->net, msg.skb, 0, WEIR_NL_EVENTS, GFP_KERNEL);
}
EXPORT_SYMBOL_NS_GPL(weir_nl_notify, "WEIR");

/**
 * weir_nl_put_lateness() - write a histogram
 * @skb: the message
 * @attr: the attribute of a bucket
 * @lateness: of all CPUs
 *
 * Return: 0 or -EMSGSIZE.
 */
int weir_nl_put_lateness(struct sk_buff *skb, int attr,
			 const struct weir_lateness __percpu *lateness)
{
	unsigned int i;
	u64 sum;
	int cpu;

	for (i = 0; i < WEIR_LATENESS_BUCKETS; i++) {
		sum = 0;
		for_each_possible_cpu(cpu)
			sum += READ_ONCE(per_cpu_ptr(lateness, cpu)->bucket[i]);
		if (nla_put_uint(skb, attr, sum))
			return -EMSGSIZE;
	}
	return 0;
}
EXPORT_SYMBOL_NS_GPL(weir_nl_put_lateness, "WEIR");

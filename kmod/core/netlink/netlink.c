// SPDX-License-Identifier: GPL-2.0
/*
 * The generic netlink family: what all requests share. Objects have a file
 * each (netlink_job.c, netlink_source.c, netlink_port.c and so on); policies and the
 * operation table are generated from uapi/weir.yaml.
 *
 * A request holds its namespace's lock from pre_doit to post_doit, so the
 * objects that it finds stay.
 */
#include <linux/etherdevice.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/ipv6.h>
#include <net/sock.h>

#include "core/base/device.h"
#include "agg/base/link.h"
#include "agg/format/format.h"
#include "agg/job/job.h"
#include "core/netlink/netlink.h"
#include "xdp/netlink/flow.h"
#include "agg/slots/pool.h"
#include "trim/trims.h"
#include "agg/type/reduce.h"

/* Notifications may come from the data path and from device events. */
static bool weir_nl_up __read_mostly;

/*
 * May a request walk over all slots of a job? The walk holds the namespace's lock,
 * and requests may repeat it without end. So it takes the capability that deleting
 * the job takes.
 */
static bool weir_nl_may_walk(const struct sk_buff *request)
{
	return netlink_capable(request, CAP_NET_ADMIN);
}

int weir_nl_pre_doit(const struct genl_split_ops *ops, struct sk_buff *skb,
		     struct genl_info *info)
{
	info->user_ptr[0] = weir_nl_may_walk(skb) ? info : NULL;
	mutex_lock(&weir_nl_net(info)->lock);
	return 0;
}

void weir_nl_post_doit(const struct genl_split_ops *ops, struct sk_buff *skb,
		       struct genl_info *info)
{
	mutex_unlock(&weir_nl_net(info)->lock);
}

/**
 * weir_nl_job() - the job that a request names
 * @info: the request
 * @attr: the attribute that holds the job's id
 *
 * Return: the job, or an ERR_PTR with the sentence set.
 */
struct weir_job *weir_nl_job(struct genl_info *info, int attr)
{
	struct weir_job *job;

	if (!WEIR_NL_REQUIRE(info, attr, "say which job: its id is missing"))
		return ERR_PTR(-EINVAL);
	job = weir_job_get(weir_nl_net(info), nla_get_u32(info->attrs[attr]));
	if (job)
		return job;
	NL_SET_BAD_ATTR(info->extack, info->attrs[attr]);
	NL_SET_ERR_MSG_FMT(info->extack,
			   "there is no job %u in this network namespace",
			   nla_get_u32(info->attrs[attr]));
	return ERR_PTR(-ENOENT);
}

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

/**
 * weir_nl_family_of() - the address family that a job's sources must have
 * @job: the job
 */
enum weir_family weir_nl_family_of(const struct weir_job *job)
{
	if (job->format->link)
		return WEIR_FAMILY_LINK;
	return weir_local_is_ipv4(&job->local) ? WEIR_FAMILY_4 :
						 WEIR_FAMILY_6;
}

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

/**
 * weir_nl_addr() - an address from a request
 * @info: the request
 * @attr: the attribute, which is there
 * @family: the family that it must have
 * @group: it must be a multicast group (all zero is let through), else unicast
 * @addr: filled, IPv4 as IPv4-mapped
 *
 * Return: 0, or -EINVAL with the sentence set.
 */
int weir_nl_addr(struct genl_info *info, int attr, enum weir_family family,
		 bool group, struct in6_addr *addr)
{
	const struct nlattr *nla = info->attrs[attr];
	bool multicast, any, ipv4 = nla_len(nla) == sizeof(struct in_addr);

	if (!ipv4 && nla_len(nla) != sizeof(struct in6_addr))
		return weir_nl_refuse(info, nla, -EINVAL,
				      "an address has 4 bytes (IPv4) or 16 (IPv6)");
	if (family != WEIR_FAMILY_ANY && family != (ipv4 ? WEIR_FAMILY_4 : WEIR_FAMILY_6))
		return weir_nl_refuse(info, nla, -EINVAL,
				      family == WEIR_FAMILY_4 ?
				      "the job's addresses are IPv4" :
				      "the job's addresses are IPv6");
	if (ipv4) {
		__be32 a = nla_get_in_addr(nla);

		any = !a;
		multicast = ipv4_is_multicast(a);
		if (ipv4_is_lbcast(a))
			return weir_nl_refuse(info, nla, -EINVAL,
					      "the broadcast address cannot be used");
		/* None is all zero for either family. */
		if (any)
			memset(addr, 0, sizeof(*addr));
		else
			ipv6_addr_set_v4mapped(a, addr);
	} else {
		nla_memcpy(addr, nla, sizeof(*addr));
		any = ipv6_addr_any(addr);
		multicast = ipv6_addr_is_multicast(addr);
		if (!ipv6_mod_enabled())
			return weir_nl_refuse(info, nla, -EAFNOSUPPORT,
					      "this kernel has no IPv6 (ipv6.disable=1): use IPv4 addresses");
		if (ipv6_addr_v4mapped(addr))
			return weir_nl_refuse(info, nla, -EINVAL,
					      "write an IPv4 address as such, not as IPv4-mapped IPv6");
		if (weir_addr_is_link(addr))
			return weir_nl_refuse(info, nla, -EINVAL,
					      "no host has this address: 0000::/8 is reserved");
	}
	if (group && !multicast && !any)
		return weir_nl_refuse(info, nla, -EINVAL,
				      "the group is no multicast address");
	if (group && ipv6_addr_type(addr) & (IPV6_ADDR_LINKLOCAL |
					     IPV6_ADDR_LOOPBACK))
		return weir_nl_refuse(info, nla, -EINVAL,
				      "a group of one link or host has no route: take one of a wider scope, as ff15::1");
	if (!group && (multicast || any))
		return weir_nl_refuse(info, nla, -EINVAL,
				      "the address must be a unicast address");
	return 0;
}

/**
 * weir_nl_link_addr() - an Ethernet address from a request
 * @info: the request
 * @attr: the attribute, which is there
 * @all: it may be the broadcast address, else a station's
 * @addr: filled
 *
 * Return: 0, or -EINVAL with the sentence set.
 */
int weir_nl_link_addr(struct genl_info *info, int attr, bool all, struct in6_addr *addr)
{
	const struct nlattr *nla = info->attrs[attr];
	const u8 *mac = nla_data(nla);

	if (nla_len(nla) != ETH_ALEN)
		return weir_nl_refuse(info, nla, -EINVAL,
				      "an Ethernet address has 6 bytes");
	if (!is_valid_ether_addr(mac) && !(all && is_broadcast_ether_addr(mac)))
		return weir_nl_refuse(info, nla, -EINVAL, all ?
				      "frames go to one station, or to all: ff:ff:ff:ff:ff:ff" :
				      "the address must be that of one station");
	weir_addr_set_link(addr, mac);
	return 0;
}

/**
 * weir_nl_put_addr() - write an address, in the length of its family
 * @skb: the message
 * @attr: the attribute
 * @addr: IPv4 as IPv4-mapped
 */
int weir_nl_put_addr(struct sk_buff *skb, int attr,
		     const struct in6_addr *addr)
{
	if (ipv6_addr_v4mapped(addr))
		return nla_put_in_addr(skb, attr, addr->s6_addr32[3]);
	if (weir_addr_is_link(addr))
		return nla_put(skb, attr, ETH_ALEN, weir_addr_link(addr));
	return nla_put_in6_addr(skb, attr, addr);
}

/**
 * weir_nl_changed() - mark dumps under way as inconsistent
 * @wn: the namespace, its lock held
 */
void weir_nl_changed(struct weir_net *wn)
{
	lockdep_assert_held(&wn->lock);
	if (!++wn->seq)
		wn->seq = 1;
}

/**
 * weir_nl_begin() - start an object's message
 * @msg: where and as what
 *
 * Return: the header for genlmsg_end(), or NULL where there is no room.
 */
void *weir_nl_begin(const struct weir_nl_msg *msg)
{
	void *hdr = genlmsg_put(msg->skb, msg->portid, msg->seq,
				&weir_nl_family, msg->flags, msg->cmd);

	if (hdr && msg->cb)
		genl_dump_check_consistent(msg->cb, hdr);
	return hdr;
}

/**
 * weir_nl_dump_start() - set up a dump's messages
 * @wn: the namespace, its lock held
 * @cb: the dump
 * @msg: filled
 * @skb: where to
 * @cmd: WEIR_CMD_*
 */
void weir_nl_dump_start(struct weir_net *wn, struct netlink_callback *cb,
			struct weir_nl_msg *msg, struct sk_buff *skb, u8 cmd)
{
	lockdep_assert_held(&wn->lock);
	cb->seq = wn->seq;
	*msg = (struct weir_nl_msg) {
		.skb	= skb,
		.portid	= NETLINK_CB(cb->skb).portid,
		.seq	= cb->nlh->nlmsg_seq,
		.flags	= NLM_F_MULTI,
		.cmd	= cmd,
		.walks	= weir_nl_may_walk(cb->skb),
		.cb	= cb,
	};
}

/* The jobs that a dump goes through: from args[0] to @last. */
static int weir_nl_dump_range(struct netlink_callback *cb, struct weir_net *wn,
			      const struct nlattr *only, unsigned long *last)
{
	*last = WEIR_JOB_ID_MAX;
	if (!only)
		return 0;
	*last = nla_get_u32(only);
	if (cb->args[0] < *last)
		cb->args[0] = *last;
	if (weir_job_get(wn, *last))
		return 0;
	NL_SET_ERR_MSG_FMT(cb->extack,
			   "there is no job %lu in this network namespace",
			   *last);
	return -ENOENT;
}

/**
 * weir_nl_dump_jobs() - dump objects of jobs
 * @skb: where to
 * @cb: the dump; args[0] and args[1] are where it continues
 * @cmd: WEIR_CMD_*
 * @attr: attribute with a job's id, for a dump of one job
 * @dump: writes a job's objects from *@at on, which becomes the first that did not
 *	fit, or 0 where all did
 *
 * Sleeps. Return: as a dump does; -ENOENT, with the sentence set, where there is no
 * such job.
 */
int weir_nl_dump_jobs(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd,
		      int attr,
		      int (*dump)(const struct weir_nl_msg *msg,
				  struct weir_job *job, unsigned long *at))
{
	const struct nlattr *only = genl_info_dump(cb)->attrs[attr];
	struct weir_net *wn = weir_net(sock_net(skb->sk));
	struct weir_nl_msg msg;
	struct weir_job *job;
	unsigned long last;
	int err;

	mutex_lock(&wn->lock);
	weir_nl_dump_start(wn, cb, &msg, skb, cmd);
	err = weir_nl_dump_range(cb, wn, only, &last);
	for (; !err && cb->args[0] <= last; cb->args[0]++) {
		job = weir_job_get(wn, cb->args[0]);
		if (job)
			err = dump(&msg, job, (unsigned long *)&cb->args[1]);
		if (err)
			break;
	}
	mutex_unlock(&wn->lock);
	return skb->len ?: err;
}

/**
 * weir_nl_dump_devs() - dump objects of devices
 * @skb: where to
 * @cb: the dump; args[0] is the device where it continues
 * @cmd: WEIR_CMD_*
 * @devs: by interface index
 * @fill: writes one, of a struct weir_nl_dev
 *
 * Sleeps. RTNL keeps the device notifier from removing objects meanwhile. Removal by
 * request holds the namespace's lock, as this does.
 *
 * Return: as a dump does.
 */
int weir_nl_dump_devs(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd,
		      struct xarray *devs,
		      int (*fill)(const struct weir_nl_msg *msg,
				  const void *obj))
{
	struct weir_net *wn = weir_net(sock_net(skb->sk));
	struct weir_nl_dev dev = { .net = wn->net };
	unsigned long ifindex = cb->args[0];
	struct weir_nl_msg msg;
	void *of;
	int err = 0;

	mutex_lock(&wn->lock);
	rtnl_lock();
	weir_nl_dump_start(wn, cb, &msg, skb, cmd);
	xa_for_each_start(devs, ifindex, of, cb->args[0]) {
		dev.of = of;
		err = fill(&msg, &dev);
		if (err)
			break;
		cb->args[0] = ifindex + 1;
	}
	rtnl_unlock();
	mutex_unlock(&wn->lock);
	return skb->len ?: err;
}

/**
 * weir_nl_reply() - answer a request with one object
 * @info: the request
 * @cmd: WEIR_CMD_*
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

/**
 * weir_nl_heard() - has the events group a listener?
 * @wn: the namespace
 *
 * Any context.
 */
bool weir_nl_heard(const struct weir_net *wn)
{
	return READ_ONCE(weir_nl_up) &&
	       genl_has_listeners(&weir_nl_family, wn->net, WEIR_NLGRP_EVENTS);
}

/**
 * weir_nl_lost() - have listeners of the events group read that they missed a message
 * @wn: the namespace
 *
 * Any context, takes no memory. They read ENOBUFS, as slow listeners do.
 */
void weir_nl_lost(const struct weir_net *wn)
{
	genl_set_err(&weir_nl_family, wn->net, 0, WEIR_NLGRP_EVENTS, -ENOBUFS);
}

/**
 * weir_nl_notify() - tell the events group about an object
 * @wn: the namespace
 * @cmd: WEIR_CMD_*_NTF
 * @fill: writes the object
 * @obj: for @fill
 *
 * Sleeps. Does nothing without a listener.
 */
void weir_nl_notify(struct weir_net *wn, u8 cmd,
		    int (*fill)(const struct weir_nl_msg *msg, const void *obj),
		    const void *obj)
{
	struct weir_nl_msg msg = { .cmd = cmd, .walks = true };

	if (!weir_nl_heard(wn))
		return;
	msg.skb = genlmsg_new(NLMSG_GOODSIZE, GFP_KERNEL);
	if (!msg.skb || fill(&msg, obj)) {
		nlmsg_free(msg.skb);
		weir_nl_lost(wn);
		return;
	}
	genlmsg_multicast_netns(&weir_nl_family, wn->net, msg.skb, 0,
				WEIR_NLGRP_EVENTS, GFP_KERNEL);
}

static void weir_nl_totals(struct weir_net *wn, u32 *jobs, u32 *ports,
			   u64 *memory)
{
	unsigned long ifindex;
	unsigned int i;
	void *port;

	*jobs = 0;
	*ports = 0;
	*memory = 0;
	for (i = 0; i <= WEIR_JOB_ID_MAX; i++) {
		struct weir_job *job = weir_job_get(wn, i);

		if (!job)
			continue;
		(*jobs)++;
		*memory += job->memory;
	}
	xa_for_each(&wn->ports, ifindex, port)
		(*ports)++;
}

static int weir_nl_put_trim_totals(struct sk_buff *skb, struct weir_net *wn)
{
	struct weir_trim_totals totals;

	weir_trim_totals(wn, &totals);
	if (nla_put_uint(skb, WEIR_A_TOTAL_TRIM, totals.trim) ||
	    nla_put_uint(skb, WEIR_A_TOTAL_TX_TRIM, totals.tx_trim) ||
	    nla_put_uint(skb, WEIR_A_TOTAL_DROPPED_TRIM, totals.dropped_trim))
		return -EMSGSIZE;
	return 0;
}

static int weir_nl_fill_total(const struct weir_nl_msg *msg, const void *obj)
{
	struct weir_net *wn = (struct weir_net *)obj;
	struct sk_buff *skb = msg->skb;
	u32 jobs, ports;
	u64 memory;
	void *hdr;

	hdr = weir_nl_begin(msg);
	if (!hdr)
		return -EMSGSIZE;
	weir_nl_totals(wn, &jobs, &ports, &memory);
	if (nla_put_u32(skb, WEIR_A_TOTAL_JOBS, jobs) ||
	    nla_put_u32(skb, WEIR_A_TOTAL_PORTS, ports) ||
	    nla_put_uint(skb, WEIR_A_TOTAL_MEMORY, memory) ||
	    nla_put_uint(skb, WEIR_A_TOTAL_MEMORY_LIMIT, weir_pool_limit()) ||
	    nla_put_uint(skb, WEIR_A_TOTAL_MEMORY_USED, weir_pool_used()) ||
	    nla_put_string(skb, WEIR_A_TOTAL_REDUCTION, weir_reduce_unit()) ||
	    weir_stats_put(skb, WEIR_A_TOTAL_STATS, wn->stats) ||
	    weir_nl_put_trim_totals(skb, wn)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

int weir_nl_stats_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	int err;

	rtnl_lock();
	err = weir_nl_reply(info, WEIR_CMD_STATS_GET, weir_nl_fill_total,
			    weir_nl_net(info));
	rtnl_unlock();
	return err;
}

/**
 * weir_nl_init() - accept requests
 */
int weir_nl_init(void)
{
	int err;

	err = weir_nl_flow_init();
	if (err)
		return err;
	err = genl_register_family(&weir_nl_family);
	if (err)
		weir_nl_flow_uninit();
	else
		WRITE_ONCE(weir_nl_up, true);
	return err;
}

/**
 * weir_nl_uninit() - accept no request; requests under way have ended
 */
void weir_nl_uninit(void)
{
	WRITE_ONCE(weir_nl_up, false);
	genl_unregister_family(&weir_nl_family);
	weir_nl_flow_uninit();
}

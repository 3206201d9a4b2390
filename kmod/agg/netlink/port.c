// SPDX-License-Identifier: GPL-2.0
/* Netlink requests about ports. */
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/sock.h>

#include "agg/job/port.h"
#include "agg/netlink/netlink.h"

static int weir_nl_fill_port(const struct weir_nl_msg *msg, const void *obj)
{
	const struct weir_nl_dev *dev = obj;
	const struct weir_port *port = dev->of;
	struct sk_buff *skb = msg->skb;
	void *hdr;

	hdr = weir_nl_begin(msg);
	if (!hdr)
		return -EMSGSIZE;
	if (weir_nl_put_dev(skb, WEIR_A_PORT_IFINDEX, WEIR_A_PORT_IFNAME,
			    dev->net, port->ifindex) ||
	    nla_put_u32(skb, WEIR_A_PORT_MODE, READ_ONCE(port->mode)) ||
	    weir_stats_put(skb, WEIR_A_PORT_STATS, port->stats)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

/**
 * weir_nl_port_notify() - tell the events group about a port
 * @wn: the namespace
 * @port: the port, which stays while this runs
 * @cmd: WEIR_CMD_PORT_NTF or WEIR_CMD_PORT_DEL_NTF
 *
 * Sleeps.
 */
void weir_nl_port_notify(struct weir_net *wn, const struct weir_port *port,
			 u8 cmd)
{
	const struct weir_nl_dev dev = { .net = wn->ns.net, .of = port };

	weir_nl_notify(&weir_nl, &wn->ns, cmd, weir_nl_fill_port, &dev);
}

static u8 weir_nl_port_mode(struct genl_info *info)
{
	return info->attrs[WEIR_A_PORT_MODE] ?
	       nla_get_u32(info->attrs[WEIR_A_PORT_MODE]) : WEIR_MODE_XDP;
}

static int weir_nl_port_refuse(struct genl_info *info, int ifindex, int err,
			       const char *what)
{
	return weir_nl_refuse_dev(info, WEIR_A_PORT_IFINDEX, ifindex, err,
				  what);
}

int weir_nl_port_add_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_net *wn = weir_nl_net(info);
	struct net_device *dev;
	int ifindex, err;

	err = weir_nl_ifindex(info, WEIR_A_PORT_IFINDEX, &ifindex);
	err = err ?: weir_nl_sees(info, WEIR_A_PORT_IFINDEX, ifindex, true);
	if (err)
		return err;
	rtnl_lock();
	dev = __dev_get_by_index(wn->ns.net, ifindex);
	err = dev ? weir_port_add(wn, dev, weir_nl_port_mode(info)) : -ENODEV;
	if (!err) {
		weir_nl_changed(&wn->ns);
		weir_nl_port_notify(wn, weir_port_get(wn, ifindex),
				    WEIR_CMD_PORT_NTF);
	}
	rtnl_unlock();

	if (err == -ENODEV || err == -EEXIST)
		return weir_nl_port_refuse(info, ifindex, err,
					   "is a weir port already");
	return err;
}

int weir_nl_port_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_net *wn = weir_nl_net(info);
	struct weir_port *port;
	int ifindex, err;

	err = weir_nl_ifindex(info, WEIR_A_PORT_IFINDEX, &ifindex);
	if (err)
		return err;
	if (!WEIR_NL_REQUIRE(info, WEIR_A_PORT_MODE,
			     "nothing to change: say mode"))
		return -EINVAL;
	rtnl_lock();
	port = weir_port_get(wn, ifindex);
	if (port) {
		WRITE_ONCE(port->mode, weir_nl_port_mode(info));
		weir_nl_changed(&wn->ns);
		weir_nl_port_notify(wn, port, WEIR_CMD_PORT_NTF);
	}
	rtnl_unlock();
	return port ? 0 : weir_nl_port_refuse(info, ifindex, -ENOENT,
					      "is no weir port");
}

int weir_nl_port_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_net *wn = weir_nl_net(info);
	int ifindex, err;
	bool gone;

	err = weir_nl_ifindex(info, WEIR_A_PORT_IFINDEX, &ifindex);
	if (err)
		return err;
	rtnl_lock();
	gone = weir_port_del(wn, ifindex);
	rtnl_unlock();
	if (!gone)
		return weir_nl_port_refuse(info, ifindex, -ENOENT,
					   "is no weir port");
	weir_nl_changed(&wn->ns);
	return 0;
}

int weir_nl_port_flush_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_net *wn = weir_nl_net(info);

	weir_port_flush(genl_info_net(info));
	weir_nl_changed(&wn->ns);
	return 0;
}

int weir_nl_port_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_net *wn = weir_nl_net(info);
	struct weir_nl_dev dev = { .net = wn->ns.net };
	int ifindex, err;

	err = weir_nl_ifindex(info, WEIR_A_PORT_IFINDEX, &ifindex);
	if (err)
		return err;
	rtnl_lock();
	dev.of = weir_port_get(wn, ifindex);
	err = dev.of ? weir_nl_reply(info, WEIR_CMD_PORT_GET,
				     weir_nl_fill_port, &dev) :
		       weir_nl_port_refuse(info, ifindex, -ENOENT,
					   "is no weir port");
	rtnl_unlock();
	return err;
}

int weir_nl_port_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct weir_net *wn = weir_net(sock_net(skb->sk));

	return weir_nl_dump_devs(&wn->ns, skb, cb, WEIR_CMD_PORT_GET, &wn->ports,
				 weir_nl_fill_port);
}

// SPDX-License-Identifier: GPL-2.0
/* Netlink requests about chains. */
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/sock.h>

#include "xdp/chain/chain.h"
#include "xdp/netlink/netlink.h"

/**
 * struct weir_nl_place - a program of a chain, with its namespace
 * @net: the namespace
 * @ifindex: the chain's device
 * @place: the program
 */
struct weir_nl_place {
	struct net			*net;
	int				ifindex;
	const struct weir_chain_place	*place;
};

static const int weir_nl_verdict[WEIR_MEMBER_VERDICTS] = {
	[XDP_ABORTED]	= WEIR_A_CHAIN_STATS_ABORTED,
	[XDP_DROP]	= WEIR_A_CHAIN_STATS_DROP,
	[XDP_PASS]	= WEIR_A_CHAIN_STATS_PASS,
	[XDP_TX]	= WEIR_A_CHAIN_STATS_TX,
	[XDP_REDIRECT]	= WEIR_A_CHAIN_STATS_REDIRECT,
};

static int weir_nl_put_member_stats(struct sk_buff *skb, const struct weir_member *member)
{
	struct nlattr *nest = nla_nest_start(skb, WEIR_A_CHAIN_STATS);
	struct weir_member_count sum;
	int i;

	if (!nest)
		return -EMSGSIZE;
	weir_member_sum(member, &sum);
	for (i = 0; i < WEIR_MEMBER_VERDICTS; i++)
		if (nla_put_uint(skb, weir_nl_verdict[i], sum.verdict[i]))
			return -EMSGSIZE;
	if (nla_put_uint(skb, WEIR_A_CHAIN_STATS_TIMED, sum.timed) ||
	    nla_put_uint(skb, WEIR_A_CHAIN_STATS_TIME, sum.time))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int weir_nl_put_text(struct sk_buff *skb, int attr, const char *text)
{
	return text ? nla_put_string(skb, attr, text) : 0;
}

static u32 weir_nl_chain_part(u32 prio)
{
	switch (prio) {
	case WEIR_XDP_CHAIN_PRIO_FLOW:
		return WEIR_XDP_CHAIN_PART_FLOW;
	case WEIR_XDP_CHAIN_PRIO_FILTER:
		return WEIR_XDP_CHAIN_PART_FILTER;
	case WEIR_XDP_CHAIN_PRIO_SUM:
		return WEIR_XDP_CHAIN_PART_SUM;
	case WEIR_XDP_CHAIN_PRIO_ORDER:
		return WEIR_XDP_CHAIN_PART_ORDER;
	case WEIR_XDP_CHAIN_PRIO_FORWARD:
		return WEIR_XDP_CHAIN_PART_FORWARD;
	default:
		return WEIR_XDP_CHAIN_PART_PROGRAM;
	}
}

static int weir_nl_put_member(struct sk_buff *skb, const struct weir_member *member)
{
	const struct bpf_prog_aux *aux = member->prog->aux;

	if (weir_nl_put_text(skb, WEIR_A_CHAIN_FILE, member->text.file) ||
	    weir_nl_put_text(skb, WEIR_A_CHAIN_SECTION, member->text.section) ||
	    nla_put_u32(skb, WEIR_A_CHAIN_PROGRAM, aux->id) ||
	    nla_put_string(skb, WEIR_A_CHAIN_NAME, aux->name) ||
	    (weir_member_has_frags(member) && nla_put_flag(skb, WEIR_A_CHAIN_FRAGS)))
		return -EMSGSIZE;
	return weir_nl_put_member_stats(skb, member);
}

static int weir_nl_fill_place(const struct weir_nl_msg *msg, const void *obj)
{
	const struct weir_nl_place *of = obj;
	struct sk_buff *skb = msg->skb;
	void *hdr;

	hdr = weir_nl_begin(msg);
	if (!hdr)
		return -EMSGSIZE;
	if (weir_nl_put_dev(skb, WEIR_A_CHAIN_IFINDEX, WEIR_A_CHAIN_IFNAME, of->net, of->ifindex) ||
	    nla_put_u32(skb, WEIR_A_CHAIN_PRIO, of->place->prio) ||
	    nla_put_u32(skb, WEIR_A_CHAIN_PART, weir_nl_chain_part(of->place->prio)) ||
	    weir_nl_put_member(skb, of->place->member)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

/**
 * weir_nl_chain_notify() - tell the events group about a program of a chain
 * @wn: the namespace
 * @xd: entry of the device that has the chain
 * @place: the program, which stays while this runs
 * @cmd: WEIR_XDP_CMD_CHAIN_NTF or WEIR_XDP_CMD_CHAIN_DEL_NTF
 *
 * Sleeps.
 */
void weir_nl_chain_notify(struct weir_xdp_net *wn, const struct weir_xdp_dev *xd,
			  const struct weir_chain_place *place, u8 cmd)
{
	const struct weir_nl_place of = { wn->ns.net, xd->ifindex, place };

	weir_nl_notify(&weir_xdp_nl, &wn->ns, cmd, weir_nl_fill_place, &of);
}

/**
 * struct weir_nl_chain_req - what a request about a chain says
 * @info: the request
 * @wn: its namespace
 * @ifindex: the device
 * @prio: the place
 */
struct weir_nl_chain_req {
	struct genl_info	*info;
	struct weir_xdp_net		*wn;
	int			ifindex;
	u32			prio;
};

static int weir_nl_chain_req(struct weir_nl_chain_req *req, struct genl_info *info)
{
	int err;

	req->info = info;
	req->wn = weir_xdp_nl_net(info);
	err = weir_nl_ifindex(info, WEIR_A_CHAIN_IFINDEX, &req->ifindex);
	if (err)
		return err;
	if (!WEIR_NL_REQUIRE(info, WEIR_A_CHAIN_PRIO, "say which place: its prio is missing"))
		return -EINVAL;
	req->prio = nla_get_u32(info->attrs[WEIR_A_CHAIN_PRIO]);
	return 0;
}

/* The sentence for an error that the chain has returned. */
static int weir_nl_chain_refuse(const struct weir_nl_chain_req *req, int err, u32 prio)
{
	struct genl_info *info = req->info;

	switch (err) {
	case -ENODEV:
		return weir_nl_refuse_dev(info, WEIR_A_CHAIN_IFINDEX, req->ifindex, err, "is gone");
	case -ENOENT:
		NL_SET_BAD_ATTR(info->extack, info->attrs[WEIR_A_CHAIN_PRIO]);
		NL_SET_ERR_MSG_FMT(info->extack, "no program of a chain has prio %u on this device",
				   prio);
		return err;
	case -EEXIST:
		NL_SET_ERR_MSG_FMT(info->extack,
				   "the chain has a program with prio %u already", prio);
		return err;
	case -E2BIG:
		NL_SET_ERR_MSG_FMT(info->extack, "a chain has %d programs at most",
				   WEIR_XDP_CHAIN_MEMBERS_MAX);
		return err;
	default:
		return err;
	}
}

static const char *weir_nl_chain_text(struct genl_info *info, int attr)
{
	return info->attrs[attr] ? nla_data(info->attrs[attr]) : NULL;
}

static struct weir_member *weir_nl_chain_member(struct genl_info *info)
{
	const struct weir_member_text text = {
		.file = weir_nl_chain_text(info, WEIR_A_CHAIN_FILE),
		.section = weir_nl_chain_text(info, WEIR_A_CHAIN_SECTION),
	};

	return weir_member_make(nla_get_u32(info->attrs[WEIR_A_CHAIN_FD]), &text, info->extack);
}

/* Tell listeners about a change. */
static void weir_nl_chain_changed(const struct weir_nl_chain_req *req, u32 prio)
{
	const struct weir_xdp_dev *xd = weir_chain_get(req->wn, req->ifindex);

	weir_nl_changed(&req->wn->ns);
	weir_nl_chain_notify(req->wn, xd, weir_chain_place(xd, prio), WEIR_XDP_CMD_CHAIN_NTF);
}

static int weir_nl_chain_add(const struct weir_nl_chain_req *req, struct weir_member *member)
{
	struct net_device *dev;
	int err;

	err = weir_member_counts(member);
	if (err)
		return err;
	rtnl_lock();
	dev = __dev_get_by_index(req->wn->ns.net, req->ifindex);
	err = dev ? weir_chain_add(req->wn, dev, req->prio, member) : -ENODEV;
	if (!err)
		weir_nl_chain_changed(req, req->prio);
	rtnl_unlock();
	return err;
}

int weir_xdp_nl_chain_add_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_nl_chain_req req;
	struct weir_member *member;
	int err;

	err = weir_nl_chain_req(&req, info);
	/* Users' programs may expect packets without an Ethernet header, unlike weir's own. */
	err = err ?: weir_nl_sees(info, WEIR_A_CHAIN_IFINDEX, req.ifindex,
				  weir_nl_chain_part(req.prio) != WEIR_XDP_CHAIN_PART_PROGRAM);
	if (err)
		return err;
	if (!WEIR_NL_REQUIRE(info, WEIR_A_CHAIN_FD, "say which program: its fd is missing"))
		return -EINVAL;
	member = weir_nl_chain_member(info);
	if (IS_ERR(member))
		return PTR_ERR(member);
	err = weir_nl_chain_add(&req, member);
	if (!err)
		return 0;
	weir_member_free(member);
	return weir_nl_chain_refuse(&req, err, req.prio);
}

/* @member: NULL where the program stays. */
static int weir_nl_chain_set(const struct weir_nl_chain_req *req, struct weir_member *member,
			     u32 to)
{
	struct weir_xdp_dev *xd;
	int err;

	rtnl_lock();
	xd = weir_chain_get(req->wn, req->ifindex);
	if (!xd)
		err = -ENOENT;
	else if (member)
		err = weir_chain_replace(xd, req->prio, member, to);
	else
		err = weir_chain_move(xd, req->prio, to);
	if (!err)
		weir_nl_chain_changed(req, to);
	rtnl_unlock();
	return err;
}

int weir_xdp_nl_chain_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct nlattr **attrs = info->attrs;
	struct weir_member *member = NULL;
	struct weir_nl_chain_req req;
	int err;
	u32 to;

	err = weir_nl_chain_req(&req, info);
	if (err)
		return err;
	to = attrs[WEIR_A_CHAIN_TO] ? nla_get_u32(attrs[WEIR_A_CHAIN_TO]) : req.prio;
	if (to != req.prio && (weir_nl_chain_part(to) || weir_nl_chain_part(req.prio)))
		return weir_nl_refuse(info, attrs[WEIR_A_CHAIN_TO], -EINVAL,
				      "weir's own programs have their places");
	if (!attrs[WEIR_A_CHAIN_FD] && !attrs[WEIR_A_CHAIN_TO])
		return weir_nl_refuse(info, NULL, -EINVAL, "nothing to change: say fd or to");
	if (attrs[WEIR_A_CHAIN_FD]) {
		member = weir_nl_chain_member(info);
		if (IS_ERR(member))
			return PTR_ERR(member);
	}
	err = weir_nl_chain_set(&req, member, to);
	if (!err)
		return 0;
	if (member)
		weir_member_free(member);
	return weir_nl_chain_refuse(&req, err, err == -EEXIST ? to : req.prio);
}

int weir_xdp_nl_chain_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_nl_chain_req req;
	struct weir_xdp_dev *xd;
	int err;

	err = weir_nl_chain_req(&req, info);
	if (err)
		return err;
	rtnl_lock();
	xd = weir_chain_get(req.wn, req.ifindex);
	err = xd ? weir_chain_del(req.wn, xd, req.prio) : -ENOENT;
	rtnl_unlock();
	if (err)
		return weir_nl_chain_refuse(&req, err, req.prio);
	weir_nl_changed(&req.wn->ns);
	return 0;
}

int weir_xdp_nl_chain_flush_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_xdp_net *wn = weir_xdp_nl_net(info);

	weir_chain_flush(wn->ns.net);
	weir_nl_changed(&wn->ns);
	return 0;
}

int weir_xdp_nl_chain_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_nl_place of = {};
	struct weir_nl_chain_req req;
	struct weir_xdp_dev *xd;
	int err;

	err = weir_nl_chain_req(&req, info);
	if (err)
		return err;
	of.net = req.wn->ns.net;
	of.ifindex = req.ifindex;
	rtnl_lock();
	xd = weir_chain_get(req.wn, req.ifindex);
	of.place = xd ? weir_chain_place(xd, req.prio) : NULL;
	err = of.place ? weir_nl_reply(info, WEIR_XDP_CMD_CHAIN_GET, weir_nl_fill_place, &of) :
			 weir_nl_chain_refuse(&req, -ENOENT, req.prio);
	rtnl_unlock();
	return err;
}

/*
 * A chain's programs, from the place in args[1] of the dump on, which becomes that of the first
 * that did not fit, or 0.
 */
static int weir_nl_fill_chain(const struct weir_nl_msg *msg, const void *obj)
{
	const struct weir_nl_dev *dev = obj;
	const struct weir_xdp_dev *xd = dev->of;
	const struct weir_chain_list *list = weir_chain_list(xd);
	struct weir_nl_place of = { .net = dev->net, .ifindex = xd->ifindex };
	long *prio = &msg->cb->args[1];
	u32 i;
	int err;

	for (i = 0; list && i < list->count; i++) {
		of.place = &list->place[i];
		if (of.place->prio < *prio)
			continue;
		*prio = of.place->prio;
		err = weir_nl_fill_place(msg, &of);
		if (err)
			return err;
	}
	*prio = 0;
	return 0;
}

int weir_xdp_nl_chain_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct weir_xdp_net *wn = weir_xdp_net(sock_net(skb->sk));

	return weir_nl_dump_devs(&wn->ns, skb, cb, WEIR_XDP_CMD_CHAIN_GET, &wn->devs,
				 weir_nl_fill_chain);
}

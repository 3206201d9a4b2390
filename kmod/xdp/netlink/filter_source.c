// SPDX-License-Identifier: GPL-2.0
/* The sources that a rule of a filter knows: listed, and told of. */
#include <linux/etherdevice.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/rtnetlink.h>
#include <net/sock.h>

#include "xdp/filter/filter.h"
#include "xdp/filter/sources.h"
#include "xdp/netlink/netlink.h"

/**
 * struct weir_nl_source_seen - a source, with the rule that knows it
 * @owner: the rule
 * @seen: the source
 */
struct weir_nl_source_seen {
	const struct weir_sources_owner	*owner;
	const struct weir_sources_seen	*seen;
};

static int weir_nl_put_source_mac(struct sk_buff *skb, u64 addr)
{
	u8 mac[ETH_ALEN];

	u64_to_ether_addr(addr, mac);
	return nla_put(skb, WEIR_A_FILTER_SOURCE_ADDRESS, sizeof(mac), mac);
}

static int weir_nl_put_source_addr(struct sk_buff *skb, const struct weir_source_key *key)
{
	struct in6_addr addr = {};

	switch (key->kind) {
	case WEIR_SOURCE_IPV4:
		return nla_put(skb, WEIR_A_FILTER_SOURCE_ADDRESS, sizeof(struct in_addr),
			       &key->addr);
	case WEIR_SOURCE_IPV6:
		memcpy(&addr, &key->addr, sizeof(key->addr));
		return nla_put_in6_addr(skb, WEIR_A_FILTER_SOURCE_ADDRESS, &addr);
	case WEIR_SOURCE_LOCAL:
		addr.s6_addr32[0] = htonl(0xfe800000);
		memcpy(&addr.s6_addr32[2], &key->addr, sizeof(key->addr));
		return nla_put_in6_addr(skb, WEIR_A_FILTER_SOURCE_ADDRESS, &addr);
	default:
		return weir_nl_put_source_mac(skb, key->addr);
	}
}

static int weir_nl_put_source_seen(struct sk_buff *skb, const struct weir_sources_seen *seen)
{
	if (nla_put_u32(skb, WEIR_A_FILTER_SOURCE_STATE, seen->state))
		return -EMSGSIZE;
	if (seen->others)
		return nla_put_u32(skb, WEIR_A_FILTER_SOURCE_OTHERS, seen->others);
	if (weir_nl_put_source_addr(skb, &seen->key) ||
	    (seen->key.vlan && nla_put_u32(skb, WEIR_A_FILTER_SOURCE_VLAN, seen->key.vlan)) ||
	    (seen->left && nla_put_u32(skb, WEIR_A_FILTER_SOURCE_LEFT,
				       div_u64(seen->left, NSEC_PER_USEC))))
		return -EMSGSIZE;
	return nla_put_uint(skb, WEIR_A_FILTER_SOURCE_DROPPED, seen->dropped);
}

static int weir_nl_fill_source_seen(const struct weir_nl_msg *msg, const void *obj)
{
	const struct weir_nl_source_seen *of = obj;
	struct sk_buff *skb = msg->skb;
	void *hdr;

	hdr = weir_nl_begin(msg);
	if (!hdr)
		return -EMSGSIZE;
	if (weir_nl_put_dev(skb, WEIR_A_FILTER_SOURCE_IFINDEX, WEIR_A_FILTER_SOURCE_IFNAME,
			    of->owner->wn->ns.net, of->owner->ifindex) ||
	    nla_put_u32(skb, WEIR_A_FILTER_SOURCE_PRIO, of->owner->prio) ||
	    weir_nl_put_source_seen(skb, of->seen)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

/**
 * weir_nl_filter_source_notify() - tell the events group about a source
 * @owner: the rule that knows it
 * @seen: the source
 *
 * Sleeps.
 */
void weir_nl_filter_source_notify(const struct weir_sources_owner *owner,
				  const struct weir_sources_seen *seen)
{
	const struct weir_nl_source_seen of = { owner, seen };

	weir_nl_notify(&weir_xdp_nl, &owner->wn->ns, WEIR_XDP_CMD_FILTER_SOURCE_NTF,
		       weir_nl_fill_source_seen, &of);
}

/**
 * struct weir_nl_source_list - a dump of sources
 * @msg: the message
 * @owner: the rule that knows them
 */
struct weir_nl_source_list {
	struct weir_nl_msg		msg;
	struct weir_sources_owner	owner;
};

static int weir_nl_list_source(void *to, const struct weir_sources_seen *seen)
{
	const struct weir_nl_source_list *list = to;
	const struct weir_nl_source_seen of = { &list->owner, seen };

	return weir_nl_fill_source_seen(&list->msg, &of);
}

/* The sources of the rule that a dump names, or an ERR_PTR with the sentence set. */
static struct weir_sources *weir_nl_find_sources(struct netlink_callback *cb,
						 struct weir_sources_owner *owner)
{
	struct nlattr **attrs = genl_info_dump(cb)->attrs;
	struct weir_filter_rule *rule;
	struct weir_filter *filter;

	if (!attrs[WEIR_A_FILTER_SOURCE_IFINDEX] || !attrs[WEIR_A_FILTER_SOURCE_PRIO]) {
		NL_SET_ERR_MSG_FMT(cb->extack, "say which rule: by ifindex and prio");
		return ERR_PTR(-EINVAL);
	}
	owner->ifindex = nla_get_u32(attrs[WEIR_A_FILTER_SOURCE_IFINDEX]);
	owner->prio = nla_get_u32(attrs[WEIR_A_FILTER_SOURCE_PRIO]);
	filter = weir_filter_find(owner->wn, owner->ifindex);
	rule = filter ? weir_filter_rule(filter, owner->prio) : NULL;
	if (!rule) {
		NL_SET_ERR_MSG_FMT(cb->extack, "no rule of a filter has prio %u on this device",
				   owner->prio);
		return ERR_PTR(-ENOENT);
	}
	if (!rule->sources) {
		NL_SET_ERR_MSG_FMT(cb->extack, "rule %u tells no sources apart", owner->prio);
		return ERR_PTR(-EINVAL);
	}
	return rule->sources;
}

int weir_xdp_nl_filter_source_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct weir_nl_source_list list = { .owner.wn = weir_xdp_net(sock_net(skb->sk)) };
	struct weir_xdp_net *wn = list.owner.wn;
	struct weir_sources *sources;
	int err;

	mutex_lock(&wn->ns.lock);
	weir_nl_dump_start(&wn->ns, cb, &list.msg, skb, WEIR_XDP_CMD_FILTER_SOURCE_GET);
	sources = weir_nl_find_sources(cb, &list.owner);
	err = PTR_ERR_OR_ZERO(sources);
	if (!err)
		err = weir_sources_dump(sources, &cb->args[0], weir_nl_list_source, &list);
	mutex_unlock(&wn->ns.lock);
	return skb->len ?: err;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The netlink family of trimming: what its requests share, and the namespace's totals. Policies
 * and queues have a file each.
 */
#include <linux/rtnetlink.h>
#include <uapi/weir.h>

#include "trim/netlink/netlink.h"
#include "trim/trims.h"

static_assert(WEIR_TRIM_NLGRP_EVENTS == WEIR_NL_EVENTS);

struct weir_nl weir_trim_nl = { .family = &weir_trim_nl_family };

int weir_trim_nl_pre_doit(const struct genl_split_ops *ops, struct sk_buff *skb,
			  struct genl_info *info)
{
	weir_nl_lock(&weir_trim_nl_net(info)->ns, skb, info);
	return 0;
}

void weir_trim_nl_post_doit(const struct genl_split_ops *ops, struct sk_buff *skb,
			    struct genl_info *info)
{
	mutex_unlock(&weir_trim_nl_net(info)->ns.lock);
}

static int weir_trim_nl_fill_total(const struct weir_nl_msg *msg, const void *obj)
{
	struct weir_trim_net *wn = (struct weir_trim_net *)obj;
	struct weir_trim_totals totals;
	struct sk_buff *skb = msg->skb;
	void *hdr;

	hdr = weir_nl_begin(msg);
	if (!hdr)
		return -EMSGSIZE;
	weir_trim_totals(wn, &totals);
	if (nla_put_uint(skb, WEIR_A_TRIM_TOTAL_TRIM, totals.trim) ||
	    nla_put_uint(skb, WEIR_A_TRIM_TOTAL_TX_TRIM, totals.tx_trim) ||
	    nla_put_uint(skb, WEIR_A_TRIM_TOTAL_DROPPED_TRIM, totals.dropped_trim)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

int weir_trim_nl_total_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	int err;

	rtnl_lock();
	err = weir_nl_reply(info, WEIR_CMD_TRIM_TOTAL_GET, weir_trim_nl_fill_total,
			    weir_trim_nl_net(info));
	rtnl_unlock();
	return err;
}

/* The attribute set device is that of the family weir. */
static_assert((int)WEIR_A_TRIM_DEVICE_IFINDEX == WEIR_A_DEVICE_IFINDEX);
static_assert((int)WEIR_A_TRIM_DEVICE_MAX == WEIR_A_DEVICE_MAX);

int weir_trim_nl_device_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return weir_nl_device(info, WEIR_CMD_TRIM_DEVICE_GET);
}

/**
 * weir_trim_nl_init() - accept requests
 */
int weir_trim_nl_init(void)
{
	return weir_nl_start(&weir_trim_nl);
}

/**
 * weir_trim_nl_uninit() - accept no request; requests under way have ended
 */
void weir_trim_nl_uninit(void)
{
	weir_nl_stop(&weir_trim_nl);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The netlink family of chains, filters, flow records and orders: what its requests share.
 * Objects have a file each.
 */
#include <uapi/weir.h>
#include <uapi/weir_xdp_nl.h>
#include <uapi/weir_trim_nl.h>

#include "xdp/netlink/flow.h"
#include "xdp/netlink/netlink.h"

static_assert(WEIR_XDP_NLGRP_EVENTS == WEIR_NL_EVENTS);
/* core/netlink reads and writes these sets, by the names that other families have for them. */
static_assert((int)WEIR_XDP_A_RATE_MAX == WEIR_A_RATE_MAX);
static_assert((int)WEIR_XDP_A_RULE_MAX == WEIR_A_TRIM_RULE_MAX);

struct weir_nl weir_xdp_nl = { .family = &weir_xdp_nl_family };

int weir_xdp_nl_pre_doit(const struct genl_split_ops *ops, struct sk_buff *skb,
			 struct genl_info *info)
{
	weir_nl_lock(&weir_xdp_nl_net(info)->ns, skb, info);
	return 0;
}

void weir_xdp_nl_post_doit(const struct genl_split_ops *ops, struct sk_buff *skb,
			   struct genl_info *info)
{
	mutex_unlock(&weir_xdp_nl_net(info)->ns.lock);
}

/**
 * weir_xdp_nl_init() - accept requests
 *
 * Return: 0 or an error.
 */
int weir_xdp_nl_init(void)
{
	int err;

	err = weir_nl_flow_init();
	if (err)
		return err;
	err = weir_nl_start(&weir_xdp_nl);
	if (err)
		weir_nl_flow_uninit();
	return err;
}

/**
 * weir_xdp_nl_uninit() - accept no request; requests under way have ended
 */
void weir_xdp_nl_uninit(void)
{
	weir_nl_stop(&weir_xdp_nl);
	weir_nl_flow_uninit();
}

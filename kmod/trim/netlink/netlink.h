/* SPDX-License-Identifier: GPL-2.0 */
/* The netlink family of trimming. */
#ifndef _WEIR_TRIM_NETLINK_H
#define _WEIR_TRIM_NETLINK_H

#include "core/netlink/netlink.h"
#include "trim/net.h"
#include "trim/netlink/gen.h"

struct weir_trim;
struct weir_trim_config;

extern struct weir_nl weir_trim_nl;

static inline struct weir_trim_net *weir_trim_nl_net(struct genl_info *info)
{
	return weir_trim_net(genl_info_net(info));
}

int weir_trim_nl_init(void);
void weir_trim_nl_uninit(void);
void weir_trim_nl_notify(struct weir_trim_net *wn, const struct weir_trim *trim, u8 cmd);

/* rules.c */
int weir_trim_nl_rules(struct genl_info *info, struct weir_trim_config *config);
int weir_trim_nl_put_rules(struct sk_buff *skb,
			   const struct weir_trim_config *config);

#endif /* _WEIR_TRIM_NETLINK_H */

/* SPDX-License-Identifier: GPL-2.0 */
/* The netlink family of aggregation. */
#ifndef _WEIR_AGG_NETLINK_H
#define _WEIR_AGG_NETLINK_H

#include <linux/in6.h>

#include "agg/base/net.h"
#include "agg/netlink/gen.h"
#include "core/netlink/netlink.h"

struct weir_job;
struct weir_port;

/**
 * enum weir_family - which address family an attribute must have
 * @WEIR_FAMILY_ANY: either of IPv4 and IPv6
 * @WEIR_FAMILY_4: IPv4
 * @WEIR_FAMILY_6: IPv6
 * @WEIR_FAMILY_LINK: an Ethernet address
 */
enum weir_family { WEIR_FAMILY_ANY, WEIR_FAMILY_4, WEIR_FAMILY_6, WEIR_FAMILY_LINK };

extern struct weir_nl weir_nl;

static inline struct weir_net *weir_nl_net(struct genl_info *info)
{
	return weir_net(genl_info_net(info));
}

int weir_nl_init(void);
void weir_nl_uninit(void);
void weir_nl_port_notify(struct weir_net *wn, const struct weir_port *port,
			 u8 cmd);
struct weir_job *weir_nl_job(struct genl_info *info, int attr);
int weir_nl_dump_jobs(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd,
		      int attr,
		      int (*dump)(const struct weir_nl_msg *msg,
				  struct weir_job *job, unsigned long *at));
int weir_nl_bound_dev(struct genl_info *info, int a, int *ifindex);

/* addr.c */
int weir_nl_addr(struct genl_info *info, int attr, enum weir_family family,
		 bool group, struct in6_addr *addr);
int weir_nl_link_addr(struct genl_info *info, int attr, bool all, struct in6_addr *addr);
int weir_nl_put_addr(struct sk_buff *skb, int attr,
		     const struct in6_addr *addr);
enum weir_family weir_nl_family_of(const struct weir_job *job);

#endif /* _WEIR_AGG_NETLINK_H */

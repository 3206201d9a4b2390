/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_NETLINK_H
#define _WEIR_NETLINK_H

#include <linux/in6.h>
#include <net/genetlink.h>

#include "core/base/compat.h"
#include "core/base/net.h"
#include "agg/netlink/gen.h"

struct weir_chain;
struct weir_chain_place;
struct weir_filter_rule;
struct weir_reorder;
struct weir_job;
struct weir_lateness;
struct weir_port;
struct weir_rate_config;
struct weir_source;
struct weir_sources_owner;
struct weir_sources_seen;
struct weir_trim;

int weir_nl_init(void);
void weir_nl_uninit(void);

bool weir_nl_heard(const struct weir_net *wn);
void weir_nl_lost(const struct weir_net *wn);
void weir_nl_port_notify(struct weir_net *wn, const struct weir_port *port,
			 u8 cmd);
void weir_nl_chain_notify(struct weir_net *wn, const struct weir_chain *chain,
			  const struct weir_chain_place *place, u8 cmd);
void weir_nl_filter_notify(struct weir_net *wn, int ifindex, const struct weir_filter_rule *rule,
			   u8 cmd);
void weir_nl_filter_source_notify(const struct weir_sources_owner *owner,
				  const struct weir_sources_seen *seen);
void weir_nl_order_notify(struct weir_net *wn, const struct weir_reorder *order, u8 cmd);
void weir_nl_trim_notify(struct weir_net *wn, const struct weir_trim *trim,
			 u8 cmd);

/* Shared by the netlink_*.c files. */

/**
 * enum weir_family - which address family an attribute must have
 * @WEIR_FAMILY_ANY: either of IPv4 and IPv6
 * @WEIR_FAMILY_4: IPv4
 * @WEIR_FAMILY_6: IPv6
 * @WEIR_FAMILY_LINK: an Ethernet address
 */
enum weir_family { WEIR_FAMILY_ANY, WEIR_FAMILY_4, WEIR_FAMILY_6, WEIR_FAMILY_LINK };

/**
 * WEIR_NL_REQUIRE() - refuse a request that lacks an attribute
 * @info: the request
 * @attr: the attribute
 * @msg: a literal sentence that names the missing attribute
 *
 * Return: whether it is there.
 */
#define WEIR_NL_REQUIRE(info, attr, msg) ({				\
	struct genl_info *_req = info;					\
	bool __there = !GENL_REQ_ATTR_CHECK(_req, attr);		\
	if (!__there)							\
		GENL_SET_ERR_MSG(_req, msg);				\
	__there;							\
})

/**
 * struct weir_nl_msg - a message that is being built for one object
 * @skb: where
 * @portid: of the receiver, 0 for a group
 * @seq: of the request, 0 for a notification
 * @flags: NLM_F_MULTI in a dump
 * @cmd: WEIR_CMD_*
 * @walks: the receiver may have attributes that take a walk over all slots of a
 *	job
 * @cb: the dump, or NULL
 */
struct weir_nl_msg {
	struct sk_buff			*skb;
	u32				portid;
	u32				seq;
	int				flags;
	u8				cmd;
	bool				walks;
	struct netlink_callback		*cb;
};

/**
 * struct weir_nl_dev - an object of a device, with its namespace
 * @net: the namespace
 * @of: a port or a trimming policy
 */
struct weir_nl_dev {
	struct net			*net;
	const void			*of;
};

static inline struct weir_net *weir_nl_net(struct genl_info *info)
{
	return weir_net(genl_info_net(info));
}

struct weir_job *weir_nl_job(struct genl_info *info, int attr);
int weir_nl_ifindex(struct genl_info *info, int attr, int *ifindex);
int weir_nl_put_dev(struct sk_buff *skb, int attr, int name_attr,
		    struct net *net, int ifindex);
int weir_nl_refuse_dev(struct genl_info *info, int attr, int ifindex, int err,
		       const char *what);
int weir_nl_sees(struct genl_info *info, int attr, int ifindex, bool ethernet);
int weir_nl_sees_vlan(struct genl_info *info, int attr, int ifindex);
int weir_nl_refuse(struct genl_info *info, const struct nlattr *attr, int err,
		   const char *msg);
int weir_nl_bound_dev(struct genl_info *info, int a, int *ifindex);
int weir_nl_addr(struct genl_info *info, int attr, enum weir_family family,
		 bool group, struct in6_addr *addr);
int weir_nl_link_addr(struct genl_info *info, int attr, bool all, struct in6_addr *addr);
int weir_nl_put_addr(struct sk_buff *skb, int attr,
		     const struct in6_addr *addr);
enum weir_family weir_nl_family_of(const struct weir_job *job);
int weir_nl_put_lateness(struct sk_buff *skb, int attr,
			 const struct weir_lateness __percpu *lateness);
int weir_nl_rate(struct genl_info *info, int attr,
		 struct weir_rate_config *config);
int weir_nl_put_rate(struct sk_buff *skb, int attr,
		     const struct weir_rate_config *config);
int weir_nl_dump_devs(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd,
		      struct xarray *devs,
		      int (*fill)(const struct weir_nl_msg *msg,
				  const void *obj));
int weir_nl_dump_jobs(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd,
		      int attr,
		      int (*dump)(const struct weir_nl_msg *msg,
				  struct weir_job *job, unsigned long *at));

void weir_nl_changed(struct weir_net *wn);
void *weir_nl_begin(const struct weir_nl_msg *msg);
void weir_nl_dump_start(struct weir_net *wn, struct netlink_callback *cb,
			struct weir_nl_msg *msg, struct sk_buff *skb, u8 cmd);
int weir_nl_reply(struct genl_info *info, u8 cmd,
		  int (*fill)(const struct weir_nl_msg *msg, const void *obj),
		  const void *obj);
void weir_nl_notify(struct weir_net *wn, u8 cmd,
		    int (*fill)(const struct weir_nl_msg *msg, const void *obj),
		    const void *obj);

#endif /* _WEIR_NETLINK_H */

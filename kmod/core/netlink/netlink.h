/* SPDX-License-Identifier: GPL-2.0 */
/* Declarations that the netlink code of all modules shares. */
#ifndef _WEIR_NETLINK_H
#define _WEIR_NETLINK_H

#include <net/genetlink.h>

#include "core/base/compat.h"
#include "core/base/ns.h"

struct weir_lateness;
struct weir_rate_config;

/* The only multicast group of each family. */
#define WEIR_NL_EVENTS	0

/**
 * struct weir_nl - a module's family
 * @family: generated
 * @up: it is registered; notifications may come from the data path and from device events before
 *	and after that
 */
struct weir_nl {
	struct genl_family	*family;
	bool			up;
};

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
 * @family: the family that it is of
 * @skb: the buffer that it is written to
 * @portid: of the receiver, 0 for a group
 * @seq: of the request, 0 for a notification
 * @flags: NLM_F_MULTI in a dump
 * @cmd: the family's command
 * @walks: the receiver may have attributes that take a walk over all slots of a
 *	job
 * @cb: the dump, or NULL
 */
struct weir_nl_msg {
	const struct genl_family	*family;
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

/* netlink.c */
void weir_nl_lock(struct weir_ns *ns, struct sk_buff *skb, struct genl_info *info);
int weir_nl_start(struct weir_nl *nl);
void weir_nl_stop(struct weir_nl *nl);
bool weir_nl_heard(const struct weir_nl *nl, const struct weir_ns *ns);
void weir_nl_lost(const struct weir_nl *nl, const struct weir_ns *ns);
int weir_nl_ifindex(struct genl_info *info, int attr, int *ifindex);
int weir_nl_put_dev(struct sk_buff *skb, int attr, int name_attr,
		    struct net *net, int ifindex);
int weir_nl_refuse_dev(struct genl_info *info, int attr, int ifindex, int err,
		       const char *what);
int weir_nl_sees(struct genl_info *info, int attr, int ifindex, bool ethernet);
int weir_nl_sees_vlan(struct genl_info *info, int attr, int ifindex);
int weir_nl_refuse(struct genl_info *info, const struct nlattr *attr, int err,
		   const char *msg);
int weir_nl_dump_devs(struct weir_ns *ns, struct sk_buff *skb, struct netlink_callback *cb, u8 cmd,
		      struct xarray *devs,
		      int (*fill)(const struct weir_nl_msg *msg,
				  const void *obj));
void weir_nl_changed(struct weir_ns *ns);
void *weir_nl_begin(const struct weir_nl_msg *msg);
void weir_nl_dump_start(struct weir_ns *ns, struct netlink_callback *cb,
			struct weir_nl_msg *msg, struct sk_buff *skb, u8 cmd);
int weir_nl_reply(struct genl_info *info, u8 cmd,
		  int (*fill)(const struct weir_nl_msg *msg, const void *obj),
		  const void *obj);
void weir_nl_notify(const struct weir_nl *nl, struct weir_ns *ns, u8 cmd,
		    int (*fill)(const struct weir_nl_msg *msg, const void *obj),
		    const void *obj);
int weir_nl_put_lateness(struct sk_buff *skb, int attr,
			 const struct weir_lateness __percpu *lateness);

/* rate.c */
int weir_nl_rate(struct genl_info *info, int attr, const struct nla_policy *policy,
		 struct weir_rate_config *config);
int weir_nl_put_rate(struct sk_buff *skb, int attr,
		     const struct weir_rate_config *config);

/* device.c */
int weir_nl_device(struct genl_info *info, u8 cmd);

#endif /* _WEIR_NETLINK_H */

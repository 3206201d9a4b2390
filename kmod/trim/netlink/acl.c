// SPDX-License-Identifier: GPL-2.0
/* Netlink requests about ACLs. */
#include <linux/rtnetlink.h>
#include <net/sock.h>

#include "core/netlink/rule.h"
#include "trim/acl.h"
#include "trim/acls.h"
#include "trim/hits.h"
#include "trim/netlink/netlink.h"
#include "trim/netlink/policy.h"
#include "trim/trim_config.h"

/**
 * weir_nl_trim_acl_find() - find the ACL that a request names
 * @info: the request; RTNL is held
 * @attr: the attribute with the name
 *
 * Return: the ACL, or NULL with the sentence set.
 */
struct weir_trim_acl *weir_nl_trim_acl_find(struct genl_info *info, const struct nlattr *attr)
{
	char name[WEIR_TRIM_ACL_NAME_MAX + 1];
	struct weir_trim_acl *acl;

	nla_strscpy(name, attr, sizeof(name));
	acl = weir_trim_acls_find(weir_trim_nl_net(info), name);
	if (!acl)
		weir_nl_refuse(info, attr, -ENOENT, "there is no such ACL: add a rule to it first");
	return acl;
}

static int weir_nl_trim_acl_name(struct genl_info *info, char name[WEIR_TRIM_ACL_NAME_MAX + 1])
{
	if (!WEIR_NL_REQUIRE(info, WEIR_A_TRIM_ACL_NAME, "say which ACL: its name is missing"))
		return -EINVAL;
	return weir_nl_trim_name(info, info->attrs[WEIR_A_TRIM_ACL_NAME], name,
				 "an ACL's name is one word of visible ASCII characters");
}

static int weir_nl_trim_acl_rule(struct genl_info *info, struct weir_trim_rule *rule)
{
	const struct nlattr *attr = info->attrs[WEIR_A_TRIM_ACL_RULE];
	int err;

	if (!WEIR_NL_REQUIRE(info, WEIR_A_TRIM_ACL_RULE,
			     "say which packets it matches: rule is missing"))
		return -EINVAL;
	err = weir_nl_rule(info, attr, weir_trim_rule_nl_policy, rule);
	if (err)
		return err;
	if (!weir_trim_rule_has_ports(rule))
		return weir_nl_refuse(info, attr, -EINVAL, "only UDP and TCP have ports");
	return 0;
}

static int weir_nl_trim_acl_refuse(struct genl_info *info, int err)
{
	switch (err) {
	case -ENOSPC:
		return weir_nl_refuse(info, info->attrs[WEIR_A_TRIM_ACL_NAME], err,
				      "a network namespace has 64 ACLs at most: remove some of them");
	case -EMSGSIZE:
		return weir_nl_refuse(info, info->attrs[WEIR_A_TRIM_ACL_RULE], -ENOSPC,
				      "an ACL has 1024 rules at most");
	case -E2BIG:
		return weir_nl_refuse(info, info->attrs[WEIR_A_TRIM_ACL_RULE], -ENOSPC,
				      "rules compare 64 sets of fields at most: give prefixes the same lengths");
	default:
		return err;
	}
}

int weir_trim_nl_acl_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_trim_net *wn = weir_trim_nl_net(info);
	char name[WEIR_TRIM_ACL_NAME_MAX + 1];
	struct weir_trim_rule rule;
	u32 prio;
	int err;

	err = weir_nl_trim_acl_name(info, name);
	if (err)
		return err;
	if (!WEIR_NL_REQUIRE(info, WEIR_A_TRIM_ACL_PRIO, "say which place: prio is missing"))
		return -EINVAL;
	prio = nla_get_u32(info->attrs[WEIR_A_TRIM_ACL_PRIO]);
	err = weir_nl_trim_acl_rule(info, &rule);
	if (err)
		return err;
	rtnl_lock();
	err = weir_trim_acls_set(wn, name, prio, &rule);
	rtnl_unlock();
	if (err)
		return weir_nl_trim_acl_refuse(info, err);
	weir_nl_changed(&wn->ns);
	return 0;
}

static int weir_nl_trim_acl_no_rule(struct genl_info *info)
{
	return weir_nl_refuse(info, info->attrs[WEIR_A_TRIM_ACL_PRIO], -ENOENT,
			      "the ACL has no rule with this prio");
}

/* Remove a rule, or all of them. RTNL is held. */
static int weir_nl_trim_acl_del(struct genl_info *info, struct weir_trim_acl *acl)
{
	const struct nlattr *attr = info->attrs[WEIR_A_TRIM_ACL_PRIO];
	struct weir_trim_net *wn = weir_trim_nl_net(info);
	u32 prio = attr ? nla_get_u32(attr) : 0;
	int err = 0;

	if (attr && !xa_load(&acl->rules, prio))
		return weir_nl_trim_acl_no_rule(info);
	if (acl->named.ports && (!attr || acl->count == 1))
		return weir_nl_refuse(info, info->attrs[WEIR_A_TRIM_ACL_NAME], -EBUSY,
				      "policies name the ACL: take it from them first");
	if (attr)
		err = weir_trim_acls_del_rule(wn, acl, prio);
	else
		weir_trim_acls_del(wn, acl);
	return err;
}

/* Call @action with the ACL that a request names, under RTNL. */
static int weir_nl_trim_acl_run(struct genl_info *info,
				int (*action)(struct genl_info *info, struct weir_trim_acl *acl))
{
	struct weir_trim_acl *acl;
	int err;

	if (!WEIR_NL_REQUIRE(info, WEIR_A_TRIM_ACL_NAME, "say which ACL: its name is missing"))
		return -EINVAL;
	rtnl_lock();
	acl = weir_nl_trim_acl_find(info, info->attrs[WEIR_A_TRIM_ACL_NAME]);
	err = acl ? action(info, acl) : -ENOENT;
	rtnl_unlock();
	return err;
}

int weir_trim_nl_acl_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	int err = weir_nl_trim_acl_run(info, weir_nl_trim_acl_del);

	if (!err)
		weir_nl_changed(&weir_trim_nl_net(info)->ns);
	return err;
}

/* A rule, and the ACL that it is in. */
struct weir_nl_trim_acl_rule {
	const struct weir_trim_acl		*acl;
	const struct weir_trim_acl_rule		*rule;
};

static int weir_nl_fill_acl_rule(const struct weir_nl_msg *msg, const void *obj)
{
	const struct weir_nl_trim_acl_rule *of = obj;
	struct sk_buff *skb = msg->skb;
	struct weir_trim_hits hits;
	void *hdr;

	hdr = weir_nl_begin(msg);
	if (!hdr)
		return -EMSGSIZE;
	weir_trim_hits_since(of->rule->hits, &of->rule->cleared, &hits);
	if (nla_put_string(skb, WEIR_A_TRIM_ACL_NAME, of->acl->named.name) ||
	    nla_put_u32(skb, WEIR_A_TRIM_ACL_PRIO, of->rule->prio) ||
	    weir_nl_put_rule(skb, WEIR_A_TRIM_ACL_RULE, &of->rule->rule, &hits) ||
	    nla_put_u32(skb, WEIR_A_TRIM_ACL_PORTS, of->acl->named.ports)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

/* RTNL is held. */
static int weir_nl_trim_acl_get(struct genl_info *info, struct weir_trim_acl *acl)
{
	const struct nlattr *attr = info->attrs[WEIR_A_TRIM_ACL_PRIO];
	struct weir_nl_trim_acl_rule of = { .acl = acl };
	unsigned long prio = attr ? nla_get_u32(attr) : 0;

	of.rule = attr ? xa_load(&acl->rules, prio) :
			 xa_find(&acl->rules, &prio, ULONG_MAX, XA_PRESENT);
	if (!of.rule)
		return weir_nl_trim_acl_no_rule(info);
	return weir_nl_reply(info, WEIR_CMD_TRIM_ACL_GET, weir_nl_fill_acl_rule, &of);
}

int weir_trim_nl_acl_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	return weir_nl_trim_acl_run(info, weir_nl_trim_acl_get);
}

/* The rules of an ACL from the prio in args[1] of the dump on, which becomes that of the next. */
static int weir_nl_dump_acl(const struct weir_nl_msg *msg, struct weir_trim_acl *acl)
{
	struct weir_nl_trim_acl_rule of = { .acl = acl };
	struct weir_trim_acl_rule *rule;
	unsigned long prio;
	int err;

	xa_for_each_start(&acl->rules, prio, rule, msg->cb->args[1]) {
		of.rule = rule;
		err = weir_nl_fill_acl_rule(msg, &of);
		if (err) {
			msg->cb->args[1] = prio;
			return err;
		}
	}
	msg->cb->args[1] = 0;
	return 0;
}

int weir_trim_nl_acl_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	const struct nlattr *only = genl_info_dump(cb)->attrs[WEIR_A_TRIM_ACL_NAME];
	struct weir_trim_net *wn = weir_trim_net(sock_net(skb->sk));
	struct weir_trim_acl *acl;
	struct weir_nl_msg msg;
	long n = 0;
	int err = 0;

	mutex_lock(&wn->ns.lock);
	rtnl_lock();
	weir_nl_dump_start(&wn->ns, cb, &msg, skb, WEIR_CMD_TRIM_ACL_GET);
	list_for_each_entry(acl, &wn->acls, named.list) {
		if (n++ < cb->args[0])
			continue;
		if (!only || !nla_strcmp(only, acl->named.name))
			err = weir_nl_dump_acl(&msg, acl);
		if (err)
			break;
		cb->args[0]++;
	}
	rtnl_unlock();
	mutex_unlock(&wn->ns.lock);
	return skb->len ?: err;
}

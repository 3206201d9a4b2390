// SPDX-License-Identifier: GPL-2.0
/* Netlink requests about the default that a namespace's trimming policies inherit. */
#include <linux/bits.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>

#include "trim/netlink/netlink.h"
#include "trim/netlink/policy.h"
#include "trim/trims.h"
#include "trim/trim_default.h"

/* Characters of a sentence that has a name in it, at most. */
#define WEIR_NL_SENTENCE	79

/* Only settings that all hooks have, and that are not a single port's. */
static int weir_nl_trim_default_only(struct genl_info *info)
{
	u64 can = weir_trim_default_attrs();
	int i;

	for (i = 1; i <= WEIR_NL_TRIM_LAST; i++)
		if (weir_nl_trim_is_setting(i) && info->attrs[i] &&
		    !(can & BIT_ULL(i)))
			return weir_nl_refuse(info, info->attrs[i], -EINVAL,
					      "only a port's policy can say this, not the default");
	return 0;
}

/* The device and the reason, where one sentence has room for both. */
static int weir_nl_trim_default_refuse(struct genl_info *info, int ifindex,
				       int err, const char *why)
{
	const struct net_device *dev;

	dev = __dev_get_by_index(genl_info_net(info), ifindex);
	if (!dev || !why || strlen(dev->name) + 2 + strlen(why) > WEIR_NL_SENTENCE)
		return weir_nl_refuse_dev(info, WEIR_A_TRIM_DEFAULT, ifindex, err,
					  "has a policy that makes no sense then");
	NL_SET_BAD_ATTR(info->extack, info->attrs[WEIR_A_TRIM_DEFAULT]);
	NL_SET_ERR_MSG_FMT(info->extack, "%s: %s", dev->name, why);
	return err;
}

static int weir_nl_trim_default_take(struct genl_info *info,
				     const struct weir_trim_config *def)
{
	struct weir_trim_net *wn = weir_trim_nl_net(info);
	const char *why = NULL;
	int ifindex, err;

	err = weir_trim_set_default(wn, def, &ifindex, &why);
	if (!err)
		weir_nl_changed(&wn->ns);
	if (!err || err == -ENOMEM)
		return err;
	return weir_nl_trim_default_refuse(info, ifindex, err, why);
}

static int weir_nl_trim_default_change(struct genl_info *info,
				       struct weir_trim_config *def)
{
	struct weir_trim_refusal refusal;
	int err;

	*def = *weir_trim_default(weir_trim_nl_net(info));
	err = weir_nl_trim_said(info, def);
	if (err)
		return err;
	err = weir_trim_config_check_default(def, &refusal);
	if (err)
		return weir_nl_trim_refuse(info, err, refusal.attr, refusal.msg);
	return weir_nl_trim_default_take(info, def);
}

/**
 * weir_nl_trim_default_set() - set or change the default
 * @info: the request
 *
 * Return: 0, or a negative error.
 */
int weir_nl_trim_default_set(struct genl_info *info)
{
	struct weir_trim_config *def;
	int err;

	err = weir_nl_trim_default_only(info);
	if (err)
		return err;
	def = kmalloc(sizeof(*def), GFP_KERNEL);
	if (!def)
		return -ENOMEM;
	rtnl_lock();
	err = weir_nl_trim_default_change(info, def);
	rtnl_unlock();
	kfree(def);
	return err;
}

static int weir_nl_trim_default_none(struct genl_info *info)
{
	return weir_nl_refuse(info, info->attrs[WEIR_A_TRIM_DEFAULT], -ENOENT,
			      "trimming policies have no default here");
}

/**
 * weir_nl_trim_default_del() - remove the default
 * @info: the request
 *
 * Return: 0, or a negative error.
 */
int weir_nl_trim_default_del(struct genl_info *info)
{
	int err;

	rtnl_lock();
	err = weir_trim_nl_net(info)->trim_default ?
	      weir_nl_trim_default_take(info, NULL) :
	      weir_nl_trim_default_none(info);
	rtnl_unlock();
	return err;
}

static int weir_nl_fill_default(const struct weir_nl_msg *msg, const void *obj)
{
	const struct weir_trim_config *def = obj;
	void *hdr = weir_nl_begin(msg);

	if (!hdr)
		return -EMSGSIZE;
	if (nla_put_flag(msg->skb, WEIR_A_TRIM_DEFAULT) ||
	    weir_nl_put_config(msg->skb, def, def->said)) {
		genlmsg_cancel(msg->skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(msg->skb, hdr);
	return 0;
}

/**
 * weir_nl_trim_default_get() - show the default
 * @info: the request
 *
 * Return: 0, or a negative error.
 */
int weir_nl_trim_default_get(struct genl_info *info)
{
	const struct weir_trim_config *def;
	int err;

	rtnl_lock();
	def = weir_trim_nl_net(info)->trim_default;
	err = def ? weir_nl_reply(info, WEIR_CMD_TRIM_GET,
				  weir_nl_fill_default, def) :
		    weir_nl_trim_default_none(info);
	rtnl_unlock();
	return err;
}

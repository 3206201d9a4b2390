// SPDX-License-Identifier: GPL-2.0
/* Netlink requests about pools of buffer that ports share. */
#include <linux/rtnetlink.h>
#include <net/sock.h>

#include "trim/netlink/netlink.h"
#include "trim/netlink/policy.h"
#include "trim/pool.h"
#include "trim/pools.h"

/**
 * weir_nl_trim_pool_find() - find the pool that a request names
 * @info: the request; RTNL is held
 * @attr: the attribute with the name
 *
 * Return: the pool, or NULL with the sentence set.
 */
struct weir_trim_pool *weir_nl_trim_pool_find(struct genl_info *info, const struct nlattr *attr)
{
	char name[WEIR_TRIM_POOL_NAME_MAX + 1];
	struct weir_trim_pool *pool;

	nla_strscpy(name, attr, sizeof(name));
	pool = weir_trim_pools_find(weir_trim_nl_net(info), name);
	if (!pool)
		weir_nl_refuse(info, attr, -ENOENT, "there is no such pool: add it first");
	return pool;
}

static int weir_nl_trim_pool_name(struct genl_info *info, char name[WEIR_TRIM_POOL_NAME_MAX + 1])
{
	if (!WEIR_NL_REQUIRE(info, WEIR_A_TRIM_POOL_NAME, "say which pool: its name is missing"))
		return -EINVAL;
	return weir_nl_trim_name(info, info->attrs[WEIR_A_TRIM_POOL_NAME], name,
				 "a pool's name is one word of visible ASCII characters");
}

int weir_trim_nl_pool_set_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_trim_net *wn = weir_trim_nl_net(info);
	char name[WEIR_TRIM_POOL_NAME_MAX + 1];
	int err;

	err = weir_nl_trim_pool_name(info, name);
	if (err)
		return err;
	if (!WEIR_NL_REQUIRE(info, WEIR_A_TRIM_POOL_SIZE,
			     "say how many bytes may wait: size is missing"))
		return -EINVAL;
	rtnl_lock();
	err = weir_trim_pools_set(wn, name, nla_get_uint(info->attrs[WEIR_A_TRIM_POOL_SIZE]));
	rtnl_unlock();
	if (err == -ENOSPC)
		return weir_nl_refuse(info, NULL, err,
				      "a network namespace has 64 pools at most: remove some of them");
	if (!err)
		weir_nl_changed(&wn->ns);
	return err;
}

int weir_trim_nl_pool_del_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_trim_net *wn = weir_trim_nl_net(info);
	struct weir_trim_pool *pool;
	int err = 0;

	if (!WEIR_NL_REQUIRE(info, WEIR_A_TRIM_POOL_NAME, "say which pool: its name is missing"))
		return -EINVAL;
	rtnl_lock();
	pool = weir_nl_trim_pool_find(info, info->attrs[WEIR_A_TRIM_POOL_NAME]);
	if (!pool)
		err = -ENOENT;
	else if (pool->named.ports)
		err = weir_nl_refuse(info, info->attrs[WEIR_A_TRIM_POOL_NAME], -EBUSY,
				     "policies name the pool: give them another one first, or none");
	else
		weir_trim_pools_del(wn, pool);
	rtnl_unlock();
	if (!err)
		weir_nl_changed(&wn->ns);
	return err;
}

static int weir_nl_fill_pool(const struct weir_nl_msg *msg, const void *obj)
{
	const struct weir_trim_pool *pool = obj;
	struct sk_buff *skb = msg->skb;
	void *hdr;

	hdr = weir_nl_begin(msg);
	if (!hdr)
		return -EMSGSIZE;
	if (nla_put_string(skb, WEIR_A_TRIM_POOL_NAME, pool->named.name) ||
	    nla_put_uint(skb, WEIR_A_TRIM_POOL_SIZE, pool->size) ||
	    nla_put_uint(skb, WEIR_A_TRIM_POOL_USED, atomic64_read(&pool->used)) ||
	    nla_put_uint(skb, WEIR_A_TRIM_POOL_USED_MAX, READ_ONCE(pool->max)) ||
	    nla_put_u32(skb, WEIR_A_TRIM_POOL_PORTS, pool->named.ports)) {
		genlmsg_cancel(skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, hdr);
	return 0;
}

int weir_trim_nl_pool_get_doit(struct sk_buff *skb, struct genl_info *info)
{
	struct weir_trim_pool *pool;
	int err;

	if (!WEIR_NL_REQUIRE(info, WEIR_A_TRIM_POOL_NAME, "say which pool: its name is missing"))
		return -EINVAL;
	rtnl_lock();
	pool = weir_nl_trim_pool_find(info, info->attrs[WEIR_A_TRIM_POOL_NAME]);
	err = pool ? weir_nl_reply(info, WEIR_CMD_TRIM_POOL_GET, weir_nl_fill_pool, pool) : -ENOENT;
	rtnl_unlock();
	return err;
}

int weir_trim_nl_pool_get_dumpit(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct weir_trim_net *wn = weir_trim_net(sock_net(skb->sk));
	const struct weir_trim_pool *pool;
	struct weir_nl_msg msg;
	long n = 0;
	int err = 0;

	mutex_lock(&wn->ns.lock);
	rtnl_lock();
	weir_nl_dump_start(&wn->ns, cb, &msg, skb, WEIR_CMD_TRIM_POOL_GET);
	list_for_each_entry(pool, &wn->pools, named.list) {
		if (n++ < cb->args[0])
			continue;
		err = weir_nl_fill_pool(&msg, pool);
		if (err)
			break;
		cb->args[0]++;
	}
	rtnl_unlock();
	mutex_unlock(&wn->ns.lock);
	return skb->len ?: err;
}

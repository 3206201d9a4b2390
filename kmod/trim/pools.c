// SPDX-License-Identifier: GPL-2.0
/* The pools of a network namespace, by their names. */
#include <linux/list.h>
#include <linux/rtnetlink.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "trim/named.h"
#include "trim/net.h"
#include "trim/pool.h"
#include "trim/pools.h"

/**
 * weir_trim_pools_find() - find a pool
 * @wn: the namespace; RTNL is held
 * @name: its name
 *
 * Return: the pool, or NULL.
 */
struct weir_trim_pool *weir_trim_pools_find(struct weir_trim_net *wn, const char *name)
{
	struct weir_trim_named *named;

	ASSERT_RTNL();

	named = weir_trim_named_find(&wn->pools, name);
	return named ? container_of(named, struct weir_trim_pool, named) : NULL;
}

/**
 * weir_trim_pools_set() - add a pool, or change the size of one
 * @wn: the namespace; RTNL is held
 * @name: its name, which fits
 * @size: bytes that may wait
 *
 * If the new size is smaller than what waits, packets that wait are still sent, and no packet is
 * queued until there is room again.
 *
 * Return: 0, -ENOMEM, or -ENOSPC if there are WEIR_TRIM_POOLS_MAX others.
 */
int weir_trim_pools_set(struct weir_trim_net *wn, const char *name, u64 size)
{
	struct weir_trim_pool *pool = weir_trim_pools_find(wn, name);

	if (pool) {
		WRITE_ONCE(pool->size, size);
		return 0;
	}
	if (wn->pool_count >= WEIR_TRIM_POOLS_MAX)
		return -ENOSPC;
	pool = kzalloc(sizeof(*pool), GFP_KERNEL_ACCOUNT);
	if (!pool)
		return -ENOMEM;
	strscpy(pool->named.name, name, sizeof(pool->named.name));
	pool->size = size;
	weir_trim_named_insert(&wn->pools, &pool->named);
	wn->pool_count++;
	return 0;
}

/**
 * weir_trim_pools_del() - remove a pool
 * @wn: the namespace; RTNL is held
 * @pool: a pool that no policy names
 *
 * Qdiscs have the pool of their device's policy, so none has this one.
 */
void weir_trim_pools_del(struct weir_trim_net *wn, struct weir_trim_pool *pool)
{
	ASSERT_RTNL();

	list_del(&pool->named.list);
	wn->pool_count--;
	kfree(pool);
}

/**
 * weir_trim_pools_clear() - forget how full the pools of a namespace have been
 * @wn: the namespace; RTNL is held
 */
void weir_trim_pools_clear(struct weir_trim_net *wn)
{
	struct weir_trim_pool *pool;

	ASSERT_RTNL();

	list_for_each_entry(pool, &wn->pools, named.list)
		WRITE_ONCE(pool->max, atomic64_read(&pool->used));
}

/* Return: 0. */
int weir_trim_pools_net_init(struct net *net)
{
	INIT_LIST_HEAD(&weir_trim_net(net)->pools);
	return 0;
}

/* The namespace's policies are gone. */
void weir_trim_pools_net_uninit(struct net *net)
{
	struct weir_trim_pool *pool, *next;

	list_for_each_entry_safe(pool, next, &weir_trim_net(net)->pools, named.list)
		kfree(pool);
}

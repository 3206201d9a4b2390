/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_TRIM_POOLS_H
#define _WEIR_TRIM_POOLS_H

#include <linux/types.h>

struct net;
struct weir_trim_net;
struct weir_trim_pool;

/* Pools of a network namespace at most. */
#define WEIR_TRIM_POOLS_MAX	64

struct weir_trim_pool *weir_trim_pools_find(struct weir_trim_net *wn, const char *name);
int weir_trim_pools_set(struct weir_trim_net *wn, const char *name, u64 size);
void weir_trim_pools_del(struct weir_trim_net *wn, struct weir_trim_pool *pool);
void weir_trim_pools_clear(struct weir_trim_net *wn);
int weir_trim_pools_net_init(struct net *net);
void weir_trim_pools_net_uninit(struct net *net);

#endif /* _WEIR_TRIM_POOLS_H */

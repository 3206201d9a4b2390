/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_TRIM_NAMED_H
#define _WEIR_TRIM_NAMED_H

#include <linux/list.h>
#include <uapi/weir_trim_nl.h>

/**
 * struct weir_trim_named - an object of a namespace that policies name: a pool, an ACL
 * @list: in the namespace's list of its kind; under RTNL
 * @ports: policies that name the object, which keep it from being removed; under RTNL
 * @name: unique in the list
 */
struct weir_trim_named {
	struct list_head	list;
	unsigned int		ports;
	char			name[WEIR_TRIM_POOL_NAME_MAX + 1];
};

struct weir_trim_named *weir_trim_named_find(const struct list_head *all, const char *name);
void weir_trim_named_insert(struct list_head *all, struct weir_trim_named *named);

#endif /* _WEIR_TRIM_NAMED_H */

// SPDX-License-Identifier: GPL-2.0
/* Lists of the objects that policies name. */
#include <linux/build_bug.h>
#include <linux/string.h>

#include "trim/named.h"

static_assert(WEIR_TRIM_ACL_NAME_MAX == WEIR_TRIM_POOL_NAME_MAX);

/**
 * weir_trim_named_find() - find an object
 * @all: the list; RTNL is held
 * @name: the object's name
 *
 * Return: the object, or NULL.
 */
struct weir_trim_named *weir_trim_named_find(const struct list_head *all, const char *name)
{
	struct weir_trim_named *named;

	list_for_each_entry(named, all, list)
		if (!strcmp(named->name, name))
			return named;
	return NULL;
}

/**
 * weir_trim_named_insert() - insert an object into a list, which is sorted by names for dumps
 * @all: the list; RTNL is held
 * @named: the object, whose name no other has
 */
void weir_trim_named_insert(struct list_head *all, struct weir_trim_named *named)
{
	struct weir_trim_named *next;

	list_for_each_entry(next, all, list)
		if (strcmp(named->name, next->name) < 0)
			break;
	list_add_tail(&named->list, &next->list);
}

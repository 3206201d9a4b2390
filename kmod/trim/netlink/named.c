// SPDX-License-Identifier: GPL-2.0
/* Names of pools and ACLs in requests. */
#include <linux/ctype.h>

#include "core/netlink/netlink.h"
#include "trim/named.h"
#include "trim/netlink/policy.h"

/**
 * weir_nl_trim_name() - read the name of an object that a request adds
 * @info: the request
 * @attr: the attribute with the name, which is there
 * @name: filled
 * @msg: the sentence of a refusal
 *
 * A name is one word, which needs no quotes anywhere.
 *
 * Return: 0, or -EINVAL with the sentence set.
 */
int weir_nl_trim_name(struct genl_info *info, const struct nlattr *attr,
		      char name[WEIR_TRIM_POOL_NAME_MAX + 1], const char *msg)
{
	const char *at = name;

	nla_strscpy(name, attr, WEIR_TRIM_POOL_NAME_MAX + 1);
	while (isascii(*at) && isgraph(*at))
		at++;
	return at == name || *at ? weir_nl_refuse(info, attr, -EINVAL, msg) : 0;
}

// SPDX-License-Identifier: GPL-2.0
/* The module's counters, read over netlink. */
#include <linux/genetlink.h>
#include <string.h>

#include "counters.h"
#include "lib/genl.h"

static void read_refusal(const struct nlattr *nest, struct counters *c)
{
	const struct nlattr *attr;
	uint32_t reason = 0;

	mnl_attr_for_each_nested(attr, nest) {
		if (mnl_attr_get_type(attr) == WEIR_A_REFUSAL_REASON)
			reason = mnl_attr_get_u32(attr);
		else if (reason <= WEIR_REASON_MAX)
			c->refused[reason] = genl_uint(attr);
	}
}

static int read_total(const struct nlmsghdr *nlh, void *data)
{
	const struct nlattr *nest, *attr;
	struct counters *c = data;

	mnl_attr_for_each(nest, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(nest) != WEIR_A_TOTAL_STATS)
			continue;
		mnl_attr_for_each_nested(attr, nest) {
			if (mnl_attr_get_type(attr) == WEIR_A_STATS_REFUSAL)
				read_refusal(attr, c);
			else if (mnl_attr_get_type(attr) <= WEIR_A_STATS_MAX)
				c->stat[mnl_attr_get_type(attr)] = genl_uint(attr);
		}
	}
	return MNL_CB_OK;
}

void counters_read(struct counters *c)
{
	char buf[GENL_REQUEST_MAX];

	memset(c, 0, sizeof(*c));
	genl_ask(genl_begin(buf, WEIR_CMD_STATS_GET), read_total, c, "counters");
}

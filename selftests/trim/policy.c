// SPDX-License-Identifier: GPL-2.0
/* A port's trimming policy, set and read over netlink. */
#include <linux/genetlink.h>
#include <string.h>

#include <weir_trim_nl.h>

#include "cases.h"
#include "lib/genl.h"
#include "policy.h"

static void put_off(struct nlmsghdr *nlh, uint16_t port)
{
	struct nlattr *nest;

	nest = mnl_attr_nest_start(nlh, WEIR_A_TRIM_RULE);
	mnl_attr_put_u32(nlh, port, TRIM_OFF_PORT);
	mnl_attr_put(nlh, WEIR_A_TRIM_RULE_DISABLE, 0, NULL);
	mnl_attr_nest_end(nlh, nest);
}

static void put_rules(struct nlmsghdr *nlh)
{
	struct nlattr *nest;

	nest = mnl_attr_nest_start(nlh, WEIR_A_TRIM_RULE);
	mnl_attr_put_u32(nlh, WEIR_A_TRIM_RULE_DSCP, TRIM_DSCP);
	mnl_attr_nest_end(nlh, nest);
	put_off(nlh, WEIR_A_TRIM_RULE_PORT);
	put_off(nlh, WEIR_A_TRIM_RULE_SPORT);
}

static void put_said(struct nlmsghdr *nlh, uint16_t attr, uint32_t value)
{
	if (value)
		mnl_attr_put_u32(nlh, attr, value);
}

static void put_policy(struct nlmsghdr *nlh, const struct policy *p)
{
	mnl_attr_put_u32(nlh, WEIR_A_TRIM_SIZE, p->size);
	mnl_attr_put_u32(nlh, WEIR_A_TRIM_DSCP, TRIM_TRIMMED);
	mnl_attr_put_u32(nlh, WEIR_A_TRIM_LENGTH, p->keep ?
			 WEIR_TRIM_LENGTH_KEEP : WEIR_TRIM_LENGTH_UPDATE);
	mnl_attr_put_u64(nlh, WEIR_A_TRIM_TRIMMED_DSCPS, 1ull << TRIM_LASTHOP);
	mnl_attr_put_u64(nlh, WEIR_A_TRIM_CONTROL_DSCPS, 1ull << TRIM_CONTROL);
	put_rules(nlh);
	mnl_attr_put_u64(nlh, WEIR_A_TRIM_LIMIT_BYTES, p->limit);
	mnl_attr_put_u32(nlh, WEIR_A_TRIM_LIMIT, p->packets);
	mnl_attr_put_u32(nlh, WEIR_A_TRIM_HEADER_TIME, p->header_time);
	if (p->returns) {
		mnl_attr_put_u32(nlh, WEIR_A_TRIM_FULL, WEIR_TRIM_FULL_RETURN);
		mnl_attr_put_u32(nlh, WEIR_A_TRIM_RETURN_DSCP, TRIM_RETURN);
	}
	mnl_attr_put_u64(nlh, WEIR_A_TRIM_RATE, p->rate);
	put_said(nlh, WEIR_A_TRIM_PRIORITY, p->priority);
	put_said(nlh, WEIR_A_TRIM_HEADERS, p->headers);
	put_said(nlh, WEIR_A_TRIM_VICTIM, p->victim);
	put_said(nlh, WEIR_A_TRIM_SHARE, p->share);
	put_said(nlh, WEIR_A_TRIM_METER, p->meter);
}

void policy_set(unsigned int ifindex, const struct policy *p)
{
	struct nlmsghdr *nlh;
	char buf[GENL_REQUEST_MAX];

	nlh = genl_begin(buf, WEIR_CMD_TRIM_SET);
	mnl_attr_put_u32(nlh, WEIR_A_TRIM_IFINDEX, ifindex);
	mnl_attr_put_u32(nlh, WEIR_A_TRIM_HOOK, p->hook);
	mnl_attr_put_u32(nlh, WEIR_A_TRIM_EDGE, p->edge);
	if (p->hook != WEIR_TRIM_HOOK_NONE)
		put_policy(nlh, p);
	genl_ask(nlh, NULL, NULL, "policy");
}

void policy_flush(void)
{
	char buf[GENL_REQUEST_MAX];

	genl_ask(genl_begin(buf, WEIR_CMD_TRIM_FLUSH), NULL, NULL, "policies");
}

static int read_stats(const struct nlmsghdr *nlh, void *data)
{
	const struct nlattr *nest, *attr;
	uint64_t *count = data;
	int type;

	mnl_attr_for_each(nest, nlh, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(nest) != WEIR_A_TRIM_STATS)
			continue;
		mnl_attr_for_each_nested(attr, nest) {
			type = mnl_attr_get_type(attr) - 1;
			if (type >= 0 && type < WEIR_TRIM_C_MAX)
				count[type] = genl_uint(attr);
		}
	}
	return MNL_CB_OK;
}

void policy_counters(unsigned int ifindex, uint64_t count[WEIR_TRIM_C_MAX])
{
	struct nlmsghdr *nlh;
	char buf[GENL_REQUEST_MAX];

	memset(count, 0, WEIR_TRIM_C_MAX * sizeof(*count));
	nlh = genl_begin(buf, WEIR_CMD_TRIM_GET);
	mnl_attr_put_u32(nlh, WEIR_A_TRIM_IFINDEX, ifindex);
	genl_ask(nlh, read_stats, count, "counters");
}

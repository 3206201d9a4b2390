// SPDX-License-Identifier: GPL-2.0
/* Trimming policies in the module's answers. */
#include <linux/netlink.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include <weir_trim_nl.h>

#include "grammar/match.h"
#include "trim/trim.h"

/* The DSCP of trimmed packets, given as one or as a traffic class. */
static uint32_t mark(const struct nlattr *const *table)
{
	const struct nlattr *map = table[WEIR_A_TRIM_TC_DSCP];
	uint32_t class = nl_uint(table[WEIR_A_TRIM_TC]);

	if (!table[WEIR_A_TRIM_TC])
		return nl_uint(table[WEIR_A_TRIM_DSCP]);
	if (!map || class >= mnl_attr_get_payload_len(map))
		return 8 * class;
	return ((const uint8_t *)mnl_attr_get_payload(map))[class];
}

void trim_read(const struct nlmsghdr *message, struct trim *trim)
{
	const struct nlattr *table[WEIR_A_TRIM_MAX + 1], *stats[WEIR_A_TRIM_STATS_MAX + 1];

	memset(trim, 0, sizeof(*trim));
	weir_attributes(message, table, WEIR_A_TRIM_MAX);
	trim->ifindex = nl_uint(table[WEIR_A_TRIM_IFINDEX]);
	trim->hook = nl_uint(table[WEIR_A_TRIM_HOOK]);
	trim->meter = nl_uint(table[WEIR_A_TRIM_METER]);
	trim->rate = nl_uint(table[WEIR_A_TRIM_RATE]);
	trim->said = nl_uint(table[WEIR_A_TRIM_SAID]);
	trim->rules = match_count(message);
	trim->bgp = match_may_trim(message, IPPROTO_TCP, TRIM_BGP_PORT);
	snprintf(trim->acl, sizeof(trim->acl), "%s", nl_string(table[WEIR_A_TRIM_ACL]));
	trim->dscp = mark(table);
	trim->size = nl_uint(table[WEIR_A_TRIM_SIZE]);
	trim->idle = table[WEIR_A_TRIM_IDLE];
	trim->edge = nl_uint(table[WEIR_A_TRIM_EDGE]);
	trim->sends = nl_uint(table[WEIR_A_TRIM_SENDS]);
	trim->child_dropped = nl_uint(table[WEIR_A_TRIM_CHILD_DROPPED]);
	trim->passed = nl_uint(table[WEIR_A_TRIM_DIRECT]);
	if (table[WEIR_A_TRIM_STATS]) {
		nl_nested(table[WEIR_A_TRIM_STATS], stats, WEIR_A_TRIM_STATS_MAX);
		trim->device_dropped = nl_uint(stats[WEIR_A_TRIM_STATS_DEVICE_DROPPED]);
		trim->passed += nl_uint(stats[WEIR_A_TRIM_STATS_WHOLE]) +
				nl_uint(stats[WEIR_A_TRIM_STATS_OTHER]);
		trim->lost = nl_uint(stats[WEIR_A_TRIM_STATS_LOST]);
	}
	snprintf(trim->dev, sizeof(trim->dev), "%s", nl_string(table[WEIR_A_TRIM_IFNAME]));
}

int trim_ask(struct weir *weir, unsigned int ifindex, struct nl_replies *replies)
{
	char buffer[NL_REQUEST_SIZE];
	struct nlmsghdr *message;

	message = weir_begin(weir, buffer, WEIR_CMD_TRIM_GET, ifindex ? 0 : NLM_F_DUMP);
	if (ifindex)
		nl_put_u32(message, WEIR_A_TRIM_IFINDEX, ifindex);
	return nl_talk(&weir->nl, buffer, replies);
}

unsigned int trim_others(const struct nl_replies *replies, unsigned int ifindex,
			 uint32_t hook)
{
	unsigned int others = 0;
	struct trim trim;
	size_t i;

	for (i = 0; i < replies->count; i++) {
		trim_read(replies->message[i], &trim);
		others += trim.ifindex != ifindex && trim.hook == hook;
	}
	return others;
}

// SPDX-License-Identifier: GPL-2.0
/* Rules about a frame's headers: those of trimming policies, for other parts of a port. */
#include <linux/limits.h>

#include "xdp/packet/rule.h"

/* A prefix has its first bits, and most rules have none. */
static bool weir_rule_prefix_differs(const struct weir_trim_prefix *prefix, const __be32 addr[4])
{
	__be32 differs = 0;
	int i;

	if (!prefix->mask[0])
		return false;
	for (i = 0; i < 4; i++)
		differs |= (prefix->addr[i] ^ addr[i]) & prefix->mask[i];
	return differs;
}

/**
 * weir_rule_match() - test whether a frame matches a rule
 * @rule: the rule, its mask set by weir_trim_rule_mask()
 * @headers: of the frame
 * @from: index of the device that it came in by
 *
 * A frame without IP has no DSCP: it matches rules that name none.
 */
bool weir_rule_match(const struct weir_trim_rule *rule, const struct weir_headers *headers,
		     u32 from)
{
	const struct weir_flow_key *key = &headers->key;

	if ((rule->what.all ^ weir_rule_what(key)) & rule->mask)
		return false;
	if (rule->dscps != U64_MAX && (!key->ip || !(rule->dscps >> (headers->tos >> 2) & 1)))
		return false;
	return (!rule->from || rule->from == from) &&
	       !weir_rule_prefix_differs(&rule->src, key->src) &&
	       !weir_rule_prefix_differs(&rule->dst, key->dst);
}

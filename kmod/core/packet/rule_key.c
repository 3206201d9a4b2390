// SPDX-License-Identifier: GPL-2.0
/* The fields of rules that a classifier finds by a hash. */
#include <linux/export.h>
#include <linux/in.h>
#include <linux/string.h>
#include <uapi/weir_trim.h>

#include "core/base/compat.h"
#include "core/packet/key.h"
#include "core/packet/rule_key.h"

/**
 * weir_rule_key() - the fields that a rule compares for equality
 * @rule: the rule; its DSCPs and its device are left to the caller
 * @key: set to the values of these fields, the others 0
 * @mask: set to the bits that count
 */
void weir_rule_key(const struct weir_trim_rule *rule, struct weir_flow_key *key,
		   struct weir_flow_key *mask)
{
	const union weir_trim_what *what = &rule->what;

	*key = (struct weir_flow_key) {
		.sport	= htons(what->sport),
		.dport	= htons(what->port),
		.vlan	= what->vlan,
		.proto	= what->proto,
		.ip	= what->ip,
	};
	*mask = (struct weir_flow_key) {
		.sport	= what->sport ? htons(U16_MAX) : 0,
		.dport	= what->port ? htons(U16_MAX) : 0,
		.vlan	= what->vlan ? U16_MAX : 0,
		.proto	= what->proto ? U8_MAX : 0,
		.ip	= what->ip ? U8_MAX : 0,
	};
	memcpy(key->src, rule->src.addr, sizeof(key->src));
	memcpy(key->dst, rule->dst.addr, sizeof(key->dst));
	memcpy(mask->src, rule->src.mask, sizeof(mask->src));
	memcpy(mask->dst, rule->dst.mask, sizeof(mask->dst));
}
EXPORT_SYMBOL_NS_GPL(weir_rule_key, "WEIR");

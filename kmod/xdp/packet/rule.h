/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_RULE_H
#define _WEIR_RULE_H

#include <linux/in.h>
#include <linux/types.h>
#include <uapi/weir_trim.h>

#include "xdp/packet/headers.h"

/**
 * weir_rule_what() - the fields of a frame that a rule compares as one number
 * @key: its flow
 */
static inline u64 weir_rule_what(const struct weir_flow_key *key)
{
	const union weir_trim_what what = {
		.port	= ntohs(key->dport),
		.vlan	= key->vlan,
		.sport	= ntohs(key->sport),
		.proto	= key->proto,
		.ip	= key->ip,
	};

	return what.all;
}

bool weir_rule_match(const struct weir_trim_rule *rule, const struct weir_headers *headers,
		     u32 from);

#endif /* _WEIR_RULE_H */

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_RULE_KEY_H
#define _WEIR_RULE_KEY_H

struct weir_flow_key;
struct weir_trim_rule;

void weir_rule_key(const struct weir_trim_rule *rule, struct weir_flow_key *key,
		   struct weir_flow_key *mask);

#endif /* _WEIR_RULE_KEY_H */

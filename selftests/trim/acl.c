// SPDX-License-Identifier: GPL-2.0
/* An ACL whose rules are compared one after another. */
#include <stddef.h>

#include "acl.h"
#include "trim/weir_trim_match.h"

struct weir_trim_rule trim_acl_rule[2];
unsigned int trim_acl_rules;

__u32 weir_trim_acl(const struct weir_trim_policy *policy, const struct weir_trim_ends *ends,
		    const void *start, const void *end)
{
	struct weir_trim_ends of = *ends;
	struct weir_trim_addrs addrs = {};
	unsigned int i;

	(void)policy;
	weir_trim_find_ends(&of, &addrs, (void *)start, (void *)end);
	for (i = 0; i < trim_acl_rules; i++) {
		const struct weir_trim_rule *rule = &trim_acl_rule[i];

		if (weir_trim_differs(rule, &of) || weir_trim_ends_differ(rule, &of, &addrs) ||
		    (rule->disable && of.dscps & ~rule->dscps))
			continue;
		return (i + 1) | (rule->disable ? WEIR_TRIM_ACL_FORBIDS : 0);
	}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/* The rules of a policy in netlink messages. */
#include "core/netlink/rule.h"
#include "trim/netlink/netlink.h"
#include "trim/netlink/policy.h"
#include "trim/trim_config.h"

/**
 * weir_trim_nl_rules() - the rules of a request, which replace all rules
 * @info: the request
 * @config: the policy
 *
 * Return: 0, or a negative error with the sentence set.
 */
int weir_trim_nl_rules(struct genl_info *info, struct weir_trim_config *config)
{
	struct nlattr *attr;
	int err, rem;

	if (!info->attrs[WEIR_A_TRIM_RULE])
		return 0;
	config->rules = 0;
	nlmsg_for_each_attr(attr, info->nlhdr, GENL_HDRLEN, rem) {
		if (nla_type(attr) != WEIR_A_TRIM_RULE)
			continue;
		if (config->rules == WEIR_TRIM_RULES_MAX)
			return weir_nl_refuse(info, attr, -EINVAL,
					      "a policy has 16 rules at most");
		err = weir_nl_rule(info, attr, weir_trim_rule_nl_policy,
				   &config->rule[config->rules]);
		if (err)
			return err;
		config->rules++;
	}
	return 0;
}

/**
 * weir_trim_nl_put_rules() - write the rules of a policy
 * @skb: the message
 * @config: the policy
 *
 * Return: 0 or -EMSGSIZE.
 */
int weir_trim_nl_put_rules(struct sk_buff *skb,
			   const struct weir_trim_config *config)
{
	unsigned int i;

	for (i = 0; i < config->rules; i++)
		if (weir_nl_put_rule(skb, WEIR_A_TRIM_RULE, &config->rule[i], NULL))
			return -EMSGSIZE;
	return 0;
}

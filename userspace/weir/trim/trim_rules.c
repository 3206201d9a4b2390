// SPDX-License-Identifier: GPL-2.0
/*
 * Rules that are added to those of a port, or taken from them, one by one. A request to the module
 * has all rules, so it gets those that there are as well.
 */
#include <errno.h>
#include <linux/genetlink.h>
#include <string.h>

#include <weir_trim_nl.h>

#include "base/tool.h"
#include "trim/trim.h"

/* Keys that change single rules. */
static bool adds(const struct value *value)
{
	return !strncmp(value->key->name, "add-", strlen("add-"));
}

static bool takes(const struct value *value)
{
	return !strncmp(value->key->name, "del-", strlen("del-"));
}

static bool disables(const struct value *value)
{
	return !strcmp(value->key->name + strlen("add-"), "disable-trim");
}

static bool is_rule(const struct nlattr *rule, const struct value *value)
{
	struct match match;

	return match_read_rule(&match, rule) == disables(value) &&
	       !memcmp(&match, &value->match, sizeof(match));
}

static int check_words(const struct args *args, bool replaces, bool *any)
{
	size_t i;

	*any = false;
	for (i = 0; i < args->count; i++)
		*any |= adds(&args->value[i]) || takes(&args->value[i]);
	if (*any && replaces)
		return usage("rule", "trim replace takes all rules: write rule and disable-trim, without add- and del-");
	if (*any && (args_get(args, "rule") || args_get(args, "disable-trim")))
		return usage("rule", "trim set: rule and disable-trim replace all rules, and add- and del- change single ones: write either");
	return WEIR_OK;
}

/* Return true if the rule goes. @gone: set for the values that name it */
static bool goes(const struct nlattr *rule, const struct args *args, bool gone[static ARGS_MAX])
{
	bool out = false;
	size_t i;

	for (i = 0; i < args->count; i++) {
		if (!takes(&args->value[i]) || !is_rule(rule, &args->value[i]))
			continue;
		gone[i] = true;
		out = true;
	}
	return out;
}

static int check_gone(const struct args *args, const char *dev, const bool gone[static ARGS_MAX])
{
	size_t i;

	for (i = 0; i < args->count; i++) {
		if (takes(&args->value[i]) && !gone[i])
			return refused(ENOENT, "%s has no %s %s: look with `weir trim show dev %s`", dev,
				       args->value[i].key->name + strlen("del-"),
				       args->value[i].word, dev);
	}
	return WEIR_OK;
}

static int add(struct nlmsghdr *message, const struct value *value)
{
	struct key key = *value->key;
	struct value rule = *value;

	key.attr = WEIR_A_TRIM_RULE;
	rule.key = &key;
	return key.syntax->put(message, &rule);
}

int trim_put_rules(struct nlmsghdr *message, const struct trim_attempt *attempt)
{
	const struct args *args = attempt->args;
	bool any, gone[ARGS_MAX] = {};
	const struct nlattr *attr;
	unsigned int rules = 0;
	int status;
	size_t i;

	status = check_words(args, attempt->replaces, &any);
	if (status || !any)
		return status;
	if (attempt->reply.count) {
		mnl_attr_for_each(attr, attempt->reply.message[0], sizeof(struct genlmsghdr)) {
			if (mnl_attr_get_type(attr) != WEIR_A_TRIM_RULE || goes(attr, args, gone))
				continue;
			mnl_attr_put(message, attr->nla_type, mnl_attr_get_payload_len(attr),
				     mnl_attr_get_payload(attr));
			rules++;
		}
	}
	status = check_gone(args, attempt->link.name, gone);
	for (i = 0; !status && i < args->count; i++) {
		if (!adds(&args->value[i]))
			continue;
		status = add(message, &args->value[i]);
		rules++;
	}
	/* Without a rule the request would leave those that there are. */
	if (!status && !rules)
		return refused(EINVAL, "%s would have no rule: run `weir trim del dev %s`, and nothing is trimmed",
			       attempt->link.name, attempt->link.name);
	return status;
}

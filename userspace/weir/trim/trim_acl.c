// SPDX-License-Identifier: GPL-2.0
/* ACLs: lists of rules, shared by ports, about packets that are never trimmed. */
#include <errno.h>
#include <string.h>

#include <weir_trim_nl.h>

#include "base/print.h"
#include "base/tool.h"
#include "grammar/args.h"
#include "grammar/commands.h"
#include "grammar/match.h"
#include "netlink/genl.h"
#include "request/request.h"
#include "request/show.h"
#include "trim/trim.h"

#define DISABLE	"disable-trim"
#define PASS	"pass"

int trim_acl_set(const struct args *args)
{
	const struct value *disable = args_get(args, DISABLE), *pass = args_get(args, PASS);

	if (!strcmp(args_word(args, "name"), TRIM_UNSET))
		return usage("name", "trim-acl set: `acl " TRIM_UNSET "` is that of ports without an ACL: give the ACL another name");
	if (!disable && !pass)
		return usage("rule", "trim-acl set: say which packets the rule matches: write " DISABLE " MATCH, or " PASS " MATCH");
	if (disable && pass)
		return usage("rule", "trim-acl set: a rule has either " DISABLE " or " PASS ": write two rules, each with a prio of its own");
	return request_run(args);
}

static const char *key_of(const struct nlattr *rule)
{
	struct match match;

	return match_read_rule(&match, rule) ? DISABLE : PASS;
}

static void acl_print(const struct nlmsghdr *message, bool brief)
{
	const struct nlattr *acl[WEIR_A_TRIM_ACL_MAX + 1], *rule[WEIR_A_TRIM_RULE_MAX + 1];

	(void)brief;
	weir_attributes(message, acl, WEIR_A_TRIM_ACL_MAX);
	print_string_as("acl", COLOR_NAME, "name", nl_string(acl[WEIR_A_TRIM_ACL_NAME]));
	show_number("prio", acl[WEIR_A_TRIM_ACL_PRIO]);
	if (acl[WEIR_A_TRIM_ACL_RULE]) {
		match_print_rule(key_of(acl[WEIR_A_TRIM_ACL_RULE]), acl[WEIR_A_TRIM_ACL_RULE]);
		nl_nested(acl[WEIR_A_TRIM_ACL_RULE], rule, WEIR_A_TRIM_RULE_MAX);
	}
	show_number("ports", acl[WEIR_A_TRIM_ACL_PORTS]);
	if (!opt.stats || !acl[WEIR_A_TRIM_ACL_RULE])
		return;
	print_uint("packets", nl_uint(rule[WEIR_A_TRIM_RULE_PACKETS]));
	print_uint("bytes", nl_uint(rule[WEIR_A_TRIM_RULE_BYTES]));
}

/* All rules of one ACL, or of all, are a dump. An ACL without rules is not there. */
int trim_acl_show(const struct args *args)
{
	const char *name = args_word(args, "name");
	struct nl_replies replies = {};
	struct weir weir;
	int status;

	status = weir_open(&weir, args->verb->command);
	if (status)
		return status;
	status = request_show(&weir, args, false, &replies);
	if (!status && name && !replies.count)
		status = refused(ENOENT, "trim-acl show: there is no such ACL");
	if (!status)
		show_replies(&replies, acl_print);
	nl_replies_free(&replies);
	weir_close(&weir);
	return status;
}

bool trim_acl_leaves(const struct nl_replies *acls, const char *name, uint32_t proto, uint32_t port)
{
	const struct nlattr *acl[WEIR_A_TRIM_ACL_MAX + 1];
	enum match_extent extent;
	struct match match;
	bool disables;
	size_t i;

	for (i = 0; i < acls->count; i++) {
		weir_attributes(acls->message[i], acl, WEIR_A_TRIM_ACL_MAX);
		if (strcmp(nl_string(acl[WEIR_A_TRIM_ACL_NAME]), name) || !acl[WEIR_A_TRIM_ACL_RULE])
			continue;
		disables = match_read_rule(&match, acl[WEIR_A_TRIM_ACL_RULE]);
		extent = match_extent(&match, proto, port);
		if (disables && extent == MATCH_ALL)
			return false;
		if (!disables && extent != MATCH_NONE)
			return true;
	}
	return true;
}

void trim_acl_save(const struct nlmsghdr *message)
{
	const struct nlattr *acl[WEIR_A_TRIM_ACL_MAX + 1];

	weir_attributes(message, acl, WEIR_A_TRIM_ACL_MAX);
	print_text("trim-acl set");
	print_string("name", nl_string(acl[WEIR_A_TRIM_ACL_NAME]));
	show_number("prio", acl[WEIR_A_TRIM_ACL_PRIO]);
	match_print_rule(key_of(acl[WEIR_A_TRIM_ACL_RULE]), acl[WEIR_A_TRIM_ACL_RULE]);
}

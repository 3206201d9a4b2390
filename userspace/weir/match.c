// SPDX-License-Identifier: GPL-2.0
#include <linux/genetlink.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include <weir.h>

#include "args.h"
#include "nl.h"
#include "print.h"
#include "tool.h"

#define NDP 199
#define MATCH_TEXT 64

static const struct name protos[] = {
	{ IPPROTO_UDP, "udp", NULL }, { IPPROTO_TCP, "tcp", NULL }, { NDP, "ndp", NULL },
};
static const struct names proto_names = { "protocol", 3, protos };

/* A word of these names, or a number in bounds. */
static bool parse_field(const char *word, const struct names *names, uint32_t min,
			uint32_t max, uint32_t *result)
{
	const struct name *name = names ? names_find(names, word) : NULL;
	uint64_t number;
	char *end;

	if (name) {
		*result = name->value;
		return true;
	}
	if (!units_digits(word, &end, &number) || *end || number < min || number > max)
		return false;
	*result = number;
	return true;
}

static bool parse_dscps(struct match *match, char *words)
{
	char *last = strchr(words, '-');

	if (last)
		*last++ = '\0';
	match->has_dscp = true;
	return parse_field(words, &dscp_names, 0, 63, &match->dscp) &&
	       parse_field(last ?: words, &dscp_names, 0, 63, &match->last) &&
	       match->dscp <= match->last;
}

/* Why a field is wrong; NULL where it is not. */
static const char *parse_part(struct match *match, char *part)
{
	char *value = strchr(part, '=');

	if (!value)
		return "it takes dscp=, proto=, port= and vlan=, with commas between them";
	*value++ = '\0';
	if (!strcmp(part, "dscp"))
		return match->has_dscp ? "dscp is there twice" :
		       parse_dscps(match, value) ? NULL :
		       "a DSCP is 0 to 63 or a name such as af11, and of two the lower comes first";
	if (!strcmp(part, "proto"))
		return match->proto ? "proto is there twice" :
		       parse_field(value, &proto_names, 1, 255, &match->proto) ? NULL :
		       "a protocol is udp, tcp, ndp or 1 to 255";
	if (!strcmp(part, "port"))
		return match->port ? "port is there twice" :
		       parse_field(value, NULL, 1, 65535, &match->port) ? NULL :
		       "a port is 1 to 65535";
	if (!strcmp(part, "vlan"))
		return match->vlan ? "vlan is there twice" :
		       parse_field(value, NULL, 1, 4094, &match->vlan) ? NULL :
		       "a VLAN is 1 to 4094";
	return "it takes dscp=, proto=, port= and vlan=, with commas between them";
}

static int parse(struct value *value)
{
	const struct key *key = value->key;
	char text[256], *at = text, *part;
	const char *why = NULL;

	value->none = !strcmp(value->word, key->none);
	if (value->none)
		return WEIR_OK;
	snprintf(text, sizeof(text), "%s", value->word);
	while (!why && (part = strsep(&at, ",")))
		why = parse_part(&value->match, part);
	if (!why)
		return WEIR_OK;
	return usage(key->name, "%s does not understand '%s': %s, or %s for all packets",
		     key->name, value->word, why, key->none);
}

static void put_field(struct nlmsghdr *message, uint16_t attr, uint32_t number)
{
	if (number)
		mnl_attr_put_u32(message, attr, number);
}

static void put(struct nlmsghdr *message, const struct match *match, bool disable)
{
	struct nlattr *nest = mnl_attr_nest_start(message, WEIR_A_TRIM_RULE);

	if (match->has_dscp) {
		mnl_attr_put_u32(message, WEIR_A_TRIM_RULE_DSCP, match->dscp);
		mnl_attr_put_u32(message, WEIR_A_TRIM_RULE_DSCP_LAST, match->last);
	}
	put_field(message, WEIR_A_TRIM_RULE_PROTO, match->proto);
	put_field(message, WEIR_A_TRIM_RULE_PORT, match->port);
	put_field(message, WEIR_A_TRIM_RULE_VLAN, match->vlan);
	if (disable)
		mnl_attr_put(message, WEIR_A_TRIM_RULE_DISABLE, 0, NULL);
	mnl_attr_nest_end(message, nest);
}

static void put_rule(struct nlmsghdr *message, const struct value *value)
{
	put(message, &value->match, false);
}

static void put_disable(struct nlmsghdr *message, const struct value *value)
{
	put(message, &value->match, true);
}

const struct syntax match_syntax = { parse, put_rule };
const struct syntax match_disable_syntax = { parse, put_disable };

/* Returns whether it is one of packets that are never trimmed. */
static bool read_rule(struct match *match, const struct nlattr *nest)
{
	const struct nlattr *table[WEIR_A_TRIM_RULE_MAX + 1];
	const struct nlattr *last;

	nl_nested(nest, table, WEIR_A_TRIM_RULE_MAX);
	last = table[WEIR_A_TRIM_RULE_DSCP_LAST] ?: table[WEIR_A_TRIM_RULE_DSCP];
	*match = (struct match){
		.has_dscp = table[WEIR_A_TRIM_RULE_DSCP],
		.dscp = nl_uint(table[WEIR_A_TRIM_RULE_DSCP]),
		.last = nl_uint(last),
		.proto = nl_uint(table[WEIR_A_TRIM_RULE_PROTO]),
		.port = nl_uint(table[WEIR_A_TRIM_RULE_PORT]),
		.vlan = nl_uint(table[WEIR_A_TRIM_RULE_VLAN]),
	};
	return table[WEIR_A_TRIM_RULE_DISABLE];
}

static void append(char *text, const char *field, const char *value)
{
	size_t used = strlen(text);

	snprintf(text + used, MATCH_TEXT - used, "%s%s=%s", used ? "," : "", field, value);
}

static void append_number(char *text, const char *field, uint32_t number)
{
	char value[16];

	snprintf(value, sizeof(value), "%u", number);
	if (number)
		append(text, field, value);
}

/* As the command line takes it. */
static void print_text_of(const char *key, const struct match *match)
{
	char text[MATCH_TEXT] = "", dscps[16];

	snprintf(dscps, sizeof(dscps), match->dscp == match->last ? "%u" : "%u-%u",
		 match->dscp, match->last);
	if (match->has_dscp)
		append(text, "dscp", dscps);
	if (match->proto)
		append(text, "proto", names_word(&proto_names, match->proto));
	append_number(text, "port", match->port);
	append_number(text, "vlan", match->vlan);
	print_string(key, *text ? text : "any");
}

static void print_number(const char *key, uint32_t number)
{
	if (number)
		print_uint(key, number);
}

static void print_json_of(const struct match *match)
{
	print_object(NULL);
	if (match->has_dscp) {
		print_uint("dscp", match->dscp);
		print_uint("dscp-last", match->last);
	}
	print_number("proto", match->proto);
	print_number("port", match->port);
	print_number("vlan", match->vlan);
	print_end();
}

static void print_rules(const char *key, const struct nlmsghdr *message, bool disable)
{
	const struct nlattr *attr;
	struct match match;

	print_list(key);
	mnl_attr_for_each(attr, message, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) != WEIR_A_TRIM_RULE ||
		    read_rule(&match, attr) != disable)
			continue;
		if (opt.json)
			print_json_of(&match);
		else
			print_text_of(key, &match);
	}
	print_end();
}

void match_print(const struct nlmsghdr *message)
{
	print_rules("rule", message, false);
	print_rules("disable-trim", message, true);
}

unsigned int match_count(const struct nlmsghdr *message)
{
	const struct nlattr *attr;
	unsigned int count = 0;

	mnl_attr_for_each(attr, message, sizeof(struct genlmsghdr))
		count += mnl_attr_get_type(attr) == WEIR_A_TRIM_RULE;
	return count;
}

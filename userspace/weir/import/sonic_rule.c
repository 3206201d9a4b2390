// SPDX-License-Identifier: GPL-2.0
/*
 * Conditions of SONiC's ACL rules as matches of weir. A rule becomes several matches if it has a
 * range of ports, which weir does not compare.
 */
#include <stdlib.h>
#include <string.h>

#include "import/sonic.h"

#define PORTS_MAX 16

#define NO_CONDITION	"weir has no such condition, so the rule is left out"
#define NO_VALUE	"weir does not take this value, so the rule is left out"
#define MANY_PORTS	"the range has more than 16 ports, and weir compares single ones: the rule is left out"
#define NO_PORTS	"only UDP and TCP have ports: the rule is left out"
#define TWO_FAMILIES	"addresses of IPv4 and IPv6 do not go together: the rule is left out"

static const struct {
	const char *field;
	const char *word;
	uint64_t max;		/* of a number; 0 for an address */
} fields[] = {
	{ "SRC_IP", "src", 0 }, { "SRC_IPV6", "src", 0 },
	{ "DST_IP", "dst", 0 }, { "DST_IPV6", "dst", 0 },
	{ "IP_PROTOCOL", "proto", 255 }, { "NEXT_HEADER", "proto", 255 },
	{ "L4_SRC_PORT", "sport", 65535 }, { "L4_DST_PORT", "port", 65535 },
	{ "DSCP", "dscp", 63 }, { "VLAN_ID", "vlan", 4094 },
};

#define FIELDS (sizeof(fields) / sizeof(fields[0]))

/**
 * struct ports - UDP or TCP ports of a rule
 * @first: 0 for all ports
 * @last: the last one of a range
 */
struct ports {
	uint64_t first;
	uint64_t last;
};

bool sonic_rule_is_action(const char *field)
{
	size_t length = strlen(field), end = strlen("_ACTION");

	return length > end && !strcmp(field + length - end, "_ACTION");
}

/* Fields that neither compare anything nor do anything to packets. */
static bool is_remark(const char *field)
{
	return !strcmp(field, "PRIORITY") || !strcmp(field, "RULE_DESCRIPTION");
}

/* Read "22-25". */
static const char *read_range(struct ports *ports, const char *text)
{
	char first[8];
	size_t length = strcspn(text, "-");

	if (ports->first || !text[length] || length >= sizeof(first))
		return NO_VALUE;
	snprintf(first, sizeof(first), "%.*s", (int)length, text);
	if (!import_number(first, 65535, &ports->first) || !ports->first ||
	    !import_number(text + length + 1, 65535, &ports->last) || ports->last < ports->first)
		return NO_VALUE;
	return ports->last - ports->first < PORTS_MAX ? NULL : MANY_PORTS;
}

static const char *read_field(struct match *match, const char *field, const char *value)
{
	char text[MATCH_TEXT];
	uint64_t number;
	size_t i;

	for (i = 0; i < FIELDS && strcmp(field, fields[i].field); i++)
		;
	if (i == FIELDS)
		return NO_CONDITION;
	if (!fields[i].max)
		snprintf(text, sizeof(text), "%s=%.64s", fields[i].word, value);
	else if (import_number(value, fields[i].max, &number))
		snprintf(text, sizeof(text), "%s=%u", fields[i].word, (unsigned int)number);
	else
		return NO_VALUE;
	return match_parse(match, text, false) ? NO_VALUE : NULL;
}

/* Clear the bits of an address that do not count: weir refuses them. */
static void clear_rest(struct prefix *prefix)
{
	size_t i;

	for (i = prefix->bits / 8; i < prefix->addr.len; i++)
		prefix->addr.bytes[i] &= i == prefix->bits / 8 ? ~(0xff >> prefix->bits % 8) : 0;
}

static bool has_two_families(const struct match *match)
{
	return match->src.bits && match->dst.bits && match->src.addr.len != match->dst.addr.len;
}

/* Return true if the rule is about a protocol other than UDP and TCP. */
static bool is_portless(uint32_t proto)
{
	return proto && proto != IPPROTO_UDP && proto != IPPROTO_TCP;
}

static bool has_foreign_ports(const struct match *match)
{
	return (match->port || match->sport) && is_portless(match->proto);
}

void sonic_rules_add(struct sonic_rules *rules, const struct match *match, bool disable)
{
	rules->rule = reallocarray(rules->rule, rules->count + 1, sizeof(*rules->rule));
	if (!rules->rule)
		abort();
	rules->rule[rules->count++] = (struct sonic_rule){ *match, disable };
}

void sonic_rules_free(struct sonic_rules *rules)
{
	free(rules->rule);
	*rules = (struct sonic_rules){};
}

/* Add a match for each pair of ports. */
static void add_all(struct sonic_rules *rules, struct match *match, const struct ports *src,
		    const struct ports *dst, bool disable)
{
	uint64_t from, to;

	for (from = src->first; from <= src->last; from++) {
		for (to = dst->first; to <= dst->last; to++) {
			match->sport = from ?: match->sport;
			match->port = to ?: match->port;
			sonic_rules_add(rules, match, disable);
		}
	}
}

const char *sonic_rule_read(struct json_object *rule, bool disable, struct sonic_rules *rules,
			    const char **wrong)
{
	struct ports src = {}, dst = {};
	struct match match = {};
	const char *why = NULL;

	json_object_object_foreach(rule, field, value) {
		const char *text = json_object_get_string(value);

		*wrong = field;
		if (is_remark(field) || sonic_rule_is_action(field))
			continue;
		if (!text)
			return NO_VALUE;
		if (!strcmp(field, "L4_SRC_PORT_RANGE"))
			why = match.sport ? NO_VALUE : read_range(&src, text);
		else if (!strcmp(field, "L4_DST_PORT_RANGE"))
			why = match.port ? NO_VALUE : read_range(&dst, text);
		else
			why = read_field(&match, field, text);
		if (why)
			return why;
	}
	clear_rest(&match.src);
	clear_rest(&match.dst);
	*wrong = NULL;
	if ((match.sport && src.first) || (match.port && dst.first))
		return NO_VALUE;
	if ((src.last - src.first + 1) * (dst.last - dst.first + 1) > PORTS_MAX)
		return MANY_PORTS;
	if (has_two_families(&match))
		return TWO_FAMILIES;
	if (has_foreign_ports(&match) || (is_portless(match.proto) && (src.first || dst.first)))
		return NO_PORTS;
	add_all(rules, &match, &src, &dst, disable);
	return NULL;
}

/* Return false if no number is both. */
static bool meet_number(uint32_t a, uint32_t b, uint32_t *both)
{
	*both = a ?: b;
	return !a || !b || a == b;
}

static bool meet_prefix(const struct prefix *a, const struct prefix *b, struct prefix *both)
{
	struct prefix wider;

	*both = a->bits > b->bits ? *a : *b;
	if (!a->bits || !b->bits)
		return true;
	wider = *both;
	wider.bits = a->bits > b->bits ? b->bits : a->bits;
	clear_rest(&wider);
	return addr_equal(&wider.addr, a->bits > b->bits ? &b->addr : &a->addr);
}

bool sonic_match_meet(const struct match *a, const struct match *b, struct match *both)
{
	*both = (struct match){
		.has_dscp = a->has_dscp || b->has_dscp,
		.dscp = a->has_dscp ? a->dscp : b->dscp,
		.last = a->has_dscp ? a->last : b->last,
	};
	snprintf(both->from, sizeof(both->from), "%s", *a->from ? a->from : b->from);
	return !(a->has_dscp && b->has_dscp && a->dscp != b->dscp) &&
	       !(*a->from && *b->from && strcmp(a->from, b->from)) &&
	       meet_number(a->proto, b->proto, &both->proto) &&
	       meet_number(a->port, b->port, &both->port) &&
	       meet_number(a->sport, b->sport, &both->sport) &&
	       meet_number(a->vlan, b->vlan, &both->vlan) &&
	       meet_prefix(&a->src, &b->src, &both->src) &&
	       meet_prefix(&a->dst, &b->dst, &both->dst) &&
	       !has_two_families(both) && !has_foreign_ports(both);
}

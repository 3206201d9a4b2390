// SPDX-License-Identifier: GPL-2.0
#include <linux/genetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <weir_trim_nl.h>
#include <weir_xdp_nl.h>

#include "base/device.h"
#include "base/print.h"
#include "base/tool.h"
#include "grammar/args.h"
#include "grammar/match_more.h"
#include "netlink/nl.h"

#define NDP 199
#define PREFIX_TEXT (ADDR_TEXT + 4)
#define WORDS "it takes dscp=, proto=, port=, sport=, vlan=, src=, dst= and from=, with commas between them"
#define FILTER_WORDS "it takes dscp=, proto=, port=, sport=, vlan=, src=, dst=, len=, tcp=, frag=, options= and unparsed=, with commas between them"

static const struct name protos[] = {
	{ IPPROTO_UDP, "udp", NULL }, { IPPROTO_TCP, "tcp", NULL }, { NDP, "ndp", NULL },
};
static const struct names proto_names = { "protocol", 3, protos };

/**
 * struct field - a part of a match that is a number, or addresses
 * @word: its word
 * @at: its offset in struct match
 * @attr: the attribute that carries it
 * @prefix: the attribute with the number of an address's bits that count; 0 for
 *	a number
 * @min: least number
 * @max: greatest number
 * @names: of numbers that have some
 * @twice: the complaint where it is there already
 * @wrong: the complaint about a wrong value
 */
struct field {
	const char *word;
	size_t at;
	uint16_t attr;
	uint16_t prefix;
	uint32_t min;
	uint32_t max;
	const struct names *names;
	const char *twice;
	const char *wrong;
};

/* In the order in which they are shown. */
static const struct field fields[] = {
	{ "proto", offsetof(struct match, proto), WEIR_A_TRIM_RULE_PROTO, 0, 1, 255, &proto_names,
	  "proto is there twice", "a protocol is udp, tcp, ndp or 1 to 255" },
	{ "port", offsetof(struct match, port), WEIR_A_TRIM_RULE_PORT, 0, 1, 65535, NULL,
	  "port is there twice", "a port is 1 to 65535" },
	{ "sport", offsetof(struct match, sport), WEIR_A_TRIM_RULE_SPORT, 0, 1, 65535, NULL,
	  "sport is there twice", "a port is 1 to 65535" },
	{ "vlan", offsetof(struct match, vlan), WEIR_A_TRIM_RULE_VLAN, 0, 1, 4094, NULL,
	  "vlan is there twice", "a VLAN is 1 to 4094" },
	{ "src", offsetof(struct match, src), WEIR_A_TRIM_RULE_SRC,
	  WEIR_A_TRIM_RULE_SRC_PREFIX, 0, 0, NULL,
	  "src is there twice", "src is an address, as 10.0.0.1, or a prefix, as 10.0.0.0/8" },
	{ "dst", offsetof(struct match, dst), WEIR_A_TRIM_RULE_DST,
	  WEIR_A_TRIM_RULE_DST_PREFIX, 0, 0, NULL,
	  "dst is there twice", "dst is an address, as 2001:db8::1, or a prefix, as 2001:db8::/32" },
};

#define FIELDS (sizeof(fields) / sizeof(fields[0]))

static uint32_t *number_of(const struct field *field, struct match *match)
{
	return (uint32_t *)((char *)match + field->at);
}

static struct prefix *prefix_of(const struct field *field, struct match *match)
{
	return (struct prefix *)((char *)match + field->at);
}

/* A word of these names, or a number in bounds. */
static bool parse_number(const char *word, const struct names *names, uint32_t min,
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

static bool parse_prefix(struct prefix *prefix, char *words)
{
	char *bits = strchr(words, '/');

	if (bits)
		*bits++ = '\0';
	if (!addr_parse(&prefix->addr, words) || addr_is_link(&prefix->addr))
		return false;
	prefix->bits = 8 * prefix->addr.len;
	return !bits || parse_number(bits, NULL, 1, prefix->bits, &prefix->bits);
}

/* The part up to the next comma that no backslash quotes; @at is moved behind that. */
static char *next_part(char **at)
{
	char *part = *at, *end = part;

	if (!part)
		return NULL;
	while (*end && *end != ',')
		end += *end == '\\' && end[1] ? 2 : 1;
	*at = *end ? end + 1 : NULL;
	*end = '\0';
	return part;
}

/* Parse the value of a field. Return NULL, or what is wrong with it. */
static const char *parse_field(const struct field *field, struct match *match, char *value)
{
	bool good;

	if (field->prefix ? prefix_of(field, match)->bits : *number_of(field, match))
		return field->twice;
	good = field->prefix ? parse_prefix(prefix_of(field, match), value) :
	       parse_number(value, field->names, field->min, field->max,
			    number_of(field, match));
	return good ? NULL : field->wrong;
}

static const char *parse_dscps(struct match *match, char *words)
{
	char *last = strchr(words, '-');

	if (match->has_dscp)
		return "dscp is there twice";
	if (last)
		*last++ = '\0';
	match->has_dscp = true;
	if (parse_number(words, &dscp_names, 0, 63, &match->dscp) &&
	    parse_number(last ?: words, &dscp_names, 0, 63, &match->last) &&
	    match->dscp <= match->last)
		return NULL;
	return "a DSCP is 0 to 63 or a name such as af11, and of two the lower comes first";
}

/* The request finds out whether there is such a device. A backslash quotes a comma of its name. */
static const char *parse_from(struct match *match, const char *word)
{
	size_t used = 0;

	if (*match->from)
		return "from is there twice";
	for (; *word && used < sizeof(match->from); word++) {
		if (*word == '\\' && word[1])
			word++;
		match->from[used++] = *word;
	}
	if (!used || used == sizeof(match->from)) {
		*match->from = '\0';
		return "from is the name of a network device";
	}
	match->from[used] = '\0';
	return NULL;
}

static const char *parse_part(struct match *match, char *part, bool filter)
{
	const char *words = filter ? FILTER_WORDS : WORDS;
	char *value = strchr(part, '=');
	size_t i;

	if (!value)
		return words;
	*value++ = '\0';
	if (!strcmp(part, "dscp"))
		return parse_dscps(match, value);
	if (!filter && !strcmp(part, "from"))
		return parse_from(match, value);
	for (i = 0; i < FIELDS; i++)
		if (!strcmp(part, fields[i].word))
			return parse_field(&fields[i], match, value);
	return filter && match_more_is(part) ? match_more_parse(&match->more, part, value) : words;
}

const char *match_parse(struct match *match, const char *word, bool filter)
{
	char text[MATCH_TEXT], *at = text, *part;
	const char *why = NULL;

	if (strlen(word) >= sizeof(text))
		return "it is too long";
	strcpy(text, word);
	while (!why && (part = next_part(&at)))
		why = parse_part(match, part, filter);
	return why;
}

static int parse_value(struct value *value, bool filter)
{
	const struct key *key = value->key;
	const char *why;

	value->none = !strcmp(value->word, key->none);
	why = value->none ? NULL : match_parse(&value->match, value->word, filter);
	if (!why)
		return WEIR_OK;
	return usage(key->name, "%s does not understand '%s': %s, or %s for all packets",
		     key->name, value->word, why, key->none);
}

static int parse(struct value *value)
{
	return parse_value(value, false);
}

static int parse_filter(struct value *value)
{
	return parse_value(value, true);
}

static void put_field(struct nlmsghdr *message, const struct field *field,
		      struct match *match)
{
	const struct prefix *prefix = prefix_of(field, match);

	if (!field->prefix && *number_of(field, match))
		nl_put_u32(message, field->attr, *number_of(field, match));
	if (!field->prefix || !prefix->bits)
		return;
	nl_put(message, field->attr, prefix->addr.len, prefix->addr.bytes);
	nl_put_u32(message, field->prefix, prefix->bits);
}

static int put_nest(struct nlmsghdr *message, uint16_t attr, const struct match *from,
		    bool disable)
{
	struct nlattr *nest = nl_nest(message, attr);
	struct match match = *from;
	unsigned int ifindex;
	int status = WEIR_OK;
	size_t i;

	if (match.has_dscp) {
		nl_put_u32(message, WEIR_A_TRIM_RULE_DSCP, match.dscp);
		nl_put_u32(message, WEIR_A_TRIM_RULE_DSCP_LAST, match.last);
	}
	for (i = 0; i < FIELDS; i++)
		put_field(message, &fields[i], &match);
	if (*match.from)
		status = device_find(match.from, &ifindex);
	if (!status && *match.from)
		nl_put_u32(message, WEIR_A_TRIM_RULE_FROM, ifindex);
	if (disable)
		nl_put(message, WEIR_A_TRIM_RULE_DISABLE, 0, NULL);
	nl_nest_end(message, nest);
	return status;
}

static int put_rule(struct nlmsghdr *message, const struct value *value)
{
	return put_nest(message, value->key->attr, &value->match, false);
}

static int put_disable(struct nlmsghdr *message, const struct value *value)
{
	return put_nest(message, value->key->attr, &value->match, true);
}

void match_put(struct nlmsghdr *message, uint16_t attr, const struct match *match)
{
	struct nlattr *nest = nl_nest(message, attr);

	/* It names no device, so that it can always be put. */
	put_nest(message, WEIR_A_FILTER_MATCH_RULE, match, false);
	match_more_put(message, &match->more);
	nl_nest_end(message, nest);
}

static int put_filter(struct nlmsghdr *message, const struct value *value)
{
	match_put(message, WEIR_A_FILTER_MATCH, &value->match);
	return WEIR_OK;
}

const struct syntax match_syntax = { .parse = parse, .put = put_rule };
const struct syntax match_disable_syntax = { .parse = parse, .put = put_disable };
const struct syntax match_filter_syntax = { .parse = parse_filter, .put = put_filter };

static void read_field(const struct field *field, const struct nlattr *const table[],
		       struct match *match)
{
	const struct nlattr *attr = table[field->attr];
	struct prefix *prefix = prefix_of(field, match);

	if (!field->prefix)
		*number_of(field, match) = nl_uint(attr);
	else if (nl_addr(attr, &prefix->addr))
		prefix->bits = nl_uint(table[field->prefix]);
}

/* A device that is gone has a number alone, which no packet comes by. */
static void read_from(struct match *match, unsigned int ifindex)
{
	char name[IF_NAMESIZE];

	if (!ifindex)
		return;
	if (if_indextoname(ifindex, name))
		snprintf(match->from, sizeof(match->from), "%s", name);
	else
		snprintf(match->from, sizeof(match->from), "%u", ifindex);
}

/* Returns whether it is one of packets that are never trimmed. */
static bool read_rule(struct match *match, const struct nlattr *nest)
{
	const struct nlattr *table[WEIR_A_TRIM_RULE_MAX + 1];
	const struct nlattr *last;
	size_t i;

	nl_nested(nest, table, WEIR_A_TRIM_RULE_MAX);
	last = table[WEIR_A_TRIM_RULE_DSCP_LAST] ?: table[WEIR_A_TRIM_RULE_DSCP];
	*match = (struct match){
		.has_dscp = table[WEIR_A_TRIM_RULE_DSCP],
		.dscp = nl_uint(table[WEIR_A_TRIM_RULE_DSCP]),
		.last = nl_uint(last),
	};
	for (i = 0; i < FIELDS; i++)
		read_field(&fields[i], table, match);
	read_from(match, nl_uint(table[WEIR_A_TRIM_RULE_FROM]));
	return table[WEIR_A_TRIM_RULE_DISABLE];
}

bool match_read_rule(struct match *match, const struct nlattr *rule)
{
	return read_rule(match, rule);
}

void match_read(struct match *match, const struct nlattr *nest)
{
	const struct nlattr *table[WEIR_A_FILTER_MATCH_MAX + 1];

	nl_nested(nest, table, WEIR_A_FILTER_MATCH_MAX);
	memset(match, 0, sizeof(*match));
	if (table[WEIR_A_FILTER_MATCH_RULE])
		read_rule(match, table[WEIR_A_FILTER_MATCH_RULE]);
	match_more_read(&match->more, table);
}

static const char *prefix_text(const struct prefix *prefix, char text[static PREFIX_TEXT])
{
	char addr[ADDR_TEXT];

	addr_text(&prefix->addr, addr);
	if (prefix->bits == 8u * prefix->addr.len)
		snprintf(text, PREFIX_TEXT, "%s", addr);
	else
		snprintf(text, PREFIX_TEXT, "%s/%u", addr, prefix->bits);
	return text;
}

void match_append(char text[static MATCH_TEXT], const char *field, const char *value)
{
	size_t used = strlen(text);

	snprintf(text + used, MATCH_TEXT - used, "%s%s=%s", used ? "," : "", field, value);
}

static void append_field(char *text, const struct field *field, struct match *match)
{
	char value[PREFIX_TEXT];

	if (field->prefix) {
		if (prefix_of(field, match)->bits)
			match_append(text, field->word, prefix_text(prefix_of(field, match), value));
		return;
	}
	snprintf(value, sizeof(value), "%u", *number_of(field, match));
	if (*number_of(field, match))
		match_append(text, field->word, field->names ?
		       names_word(field->names, *number_of(field, match)) : value);
}

static void append_from(char *text, const char *name)
{
	char word[2 * IF_NAMESIZE];
	size_t used = 0;

	for (; *name; name++) {
		if (*name == ',' || *name == '\\')
			word[used++] = '\\';
		word[used++] = *name;
	}
	word[used] = '\0';
	match_append(text, "from", word);
}

void match_text(struct match *match, char text[static MATCH_TEXT])
{
	char dscps[16];
	size_t i;

	*text = '\0';
	snprintf(dscps, sizeof(dscps), match->dscp == match->last ? "%u" : "%u-%u",
		 match->dscp, match->last);
	if (match->has_dscp)
		match_append(text, "dscp", dscps);
	for (i = 0; i < FIELDS; i++)
		append_field(text, &fields[i], match);
	if (*match->from)
		append_from(text, match->from);
	match_more_text(&match->more, text);
	if (!*text)
		strcpy(text, "any");
}

static void print_json_field(const struct field *field, struct match *match)
{
	char text[PREFIX_TEXT];

	if (!field->prefix && *number_of(field, match))
		print_uint(field->word, *number_of(field, match));
	if (field->prefix && prefix_of(field, match)->bits)
		print_string(field->word, prefix_text(prefix_of(field, match), text));
}

static void print_json_fields(struct match *match)
{
	size_t i;

	if (match->has_dscp) {
		print_uint("dscp", match->dscp);
		print_uint("dscp-last", match->last);
	}
	for (i = 0; i < FIELDS; i++)
		print_json_field(&fields[i], match);
	if (*match->from)
		print_string("from", match->from);
	match_more_print(&match->more);
}

static void print_json_of(const char *key, struct match *match)
{
	print_object(key);
	print_json_fields(match);
	print_end();
}

void match_print_one(const char *key, struct match *match)
{
	char text[MATCH_TEXT];

	if (opt.json) {
		print_json_of(NULL, match);
		return;
	}
	match_text(match, text);
	print_string(key, text);
}

/* In text a rule with counters has a line of its own. */
static void print_counted(const char *key, const struct nlattr *rule, struct match *match)
{
	const struct nlattr *table[WEIR_A_TRIM_RULE_MAX + 1];
	char text[MATCH_TEXT];

	nl_nested(rule, table, WEIR_A_TRIM_RULE_MAX);
	print_line(4);
	print_object(NULL);
	match_text(match, text);
	if (opt.json)
		print_json_fields(match);
	else
		print_string(key, text);
	print_uint("packets", nl_uint(table[WEIR_A_TRIM_RULE_PACKETS]));
	print_uint("bytes", nl_uint(table[WEIR_A_TRIM_RULE_BYTES]));
	print_end();
}

static void print_rules(const char *key, const struct nlmsghdr *message, bool disable,
			bool counters)
{
	const struct nlattr *attr;
	struct match match;

	print_list(key);
	mnl_attr_for_each(attr, message, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) != WEIR_A_TRIM_RULE ||
		    read_rule(&match, attr) != disable)
			continue;
		if (counters)
			print_counted(key, attr, &match);
		else
			match_print_one(key, &match);
	}
	print_end();
}

void match_print_rule(const char *key, const struct nlattr *rule)
{
	struct match match;

	read_rule(&match, rule);
	if (opt.json)
		print_json_of(key, &match);
	else
		match_print_one(key, &match);
}

void match_print(const struct nlmsghdr *message, bool counters)
{
	print_rules("rule", message, false, counters);
	print_rules("disable-trim", message, true, counters);
}

enum match_extent match_extent(const struct match *match, uint32_t proto, uint32_t port)
{
	const struct match ports = { .proto = match->proto, .port = match->port };

	if ((match->proto && match->proto != proto) || (match->port && match->port != port) ||
	    (match->sport && match->sport != port))
		return MATCH_NONE;
	return memcmp(match, &ports, sizeof(ports)) ? MATCH_SOME : MATCH_ALL;
}

bool match_may_trim(const struct nlmsghdr *message, uint32_t proto, uint32_t port)
{
	const struct nlattr *attr;
	enum match_extent extent;
	bool may = false, disables;
	struct match match;

	mnl_attr_for_each(attr, message, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) != WEIR_A_TRIM_RULE)
			continue;
		disables = read_rule(&match, attr);
		extent = match_extent(&match, proto, port);
		if (!disables)
			may |= extent != MATCH_NONE;
		else if (extent == MATCH_ALL)
			return false;
	}
	return may;
}

unsigned int match_count(const struct nlmsghdr *message)
{
	const struct nlattr *attr;
	unsigned int count = 0;

	mnl_attr_for_each(attr, message, sizeof(struct genlmsghdr))
		count += mnl_attr_get_type(attr) == WEIR_A_TRIM_RULE;
	return count;
}

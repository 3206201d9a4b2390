// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "base/print.h"
#include "base/tool.h"
#include "grammar/args.h"
#include "grammar/dscp.h"
#include "netlink/nl.h"

#define DSCP_MAX 63

static bool parse_dscp(const char *word, uint64_t *dscp)
{
	const struct name *name = names_find(&dscp_names, word);
	char *end;

	if (name)
		*dscp = name->value;
	return name || (units_digits(word, &end, dscp) && !*end && *dscp <= DSCP_MAX);
}

static int parse(struct value *value)
{
	const char *none = value->key->none;

	value->none = none && !strcmp(value->word, none);
	if (value->none || parse_dscp(value->word, &value->number))
		return WEIR_OK;
	return usage(value->key->name, "%s takes a DSCP, 0 to %u or a name such as cs6 or af11%s%s, not '%s'",
		     value->key->name, DSCP_MAX, none ? ", or " : "", none ?: "", value->word);
}

static int put(struct nlmsghdr *message, const struct value *value)
{
	if (!value->none)
		nl_put_u32(message, value->attr, value->number);
	return WEIR_OK;
}

const struct syntax dscp_syntax = { .parse = parse, .put = put };

static void map_begin(struct dscp_map *map)
{
	unsigned int i;

	for (i = 0; i < TRAFFIC_CLASSES; i++)
		map->dscp[i] = i < 8 ? 8 * i : 0;
}

/* "6:48" */
static bool parse_pair(struct dscp_map *map, const char *pair, unsigned int *seen)
{
	uint64_t class, dscp;
	char *end;

	if (!units_digits(pair, &end, &class) || *end != ':' || class >= TRAFFIC_CLASSES ||
	    *seen & 1u << class || !parse_dscp(end + 1, &dscp))
		return false;
	*seen |= 1u << class;
	map->dscp[class] = dscp;
	return true;
}

static int parse_map(struct value *value)
{
	char text[256], *at = text, *pair;
	unsigned int seen = 0;

	map_begin(&value->map);
	snprintf(text, sizeof(text), "%s", value->word);
	while ((pair = strsep(&at, ","))) {
		if (parse_pair(&value->map, pair, &seen))
			continue;
		return usage(value->key->name, "%s takes pairs of a traffic class, 0 to %u, and its DSCP, such as 0:0,6:48, each class once, not '%s'",
			     value->key->name, TRAFFIC_CLASSES - 1, value->word);
	}
	return WEIR_OK;
}

static int put_map(struct nlmsghdr *message, const struct value *value)
{
	nl_put(message, value->attr, sizeof(value->map), &value->map);
	return WEIR_OK;
}

const struct syntax dscp_map_syntax = { .parse = parse_map, .put = put_map };

void dscp_map_print(const char *key, const struct nlattr *attr)
{
	char text[128] = "";
	const uint8_t *dscp;
	unsigned int i;

	if (!attr || mnl_attr_get_payload_len(attr) != TRAFFIC_CLASSES)
		return;
	dscp = mnl_attr_get_payload(attr);
	print_list(key);
	for (i = 0; i < TRAFFIC_CLASSES; i++) {
		size_t used = strlen(text);

		if (opt.json)
			print_uint(NULL, dscp[i]);
		/* Most devices have no more classes than these, and no DSCP is for the others. */
		if (i < 8 || dscp[i])
			snprintf(text + used, sizeof(text) - used, "%s%u:%u", i ? "," : "", i,
				 dscp[i]);
	}
	print_end();
	if (!opt.json)
		print_string(key, text);
}

/* "48:6": a DSCP and its class. */
static bool parse_class(struct class_map *map, char *pair)
{
	char *colon = strchr(pair, ':'), *end;
	uint64_t dscp, class;

	if (!colon)
		return false;
	*colon = '\0';
	if (!parse_dscp(pair, &dscp) || !units_digits(colon + 1, &end, &class) || *end ||
	    class >= TRAFFIC_CLASSES || map->class[dscp] != NO_CLASS)
		return false;
	map->class[dscp] = class;
	return true;
}

static int parse_classes(struct value *value)
{
	char text[512], *at = text, *pair;

	memset(&value->classes, NO_CLASS, sizeof(value->classes));
	snprintf(text, sizeof(text), "%s", value->word);
	while ((pair = strsep(&at, ","))) {
		if (!parse_class(&value->classes, pair))
			return usage(value->key->name, "%s takes pairs of a DSCP and its traffic class, 0 to %u, such as cs6:6,44:5, each DSCP once, not '%s'",
				     value->key->name, TRAFFIC_CLASSES - 1, value->word);
	}
	return WEIR_OK;
}

static int put_classes(struct nlmsghdr *message, const struct value *value)
{
	nl_put(message, value->attr, sizeof(value->classes), &value->classes);
	return WEIR_OK;
}

const struct syntax class_map_syntax = { .parse = parse_classes, .put = put_classes };

void class_map_print(const char *key, const struct nlattr *attr)
{
	char text[512] = "";
	const uint8_t *class;
	unsigned int i;

	if (!attr || mnl_attr_get_payload_len(attr) != DSCP_MAX + 1)
		return;
	class = mnl_attr_get_payload(attr);
	print_list(key);
	for (i = 0; i <= DSCP_MAX; i++) {
		size_t used = strlen(text);

		if (opt.json)
			print_int(NULL, class[i] == NO_CLASS ? -1 : class[i]);
		if (class[i] != NO_CLASS)
			snprintf(text + used, sizeof(text) - used, "%s%u:%u", used ? "," : "", i,
				 class[i]);
	}
	print_end();
	if (!opt.json)
		print_string(key, text);
}

/* "44,cs6", each once or more; or the key's word for none alone. */
static int parse_list(struct value *value)
{
	char text[256], *at = text, *word;
	uint64_t dscp;

	value->number = 0;
	if (!strcmp(value->word, value->key->none))
		return WEIR_OK;
	snprintf(text, sizeof(text), "%s", value->word);
	while ((word = strsep(&at, ","))) {
		if (!parse_dscp(word, &dscp))
			return usage(value->key->name, "%s takes DSCPs, 0 to %u or names such as cs6, with commas between them, or %s, not '%s'",
				     value->key->name, DSCP_MAX, value->key->none, value->word);
		value->number |= 1ull << dscp;
	}
	return WEIR_OK;
}

static int put_list(struct nlmsghdr *message, const struct value *value)
{
	nl_put_u64(message, value->attr, value->number);
	return WEIR_OK;
}

const struct syntax dscp_list_syntax = { .parse = parse_list, .put = put_list };

void dscp_list_print(const char *key, const struct nlattr *attr)
{
	uint64_t dscps = nl_uint(attr);
	char text[256] = "";
	unsigned int i;

	if (!attr || (!dscps && !opt.json))
		return;
	print_list(key);
	for (i = 0; i <= DSCP_MAX; i++) {
		size_t used = strlen(text);

		if (!(dscps >> i & 1))
			continue;
		if (opt.json)
			print_uint(NULL, i);
		snprintf(text + used, sizeof(text) - used, "%s%u", used ? "," : "", i);
	}
	print_end();
	if (!opt.json)
		print_string(key, text);
}

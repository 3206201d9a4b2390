// SPDX-License-Identifier: GPL-2.0
#include <linux/pkt_sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir_trim_nl.h>

#include "base/alpha.h"
#include "base/tool.h"
#include "grammar/args.h"
#include "netlink/nl.h"
#include "trim/bands.h"
#include "trim/class.h"

/**
 * struct part - a limit of a class
 * @word: its word
 * @attr: WEIR_TC_*; of `limit` that of packets
 */
static const struct part {
	const char *word;
	int attr;
} parts[] = {
	{ "limit", WEIR_TC_LIMIT },
	{ "limit", WEIR_TC_LIMIT_BYTES },
	{ "limit", WEIR_TC_LIMIT_TIME },
	{ "limit", WEIR_TC_LIMIT_DYNAMIC },
	{ "headers", WEIR_TC_HEADERS },
	{ "header-time", WEIR_TC_HEADER_TIME },
	{ "other-limit", WEIR_TC_OTHER_LIMIT },
};

#define PARTS (sizeof(parts) / sizeof(parts[0]))

/* A class has a number before the colon and one after it, in hexadecimal. */
static bool parse_id(const char *word, uint32_t *id)
{
	unsigned long major, minor;
	char *end;

	if (!strchr("0123456789abcdefABCDEF", *word) || !*word)
		return false;
	major = strtoul(word, &end, 16);
	if (*end != ':' || !end[1] || !strchr("0123456789abcdefABCDEF", end[1]))
		return false;
	minor = strtoul(end + 1, &end, 16);
	if (*end || !major || major > UINT16_MAX || !minor || minor > UINT16_MAX)
		return false;
	*id = TC_H_MAKE(major << 16, minor);
	return true;
}

/* The attribute that a limit's word means: its unit says which kind it is. */
static int attr_of(const struct part *part, const struct value *limit)
{
	if (part->attr != WEIR_TC_LIMIT)
		return part->attr;
	switch (limit->attr) {
	case WEIR_A_TRIM_LIMIT_BYTES:
		return WEIR_TC_LIMIT_BYTES;
	case WEIR_A_TRIM_LIMIT_TIME:
		return WEIR_TC_LIMIT_TIME;
	case WEIR_A_TRIM_LIMIT_DYNAMIC:
		return WEIR_TC_LIMIT_DYNAMIC;
	default:
		return WEIR_TC_LIMIT;
	}
}

/* A value is read as that of the policy's key of the same name. */
static int parse_limit(const struct part *part, struct value *limit)
{
	const char *name = limit->key->name;

	switch (part->attr) {
	case WEIR_TC_LIMIT:
		limit->attr = WEIR_A_TRIM_LIMIT;
		return limit_parse_word(limit);
	case WEIR_TC_HEADER_TIME:
		if (names_find(&never_names, limit->word))
			return WEIR_OK;
		return args_units(name, name, limit->word, &time_units, NULL, &limit->number);
	default:
		return args_digits(limit, limit->word, &limit->number);
	}
}

static int parse_part(struct class *class, char *word)
{
	char *number = strchr(word, '=');
	struct value limit = {};
	struct key key = {};
	int status, attr;
	size_t i;

	if (number)
		*number++ = '\0';
	for (i = 0; i < PARTS && strcmp(parts[i].word, word); i++)
		;
	if (!number || i == PARTS)
		return usage("class", "class %x:%x takes limit=, headers=, header-time= and other-limit=, with commas between them, not '%s'",
			     TC_H_MAJ(class->id) >> 16, TC_H_MIN(class->id), word);
	key.name = parts[i].word;
	key.min = parts[i].attr == WEIR_TC_HEADERS;
	limit.key = &key;
	limit.word = number;
	status = parse_limit(&parts[i], &limit);
	if (status)
		return status;
	attr = attr_of(&parts[i], &limit);
	if (class->said >> attr & 1)
		return usage("class", "class %x:%x has %s of one kind twice: give it once",
			     TC_H_MAJ(class->id) >> 16, TC_H_MIN(class->id), key.name);
	class->said |= 1u << attr;
	class->limit[attr] = limit.number;
	return WEIR_OK;
}

static int parse_class(struct value *value)
{
	char text[CLASS_TEXT], *at = text, *part;
	int status = WEIR_OK;

	memset(&value->class, 0, sizeof(value->class));
	if (strlen(value->word) < sizeof(text))
		strcpy(text, value->word);
	else
		*text = '\0';
	part = strsep(&at, ",");
	if (!parse_id(part, &value->class.id))
		return usage(value->key->name, "class takes a class as tc has it, such as 1:10, and limits behind it, such as 1:10,limit=20kb, not '%s'",
			     value->word);
	while (!status && (part = strsep(&at, ",")))
		status = parse_part(&value->class, part);
	return status;
}

const struct syntax class_syntax = { .parse = parse_class };

bool class_same(const struct class *a, const struct class *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static const char *limit_text(char text[static UNITS_TEXT], int attr, uint64_t limit)
{
	char alpha[UNITS_TEXT];

	if (attr == WEIR_TC_LIMIT_BYTES)
		return units_size(text, limit);
	if (attr == WEIR_TC_LIMIT_DYNAMIC) {
		snprintf(text, UNITS_TEXT, "dynamic:%.16s", alpha_text(alpha, limit));
		return text;
	}
	if (attr == WEIR_TC_HEADER_TIME && !limit)
		return names_word(&never_names, 0);
	if (attr == WEIR_TC_LIMIT_TIME || attr == WEIR_TC_HEADER_TIME)
		return units_micros(text, limit);
	snprintf(text, UNITS_TEXT, "%ju", (uintmax_t)limit);
	return text;
}

const char *class_text(char text[static CLASS_TEXT], const struct class *class)
{
	char limit[UNITS_TEXT];
	size_t used, i;

	used = snprintf(text, CLASS_TEXT, "%x:%x", TC_H_MAJ(class->id) >> 16, TC_H_MIN(class->id));
	for (i = 0; i < PARTS && used < CLASS_TEXT; i++) {
		if (class->said >> parts[i].attr & 1)
			used += snprintf(text + used, CLASS_TEXT - used, ",%s=%s", parts[i].word,
					 limit_text(limit, parts[i].attr,
						    class->limit[parts[i].attr]));
	}
	return text;
}

void class_read(struct class *class, const void *options, size_t length)
{
	const struct nlattr *attr;

	mnl_attr_for_each_payload(options, length) {
		int type = mnl_attr_get_type(attr);

		if (type > WEIR_TC_MAX || type == WEIR_TC_PAD || type == WEIR_TC_UNSPEC)
			continue;
		class->said |= 1u << type;
		class->limit[type] = nl_uint(attr);
	}
}

size_t class_write(const struct class *class, void *options, size_t size)
{
	char buffer[NL_REQUEST_SIZE];
	struct nlmsghdr *message = mnl_nlmsg_put_header(buffer);
	size_t length;
	int attr;

	for (attr = 1; attr <= WEIR_TC_MAX; attr++) {
		if (!(class->said >> attr & 1))
			continue;
		if (attr == WEIR_TC_LIMIT_BYTES)
			mnl_attr_put_u64(message, attr, class->limit[attr]);
		else
			mnl_attr_put_u32(message, attr, class->limit[attr]);
	}
	length = mnl_nlmsg_get_payload_len(message);
	if (length > size)
		abort();
	memcpy(options, mnl_nlmsg_get_payload(message), length);
	return length;
}

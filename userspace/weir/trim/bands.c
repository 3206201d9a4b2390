// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include <weir_trim_nl.h>

#include "base/alpha.h"
#include "base/print.h"
#include "base/tool.h"
#include "grammar/args.h"
#include "netlink/nl.h"
#include "request/show.h"
#include "trim/bands.h"

#define RATIO_MAX 1000
#define BYTES_MAX 99	/* percent of the link */

#define DYNAMIC "dynamic"

static int parse_alpha(struct value *value, const char *word)
{
	uint32_t alpha;

	if (!alpha_read(word, &alpha))
		return usage(value->key->name, "%s " DYNAMIC " takes " ALPHA_TAKES ", not '%s': it is how many times the bytes that are free in the pool may wait, and 0 is no limit",
			     value->key->name, word);
	value->attr = WEIR_A_TRIM_LIMIT_DYNAMIC;
	value->number = alpha;
	return WEIR_OK;
}

/* The word names its attribute: digits are packets, units those of a time or a size. */
int limit_parse_word(struct value *value)
{
	const char *key = value->key->name;
	const char *unit = value->word + strspn(value->word, "0123456789");
	const struct units *units = units_find(&time_units, unit) ? &time_units : &size_units;
	int status;

	if (!strncmp(value->word, DYNAMIC ":", strlen(DYNAMIC ":")))
		return parse_alpha(value, value->word + strlen(DYNAMIC ":"));
	if (unit == value->word)
		return usage(key, "%s takes packets, a size, a time or " DYNAMIC ", such as 12, 18kb, 20us or " DYNAMIC " 1/2, not '%s'",
			     key, value->word);
	if (!*unit)
		return args_digits(value, value->word, &value->number);
	if (!units_find(units, unit))
		return usage(key, "%s has the unknown unit '%s': a size has b, kb, k, mb, m, gb or g, a time us, ms or s, packets have none",
			     key, unit);
	value->attr = units == &time_units ? WEIR_A_TRIM_LIMIT_TIME : WEIR_A_TRIM_LIMIT_BYTES;
	status = args_units(key, key, value->word, units, NULL, &value->number);
	if (!status && units == &time_units && value->number > UINT32_MAX)
		return usage(key, "%s %s is too long: it is 4294s at most", key, value->word);
	return status;
}

/* Words behind the key: `dynamic` has another one. */
static int span_limit(int count, char **words)
{
	return count && !strcmp(words[0], DYNAMIC) ? 2 : 1;
}

static int parse_limit(struct value *value, int count, char **words, int *used)
{
	*used = span_limit(count, words);
	if (*used == 1)
		return limit_parse_word(value);
	if (count < 2)
		return usage(value->key->name, "%s " DYNAMIC " lacks its value: write %s " DYNAMIC " ALPHA",
			     value->key->name, value->key->name);
	return parse_alpha(value, words[1]);
}

static void next_limit(int count, char **words, int (*say)(const char *word))
{
	(void)words;
	if (!count)
		say(DYNAMIC);
}

static int put_limit(struct nlmsghdr *message, const struct value *value)
{
	if (value->attr == WEIR_A_TRIM_LIMIT_BYTES)
		nl_put_u64(message, value->attr, value->number);
	else
		nl_put_u32(message, value->attr, value->number);
	return WEIR_OK;
}

static const struct words limit_words = { parse_limit, span_limit, next_limit };
const struct syntax limit_syntax = { .put = put_limit, .words = &limit_words };

static int parse_size(struct value *value)
{
	const char *key = value->key->name;

	return args_units(key, key, value->word, &size_units, units_find(&size_units, "b"),
			  &value->number);
}

static int put_size(struct nlmsghdr *message, const struct value *value)
{
	nl_put_u64(message, value->attr, value->number);
	return WEIR_OK;
}

const struct syntax size_syntax = { .parse = parse_size, .put = put_size };

/* "10:1" or "20%": the number, and what stands behind it. */
static bool parse_part(struct value *value, const char *tail, uint64_t max)
{
	char *end;

	return units_digits(value->word, &end, &value->number) && !strcmp(end, tail) &&
	       value->number >= 1 && value->number <= max;
}

/* The number of `strict` is 0; the word's end tells the others apart. */
static int parse_share(struct value *value)
{
	const char *key = value->key->name;

	if (!strcmp(value->word, names_word(&trim_share_names, WEIR_TRIM_SHARE_STRICT)) ||
	    parse_part(value, ":1", RATIO_MAX) || parse_part(value, "%", BYTES_MAX))
		return WEIR_OK;
	return usage(key, "%s takes strict, headers for each data packet such as 10:1 (1:1 to %u:1), or a percentage of the bytes such as 20%% (1%% to %u%%), not '%s'",
		     key, RATIO_MAX, BYTES_MAX, value->word);
}

static int put_share(struct nlmsghdr *message, const struct value *value)
{
	uint32_t share = strchr(value->word, '%') ? WEIR_TRIM_SHARE_BYTES :
			 strchr(value->word, ':') ? WEIR_TRIM_SHARE_RATIO :
			 WEIR_TRIM_SHARE_STRICT;

	nl_put_u32(message, WEIR_A_TRIM_SHARE, share);
	if (share != WEIR_TRIM_SHARE_STRICT)
		nl_put_u32(message, WEIR_A_TRIM_SHARE_VALUE, value->number);
	return WEIR_OK;
}

const struct syntax share_syntax = { .parse = parse_share, .put = put_share };

static int parse_percent(struct value *value)
{
	const char *key = value->key->name;

	if (parse_part(value, "%", 100) || parse_part(value, "", 100))
		return WEIR_OK;
	return usage(key, "%s takes a percentage of the rate, 1%% to 100%%, not '%s'", key,
		     value->word);
}

static int put_percent(struct nlmsghdr *message, const struct value *value)
{
	nl_put_u32(message, value->attr, value->number);
	return WEIR_OK;
}

const struct syntax percent_syntax = { .parse = parse_percent, .put = put_percent };

#define ALWAYS "always"

/* Words behind the key: `return` may have another one. */
static int span_full(int count, char **words)
{
	return count > 1 && !strcmp(words[0], "return") && !strcmp(words[1], ALWAYS) ? 2 : 1;
}

static int parse_full(struct value *value, int count, char **words, int *used)
{
	*used = span_full(count, words);
	if (*used > 1)
		value->number = WEIR_TRIM_FULL_RETURN_ALWAYS;
	else if (!strcmp(value->word, "return"))
		value->number = WEIR_TRIM_FULL_RETURN;
	else if (!strcmp(value->word, "drop"))
		value->number = WEIR_TRIM_FULL_DROP;
	else
		return usage(value->key->name, "full is drop, return or return always, not '%s'",
			     value->word);
	return WEIR_OK;
}

static void next_full(int count, char **words, int (*say)(const char *word))
{
	if (!count) {
		say("drop");
		say("return");
	} else if (count == 1 && !strcmp(words[0], "return")) {
		say(ALWAYS);
	}
}

static int put_full(struct nlmsghdr *message, const struct value *value)
{
	nl_put_u32(message, value->attr, value->number);
	return WEIR_OK;
}

static const struct words full_words = { parse_full, span_full, next_full };
const struct syntax full_syntax = { .put = put_full, .words = &full_words };

void full_print(const struct nlattr *full)
{
	bool always = nl_uint(full) == WEIR_TRIM_FULL_RETURN_ALWAYS;

	if (!always || opt.json) {
		show_name("full", &trim_full_names, full);
		return;
	}
	print_string("full", "return");
	print_text(ALWAYS);
}

/* In text a limit is a word, if it is one; without any the text says that there is none. */
static void print_limits_text(const struct nlattr **trim)
{
	uint64_t packets = nl_uint(trim[WEIR_A_TRIM_LIMIT]);
	uint64_t bytes = nl_uint(trim[WEIR_A_TRIM_LIMIT_BYTES]);
	uint64_t micros = nl_uint(trim[WEIR_A_TRIM_LIMIT_TIME]);
	uint32_t alpha = nl_uint(trim[WEIR_A_TRIM_LIMIT_DYNAMIC]);
	char text[UNITS_TEXT];

	if (packets || (trim[WEIR_A_TRIM_LIMIT] && !bytes && !micros && !alpha))
		print_uint("limit", packets);
	if (bytes)
		print_string("limit", units_size(text, bytes));
	if (micros)
		print_micros("limit", micros);
	if (alpha) {
		print_string("limit", DYNAMIC);
		print_text("%s", alpha_text(text, alpha));
	}
}

void limits_print(const struct nlattr **trim)
{
	if (!opt.json) {
		print_limits_text(trim);
		return;
	}
	show_number("limit", trim[WEIR_A_TRIM_LIMIT]);
	show_number("limit-bytes", trim[WEIR_A_TRIM_LIMIT_BYTES]);
	show_number("limit-time", trim[WEIR_A_TRIM_LIMIT_TIME]);
	if (trim[WEIR_A_TRIM_LIMIT_DYNAMIC])
		print_real("limit-dynamic", (double)nl_uint(trim[WEIR_A_TRIM_LIMIT_DYNAMIC]) /
					    WEIR_TRIM_ALPHA_ONE);
}

void port_limit_print(const struct nlattr *limit)
{
	char text[UNITS_TEXT];

	if (opt.json)
		show_number("port-limit", limit);
	else if (nl_uint(limit))
		print_string("port-limit", units_size(text, nl_uint(limit)));
}

void share_print(const struct nlattr **trim)
{
	uint32_t share = nl_uint(trim[WEIR_A_TRIM_SHARE]);
	uint32_t value = nl_uint(trim[WEIR_A_TRIM_SHARE_VALUE]);
	char text[UNITS_TEXT];

	if (!trim[WEIR_A_TRIM_SHARE])
		return;
	if (opt.json || share == WEIR_TRIM_SHARE_STRICT) {
		print_string("share", names_word(&trim_share_names, share));
		if (opt.json)
			show_number("share-value", trim[WEIR_A_TRIM_SHARE_VALUE]);
		return;
	}
	snprintf(text, sizeof(text), share == WEIR_TRIM_SHARE_BYTES ? "%u%%" : "%u:1", value);
	print_string("share", text);
}

void percent_print(const char *key, const struct nlattr *attr)
{
	char text[UNITS_TEXT];

	if (!attr)
		return;
	snprintf(text, sizeof(text), "%u%%", (uint32_t)nl_uint(attr));
	if (opt.json)
		print_uint(key, nl_uint(attr));
	else
		print_string(key, text);
}

// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include <weir_xdp_nl.h>

#include "base/print.h"
#include "base/units.h"
#include "grammar/match.h"
#include "grammar/match_more.h"
#include "grammar/names.h"
#include "netlink/nl.h"

#define LENGTH_MAX 65535
#define FLAGS_TEXT 64

static const struct name flags[] = {
	{ 0x01, "fin", NULL }, { 0x02, "syn", NULL }, { 0x04, "rst", NULL }, { 0x08, "psh", NULL },
	{ 0x10, "ack", NULL }, { 0x20, "urg", NULL }, { 0x40, "ece", NULL }, { 0x80, "cwr", NULL },
};
static const struct names flag_names = { "TCP flag", 8, flags };

static const char *const parts[] = { "len", "tcp", "frag", "options", "unparsed" };

bool match_more_is(const char *part)
{
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (!strcmp(part, parts[i]))
			return true;
	}
	return false;
}

static bool parse_length(const char *word, uint32_t *length)
{
	uint64_t number;
	char *end;

	if (!units_digits(word, &end, &number) || *end || number > LENGTH_MAX)
		return false;
	*length = number;
	return true;
}

static const char *parse_lengths(struct match_more *more, char *words)
{
	char *last = strchr(words, '-');

	if (more->has_length)
		return "len is there twice";
	if (last)
		*last++ = '\0';
	more->has_length = true;
	if (parse_length(words, &more->length) && parse_length(last ?: words, &more->last) &&
	    more->length <= more->last)
		return NULL;
	return "a length is 0 to 65535 bytes, and of two the lower comes first";
}

/* "+syn-ack" */
static const char *parse_tcp(struct match_more *more, char *words)
{
	static const char wrong[] = "tcp has flags with + where they are set and - where not, as +syn-ack, each once: fin, syn, rst, psh, ack, urg, ece, cwr";
	char *at = words;

	if (more->tcp_set || more->tcp_clear)
		return "tcp is there twice";
	if (!*at)
		return wrong;
	while (*at) {
		bool set = *at == '+';
		const struct name *flag;
		char name[8];
		size_t length;

		if (!set && *at != '-')
			return wrong;
		length = strcspn(++at, "+-");
		snprintf(name, sizeof(name), "%.*s", (int)length, at);
		flag = names_find(&flag_names, name);
		if (!flag || ((more->tcp_set | more->tcp_clear) & flag->value))
			return wrong;
		*(set ? &more->tcp_set : &more->tcp_clear) |= flag->value;
		at += length;
	}
	return NULL;
}

static const char *parse_flag(uint32_t *flag, const char *word, const char *twice)
{
	if (*flag)
		return twice;
	*flag = !strcmp(word, "yes") ? MATCH_YES : !strcmp(word, "no") ? MATCH_NO : MATCH_ANY;
	return *flag ? NULL : "frag, options and unparsed are yes or no";
}

const char *match_more_parse(struct match_more *more, const char *part, char *value)
{
	if (!strcmp(part, "len"))
		return parse_lengths(more, value);
	if (!strcmp(part, "tcp"))
		return parse_tcp(more, value);
	if (!strcmp(part, "frag"))
		return parse_flag(&more->fragment, value, "frag is there twice");
	if (!strcmp(part, "options"))
		return parse_flag(&more->options, value, "options is there twice");
	return parse_flag(&more->unparsed, value, "unparsed is there twice");
}

static void put_flag(struct nlmsghdr *message, uint16_t attr, uint32_t flag)
{
	if (flag)
		nl_put_u32(message, attr, flag == MATCH_YES);
}

void match_more_put(struct nlmsghdr *message, const struct match_more *more)
{
	if (more->has_length) {
		nl_put_u32(message, WEIR_A_FILTER_MATCH_LENGTH, more->length);
		nl_put_u32(message, WEIR_A_FILTER_MATCH_LENGTH_LAST, more->last);
	}
	if (more->tcp_set)
		nl_put_u32(message, WEIR_A_FILTER_MATCH_TCP_SET, more->tcp_set);
	if (more->tcp_clear)
		nl_put_u32(message, WEIR_A_FILTER_MATCH_TCP_CLEAR, more->tcp_clear);
	put_flag(message, WEIR_A_FILTER_MATCH_FRAGMENT, more->fragment);
	put_flag(message, WEIR_A_FILTER_MATCH_OPTIONS, more->options);
	put_flag(message, WEIR_A_FILTER_MATCH_UNPARSED, more->unparsed);
}

static uint32_t read_flag(const struct nlattr *attr)
{
	if (!attr)
		return MATCH_ANY;
	return nl_uint(attr) ? MATCH_YES : MATCH_NO;
}

void match_more_read(struct match_more *more, const struct nlattr *const table[])
{
	const struct nlattr *length = table[WEIR_A_FILTER_MATCH_LENGTH];
	const struct nlattr *last = table[WEIR_A_FILTER_MATCH_LENGTH_LAST];

	*more = (struct match_more){
		.has_length = length,
		.length = nl_uint(length),
		.last = nl_uint(last ?: length),
		.tcp_set = nl_uint(table[WEIR_A_FILTER_MATCH_TCP_SET]),
		.tcp_clear = nl_uint(table[WEIR_A_FILTER_MATCH_TCP_CLEAR]),
		.fragment = read_flag(table[WEIR_A_FILTER_MATCH_FRAGMENT]),
		.options = read_flag(table[WEIR_A_FILTER_MATCH_OPTIONS]),
		.unparsed = read_flag(table[WEIR_A_FILTER_MATCH_UNPARSED]),
	};
}

static const char *tcp_text(const struct match_more *more, char text[static FLAGS_TEXT])
{
	size_t i, used = 0;

	*text = '\0';
	for (i = 0; i < flag_names.count; i++) {
		uint32_t flag = flags[i].value;

		if ((more->tcp_set | more->tcp_clear) & flag)
			used += snprintf(text + used, FLAGS_TEXT - used, "%c%s",
					 more->tcp_set & flag ? '+' : '-', flags[i].word);
	}
	return text;
}

static const char *flag_word(uint32_t flag)
{
	return flag == MATCH_YES ? "yes" : "no";
}

void match_more_text(const struct match_more *more, char *text)
{
	char words[FLAGS_TEXT];

	snprintf(words, sizeof(words), more->length == more->last ? "%u" : "%u-%u", more->length,
		 more->last);
	if (more->has_length)
		match_append(text, "len", words);
	if (*tcp_text(more, words))
		match_append(text, "tcp", words);
	if (more->fragment)
		match_append(text, "frag", flag_word(more->fragment));
	if (more->options)
		match_append(text, "options", flag_word(more->options));
	if (more->unparsed)
		match_append(text, "unparsed", flag_word(more->unparsed));
}

void match_more_print(const struct match_more *more)
{
	char words[FLAGS_TEXT];

	if (more->has_length) {
		print_uint("len", more->length);
		print_uint("len-last", more->last);
	}
	if (*tcp_text(more, words))
		print_string("tcp", words);
	if (more->fragment)
		print_string("frag", flag_word(more->fragment));
	if (more->options)
		print_string("options", flag_word(more->options));
	if (more->unparsed)
		print_string("unparsed", flag_word(more->unparsed));
}

// SPDX-License-Identifier: GPL-2.0
/*
 *	rate none
 *	rate [packets NUMBER [burst NUMBER]] [bytes RATE [burst SIZE]]
 */
#include <stdio.h>
#include <string.h>

#include <weir.h>

#include "base/print.h"
#include "base/tool.h"
#include "base/units.h"
#include "grammar/args.h"
#include "grammar/rate.h"
#include "netlink/nl.h"

enum part { PACKETS, PACKETS_BURST, BYTES, BYTES_BURST, NO_PART };

/* The part that a word begins, behind the part @last. */
static enum part part_of(const char *word, enum part last)
{
	if (!strcmp(word, "packets"))
		return PACKETS;
	if (!strcmp(word, "bytes"))
		return BYTES;
	if (strcmp(word, "burst"))
		return NO_PART;
	return last == PACKETS ? PACKETS_BURST : last == BYTES ? BYTES_BURST : NO_PART;
}

static int parse_packets(uint32_t *result, const char *what, const char *word)
{
	uint64_t number;
	char *end;

	if (!units_digits(word, &end, &number) || *end)
		return usage("rate", "rate: %s takes a number of packets, not '%s'", what, word);
	if (number > UINT32_MAX)
		return usage("rate", "rate: %s %s is out of range: it is %u at most", what, word,
			     UINT32_MAX);
	*result = number;
	return WEIR_OK;
}

static int parse_part(struct rate *rate, enum part part, const char *word)
{
	switch (part) {
	case PACKETS:
		return parse_packets(&rate->packets, "packets", word);
	case PACKETS_BURST:
		return parse_packets(&rate->packets_burst, "burst", word);
	case BYTES:
		return args_units("rate", "rate: bytes", word, &rate_units, NULL, &rate->bytes);
	case BYTES_BURST:
		return args_units("rate", "rate: burst", word, &size_units, NULL,
				  &rate->bytes_burst);
	case NO_PART:
		break;
	}
	return WEIR_OK;
}

/* The module would take 0 for no limit. */
static bool is_zero(const struct rate *rate, enum part part)
{
	const uint64_t values[] = { rate->packets, rate->packets_burst, rate->bytes,
				    rate->bytes_burst };

	return !values[part];
}

static void keep_text(struct rate *rate, int count, char **words)
{
	size_t used = 0;
	int i;

	for (i = 0; i < count && used < sizeof(rate->text); i++)
		used += snprintf(rate->text + used, sizeof(rate->text) - used, "%s%s",
				 i ? " " : "", words[i]);
}

static int parse(struct value *value, int count, char **words, int *used)
{
	const struct key *key = value->key;
	struct rate *rate = &value->rate;
	enum part part, last = NO_PART;
	unsigned int given = 0;
	int status;

	memset(rate, 0, sizeof(*rate));
	value->word = rate->text;
	*used = 0;
	if (count && !strcmp(words[0], "none")) {
		*used = 1;
		keep_text(rate, 1, words);
		return WEIR_OK;
	}
	for (; *used < count; *used += 2, last = part) {
		const char *word = words[*used];

		part = part_of(word, last);
		if (part == NO_PART)
			break;
		if (given & 1u << part)
			return usage("rate", "rate: %s is given twice; give it once", word);
		given |= 1u << part;
		if (*used + 1 == count)
			return usage("rate", "rate: %s lacks its value: write rate %s", word,
				     key->value);
		status = parse_part(rate, part, words[*used + 1]);
		if (status)
			return status;
		if (is_zero(rate, part))
			return usage("rate", "rate: %s %s is too little: it is 1 at least; `rate none` is no limit",
				     word, words[*used + 1]);
	}
	if (*used < count && !strcmp(words[*used], "burst"))
		return usage("rate", "rate: burst belongs behind `packets NUMBER` or `bytes RATE`, once each");
	if (!given)
		return usage("rate", "rate lacks its value: write rate %s", key->value);
	keep_text(rate, *used, words);
	return WEIR_OK;
}

void rate_put(struct nlmsghdr *message, uint16_t attr, const struct rate *rate)
{
	struct nlattr *nest = nl_nest(message, attr);

	if (rate->packets)
		nl_put_u32(message, WEIR_A_RATE_PACKETS, rate->packets);
	if (rate->packets_burst)
		nl_put_u32(message, WEIR_A_RATE_PACKETS_BURST, rate->packets_burst);
	if (rate->bytes)
		nl_put_u64(message, WEIR_A_RATE_BYTES, rate->bytes);
	if (rate->bytes_burst)
		nl_put_u64(message, WEIR_A_RATE_BYTES_BURST, rate->bytes_burst);
	nl_nest_end(message, nest);
}

static void print_amount(const char *label, const char *key, uint64_t value,
			 const char *(*text)(char [static UNITS_TEXT], uint64_t))
{
	char buffer[UNITS_TEXT];

	if (!value)
		return;
	if (opt.json)
		print_uint(key, value);
	else
		print_string_as(label, COLOR_NONE, key, text(buffer, value));
}

void rate_print(const struct nlattr *nest)
{
	const struct nlattr *table[WEIR_A_RATE_MAX + 1];

	if (!nest)
		return;
	nl_nested(nest, table, WEIR_A_RATE_MAX);
	if (!nl_uint(table[WEIR_A_RATE_PACKETS]) && !nl_uint(table[WEIR_A_RATE_BYTES]))
		return;
	print_object("rate");
	print_text("rate");
	if (nl_uint(table[WEIR_A_RATE_PACKETS])) {
		print_uint("packets", nl_uint(table[WEIR_A_RATE_PACKETS]));
		if (nl_uint(table[WEIR_A_RATE_PACKETS_BURST]))
			print_uint_as("burst", COLOR_NONE, "packets-burst",
				      nl_uint(table[WEIR_A_RATE_PACKETS_BURST]));
	}
	print_amount("bytes", "bytes", nl_uint(table[WEIR_A_RATE_BYTES]), units_rate);
	if (nl_uint(table[WEIR_A_RATE_BYTES]))
		print_amount("burst", "bytes-burst", nl_uint(table[WEIR_A_RATE_BYTES_BURST]),
			     units_size);
	print_end();
}

static int span(int count, char **words)
{
	enum part part, last = NO_PART;
	int used;

	if (count && !strcmp(words[0], "none"))
		return 1;
	for (used = 0; used < count; used += 2, last = part) {
		part = part_of(words[used], last);
		if (part == NO_PART)
			break;
	}
	return used;
}

static void next(int count, char **words, int (*say)(const char *word))
{
	enum part last = NO_PART;
	unsigned int given = 0;
	int i;

	if (!count)
		say("none");
	else if (!strcmp(words[0], "none"))
		return;
	for (i = 0; i < count; i += 2) {
		last = part_of(words[i], last);
		given |= 1u << last;
	}
	if (!(given & 1u << PACKETS))
		say("packets");
	if (!(given & 1u << BYTES))
		say("bytes");
	if (last == PACKETS || last == BYTES)
		say("burst");
}

const struct words rate_words = { parse, span, next };

bool rate_same(const struct rate *now, const struct rate *wanted)
{
	return now->packets == wanted->packets && now->bytes == wanted->bytes &&
	       (!wanted->packets_burst || now->packets_burst == wanted->packets_burst) &&
	       (!wanted->bytes_burst || now->bytes_burst == wanted->bytes_burst);
}

// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include <weir.h>
#include <weir_xdp_nl.h>

#include "base/print.h"
#include "base/tool.h"
#include "base/units.h"
#include "grammar/action.h"
#include "grammar/args.h"
#include "netlink/nl.h"

#define DSCP_MAX 63

/* Each word that may stand at a place, with what it needs behind it. */
enum part { PART_KIND, PART_DSCP, PART_RATE, PART_PACKETS, PART_BURST, PART_EACH, PART_SOURCES, PART_FOR, PART_NONE };

static const struct unit packet_units[] = { { "pps", 1, 0 } };
static const struct units packets_units = { 1, packet_units };

/**
 * struct reader - the words of an action, one after the other
 * @key: the key on the command line
 * @action: filled
 * @count: of @word
 * @at: the next one
 * @packets: the last rate was of packets, which a burst is then of
 */
struct reader {
	const struct key *key;
	struct action *action;
	int count;
	char **word;
	int at;
	bool packets;
};

static const char *next_word(const struct reader *reader)
{
	return reader->at < reader->count ? reader->word[reader->at] : "";
}

static bool is_number(const char *word)
{
	return *word >= '0' && *word <= '9';
}

/* Return true if a word is a number with a unit of packets. */
static bool is_packets(const char *word)
{
	uint64_t number;
	char *end;

	return units_digits(word, &end, &number) && units_find(&packets_units, end);
}

static int parse_count(const char *key, const char *what, const char *word, uint32_t least,
		       uint32_t *result)
{
	uint64_t number;
	char *end;

	if (!units_digits(word, &end, &number) || *end || number < least || number > UINT32_MAX)
		return usage(key, "%s: %s takes a number, %u to %u, not '%s'", key, what, least,
			     UINT32_MAX, word);
	*result = number;
	return WEIR_OK;
}

static int parse_packets(struct reader *reader, const char *word)
{
	struct rate *rate = &reader->action->rate;
	const char *key = reader->key->name;
	uint64_t number;
	char *end;

	units_digits(word, &end, &number);
	if (rate->packets)
		return usage(key, "%s: a rate of packets is given twice", key);
	if (!number || number > UINT32_MAX)
		return usage(key, "%s: %s is out of range: it is 1pps to %upps", key, word,
			     UINT32_MAX);
	rate->packets = number;
	reader->packets = true;
	return WEIR_OK;
}

static int parse_bytes(struct reader *reader, const char *word)
{
	struct rate *rate = &reader->action->rate;
	const char *key = reader->key->name;
	int status;

	if (rate->bytes)
		return usage(key, "%s: a rate of bytes is given twice", key);
	status = args_units(key, key, word, &rate_units, NULL, &rate->bytes);
	if (!status && !rate->bytes)
		return usage(key, "%s: %s is too little", key, word);
	reader->packets = false;
	return status;
}

static int parse_burst(struct reader *reader)
{
	struct rate *rate = &reader->action->rate;
	const char *key = reader->key->name, *word = next_word(reader);

	reader->at++;
	if (reader->packets ? rate->packets_burst : rate->bytes_burst)
		return usage(key, "%s: burst is given twice for the same rate", key);
	if (reader->packets)
		return parse_count(key, "burst", word, 1, &rate->packets_burst);
	return args_units(key, "burst", word, &size_units, NULL, &rate->bytes_burst);
}

static int parse_each(struct reader *reader)
{
	struct action *action = reader->action;

	action->each = true;
	if (strcmp(next_word(reader), "sources"))
		return WEIR_OK;
	reader->at += 2;
	return parse_count(reader->key->name, "sources",
			   reader->at > reader->count ? "" : reader->word[reader->at - 1],
			   1, &action->sources);
}

static int parse_policer(struct reader *reader)
{
	const char *key = reader->key->name;
	bool any = false;
	int status = WEIR_OK;

	while (!status) {
		const char *word = next_word(reader);

		if (is_number(word)) {
			reader->at++;
			status = is_packets(word) ? parse_packets(reader, word) :
						    parse_bytes(reader, word);
			any = true;
		} else if (any && !strcmp(word, "burst")) {
			reader->at++;
			status = parse_burst(reader);
		} else {
			break;
		}
	}
	if (!status && !any)
		return usage(key, "%s lacks its rate: it is one as 20mbit, or as 1000pps", key);
	if (status || strcmp(next_word(reader), "each"))
		return status;
	reader->at++;
	return parse_each(reader);
}

static int parse_guard(struct reader *reader)
{
	const char *key = reader->key->name;
	uint64_t micros;
	int status;

	reader->action->kind = WEIR_XDP_FILTER_ACTION_GUARD;
	status = parse_policer(reader);
	if (status || strcmp(next_word(reader), "for"))
		return status;
	reader->at++;
	status = args_units(key, "for", next_word(reader), &time_units, NULL, &micros);
	reader->at++;
	if (!status && (micros < WEIR_XDP_FILTER_TIME_MIN || micros > UINT32_MAX))
		return usage(key, "%s: a source is blocked for 1ms to 4294s", key);
	reader->action->time = micros;
	return status;
}

static int parse_mark(struct reader *reader)
{
	const char *key = reader->key->name, *word = next_word(reader);
	const struct name *name = names_find(&dscp_names, word);
	uint64_t number = 0;
	char *end;

	reader->at++;
	if (!name && (!units_digits(word, &end, &number) || *end || number > DSCP_MAX))
		return usage(key, "%s: mark takes a DSCP, 0 to %u or a name such as cs6 or af11, not '%s'",
			     key, DSCP_MAX, word);
	reader->action->dscp = name ? name->value : number;
	return WEIR_OK;
}

static int parse_sample(struct reader *reader)
{
	struct action *action = reader->action;
	const char *key = reader->key->name;
	int status = parse_count(key, "sample", next_word(reader), 1, &action->sample);

	reader->at++;
	if (!status && action->sample > WEIR_XDP_FILTER_SAMPLE_MAX)
		return usage(key, "%s: one packet in %u is sampled at least", key,
			     WEIR_XDP_FILTER_SAMPLE_MAX);
	action->group = WEIR_XDP_FILTER_GROUP;
	if (status || strcmp(next_word(reader), "group"))
		return status;
	reader->at++;
	status = parse_count(key, "group", next_word(reader), 0, &action->group);
	reader->at++;
	return status;
}

static int parse_kind(struct reader *reader)
{
	const char *key = reader->key->name, *word = next_word(reader);
	const struct name *name = names_find(&filter_action_names, word);
	char list[128];

	if (!name) {
		names_list(&filter_action_names, list, sizeof(list));
		return usage(key, "there is no %s '%s': %s is %s", key, word, key, list);
	}
	reader->action->kind = name->value;
	reader->at++;
	switch (name->value) {
	case WEIR_XDP_FILTER_ACTION_POLICE:
		return parse_policer(reader);
	case WEIR_XDP_FILTER_ACTION_GUARD:
		return parse_guard(reader);
	case WEIR_XDP_FILTER_ACTION_MARK:
		return parse_mark(reader);
	case WEIR_XDP_FILTER_ACTION_SAMPLE:
		return parse_sample(reader);
	default:
		return WEIR_OK;
	}
}

static void keep_text(struct action *action, int count, char **words)
{
	size_t used = 0;
	int i;

	for (i = 0; i < count && used < sizeof(action->text); i++)
		used += snprintf(action->text + used, sizeof(action->text) - used, "%s%s",
				 i ? " " : "", words[i]);
}

static int parse_words(struct value *value, int count, char **words, int *used,
		       int (*first)(struct reader *reader))
{
	struct reader reader = {
		.key = value->key, .action = &value->action, .count = count, .word = words,
	};
	int status;

	memset(&value->action, 0, sizeof(value->action));
	status = first(&reader);
	*used = reader.at < count ? reader.at : count;
	keep_text(&value->action, *used, words);
	value->word = value->action.text;
	return status;
}

static int parse(struct value *value, int count, char **words, int *used)
{
	return parse_words(value, count, words, used, parse_kind);
}

static int parse_rate(struct value *value, int count, char **words, int *used)
{
	return parse_words(value, count, words, used, parse_guard);
}

/* Return the part that a word is after one that was @last, or PART_NONE. */
static enum part part_of(const char *word, enum part last)
{
	bool rates = last == PART_RATE || last == PART_PACKETS || last == PART_BURST;

	if (is_number(word) && (rates || last == PART_KIND))
		return is_packets(word) ? PART_PACKETS : PART_RATE;
	if (rates && !strcmp(word, "burst"))
		return PART_BURST;
	if (rates && !strcmp(word, "each"))
		return PART_EACH;
	if (last == PART_EACH && !strcmp(word, "sources"))
		return PART_SOURCES;
	return last != PART_KIND && last != PART_FOR && !strcmp(word, "for") ? PART_FOR : PART_NONE;
}

/* Return the number of words of a part. */
static int width(enum part part)
{
	return part == PART_BURST || part == PART_SOURCES || part == PART_FOR ? 2 : 1;
}

static bool has_rate(const char *word)
{
	return !strcmp(word, "police") || !strcmp(word, "guard");
}

static int span_rate(int count, char **words)
{
	enum part part, last = PART_KIND;
	int used = 0;

	while (used < count) {
		part = part_of(words[used], last);
		if (part == PART_NONE)
			break;
		used += width(part);
		last = part;
	}
	return used ?: 1;
}

static int span(int count, char **words)
{
	if (count && !strcmp(words[0], "mark"))
		return 2;
	if (count && !strcmp(words[0], "sample"))
		return count > 2 && !strcmp(words[2], "group") ? 4 : 2;
	if (count < 2 || !has_rate(words[0]))
		return 1;
	return 1 + span_rate(count - 1, words + 1);
}

static void say_all(const struct names *names, int (*say)(const char *word))
{
	size_t i;

	for (i = 0; i < names->count; i++)
		say(names->name[i].word);
}

static void next_of_rate(int count, char **words, bool guard, int (*say)(const char *word))
{
	enum part last = PART_KIND;
	int at;

	for (at = 0; at < count; at += width(last))
		last = part_of(words[at], last);
	if (at > count)
		return;
	if (last == PART_RATE || last == PART_PACKETS)
		say("burst");
	if (last == PART_RATE || last == PART_PACKETS || last == PART_BURST)
		say("each");
	if (last == PART_EACH)
		say("sources");
	if (guard && last != PART_KIND && last != PART_FOR)
		say("for");
}

static void next_rate(int count, char **words, int (*say)(const char *word))
{
	next_of_rate(count, words, true, say);
}

static void next(int count, char **words, int (*say)(const char *word))
{
	if (!count) {
		say_all(&filter_action_names, say);
		return;
	}
	if (!strcmp(words[0], "mark") && count == 1)
		say_all(&dscp_names, say);
	if (!strcmp(words[0], "sample") && count == 2)
		say("group");
	if (has_rate(words[0]))
		next_of_rate(count - 1, words + 1, !strcmp(words[0], "guard"), say);
}

static int put(struct nlmsghdr *message, const struct value *value)
{
	const struct action *action = &value->action;

	nl_put_u32(message, WEIR_A_FILTER_ACTION, action->kind);
	if (action->kind == WEIR_XDP_FILTER_ACTION_MARK)
		nl_put_u32(message, WEIR_A_FILTER_DSCP, action->dscp);
	if (action->kind == WEIR_XDP_FILTER_ACTION_SAMPLE) {
		nl_put_u32(message, WEIR_A_FILTER_SAMPLE, action->sample);
		nl_put_u32(message, WEIR_A_FILTER_GROUP, action->group);
	}
	if (action->rate.bytes || action->rate.packets)
		rate_put(message, WEIR_A_FILTER_RATE, &action->rate);
	if (action->each)
		nl_put(message, WEIR_A_FILTER_EACH, 0, NULL);
	if (action->sources)
		nl_put_u32(message, WEIR_A_FILTER_SOURCES, action->sources);
	if (action->time)
		nl_put_u32(message, WEIR_A_FILTER_TIME, action->time);
	return WEIR_OK;
}

static const struct words action_words = { parse, span, next };
const struct syntax action_syntax = { .put = put, .words = &action_words };

static const struct words guard_words = { parse_rate, span_rate, next_rate };
const struct syntax guard_syntax = { .put = put, .words = &guard_words };

bool action_same(const struct action *now, const struct action *wanted)
{
	bool guard = wanted->kind == WEIR_XDP_FILTER_ACTION_GUARD;

	return now->kind == wanted->kind && now->dscp == wanted->dscp &&
	       now->sample == wanted->sample && now->group == wanted->group &&
	       (guard || now->each == wanted->each) &&
	       (!wanted->time || now->time == wanted->time) && rate_same(&now->rate, &wanted->rate) &&
	       (!wanted->sources || now->sources == wanted->sources);
}

static void print_policer(const struct nlattr *const rule[])
{
	const struct nlattr *rate[WEIR_A_RATE_MAX + 1];
	char text[UNITS_TEXT];

	nl_nested(rule[WEIR_A_FILTER_RATE], rate, WEIR_A_RATE_MAX);
	if (rate[WEIR_A_RATE_BYTES]) {
		print_text("%s", units_rate(text, nl_uint(rate[WEIR_A_RATE_BYTES])));
		print_text("burst %s", units_size(text, nl_uint(rate[WEIR_A_RATE_BYTES_BURST])));
	}
	if (rate[WEIR_A_RATE_PACKETS])
		print_text("%jupps burst %ju", (uintmax_t)nl_uint(rate[WEIR_A_RATE_PACKETS]),
			   (uintmax_t)nl_uint(rate[WEIR_A_RATE_PACKETS_BURST]));
	if (rule[WEIR_A_FILTER_EACH])
		print_text("each sources %ju", (uintmax_t)nl_uint(rule[WEIR_A_FILTER_SOURCES]));
	if (rule[WEIR_A_FILTER_TIME])
		print_text("for %s", units_micros(text, nl_uint(rule[WEIR_A_FILTER_TIME])));
}

static void print_fields(const struct nlattr *const rule[])
{
	if (rule[WEIR_A_FILTER_DSCP])
		print_uint("dscp", nl_uint(rule[WEIR_A_FILTER_DSCP]));
	if (rule[WEIR_A_FILTER_SAMPLE]) {
		print_uint("sample", nl_uint(rule[WEIR_A_FILTER_SAMPLE]));
		print_uint("group", nl_uint(rule[WEIR_A_FILTER_GROUP]));
	}
	rate_print(rule[WEIR_A_FILTER_RATE]);
	if (rule[WEIR_A_FILTER_EACH]) {
		print_string("each", "yes");
		print_uint("sources", nl_uint(rule[WEIR_A_FILTER_SOURCES]));
	}
	if (rule[WEIR_A_FILTER_TIME])
		print_micros("for", nl_uint(rule[WEIR_A_FILTER_TIME]));
}

void action_print(const struct nlattr *const rule[])
{
	print_string("action", names_word(&filter_action_names,
					  nl_uint(rule[WEIR_A_FILTER_ACTION])));
	if (opt.json) {
		print_fields(rule);
		return;
	}
	if (rule[WEIR_A_FILTER_DSCP])
		print_text("%ju", (uintmax_t)nl_uint(rule[WEIR_A_FILTER_DSCP]));
	if (rule[WEIR_A_FILTER_SAMPLE])
		print_text("%ju group %ju", (uintmax_t)nl_uint(rule[WEIR_A_FILTER_SAMPLE]),
			   (uintmax_t)nl_uint(rule[WEIR_A_FILTER_GROUP]));
	if (rule[WEIR_A_FILTER_RATE])
		print_policer(rule);
}

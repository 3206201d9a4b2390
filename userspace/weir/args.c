// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "tool.h"

/* Digits alone: no sign, no blank, no other base, no more than 32 bits. */
static bool parse_digits(const char *word, char **end, uint64_t *number)
{
	if (!isdigit((unsigned char)*word))
		return false;
	errno = 0;
	*number = strtoull(word, end, 10);
	return errno == 0;
}

static int parse_number(struct value *value)
{
	const struct key *key = value->key;
	uint64_t number, max = key->max ?: UINT32_MAX;
	char *end;

	if (!parse_digits(value->word, &end, &number) || *end) {
		bool digits = *value->word && !value->word[strspn(value->word, "0123456789")];

		if (!digits)
			return usage(key->name, "%s takes a number, not '%s'",
				     key->name, value->word);
		number = UINT64_MAX;
	}
	if (number < key->min || number > max)
		return usage(key->name, "%s %s is out of range: it is %u to %ju",
			     key->name, value->word, key->min, (uintmax_t)max);
	value->number = number;
	return WEIR_OK;
}

static int parse_time(struct value *value)
{
	static const struct { const char *unit; uint64_t micros; } units[] = {
		{ "us", 1 }, { "ms", 1000 }, { "s", 1000000 },
	};
	const struct key *key = value->key;
	uint64_t number;
	char *end;
	size_t i;

	if (!parse_digits(value->word, &end, &number))
		return usage(key->name, "%s takes a time such as 500us, 10ms or 2s, not '%s'",
			     key->name, value->word);
	if (!*end && !number)
		return WEIR_OK;
	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(end, units[i].unit))
			continue;
		if (number > UINT32_MAX / units[i].micros)
			return usage(key->name, "%s %s is too long: it is 4294s at most",
				     key->name, value->word);
		value->number = number * units[i].micros;
		return WEIR_OK;
	}
	if (!*end)
		return usage(key->name, "%s %s has no unit: write %sus, %sms or %ss",
			     key->name, value->word, value->word, value->word, value->word);
	return usage(key->name, "%s has the unknown unit '%s': units are us, ms and s",
		     key->name, end);
}

static int parse_address(struct value *value)
{
	const struct key *key = value->key;

	if (key->none && !strcmp(value->word, "none")) {
		value->none = true;
		return WEIR_OK;
	}
	if (addr_parse(&value->addr, value->word))
		return WEIR_OK;
	return usage(key->name, "%s takes an IPv4 or IPv6 address such as 10.0.0.1 or fd00::1%s, not '%s'",
		     key->name, key->none ? ", or none" : "", value->word);
}

static int parse_name(struct value *value)
{
	const struct key *key = value->key;
	const struct name *name = names_find(key->names, value->word);
	char list[256];

	if (name) {
		value->number = name->value;
		return WEIR_OK;
	}
	names_list(key->names, list, sizeof(list));
	return usage(key->name, "there is no %s '%s': %s is %s", key->names->what,
		     value->word, key->name, list);
}

static int parse_device(struct value *value)
{
	const struct key *key = value->key;
	size_t len = strlen(value->word);

	if (len && len < IF_NAMESIZE && !strpbrk(value->word, "/ \t\n"))
		return WEIR_OK;
	return usage(key->name, "%s takes the name of a network device, of 1 to %d characters, not '%s'",
		     key->name, IF_NAMESIZE - 1, value->word);
}

static int parse_value(struct value *value)
{
	switch (value->key->type) {
	case VALUE_NUMBER:
		return parse_number(value);
	case VALUE_TIME:
		return parse_time(value);
	case VALUE_ADDRESS:
		return parse_address(value);
	case VALUE_NAME:
		return parse_name(value);
	case VALUE_DEVICE:
		return parse_device(value);
	}
	abort();
}

/* "job add", "stats" */
static const char *place(const struct args *args)
{
	static char text[64];

	snprintf(text, sizeof(text), "%s%s%s", args->object->name,
		 *args->verb->name ? " " : "", args->verb->name);
	return text;
}

/* Has the key been given as often as it may be? */
static int check_repeat(const struct args *args, const struct key *key)
{
	unsigned int limit = key->repeat ?: 1, seen = 0;
	size_t i;

	for (i = 0; i < args->count; i++)
		seen += args->value[i].key == key;
	if (seen < limit)
		return WEIR_OK;
	if (limit == 1)
		return usage(key->name, "%s: %s is given twice; give it once",
			     place(args), key->name);
	return usage(key->name, "%s: %s is given more than %u times",
		     place(args), key->name, limit);
}

static int parse_pair(struct args *args, int count, char **words)
{
	const struct verb_key *entry = grammar_key(args->verb, words[0]);
	struct value *value;
	char keys[256];
	int status;

	if (!entry) {
		grammar_keys(args->verb, keys, sizeof(keys));
		if (!*keys)
			return usage(NULL, "%s takes no words, but '%s' follows it",
				     place(args), words[0]);
		return usage(NULL, "%s does not know the word '%s'; it takes: %s",
			     place(args), words[0], keys);
	}
	status = check_repeat(args, entry->key);
	if (status)
		return status;
	if (count < 2)
		return usage(entry->key->name, "%s: %s lacks its value: write %s %s",
			     place(args), entry->key->name, entry->key->name,
			     entry->key->value);
	value = &args->value[args->count];
	value->key = entry->key;
	value->word = words[1];
	status = parse_value(value);
	if (!status)
		args->count++;
	return status;
}

static int check_required(const struct args *args)
{
	const struct verb_key *entry;

	for (entry = args->verb->keys; entry->key; entry++) {
		if (entry->required && !args_get(args, entry->key->name))
			return usage(entry->key->name, "%s lacks the key %s: add `%s %s` (%s)",
				     place(args), entry->key->name, entry->key->name,
				     entry->key->value, entry->key->doc);
	}
	return WEIR_OK;
}

/* All addresses of one object are of one family. */
static int check_families(const struct args *args)
{
	const struct value *first = NULL;
	size_t i;

	for (i = 0; i < args->count; i++) {
		const struct value *value = &args->value[i];

		if (value->key->type != VALUE_ADDRESS || value->none)
			continue;
		if (first && first->addr.len != value->addr.len)
			return usage(value->key->name, "%s %s is %s, but %s %s is %s: give addresses of one family",
				     value->key->name, value->word,
				     addr_family_word(&value->addr), first->key->name,
				     first->word, addr_family_word(&first->addr));
		first = value;
	}
	return WEIR_OK;
}

static int parse_object(struct args *args, const char *word)
{
	char list[256];

	args->object = grammar_object(word);
	if (args->object)
		return WEIR_OK;
	grammar_objects(list, sizeof(list));
	return usage(NULL, "there is no object '%s'; objects are: %s", word, list);
}

/* Returns how many words name the verb, or -1 with the status told. */
static int parse_verb(struct args *args, int count, char **words)
{
	char list[256];

	args->verb = grammar_verb(args->object, "");
	if (args->verb)
		return 0;
	grammar_verbs(args->object, list, sizeof(list));
	if (!count) {
		usage(NULL, "%s lacks its verb; verbs are: %s", args->object->name, list);
		return -1;
	}
	args->verb = grammar_verb(args->object, words[0]);
	if (args->verb)
		return 1;
	usage(NULL, "%s has no verb '%s'; verbs are: %s", args->object->name,
	      words[0], list);
	return -1;
}

int args_parse(struct args *args, int count, char **words)
{
	int status, used;

	memset(args, 0, sizeof(*args));
	status = parse_object(args, words[0]);
	if (status)
		return status;
	used = parse_verb(args, count - 1, words + 1);
	if (used < 0)
		return WEIR_USAGE;
	words += 1 + used;
	count -= 1 + used;
	if (args->verb->positional) {
		args->words = count;
		args->word = words;
		return WEIR_OK;
	}
	for (; count > 0; count -= 2, words += 2) {
		status = parse_pair(args, count, words);
		if (status)
			return status;
	}
	status = check_required(args);
	return status ?: check_families(args);
}

const struct value *args_get(const struct args *args, const char *key)
{
	size_t i;

	for (i = 0; i < args->count; i++) {
		if (!strcmp(args->value[i].key->name, key))
			return &args->value[i];
	}
	return NULL;
}

uint32_t args_number(const struct args *args, const char *key, uint32_t otherwise)
{
	const struct value *value = args_get(args, key);

	return value ? value->number : otherwise;
}

const struct value *args_by_attr(const struct args *args, uint16_t attr)
{
	size_t i;

	for (i = 0; i < args->count; i++) {
		if (args->value[i].key->attr == attr)
			return &args->value[i];
	}
	return NULL;
}

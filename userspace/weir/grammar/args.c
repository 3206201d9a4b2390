// SPDX-License-Identifier: GPL-2.0
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tool.h"
#include "grammar/args.h"
#include "grammar/near.h"

/* One of the words that the key takes besides numbers. */
static bool parse_word(struct value *value)
{
	const struct names *names = value->key->names;
	const struct name *name = names ? names_find(names, value->word) : NULL;

	if (name)
		value->number = name->value;
	return name;
}

/* ", untagged or any": those words, for a sentence. */
static const char *other_words(const struct key *key)
{
	static char text[64];
	char list[48];

	*text = '\0';
	if (key->names) {
		names_list(key->names, list, sizeof(list));
		snprintf(text, sizeof(text), "%s %s", key->names->count > 1 ? "," : " or", list);
	}
	return text;
}

int args_digits(const struct value *value, const char *digits, uint64_t *result)
{
	const struct key *key = value->key;
	uint64_t number, max = key->max ?: UINT32_MAX;
	char *end;

	if (!units_digits(digits, &end, &number) || *end) {
		bool all = *digits && !digits[strspn(digits, "0123456789")];

		if (!all)
			return usage(key->name, "%s takes a number%s, not '%s'", key->name,
				     other_words(key), value->word);
		number = UINT64_MAX;
	}
	if (number < key->min || number > max)
		return usage(key->name, "%s %s is out of range: it is %u to %ju",
			     key->name, value->word, key->min, (uintmax_t)max);
	*result = number;
	return WEIR_OK;
}

static int parse_number(struct value *value)
{
	if (parse_word(value))
		return WEIR_OK;
	return args_digits(value, value->word, &value->number);
}

int args_units(const char *key, const char *what, const char *word,
	       const struct units *units, const struct unit *bare, uint64_t *result)
{
	const struct unit *unit;
	char list[128], *end;
	uint64_t number;

	units_list(units, list, sizeof(list));
	if (!units_digits(word, &end, &number))
		return usage(key, "%s takes a number with a unit, not '%s'; units are %s",
			     what, word, list);
	unit = *end ? units_find(units, end) : bare;
	if (!unit && !*end)
		return usage(key, "%s %s has no unit; units are %s", what, word, list);
	if (!unit)
		return usage(key, "%s has the unknown unit '%s'; units are %s", what, end, list);
	if (!units_scale(unit, number, result))
		return usage(key, "%s %s is out of range", what, word);
	return WEIR_OK;
}

static int parse_time(struct value *value)
{
	const struct key *key = value->key;
	const struct unit *unit;
	char *end, list[64];
	uint64_t number;

	if (parse_word(value))
		return WEIR_OK;
	if (!units_digits(value->word, &end, &number))
		return usage(key->name, "%s takes a time such as 500us, 10ms or 2s%s, not '%s'",
			     key->name, other_words(key), value->word);
	if (!*end && !number && !key->min)
		return WEIR_OK;
	if (!*end)
		return usage(key->name, "%s %s has no unit: write %sus, %sms or %ss",
			     key->name, value->word, value->word, value->word, value->word);
	unit = units_find(&time_units, end);
	units_list(&time_units, list, sizeof(list));
	if (!unit)
		return usage(key->name, "%s has the unknown unit '%s': units are %s",
			     key->name, end, list);
	if (!units_scale(unit, number, &number) || number > UINT32_MAX)
		return usage(key->name, "%s %s is too long: it is 4294s at most",
			     key->name, value->word);
	if (number < key->min)
		return usage(key->name, "%s %s is too short: it is %ums at least",
			     key->name, value->word, key->min / 1000);
	value->number = number;
	return WEIR_OK;
}

#define MILLION 1000000

/*
 * The digits of "0.875" or "87.5" in millionths of one or of a hundred. False where
 * they are no such number, or finer than a millionth.
 */
static bool parse_decimal(const char *word, const char *end, uint64_t one, uint64_t *result)
{
	uint64_t whole;
	char *point;

	if (!units_digits(word, &point, &whole) || whole > MILLION)
		return false;
	*result = whole * one;
	if (point == end)
		return true;
	if (*point != '.' || point + 1 == end)
		return false;
	while (++point < end) {
		if (*point < '0' || *point > '9' || one % 10)
			return false;
		one /= 10;
		*result += one * (*point - '0');
	}
	return true;
}

static int parse_share(struct value *value)
{
	const struct key *key = value->key;
	const char *end = value->word + strlen(value->word);
	bool percent = end > value->word && end[-1] == '%';
	uint64_t share;

	if (parse_word(value))
		return WEIR_OK;
	if (*value->word && !value->word[strspn(value->word, "0123456789")])
		return parse_number(value);
	if (!parse_decimal(value->word, end - percent, percent ? MILLION / 100 : MILLION, &share))
		return usage(key->name, "%s takes a number, a share such as 0.88 or 88%%, no finer than a millionth,%s, not '%s'",
			     key->name, other_words(key), value->word);
	if (!share || share > MILLION)
		return usage(key->name, "%s %s is no share: it is above 0, and 1 or 100%% at most",
			     key->name, value->word);
	value->share = share;
	return WEIR_OK;
}

static bool parse_none(struct value *value)
{
	value->none = value->key->none && !strcmp(value->word, value->key->none);
	return value->none;
}

static int parse_address(struct value *value)
{
	const struct key *key = value->key;

	if (parse_none(value))
		return WEIR_OK;
	if (addr_parse(&value->addr, value->word))
		return WEIR_OK;
	return usage(key->name, "%s takes an IPv4 or IPv6 address such as 10.0.0.1 or fd00::1, or one of Ethernet such as 02:00:00:00:00:01%s%s, not '%s'",
		     key->name, key->none ? ", or " : "", key->none ?: "", value->word);
}

static int parse_name(struct value *value)
{
	const struct key *key = value->key;
	const struct name *name = names_find(key->names, value->word);
	char list[256], hint[NEAR_TEXT];
	struct near near;
	size_t i;

	if (name) {
		value->number = name->value;
		return WEIR_OK;
	}
	near_begin(&near, value->word);
	for (i = 0; i < key->names->count; i++)
		near_try(&near, key->names->name[i].word);
	names_list(key->names, list, sizeof(list));
	return usage(key->name, "there is no %s '%s'%s: %s is %s", key->names->what,
		     value->word, near_hint(&near, hint), key->name, list);
}

static int parse_device(struct value *value)
{
	const struct key *key = value->key;
	size_t len = strlen(value->word);

	if (parse_none(value))
		return WEIR_OK;
	/* A device may be called as the word that stands for none. */
	if (!strncmp(value->word, "./", 2) && len < IF_NAMESIZE + 2) {
		value->word += 2;
		len -= 2;
	}
	if (len && len < IF_NAMESIZE && !strpbrk(value->word, "/: \t\n\v\f\r"))
		return WEIR_OK;
	return usage(key->name, "%s takes the name of a network device, of 1 to %d characters, not '%s'",
		     key->name, IF_NAMESIZE - 1, value->word);
}

static int parse_bitrate(struct value *value)
{
	const char *key = value->key->name;

	return args_units(key, key, value->word, &rate_units, NULL, &value->number);
}

static int parse_text(struct value *value)
{
	const struct key *key = value->key;

	if (!*value->word)
		return usage(key->name, "%s takes a word, and not an empty one", key->name);
	if (key->max && strlen(value->word) > key->max)
		return usage(key->name, "%s takes %u bytes at most", key->name, key->max);
	return WEIR_OK;
}

/* @used becomes the number of words, of which there are @count. */
static int parse_value(struct value *value, int count, char **words, int *used)
{
	const struct words *several = key_words(value->key);
	int status;

	*used = 1;
	value->written = words;
	value->span = 1;
	if (several) {
		status = several->parse(value, count, words, used);
		value->span = *used;
		return status;
	}
	switch (value->key->type) {
	case VALUE_NUMBER:
		return parse_number(value);
	case VALUE_TIME:
		return parse_time(value);
	case VALUE_SHARE:
		return parse_share(value);
	case VALUE_ADDRESS:
		return parse_address(value);
	case VALUE_NAME:
		return parse_name(value);
	case VALUE_DEVICE:
		return parse_device(value);
	case VALUE_BITRATE:
		return parse_bitrate(value);
	case VALUE_TEXT:
		return parse_text(value);
	case VALUE_OWN:
		return value->key->syntax->parse(value);
	case VALUE_RATE:
		break;
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

/* Check that the key may be given once more. Return an exit status. */
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

static void near_key(struct near *near, const struct verb *verb, const char *word)
{
	const struct verb_key *entry;

	near_begin(near, word);
	for_each_key(entry, verb)
		near_try(near, entry->key->name);
}

static int unknown_key(const struct args *args, const char *word)
{
	char keys[512], hint[NEAR_TEXT];
	struct near near;

	grammar_keys(args->verb, keys, sizeof(keys));
	if (!*keys)
		return usage(NULL, "%s takes no words, but '%s' follows it", place(args), word);
	near_key(&near, args->verb, word);
	return usage(NULL, "%s does not know the word '%s'%s; it takes: %s", place(args), word,
		     near_hint(&near, hint), keys);
}

/*
 * The key of a first word that is a value by itself, as in `job show 7` and `port show eth1`:
 * that of the verb's first key, if it looks like one. NULL where it does not.
 */
static const struct key *bare_key(const struct args *args, const char *word)
{
	const struct key *key = args->verb->keys[0].key;
	struct near near;

	if (args->count || !key)
		return NULL;
	if (key->type == VALUE_NUMBER && key->lookup)
		return *word >= '0' && *word <= '9' ? key : NULL;
	near_key(&near, args->verb, word);
	return key->type == VALUE_DEVICE && !near.best ? key : NULL;
}

/* A value by itself is as if its key stood before it. */
static int parse_bare(struct args *args, const struct key *key, char **words, int *used)
{
	struct value *value = &args->value[args->count++];

	value->key = key;
	value->attr = key->attr;
	value->word = words[0];
	return parse_value(value, 1, words, used);
}

/* A key and its value; @used becomes the number of their words. */
static int parse_pair(struct args *args, int count, char **words, int *used)
{
	const struct verb_key *entry = grammar_key(args->verb, words[0]);
	const struct key *bare = entry ? NULL : bare_key(args, words[0]);
	struct value *value;
	int status;

	if (bare)
		return parse_bare(args, bare, words, used);
	if (!entry)
		return unknown_key(args, words[0]);
	status = check_repeat(args, entry->key);
	if (status)
		return status;
	if (count < 2)
		return usage(entry->key->name, "%s: %s lacks its value: write %s %s",
			     place(args), entry->key->name, entry->key->name,
			     entry->key->value);
	value = &args->value[args->count];
	value->key = entry->key;
	value->attr = entry->key->attr;
	value->word = words[1];
	status = parse_value(value, count - 1, words + 1, used);
	if (!status)
		args->count++;
	++*used;
	return status;
}

static int check_required(const struct args *args)
{
	const struct verb_key *entry;

	for_each_key(entry, args->verb) {
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
	const struct object *object;
	char list[256], hint[NEAR_TEXT];
	struct near near;

	args->object = grammar_object_like(word, list, sizeof(list));
	if (args->object)
		return WEIR_OK;
	if (*list)
		return usage(NULL, "the object '%s' may be %s: write more of it", word, list);
	near_begin(&near, word);
	for (object = grammar; object->name; object++)
		near_try(&near, object->hidden ? "" : object->name);
	grammar_objects(list, sizeof(list));
	return usage(NULL, "there is no object '%s'%s; objects are: %s", word,
		     near_hint(&near, hint), list);
}

static void unknown_verb(const struct args *args, const char *word)
{
	char list[256], hint[NEAR_TEXT];
	const struct verb *verb;
	struct near near;

	near_begin(&near, word);
	for (verb = args->object->verbs; verb->name; verb++)
		near_try(&near, verb->name);
	grammar_verbs(args->object, list, sizeof(list));
	usage(NULL, "%s has no verb '%s'%s; verbs are: %s", args->object->name, word,
	      near_hint(&near, hint), list);
}

/* Returns how many words name the verb, or -1 with the reason printed. */
static int parse_verb(struct args *args, int count, char **words)
{
	char list[256];

	args->verb = grammar_verb(args->object, "");
	if (args->verb)
		return 0;
	/* An object alone is shown. */
	args->verb = count ? NULL : grammar_verb(args->object, "show");
	if (args->verb)
		return 0;
	if (!count) {
		grammar_verbs(args->object, list, sizeof(list));
		usage(NULL, "%s lacks its verb; verbs are: %s", args->object->name, list);
		return -1;
	}
	args->verb = grammar_verb_like(args->object, words[0], list, sizeof(list));
	if (args->verb)
		return 1;
	if (*list)
		usage(NULL, "%s %s may be %s: write more of it", args->object->name, words[0], list);
	else
		unknown_verb(args, words[0]);
	return -1;
}

int args_add(struct args *args, int count, char **words)
{
	int status, used;

	for (; count > 0; count -= used, words += used) {
		status = parse_pair(args, count, words, &used);
		if (status)
			return status;
	}
	return WEIR_OK;
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
	status = args_add(args, count, words);
	status = status ?: check_required(args);
	return status ?: check_families(args);
}

struct value *args_find(struct args *args, const char *key)
{
	size_t i;

	for (i = 0; i < args->count; i++) {
		if (!strcmp(args->value[i].key->name, key))
			return &args->value[i];
	}
	return NULL;
}

const struct value *args_get(const struct args *args, const char *key)
{
	return args_find((struct args *)args, key);
}

const char *args_word(const struct args *args, const char *key)
{
	const struct value *value = args_get(args, key);

	return value ? value->word : NULL;
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
		if (args->value[i].attr == attr)
			return &args->value[i];
	}
	return NULL;
}

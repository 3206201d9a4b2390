// SPDX-License-Identifier: GPL-2.0
/*
 * The hidden object `complete`: words for the shell.
 *
 *	weir complete -- WORD...	what may stand in the place of the last WORD
 *	weir complete table		all objects, verbs and keys, for tests
 *
 * Words are printed one a line, quoted for the shell, and not filtered by the typed part: the
 * shell does that.
 */
#include <dirent.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir.h>

#include "base/quote.h"
#include "base/tool.h"
#include "grammar/args.h"
#include "grammar/commands.h"
#include "netlink/genl.h"

/* The words name no namespace, or one that could be entered: names and ids of another are wrong. */
static bool entered;

static void list_options(void)
{
	puts("--json\n--pretty\n--color\n--stats\n--netns\n--debug\n--version\n--help");
}

static void list_objects(void)
{
	const struct object *object;

	for (object = grammar; object->name; object++) {
		if (!object->hidden)
			puts(object->name);
	}
}

static void list_verbs(const struct object *object)
{
	const struct verb *verb;

	for (verb = object->verbs; verb->name; verb++)
		puts(verb->name);
}

/* A name that others have chosen. */
static void list_name(const char *name)
{
	quote_word(stdout, name);
	putchar('\n');
}

static void list_netns(void)
{
	DIR *dir = opendir("/run/netns");
	struct dirent *entry;

	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		if (*entry->d_name != '.')
			list_name(entry->d_name);
	}
	closedir(dir);
}

static void list_devices(void)
{
	struct if_nameindex *devices = entered ? if_nameindex() : NULL, *device;

	for (device = devices; device && device->if_index; device++)
		list_name(device->if_name);
	if (devices)
		if_freenameindex(devices);
}

/* The ids of the kernel's objects. A shell that completes wants no errors. */
static void list_ids(uint8_t command, uint16_t id, uint16_t parent, const char *parent_id)
{
	const struct nlattr *table[WEIR_A_JOB_MAX + 1];
	struct nl_replies replies = {};
	char buffer[NL_REQUEST_SIZE];
	struct nlmsghdr *message;
	unsigned int number;
	struct weir weir;
	size_t i;

	if (!entered || weir_try_open(&weir))
		return;
	message = weir_begin(&weir, buffer, command, NLM_F_DUMP);
	if (parent && parent_id && sscanf(parent_id, "%u", &number) == 1)
		nl_put_u32(message, parent, number);
	if (!nl_talk(&weir.nl, buffer, &replies)) {
		for (i = 0; i < replies.count; i++) {
			weir_attributes(replies.message[i], table, WEIR_A_JOB_MAX);
			printf("%ju\n", (uintmax_t)nl_uint(table[id]));
		}
	}
	nl_replies_free(&replies);
	weir_close(&weir);
}

/* A key's place in the words, and the place behind its value. */
struct place {
	const struct key *key;
	int at;
	int next;
};

/* The key at a place, 0 for the first; false where there is none that is known. */
static bool find_key(const struct verb *verb, int count, char **words, int at,
		     struct place *place)
{
	const struct verb_key *entry = at < count ? grammar_key(verb, words[at]) : NULL;
	const struct words *several;

	if (!entry)
		return false;
	place->key = entry->key;
	place->at = at;
	place->next = at + 2;
	several = key_words(entry->key);
	if (several)
		place->next = at + 1 + several->span(count - at - 1, words + at + 1);
	return true;
}

static const char *value_of(const struct verb *verb, int count, char **words, const char *name)
{
	struct place place;
	int at = 0;

	for (; find_key(verb, count, words, at, &place); at = place.next) {
		if (!strcmp(place.key->name, name) && place.at + 1 < count)
			return words[place.at + 1];
	}
	return NULL;
}

/* Values for a key; @words are the keys and values before it. */
static void list_values(const struct verb *verb, const struct key *key, int count, char **words)
{
	bool new = !strcmp(verb->name, "add");
	size_t i;

	for (i = 0; key->names && i < key->names->count; i++)
		puts(key->names->name[i].word);
	if (key->type == VALUE_DEVICE) {
		list_devices();
	} else if (key->lookup == LOOKUP_JOB && !(new && !strcmp(key->name, "id"))) {
		list_ids(WEIR_CMD_JOB_GET, WEIR_A_JOB_ID, 0, NULL);
	} else if (key->lookup == LOOKUP_SOURCE && !new) {
		list_ids(WEIR_CMD_SOURCE_GET, WEIR_A_SOURCE_ID, WEIR_A_SOURCE_JOB,
			 value_of(verb, count, words, "job"));
	}
	if (key->none)
		puts(key->none);
}

static void list_keys(const struct verb *verb, int count, char **words)
{
	const struct verb_key *entry;

	for_each_key(entry, verb) {
		if (entry->key->repeat || !value_of(verb, count, words, entry->key->name))
			puts(entry->key->name);
	}
}

/* Words behind the verb; the last of them is the one to complete. */
static void complete_keys(const struct verb *verb, int count, char **words)
{
	int typed = count - 1, at = 0;
	const struct words *several;
	struct place place;

	while (at < typed) {
		char **own = words + at + 1;

		if (!find_key(verb, typed, words, at, &place))
			return;
		several = key_words(place.key);
		if (!several) {
			if (place.next > typed) {
				list_values(verb, place.key, at, words);
				return;
			}
		} else if (place.next == typed) {
			several->next(typed - at - 1, own, puts);
			if (typed == at + 1)
				return;
		}
		at = place.next;
	}
	if (at == typed)
		list_keys(verb, typed, words);
}

static void complete_pairs(const struct verb *verb, int count, char **words)
{
	const struct object *object;

	if (!verb->positional) {
		complete_keys(verb, count, words);
	} else if (verb->run == help_run && count == 1) {
		list_objects();
	} else if (verb->run == help_run && count == 2) {
		object = grammar_object(words[0]);
		if (object && !object->hidden && !grammar_verb(object, ""))
			list_verbs(object);
	}
}

static void complete_words(int count, char **words)
{
	const struct object *object;
	const struct verb *verb;

	if (count == 1) {
		list_objects();
		list_options();
		return;
	}
	object = grammar_object(words[0]);
	if (!object || object->hidden)
		return;
	verb = grammar_verb(object, "");
	if (verb) {
		complete_pairs(verb, count - 1, words + 1);
		return;
	}
	if (count == 2) {
		list_verbs(object);
		puts("help");
		return;
	}
	verb = grammar_verb(object, words[1]);
	if (verb)
		complete_pairs(verb, count - 2, words + 2);
}

/*
 * Find the network namespace of an option: -n NAME, -nNAME, -jn NAME, --netns NAME or --netns=NAME. Return
 * false if there is none; @name is NULL if it is the next word.
 */
static bool option_netns(const char *option, const char **name)
{
	size_t length = strlen("--netns");

	if (!strncmp(option, "--", 2)) {
		*name = option[length] == '=' ? option + length + 1 : NULL;
		return !strncmp(option, "--netns", length) && (*name || !option[length]);
	}
	/* All that follows a -c is its value. */
	option += 1 + strcspn(option + 1, "cn");
	*name = *option && option[1] ? option + 1 : NULL;
	return *option == 'n';
}

/* Skips options and their values. True: the word to complete is such a value. */
static bool skip_options(int *count, char ***words)
{
	while (*count > 1 && ***words == '-') {
		const char *option = **words, *name;

		(*count)--;
		(*words)++;
		if (!option_netns(option, &name))
			continue;
		/* Ids and devices are those of the namespace, if it can be entered. */
		opt.netns = name;
		if (name)
			continue;
		if (*count == 1) {
			list_netns();
			return true;
		}
		opt.netns = **words;
		(*count)--;
		(*words)++;
	}
	return false;
}

static void print_table(void)
{
	const struct verb_key *entry;
	const struct object *object;
	const struct verb *verb;

	for (object = grammar; object->name; object++) {
		if (object->hidden)
			continue;
		for (verb = object->verbs; verb->name; verb++) {
			printf("%s %s\n", object->name, *verb->name ? verb->name : "-");
			for_each_key(entry, verb)
				printf("%s %s %s %s\n", object->name,
				       *verb->name ? verb->name : "-",
				       entry->key->name,
				       entry->required ? "required" : "optional");
		}
	}
}

/* A shell that completes wants no errors on the screen. */
static bool enter_quietly(void)
{
	return !opt.netns || (freopen("/dev/null", "w", stderr) && !netns_enter(opt.netns));
}

int complete_run(const struct args *args)
{
	int count = args->words;
	char **words = args->word;

	if (count == 1 && !strcmp(words[0], "table")) {
		print_table();
		return WEIR_OK;
	}
	if (count && !strcmp(words[0], "--")) {
		count--;
		words++;
	}
	if (!count)
		return usage(NULL, "complete takes the words typed so far");
	if (skip_options(&count, &words))
		return WEIR_OK;
	entered = enter_quietly();
	if (**words == '-' && count == 1)
		list_options();
	else
		complete_words(count, words);
	return WEIR_OK;
}

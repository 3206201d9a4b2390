// SPDX-License-Identifier: GPL-2.0
/* Help, from the grammar. */
#include <stdio.h>
#include <string.h>

#include "base/tool.h"
#include "grammar/args.h"
#include "grammar/commands.h"
#include "grammar/help.h"

static const char options_help[] =
	"options:\n"
	"  -j, --json              JSON instead of text\n"
	"  -p, --pretty            JSON with line breaks\n"
	"  -c, --color[=WHEN]      colours: auto, always or never\n"
	"  -s, --stats             more counters: histograms of lateness\n"
	"  -n, --netns NAME        work in the network namespace NAME\n"
	"  -d, --debug             print what the BPF library and the verifier say\n"
	"  -V, --version           print the version\n"
	"  -h, --help              print this help\n";

void help_all(void)
{
	const struct object *object;

	printf("usage: weir [OPTION...] OBJECT VERB [KEY VALUE]...\n\nobjects:\n");
	for (object = grammar; object->name; object++) {
		const struct verb *verb;

		if (object->hidden)
			continue;
		printf("  %-8s  %s\n", object->name, object->doc);
		if (!*object->verbs->name)
			continue;
		printf("            verbs:");
		for (verb = object->verbs; verb->name; verb++)
			printf(" %s", verb->name);
		putchar('\n');
	}
	printf("\n%s\n`weir help OBJECT` lists an object's keys; weir(8) lists the manual pages.\n",
	       options_help);
}

/*
 * "a|b|c" for a key that takes names; else the value's name in help, and the key's
 * names, unless the former lists them.
 */
static void print_value(const struct key *key)
{
	const char *bar = "";
	size_t i;

	if (key->type != VALUE_NAME) {
		printf("%s", key->value);
		bar = "|";
	}
	for (i = 0; key->type != VALUE_OWN && key->names && i < key->names->count; i++) {
		printf("%s%s", bar, key->names->name[i].word);
		bar = "|";
	}
}

static void print_usage(const struct object *object, const struct verb *verb)
{
	const struct verb_key *entry;

	printf("  weir %s%s%s", object->name, *verb->name ? " " : "", verb->name);
	for_each_key(entry, verb) {
		printf(" %s%s ", entry->required ? "" : "[", entry->key->name);
		print_value(entry->key);
		printf("%s%s", entry->required ? "" : "]",
		       entry->key->repeat ? "..." : "");
	}
	printf("\n      %s\n", verb->doc);
}

/* Return true if the key was explained at an earlier verb. */
static bool seen_before(const struct object *object, const struct verb *until,
			const struct key *key)
{
	const struct verb *verb;

	for (verb = object->verbs; verb != until; verb++) {
		const struct verb_key *entry = grammar_key(verb, key->name);

		if (entry && entry->key == key)
			return true;
	}
	return false;
}

static void print_keys(const struct object *object)
{
	const struct verb_key *entry;
	const struct verb *verb;
	bool any = false;

	for (verb = object->verbs; verb->name; verb++) {
		for_each_key(entry, verb) {
			if (seen_before(object, verb, entry->key))
				continue;
			if (!any)
				printf("\nkeys:\n");
			any = true;
			printf("  %-12s  %s\n", entry->key->name, entry->key->doc);
		}
	}
}

/* Words that are explained nowhere else. */
static void print_names(const char *title, const struct names *names)
{
	size_t i;

	printf("\n%s:\n", title);
	for (i = 0; i < names->count; i++) {
		if (names->name[i].doc)
			printf("  %-12s  %s\n", names->name[i].word, names->name[i].doc);
	}
}

/* One verb, with all of its keys. */
static int help_verb(const struct object *object, const char *name)
{
	const struct verb_key *entry;
	const struct verb *verb;
	char list[256];

	verb = grammar_verb_like(object, name, list, sizeof(list));
	if (!verb) {
		grammar_verbs(object, list, sizeof(list));
		return usage(NULL, "%s has no verb '%s'; verbs are: %s", object->name, name, list);
	}
	printf("usage:\n");
	print_usage(object, verb);
	if (grammar_key_at(verb, 0))
		printf("\nkeys:\n");
	for_each_key(entry, verb)
		printf("  %-12s  %s\n", entry->key->name, entry->key->doc);
	return WEIR_OK;
}

int help_object(const char *name, const char *verb_name)
{
	const struct object *object = grammar_object(name);
	const struct verb *verb;
	char list[256];

	if (!object || object->hidden) {
		grammar_objects(list, sizeof(list));
		return usage(NULL, "there is no object '%s'; objects are: %s", name, list);
	}
	if (verb_name)
		return help_verb(object, verb_name);
	printf("%s: %s\n\nusage:\n", object->name, object->doc);
	for (verb = object->verbs; verb->name; verb++) {
		if (verb->positional)
			printf("  weir %s %s\n      %s\n", object->name, verb->words, verb->doc);
		else
			print_usage(object, verb);
	}
	print_keys(object);
	if (!strcmp(name, "job")) {
		print_names("formats", &format_names);
		print_names("data types", &dtype_names);
		print_names("operations", &op_names);
		print_names("orders", &order_names);
		print_names("byte orders", &byte_order_names);
		print_names("owners", &owner_names);
		print_names("policies", &policy_names);
	}
	if (!strcmp(name, "source"))
		print_names("states", &state_names);
	if (!strcmp(name, "port"))
		print_names("modes", &mode_names);
	if (!strcmp(name, "trim")) {
		print_names("hooks", &trim_hook_names);
		print_names("profiles", &profile_names);
		print_names("lengths", &trim_length_names);
		print_names("victims", &trim_victim_names);
		print_names("full", &trim_full_names);
		print_names("meters", &trim_meter_names);
	}
	if (!strcmp(name, "stats"))
		print_names("reasons of refusal", &reason_names);
	if (!strcmp(name, "monitor"))
		print_names("events of the data path", &event_names);
	return WEIR_OK;
}

int help_run(const struct args *args)
{
	if (!args->words) {
		help_all();
		return WEIR_OK;
	}
	if (args->words > 2)
		return usage(NULL, "help takes an object and a verb, but '%s' follows '%s'",
			     args->word[2], args->word[1]);
	return help_object(args->word[0], args->words > 1 ? args->word[1] : NULL);
}

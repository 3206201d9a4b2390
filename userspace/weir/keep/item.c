// SPDX-License-Identifier: GPL-2.0
/* The objects that commands make, and how two of them differ. */
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include <weir.h>
#include <weir_trim_nl.h>

#include "base/quote.h"
#include "base/tool.h"
#include "keep/keep.h"
#include "trim/class.h"
#include "trim/profile.h"
#include "trim/trim.h"

#define HIDDEN_MAX 10

/**
 * struct maker - a verb that makes objects
 * @family: that of its module; FAMILY_WEIR by default
 * @ids: keys that say which one it makes
 * @set: the verb that changes some of its keys, "" for the same one; NULL if it has to be made again
 * @remove: the verb that removes it
 * @hidden: keys that `show` leaves out where nothing was said, with the words for that, NULL
 *	where there are none
 * @all_hidden: as all others are
 * @whole: @set takes all of its keys, whichever has changed
 * @exact: @set is a verb that also unsets all keys that it is not given
 */
struct maker {
	const char *object;
	const char *verb;
	const char *ids[3];
	const char *set;
	const char *remove;
	const char *hidden[HIDDEN_MAX][2];
	bool all_hidden;
	bool whole;
	bool exact;
	enum family_of family;
};

static const struct maker makers[] = {
	[KIND_POOL]	= { "trim-pool", "set", { "name" }, "", "del", .whole = true,
			    .family = FAMILY_TRIM },
	[KIND_ACL]	= { "trim-acl", "set", { "name", "prio" }, "", "del", .whole = true,
			    .family = FAMILY_TRIM },
	[KIND_DEFAULT]	= { "trim-default", "set", { NULL }, "replace", "del", .whole = true,
			    .exact = true, .family = FAMILY_TRIM },
	[KIND_JOB]	= { "job", "add", { "id" }, "set", "del",
			    .hidden = { { "group", "none" }, { "rate", "none" }, { "repeat-after" },
					{ "ranks" }, { "parent" }, { "source" }, { "parent-port" },
					{ "parent-dev", "any" }, { "parent-vlan", "any" }, { "owner" } } },
	[KIND_SOURCE]	= { "source", "add", { "job", "id" }, "set", "del",
			    .hidden = { { "port" }, { "dev", "any" }, { "vlan", "any" },
					{ "rate", "none" } } },
	[KIND_CHAIN]	= { "chain", "add", { "dev", "prio" }, "replace", "del",
			    .hidden = { { "mode" }, { "section" } }, .whole = true,
			    .family = FAMILY_XDP },
	[KIND_FLOW]	= { "flow", "on", { "dev" }, "", "off",
			    .hidden = { { "trimmed-dscp", "none" }, { "mode" }, { "rate" },
					{ "share", "none" }, { "loss", "none" },
					{ "source", "0bit" } }, .family = FAMILY_XDP },
	[KIND_FILTER]	= { "filter", "add", { "dev", "prio" }, "replace", "del",
			    .hidden = { { "mode", "" }, { "rule", "any" }, { "set" } },
			    .whole = true, .family = FAMILY_XDP },
	[KIND_ORDER]	= { "order", "add", { "dev", "prio" }, NULL, "del",
			    .all_hidden = true, .family = FAMILY_XDP },
	[KIND_PORT]	= { "port", "attach", { "dev" }, "", "detach", .hidden = { { "udp" } } },
	[KIND_TRIM]	= { "trim", "set", { "dev" }, "replace", "del", .whole = true,
			    .exact = true, .family = FAMILY_TRIM },
};

/* Words of a command that say how it is done, and that no object keeps. */
static bool is_passing(const char *key)
{
	return !strcmp(key, "profile") || !strcmp(key, "child") || !strcmp(key, "from");
}

/* Keys that a live object does not take otherwise: of `trim set`, and of `flow on`. */
static bool is_fixed(const char *key)
{
	return !strcmp(key, "hook") || !strcmp(key, "flows");
}

static bool is_id(const struct maker *maker, const char *key)
{
	size_t i;

	for (i = 0; maker->ids[i]; i++) {
		if (!strcmp(maker->ids[i], key))
			return true;
	}
	return false;
}

/* A number is the same however it was written. */
static void add_id(FILE *file, const struct value *value)
{
	putc(' ', file);
	if (value->key->type == VALUE_NUMBER)
		fprintf(file, "%ju", (uintmax_t)value->number);
	else
		quote_word(file, value->word);
}

/* The object and what says which one it is, as words. */
static char *name_of(const struct maker *maker, const struct args *args)
{
	char *name = NULL;
	size_t size, i;
	FILE *file = open_memstream(&name, &size);

	if (!file)
		abort();
	fputs(maker->object, file);
	for (i = 0; maker->ids[i]; i++) {
		fprintf(file, " %s", maker->ids[i]);
		add_id(file, args_get(args, maker->ids[i]));
	}
	fclose(file);
	return name;
}

/* A rule's place, which a command line may leave to the module, says which rule it is. */
static int check_ids(const struct maker *maker, const struct args *args,
		     const struct command *command, const char *name)
{
	size_t i;

	for (i = 0; maker->ids[i]; i++) {
		if (!args_get(args, maker->ids[i]))
			return usage(maker->ids[i], "%s line %u: what is kept says its %s", name,
				     command->line, maker->ids[i]);
	}
	return WEIR_OK;
}

bool job_is_of_program(const struct args *args)
{
	return args_number(args, "owner", WEIR_OWNER_ADMIN) != WEIR_OWNER_ADMIN;
}

/* Note the ACL that a rule belongs to, or that a policy names. */
static void note_acl(struct item *item, const struct args *args)
{
	const char *name = args_word(args, item->kind == KIND_ACL ? "name" : "acl");

	if (name && (item->kind == KIND_ACL || strcmp(name, TRIM_UNSET)))
		snprintf(item->acl, sizeof(item->acl), "%s", name);
}

static int read_item(struct item *item, const struct command *command, const char *name)
{
	struct args args;
	int status;
	size_t i;

	memset(item, 0, sizeof(*item));
	status = batch_parse(command, name, &args);
	if (status)
		return status;
	for (i = 0; i < KINDS; i++) {
		if (strcmp(makers[i].object, args.object->name) ||
		    strcmp(makers[i].verb, args.verb->name))
			continue;
		status = check_ids(&makers[i], &args, command, name);
		if (status)
			return status;
		/* Words that a profile adds may be refused, as any may. */
		status = i == KIND_TRIM ? profile_fill(&args, args_number(&args, "hook", 0)) : WEIR_OK;
		if (status)
			return status;
		item->kind = i;
		item->command = command;
		item->name = name_of(&makers[i], &args);
		item->of_program = job_is_of_program(&args);
		note_acl(item, &args);
		if (i == KIND_SOURCE)
			snprintf(item->owner, sizeof(item->owner), "job id %u",
				 args_number(&args, "job", 0));
		return WEIR_OK;
	}
	return usage(NULL, "%s line %u: `%s %s` makes nothing that could be kept: that do job add, source add, chain add, filter add, flow on, order add, port attach, trim set, trim-default set, trim-pool set and trim-acl set",
		     name, command->line, args.object->name, args.verb->name);
}

static int compare(const void *a, const void *b)
{
	return strcmp(((const struct item *)a)->name, ((const struct item *)b)->name);
}

int items_read(struct items *items, const struct batch *batch, const char *name)
{
	int status = WEIR_OK;
	size_t i;

	items->item = calloc(batch->count ?: 1, sizeof(*items->item));
	if (!items->item)
		abort();
	for (items->count = 0; !status && items->count < batch->count; items->count++)
		status = read_item(&items->item[items->count], &batch->command[items->count], name);
	if (status)
		return status;
	qsort(items->item, items->count, sizeof(*items->item), compare);
	for (i = 1; i < items->count; i++) {
		const struct item *item = &items->item[i];

		if (!strcmp(item->name, item[-1].name))
			return usage(NULL, "%s: lines %u and %u are both about %s", name,
				     item[-1].command->line, item->command->line, item->name);
	}
	return WEIR_OK;
}

const struct item *items_find(const struct items *items, const char *name)
{
	const struct item wanted = { .name = (char *)name };

	return items->count ? bsearch(&wanted, items->item, items->count, sizeof(wanted),
				      compare) : NULL;
}

void items_free(struct items *items)
{
	size_t i;

	for (i = 0; i < items->count; i++)
		free(items->item[i].name);
	free(items->item);
	memset(items, 0, sizeof(*items));
}

static bool same_value(const struct value *now, const struct value *wanted)
{
	switch (wanted->key->type) {
	case VALUE_ADDRESS:
		return now->none == wanted->none &&
		       (now->none || addr_equal(&now->addr, &wanted->addr));
	case VALUE_DEVICE:
		return now->none == wanted->none && !strcmp(now->word, wanted->word);
	case VALUE_RATE:
		return rate_same(&now->rate, &wanted->rate);
	case VALUE_TEXT:
		return !strcmp(now->word, wanted->word);
	case VALUE_OWN:
		return now->attr == wanted->attr && now->number == wanted->number &&
		       now->none == wanted->none &&
		       !memcmp(&now->match, &wanted->match, sizeof(now->match)) &&
		       action_same(&now->action, &wanted->action) &&
		       !memcmp(&now->map, &wanted->map, sizeof(now->map)) &&
		       class_same(&now->class, &wanted->class);
	default:
		return now->number == wanted->number && now->share == wanted->share;
	}
}

static const struct value *nth(const struct args *args, const struct key *key, size_t n)
{
	size_t i;

	for (i = 0; i < args->count; i++) {
		if (args->value[i].key == key && !n--)
			return &args->value[i];
	}
	return NULL;
}

static size_t count_of(const struct args *args, const struct key *key)
{
	size_t n = 0;

	while (nth(args, key, n))
		n++;
	return n;
}

/* Keys that bring a policy's qdiscs elsewhere if they come or go. */
static bool is_place(const char *key)
{
	return !strcmp(key, "class");
}

/* Return true if @now has each value of @wanted, in any order. */
static bool same_set(const struct args *now, const struct args *wanted, const struct key *key)
{
	const struct value *value, *other;
	size_t n, m;

	for (n = 0; (value = nth(wanted, key, n)); n++) {
		for (m = 0; (other = nth(now, key, m)) && !same_value(other, value); m++)
			;
		if (!other)
			return false;
	}
	return true;
}

/* A device is named once for each; the order of other keys that repeat counts. */
static bool has_device(const struct args *args, const struct value *wanted)
{
	size_t n;

	for (n = 0; nth(args, wanted->key, n); n++) {
		if (!strcmp(nth(args, wanted->key, n)->word, wanted->word))
			return true;
	}
	return false;
}

/* All values of a key that is given. */
static bool same_key(const struct args *now, const struct args *wanted, const struct key *key)
{
	const struct value *value;
	size_t n;

	if (key->repeat && key->type == VALUE_DEVICE) {
		for (n = 0; (value = nth(wanted, key, n)); n++) {
			if (!has_device(now, value))
				return false;
		}
		return true;
	}
	if (count_of(now, key) != count_of(wanted, key))
		return false;
	if (key->unordered)
		return same_set(now, wanted, key);
	for (n = 0; (value = nth(wanted, key, n)); n++) {
		if (!same_value(nth(now, key, n), value))
			return false;
	}
	return true;
}

/* The word that takes the key back; NULL if the object has to be made again, "" if the key may stay. */
static const char *taken_back(const struct maker *maker, const struct key *key)
{
	size_t i;

	for (i = 0; i < HIDDEN_MAX && maker->hidden[i][0]; i++) {
		if (!strcmp(maker->hidden[i][0], key->name))
			return maker->hidden[i][1];
	}
	return maker->all_hidden ? NULL : "";
}

static bool can_set(const struct maker *maker, const struct args *args, const struct key *key)
{
	if (!*maker->set || maker->exact)
		return !is_fixed(key->name);
	return grammar_key(grammar_verb(args->object, maker->set), key->name);
}

/* Return true if each key that is set, but no longer given, has a word that takes it back. */
static enum change left(const struct maker *maker, const struct args *now,
			const struct args *wanted)
{
	enum change change = CHANGE_NONE;
	size_t i;

	for (i = 0; i < now->count; i++) {
		const struct key *key = now->value[i].key;
		const char *word;

		/* A device that forwards for one policy does for all. */
		if (args_get(wanted, key->name) || is_passing(key->name))
			continue;
		if (is_place(key->name))
			return CHANGE_ANEW;
		if (maker->exact) {
			change = CHANGE_SET;
			continue;
		}
		word = taken_back(maker, key);
		if (!word)
			return CHANGE_ANEW;
		if (*word)
			change = CHANGE_SET;
	}
	return change;
}

static void parse(const struct item *item, struct args *args)
{
	/* It was understood before. */
	if (batch_parse(item->command, "", args))
		abort();
	if (item->kind == KIND_TRIM && profile_fill(args, args_number(args, "hook", 0)))
		abort();
}

/* A word that no object keeps has done its part, but for a device that is to forward. */
static bool is_unchanged(const struct args *now, const struct args *wanted, const struct key *key)
{
	if (is_passing(key->name) && strcmp(key->name, "from"))
		return true;
	/* The traffic class says it, too. */
	if (!strcmp(key->name, "dscp") && args_get(wanted, key->name)->none)
		return !args_get(now, key->name);
	return same_key(now, wanted, key);
}

enum change item_change(const struct item *now, const struct item *wanted)
{
	const struct maker *maker = &makers[wanted->kind];
	struct args old, new;
	enum change change;
	size_t i;

	parse(now, &old);
	parse(wanted, &new);
	change = left(maker, &old, &new);
	for (i = 0; i < new.count && change != CHANGE_ANEW; i++) {
		const struct key *key = new.value[i].key;

		if (is_id(maker, key->name) || is_unchanged(&old, &new, key))
			continue;
		if (is_place(key->name) && !args_get(&old, key->name))
			change = CHANGE_ANEW;
		else
			change = can_set(maker, &new, key) ? CHANGE_SET : CHANGE_ANEW;
	}
	return change;
}

/* Words of a command that is composed. */
struct line {
	size_t count;
	const char **word;
};

static void append(struct line *line, const char *word)
{
	line->word = reallocarray(line->word, line->count + 1, sizeof(*line->word));
	if (!line->word)
		abort();
	line->word[line->count++] = word;
}

static void append_value(struct line *line, const struct value *value)
{
	int i;

	for (i = 0; i < value->span; i++)
		append(line, value->written[i]);
}

static void append_key(struct line *line, const struct value *value)
{
	append(line, value->key->name);
	append_value(line, value);
}

/* Add the command to the steps, and free the line. */
static void end_line(struct line *line, struct batch *steps)
{
	batch_add_words(steps, line->count, line->word);
	free(line->word);
}

/* Start a command with the object, a verb and what says which object it is. */
static void begin_line(struct line *line, const struct maker *maker, const char *verb,
		       const struct args *args)
{
	size_t i;

	append(line, maker->object);
	append(line, verb);
	for (i = 0; maker->ids[i]; i++) {
		append(line, maker->ids[i]);
		append(line, args_word(args, maker->ids[i]));
	}
}

/* The keys that differ, or all, by the verb that changes some. */
static void set_some(struct line *line, const struct maker *maker, const struct args *old,
		     const struct args *new)
{
	size_t i;

	for (i = 0; i < new->count; i++) {
		const struct value *value = &new->value[i];
		bool wanted = maker->whole ? can_set(maker, new, value->key) :
					     !same_key(old, new, value->key);

		if (is_id(maker, value->key->name) || !wanted)
			continue;
		append_key(line, value);
	}
	for (i = 0; i < old->count; i++) {
		const struct key *key = old->value[i].key;
		const char *word = taken_back(maker, key);

		if (args_get(new, key->name) || !word || !*word)
			continue;
		append(line, key->name);
		append(line, word);
	}
}

void item_set(struct batch *steps, const struct item *now, const struct item *wanted)
{
	const struct maker *maker = &makers[wanted->kind];
	struct line line = {};
	struct args old, new;

	if (!*maker->set) {
		batch_add_words(steps, wanted->command->count,
				(const char *const *)wanted->command->word);
		return;
	}
	parse(now, &old);
	parse(wanted, &new);
	begin_line(&line, maker, maker->set, &new);
	set_some(&line, maker, &old, &new);
	end_line(&line, steps);
}

/* Keys of which a policy that has one inherits no other. */
static const char *group_of(const char *key)
{
	return !strcmp(key, "tc") ? "dscp" : !strcmp(key, "disable-trim") ? "rule" : key;
}

static bool inherits(const struct args *args, const char *key)
{
	size_t i;

	for (i = 0; i < args->count; i++) {
		if (!strcmp(group_of(args->value[i].key->name), group_of(key)))
			return false;
	}
	return true;
}

/* Settings that others depend on, as a policy has them if neither it nor its default gives them. */
static const char *const plain[][2] = {
	{ "trimmed-dscp", "none" },
	{ "control-dscp", "none" },
	{ "tc-dscp", "0:0,1:8,2:16,3:24,4:32,5:40,6:48,7:56" },
	{ "limit", "12" },
};

void item_set_alone(struct batch *steps, const struct item *trim, const struct item *inherited)
{
	struct args own, def = {};
	struct line line = {};
	size_t i;

	parse(trim, &own);
	if (inherited)
		parse(inherited, &def);
	begin_line(&line, &makers[KIND_TRIM], "replace", &own);
	for (i = 0; i < own.count; i++) {
		if (strcmp(own.value[i].key->name, "dev"))
			append_key(&line, &own.value[i]);
	}
	for (i = 0; i < def.count; i++) {
		if (inherits(&own, def.value[i].key->name))
			append_key(&line, &def.value[i]);
	}
	/* It still inherits from the default that goes. */
	for (i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		if (!inherits(&own, plain[i][0]) || !inherits(&def, plain[i][0]))
			continue;
		append(&line, plain[i][0]);
		append(&line, plain[i][1]);
	}
	end_line(&line, steps);
}

/* The number of a key, or one that no value of it has. */
static uint64_t number_of(const struct args *args, const char *key)
{
	const struct value *value = args_get(args, key);

	return value ? value->number : UINT64_MAX;
}

static bool returns(const struct args *args)
{
	uint64_t full = number_of(args, "full");

	return full == WEIR_TRIM_FULL_RETURN || full == WEIR_TRIM_FULL_RETURN_ALWAYS;
}

bool item_returns_otherwise(const struct item *now, const struct item *wanted)
{
	struct args old, new;

	parse(now, &old);
	parse(wanted, &new);
	return returns(&old) &&
	       (!returns(&new) ||
		number_of(&new, "return-dscp") != number_of(&old, "return-dscp"));
}

void item_return_none(struct batch *steps, const struct item *trim)
{
	char text[128];

	snprintf(text, sizeof(text), "%s %s%s full drop", "trim", "set",
		 trim->name + strlen("trim"));
	batch_add(steps, 0, text);
}

void item_remove(struct batch *steps, const struct item *item)
{
	const struct maker *maker = &makers[item->kind];
	struct line line = {};
	struct args args;

	parse(item, &args);
	begin_line(&line, maker, maker->remove, &args);
	end_line(&line, steps);
}

/* The device of a value, "" where it has none. */
static const char *device_of(const struct value *value)
{
	if (value->key->type == VALUE_DEVICE && !value->none)
		return value->word;
	return value->match.from;
}

const char *item_lacks(const struct item *item)
{
	static char name[IF_NAMESIZE];
	struct args args;
	size_t i;

	parse(item, &args);
	for (i = 0; i < args.count; i++) {
		const char *dev = device_of(&args.value[i]);

		if (!*dev || if_nametoindex(dev))
			continue;
		snprintf(name, sizeof(name), "%s", dev);
		return name;
	}
	return NULL;
}

bool item_names(const struct item *item, const char *dev)
{
	struct args args;
	size_t i;

	parse(item, &args);
	for (i = 0; i < args.count; i++) {
		if (!strcmp(device_of(&args.value[i]), dev))
			return true;
	}
	return false;
}

enum family_of item_family(const struct args *args)
{
	int kind;

	for (kind = 0; kind < KINDS; kind++) {
		if (!strcmp(args->object->name, makers[kind].object))
			return makers[kind].family;
	}
	abort();
}

bool item_is_member(const struct args *args)
{
	const char *mode = args_word(args, "mode"), *hook = args_word(args, "hook");

	return (!strcmp(args->object->name, "port") && mode && strcmp(mode, "tc")) ||
	       (!strcmp(args->object->name, "trim") && hook && !strcmp(hook, "xdp"));
}

const struct holder holders[HOLDERS] = {
	{ FAMILY_TRIM, "trim" }, { FAMILY_WEIR, "port" }, { FAMILY_XDP, "flow" },
	{ FAMILY_XDP, "filter" }, { FAMILY_XDP, "order" }, { FAMILY_XDP, "chain" },
};

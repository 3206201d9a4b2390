// SPDX-License-Identifier: GPL-2.0
/*
 * `weir restore`: all of it, or nothing. The whole text is understood before anything is done,
 * and where a step is refused the way back is planned and gone in the same way.
 *
 * Devices may come later than the rest: objects that need one that is not there are left out, and made
 * by `weir restore dev DEVICE`, which udev runs when it appears.
 */
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/print.h"
#include "base/tool.h"
#include "filter/filter.h"
#include "grammar/commands.h"
#include "keep/keep.h"
#include "keep/module.h"

/**
 * struct wish - the words behind `restore`
 * @file: its name; "-" is standard input
 * @dev: take up what names this device, and remove nothing; NULL for all
 * @diff: show the steps alone
 * @all: jobs of programs are made and removed, too
 */
struct wish {
	const char *file;
	const char *dev;
	bool diff;
	bool all;
};

static int run_step(const struct command *command)
{
	struct args args;
	int status;

	status = batch_parse(command, "", &args);
	return status ?: args.verb->run(&args);
}

static int run_steps(const struct batch *steps)
{
	int status = WEIR_OK, released;
	size_t i;

	filter_hold();
	for (i = 0; !status && i < steps->count; i++)
		status = run_step(&steps->command[i]);
	released = filter_release();
	return status ?: released;
}

/* Leaves items out of the list for which the condition holds, which may look at the whole list. */
static void leave_out(struct items *items, bool (*is_out)(const struct item *item, const void *of),
		      const void *of)
{
	bool *out = calloc(items->count ?: 1, sizeof(*out));
	size_t i, kept = 0;

	if (!out)
		abort();
	for (i = 0; i < items->count; i++)
		out[i] = is_out(&items->item[i], of);
	for (i = 0; i < items->count; i++) {
		if (!out[i])
			items->item[kept++] = items->item[i];
	}
	items->count = kept;
	free(out);
}

/**
 * struct choice - which of the items are made now
 * @items: all that the text has
 * @dev: only those that name this device; NULL for all
 */
struct choice {
	const struct items *items;
	const char *dev;
};

/* Return true if the rule belongs to the ACL that the policy names. */
static bool is_rule_of(const struct item *rule, const struct item *trim)
{
	return rule->kind == KIND_ACL && trim->kind == KIND_TRIM && !strcmp(rule->acl, trim->acl);
}

/* Return the device that a policy's ACL waits for if all of its rules are about missing devices. */
static const char *acl_lacks(const struct items *items, const struct item *trim)
{
	const char *dev = NULL;
	size_t i;

	for (i = 0; i < items->count; i++) {
		if (!is_rule_of(&items->item[i], trim))
			continue;
		dev = item_lacks(&items->item[i]);
		if (!dev)
			return NULL;
	}
	return dev;
}

/* A policy that could not be made without its ACL comes with a device that the ACL's rules name. */
static bool names(const struct choice *choice, const struct item *item)
{
	size_t i;

	if (item_names(item, choice->dev))
		return true;
	for (i = 0; i < choice->items->count; i++) {
		if (is_rule_of(&choice->items->item[i], item) &&
		    item_names(&choice->items->item[i], choice->dev))
			return true;
	}
	return false;
}

/* Return true if the item is about another device, or about one that does not exist yet. */
static bool is_not_for_now(const struct item *item, const void *of)
{
	const struct choice *choice = of;
	const char *dev;

	if (choice->dev && !names(choice, item))
		return true;
	dev = item_lacks(item) ?: acl_lacks(choice->items, item);
	if (dev)
		warning("there is no device %s yet: `%s` is left out until it comes", dev,
			item->name);
	return dev;
}

/* Drop objects other than jobs that the device's items do not name: these are left alone. */
static void keep_named(struct items *now, const struct items *wanted)
{
	size_t i, kept = 0;

	for (i = 0; i < now->count; i++) {
		if (items_find(wanted, now->item[i].name) || now->item[i].kind == KIND_JOB)
			now->item[kept++] = now->item[i];
	}
	now->count = kept;
}

/* A device's items want the jobs that are there. */
static void drop_jobs(struct items *now)
{
	size_t i, kept = 0;

	for (i = 0; i < now->count; i++) {
		if (now->item[i].kind != KIND_JOB)
			now->item[kept++] = now->item[i];
	}
	now->count = kept;
}

/* A job of a program that the text does not ask for as one, or a source of such a job. */
static bool is_of_program(const struct item *item, const void *wanted)
{
	const struct item *same = items_find(wanted, item->kind == KIND_SOURCE ? item->owner : item->name);

	return item->of_program && !(same && same->of_program);
}

/* Mark the sources of jobs of programs, as their jobs are marked. */
static void mark_sources(struct items *items)
{
	size_t i;

	for (i = 0; i < items->count; i++) {
		struct item *item = &items->item[i];
		const struct item *job = item->kind == KIND_SOURCE ? items_find(items, item->owner) : NULL;

		item->of_program |= job && job->of_program;
	}
}

static int plan_from_here(struct batch *steps, struct batch *here, struct items *wanted,
			  const struct wish *wish)
{
	struct items now = {};
	int status;

	/* If no module is loaded, there is nothing: the commands load those that they need. */
	status = modules_are_loaded() ? keep_read(here, true) : WEIR_OK;
	status = status ?: items_read(&now, here, "the namespace");
	if (!status && !wish->all) {
		mark_sources(&now);
		leave_out(&now, is_of_program, wanted);
	}
	if (!status && wish->dev) {
		keep_named(&now, wanted);
		drop_jobs(&now);
	}
	if (!status)
		plan(steps, &now, wanted);
	items_free(&now);
	return status;
}

/* Best effort: each of these commands has worked before. */
static void go_back(const struct batch *before, const struct wish *asked)
{
	static const struct items nothing;
	const struct wish wish = { .all = asked->all };
	struct batch steps = {}, here = {};
	struct items wanted = {};
	int status;

	status = items_read(&wanted, before, "the namespace as it was");
	/* Programs go on meanwhile: jobs that they have ended since stay ended. */
	if (!status && !wish.all) {
		mark_sources(&wanted);
		leave_out(&wanted, is_of_program, &nothing);
	}
	status = status ?: plan_from_here(&steps, &here, &wanted, &wish);
	status = status ?: run_steps(&steps);
	if (status)
		warning("the network namespace could not be made as it was: look with `weir save`");
	else
		warning("nothing is changed: the network namespace is as it was");
	items_free(&wanted);
	batch_free(&steps);
	batch_free(&here);
}

static int restore(const struct batch *batch, const char *name, const struct wish *wish)
{
	struct batch steps = {}, before = {};
	struct items wanted = {};
	const struct choice choice = { &wanted, wish->dev };
	int status;
	size_t i;

	status = wish->diff ? WEIR_OK : keep_lock();
	status = status ?: items_read(&wanted, batch, name);
	if (!status)
		leave_out(&wanted, is_not_for_now, &choice);
	status = status ?: plan_from_here(&steps, &before, &wanted, wish);
	if (!status && wish->diff) {
		print_list(NULL);
		for (i = 0; i < steps.count; i++)
			keep_show(&steps.command[i]);
		print_done();
	} else if (!status) {
		status = run_steps(&steps);
		if (status)
			go_back(&before, wish);
	}
	items_free(&wanted);
	batch_free(&steps);
	batch_free(&before);
	return status;
}

int keep_restore(const struct batch *wanted, const char *name)
{
	const struct wish wish = { .all = true };

	return restore(wanted, name, &wish);
}

/*
 * The name of a device in the name of a unit, where systemd writes \xNN for characters that such a name
 * does not take. A device that is called as the word itself is meant if it is there.
 */
static const char *device_of_unit(char *word)
{
	char *from = word, *to = word;
	unsigned int byte;
	int used;

	if (if_nametoindex(word))
		return word;
	while (*from) {
		if (sscanf(from, "\\x%2x%n", &byte, &used) == 1 && used == 4 && byte) {
			*to++ = (char)byte;
			from += used;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
	return word;
}

static int read_words(const struct args *args, struct wish *wish)
{
	int i;

	for (i = 0; i < args->words; i++) {
		const char *word = args->word[i];
		bool last = i + 1 == args->words;

		if (!strcmp(word, "--diff") || !strcmp(word, "diff")) {
			wish->diff = true;
		} else if (!strcmp(word, "dev") || !strcmp(word, "-f")) {
			if (last)
				return usage(word, "restore: %s lacks its value: write %s %s",
					     word, word, *word == '-' ? "FILE" : "DEVICE");
			if (*word == '-')
				wish->file = args->word[++i];
			else
				wish->dev = device_of_unit(args->word[++i]);
		} else if (*word == '-' && word[1]) {
			return usage(NULL, "restore has no option %s; it takes: --diff, dev DEVICE, -f FILE",
				     word);
		} else {
			wish->file = word;
		}
	}
	return WEIR_OK;
}

int restore_run(const struct args *args)
{
	struct wish wish = { .file = KEEP_FILE };
	struct batch batch = {};
	FILE *file;
	int status;

	status = read_words(args, &wish);
	if (status)
		return status;
	file = strcmp(wish.file, "-") ? fopen(wish.file, "re") : stdin;
	if (!file)
		return refused(errno, "cannot open %s: %s", wish.file, strerror(errno));
	status = batch_read_whole(&batch, file, wish.file);
	if (file != stdin)
		fclose(file);
	status = status ?: restore(&batch, wish.file, &wish);
	batch_free(&batch);
	return status;
}

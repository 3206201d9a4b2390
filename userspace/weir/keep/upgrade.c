// SPDX-License-Identifier: GPL-2.0
/*
 * `weir upgrade`: replace modules under jobs that run, all that are loaded or one. The objects of each
 * network namespace are read first; then the objects that hold the modules go (ports, policies, flows,
 * filters, chains), then the modules with their other objects, and all of these are made again with the new
 * modules. Workers take the box for one that was away: they join again, and send what is not answered once
 * more, so no sum is lost or counted twice. keep/loaded.h has the two ways to speak to the old modules.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <weir.h>

#include "base/print.h"
#include "base/tool.h"
#include "filter/filter.h"
#include "grammar/commands.h"
#include "keep/keep.h"
#include "keep/loaded.h"
#include "keep/module.h"
#include "netlink/genl.h"

#define NETNS_DIR	"/run/netns"
#define STATE_DIR	KEEP_STATE_DIR
#define NOTE_PATH_MAX	512
/* The former version of this tool, which the install scripts of the packages keep during an upgrade. */
#define FORMER_TOOL	STATE_DIR "/former/weir"

/**
 * struct space - a network namespace
 * @name: its name; empty of the tool's own
 * @fd: it
 * @inode: its number, by which one with two names is known
 * @kept: its saved configuration
 */
struct space {
	char name[256];
	int fd;
	ino_t inode;
	struct batch kept;
};

struct upgrade {
	struct modules modules;
	struct loaded loaded;
	struct space *space;
	size_t count;
	uint64_t memory;	/* of all of their jobs */
	uint64_t used;		/* of all jobs that there are */
	unsigned int commands;
	unsigned int failed;
};

static uint64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ull + now.tv_nsec / 1000000;
}

static void add_space(struct upgrade *upgrade, const char *name, const char *path)
{
	struct space *space;
	struct stat stat;
	size_t i;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &stat)) {
		if (fd >= 0)
			close(fd);
		return;
	}
	for (i = 0; i < upgrade->count; i++) {
		if (upgrade->space[i].inode == stat.st_ino) {
			close(fd);
			return;
		}
	}
	upgrade->space = realloc(upgrade->space, (upgrade->count + 1) * sizeof(*space));
	if (!upgrade->space)
		abort();
	space = &upgrade->space[upgrade->count++];
	*space = (struct space){ .fd = fd, .inode = stat.st_ino };
	snprintf(space->name, sizeof(space->name), "%s", name);
}

static void find_spaces(struct upgrade *upgrade)
{
	DIR *directory = opendir(NETNS_DIR);
	struct dirent *entry;
	char path[512];

	add_space(upgrade, "", "/proc/self/ns/net");
	while (directory && (entry = readdir(directory))) {
		if (*entry->d_name == '.')
			continue;
		snprintf(path, sizeof(path), NETNS_DIR "/%s", entry->d_name);
		add_space(upgrade, entry->d_name, path);
	}
	if (directory)
		closedir(directory);
}

static int enter(const struct space *space)
{
	if (!setns(space->fd, CLONE_NEWNET))
		return WEIR_OK;
	return refused(errno, "cannot enter the network namespace %s: %s", space->name,
		       strerror(errno));
}

static void note_path(char path[static NOTE_PATH_MAX], const struct space *space)
{
	snprintf(path, NOTE_PATH_MAX, STATE_DIR "/upgrade%s%s.conf", *space->name ? "-" : "", space->name);
}

/* Write the configuration of a namespace to a file, from which it can be restored by hand. */
static void note_down(const struct space *space)
{
	char path[NOTE_PATH_MAX];
	FILE *file;

	if (!space->kept.count)
		return;
	mkdir(STATE_DIR, 0755);
	note_path(path, space);
	file = fopen(path, "we");
	if (file)
		batch_write(&space->kept, file);
	if (!file || fclose(file))
		warning("what there is cannot be noted in %s: %s", path, strerror(errno));
}

static int read_spaces(struct upgrade *upgrade)
{
	const struct loaded *loaded = &upgrade->loaded;
	int status = WEIR_OK;
	size_t i;

	for (i = 0; !status && i < upgrade->count; i++) {
		struct space *space = &upgrade->space[i];

		status = enter(space);
		status = status ?: loaded->ops->read(loaded, space->name, &space->kept);
		if (upgrade->modules.family[FAMILY_WEIR])
			status = status ?: loaded->ops->read_memory(loaded, &upgrade->memory, &upgrade->used);
		if (!status)
			note_down(space);
	}
	if (!status && upgrade->used > upgrade->memory)
		return refused(EBUSY, "there are jobs in network namespaces without a name, which cannot be made again: give them one with `ip netns attach`, or end them");
	return status;
}

/* Return true if the upgrade takes away what the command makes. */
static bool goes(const struct upgrade *upgrade, const struct args *args)
{
	return upgrade->modules.family[item_family(args)] ||
	       (upgrade->modules.family[FAMILY_XDP] && item_is_member(args));
}

/* The words of a command, for a sentence; the caller frees them. */
static char *words_of(const struct command *command)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		abort();
	batch_print(command, file);
	fclose(file);
	return text;
}

/*
 * Check, before anything is changed, that the command can be run again: the files that it needs besides the
 * module must be readable. Return an exit status.
 */
static int check_command(struct upgrade *upgrade, const struct space *space,
			 const struct command *command)
{
	static const char *const keys[] = { "program", "set" };
	struct args args;
	char *words;
	size_t i;
	int status;

	status = batch_parse(command, "", &args);
	if (!status && !goes(upgrade, &args))
		return WEIR_OK;
	upgrade->commands++;
	for (i = 0; !status && i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *file = args_word(&args, keys[i]);

		if (!file || !access(file, R_OK))
			continue;
		words = words_of(command);
		status = refused(errno, "nothing is changed: %s%s`weir %s` could not be made again, as %s cannot be opened: %s",
				 space->name, *space->name ? ": " : "", words, file, strerror(errno));
		free(words);
	}
	return status;
}

static int check_spaces(struct upgrade *upgrade)
{
	int status = WEIR_OK;
	size_t i, j;

	for (i = 0; i < upgrade->count; i++) {
		const struct batch *kept = &upgrade->space[i].kept;

		for (j = 0; !status && j < kept->count; j++)
			status = check_command(upgrade, &upgrade->space[i],
						       &kept->command[j]);
	}
	return status;
}

static int let_go(struct upgrade *upgrade)
{
	int status = WEIR_OK;
	size_t i;

	for (i = 0; !status && i < upgrade->count; i++) {
		const struct batch *kept = &upgrade->space[i].kept;

		if (!kept->count)
			continue;
		status = enter(&upgrade->space[i]);
		status = status ?: upgrade->loaded.ops->flush(&upgrade->loaded, kept);
	}
	return status;
}

static void tell_failed(const struct space *space, const struct command *command)
{
	char *words = words_of(command);

	warning("%s%snot made again: `weir %s`", space->name, *space->name ? ": " : "", words);
	free(words);
}

/*
 * Return true if the command makes a job of a program, such as weird, or a source of one. @jobs: by id, true
 * for those seen so far; jobs come before their sources.
 */
static bool is_of_program(const struct args *args, bool *jobs)
{
	if (!strcmp(args->object->name, "job"))
		return jobs[args_number(args, "id", 0)] = job_is_of_program(args);
	return !strcmp(args->object->name, "source") && jobs[args_number(args, "job", 0)];
}

/* Programs that run make their jobs again themselves: a job that is there already is as it is to be. */
static int make_one_again(const struct args *args, bool *jobs)
{
	int status;

	tell_unless(is_of_program(args, jobs) ? EEXIST : 0);
	status = args->verb->run(args);
	tell_unless(0);
	return status;
}

/* Run the commands again in each namespace. One that fails does not keep the others from being run. */
static void make_again(struct upgrade *upgrade)
{
	struct args args;
	size_t i, j;

	for (i = 0; i < upgrade->count; i++) {
		struct batch *kept = &upgrade->space[i].kept;
		bool jobs[WEIR_JOB_ID_MAX + 1] = {};

		if (enter(&upgrade->space[i])) {
			upgrade->failed += kept->count;
			continue;
		}
		filter_hold();
		for (j = 0; j < kept->count; j++) {
			int status = batch_parse(&kept->command[j], "", &args);

			if (!status && !goes(upgrade, &args))
				continue;
			status = status ?: make_one_again(&args, jobs);
			if (status)
				tell_failed(&upgrade->space[i], &kept->command[j]);
			upgrade->failed += status != WEIR_OK;
		}
		upgrade->failed += filter_release() != WEIR_OK;
	}
}

/* Restore all namespaces. If the module stayed, jobs did, too: ports and policies are made again. */
static void go_back(struct upgrade *upgrade)
{
	const struct loaded *loaded = &upgrade->loaded;
	char path[NOTE_PATH_MAX];
	size_t i;

	for (i = 0; i < upgrade->count; i++) {
		struct space *space = &upgrade->space[i];

		note_path(path, space);
		if (space->kept.count && !enter(space))
			loaded->ops->restore(loaded, &space->kept, path);
	}
}

static void report_gap(const struct upgrade *upgrade, uint64_t gap)
{
	print_object(NULL);
	print_text("upgraded:");
	print_uint_as("commands", COLOR_NONE, "commands", upgrade->commands);
	print_uint("failed", upgrade->failed);
	print_uint_as("gap", COLOR_NONE, "gap-ms", gap);
	print_text("ms");
	print_end();
	print_done();
}

static int swap(struct upgrade *upgrade)
{
	uint64_t begin = now_ms();
	int status;

	status = let_go(upgrade);
	status = status ?: modules_unload(&upgrade->modules);
	if (status) {
		go_back(upgrade);
		return status;
	}
	status = modules_load(&upgrade->modules);
	if (status)
		return status;
	make_again(upgrade);
	report_gap(upgrade, now_ms() - begin);
	return upgrade->failed ? refused(0, "%u of %u commands failed: what there was is in " STATE_DIR,
					 upgrade->failed, upgrade->commands) : WEIR_OK;
}

/* Read the words of the command. Return an exit status. */
static int read_words(const struct args *args, const char **tool, const char **path)
{
	int i = 0;

	*tool = NULL;
	*path = NULL;
	if (args->words && !strcmp(args->word[0], "-f")) {
		if (args->words == 1)
			return usage("-f", "upgrade: -f lacks its value: write -f TOOL");
		*tool = args->word[1];
		i = 2;
	}
	if (args->words > i)
		*path = args->word[i++];
	if (args->words > i)
		return usage(NULL, "upgrade takes -f TOOL, and the file of a module, a directory of them, or nothing, but '%s' follows '%s'",
			     args->word[i], args->word[i - 1]);
	return WEIR_OK;
}

/* Choose how to speak to the loaded modules. @tool: the one that came with them, or NULL */
static int choose_loaded(struct upgrade *upgrade, const char *tool)
{
	upgrade->loaded = (struct loaded){ &loaded_own_ops, &upgrade->modules, tool };
	if (!tool && !module_is_single())
		return WEIR_OK;
	upgrade->loaded.ops = &loaded_former_ops;
	if (tool && upgrade->modules.file)
		return usage("-f", "upgrade: -f replaces all modules: name the directory of the new ones, not the file of one");
	if (!tool)
		upgrade->loaded.tool = FORMER_TOOL;
	if (!access(upgrade->loaded.tool, X_OK))
		return WEIR_OK;
	if (tool)
		return refused(errno, "cannot run %s: %s", tool, strerror(errno));
	return refused(ENOENT, WEIR_SINGLE ": run `weir upgrade -f TOOL`, where TOOL is the weir that came with it");
}

int upgrade_run(const struct args *args)
{
	struct upgrade upgrade = {};
	const char *tool, *path;
	int status;
	size_t i;

	status = read_words(args, &tool, &path);
	status = status ?: modules_choose(&upgrade.modules, path);
	status = status ?: choose_loaded(&upgrade, tool);
	if (status)
		return status;
	status = keep_lock();
	if (status)
		return status;
	find_spaces(&upgrade);
	status = read_spaces(&upgrade);
	status = status ?: check_spaces(&upgrade);
	status = status ?: swap(&upgrade);
	for (i = 0; i < upgrade.count; i++) {
		batch_free(&upgrade.space[i].kept);
		close(upgrade.space[i].fd);
	}
	free(upgrade.space);
	return status;
}

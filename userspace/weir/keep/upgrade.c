// SPDX-License-Identifier: GPL-2.0
/*
 * `weir upgrade`: replace modules under jobs that run, all that are loaded or one. The objects of each
 * network namespace are read first; then the objects that hold the modules go (ports, policies, flows,
 * filters, chains), then the modules with their other objects, and all of these are made again with the new
 * modules. Workers take the box for one that was away: they join again, and send what is not answered once
 * more, so no sum is lost or counted twice.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/pkt_sched.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <weir.h>
#include <weir_trim_nl.h>

#include "base/print.h"
#include "base/tool.h"
#include "filter/filter.h"
#include "grammar/commands.h"
#include "keep/keep.h"
#include "keep/module.h"
#include "netlink/genl.h"
#include "request/request.h"
#include "trim/trim.h"

#define NETNS_DIR	"/run/netns"
#define STATE_DIR	KEEP_STATE_DIR

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

static int read_memory(struct upgrade *upgrade)
{
	const struct nlattr *total[WEIR_A_TOTAL_MAX + 1];
	struct nl_replies replies = {};
	char buffer[NL_REQUEST_SIZE];
	struct weir weir;
	int status, err;

	status = weir_open_any(&weir);
	if (status)
		return status;
	weir_begin(&weir, buffer, WEIR_CMD_STATS_GET, 0);
	err = nl_talk(&weir.nl, buffer, &replies);
	if (!err && replies.count) {
		weir_attributes(replies.message[0], total, WEIR_A_TOTAL_MAX);
		upgrade->memory += nl_uint(total[WEIR_A_TOTAL_MEMORY]);
		upgrade->used = nl_uint(total[WEIR_A_TOTAL_MEMORY_USED]);
	}
	nl_replies_free(&replies);
	weir_close(&weir);
	return err ? refused(err, "the module does not tell its memory: %s", strerror(-err)) : WEIR_OK;
}

/* For whoever has to do by hand what an upgrade did not come to. */
static void note_down(const struct space *space)
{
	char path[512];
	FILE *file;

	if (!space->kept.count)
		return;
	mkdir(STATE_DIR, 0755);
	snprintf(path, sizeof(path), STATE_DIR "/upgrade%s%s.conf", *space->name ? "-" : "",
		 space->name);
	file = fopen(path, "we");
	if (file)
		batch_write(&space->kept, file);
	if (!file || fclose(file))
		warning("what there is cannot be noted in %s: %s", path, strerror(errno));
}

/* Return true if tc has put the qdisc there. The tool's own have its handles, or are below those. */
static bool is_foreign(const struct nlattr **queue)
{
	struct qdisc qdisc = { .handle = nl_uint(queue[WEIR_A_TRIM_QUEUE_HANDLE]), .kind = TRIM_QDISC_KIND };

	return !trim_classes_is(&qdisc) && TC_H_MAJ(nl_uint(queue[WEIR_A_TRIM_QUEUE_HANDLE])) != TRIM_QDISC_HANDLE &&
	       TC_H_MAJ(nl_uint(queue[WEIR_A_TRIM_QUEUE_PARENT])) != TRIM_QDISC_HANDLE;
}

static int refuse_queue(const struct space *space, const struct nlattr **queue)
{
	const char *dev = nl_string(queue[WEIR_A_TRIM_QUEUE_IFNAME]);
	char place[TRIM_PLACE_TEXT], in[300] = "", ns[300] = "";

	trim_place_text(place, nl_uint(queue[WEIR_A_TRIM_QUEUE_PARENT]));
	if (*space->name) {
		snprintf(in, sizeof(in), " in the network namespace %s", space->name);
		snprintf(ns, sizeof(ns), "-n %s ", space->name);
	}
	return refused(EBUSY, "the weir qdisc at %s of %s%s was put there with tc and holds the module: run `tc %sqdisc del dev %s %s`, and `tc %sqdisc add dev %s %s weir` after the upgrade",
		       place, dev, in, ns, dev, place, ns, dev, place);
}

/* Qdiscs that were put below a class with tc would not be made again. */
static int check_queues(const struct space *space)
{
	const struct nlattr *queue[WEIR_A_TRIM_QUEUE_MAX + 1];
	struct nl_replies replies = {};
	int status;
	size_t i;

	status = request_list(WEIR_CMD_TRIM_QUEUE_GET, "qdiscs", &replies);
	for (i = 0; !status && i < replies.count; i++) {
		weir_attributes(replies.message[i], queue, WEIR_A_TRIM_QUEUE_MAX);
		if (queue[WEIR_A_TRIM_QUEUE_HANDLE] && is_foreign(queue))
			status = refuse_queue(space, queue);
	}
	nl_replies_free(&replies);
	return status;
}

static int read_spaces(struct upgrade *upgrade)
{
	int status = WEIR_OK;
	size_t i;

	for (i = 0; !status && i < upgrade->count; i++) {
		struct space *space = &upgrade->space[i];

		status = enter(space);
		if (upgrade->modules.family[FAMILY_TRIM])
			status = status ?: check_queues(space);
		status = status ?: keep_read(&space->kept, true);
		if (upgrade->modules.family[FAMILY_WEIR])
			status = status ?: read_memory(upgrade);
		if (!status)
			note_down(space);
	}
	if (!status && upgrade->used > upgrade->memory)
		return refused(EBUSY, "there are jobs in network namespaces without a name, which cannot be made again: give them one with `ip netns attach`, or end them");
	return status;
}

/* Return the family of a command's object. */
static enum family_of family_of_object(const struct args *args)
{
	static const char *const objects[FAMILIES][5] = {
		[FAMILY_WEIR] = { "job", "source", "port" },
		[FAMILY_TRIM] = { "trim", "trim-default", "trim-pool", "trim-acl" },
		[FAMILY_XDP] = { "chain", "filter", "flow", "order" },
	};
	int family, i;

	for (family = 0; family < FAMILIES; family++) {
		for (i = 0; objects[family][i]; i++) {
			if (!strcmp(args->object->name, objects[family][i]))
				return family;
		}
	}
	abort();
}

/* Return true if the object has an XDP program, which may be in the chain of a device. */
static bool is_member(const struct args *args)
{
	const char *mode = args_word(args, "mode"), *hook = args_word(args, "hook");

	return (!strcmp(args->object->name, "port") && mode && strcmp(mode, "tc")) ||
	       (!strcmp(args->object->name, "trim") && hook && !strcmp(hook, "xdp"));
}

/* Return true if the upgrade takes away what the command makes. */
static bool goes(const struct upgrade *upgrade, const struct args *args)
{
	return upgrade->modules.family[family_of_object(args)] ||
	       (upgrade->modules.family[FAMILY_XDP] && is_member(args));
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

static int run_words(size_t count, const char *const *word)
{
	struct batch batch = {};
	struct args args;
	int status;

	batch_add_words(&batch, count, word);
	status = batch_parse(&batch.command[0], "", &args);
	status = status ?: args.verb->run(&args);
	batch_free(&batch);
	return status;
}

/* Flush the objects that hold the modules from the namespace that was entered. Return an exit status. */
static int flush_space(const struct modules *modules)
{
	static const struct {
		enum family_of family;
		const char *object;
	} holders[] = {
		{ FAMILY_TRIM, "trim" }, { FAMILY_WEIR, "port" }, { FAMILY_XDP, "flow" },
		{ FAMILY_XDP, "filter" }, { FAMILY_XDP, "order" }, { FAMILY_XDP, "chain" },
	};
	int status = WEIR_OK;
	size_t i;

	for (i = 0; !status && i < sizeof(holders) / sizeof(holders[0]); i++) {
		if (modules->family[holders[i].family])
			status = run_words(2, (const char *[]){ holders[i].object, "flush" });
	}
	return status;
}

/* Ports and policies of other modules, whose programs are in chains. */
static int take_members(const struct upgrade *upgrade, const struct batch *kept)
{
	struct args args;
	int status = WEIR_OK;
	size_t i;

	for (i = 0; !status && i < kept->count; i++) {
		const char *verb;

		if (batch_parse(&kept->command[i], "", &args) || !is_member(&args) ||
		    upgrade->modules.family[family_of_object(&args)])
			continue;
		verb = family_of_object(&args) == FAMILY_WEIR ? "detach" : "del";
		status = run_words(4, (const char *[]){ args.object->name, verb, "dev",
							args_word(&args, "dev") });
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
		if (upgrade->modules.family[FAMILY_XDP])
			status = status ?: take_members(upgrade, kept);
		status = status ?: flush_space(&upgrade->modules);
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
	size_t i;

	for (i = 0; i < upgrade->count; i++) {
		if (upgrade->space[i].kept.count && !enter(&upgrade->space[i]))
			keep_restore(&upgrade->space[i].kept, "what there was");
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

int upgrade_run(const struct args *args)
{
	struct upgrade upgrade = {};
	int status;
	size_t i;

	if (args->words > 1)
		return usage(NULL, "upgrade takes the file of a module, a directory of them, or nothing, but '%s' follows '%s'",
			     args->word[1], args->word[0]);
	status = modules_choose(&upgrade.modules, args->words ? args->word[0] : NULL);
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

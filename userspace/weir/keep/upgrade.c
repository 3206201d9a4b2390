// SPDX-License-Identifier: GPL-2.0
/*
 * `weir upgrade`: another module under jobs that run. What each network namespace has is read
 * first; then ports, policies, flows, filters and chains go, which hold the module, then the module
 * with the jobs, and all is made again with the new one. Workers take the box for one that was away: they join
 * again, and send what is not answered once more, so no sum is lost or counted twice.
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
#include "netlink/genl.h"
#include "request/request.h"
#include "trim/trim.h"

#define NETNS_DIR	"/run/netns"
#define STATE_DIR	KEEP_STATE_DIR
/* The kernel lets go of programs and devices a moment after they are gone. */
#define UNLOAD_MS	10000
#define PAUSE_MS	10

/**
 * struct space - a network namespace
 * @name: its name; empty of the tool's own
 * @fd: it
 * @inode: its number, by which one with two names is known
 * @kept: what it has
 */
struct space {
	char name[256];
	int fd;
	ino_t inode;
	struct batch kept;
};

struct upgrade {
	const char *file;	/* NULL: what modprobe finds */
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

static void pause_ms(unsigned int ms)
{
	nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000L }, NULL);
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

/* Is it one that tc has put there? The tool's own have its handles, or are below those. */
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
		status = status ?: check_queues(space);
		status = status ?: keep_read(&space->kept, true);
		status = status ?: read_memory(upgrade);
		if (!status)
			note_down(space);
		upgrade->commands += space->kept.count;
	}
	if (!status && upgrade->used > upgrade->memory)
		return refused(EBUSY, "there are jobs in network namespaces without a name, which cannot be made again: give them one with `ip netns attach`, or end them");
	return status;
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

/* Could the command be run again, as far as that shows before? What it needs besides the module are files. */
static int check_command(const struct space *space, const struct command *command)
{
	static const char *const keys[] = { "program", "set" };
	struct args args;
	char *words;
	size_t i;
	int status;

	status = batch_parse(command, "", &args);
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

static int check_spaces(const struct upgrade *upgrade)
{
	int status = WEIR_OK;
	size_t i, j;

	for (i = 0; i < upgrade->count; i++) {
		const struct batch *kept = &upgrade->space[i].kept;

		for (j = 0; !status && j < kept->count; j++)
			status = check_command(&upgrade->space[i], &kept->command[j]);
	}
	return status;
}

/* Of a module the file says which kernel it is for. */
static int check_file(const char *file)
{
	struct utsname name;
	char *bytes = NULL, magic[128];
	size_t size = 0;
	FILE *in = fopen(file, "re");
	struct stat stat;
	bool fits;

	if (!in)
		return refused(errno, "cannot open %s: %s", file, strerror(errno));
	if (!fstat(fileno(in), &stat) && stat.st_size > 0) {
		bytes = malloc(stat.st_size);
		size = bytes ? fread(bytes, 1, stat.st_size, in) : 0;
	}
	fclose(in);
	uname(&name);
	snprintf(magic, sizeof(magic), "vermagic=%s ", name.release);
	fits = memmem(bytes ?: "", size, magic, strlen(magic)) &&
	       memmem(bytes, size, "name=weir", sizeof("name=weir"));
	free(bytes);
	return fits ? WEIR_OK : refused(EINVAL, "%s is no weir module for this kernel, %s: build it with `make module`",
					file, name.release);
}

static int run_words(const char *words)
{
	struct batch batch = {};
	struct args args;
	int status;

	batch_add(&batch, 0, words);
	status = batch_parse(&batch.command[0], "", &args);
	status = status ?: args.verb->run(&args);
	batch_free(&batch);
	return status;
}

static int let_go(struct upgrade *upgrade)
{
	int status = WEIR_OK;
	size_t i;

	for (i = 0; !status && i < upgrade->count; i++) {
		if (!upgrade->space[i].kept.count)
			continue;
		status = enter(&upgrade->space[i]);
		status = status ?: run_words("trim flush");
		status = status ?: run_words("port flush");
		status = status ?: run_words("flow flush");
		status = status ?: run_words("filter flush");
		status = status ?: run_words("order flush");
		status = status ?: run_words("chain flush");
	}
	return status;
}

static int unload(void)
{
	uint64_t end = now_ms() + UNLOAD_MS;

	while (syscall(SYS_delete_module, "weir", O_NONBLOCK)) {
		if (errno == ENOENT)
			return WEIR_OK;
		if ((errno != EAGAIN && errno != EBUSY) || now_ms() > end)
			return refused(errno, "the module cannot be unloaded: %s%s", strerror(errno),
				       errno == EAGAIN ? "; something else holds it: look with `lsmod`, `bpftool prog` and `tc qdisc show`" : "");
		pause_ms(PAUSE_MS);
	}
	return WEIR_OK;
}

static bool modprobe(void)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		execlp("modprobe", "modprobe", "weir", NULL);
		execl("/sbin/modprobe", "modprobe", "weir", NULL);
		_exit(127);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && !status;
}

static int load_file(const char *file)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC), err;

	if (fd >= 0 && !syscall(SYS_finit_module, fd, "", 0)) {
		close(fd);
		return 0;
	}
	err = -errno;
	if (fd >= 0)
		close(fd);
	return err;
}

/* Where the new one does not load, one that modprobe finds is better than none. */
static int load(const struct upgrade *upgrade)
{
	int err;

	if (!upgrade->file)
		return modprobe() ? WEIR_OK : refused(0, "`modprobe weir` failed: what there was is in " STATE_DIR);
	err = load_file(upgrade->file);
	if (!err)
		return WEIR_OK;
	if (modprobe()) {
		warning("%s does not load (%s): the module that is installed was loaded instead",
			upgrade->file, strerror(-err));
		return WEIR_OK;
	}
	return refused(err, "%s does not load: %s; what there was is in " STATE_DIR, upgrade->file,
		       strerror(-err));
}

static void tell_failed(const struct space *space, const struct command *command)
{
	char *words = words_of(command);

	warning("%s%snot made again: `weir %s`", space->name, *space->name ? ": " : "", words);
	free(words);
}

/* What one command cannot make again does not keep the others from it. */
static void make_again(struct upgrade *upgrade)
{
	struct args args;
	size_t i, j;

	for (i = 0; i < upgrade->count; i++) {
		struct batch *kept = &upgrade->space[i].kept;

		if (enter(&upgrade->space[i])) {
			upgrade->failed += kept->count;
			continue;
		}
		filter_hold();
		for (j = 0; j < kept->count; j++) {
			int status = batch_parse(&kept->command[j], "", &args);

			status = status ?: args.verb->run(&args);
			if (status)
				tell_failed(&upgrade->space[i], &kept->command[j]);
			upgrade->failed += status != WEIR_OK;
		}
		upgrade->failed += filter_release() != WEIR_OK;
	}
}

/* Where the module stayed, jobs did, too: ports and policies are made again. */
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
	status = status ?: unload();
	if (status) {
		go_back(upgrade);
		return status;
	}
	status = load(upgrade);
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
		return usage(NULL, "upgrade takes the file of a module, or nothing, but '%s' follows '%s'",
			     args->word[1], args->word[0]);
	upgrade.file = args->words ? args->word[0] : NULL;
	status = upgrade.file ? check_file(upgrade.file) : WEIR_OK;
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

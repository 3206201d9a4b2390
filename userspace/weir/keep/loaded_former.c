// SPDX-License-Identifier: GPL-2.0
/*
 * Loaded modules whose netlink this tool does not speak: the tool that came with them is run. Their
 * configuration is text in the words of the command line, which versions share.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/tool.h"
#include "keep/keep.h"
#include "keep/loaded.h"

#define WORDS_MAX	2

/* Start the tool with its standard output in @out, unless that is NULL. Return its pid, or a negative errno. */
static pid_t start(const char *tool, const char *const *word, FILE **out)
{
	char *argv[WORDS_MAX + 2] = { (char *)tool };
	int fd[2] = { -1, -1 }, i;
	pid_t pid;

	for (i = 0; i < WORDS_MAX && word[i]; i++)
		argv[i + 1] = (char *)word[i];
	if (out && pipe2(fd, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (!pid) {
		if (out)
			dup2(fd[1], STDOUT_FILENO);
		execv(tool, argv);
		_exit(127);
	}
	if (pid < 0)
		pid = -errno;
	if (out) {
		close(fd[1]);
		*out = fdopen(fd[0], "r");
	}
	return pid;
}

/* Wait for the tool, which has told what went wrong. Return an exit status. */
static int finish(const char *tool, const char *const *word, pid_t pid)
{
	int status;

	if (pid < 0)
		return refused(-pid, "cannot run %s: %s", tool, strerror(-pid));
	if (waitpid(pid, &status, 0) == pid && !status)
		return WEIR_OK;
	return refused(0, "`%s %s%s%s` failed: it must be the tool that came with the modules that are loaded",
		       tool, word[0], word[1] ? " " : "", word[1] ?: "");
}

static int run(const struct loaded *loaded, const char *const *word)
{
	return finish(loaded->tool, word, start(loaded->tool, word, NULL));
}

/* Run the tool, and set @answer to what it prints, which the caller frees. Return an exit status. */
static int ask(const struct loaded *loaded, const char *const *word, char **answer)
{
	FILE *out = NULL;
	pid_t pid = start(loaded->tool, word, &out);
	size_t size = 0;

	*answer = NULL;
	if (out) {
		if (getdelim(answer, &size, 0, out) < 0)
			*answer = strdup("");
		fclose(out);
	}
	return finish(loaded->tool, word, pid);
}

static int former_read(const struct loaded *loaded, const char *netns, struct batch *kept)
{
	static const char *const word[WORDS_MAX] = { "save", NULL };
	char *text;
	int status = ask(loaded, word, &text);
	struct items items = {};
	FILE *in;

	(void)netns;
	if (!status) {
		in = *text ? fmemopen(text, strlen(text), "r") : fopen("/dev/null", "r");
		status = batch_read_whole(kept, in, loaded->tool);
		fclose(in);
	}
	free(text);
	/* All of its commands make something. */
	status = status ?: items_read(&items, kept, loaded->tool);
	items_free(&items);
	return status;
}

static int former_read_memory(const struct loaded *loaded, uint64_t *named, uint64_t *all)
{
	static const char *const word[WORDS_MAX] = { "-j", "stats" };
	struct json_object *stats, *memory, *used;
	char *text;
	int status = ask(loaded, word, &text);

	stats = status ? NULL : json_tokener_parse(text);
	free(text);
	if (status)
		return status;
	if (json_object_object_get_ex(stats, "memory", &memory) &&
	    json_object_object_get_ex(stats, "memory-used", &used)) {
		*named += json_object_get_uint64(memory);
		*all = json_object_get_uint64(used);
	} else {
		status = refused(0, "`%s -j stats` does not tell the memory of jobs", loaded->tool);
	}
	json_object_put(stats);
	return status;
}

static int former_flush(const struct loaded *loaded, const struct batch *kept)
{
	int status = WEIR_OK;
	size_t i;

	(void)kept;
	for (i = 0; !status && i < HOLDERS; i++)
		status = run(loaded, (const char *[WORDS_MAX]){ holders[i].object, "flush" });
	return status;
}

static int former_restore(const struct loaded *loaded, const struct batch *kept, const char *file)
{
	(void)kept;
	/* The tool takes the lock, too. */
	keep_unlock();
	return run(loaded, (const char *[WORDS_MAX]){ "restore", file });
}

const struct loaded_ops loaded_former_ops = {
	.read = former_read,
	.read_memory = former_read_memory,
	.flush = former_flush,
	.restore = former_restore,
};

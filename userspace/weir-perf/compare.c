// SPDX-License-Identifier: GPL-2.0
/*
 * The same allreduces by others: each is a program weir-perf-NAME, which is found as any program
 * is, runs in all ranks at once as this one does, and prints a size and a time on each line.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "perf.h"

extern char **environ;

/* Arguments before the sizes, and the end behind them. */
#define FIXED	14
#define NUMBER	24

/**
 * struct command - a command line, and what its words lie in
 * @words: for exec()
 * @count: number of words
 * @program: the program
 * @numbers: of each word that is one
 */
struct command {
	char **words;
	unsigned int count;
	char program[PERF_NAME + sizeof("weir-perf-")];
	char (*numbers)[NUMBER];
};

static void add_word(struct command *command, const char *word)
{
	command->words[command->count++] = (char *)word;
}

static void add_number(struct command *command, uint64_t number)
{
	char *room = command->numbers[command->count];

	snprintf(room, NUMBER, "%" PRIu64, number);
	add_word(command, room);
}

static void add_option(struct command *command, const char *name, uint64_t number)
{
	add_word(command, name);
	add_number(command, number);
}

static bool command_make(struct command *command, const struct perf_options *options,
			 const char *name, const struct perf_sizes *sizes)
{
	command->count = 0;
	command->words = calloc(FIXED + sizes->count, sizeof(*command->words));
	command->numbers = calloc(FIXED + sizes->count, sizeof(*command->numbers));
	if (!command->words || !command->numbers)
		return false;
	snprintf(command->program, sizeof(command->program), "weir-perf-%s", name);
	add_word(command, command->program);
	add_option(command, "--rank", options->weir.rank);
	add_option(command, "--ranks", options->weir.ranks);
	add_option(command, "--iterations", options->iterations);
	add_option(command, "--warmup", options->warmup);
	add_word(command, "--dtype");
	add_word(command, type_name(options->type));
	add_word(command, "--op");
	add_word(command, operation_name(options->operation));
	for (size_t i = 0; i < sizes->count; i++)
		add_number(command, sizes->results[i].bytes);
	return true;
}

static void command_free(struct command *command)
{
	free(command->words);
	free(command->numbers);
}

/* Starts it with its output to @out. Returns 0 or an errno. */
static int start(const struct command *command, const int out[2], pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	int err = posix_spawn_file_actions_init(&actions);

	if (err)
		return err;
	err = posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
	if (!err)
		err = posix_spawn_file_actions_addclose(&actions, out[0]);
	if (!err)
		err = posix_spawnp(pid, command->program, &actions, NULL, command->words, environ);
	posix_spawn_file_actions_destroy(&actions);
	return err;
}

/* Reads a line a size, in their order, and to the end, which has its writer end by itself. */
static size_t read_times(FILE *file, const struct perf_sizes *sizes, double *times)
{
	uint64_t bytes;
	size_t count = 0;

	while (count < sizes->count && fscanf(file, "%" SCNu64 " %lf", &bytes, &times[count]) == 2 &&
	       bytes == sizes->results[count].bytes)
		count++;
	while (fgetc(file) != EOF)
		;
	return count;
}

static void say(struct perf_other *other, const char *what, int number)
{
	snprintf(other->error, sizeof(other->error), "weir-perf-%s %s%.0d", other->name, what, number);
}

static void take(struct perf_other *other, const struct perf_sizes *sizes, int fd, pid_t pid)
{
	FILE *file = fdopen(fd, "r");
	size_t count = file ? read_times(file, sizes, other->times) : 0;
	int status;

	if (file)
		fclose(file);
	else
		close(fd);
	if (waitpid(pid, &status, 0) < 0 || !WIFEXITED(status))
		say(other, "was ended", 0);
	else if (WEXITSTATUS(status))
		say(other, "ended with status ", WEXITSTATUS(status));
	else if (count != sizes->count)
		say(other, "has not printed a time for each size", 0);
}

static void run(struct perf_other *other, const struct perf_options *options,
		const struct perf_sizes *sizes)
{
	struct command command = { 0 };
	int out[2], err;
	pid_t pid;

	if (!command_make(&command, options, other->name, sizes) || pipe2(out, O_CLOEXEC)) {
		say(other, "was not started", 0);
		command_free(&command);
		return;
	}
	err = start(&command, out, &pid);
	close(out[1]);
	if (err) {
		snprintf(other->error, sizeof(other->error), "%s cannot be started: %s",
			 command.program, strerror(err));
		close(out[0]);
	} else {
		take(other, sizes, out[0], pid);
	}
	command_free(&command);
}

bool compare(const struct perf_options *options, const struct perf_sizes *sizes)
{
	const char *name = options->compare, *end;
	bool is_right = true;

	for (; name; name = *end ? end + 1 : NULL) {
		struct perf_other other = { .times = calloc(sizes->count, sizeof(double)) };

		end = strchrnul(name, ',');
		snprintf(other.name, sizeof(other.name), "%.*s", (int)(end - name), name);
		if (other.times)
			run(&other, options, sizes);
		else
			say(&other, "has no memory", 0);
		report_other(options, sizes, &other);
		is_right &= !*other.error;
		free(other.times);
	}
	return is_right;
}

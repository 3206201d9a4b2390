// SPDX-License-Identifier: GPL-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/quote.h"
#include "base/tool.h"
#include "keep/batch.h"

static void *grown(void *array, size_t size)
{
	array = realloc(array, size);
	if (!array)
		abort();
	return array;
}

static void add_word(struct command *command, char *word)
{
	command->word = grown(command->word, (command->count + 1) * sizeof(word));
	command->word[command->count++] = word;
}

/* Add a command unless it is empty. */
static void add_command(struct batch *batch, struct command *command)
{
	if (!command->count) {
		free(command->text);
		return;
	}
	batch->command = grown(batch->command, (batch->count + 1) * sizeof(*command));
	batch->command[batch->count++] = *command;
}

bool batch_add(struct batch *batch, unsigned int line, const char *text)
{
	struct command command = { .line = line, .text = strdup(text) };
	char *at = command.text, *word;

	if (!at)
		abort();
	do {
		if (!quote_next(&at, &word)) {
			free(command.word);
			free(command.text);
			return false;
		}
		if (word && (command.count || strcmp(word, "weir")))
			add_word(&command, word);
	} while (at);
	add_command(batch, &command);
	return true;
}

void batch_add_words(struct batch *batch, size_t count, const char *const *word)
{
	struct command command = {};
	size_t size = 1, i;
	char *to;

	for (i = 0; i < count; i++)
		size += strlen(word[i]) + 1;
	to = command.text = grown(NULL, size);
	for (i = 0; i < count; i++) {
		add_word(&command, to);
		to = stpcpy(to, word[i]) + 1;
	}
	add_command(batch, &command);
}

/* Take a backslash off a line's end, unless another one quotes it. */
static bool goes_on(char *line)
{
	size_t length = strcspn(line, "\r\n"), count = 0;

	while (count < length && line[length - 1 - count] == '\\')
		count++;
	if (count % 2 == 0)
		return false;
	line[length - 1] = '\0';
	return true;
}

static int add_line(struct batch *batch, unsigned int line, const char *text, const char *name)
{
	if (batch_add(batch, line, text))
		return WEIR_OK;
	return usage(NULL, "%s line %u: a quotation mark is not closed, or \\ stands before what it does not quote",
		     name, line);
}

/**
 * struct reading - a file that is being read
 * @line: number of lines so far
 * @begun: the first line is the mark that a saved file begins with
 * @end: the line with the mark at the end of a saved file, 0 if there was none
 * @count: commands that are there according to that mark
 * @cut: the last line does not end
 */
struct reading {
	const char *name;
	unsigned int line;
	bool begun;
	unsigned int end;
	size_t count;
	bool cut;
};

static void read_mark(struct reading *reading, const char *line)
{
	char rest;

	if (reading->line == 1)
		reading->begun = !strncmp(line, BATCH_BEGIN, strlen(BATCH_BEGIN));
	if (sscanf(line, BATCH_END "%c", &reading->count, &rest) == 2 && rest == '\n')
		reading->end = reading->line;
}

static int read_lines(struct batch *batch, FILE *file, struct reading *reading)
{
	char *line = NULL, *all = NULL;
	size_t size = 0, used = 0;
	int status = WEIR_OK;
	unsigned int first = 1;
	ssize_t length;

	while (!status && (length = getline(&line, &size, file)) > 0) {
		bool more;

		reading->line++;
		reading->cut = line[length - 1] != '\n';
		if (strlen(line) != (size_t)length) {
			status = usage(NULL, "%s line %u: a byte is zero; the file is damaged",
				       reading->name, reading->line);
			break;
		}
		read_mark(reading, line);
		more = goes_on(line);
		length = strlen(line);
		all = grown(all, used + length + 2);
		used += sprintf(all + used, "%s%s", used ? " " : "", line);
		if (more)
			continue;
		status = add_line(batch, first, all, reading->name);
		first = reading->line + 1;
		used = 0;
	}
	if (!status && used)
		status = add_line(batch, first, all, reading->name);
	free(line);
	free(all);
	if (!status && ferror(file))
		status = refused(errno, "cannot read %s: %s", reading->name, strerror(errno));
	return status;
}

int batch_read(struct batch *batch, FILE *file, const char *name)
{
	struct reading reading = { .name = name };

	return read_lines(batch, file, &reading);
}

/* Check that the file is all that was written. Return an exit status. */
static int check_whole(const struct batch *batch, const struct reading *reading)
{
	if (reading->cut)
		return usage(NULL, "%s line %u: the file ends within the line; it is truncated, or lacks its last newline",
			     reading->name, reading->line);
	if (reading->begun && !reading->end)
		return usage(NULL, "%s is truncated: `weir save` ends its output with a line that counts the commands",
			     reading->name);
	if (reading->end && reading->count != batch->count)
		return usage(NULL, "%s has %zu commands, but line %u says %zu: some are lost, or correct the number after a change by hand",
			     reading->name, batch->count, reading->end, reading->count);
	if (!reading->end && !batch->count)
		return usage(NULL, "%s has no commands: it is truncated; to remove everything write `weir flush all`",
			     reading->name);
	return WEIR_OK;
}

int batch_read_whole(struct batch *batch, FILE *file, const char *name)
{
	struct reading reading = { .name = name };
	int status = read_lines(batch, file, &reading);

	return status ?: check_whole(batch, &reading);
}

void batch_write(const struct batch *batch, FILE *file)
{
	size_t i;

	fputs(BATCH_BEGIN "\n", file);
	for (i = 0; i < batch->count; i++) {
		fputs("weir ", file);
		batch_print(&batch->command[i], file);
		putc('\n', file);
	}
	fprintf(file, BATCH_END "\n", batch->count);
}

void batch_free(struct batch *batch)
{
	size_t i;

	for (i = 0; i < batch->count; i++) {
		free(batch->command[i].word);
		free(batch->command[i].text);
	}
	free(batch->command);
	memset(batch, 0, sizeof(*batch));
}

void batch_print(const struct command *command, FILE *file)
{
	int i;

	for (i = 0; i < command->count; i++) {
		if (i)
			putc(' ', file);
		quote_word(file, command->word[i]);
	}
}

int batch_parse(const struct command *command, const char *name, struct args *args)
{
	int status;

	if (command->line)
		tell_where(name, command->line);
	status = args_parse(args, command->count, command->word);
	tell_where(NULL, 0);
	return status;
}

// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/tool.h"
#include "keep/batch.h"

#define BLANKS " \t\r\n"

static void *grown(void *array, size_t size)
{
	array = realloc(array, size);
	if (!array)
		abort();
	return array;
}

static void split(struct command *command)
{
	char *at = command->text, *word;

	while ((word = strsep(&at, BLANKS))) {
		if (*word == '#')
			break;
		if (!*word || (!command->count && !strcmp(word, "weir")))
			continue;
		command->word = grown(command->word, (command->count + 1) * sizeof(word));
		command->word[command->count++] = word;
	}
}

void batch_add(struct batch *batch, unsigned int line, const char *text)
{
	struct command command = { .line = line, .text = strdup(text) };

	if (!command.text)
		abort();
	split(&command);
	if (!command.count) {
		free(command.text);
		return;
	}
	batch->command = grown(batch->command, (batch->count + 1) * sizeof(command));
	batch->command[batch->count++] = command;
}

/* Takes a backslash off a line's end. */
static bool goes_on(char *line)
{
	size_t length = strcspn(line, "\r\n");

	if (!length || line[length - 1] != '\\')
		return false;
	line[length - 1] = '\0';
	return true;
}

int batch_read(struct batch *batch, FILE *file, const char *name)
{
	char *line = NULL, *all = NULL;
	unsigned int number = 0, first = 1;
	size_t size = 0, used = 0;

	while (getline(&line, &size, file) > 0) {
		bool more = goes_on(line);
		size_t length = strlen(line);

		number++;
		all = grown(all, used + length + 2);
		used += sprintf(all + used, "%s%s", used ? " " : "", line);
		if (more)
			continue;
		batch_add(batch, first, all);
		first = number + 1;
		used = 0;
	}
	if (used)
		batch_add(batch, first, all);
	free(line);
	free(all);
	return ferror(file) ? refused(errno, "cannot read %s: %s", name, strerror(errno)) : WEIR_OK;
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

	for (i = 0; i < command->count; i++)
		fprintf(file, "%s%s", i ? " " : "", command->word[i]);
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

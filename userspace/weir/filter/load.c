// SPDX-License-Identifier: GPL-2.0
/* `weir filter load`: rules from a file, all or none, which packets meet at once. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir.h>

#include "base/device.h"
#include "base/tool.h"
#include "filter/filter.h"
#include "grammar/commands.h"

#define BLANKS " \t\r\n"
/* More than the words of a rule with all that it may have. */
#define WORDS_MAX 128

/* "prio 10 rule any action drop", to which the object, the verb and the device are added. */
static int run_line(const struct args *load, char *line)
{
	char *words[WORDS_MAX] = {
		"filter", "add", "dev", (char *)args_get(load, "dev")->word,
	};
	char *at = line, *word;
	struct args args;
	int count = 4;
	int status;

	while ((word = strsep(&at, BLANKS)) && *word != '#') {
		if (!*word)
			continue;
		if (count == WORDS_MAX)
			return usage(NULL, "a line has %d words at most", WORDS_MAX - 4);
		words[count++] = word;
	}
	if (count == 4)
		return WEIR_OK;
	status = args_parse(&args, count, words);
	return status ?: filter_add_run(&args);
}

static int run_lines(const struct args *args, FILE *file, const char *name)
{
	unsigned long long number = 0;
	int status = WEIR_OK;
	char *line = NULL;
	size_t size = 0;

	while (!status && getline(&line, &size, file) > 0) {
		tell_where(name, ++number);
		status = run_line(args, line);
	}
	tell_where(NULL, 0);
	free(line);
	if (!status && ferror(file))
		return refused(errno, "cannot read %s: %s", name, strerror(errno));
	return status;
}

int filter_load_run(const struct args *args)
{
	const char *name = args_get(args, "file")->word, *dev = args_get(args, "dev")->word;
	unsigned int ifindex;
	FILE *file;
	int status;

	status = device_find(dev, &ifindex);
	if (status)
		return status;
	file = strcmp(name, "-") ? fopen(name, "re") : stdin;
	if (!file)
		return refused(errno, "cannot open %s: %s", name, strerror(errno));
	filter_hold();
	status = run_lines(args, file, name);
	if (status)
		filter_drop_held(dev, ifindex);
	else
		status = filter_release();
	if (file != stdin)
		fclose(file);
	return status;
}

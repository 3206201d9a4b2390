// SPDX-License-Identifier: GPL-2.0
/* The packets of a rule: those of its words, and of a file. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tool.h"
#include "filter/filter.h"

#define BLANKS " \t\r\n"

static void add(struct matches *matches, const struct match *match)
{
	/* In steps of a power of two. */
	if (!(matches->count & (matches->count - 1))) {
		size_t room = matches->count ? 2 * matches->count : 1;

		matches->match = reallocarray(matches->match, room, sizeof(*match));
		if (!matches->match)
			abort();
	}
	matches->match[matches->count++] = *match;
}

/* "10.0.0.0/8", or the words of a rule. */
static const char *parse_line(struct match *match, const char *word)
{
	char text[MATCH_TEXT];

	if (strchr(word, '='))
		return match_parse(match, word, true);
	snprintf(text, sizeof(text), "src=%s", word);
	return match_parse(match, text, true);
}

/* A line has one word, and a comment behind a #. */
static int read_line(struct matches *matches, const struct match *common, char *line)
{
	struct match match = *common;
	const char *why, *word;

	line[strcspn(line, "#")] = '\0';
	word = strtok(line, BLANKS);
	if (!word)
		return WEIR_OK;
	if (strtok(NULL, BLANKS))
		return usage("set", "a line has a prefix or the conditions of a rule, and no second word");
	why = parse_line(&match, word);
	if (why)
		return usage("set", "'%s' is not understood: %s", word, why);
	add(matches, &match);
	return WEIR_OK;
}

static int read_lines(struct matches *matches, const struct match *common, FILE *file,
		      const char *name)
{
	unsigned long long number = 0;
	int status = WEIR_OK;
	char *line = NULL;
	size_t size = 0;

	while (!status && getline(&line, &size, file) > 0) {
		tell_where(name, ++number);
		status = read_line(matches, common, line);
	}
	tell_where(NULL, 0);
	free(line);
	if (!status && ferror(file))
		return refused(errno, "cannot read %s: %s", name, strerror(errno));
	if (!status && !matches->count)
		return usage("set", "%s has no prefixes, and a rule needs packets", name);
	return status;
}

static int read_set(struct matches *matches, const struct match *common, const char *name)
{
	FILE *file = fopen(name, "re");
	int status;

	if (!file)
		return refused(errno, "cannot open %s: %s", name, strerror(errno));
	status = read_lines(matches, common, file, name);
	fclose(file);
	return status;
}

int matches_read(struct matches *matches, const struct args *args)
{
	const struct value *set = args_get(args, "set");
	size_t i;

	memset(matches, 0, sizeof(*matches));
	for (i = 0; i < args->count; i++) {
		if (!strcmp(args->value[i].key->name, "rule"))
			add(matches, &args->value[i].match);
	}
	if (set && matches->count > 1)
		return usage("rule", "with a set there is one rule, which counts for all that the set has");
	if (set) {
		const struct match common = matches->count ? *matches->match : (struct match){};

		matches->count = 0;
		return read_set(matches, &common, set->word);
	}
	return matches->count || !strcmp(args->verb->name, "guard") ? WEIR_OK :
	       usage("rule", "say which packets: by `rule MATCH`, `rule any`, or `set FILE`");
}

void matches_free(struct matches *matches)
{
	free(matches->match);
	memset(matches, 0, sizeof(*matches));
}

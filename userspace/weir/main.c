// SPDX-License-Identifier: GPL-2.0
/* weir: options, then the verb of the grammar that the words name. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/print.h"
#include "base/tool.h"
#include "grammar/args.h"
#include "grammar/commands.h"
#include "grammar/help.h"

struct options opt;

static const struct option long_options[] = {
	{ "json",	no_argument,		NULL, 'j' },
	{ "pretty",	no_argument,		NULL, 'p' },
	{ "color",	optional_argument,	NULL, 'c' },
	{ "stats",	no_argument,		NULL, 's' },
	{ "netns",	required_argument,	NULL, 'n' },
	{ "debug",	no_argument,		NULL, 'd' },
	{ "version",	no_argument,		NULL, 'V' },
	{ "help",	no_argument,		NULL, 'h' },
	{ .name = NULL },
};

static int parse_color(const char *when)
{
	/* getopt leaves the = of -c=WHEN in place. */
	if (when && *when == '=')
		when++;
	if (!when || !strcmp(when, "always"))
		opt.color = COLOR_ALWAYS;
	else if (!strcmp(when, "auto"))
		opt.color = COLOR_AUTO;
	else if (!strcmp(when, "never"))
		opt.color = COLOR_NEVER;
	else
		return usage(NULL, "--color is auto, always or never, not '%s'", when);
	return WEIR_OK;
}

/* The words of an option that getopt did not understand. */
static int wrong_option(int code, char **argv)
{
	if (code == ':' || optopt == 'n')
		return usage(NULL, "the option %s lacks its value: it takes the name of a network namespace",
			     argv[optind - 1]);
	if (optopt && optopt < 128 && strncmp(argv[optind - 1], "--", 2))
		return usage(NULL, "there is no option -%c; `weir help` lists the options", optopt);
	return usage(NULL, "there is no option %s; `weir help` lists the options",
		     argv[optind - 1]);
}

/* Long options count in full only, as all words do. */
static bool abbreviated(const char *word, const char *full)
{
	return !strncmp(word, "--", 2) &&
	       strncmp(word + 2, full, strcspn(word + 2, "=")) == 0 &&
	       strcspn(word + 2, "=") != strlen(full);
}

/* @done: the option has been served and nothing more is to do */
static int take_option(int code, char **argv, bool *done)
{
	switch (code) {
	case 'j':
		opt.json = true;
		return WEIR_OK;
	case 'p':
		opt.pretty = true;
		return WEIR_OK;
	case 'c':
		return parse_color(optarg);
	case 's':
		opt.stats = true;
		return WEIR_OK;
	case 'n':
		opt.netns = optarg;
		return WEIR_OK;
	case 'd':
		opt.debug = true;
		return WEIR_OK;
	case 'V':
		printf("weir %s\n", WEIR_VERSION);
		*done = true;
		return WEIR_OK;
	case 'h':
		help_all();
		*done = true;
		return WEIR_OK;
	default:
		return wrong_option(code, argv);
	}
}

static int parse_options(int argc, char **argv, bool *done)
{
	int code, index, status;

	opterr = 0;
	/* + : options end where the words begin */
	while (index = -1, (code = getopt_long(argc, argv, "+:jpc::sn:dVh",
					       long_options, &index)) != -1) {
		if (index >= 0 && optind > 0) {
			const char *full = long_options[index].name;
			const char *word = argv[optind - (optarg == argv[optind - 1] ? 2 : 1)];

			if (abbreviated(word, full))
				return usage(NULL, "there is no option %s; write --%s in full",
					     word, full);
		}
		status = take_option(code, argv, done);
		if (status || *done)
			return status;
	}
	return WEIR_OK;
}

/* A full disk or a closed pipe must not look like success. */
static int finish(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	return status ?: refused(0, "cannot write to standard output");
}

static int run(int count, char **words)
{
	const struct object *object;
	struct args args;
	int status;

	/* As of ip(8): `job help`, `job add help`. */
	object = count > 1 && count < 4 && !strcmp(words[count - 1], "help") ?
		 grammar_object(words[0]) : NULL;
	if (object && !object->hidden)
		return help_object(words[0], count == 3 ? words[1] : NULL);
	status = args_parse(&args, count, words);
	if (status)
		return status;
	if (!args.verb->host_first) {
		status = netns_enter(opt.netns);
		if (status)
			return status;
	}
	return args.verb->run(&args);
}

int main(int argc, char **argv)
{
	bool done = false;
	int status;

	status = parse_options(argc, argv, &done);
	if (status || done)
		return finish(status);
	print_setup();
	if (optind == argc) {
		char list[256];

		grammar_objects(list, sizeof(list));
		return usage(NULL, "no object is given; objects are: %s", list);
	}
	return finish(run(argc - optind, argv + optind));
}

// SPDX-License-Identifier: GPL-2.0
/* `weir chain`: the user's own programs before, between and behind weir's. */
#include <bpf/libbpf.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <weir.h>

#include "base/print.h"
#include "base/tool.h"
#include "chain/chain.h"
#include "grammar/args.h"
#include "grammar/commands.h"
#include "request/request.h"
#include "request/show.h"

static const char *word_of(const struct args *args, const char *key)
{
	const struct value *value = args_get(args, key);

	return value ? value->word : NULL;
}

/* Loads the program of the command line, and has @put give it its place. */
static int with_program(const struct args *args,
			int (*put)(const struct args *args, const struct chain_program *program))
{
	struct chain_program program = {};
	struct bpf_object *object = NULL;
	char path[PATH_MAX];
	int status;

	if (!realpath(word_of(args, "program"), path))
		return refused(errno, "cannot open %s: %s", word_of(args, "program"), strerror(errno));
	bpf_quiet();
	status = bpf_ready() ?: user_load(path, word_of(args, "section"), &object, &program);
	program.file = path;
	if (word_of(args, "section"))
		program.section = word_of(args, "section");
	status = status ?: put(args, &program);
	bpf_object__close(object);
	return status;
}

static int add(const struct args *args, const struct chain_program *program)
{
	return chain_add(word_of(args, "dev"), args_number(args, "mode", 0),
			 args_number(args, "prio", 0), program);
}

static int replace(const struct args *args, const struct chain_program *program)
{
	return chain_replace(word_of(args, "dev"), args_number(args, "prio", 0), program);
}

int chain_add_run(const struct args *args)
{
	return with_program(args, add);
}

int chain_replace_run(const struct args *args)
{
	return with_program(args, replace);
}

int chain_move_run(const struct args *args)
{
	return chain_move(word_of(args, "dev"), args_number(args, "prio", 0),
			  args_number(args, "to", 0));
}

int chain_adopt_run(const struct args *args)
{
	return chain_take_in(word_of(args, "dev"), args_number(args, "prio", 0));
}

int chain_del_run(const struct args *args)
{
	return chain_take(word_of(args, "dev"), args_number(args, "prio", 0));
}

static int dump(struct nl_replies *replies)
{
	char buffer[NL_REQUEST_SIZE];
	struct weir weir;
	int status, err;

	status = weir_open(&weir);
	if (status)
		return status;
	weir_begin(&weir, buffer, WEIR_CMD_CHAIN_GET, NLM_F_DUMP);
	err = nl_talk(&weir.nl, buffer, replies);
	if (err)
		status = refused(err, "the module does not list its chains: %s", strerror(-err));
	weir_close(&weir);
	return status;
}

/* Weir's own programs stay: ports and policies have them. */
int chain_flush_run(const struct args *args)
{
	const struct nlattr *place[WEIR_A_CHAIN_MAX + 1];
	struct nl_replies replies = {};
	int status = dump(&replies);
	size_t i;

	(void)args;
	for (i = 0; !status && i < replies.count; i++) {
		weir_attributes(replies.message[i], place, WEIR_A_CHAIN_MAX);
		if (nl_uint(place[WEIR_A_CHAIN_PART]) == WEIR_CHAIN_PART_PROGRAM)
			status = chain_take(nl_string(place[WEIR_A_CHAIN_IFNAME]),
					    nl_uint(place[WEIR_A_CHAIN_PRIO]));
	}
	nl_replies_free(&replies);
	return status;
}

int chain_show_run(const struct args *args)
{
	const struct nlattr *place[WEIR_A_CHAIN_MAX + 1];
	const char *dev = word_of(args, "dev");
	struct nl_replies replies = {};
	int status = dump(&replies);
	size_t i;

	if (!status)
		print_list(NULL);
	for (i = 0; !status && i < replies.count; i++) {
		weir_attributes(replies.message[i], place, WEIR_A_CHAIN_MAX);
		if (dev && strcmp(dev, nl_string(place[WEIR_A_CHAIN_IFNAME])))
			continue;
		print_object(NULL);
		chain_print(replies.message[i], false);
		print_end();
		print_line(0);
	}
	if (!status)
		print_done();
	nl_replies_free(&replies);
	return status;
}

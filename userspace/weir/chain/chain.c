// SPDX-License-Identifier: GPL-2.0
/* `weir chain`: the user's own programs before, between and behind weir's. */
#include <bpf/libbpf.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <weir_xdp_nl.h>

#include "base/file.h"
#include "base/print.h"
#include "base/tool.h"
#include "chain/chain.h"
#include "grammar/args.h"
#include "grammar/commands.h"
#include "request/request.h"
#include "request/show.h"

/* Loads the program of the command line, and has @put give it its place. */
static int with_program(const struct args *args,
			int (*put)(const struct args *args, const struct chain_program *program))
{
	struct chain_program program = {};
	struct bpf_object *object = NULL;
	char path[PATH_MAX];
	int status;

	status = file_find("program", args_word(args, "program"), path);
	if (status)
		return status;
	bpf_quiet();
	status = bpf_ready(FAMILY_XDP) ?: user_load(path, args_word(args, "section"), &object, &program);
	program.file = path;
	if (args_word(args, "section"))
		program.section = args_word(args, "section");
	status = status ?: put(args, &program);
	bpf_object__close(object);
	return status;
}

static int add(const struct args *args, const struct chain_program *program)
{
	return chain_add(args_word(args, "dev"), args_number(args, "mode", 0),
			 args_number(args, "prio", 0), program);
}

static int replace(const struct args *args, const struct chain_program *program)
{
	return chain_replace(args_word(args, "dev"), args_number(args, "prio", 0), program);
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
	return chain_move(args_word(args, "dev"), args_number(args, "prio", 0),
			  args_number(args, "to", 0));
}

int chain_adopt_run(const struct args *args)
{
	return chain_take_in(args_word(args, "dev"), args_number(args, "prio", 0));
}

int chain_del_run(const struct args *args)
{
	return chain_take(args_word(args, "dev"), args_number(args, "prio", 0));
}

int chain_bring(const char *dev, uint32_t mode, uint32_t prio, const char *name,
		int (*load)(struct program *program))
{
	struct program program = {};
	int status, err;

	bpf_quiet();
	status = bpf_ready(FAMILY_XDP);
	if (status)
		return status;
	err = load(&program);
	if (err)
		return program_refused(err, name);
	status = chain_put(dev, mode, prio, program.fd);
	program_close(&program);
	return status;
}

int chain_take_all(uint32_t part)
{
	const struct nlattr *place[WEIR_A_CHAIN_MAX + 1];
	struct nl_replies replies = {};
	int status = request_list(WEIR_XDP_CMD_CHAIN_GET, "chains", &replies);
	size_t i;

	for (i = 0; !status && i < replies.count; i++) {
		weir_attributes(replies.message[i], place, WEIR_A_CHAIN_MAX);
		if (nl_uint(place[WEIR_A_CHAIN_PART]) == part)
			status = chain_take(nl_string(place[WEIR_A_CHAIN_IFNAME]),
					    nl_uint(place[WEIR_A_CHAIN_PRIO]));
	}
	nl_replies_free(&replies);
	return status;
}

/* Weir's own programs stay: ports and policies have them. */
int chain_flush_run(const struct args *args)
{
	(void)args;
	return chain_take_all(WEIR_XDP_CHAIN_PART_PROGRAM);
}

int chain_show_run(const struct args *args)
{
	return show_of_dev(args, "chains", WEIR_A_CHAIN_IFNAME, chain_print);
}

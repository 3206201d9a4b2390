// SPDX-License-Identifier: GPL-2.0
/* A program of the user's own, from an object file. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/tool.h"
#include "chain/chain.h"

#define FRAGS "xdp.frags"

static bool is_xdp(const struct bpf_program *program)
{
	return bpf_program__type(program) == BPF_PROG_TYPE_XDP;
}

static bool is_meant(const struct bpf_program *program, const char *section)
{
	if (!section)
		return is_xdp(program);
	return !strcmp(bpf_program__section_name(program), section) ||
	       !strcmp(bpf_program__name(program), section);
}

/* The words of all programs that could be meant. */
static int several(const char *file, const char *section, const struct bpf_object *object)
{
	struct bpf_program *program;
	char list[512] = "";

	bpf_object__for_each_program(program, object) {
		if (is_meant(program, section))
			snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s%s",
				 *list ? ", " : "", bpf_program__name(program));
	}
	return usage("section", "%s has several programs%s%s: say which by `section`: %s", file,
		     section ? " in section " : "", section ?: "", list);
}

static int find(const char *file, const char *section, struct bpf_object *object,
		struct bpf_program **found)
{
	struct bpf_program *program;
	unsigned int count = 0;

	bpf_object__for_each_program(program, object) {
		bpf_program__set_autoload(program, false);
		if (!is_meant(program, section))
			continue;
		*found = program;
		count++;
	}
	if (count > 1)
		return several(file, section, object);
	if (!count && section)
		return usage("section", "%s has no program of the section or the name %s", file,
			     section);
	return count ? WEIR_OK : usage("program", "%s has no XDP program", file);
}

/* Sections that the library does not know are XDP's where they are asked for. */
static int settle_type(const char *file, struct bpf_program *program)
{
	if (bpf_program__type(program) == BPF_PROG_TYPE_UNSPEC)
		bpf_program__set_type(program, BPF_PROG_TYPE_XDP);
	if (is_xdp(program))
		return WEIR_OK;
	return usage("section", "%s of %s is no XDP program", bpf_program__name(program), file);
}

int user_load(const char *file, const char *section, struct bpf_object **object,
	      struct chain_program *program)
{
	struct bpf_program *found = NULL;
	int status, err;

	*object = bpf_object__open_file(file, NULL);
	if (!*object)
		return refused(errno, "cannot read BPF programs from %s: %s", file, strerror(errno));
	status = find(file, section, *object, &found);
	status = status ?: settle_type(file, found);
	if (status)
		return status;
	bpf_program__set_autoload(found, true);
	err = bpf_object__load(*object);
	if (err)
		return program_refused(err, bpf_program__name(found));
	program->fd = bpf_program__fd(found);
	program->section = bpf_program__section_name(found);
	program->frags = !strncmp(program->section, FRAGS, strlen(FRAGS));
	return WEIR_OK;
}

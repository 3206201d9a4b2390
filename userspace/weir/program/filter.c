// SPDX-License-Identifier: GPL-2.0
/* The XDP program of a device that has a filter. */
#include <bpf/libbpf.h>
#include <errno.h>

#include "bpf/weir_filter.skel.h"
#include "program/program.h"

static void destroy(void *skeleton)
{
	weir_filter_bpf__destroy(skeleton);
}

int filter_load(struct program *program)
{
	struct weir_filter_bpf *skeleton = weir_filter_bpf__open_and_load();

	if (!skeleton)
		return -errno;
	program->skeleton = skeleton;
	program->destroy = destroy;
	program->fd = bpf_program__fd(skeleton->progs.weir_filter);
	return 0;
}

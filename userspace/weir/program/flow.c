// SPDX-License-Identifier: GPL-2.0
/* The XDP program of a device whose flows are recorded. */
#include <bpf/libbpf.h>
#include <errno.h>

#include "bpf/weir_flow.skel.h"
#include "program/program.h"

static void destroy(void *skeleton)
{
	weir_flow_bpf__destroy(skeleton);
}

int flow_load(struct program *program)
{
	struct weir_flow_bpf *skeleton = weir_flow_bpf__open_and_load();

	if (!skeleton)
		return -errno;
	program->skeleton = skeleton;
	program->destroy = destroy;
	program->fd = bpf_program__fd(skeleton->progs.weir_flow);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/* The XDP program of a device whose packets are put in order. */
#include <bpf/libbpf.h>
#include <errno.h>

#include "bpf/weir_order.skel.h"
#include "program/program.h"

static void destroy(void *skeleton)
{
	weir_order_bpf__destroy(skeleton);
}

int order_load(struct program *program)
{
	struct weir_order_bpf *skeleton = weir_order_bpf__open_and_load();

	if (!skeleton)
		return -errno;
	program->skeleton = skeleton;
	program->destroy = destroy;
	program->fd = bpf_program__fd(skeleton->progs.weir_order);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/* The XDP program that forwards, and trims packets for which a port has no room. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>

#include <weir.h>

#include "bpf/weir_forward.skel.h"
#include "bpf/weir_forward_bound.skel.h"
#include "program/program.h"

static void destroy(void *skeleton)
{
	weir_forward_bpf__destroy(skeleton);
}

static void destroy_bound(void *skeleton)
{
	weir_forward_bound_bpf__destroy(skeleton);
}

/* Not all kernels let a program ask the driver. */
static int load_bound(struct program *program, unsigned int ifindex)
{
	struct weir_forward_bound_bpf *skeleton = weir_forward_bound_bpf__open();
	int err;

	if (!skeleton)
		return -errno;
	bpf_program__set_ifindex(skeleton->progs.weir_forward_on, ifindex);
	bpf_program__set_flags(skeleton->progs.weir_forward_on, BPF_F_XDP_DEV_BOUND_ONLY);
	err = weir_forward_bound_bpf__load(skeleton);
	if (err) {
		weir_forward_bound_bpf__destroy(skeleton);
		return err;
	}
	program->skeleton = skeleton;
	program->destroy = destroy_bound;
	program->fd = bpf_program__fd(skeleton->progs.weir_forward_on);
	return 0;
}

static int load_any(struct program *program)
{
	struct weir_forward_bpf *skeleton = weir_forward_bpf__open();
	int err;

	if (!skeleton)
		return -errno;
	err = weir_forward_bpf__load(skeleton);
	if (err) {
		weir_forward_bpf__destroy(skeleton);
		return err;
	}
	program->skeleton = skeleton;
	program->destroy = destroy;
	program->fd = bpf_program__fd(skeleton->progs.weir_forward);
	return 0;
}

int forward_load(struct program *program, unsigned int bind_to)
{
	if (bind_to && !load_bound(program, bind_to))
		return 0;
	return load_any(program);
}

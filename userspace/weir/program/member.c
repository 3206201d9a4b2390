// SPDX-License-Identifier: GPL-2.0
/*
 * The XDP programs of a device with a filter, with records of flows, with orders, or whose packets are
 * forwarded and trimmed where a port has no room: each alone in its object.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>

#include "bpf/weir_filter.skel.h"
#include "bpf/weir_flow.skel.h"
#include "bpf/weir_forward.skel.h"
#include "bpf/weir_forward_bound.skel.h"
#include "bpf/weir_order.skel.h"
#include "program/program.h"

static void destroy(void *object)
{
	bpf_object__close(object);
}

/* @bind_to: the device that it is bound to, 0 for none */
static int load(struct program *program, const void *elf, size_t size, unsigned int bind_to)
{
	struct bpf_object *object = bpf_object__open_mem(elf, size, NULL);
	struct bpf_program *xdp;
	int err;

	if (!object)
		return -errno;
	xdp = bpf_object__next_program(object, NULL);
	if (bind_to) {
		bpf_program__set_ifindex(xdp, bind_to);
		bpf_program__set_flags(xdp, BPF_F_XDP_DEV_BOUND_ONLY);
	}
	err = bpf_object__load(object);
	if (err) {
		bpf_object__close(object);
		return err;
	}
	program->skeleton = object;
	program->destroy = destroy;
	program->fd = bpf_program__fd(xdp);
	return 0;
}

int filter_load(struct program *program)
{
	size_t size;
	const void *elf = weir_filter_bpf__elf_bytes(&size);

	return load(program, elf, size, 0);
}

int flow_load(struct program *program)
{
	size_t size;
	const void *elf = weir_flow_bpf__elf_bytes(&size);

	return load(program, elf, size, 0);
}

int order_load(struct program *program)
{
	size_t size;
	const void *elf = weir_order_bpf__elf_bytes(&size);

	return load(program, elf, size, 0);
}

int forward_load(struct program *program, unsigned int bind_to)
{
	size_t size;
	const void *elf = weir_forward_bound_bpf__elf_bytes(&size);

	/* Not all kernels let a program ask the driver. */
	if (bind_to && !load(program, elf, size, bind_to))
		return 0;
	elf = weir_forward_bpf__elf_bytes(&size);
	return load(program, elf, size, 0);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The XDP programs of a device with a filter, with records of flows, or with orders: each alone in
 * its object, which has nothing to be set before it is loaded.
 */
#include <bpf/libbpf.h>
#include <errno.h>

#include "bpf/weir_filter.skel.h"
#include "bpf/weir_flow.skel.h"
#include "bpf/weir_order.skel.h"
#include "program/program.h"

static void destroy(void *object)
{
	bpf_object__close(object);
}

static int load(struct program *program, const void *elf, size_t size)
{
	struct bpf_object *object = bpf_object__open_mem(elf, size, NULL);
	int err;

	if (!object)
		return -errno;
	err = bpf_object__load(object);
	if (err) {
		bpf_object__close(object);
		return err;
	}
	program->skeleton = object;
	program->destroy = destroy;
	program->fd = bpf_program__fd(bpf_object__next_program(object, NULL));
	return 0;
}

int filter_load(struct program *program)
{
	size_t size;
	const void *elf = weir_filter_bpf__elf_bytes(&size);

	return load(program, elf, size);
}

int flow_load(struct program *program)
{
	size_t size;
	const void *elf = weir_flow_bpf__elf_bytes(&size);

	return load(program, elf, size);
}

int order_load(struct program *program)
{
	size_t size;
	const void *elf = weir_order_bpf__elf_bytes(&size);

	return load(program, elf, size);
}

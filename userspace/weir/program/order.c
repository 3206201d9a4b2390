// SPDX-License-Identifier: GPL-2.0
/* The XDP program that spreads packets over CPUs, and its map of those. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>

#include "bpf/weir_order.skel.h"
#include "program/program.h"

/* Packets that a CPU's ring takes: more than the module gives one, for all orders of a device. */
#define RING 2048

static void destroy(void *skeleton)
{
	weir_order_bpf__destroy(skeleton);
}

static int add_cpus(struct weir_order_bpf *skeleton, const struct order_cpus *cpus)
{
	struct bpf_cpumap_val entry = {
		.qsize = RING,
		.bpf_prog.fd = bpf_program__fd(skeleton->progs.weir_order_far),
	};
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < cpus->count; i++)
		err = bpf_map_update_elem(bpf_map__fd(skeleton->maps.weir_cpus), &cpus->cpu[i],
					  &entry, 0);
	return err;
}

int order_load(const struct order_cpus *cpus, struct program *program)
{
	struct weir_order_bpf *skeleton = weir_order_bpf__open();
	int err;

	if (!skeleton)
		return -errno;
	err = bpf_map__set_max_entries(skeleton->maps.weir_cpus, libbpf_num_possible_cpus());
	err = err ?: weir_order_bpf__load(skeleton);
	err = err ?: add_cpus(skeleton, cpus);
	if (err) {
		weir_order_bpf__destroy(skeleton);
		return err;
	}
	program->skeleton = skeleton;
	program->destroy = destroy;
	program->fd = bpf_program__fd(skeleton->progs.weir_order);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The UDP ports that an attached program listens to. The program itself has the
 * table: its read-only data can be read while it is loaded.
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <weir.h>
#include <weir_xdp_nl.h>

#include "program/program.h"

#define TABLE		"weir_formats"
#define SECTION		".rodata"
#define MAPS_MAX	16

/* Return the offset of the table in the section, or -ENOENT if there is none. */
static int table_offset(const struct btf *btf)
{
	int id = btf__find_by_name_kind(btf, SECTION, BTF_KIND_DATASEC);
	const struct btf_var_secinfo *var;
	const struct btf_type *section;
	int i;

	if (id < 0)
		return -ENOENT;
	section = btf__type_by_id(btf, id);
	var = btf_var_secinfos(section);
	for (i = 0; i < btf_vlen(section); i++, var++) {
		const struct btf_type *type = btf__type_by_id(btf, var->type);
		const char *name = btf__name_by_offset(btf, type->name_off);

		if (!strcmp(name, TABLE) && var->size == sizeof(struct format_ports))
			return var->offset;
	}
	return -ENOENT;
}

static int map_table_offset(const struct bpf_map_info *info)
{
	struct btf *btf = btf__load_from_kernel_by_id(info->btf_id);
	int offset;

	if (!btf)
		return -errno;
	offset = table_offset(btf);
	btf__free(btf);
	return offset;
}

static int read_map(uint32_t id, struct format_ports *ports)
{
	struct bpf_map_info info = {};
	__u32 len = sizeof(info), key = 0;
	int fd, offset, err = -ENOENT;
	char *value = NULL;

	fd = bpf_map_get_fd_by_id(id);
	if (fd < 0)
		return -errno;
	if (bpf_obj_get_info_by_fd(fd, &info, &len) || !strstr(info.name, SECTION) ||
	    !info.btf_id)
		goto close;
	offset = map_table_offset(&info);
	if (offset < 0 || offset + sizeof(*ports) > info.value_size)
		goto close;
	value = malloc(info.value_size);
	if (value && !bpf_map_lookup_elem(fd, &key, value)) {
		memcpy(ports, value + offset, sizeof(*ports));
		err = 0;
	}
close:
	free(value);
	close(fd);
	return err;
}

static int read_program(uint32_t id, struct format_ports *ports)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info), maps[MAPS_MAX], i;
	int fd, err = -ENOENT;

	fd = bpf_prog_get_fd_by_id(id);
	if (fd < 0)
		return -errno;
	info.nr_map_ids = MAPS_MAX;
	info.map_ids = (uintptr_t)maps;
	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		info.nr_map_ids = 0;
	for (i = 0; err && i < info.nr_map_ids && i < MAPS_MAX; i++)
		err = read_map(maps[i], ports);
	close(fd);
	return err;
}

bool formats_have(const struct format_ports *ports, uint32_t port, uint32_t format)
{
	int i;

	for (i = 0; i < WEIR_FORMATS_MAX && ports->entry[i].port; i++) {
		if (ports->entry[i].port == port && ports->entry[i].format == format)
			return true;
	}
	return false;
}

/*
 * The table of our program on a device, by the mode of the port. A negative errno
 * where there is no such program, or where it may not be read.
 */
int formats_of(struct nl *rtnl, unsigned int ifindex, uint32_t mode,
	       struct format_ports *ports)
{
	struct hook tc = { .fd = -1 };
	struct link link;
	uint32_t id;
	int err;

	if (mode == WEIR_MODE_TC) {
		err = tc_find(rtnl, ifindex, &tc_ingress, &tc);
		id = tc.ours ? tc.id : 0;
	} else {
		err = rtnl_link(rtnl, ifindex, &link);
		id = mode == WEIR_MODE_GENERIC ? link.generic_id : link.driver_id;
		id = chain_program_id(ifindex, WEIR_XDP_CHAIN_PRIO_SUM) ?: id;
	}
	if (err || !id)
		return err ?: -ENOENT;
	return read_program(id, ports);
}

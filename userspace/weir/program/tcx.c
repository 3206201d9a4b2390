// SPDX-License-Identifier: GPL-2.0
/*
 * tcx: the list of programs that a device has itself at ingress or egress, without a
 * qdisc (Linux 6.6 and later). Ours is put at its end. It is held by the device, with no
 * link and no pin, so it lasts beyond the tool and goes with the device.
 *
 * The library of Debian 12 is older than tcx, and so is its linux/bpf.h. Without the
 * list's revision, which that library cannot hand over, two tools at a time would both
 * find no program, and both attach theirs.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <weir.h>

#include "program/program.h"

/* As many as the kernel lets a device have. */
#define PROGRAMS_MAX	64

/* union bpf_attr for BPF_PROG_ATTACH and BPF_PROG_DETACH */
struct tcx_change {
	uint32_t ifindex;
	uint32_t fd;
	uint32_t type;
	uint32_t flags;
	uint32_t replace_fd;
	uint32_t relative_fd;
	uint64_t revision;
};

/* and for BPF_PROG_QUERY */
struct tcx_query {
	uint32_t ifindex;
	uint32_t type;
	uint32_t query_flags;
	uint32_t attach_flags;
	uint64_t ids;
	uint32_t count;
	uint32_t reserved;
	uint64_t prog_flags;
	uint64_t link_ids;
	uint64_t link_flags;
	uint64_t revision;
};

static int bpf_syscall(int command, void *attr, size_t size)
{
	return syscall(__NR_bpf, command, attr, size) < 0 ? -errno : 0;
}

static int look(uint32_t id, const struct tc_place *place, struct hook *hook)
{
	char name[sizeof(hook->name)];
	int err;

	err = bpf_identify(id, name, sizeof(name), NULL);
	/* It went after it was listed. */
	if (err == -ENOENT)
		return 0;
	if (err || strcmp(name, place->name))
		return err;
	hook->id = id;
	hook->ours = hook->tcx = true;
	hook->mode = WEIR_MODE_TC;
	memcpy(hook->name, name, sizeof(name));
	return 0;
}

/* -EOPNOTSUPP where the kernel has no tcx. */
int tcx_find(unsigned int ifindex, const struct tc_place *place, struct hook *hook)
{
	uint32_t ids[PROGRAMS_MAX], i;
	struct tcx_query query = {
		.ifindex	= ifindex,
		.type		= place->tcx,
		.ids		= (uintptr_t)ids,
		.count		= PROGRAMS_MAX,
	};
	int err;

	err = bpf_syscall(BPF_PROG_QUERY, &query, sizeof(query));
	if (err)
		return err == -EINVAL ? -EOPNOTSUPP : err;
	hook->revision = query.revision;
	for (i = 0; !err && !hook->ours && i < query.count; i++)
		err = look(ids[i], place, hook);
	hook->after = query.count - i;
	return err;
}

/* @found: result of tcx_find(), which must still hold, else -EBUSY. */
int tcx_attach(unsigned int ifindex, const struct tc_place *place, int fd,
	       const struct hook *found)
{
	struct tcx_change change = {
		.ifindex	= ifindex,
		.fd		= fd,
		.type		= place->tcx,
		.revision	= found->revision,
	};
	int err = bpf_syscall(BPF_PROG_ATTACH, &change, sizeof(change));

	if (err == -ESTALE)
		return -EBUSY;
	/* The list is full; in XDP this error is a frame that is too long. */
	return err == -ERANGE ? -ENOSPC : err;
}

static int change_ours(int command, struct tcx_change *change, uint32_t *ours, uint32_t id)
{
	int fd = bpf_prog_get_fd_by_id(id), err;

	if (fd < 0)
		return -errno;
	*ours = fd;
	err = bpf_syscall(command, change, sizeof(*change));
	close(fd);
	return err;
}

/* In the place of our own, in one step; -EBUSY where that went meanwhile. */
int tcx_replace(unsigned int ifindex, const struct tc_place *place, int fd,
		const struct hook *old)
{
	struct tcx_change change = {
		.ifindex	= ifindex,
		.fd		= fd,
		.type		= place->tcx,
		.flags		= BPF_F_REPLACE,
	};

	int err = change_ours(BPF_PROG_ATTACH, &change, &change.replace_fd, old->id);

	return err == -ENOENT ? -EBUSY : err;
}

int tcx_detach(unsigned int ifindex, const struct tc_place *place, const struct hook *hook)
{
	struct tcx_change change = {
		.ifindex	= ifindex,
		.type		= place->tcx,
	};

	return change_ours(BPF_PROG_DETACH, &change, &change.fd, hook->id);
}

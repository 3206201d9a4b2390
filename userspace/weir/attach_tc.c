// SPDX-License-Identifier: GPL-2.0
/* The tc program, at clsact ingress. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <weir.h>

#include "attach.h"
#include "bpf/weir_tc.skel.h"

static const uint32_t handles[2] = { WEIR_TC_HANDLE, WEIR_TC_HANDLE_MADE };

static void destroy(void *skeleton)
{
	weir_tc_bpf__destroy(skeleton);
}

int tc_load(const struct format_ports *ports, struct program *program)
{
	struct weir_tc_bpf *skeleton;
	int err;

	_Static_assert(sizeof(skeleton->rodata->weir_formats) == sizeof(*ports),
		       "the program's table of formats");
	skeleton = weir_tc_bpf__open();
	if (!skeleton)
		return -errno;
	memcpy((void *)skeleton->rodata->weir_formats, ports, sizeof(*ports));
	err = weir_tc_bpf__load(skeleton);
	if (err) {
		weir_tc_bpf__destroy(skeleton);
		return err;
	}
	program->skeleton = skeleton;
	program->destroy = destroy;
	program->fd = bpf_program__fd(skeleton->progs.weir_tc);
	return 0;
}

/* The filter in our place, be it ours or not. */
int tc_find(struct nl *rtnl, unsigned int ifindex, struct hook *hook)
{
	struct filter filter;
	unsigned int count;
	int err;

	err = rtnl_filters(rtnl, ifindex, WEIR_TC_PRIORITY, handles, &count, &filter);
	if (err || !filter.handle)
		return err;
	hook->id = filter.program_id;
	hook->handle = filter.handle;
	hook->mode = WEIR_MODE_TC;
	/* The library names a filter PROGRAM:[ID]. */
	hook->ours = !strncmp(filter.name, WEIR_TC_NAME ":[", strlen(WEIR_TC_NAME) + 2);
	snprintf(hook->name, sizeof(hook->name), "%.31s", filter.name);
	return 0;
}

static int destroy_clsact(unsigned int ifindex)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = ifindex,
		    .attach_point = BPF_TC_INGRESS | BPF_TC_EGRESS);

	return bpf_tc_hook_destroy(&hook);
}

int tc_attach(unsigned int ifindex, int fd, const struct hook *old)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = ifindex,
		    .attach_point = BPF_TC_INGRESS);
	LIBBPF_OPTS(bpf_tc_opts, opts, .prog_fd = fd, .priority = WEIR_TC_PRIORITY,
		    .handle = WEIR_TC_HANDLE);
	bool made = false;
	int err;

	bpf_forget();
	if (old && old->id) {
		opts.handle = old->handle;
		opts.flags = BPF_TC_F_REPLACE;
	} else {
		err = bpf_tc_hook_create(&hook);
		if (err && err != -EEXIST)
			return err;
		made = !err;
		if (made)
			opts.handle = WEIR_TC_HANDLE_MADE;
	}
	bpf_forget();
	err = bpf_tc_attach(&hook, &opts);
	if (err && made)
		destroy_clsact(ifindex);
	return err;
}

/*
 * clsact goes with the filter that it came with, unless others have put filters
 * of their own into it since.
 */
int tc_detach(struct nl *rtnl, unsigned int ifindex, const struct hook *hook)
{
	LIBBPF_OPTS(bpf_tc_hook, at, .ifindex = ifindex, .attach_point = BPF_TC_INGRESS);
	LIBBPF_OPTS(bpf_tc_opts, opts, .priority = WEIR_TC_PRIORITY,
		    .handle = hook->handle);
	struct filter filter;
	unsigned int left;
	int err;

	bpf_forget();
	err = bpf_tc_detach(&at, &opts);
	if (err || hook->handle != WEIR_TC_HANDLE_MADE)
		return err;
	err = rtnl_filters(rtnl, ifindex, WEIR_TC_PRIORITY, handles, &left, &filter);
	if (err || left)
		return err;
	return destroy_clsact(ifindex);
}

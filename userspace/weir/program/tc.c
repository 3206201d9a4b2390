// SPDX-License-Identifier: GPL-2.0
/*
 * tc programs, at ingress or egress: by tcx, or as a filter of clsact where the kernel has no
 * tcx, or where other filters are there. Filters see a packet after the programs in tcx, and
 * ours has to see the packet as those filters leave it.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/pkt_sched.h>
#include <stdio.h>
#include <string.h>

#include <weir.h>
#include <weir_bpf.h>

#include "bpf/weir_tc.skel.h"
#include "program/program.h"

const struct tc_place tc_ingress = { TC_H_MIN_INGRESS, WEIR_TCX_INGRESS, WEIR_TC_NAME };
const struct tc_place tc_egress = { TC_H_MIN_EGRESS, WEIR_TCX_EGRESS, WEIR_TRIM_NAME };

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

static enum bpf_tc_attach_point point_of(const struct tc_place *place)
{
	return place->hook == TC_H_MIN_INGRESS ? BPF_TC_INGRESS : BPF_TC_EGRESS;
}

/* Filters of clsact at one hook, and the one in our place. */
static int list_filters(struct nl *rtnl, unsigned int ifindex, const struct tc_place *place,
			unsigned int *count, struct filter *found)
{
	return rtnl_filters(rtnl, ifindex, place->hook, WEIR_TC_PRIORITY, handles, count, found);
}

/* The filter in our place, ours or not. */
static void take_filter(const struct tc_place *place, const struct filter *filter,
			struct hook *hook)
{
	size_t length = strlen(place->name);

	hook->id = filter->program_id;
	hook->handle = filter->handle;
	hook->mode = WEIR_MODE_TC;
	/* The library names a filter PROGRAM:[ID]. */
	hook->ours = !strncmp(filter->name, place->name, length) &&
		     !strncmp(filter->name + length, ":[", 2);
	snprintf(hook->name, sizeof(hook->name), "%.31s", filter->name);
}

/* -EPERM where the owners of programs in tcx may not be read. */
int tc_find(struct nl *rtnl, unsigned int ifindex, const struct tc_place *place,
	    struct hook *hook)
{
	struct filter filter;
	int err;

	memset(hook, 0, sizeof(*hook));
	hook->fd = -1;
	err = tcx_find(ifindex, place, hook);
	if (err && err != -EOPNOTSUPP)
		return err;
	hook->has_tcx = !err;
	err = list_filters(rtnl, ifindex, place, &hook->filters, &filter);
	if (!err && filter.handle && !hook->ours)
		take_filter(place, &filter, hook);
	return err;
}

static int destroy_clsact(unsigned int ifindex)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = ifindex,
		    .attach_point = BPF_TC_INGRESS | BPF_TC_EGRESS);

	return bpf_tc_hook_destroy(&hook);
}

static const struct tc_place *other_of(const struct tc_place *place)
{
	return place == &tc_ingress ? &tc_egress : &tc_ingress;
}

/* Return true if clsact was made for our filter at its other hook. */
static bool made_for_other(struct nl *rtnl, unsigned int ifindex, const struct tc_place *place)
{
	struct hook hook;

	return !tc_find(rtnl, ifindex, other_of(place), &hook) && hook.ours &&
	       hook.handle == WEIR_TC_HANDLE_MADE;
}

static int clsact_attach(struct nl *rtnl, unsigned int ifindex, const struct tc_place *place,
			 int fd, const struct hook *old)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = ifindex,
		    .attach_point = point_of(place));
	LIBBPF_OPTS(bpf_tc_opts, opts, .prog_fd = fd, .priority = WEIR_TC_PRIORITY,
		    .handle = WEIR_TC_HANDLE);
	bool made = false;
	int err;

	bpf_forget();
	if (old->ours) {
		opts.handle = old->handle;
		opts.flags = BPF_TC_F_REPLACE;
	} else {
		err = bpf_tc_hook_create(&hook);
		if (err && err != -EEXIST)
			return err;
		made = !err;
		if (made || made_for_other(rtnl, ifindex, place))
			opts.handle = WEIR_TC_HANDLE_MADE;
	}
	bpf_forget();
	err = bpf_tc_attach(&hook, &opts);
	/* The request has no other invalid part: the owner of clsact has removed it meanwhile. */
	if (err == -EINVAL)
		err = -EAGAIN;
	if (err && made)
		destroy_clsact(ifindex);
	return err;
}

int tc_attach(struct nl *rtnl, unsigned int ifindex, const struct tc_place *place, int fd)
{
	struct hook old;
	int err;

	bpf_forget();
	err = tc_find(rtnl, ifindex, place, &old);
	if (err)
		return err;
	if (old.tcx)
		return tcx_replace(ifindex, place, fd, &old);
	if (old.has_tcx && !old.filters)
		return tcx_attach(ifindex, place, fd, &old);
	return clsact_attach(rtnl, ifindex, place, fd, &old);
}

/*
 * clsact goes with the last filter of ours where it came with the first, unless
 * others have put filters of their own into it since.
 */
static int clsact_detach(struct nl *rtnl, unsigned int ifindex, const struct tc_place *place,
			 const struct hook *hook)
{
	LIBBPF_OPTS(bpf_tc_hook, at, .ifindex = ifindex, .attach_point = point_of(place));
	LIBBPF_OPTS(bpf_tc_opts, opts, .priority = WEIR_TC_PRIORITY,
		    .handle = hook->handle);
	unsigned int here, there;
	struct filter filter;
	int err;

	err = bpf_tc_detach(&at, &opts);
	if (err || hook->handle != WEIR_TC_HANDLE_MADE)
		return err;
	err = list_filters(rtnl, ifindex, place, &here, &filter);
	err = err ?: list_filters(rtnl, ifindex, other_of(place), &there, &filter);
	if (err || here || there)
		return err;
	return destroy_clsact(ifindex);
}

int tc_detach(struct nl *rtnl, unsigned int ifindex, const struct tc_place *place,
	      const struct hook *hook)
{
	bpf_forget();
	if (hook->tcx)
		return tcx_detach(ifindex, place, hook);
	return clsact_detach(rtnl, ifindex, place, hook);
}

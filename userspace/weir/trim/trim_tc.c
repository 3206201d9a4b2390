// SPDX-License-Identifier: GPL-2.0
/* The program that trims at egress of a device, by tcx or clsact. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>

#include "base/tool.h"
#include "bpf/weir_trim.skel.h"
#include "trim/trim.h"

static void destroy(void *skeleton)
{
	weir_trim_bpf__destroy(skeleton);
}

static int load(struct trim_attempt *attempt)
{
	struct weir_trim_bpf *skeleton;
	int status = bpf_ready(FAMILY_TRIM), err;

	if (status)
		return status;
	skeleton = weir_trim_bpf__open();
	err = skeleton ? weir_trim_bpf__load(skeleton) : -errno;
	if (err) {
		weir_trim_bpf__destroy(skeleton);
		return program_refused(err, WEIR_TRIM_NAME);
	}
	attempt->program.skeleton = skeleton;
	attempt->program.destroy = destroy;
	attempt->fd = bpf_program__fd(skeleton->progs.weir_trim);
	return WEIR_OK;
}

static int find(struct nl *rtnl, const struct link *link, struct hook *hook)
{
	int err = tc_find(rtnl, link->ifindex, &tc_egress, hook);

	return err ? tc_find_refused(link->name, err) : WEIR_OK;
}

static int prepare(struct trim_attempt *attempt)
{
	struct hook hook;
	int status;

	status = find(&attempt->rtnl, &attempt->link, &hook);
	if (status || hook.ours)
		return status;
	if (hook.handle)
		return refused(EBUSY, "%s has a tc filter of somebody else (%s) at egress, priority %d, handle %u: remove it first, or use hook qdisc",
			       attempt->link.name, *hook.name ? hook.name : "no bpf",
			       WEIR_TC_PRIORITY, hook.handle);
	return load(attempt);
}

static int attach(struct trim_attempt *attempt)
{
	int err = 0;

	if (attempt->fd >= 0)
		err = tc_attach(&attempt->rtnl, attempt->link.ifindex, &tc_egress, attempt->fd);
	return err ? trim_attach_refused(attempt->link.name, err) : WEIR_OK;
}

static int detach(struct nl *rtnl, const struct link *link, bool last, bool *any)
{
	struct hook hook;
	int status, err;

	(void)last;
	status = find(rtnl, link, &hook);
	*any = hook.ours;
	if (status || !hook.ours)
		return status;
	err = tc_detach(rtnl, link->ifindex, &tc_egress, &hook);
	return err ? trim_detach_refused(link->name, err, bpf_said()) : WEIR_OK;
}

const struct trim_place trim_tc_place = { prepare, attach, detach };

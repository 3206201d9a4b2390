// SPDX-License-Identifier: GPL-2.0
/*
 * The XDP program that forwards, and trims packets for which a port has no room. It belongs on
 * the ingress devices, and has no state of its own. Each of them has one that is loaded for
 * it, and may ask its driver for the VLAN tags that it takes off; they stay as long as some
 * policy of the namespace has hook xdp.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <weir.h>

#include "base/device.h"
#include "base/tool.h"
#include "bpf/weir_forward.skel.h"
#include "bpf/weir_forward_bound.skel.h"
#include "trim/trim.h"

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

static int load(struct program *program, const char *dev)
{
	unsigned int ifindex;
	int status, err;

	status = bpf_ready() ?: device_find(dev, &ifindex);
	if (status)
		return status;
	err = load_bound(program, ifindex);
	if (err)
		err = load_any(program);
	return err ? program_refused(err, WEIR_FORWARD_NAME) : WEIR_OK;
}

bool trim_forward_is(const char *name)
{
	return !strcmp(name, WEIR_FORWARD_NAME) || !strcmp(name, WEIR_FORWARD_BOUND_NAME);
}

/* The XDP program of a device; @hook->fd is the caller's to close where it is ours. */
static int look(const struct link *link, struct hook *hook)
{
	int err;

	*hook = (struct hook){
		.id = link->driver_id ?: link->generic_id ?: link->hardware_id,
		.mode = WEIR_MODE_XDP,
		.fd = -1,
	};
	if (!hook->id)
		return 0;
	err = bpf_identify(hook->id, hook->name, sizeof(hook->name), &hook->fd);
	hook->ours = !err && link->driver_id && trim_forward_is(hook->name);
	if (!hook->ours && hook->fd >= 0) {
		close(hook->fd);
		hook->fd = -1;
	}
	return err;
}

int trim_forward_count(struct nl *rtnl, unsigned int *devices)
{
	struct link *links;
	struct hook hook;
	size_t count, i;
	int err;

	*devices = 0;
	err = rtnl_links(rtnl, &links, &count);
	for (i = 0; !err && i < count; i++) {
		err = look(&links[i], &hook);
		if (!hook.ours)
			continue;
		(*devices)++;
		close(hook.fd);
	}
	free(links);
	return err;
}

static int look_refused(const char *dev, int err)
{
	return refused(err, "cannot look at the XDP program of %s: %s; this takes CAP_SYS_ADMIN, run it as root",
		       dev, strerror(-err));
}

/* A device that packets come in by: can it have the program, or has it already? */
static int check(struct nl *rtnl, const char *dev, bool *there)
{
	unsigned int ifindex;
	struct link link;
	struct hook hook;
	int status, err;

	status = device_find(dev, &ifindex);
	if (status)
		return status;
	err = rtnl_link(rtnl, ifindex, &link);
	if (err)
		return refused(err, "cannot look at %s: %s", dev, strerror(-err));
	err = look(&link, &hook);
	if (err)
		return look_refused(dev, err);
	*there = hook.ours;
	if (hook.ours)
		close(hook.fd);
	if (!hook.id || hook.ours)
		return WEIR_OK;
	if (!strcmp(hook.name, WEIR_XDP_NAME))
		return refused(EBUSY, "%s is a port that sums, by the XDP program %u (%s), and has room for one: attach that one in mode tc, or trim with hook tc or qdisc",
			       dev, hook.id, hook.name);
	return refused(EBUSY, "%s has the XDP program %u (%s) of somebody else: detach it first (`ip link set dev %s xdp off`), or trim with hook tc or qdisc",
		       dev, hook.id, hook.name, dev);
}

static bool is_from(const struct value *value)
{
	return !strcmp(value->key->name, "from");
}

/* Without a device that has the program, no packet would come to a new policy. */
static int check_any(struct trim_attempt *attempt)
{
	unsigned int devices;
	int err;

	err = trim_forward_count(&attempt->rtnl, &devices);
	if (err)
		return look_refused("this namespace", err);
	if (!devices && !args_get(attempt->args, "from"))
		return usage("from", "trim set lacks the key from, which hook xdp needs: add `from DEVICE` for each device that packets to %s come in by",
			     attempt->link.name);
	return WEIR_OK;
}

static int prepare_one(struct trim_attempt *attempt, size_t i)
{
	const char *dev = attempt->args->value[i].word;
	bool there;
	int status;

	status = check(&attempt->rtnl, dev, &there);
	return status || there ? status : load(&attempt->forward[i], dev);
}

static int prepare(struct trim_attempt *attempt)
{
	int status = check_any(attempt) ?: trim_qdisc_place.prepare(attempt);
	size_t i;

	for (i = 0; !status && i < attempt->args->count; i++) {
		if (is_from(&attempt->args->value[i]))
			status = prepare_one(attempt, i);
	}
	return status;
}

/*
 * One device. @done: it got the program just now. One that had it a moment ago, when it was
 * looked at, has no other.
 */
static int attach_one(struct trim_attempt *attempt, size_t i, bool *done)
{
	const char *dev = attempt->args->value[i].word;
	unsigned int ifindex;
	int status, err;
	bool there;

	*done = false;
	status = check(&attempt->rtnl, dev, &there);
	if (status || there)
		return status;
	if (!attempt->forward[i].skeleton)
		return trim_attach_refused(dev, -EBUSY);
	status = device_find(dev, &ifindex);
	if (status)
		return status;
	err = xdp_attach(ifindex, WEIR_MODE_XDP, attempt->forward[i].fd, NULL);
	*done = !err;
	return err ? trim_attach_refused(dev, err) : WEIR_OK;
}

static void undo(struct trim_attempt *attempt, const bool done[ARGS_MAX])
{
	struct hook hook = { .mode = WEIR_MODE_XDP };
	unsigned int ifindex;
	size_t i;

	for (i = 0; i < attempt->args->count; i++) {
		hook.fd = attempt->forward[i].fd;
		ifindex = done[i] ? if_nametoindex(attempt->args->value[i].word) : 0;
		if (ifindex)
			xdp_detach(ifindex, &hook);
	}
}

static int attach_all(struct trim_attempt *attempt)
{
	bool done[ARGS_MAX] = {};
	int status = WEIR_OK;
	size_t i;

	for (i = 0; !status && i < attempt->args->count; i++) {
		if (is_from(&attempt->args->value[i]))
			status = attach_one(attempt, i, &done[i]);
	}
	if (status)
		undo(attempt, done);
	return status;
}

/* The port's qdisc queues and trims frames that find no room, so it is there first. */
static int attach(struct trim_attempt *attempt)
{
	int status = trim_qdisc_place.attach(attempt);
	bool any;

	if (status)
		return status;
	status = attach_all(attempt);
	if (status && (attempt->qdisc == TRIM_QDISC_ROOT || attempt->qdisc == TRIM_QDISC_MQ ||
		       attempt->qdisc == TRIM_QDISC_ABOVE))
		trim_qdisc_place.detach(&attempt->rtnl, &attempt->link, false, &any);
	return status;
}

static int detach_one(const struct link *link, bool *any)
{
	struct hook hook;
	int err;

	err = look(link, &hook);
	if (err)
		return look_refused(link->name, err);
	if (!hook.ours)
		return WEIR_OK;
	*any = true;
	err = xdp_detach(link->ifindex, &hook);
	close(hook.fd);
	return err ? trim_detach_refused(link->name, err, bpf_said()) : WEIR_OK;
}

/* From all devices of the namespace, not only the policy's own. */
static int detach(struct nl *rtnl, const struct link *link, bool last, bool *any)
{
	struct link *links;
	int status = WEIR_OK, err;
	size_t count, i;

	*any = false;
	if (!last)
		return WEIR_OK;
	err = rtnl_links(rtnl, &links, &count);
	if (err)
		status = refused(err, "cannot list the devices besides %s: %s", link->name,
				 strerror(-err));
	for (i = 0; !status && i < count; i++)
		status = detach_one(&links[i], any);
	free(links);
	return status;
}

const struct trim_place trim_forward_place = { prepare, attach, detach };

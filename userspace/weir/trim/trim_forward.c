// SPDX-License-Identifier: GPL-2.0
/*
 * The XDP program that forwards, and trims packets for which a port has no room. It belongs on
 * the ingress devices, and has no state of its own. Each of them has one that is loaded for
 * it, and may ask its driver for the VLAN tags that it takes off; they stay as long as some
 * policy of the namespace has hook xdp.
 */
#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include <weir.h>
#include <weir_xdp_nl.h>

#include "base/device.h"
#include "base/tool.h"
#include "chain/chain.h"
#include "program/sender.h"
#include "trim/trim.h"

static int load(struct program *program, const char *dev, bool bind)
{
	unsigned int ifindex;
	int status, err;

	status = bpf_ready(FAMILY_TRIM) ?: device_find(dev, &ifindex);
	if (status)
		return status;
	err = forward_load(program, bind ? ifindex : 0);
	return err ? program_refused(err, WEIR_FORWARD_NAME) : WEIR_OK;
}

/* The XDP program of a device; @hook->fd is the caller's to close where it is not -1. */
static int look(const struct link *link, struct hook *hook)
{
	int err = xdp_look(link, WEIR_XDP_CHAIN_PRIO_FORWARD, hook);

	/* Others than drivers hand no frame on to a port. */
	if (hook->mode != WEIR_MODE_XDP)
		hook->ours = hook->shared = false;
	return err;
}

bool trim_forward_has(const struct link *link, struct hook *hook)
{
	int err = look(link, hook);

	hook_close(hook);
	return !err && hook->ours;
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
		*devices += hook.ours;
		hook_close(&hook);
	}
	free(links);
	return err;
}

static int look_refused(const char *dev, int err)
{
	return refused(err, "cannot look at the XDP program of %s: %s; this takes CAP_SYS_ADMIN, run it as root",
		       dev, strerror(-err));
}

/* Check that a device that packets come in by has the program, or can have it. Return an exit status. */
static int check(struct nl *rtnl, const char *dev, struct hook *hook)
{
	unsigned int ifindex;
	struct link link;
	int status, err;

	status = device_find(dev, &ifindex);
	if (status)
		return status;
	err = rtnl_link(rtnl, ifindex, &link);
	if (err)
		return refused(err, "cannot look at %s: %s", dev, strerror(-err));
	err = look(&link, hook);
	hook_close(hook);
	if (err)
		return look_refused(dev, err);
	hook->shared |= !hook->id && chain_there(ifindex);
	if (!hook->id || hook->ours || hook->shared)
		return WEIR_OK;
	if (hook->mode == WEIR_MODE_GENERIC)
		return refused(EBUSY, "%s has the XDP program %u (%s) in mode generic, and packets are forwarded in the driver alone: detach it first, or trim with hook tc or qdisc",
			       dev, hook->id, hook->name);
	return refused(EBUSY, "%s has the XDP program %u (%s) of somebody else: detach it first (`ip link set dev %s xdp off`), or trim with hook tc or qdisc",
		       dev, hook->id, hook->name, dev);
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
	struct hook hook;
	int status;

	status = check(&attempt->rtnl, dev, &hook);
	if (status || hook.ours)
		return status;
	return sender_check(dev, if_nametoindex(dev), "trim with hook tc or qdisc") ?:
	       load(&attempt->forward[i], dev, !hook.shared);
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
	struct hook hook;
	int status, err;

	*done = false;
	status = check(&attempt->rtnl, dev, &hook);
	if (status || hook.ours)
		return status;
	if (!attempt->forward[i].skeleton)
		return trim_attach_refused(dev, -EBUSY);
	if (hook.shared) {
		status = chain_put(dev, WEIR_MODE_XDP, WEIR_XDP_CHAIN_PRIO_FORWARD,
				   attempt->forward[i].fd);
		*done = !status;
		return status;
	}
	status = device_find(dev, &ifindex);
	if (status)
		return status;
	err = xdp_attach(ifindex, WEIR_MODE_XDP, attempt->forward[i].fd, NULL);
	*done = !err;
	return err ? trim_attach_refused(dev, err) : WEIR_OK;
}

static int detach_one(const struct link *link, bool *any)
{
	struct hook hook;
	int err;

	err = look(link, &hook);
	if (err)
		return look_refused(link->name, err);
	if (!hook.ours) {
		hook_close(&hook);
		return WEIR_OK;
	}
	*any = true;
	err = hook.chain ? 0 : xdp_detach(link->ifindex, &hook);
	hook_close(&hook);
	if (hook.chain)
		return chain_take(link->name, WEIR_XDP_CHAIN_PRIO_FORWARD);
	return err ? trim_detach_refused(link->name, err, bpf_said()) : WEIR_OK;
}

static void undo(struct trim_attempt *attempt, const bool done[ARGS_MAX])
{
	unsigned int ifindex;
	struct link link;
	size_t i;
	bool any;

	for (i = 0; i < attempt->args->count; i++) {
		ifindex = done[i] ? if_nametoindex(attempt->args->value[i].word) : 0;
		if (ifindex && !rtnl_link(&attempt->rtnl, ifindex, &link))
			detach_one(&link, &any);
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
		       attempt->qdisc == TRIM_QDISC_ABOVE ||
		       (attempt->qdisc == TRIM_QDISC_CLASSES && !attempt->reply.count)))
		trim_qdisc_place.detach(&attempt->rtnl, &attempt->link, false, &any);
	return status;
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

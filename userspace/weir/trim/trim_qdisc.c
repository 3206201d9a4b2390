// SPDX-License-Identifier: GPL-2.0
/*
 * The weir qdisc of a device. `set` replaces the kernel's default qdisc by a weir
 * qdisc: at the root, or below mq one for each transmit queue. It does not replace
 * another qdisc, but accepts a weir qdisc anywhere below that; unless the other is to
 * stay as a child.
 *
 * The handle marks weir's own qdiscs. When they are deleted, the kernel's default
 * comes back.
 */
#include <errno.h>
#include <linux/pkt_sched.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir_trim_nl.h>

#include "base/tool.h"
#include "trim/trim.h"

int trim_qdiscs_look(struct nl *rtnl, unsigned int ifindex, struct qdiscs *qdiscs)
{
	size_t i;
	int err;

	qdiscs->root = NULL;
	err = rtnl_qdiscs(rtnl, ifindex, &qdiscs->qdisc, &qdiscs->count);
	for (i = 0; i < qdiscs->count; i++) {
		if (qdiscs->qdisc[i].parent == TC_H_ROOT)
			qdiscs->root = &qdiscs->qdisc[i];
	}
	return err;
}

static bool has_weir(const struct qdiscs *qdiscs)
{
	size_t i;

	for (i = 0; i < qdiscs->count; i++) {
		if (!strcmp(qdiscs->qdisc[i].kind, TRIM_QDISC_KIND))
			return true;
	}
	return false;
}

int trim_qdisc_find(struct nl *rtnl, unsigned int ifindex, bool *there)
{
	struct qdiscs qdiscs;
	int err;

	err = trim_qdiscs_look(rtnl, ifindex, &qdiscs);
	*there = has_weir(&qdiscs);
	free(qdiscs.qdisc);
	return err;
}

int trim_look_refused(const char *dev, int err)
{
	return refused(err, "cannot list the qdiscs of %s: %s", dev, strerror(-err));
}

/* Names the ways that leave another qdisc in place. */
static int refuse_foreign(const char *dev, const struct qdisc *root, unsigned int handle)
{
	if (trim_child_can(root))
		return refused(EBUSY, "%s has the root qdisc %s %x: of somebody else: add `child keep`, and it stays below weir's, for whole packets",
			       dev, root->kind, handle);
	return refused(EBUSY, "%s has the root qdisc %s %x: of somebody else: add `class %x:CLASS` for each of its classes that is to trim",
		       dev, root->kind, handle, handle);
}

/* Frames that XDP forwards need no qdisc, except those for which the device has no room. */
static int decide_foreign(struct trim_attempt *attempt, const struct qdisc *root)
{
	unsigned int handle = TC_H_MAJ(root->handle) >> 16;
	const char *dev = attempt->link.name;

	if (attempt->hook != WEIR_TRIM_HOOK_XDP)
		return refuse_foreign(dev, root, handle);
	warning("%s has the root qdisc %s %x: of somebody else, and what XDP redirects and %s has no room for is not trimmed there: add `class %x:CLASS` for each class that is to trim",
		dev, root->kind, handle, dev, handle);
	attempt->qdisc = TRIM_QDISC_OTHERS;
	return WEIR_OK;
}

/* Weir goes above the qdisc that is there. */
static int decide_keep(struct trim_attempt *attempt, const struct qdisc *root)
{
	const char *dev = attempt->link.name;

	if (!root || !strcmp(root->kind, "noqueue"))
		return refused(ENOENT, "%s has no qdisc that could stay: leave out `child keep`, or give it one first with `tc qdisc replace dev %s root KIND`",
			       dev, dev);
	if (!trim_child_can(root))
		return refused(EOPNOTSUPP, "%s has the root qdisc %s, which cannot be moved with all it has: add `class MAJOR:MINOR` for each of its classes that is to trim",
			       dev, root->kind);
	attempt->qdisc = TRIM_QDISC_ABOVE;
	attempt->kept = *root;
	return WEIR_OK;
}

/* The devices that belong to a bridge or bond, as words; "" where it has none. */
static void members_of(struct nl *rtnl, const struct link *master, char *names, size_t size)
{
	struct link *links;
	size_t count, i, used = 0;

	*names = '\0';
	rtnl_links(rtnl, &links, &count);
	for (i = 0; i < count && used < size; i++) {
		if (links[i].master == master->ifindex)
			used += snprintf(names + used, size - used, " %s", links[i].name);
	}
	free(links);
}

/* A root qdisc never fills on a device that hands each packet on at once. */
static int refuse_passing(struct trim_attempt *attempt)
{
	static const char *const kinds[] = { "bond", "bridge", "team" };
	const struct link *link = &attempt->link;
	char names[256];
	size_t i;

	if (attempt->hook != WEIR_TRIM_HOOK_QDISC)
		return WEIR_OK;
	if (link->flags & IFF_LOOPBACK)
		return refused(EOPNOTSUPP, "packets never wait at %s, so none would be trimmed", link->name);
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(link->kind, kinds[i]))
			continue;
		members_of(&attempt->rtnl, link, names, sizeof(names));
		return refused(EOPNOTSUPP, "packets do not wait at the %s %s but at its members%s%s: run this for each of them, or put weir below a shaper on %s with tc",
			       link->kind, link->name, *names ? "," : "", names, link->name);
	}
	return WEIR_OK;
}

static int decide(struct trim_attempt *attempt, const struct qdiscs *qdiscs)
{
	const struct qdisc *root = qdiscs->root;

	if (args_get(attempt->args, "class"))
		return trim_classes_prepare(attempt, qdiscs);
	/* Ours; the run that set it may have been stopped half way. */
	if (root && root->handle == TRIM_QDISC_HANDLE && !strcmp(root->kind, "mq")) {
		attempt->qdisc = TRIM_QDISC_MQ_THERE;
		return WEIR_OK;
	}
	if (has_weir(qdiscs)) {
		attempt->qdisc = TRIM_QDISC_THERE;
		return WEIR_OK;
	}
	if (args_get(attempt->args, "child"))
		return decide_keep(attempt, root);
	if (root && root->handle)
		return decide_foreign(attempt, root);
	attempt->qdisc = root && !strcmp(root->kind, "mq") ? TRIM_QDISC_MQ : TRIM_QDISC_ROOT;
	return refuse_passing(attempt);
}

static int prepare(struct trim_attempt *attempt)
{
	struct qdiscs qdiscs;
	int status, err;

	err = trim_qdiscs_look(&attempt->rtnl, attempt->link.ifindex, &qdiscs);
	status = err ? trim_look_refused(attempt->link.name, err) : decide(attempt, &qdiscs);
	free(qdiscs.qdisc);
	return status;
}

/* One for each transmit queue that has none yet. */
static int add_leaves(struct nl *rtnl, unsigned int ifindex)
{
	struct qdiscs qdiscs;
	size_t i;
	int err;

	err = trim_qdiscs_look(rtnl, ifindex, &qdiscs);
	for (i = 0; !err && i < qdiscs.count; i++) {
		const struct qdisc *leaf = &qdiscs.qdisc[i];

		if (TC_H_MAJ(leaf->parent) == TRIM_QDISC_HANDLE &&
		    strcmp(leaf->kind, TRIM_QDISC_KIND))
			err = rtnl_qdisc_add(rtnl, ifindex, leaf->parent, 0, TRIM_QDISC_KIND);
	}
	free(qdiscs.qdisc);
	return err;
}

/*
 * The classes of the kernel's own mq cannot be named, so it is replaced by one with a
 * handle, whose leaves then are.
 */
static int add_mq(struct nl *rtnl, unsigned int ifindex)
{
	int err;

	err = rtnl_qdisc_add(rtnl, ifindex, TC_H_ROOT, TRIM_QDISC_HANDLE, "mq");
	if (err)
		return err;
	err = add_leaves(rtnl, ifindex);
	if (err)
		rtnl_qdisc_del(rtnl, ifindex, TC_H_ROOT, TRIM_QDISC_HANDLE);
	return err;
}

static int attach(struct trim_attempt *attempt)
{
	unsigned int ifindex = attempt->link.ifindex;
	const struct nl_error *error = &attempt->rtnl.error;
	const struct qdisc above = {
		.handle = TRIM_QDISC_HANDLE, .parent = TC_H_ROOT, .kind = TRIM_QDISC_KIND,
	};
	int err = 0;

	if (attempt->qdisc == TRIM_QDISC_CLASSES)
		return trim_classes_attach(attempt);
	if (attempt->qdisc == TRIM_QDISC_ABOVE)
		return trim_child_keep(&attempt->rtnl, &attempt->link, &above, &attempt->kept);
	if (attempt->qdisc == TRIM_QDISC_ROOT)
		err = rtnl_qdisc_add(&attempt->rtnl, ifindex, TC_H_ROOT, TRIM_QDISC_HANDLE,
				     TRIM_QDISC_KIND);
	else if (attempt->qdisc == TRIM_QDISC_MQ)
		err = add_mq(&attempt->rtnl, ifindex);
	else if (attempt->qdisc == TRIM_QDISC_MQ_THERE)
		err = add_leaves(&attempt->rtnl, ifindex);
	if (!err)
		return WEIR_OK;
	if (err == -EPERM)
		return refused(err, "not permitted to put a qdisc on %s: this takes CAP_NET_ADMIN; run it as root",
			       attempt->link.name);
	return refused(err, "cannot put the weir qdisc on %s: %s", attempt->link.name,
		       *error->text ? error->text : strerror(-err));
}

/* The child of our root, or NULL: below mq its leaves are there instead. */
static const struct qdisc *child_of(const struct qdiscs *qdiscs)
{
	size_t i;

	for (i = 0; i < qdiscs->count; i++) {
		if (qdiscs->qdisc[i].parent == TRIM_QDISC_CLASS &&
		    !strcmp(qdiscs->root->kind, TRIM_QDISC_KIND))
			return &qdiscs->qdisc[i];
	}
	return NULL;
}

static int take_off(struct nl *rtnl, const struct link *link, const struct qdisc *child)
{
	int err;

	if (child && child->handle != TRIM_CHILD_HANDLE)
		return trim_child_return(rtnl, link, child, TC_H_ROOT);
	err = rtnl_qdisc_del(rtnl, link->ifindex, TC_H_ROOT, TRIM_QDISC_HANDLE);
	return err ? trim_detach_refused(link->name, err, rtnl->error.text) : WEIR_OK;
}

static int detach(struct nl *rtnl, const struct link *link, bool last, bool *any)
{
	struct qdiscs qdiscs;
	int status, err;
	bool root;

	(void)last;
	err = trim_qdiscs_look(rtnl, link->ifindex, &qdiscs);
	root = !err && qdiscs.root && qdiscs.root->handle == TRIM_QDISC_HANDLE;
	*any = root;
	if (err)
		status = trim_look_refused(link->name, err);
	else
		status = trim_classes_detach(rtnl, link, &qdiscs, any);
	if (!status && root)
		status = take_off(rtnl, link, child_of(&qdiscs));
	free(qdiscs.qdisc);
	return status;
}

const struct trim_place trim_qdisc_place = { prepare, attach, detach };

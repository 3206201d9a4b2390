// SPDX-License-Identifier: GPL-2.0
/*
 * Another qdisc, at the root or at a class, stays as the child of weir's. The kernel moves no qdisc,
 * so the tool makes it anew below weir's from its options, and again in its place when weir's goes. The
 * options of the new one must read the same, or all is undone. Some kinds keep times in
 * units of 1024 ns and show a little less than was set; for those the tool sets a little
 * more. Packets that wait in it are lost, as when any qdisc is replaced.
 */
#include <errno.h>
#include <linux/pkt_sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir.h>

#include "base/tool.h"
#include "trim/trim.h"

/* These have no classes that users make, and accept the options that they show. */
static const char *const kinds[] = {
	"fq_codel", "fq", "pfifo", "bfifo", "pfifo_head_drop", "pfifo_fast", "sfq", "codel", "pie",
	"fq_pie", "cake",
};

bool trim_child_can(const struct qdisc *root)
{
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!strcmp(root->kind, kinds[i]))
			return root->length <= sizeof(root->options);
	}
	return false;
}

static bool is_same(const struct qdisc *a, const struct qdisc *b)
{
	return !strcmp(a->kind, b->kind) && a->length == b->length &&
	       !memcmp(a->options, b->options, a->length);
}

/* The qdisc at a class, or at the root. Returns 0 or a negative errno. */
static int find(struct nl *rtnl, unsigned int ifindex, uint32_t parent, struct qdisc *found)
{
	struct qdisc *qdiscs;
	size_t count, i;
	int err;

	err = rtnl_qdiscs(rtnl, ifindex, &qdiscs, &count);
	for (i = 0; !err && i < count; i++) {
		if (qdiscs[i].parent == parent)
			break;
	}
	if (!err && i == count)
		err = -ENOENT;
	if (!err)
		*found = qdiscs[i];
	free(qdiscs);
	return err;
}

/* Numbers that read back differently are set again with the difference added. */
static void correct(struct qdisc *asked, const struct qdisc *wanted, const struct qdisc *got)
{
	const void *options = wanted->options;
	const struct nlattr *attr;

	if (got->length != wanted->length)
		return;
	mnl_attr_for_each_payload(options, wanted->length) {
		size_t at = (const uint8_t *)mnl_attr_get_payload(attr) - wanted->options;
		uint32_t want, is;

		if (mnl_attr_get_payload_len(attr) != sizeof(want))
			continue;
		memcpy(&want, &wanted->options[at], sizeof(want));
		memcpy(&is, &got->options[at], sizeof(is));
		want += want - is;
		memcpy(&asked->options[at], &want, sizeof(want));
	}
}

static int put(struct nl *rtnl, unsigned int ifindex, const struct qdisc *wanted)
{
	struct qdisc asked = *wanted, got = { 0 };
	int err;

	err = rtnl_qdisc_replace(rtnl, ifindex, wanted);
	err = err ?: find(rtnl, ifindex, wanted->parent, &got);
	if (err || is_same(&got, wanted))
		return err;
	correct(&asked, wanted, &got);
	/* Anew, as not all can be changed later. */
	rtnl_qdisc_del(rtnl, ifindex, wanted->parent, wanted->handle);
	err = rtnl_qdisc_replace(rtnl, ifindex, &asked);
	err = err ?: find(rtnl, ifindex, wanted->parent, &got);
	if (err)
		return err;
	return is_same(&got, wanted) ? 0 : -EILSEQ;
}

static const char *why(const struct nl *rtnl, int err)
{
	if (err == -EILSEQ)
		return "the kernel did not make it as it was";
	return *rtnl->error.text ? rtnl->error.text : strerror(-err);
}

const char *trim_place_text(char text[static TRIM_PLACE_TEXT], uint32_t parent)
{
	if (parent == TC_H_ROOT)
		snprintf(text, TRIM_PLACE_TEXT, "root");
	else
		snprintf(text, TRIM_PLACE_TEXT, "parent %x:%x", TC_H_MAJ(parent) >> 16,
			 TC_H_MIN(parent));
	return text;
}

static void put_back(struct nl *rtnl, const struct link *link, const struct qdisc *weir,
		     const struct qdisc *kept)
{
	char place[TRIM_PLACE_TEXT];
	int err;

	/* A child that was not made right may have the handle. */
	rtnl_qdisc_del(rtnl, link->ifindex, weir->handle | 1, kept->handle ?: TRIM_CHILD_HANDLE);
	/* The kernel puts its own back by itself. */
	if (kept->handle)
		err = put(rtnl, link->ifindex, kept);
	else
		err = rtnl_qdisc_del(rtnl, link->ifindex, weir->parent, weir->handle);
	if (err)
		note("the qdisc %s at %s of %s could not be put back: %s", kept->kind,
		     trim_place_text(place, kept->parent), link->name, why(rtnl, err));
}

int trim_child_keep(struct nl *rtnl, const struct link *link, const struct qdisc *weir,
		    const struct qdisc *kept)
{
	struct qdisc child = *kept;
	int err, status;

	child.parent = weir->handle | 1;
	child.handle = kept->handle ?: TRIM_CHILD_HANDLE;
	err = rtnl_qdisc_replace(rtnl, link->ifindex, weir);
	if (err == -EPERM)
		return refused(err, "not permitted to put a qdisc on %s: this takes CAP_NET_ADMIN; run it as root",
			       link->name);
	if (err)
		return refused(err, "cannot put the weir qdisc on %s: %s", link->name,
			       why(rtnl, err));
	err = put(rtnl, link->ifindex, &child);
	if (!err)
		return WEIR_OK;
	status = refused(err, "cannot keep the qdisc %s of %s below weir's: %s", kept->kind,
			 link->name, why(rtnl, err));
	put_back(rtnl, link, weir, kept);
	return status;
}

int trim_child_return(struct nl *rtnl, const struct link *link, const struct qdisc *child,
		      uint32_t parent)
{
	struct qdisc back = *child;
	char place[TRIM_PLACE_TEXT];
	int err;

	if (!trim_child_can(child))
		return refused(EBUSY, "%s has the qdisc %s %x: of somebody else below weir's, which cannot be put in its place: run `tc qdisc del dev %s %s` where it may go, too",
			       link->name, child->kind, TC_H_MAJ(child->handle) >> 16, link->name,
			       trim_place_text(place, parent));
	back.parent = parent;
	/* A handle is one qdisc's at a time. */
	err = rtnl_qdisc_del(rtnl, link->ifindex, child->parent, child->handle);
	err = err ?: put(rtnl, link->ifindex, &back);
	return err ? trim_detach_refused(link->name, err, why(rtnl, err)) : WEIR_OK;
}

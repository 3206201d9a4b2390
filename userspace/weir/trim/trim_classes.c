// SPDX-License-Identifier: GPL-2.0
/*
 * Weir's qdiscs at classes of another root qdisc, such as htb, prio, ets, mqprio and mq, whose
 * other classes do not trim. `trim set` puts one at each class that it is given, and takes off
 * its own at others. Their handles mark them as weir's: no two qdiscs of a device have the same.
 *
 * When a leaf goes some qdiscs give their class a default one again, and others drop all that
 * comes there: these get a qdisc that stands in, with a handle of the tool's as well.
 */
#include <errno.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/tool.h"
#include "trim/class.h"
#include "trim/trim.h"

/* Handles of each kind: twice as many as there may be classes, as each may have one of both. */
#define HANDLES (2 * TRIM_CLASSES_MAX)
#define NTH(first, i) ((first) + ((uint32_t)(i) << 16))
#define DEFAULT_QDISC "/proc/sys/net/core/default_qdisc"

static bool has_handle_from(const struct qdisc *qdisc, uint32_t first)
{
	return (TC_H_MAJ(qdisc->handle) - first) >> 16 < HANDLES;
}

bool trim_classes_is(const struct qdisc *qdisc)
{
	return !strcmp(qdisc->kind, TRIM_QDISC_KIND) && has_handle_from(qdisc, TRIM_CLASS_HANDLE);
}

static const struct qdisc *find_at(const struct qdiscs *qdiscs, uint32_t parent)
{
	size_t i;

	for (i = 0; i < qdiscs->count; i++) {
		if (qdiscs->qdisc[i].parent == parent)
			return &qdiscs->qdisc[i];
	}
	return NULL;
}

static const struct qdisc *find(const struct qdiscs *qdiscs, uint32_t handle)
{
	size_t i;

	for (i = 0; i < qdiscs->count; i++) {
		if (qdiscs->qdisc[i].handle == handle)
			return &qdiscs->qdisc[i];
	}
	return NULL;
}

/* Return true if there is a qdisc that somebody else has put there. */
static bool is_others(const struct qdisc *qdisc)
{
	return qdisc && qdisc->handle && !trim_classes_is(qdisc) &&
	       !has_handle_from(qdisc, TRIM_STAND_IN_HANDLE);
}

static const struct value *next_class(const struct args *args, size_t *i)
{
	while (*i < args->count) {
		const struct value *value = &args->value[(*i)++];

		if (!strcmp(value->key->name, "class"))
			return value;
	}
	return NULL;
}

static const struct value *wanted_at(const struct args *args, uint32_t id)
{
	const struct value *value;
	size_t i = 0;

	while ((value = next_class(args, &i))) {
		if (value->class.id == id)
			return value;
	}
	return NULL;
}

static int check_class(const struct trim_attempt *attempt, const struct qdiscs *qdiscs,
		       const struct value *value)
{
	const struct qdisc *at = find_at(qdiscs, value->class.id);
	uint32_t major = TC_H_MAJ(value->class.id);
	const char *dev = attempt->link.name;
	char place[TRIM_PLACE_TEXT];

	if (wanted_at(attempt->args, value->class.id) != value)
		return usage("class", "trim set: class %s is given twice; give it once", value->word);
	if (major == TRIM_QDISC_HANDLE && find(qdiscs, major))
		return refused(EBUSY, "%s has weir's qdisc at the root: run `weir trim del dev %s` first",
			       dev, dev);
	if (!find(qdiscs, major))
		return refused(ENOENT, "%s has no qdisc %x: with classes: add one first, such as with `tc qdisc replace dev %s root handle %x: prio`",
			       dev, major >> 16, dev, major >> 16);
	if (!is_others(at))
		return WEIR_OK;
	trim_place_text(place, value->class.id);
	if (!strcmp(at->kind, TRIM_QDISC_KIND))
		return refused(EBUSY, "the weir qdisc at %s of %s was put there with tc: run `tc qdisc del dev %s %s`, and weir puts its own there",
			       place, dev, dev, place);
	if (!args_get(attempt->args, "child"))
		return refused(EBUSY, "the qdisc %s %x: at %s of %s is of somebody else: add `child keep`, and it stays below weir's, for whole packets",
			       at->kind, TC_H_MAJ(at->handle) >> 16, place, dev);
	if (!trim_child_can(at))
		return refused(EOPNOTSUPP, "the qdisc %s at %s of %s cannot be moved with all it has: name the classes below it",
			       at->kind, place, dev);
	return WEIR_OK;
}

int trim_classes_prepare(struct trim_attempt *attempt, const struct qdiscs *qdiscs)
{
	const struct value *value;
	int status = WEIR_OK;
	size_t i = 0;

	while (!status && (value = next_class(attempt->args, &i)))
		status = check_class(attempt, qdiscs, value);
	attempt->qdisc = TRIM_QDISC_CLASSES;
	return status;
}

/* A number of which neither kind of handles is taken; there are more than classes. */
static uint32_t free_number(const struct qdiscs *qdiscs)
{
	uint32_t i;

	for (i = 0; i < HANDLES - 1; i++) {
		if (!find(qdiscs, NTH(TRIM_CLASS_HANDLE, i)) &&
		    !find(qdiscs, NTH(TRIM_STAND_IN_HANDLE, i)))
			break;
	}
	return i;
}

static int put_refused(const struct trim_attempt *attempt, const struct value *value, int err)
{
	const struct nl_error *error = &attempt->rtnl.error;

	if (err == -EPERM)
		return refused(err, "not permitted to put a qdisc on %s: this takes CAP_NET_ADMIN; run it as root",
			       attempt->link.name);
	return refused(err, "cannot put the weir qdisc at class %s of %s: %s", value->word,
		       attempt->link.name, *error->text ? error->text : strerror(-err));
}

static int put_one(struct trim_attempt *attempt, const struct qdiscs *qdiscs,
		   const struct value *value)
{
	const struct qdisc *at = find_at(qdiscs, value->class.id);
	struct qdisc weir = {
		.handle = NTH(TRIM_CLASS_HANDLE, free_number(qdiscs)), .parent = value->class.id,
		.kind = TRIM_QDISC_KIND, .type = TCA_OPTIONS | NLA_F_NESTED,
	};
	struct class class = { .id = value->class.id };
	int err;

	weir.length = class_write(&value->class, weir.options, sizeof(weir.options));
	if (at && trim_classes_is(at)) {
		class_read(&class, at->options, at->length);
		weir.handle = at->handle;
		if (class_same(&class, &value->class))
			return WEIR_OK;
	}
	if (is_others(at))
		return trim_child_keep(&attempt->rtnl, &attempt->link, &weir, at);
	err = rtnl_qdisc_replace(&attempt->rtnl, attempt->link.ifindex, &weir);
	return err ? put_refused(attempt, value, err) : WEIR_OK;
}

/* The kind of the qdisc that the kernel would put at a transmit queue. */
static void read_default(char kind[static IF_NAMESIZE])
{
	FILE *file = fopen(DEFAULT_QDISC, "re");

	if (!file || fscanf(file, "%15s", kind) != 1)
		snprintf(kind, IF_NAMESIZE, "pfifo_fast");
	if (file)
		fclose(file);
}

static bool is_one_of(const char *kind, const char *const *kinds)
{
	while (*kinds && strcmp(*kinds, kind))
		kinds++;
	return *kinds;
}

/* Without a qdisc of an administrator's the class has one of the kernel's own, or a stand-in. */
static int put_default(struct nl *rtnl, const struct link *link, const struct qdiscs *qdiscs,
		       const struct qdisc *weir)
{
	static const char *const by_itself[] = { "htb", "prio", "ets", "hfsc", "drr", "qfq", NULL };
	static const char *const queues[] = { "mq", "mqprio", "taprio", NULL };
	const struct qdisc *parent = find(qdiscs, TC_H_MAJ(weir->parent));
	struct qdisc stands_in = {
		.handle = weir->handle - TRIM_CLASS_HANDLE + TRIM_STAND_IN_HANDLE,
		.parent = weir->parent, .kind = "pfifo",
	};

	if (parent && is_one_of(parent->kind, by_itself))
		return rtnl_qdisc_del(rtnl, link->ifindex, weir->parent, weir->handle);
	if (parent && is_one_of(parent->kind, queues))
		read_default(stands_in.kind);
	return rtnl_qdisc_replace(rtnl, link->ifindex, &stands_in);
}

static int take_off(struct nl *rtnl, const struct link *link, const struct qdiscs *qdiscs,
		    const struct qdisc *weir)
{
	const struct qdisc *child = find_at(qdiscs, weir->handle | 1);
	int err;

	if (child)
		return trim_child_return(rtnl, link, child, weir->parent);
	err = put_default(rtnl, link, qdiscs, weir);
	return err ? trim_detach_refused(link->name, err, rtnl->error.text) : WEIR_OK;
}

/* Takes off weir's qdiscs at classes, but for those that are given. */
static int take_off_but(struct nl *rtnl, const struct link *link, const struct qdiscs *qdiscs,
			const struct args *args, bool *any)
{
	int status = WEIR_OK;
	size_t i;

	for (i = 0; !status && i < qdiscs->count; i++) {
		const struct qdisc *qdisc = &qdiscs->qdisc[i];

		if (!trim_classes_is(qdisc) || (args && wanted_at(args, qdisc->parent)))
			continue;
		*any = true;
		status = take_off(rtnl, link, qdiscs, qdisc);
	}
	return status;
}

int trim_classes_detach(struct nl *rtnl, const struct link *link, const struct qdiscs *qdiscs,
			bool *any)
{
	return take_off_but(rtnl, link, qdiscs, NULL, any);
}

/* Best effort: takes off those that were not there before. */
static void undo(struct trim_attempt *attempt, const struct qdiscs *before)
{
	struct qdiscs now;
	size_t i;

	if (trim_qdiscs_look(&attempt->rtnl, attempt->link.ifindex, &now)) {
		free(now.qdisc);
		return;
	}
	for (i = 0; i < now.count; i++) {
		if (trim_classes_is(&now.qdisc[i]) && !find(before, now.qdisc[i].handle))
			take_off(&attempt->rtnl, &attempt->link, &now, &now.qdisc[i]);
	}
	free(now.qdisc);
}

int trim_classes_attach(struct trim_attempt *attempt)
{
	struct nl *rtnl = &attempt->rtnl;
	struct qdiscs before, now = {};
	const struct value *value;
	int status = WEIR_OK, err;
	bool any = false;
	size_t i = 0;

	err = trim_qdiscs_look(rtnl, attempt->link.ifindex, &before);
	while (!err && !status && (value = next_class(attempt->args, &i))) {
		free(now.qdisc);
		err = trim_qdiscs_look(rtnl, attempt->link.ifindex, &now);
		status = err ? WEIR_OK : put_one(attempt, &now, value);
	}
	if (err)
		status = trim_look_refused(attempt->link.name, err);
	if (status)
		undo(attempt, &before);
	else
		status = take_off_but(rtnl, &attempt->link, &before, attempt->args, &any);
	free(now.qdisc);
	free(before.qdisc);
	return status;
}

static int compare(const void *a, const void *b)
{
	const struct class *one = a, *other = b;

	return one->id < other->id ? -1 : one->id > other->id;
}

int trim_classes_find(struct nl *rtnl, unsigned int ifindex, struct class **classes, size_t *count)
{
	struct qdiscs qdiscs;
	size_t i;
	int err;

	*count = 0;
	err = trim_qdiscs_look(rtnl, ifindex, &qdiscs);
	*classes = calloc(qdiscs.count ?: 1, sizeof(**classes));
	if (!*classes)
		abort();
	for (i = 0; !err && i < qdiscs.count; i++) {
		struct class *class = &(*classes)[*count];

		if (!trim_classes_is(&qdiscs.qdisc[i]))
			continue;
		class->id = qdiscs.qdisc[i].parent;
		class_read(class, qdiscs.qdisc[i].options, qdiscs.qdisc[i].length);
		(*count)++;
	}
	qsort(*classes, *count, sizeof(**classes), compare);
	free(qdiscs.qdisc);
	return err;
}

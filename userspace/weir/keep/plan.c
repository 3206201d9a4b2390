// SPDX-License-Identifier: GPL-2.0
/*
 * The steps from what a namespace has to what it is to have. Objects to remove go first, programs
 * and qdiscs before jobs; new objects come in the order in which they can. Objects that are the same
 * on both sides are not touched: their packets go on.
 *
 * Each step has to make sense by itself. Trimming policies depend on the namespace's default, and
 * on one another: those that send packets back all use one DSCP. So a policy that changes together
 * with the default first gets all of its final settings for its own, then the default changes,
 * and last the policy has only what it is to have of its own. And policies that are to send back
 * with another DSCP first cease to. Pools and ACLs come before the policies that are to name them,
 * and go after those that have named them.
 *
 * An ACL has a limited number of rules, and goes with its last one, which is refused while a policy
 * names it. So the old rules of an ACL that stays go before the new ones come. If none of its rules
 * stays, one of the old ones goes only after the first new one has come.
 */
#include <string.h>

#include "keep/keep.h"

/* Return true if it is a source that is removed with its job, or is to be made again with it. */
static bool goes_with_owner(const struct items *now, const struct items *wanted,
			    const struct item *item)
{
	const struct item *owner, *kept;

	if (item->kind != KIND_SOURCE)
		return false;
	owner = items_find(now, item->owner);
	kept = items_find(wanted, item->owner);
	return owner && (!kept || item_change(owner, kept) == CHANGE_ANEW);
}

static bool goes(const struct items *now, const struct items *wanted, const struct item *item)
{
	const struct item *kept = items_find(wanted, item->name);

	return !kept || goes_with_owner(now, wanted, item) ||
	       item_change(item, kept) == CHANGE_ANEW;
}

static void remove_old(struct batch *steps, const struct items *now, const struct items *wanted,
		       enum kind kind)
{
	size_t i;

	for (i = 0; i < now->count; i++) {
		const struct item *item = &now->item[i];

		if (item->kind == kind && goes(now, wanted, item) &&
		    !goes_with_owner(now, wanted, item))
			item_remove(steps, item);
	}
}

static void copy(struct batch *steps, const struct item *item)
{
	batch_add_words(steps, item->command->count, (const char *const *)item->command->word);
}

/* Make an item if it is new, and change it if it has changed. */
static void bring(struct batch *steps, const struct items *now, const struct items *wanted,
		  const struct item *item)
{
	const struct item *old = items_find(now, item->name);

	if (!old || goes(now, wanted, old))
		copy(steps, item);
	else if (item_change(old, item) == CHANGE_SET)
		item_set(steps, old, item);
}

static void bring_new(struct batch *steps, const struct items *now, const struct items *wanted,
		      enum kind kind)
{
	size_t i;

	for (i = 0; i < wanted->count; i++) {
		if (wanted->item[i].kind == kind)
			bring(steps, now, wanted, &wanted->item[i]);
	}
}

/* The wanted one of a policy that changes in place; NULL for others. */
static const struct item *changes(const struct items *now, const struct items *wanted,
				  const struct item *trim)
{
	const struct item *kept;

	if (trim->kind != KIND_TRIM || goes(now, wanted, trim))
		return NULL;
	kept = items_find(wanted, trim->name);
	return item_change(trim, kept) == CHANGE_SET ? kept : NULL;
}

/* The default of a namespace; NULL where it has none. */
static const struct item *default_of(const struct items *items)
{
	return items_find(items, "trim-default");
}

static bool default_changes(const struct items *now, const struct items *wanted)
{
	const struct item *old = default_of(now), *new = default_of(wanted);

	return !old != !new || (old && item_change(old, new) != CHANGE_NONE);
}

static void free_trims(struct batch *steps, const struct items *now, const struct items *wanted)
{
	const struct item *kept;
	size_t i;

	for (i = 0; i < now->count; i++) {
		kept = changes(now, wanted, &now->item[i]);
		if (kept && item_returns_otherwise(&now->item[i], kept))
			item_return_none(steps, kept);
	}
	if (!default_changes(now, wanted))
		return;
	for (i = 0; i < now->count; i++) {
		kept = changes(now, wanted, &now->item[i]);
		if (kept)
			item_set_alone(steps, kept, default_of(wanted));
	}
}

/* The rules of an ACL are next to one another: their names begin with the ACL's. */
static size_t end_of_acl(const struct items *items, size_t at)
{
	size_t end = at;

	while (end < items->count && items->item[end].kind == KIND_ACL &&
	       !strcmp(items->item[end].acl, items->item[at].acl))
		end++;
	return end;
}

/* Return the place of an ACL's first rule; the list's count if it has none. */
static size_t find_acl(const struct items *items, const char *acl)
{
	size_t i;

	for (i = 0; i < items->count; i++) {
		if (items->item[i].kind == KIND_ACL && !strcmp(items->item[i].acl, acl))
			break;
	}
	return i;
}

/* Bring an ACL that is to have the rules from @at up to @end. */
static void bring_acl(struct batch *steps, const struct items *now, const struct items *wanted,
		      size_t at, size_t end)
{
	size_t first = find_acl(now, wanted->item[at].acl), last, i;
	const struct item *kept = NULL;
	bool any = false;

	last = first < now->count ? end_of_acl(now, first) : first;
	for (i = first; i < last; i++)
		any |= items_find(wanted, now->item[i].name) != NULL;
	for (i = first; i < last; i++) {
		if (items_find(wanted, now->item[i].name))
			continue;
		if (!any && !kept)
			kept = &now->item[i];
		else
			item_remove(steps, &now->item[i]);
	}
	for (i = at; i < end; i++) {
		bring(steps, now, wanted, &wanted->item[i]);
		if (kept)
			item_remove(steps, kept);
		kept = NULL;
	}
}

static void bring_acls(struct batch *steps, const struct items *now, const struct items *wanted)
{
	size_t at, end;

	for (at = 0; at < wanted->count; at = end) {
		end = at + 1;
		if (wanted->item[at].kind != KIND_ACL)
			continue;
		end = end_of_acl(wanted, at);
		bring_acl(steps, now, wanted, at, end);
	}
}

/* Remove ACLs of which no rule is wanted: the policies name others by now. */
static void remove_acls(struct batch *steps, const struct items *now, const struct items *wanted)
{
	size_t at, end;

	for (at = 0; at < now->count; at = end) {
		bool goes;

		end = at + 1;
		if (now->item[at].kind != KIND_ACL)
			continue;
		end = end_of_acl(now, at);
		goes = find_acl(wanted, now->item[at].acl) == wanted->count;
		for (; goes && at < end; at++)
			item_remove(steps, &now->item[at]);
	}
}

void plan(struct batch *steps, const struct items *now, const struct items *wanted)
{
	int kind;

	for (kind = KINDS - 1; kind > KIND_DEFAULT; kind--)
		remove_old(steps, now, wanted, kind);
	bring_new(steps, now, wanted, KIND_POOL);
	bring_acls(steps, now, wanted);
	free_trims(steps, now, wanted);
	remove_old(steps, now, wanted, KIND_DEFAULT);
	for (kind = KIND_DEFAULT; kind < KINDS; kind++)
		bring_new(steps, now, wanted, kind);
	remove_acls(steps, now, wanted);
	remove_old(steps, now, wanted, KIND_POOL);
}

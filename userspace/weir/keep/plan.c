// SPDX-License-Identifier: GPL-2.0
/*
 * The steps from what a namespace has to what it is to have. What goes goes first, programs
 * and qdiscs before jobs; what comes comes in the order in which it can. What is the same on
 * both sides is not touched: its packets go on.
 */
#include "keep/keep.h"

/* Is it removed with its job, or to be made again with it? */
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

static void bring_new(struct batch *steps, const struct items *now, const struct items *wanted,
		      enum kind kind)
{
	size_t i;

	for (i = 0; i < wanted->count; i++) {
		const struct item *item = &wanted->item[i];
		const struct item *old = items_find(now, item->name);

		if (item->kind != kind)
			continue;
		if (!old || goes(now, wanted, old))
			copy(steps, item);
		else if (item_change(old, item) == CHANGE_SET)
			item_set(steps, old, item);
	}
}

void plan(struct batch *steps, const struct items *now, const struct items *wanted)
{
	int kind;

	for (kind = KINDS - 1; kind >= 0; kind--)
		remove_old(steps, now, wanted, kind);
	for (kind = 0; kind < KINDS; kind++)
		bring_new(steps, now, wanted, kind);
}

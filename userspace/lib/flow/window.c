// SPDX-License-Identifier: BSD-2-Clause
#include "flow/window.h"

#include <errno.h>
#include <stdlib.h>

static uint32_t power_of_two(uint32_t least)
{
	uint32_t power = 1;

	while (power < least)
		power <<= 1;
	return power;
}

static void empty_lists(struct window *window)
{
	for (unsigned int i = 0; i < WINDOW_LISTS; i++)
		window->lists[i] = (struct window_list) { WINDOW_NONE, WINDOW_NONE };
}

int window_init(struct window *window, uint32_t limit, uint64_t first)
{
	uint32_t slots = power_of_two(2 * limit);

	*window = (struct window) {
		.base = first,
		.next = first,
		.high = first,
		.limit = limit,
		.mask = slots - 1,
	};
	empty_lists(window);
	window->slots = calloc(slots, sizeof(*window->slots));
	return window->slots ? 0 : -ENOMEM;
}

void window_uninit(struct window *window)
{
	free(window->slots);
	window->slots = NULL;
}

uint64_t window_block(const struct window *window, uint32_t slot)
{
	return window->base + ((slot - (uint32_t)window->base) & window->mask);
}

static uint64_t oldest_sent(const struct window *window, enum window_where where)
{
	uint32_t index = window->lists[where].oldest;

	return index == WINDOW_NONE ? UINT64_MAX : window->slots[index].sent;
}

enum window_where window_oldest(const struct window *window, enum window_where one, enum window_where other)
{
	return oldest_sent(window, other) < oldest_sent(window, one) ? other : one;
}

/* Takes those from @oldest to @newest out of their list. */
static void unlink_slots(struct window *window, const struct window_slot *oldest,
			 const struct window_slot *newest)
{
	struct window_list *list = &window->lists[oldest->where];

	if (oldest->older == WINDOW_NONE)
		list->oldest = newest->newer;
	else
		window->slots[oldest->older].newer = newest->newer;
	if (newest->newer == WINDOW_NONE)
		list->newest = oldest->older;
	else
		window->slots[newest->newer].older = oldest->older;
}

static void link_newest(struct window *window, struct window_slot *slot, enum window_where where)
{
	struct window_list *list = &window->lists[where];
	uint32_t index = (uint32_t)(slot - window->slots);

	slot->where = where;
	slot->older = list->newest;
	slot->newer = WINDOW_NONE;
	if (list->newest == WINDOW_NONE)
		list->oldest = index;
	else
		window->slots[list->newest].newer = index;
	list->newest = index;
}

static void move(struct window *window, struct window_slot *slot, enum window_where where)
{
	unlink_slots(window, slot, slot);
	link_newest(window, slot, where);
}

/* Links slots that lie together, as the newest that were sent. */
static void link_sent(struct window *window, uint32_t first, uint32_t count)
{
	struct window_list *list = &window->lists[WINDOW_SENT];

	if (list->newest == WINDOW_NONE)
		list->oldest = first;
	else
		window->slots[list->newest].newer = first;
	window->slots[first].older = list->newest;
	list->newest = first + count - 1;
	window->slots[list->newest].newer = WINDOW_NONE;
}

void window_sent(struct window *window, uint32_t count, uint64_t now, bool merged)
{
	uint32_t first = (uint32_t)window->next & window->mask;

	for (uint32_t index = first; index < first + count; index++) {
		struct window_slot *slot = &window->slots[index];

		slot->waiting = true;
		slot->merged = merged;
		slot->has_reply = false;
		slot->where = WINDOW_SENT;
		slot->older = index - 1;
		slot->newer = index + 1;
		slot->asked = WINDOW_NOT_ASKED;
		slot->sent = now;
		slot->contributed = now;
		slot->tries = 1;
	}
	link_sent(window, first, count);
	window->next += count;
	window->flight += count;
}

void window_sent_again(struct window *window, uint64_t block, uint64_t now)
{
	struct window_slot *slot = window_slot(window, block);

	move(window, slot, WINDOW_SENT);
	slot->asked = WINDOW_NOT_ASKED;
	slot->merged = false;
	slot->sent = now;
	slot->contributed = now;
	slot->tries++;
}

void window_asked(struct window *window, uint64_t block, uint64_t now, enum window_asked why)
{
	struct window_slot *slot = window_slot(window, block);

	move(window, slot, WINDOW_ASKED);
	slot->asked_again = slot->asked != WINDOW_NOT_ASKED;
	slot->asked = why;
	slot->sent = now;
	slot->tries++;
}

void window_held(struct window *window, uint64_t block, uint64_t now)
{
	struct window_slot *slot = window_slot(window, block);

	move(window, slot, WINDOW_HELD);
	slot->asked = WINDOW_NOT_ASKED;
	slot->replied = now;
	/* Its answer will be to the contribution, not to the question. */
	slot->sent = slot->contributed;
}

void window_wanted(struct window *window, uint64_t block)
{
	struct window_slot *slot = window_slot(window, block);

	move(window, slot, WINDOW_WANTED);
	slot->asked = WINDOW_NOT_ASKED;
}

void window_answered(struct window *window, uint64_t block, uint32_t count)
{
	uint64_t end = block + count;
	struct window_slot *slot;

	unlink_slots(window, window_slot(window, block), window_slot(window, end - 1));
	window->flight -= count;
	if (window->base == block)
		window->base = end;
	do {
		slot = window_slot(window, block);
		slot->waiting = false;
		slot->request = NULL;
	} while (++block != end);
	while (window->base != window->next && !window_slot(window, window->base)->waiting)
		window->base++;
}

void window_skipped(struct window *window)
{
	struct window_slot *slot = window_slot(window, window->next);

	slot->waiting = false;
	slot->request = NULL;
	window->next++;
	while (window->base != window->next && !window_slot(window, window->base)->waiting)
		window->base++;
}

void window_restart(struct window *window, uint64_t block)
{
	for (uint32_t i = 0; i < window_slots(window); i++) {
		window->slots[i].waiting = false;
		window->slots[i].request = NULL;
	}
	empty_lists(window);
	window->flight = 0;
	window->base = block;
	window->next = block;
	window->high = block;
}

uint64_t window_lacks(const struct window *window)
{
	uint64_t block = window->base;

	while (block != window->high && !window_slot(window, block)->request)
		block++;
	return block;
}

void window_rewind(struct window *window, uint64_t block)
{
	for (uint64_t b = window->base; b != window->next; b++)
		window_slot(window, b)->waiting = false;
	empty_lists(window);
	window->flight = 0;
	window->base = block;
	window->next = block;
}

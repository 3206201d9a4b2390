// SPDX-License-Identifier: BSD-2-Clause
#include "window.h"

#include <errno.h>
#include <stdlib.h>

static uint32_t power_of_two(uint32_t least)
{
	uint32_t power = 1;

	while (power < least)
		power <<= 1;
	return power;
}

int window_init(struct window *window, uint32_t limit, uint64_t first)
{
	uint32_t slots = power_of_two(limit);

	*window = (struct window) {
		.base = first,
		.next = first,
		.limit = limit,
		.mask = slots - 1,
		.oldest = WINDOW_NONE,
		.newest = WINDOW_NONE,
	};
	window->slots = calloc(slots, sizeof(*window->slots));
	return window->slots ? 0 : -ENOMEM;
}

void window_uninit(struct window *window)
{
	free(window->slots);
	window->slots = NULL;
}

static uint32_t slot_of(const struct window *window, uint64_t block)
{
	return (uint32_t)block & window->mask;
}

struct window_slot *window_slot(const struct window *window, uint64_t block)
{
	return &window->slots[slot_of(window, block)];
}

uint64_t window_block(const struct window *window, uint32_t slot)
{
	return window->base + ((slot - slot_of(window, window->base)) & window->mask);
}

uint32_t window_room(const struct window *window)
{
	return window->limit - (uint32_t)(window->next - window->base);
}

bool window_find(const struct window *window, uint32_t wire_id, uint64_t *block)
{
	uint32_t ahead = wire_id - (uint32_t)window->base;

	if (ahead >= window->next - window->base)
		return false;
	*block = window->base + ahead;
	return true;
}

static void unlink_slot(struct window *window, struct window_slot *slot)
{
	if (slot->older == WINDOW_NONE)
		window->oldest = slot->newer;
	else
		window->slots[slot->older].newer = slot->newer;
	if (slot->newer == WINDOW_NONE)
		window->newest = slot->older;
	else
		window->slots[slot->newer].older = slot->older;
}

static void link_newest(struct window *window, struct window_slot *slot)
{
	uint32_t index = (uint32_t)(slot - window->slots);

	slot->older = window->newest;
	slot->newer = WINDOW_NONE;
	if (window->newest == WINDOW_NONE)
		window->oldest = index;
	else
		window->slots[window->newest].newer = index;
	window->newest = index;
}

void window_sent(struct window *window, uint64_t block, uint64_t now)
{
	struct window_slot *slot = window_slot(window, block);

	if (block == window->next) {
		window->next++;
		window->flight++;
		slot->waiting = true;
		slot->tries = 0;
	} else {
		unlink_slot(window, slot);
	}
	slot->sent = now;
	slot->tries++;
	link_newest(window, slot);
}

void window_answered(struct window *window, uint64_t block)
{
	struct window_slot *slot = window_slot(window, block);

	unlink_slot(window, slot);
	slot->waiting = false;
	slot->request = NULL;
	window->flight--;
	while (window->base != window->next && !window_slot(window, window->base)->waiting)
		window->base++;
}

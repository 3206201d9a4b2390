// SPDX-License-Identifier: GPL-2.0
/*
 * Rooms: memory for the bytes of merged packets. Each CPU has a ring of them, and uses one again
 * when no receiver holds it any more. Pages that come from the kernel are cleared first on many
 * machines (init_on_alloc), which would take more than to copy a result into them.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/percpu.h>

#include "out/room.h"
#include "out/skb.h"

/* Half a megabyte: results of half a millisecond at ten gigabits a second. */
#define WEIR_ROOMS	32

/**
 * struct weir_rooms - those of a CPU
 * @next: the one that was used longest ago
 * @page: the first page of each; receivers may still hold it
 */
struct weir_rooms {
	unsigned int	next;
	struct page	*page[WEIR_ROOMS];
};

static DEFINE_PER_CPU(struct weir_rooms, weir_rooms);

/* The room that was used longest ago. One that receivers still hold is left to them. */
static struct page *weir_room_next(struct page **page)
{
	if (*page && page_ref_count(*page) == 1)
		return *page;
	if (*page)
		put_page(*page);
	*page = alloc_pages(WEIR_SKB_GFP | __GFP_COMP, WEIR_ROOM_ORDER);
	return *page;
}

/**
 * weir_room_get() - a room of WEIR_ROOM_BYTES
 *
 * Called with bottom halves disabled. What was in it before is still there.
 *
 * Return: its memory, whose reference is the caller's, for skb_free_frag(); or NULL.
 */
void *weir_room_get(void)
{
	struct weir_rooms *rooms = this_cpu_ptr(&weir_rooms);
	struct page *page = weir_room_next(&rooms->page[rooms->next]);

	rooms->next = (rooms->next + 1) % WEIR_ROOMS;
	if (!page)
		return NULL;
	get_page(page);
	return page_address(page);
}

/**
 * weir_room_uninit() - free the rooms of all CPUs
 *
 * No packet is made any more. Receivers free those that they hold.
 */
void weir_room_uninit(void)
{
	unsigned int cpu, i;

	for_each_possible_cpu(cpu) {
		struct weir_rooms *rooms = per_cpu_ptr(&weir_rooms, cpu);

		for (i = 0; i < WEIR_ROOMS; i++)
			if (rooms->page[i])
				put_page(rooms->page[i]);
	}
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Rooms: memory for the bytes of merged packets. Each CPU has a ring of them, and uses one again
 * when no receiver holds it. Pages that come from the kernel are cleared first on many
 * machines (init_on_alloc), which would take more than to copy a result into them.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/percpu.h>

#include "core/base/compat.h"
#include "agg/out/room.h"
#include "agg/out/skb.h"

/* Half a megabyte: results of half a millisecond at ten gigabits a second. */
#define WEIR_ROOMS	32

/**
 * struct weir_rooms - those of a CPU
 * @lock: of the others; with PREEMPT_RT a CPU may have several tasks here at once
 * @next: the one that was used longest ago
 * @page: the first page of each; receivers may still hold it
 */
struct weir_rooms {
	local_lock_t	lock;
	unsigned int	next;
	struct page	*page[WEIR_ROOMS];
};

static DEFINE_PER_CPU(struct weir_rooms, weir_rooms) = {
	.lock = INIT_LOCAL_LOCK(lock),
};

/* The room that was used longest ago. One that receivers still hold is left to them. */
static struct page *weir_room_page(struct page **page)
{
	if (*page && page_ref_count(*page) == 1)
		return *page;
	if (*page)
		put_page(*page);
	*page = alloc_pages(WEIR_SKB_GFP | __GFP_COMP, WEIR_ROOM_ORDER);
	return *page;
}

/* With a reference for the caller; or NULL. */
static struct page *weir_room_next(struct weir_rooms *rooms)
{
	struct page *page = weir_room_page(&rooms->page[rooms->next]);

	rooms->next = (rooms->next + 1) % WEIR_ROOMS;
	if (page)
		get_page(page);
	return page;
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
	struct page *page;

	local_lock_nested_bh(&weir_rooms.lock);
	page = weir_room_next(this_cpu_ptr(&weir_rooms));
	local_unlock_nested_bh(&weir_rooms.lock);
	return page ? page_address(page) : NULL;
}

/**
 * weir_room_uninit() - free the rooms of all CPUs
 *
 * No packet is built now. Receivers free those that they hold.
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

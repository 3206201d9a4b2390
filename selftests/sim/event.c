// SPDX-License-Identifier: GPL-2.0
#include "event.h"

#include <err.h>
#include <stdlib.h>

/* Children of an entry of the heap: four are flatter than two, and share a cache line or two. */
#define BRANCHES	4

/**
 * struct entry - an event in the heap
 * @order: of calls, for events of the same time
 */
struct entry {
	uint64_t time;
	uint64_t order;
	struct event *event;
};

static struct entry *heap;
static size_t heap_count, heap_room;
static uint64_t order, now;
static bool is_stopped;

void *sim_alloc(size_t count, size_t size)
{
	void *made = calloc(count ? count : 1, size);

	if (!made)
		err(1, "calloc");
	return made;
}

void *sim_grow(void *array, size_t count, size_t size)
{
	void *larger = reallocarray(array, count, size);

	if (!larger)
		err(1, "realloc");
	return larger;
}

uint64_t event_now(void)
{
	return now;
}

static bool is_before(const struct entry *a, const struct entry *b)
{
	return a->time < b->time || (a->time == b->time && a->order < b->order);
}

void event_at(struct event *event, uint64_t time)
{
	struct entry entry = { time, order++, event };
	size_t i = heap_count++;

	if (i == heap_room) {
		heap_room = heap_room ? 2 * heap_room : 1024;
		heap = sim_grow(heap, heap_room, sizeof(*heap));
	}
	for (; i && is_before(&entry, &heap[(i - 1) / BRANCHES]); i = (i - 1) / BRANCHES)
		heap[i] = heap[(i - 1) / BRANCHES];
	heap[i] = entry;
	event->is_due = true;
}

static size_t least_child(size_t i)
{
	size_t least = BRANCHES * i + 1, end = least + BRANCHES;

	if (end > heap_count)
		end = heap_count;
	for (size_t child = least + 1; child < end; child++)
		if (is_before(&heap[child], &heap[least]))
			least = child;
	return least;
}

static struct event *take_first(void)
{
	struct event *first = heap[0].event;
	struct entry last = heap[--heap_count];
	size_t i = 0, child;

	now = heap[0].time;
	while (BRANCHES * i + 1 < heap_count) {
		child = least_child(i);
		if (!is_before(&heap[child], &last))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = last;
	return first;
}

uint64_t event_run_all(void)
{
	struct event *event;
	uint64_t count = 0;

	for (; heap_count && !is_stopped; count++) {
		event = take_first();
		event->is_due = false;
		event->run(event);
	}
	return count;
}

void event_stop(void)
{
	is_stopped = true;
}

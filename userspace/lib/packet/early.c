// SPDX-License-Identifier: BSD-2-Clause
#include "packet/early.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void early_init(struct early *early, uint64_t limit, size_t size)
{
	*early = (struct early) { .stride = (size + 7) / 8 * 8 };
	early->count = limit / early->stride;
}

/* Memory is given back when it has been written so much: that takes longer than a packet. */
#define RELEASED	(16 << 20)

static size_t bytes(const struct early *early)
{
	return early->count * early->stride;
}

void early_uninit(struct early *early)
{
	if (early->memory)
		munmap(early->memory, bytes(early));
	free(early->slots);
	*early = (struct early) { 0 };
}

/* Reserve address space for all slots; without it no packet is kept from now on. */
static bool reserve(struct early *early)
{
	void *memory;

	if (early->memory || !early->count)
		return early->count;
	early->slots = calloc(early->count, sizeof(*early->slots));
	memory = mmap(NULL, bytes(early), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (early->slots && memory != MAP_FAILED) {
		early->memory = memory;
		return true;
	}
	if (memory != MAP_FAILED)
		munmap(memory, bytes(early));
	free(early->slots);
	early->slots = NULL;
	early->count = 0;
	return false;
}

bool early_put(struct early *early, uint64_t from, bool newer, uint64_t block, const void *packet,
	       size_t length)
{
	struct early_slot *slot;
	uint64_t index;

	if (!length || length > early->stride || !reserve(early))
		return false;
	index = block % early->count;
	slot = &early->slots[index];
	if (slot->length && slot->block == block)
		return true;
	if (slot->length && slot->block >= from && (slot->block < block) != newer)
		return false;
	early->used += !slot->length;
	early->written++;
	/* A block that is replaced may be one that early_reach() has passed. */
	if (slot->length && slot->block < early->reached)
		early->reached = 0;
	slot->block = block;
	slot->length = (uint32_t)length;
	memcpy(early->memory + index * early->stride, packet, length);
	return true;
}

uint8_t *early_at(const struct early *early, uint64_t block, size_t *length)
{
	uint64_t index = block % early->count;

	*length = early->slots[index].length;
	return early->memory + index * early->stride;
}

static void empty(struct early *early, struct early_slot *slot)
{
	slot->length = 0;
	if (--early->used || early->written * early->stride < RELEASED)
		return;
	madvise(early->memory, bytes(early), MADV_FREE);
	early->written = 0;
}

void early_discard(struct early *early, uint64_t block)
{
	if (!early_has(early, block))
		return;
	empty(early, &early->slots[block % early->count]);
	if (block >= early->reached_from && block < early->reached)
		early->reached_from = block + 1;
}

void early_discard_before(struct early *early, uint64_t block)
{
	for (uint64_t i = 0; early->used && i < early->count; i++)
		if (early->slots[i].length && early->slots[i].block < block)
			empty(early, &early->slots[i]);
}

uint64_t early_reach(struct early *early, uint64_t block)
{
	if (block < early->reached_from || block >= early->reached)
		early->reached = block;
	early->reached_from = block;
	while (early_has(early, early->reached))
		early->reached++;
	return early->reached;
}

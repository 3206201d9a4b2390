/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Results that were received before the program asked for them, as packets. They are indexed by block
 * number modulo the number of slots, which is set by a limit in bytes. Two blocks of one slot are
 * that far apart: the caller decides which of them stays. Memory is taken page by page as packets
 * come, and is free to be reclaimed when no packet is left.
 */
#ifndef WEIR_EARLY_H
#define WEIR_EARLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct early_slot - one packet
 * @block: its block
 * @length: its bytes; 0 if the slot is empty
 */
struct early_slot {
	uint64_t block;
	uint32_t length;
};

/**
 * struct early - the packets
 * @memory: of all slots; NULL before the first packet
 * @slots: the block and the length of the packet in each
 * @count: number of slots; 0 if no packets are to be kept
 * @stride: bytes of a slot
 * @used: number of slots that are not empty
 * @written: packets that were put since memory was last given back
 * @reached_from: all blocks from this one on,
 * @reached: and before this one, are kept
 */
struct early {
	uint8_t *memory;
	struct early_slot *slots;
	uint64_t count;
	size_t stride;
	uint64_t used;
	uint64_t written;
	uint64_t reached_from;
	uint64_t reached;
};

/* Keep packets of up to @size bytes, @limit bytes of them in total. */
void early_init(struct early *early, uint64_t limit, size_t size);
void early_uninit(struct early *early);

/*
 * Keep a packet. Of two blocks with one slot the older one stays, or with @newer the newer one.
 * Blocks before @from are no longer needed. Return whether the packet is kept, also where it was
 * already.
 */
bool early_put(struct early *early, uint64_t from, bool newer, uint64_t block, const void *packet,
	       size_t length);

/* Return whether the packet of a block is kept. */
static inline bool early_has(const struct early *early, uint64_t block)
{
	const struct early_slot *slot;

	if (!early->used)
		return false;
	slot = &early->slots[block % early->count];
	return slot->length && slot->block == block;
}

/* Return the packet of a block that is kept, which may be changed, and its length. */
uint8_t *early_at(const struct early *early, uint64_t block, size_t *length);

/* Discard the packet of a block, if it is kept. */
void early_discard(struct early *early, uint64_t block);

/* Discard the packets of all blocks before this one. */
void early_discard_before(struct early *early, uint64_t block);

/* Return the first block from @block on whose packet is not kept. */
uint64_t early_reach(struct early *early, uint64_t block);

#endif

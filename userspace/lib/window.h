/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The blocks under way: which have been sent and when, and which are answered.
 *
 * Blocks are numbered from 0 in 64 bits here; the wire has the low 32. A block
 * is sent only when all blocks a whole window before it have been answered.
 * Another rank is then at most one window ahead of this one, and no block is
 * further ahead of what this one waits for than twice the window: a box with
 * twice as many slots still holds every result that may be asked for again.
 *
 * Blocks that wait for an answer are also kept in the order in which they were
 * sent last. The box answers in about that order, so what was sent well before
 * something that is answered already is lost (the idea of RFC 8985).
 */
#ifndef WEIR_WINDOW_H
#define WEIR_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

struct weir_request;

#define WINDOW_NONE	UINT32_MAX

/**
 * struct window_slot - one block under way
 * @request: whose block it is
 * @sent: when it was sent last
 * @tries: how often it was sent; 0 is not yet
 * @waiting: sent and not answered
 * @older: slot of the block that was sent last before this one
 * @newer: slot of the block that was sent next after this one
 */
struct window_slot {
	struct weir_request *request;
	uint64_t sent;
	uint32_t tries;
	bool waiting;
	uint32_t older;
	uint32_t newer;
};

/**
 * struct window - all blocks under way
 * @base: the oldest block without an answer
 * @next: the first block that has not been sent
 * @limit: how many blocks from @base on may have been sent
 * @flight: blocks that wait for an answer
 * @mask: a power of two minus one; block b has slot b & @mask
 * @oldest: slot of the block whose last sending was first
 * @newest: slot of the block that was sent last
 * @slots: not less than @limit of them
 */
struct window {
	uint64_t base;
	uint64_t next;
	uint32_t limit;
	uint32_t flight;
	uint32_t mask;
	uint32_t oldest;
	uint32_t newest;
	struct window_slot *slots;
};

/* Returns 0 or -ENOMEM. @first is the number of the first block. */
int window_init(struct window *window, uint32_t limit, uint64_t first);
void window_uninit(struct window *window);

/* Slot of a block that is in the window. */
struct window_slot *window_slot(const struct window *window, uint64_t block);

/* How many blocks from @next on may be sent now. */
uint32_t window_room(const struct window *window);

/* Is there a block with these low 32 bits that was sent and may be answered?
 * True, and *block, also for those that have been answered already.
 */
bool window_find(const struct window *window, uint32_t wire_id, uint64_t *block);

/* A block was sent, for the first time when it is @next, or again. */
void window_sent(struct window *window, uint64_t block, uint64_t now);

/* A block that waited was answered; moves @base past all that are. */
void window_answered(struct window *window, uint64_t block);

/* Number of the block in a slot. */
uint64_t window_block(const struct window *window, uint32_t slot);

#endif

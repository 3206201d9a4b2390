/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The blocks under way, the times when they were sent, and those that are answered.
 *
 * Blocks are numbered from 0 in 64 bits here; the wire has the low 32. A block is sent only
 * when all blocks a whole window before it have been answered. Another rank is then at most
 * one window ahead of this one, and no block is further ahead of the first that this one
 * waits for than twice the window: a box with twice as many slots still holds every result
 * that may be asked for again.
 *
 * For the same reason no rank lacks a block that is more than one window before
 * the first one that this rank lacks. So there are slots for two windows: where
 * the box has lost its state, window_rewind() goes back by one of them, and the
 * blocks go up again as they were sent.
 *
 * Blocks that wait for an answer are also kept in lists, each in the order in which a packet about
 * them was sent last. The box answers in about that order, so a packet sent well before one that is
 * answered already has met with a loss (see recovery.h), and the box is asked about it: the block
 * is in the list of those that were asked about. The reply moves it to the list of blocks that are
 * in and wait for other ranks, or to the list of blocks that the box wants again.
 */
#ifndef WEIR_WINDOW_H
#define WEIR_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

struct weir_request;

#define WINDOW_NONE	UINT32_MAX

/* Reasons for which the box was asked about a block. */
enum window_asked {
	WINDOW_NOT_ASKED,
	WINDOW_ASKED_OVERTAKEN,		/* a later one was answered */
	WINDOW_ASKED_SILENCE,		/* no answer for long */
};

/* Lists of blocks that wait; each is in one of them. */
enum window_where {
	WINDOW_SENT,	/* in the order of their contributions */
	WINDOW_ASKED,	/* the box was asked, in the order of the questions */
	WINDOW_HELD,	/* the box has it, in the order of its replies */
	WINDOW_WANTED,	/* the box lacks it, in the order of its replies */
	WINDOW_LISTS,
};

/**
 * struct window_slot - one block under way
 * @request: the request of the block; NULL if none needs the answer, or no longer
 * @sent: time at which a packet about it was last sent
 * @contributed: time at which its contribution was last sent
 * @replied: time of the box's reply that it is in
 * @tries: number of packets sent about it; 0 is none yet
 * @bytes: of its contribution, as it is kept to be sent again, header included
 * @is_question: there is a question in the place of the contribution
 * @asked: the reason if the box was asked, since @contributed or @replied
 * @where: the list that it is in
 * @waiting: sent and not answered
 * @merged: its contribution was part of a merged message, when it was sent last
 * @asked_again: the box was asked more than once since @contributed or @replied
 * @has_reply: the box has replied about it
 * @is_wanted: this rank was not in it then
 * @ranks: number of ranks that were
 * @older: slot of the block before this one in the list
 * @newer: slot of the block after this one
 */
struct window_slot {
	struct weir_request *request;
	uint64_t sent;
	uint64_t contributed;
	uint64_t replied;
	uint32_t tries;
	uint32_t bytes;
	enum window_asked asked;
	enum window_where where;
	bool is_question;
	bool waiting;
	bool merged;
	bool asked_again;
	bool has_reply;
	bool is_wanted;
	unsigned int ranks;
	uint32_t older;
	uint32_t newer;
};

/**
 * struct window_list - the ends of a list of slots
 */
struct window_list {
	uint32_t oldest;
	uint32_t newest;
};

/**
 * struct window - all blocks under way
 * @base: the oldest block without an answer
 * @next: the first block that has not been sent
 * @high: the first block whose contribution was never made
 * @limit: number of blocks from @base on that may have been sent
 * @flight: blocks that wait for an answer
 * @mask: a power of two minus one; block b has slot b & @mask
 * @lists: blocks that wait, each in one of them
 * @slots: not less than twice @limit
 */
struct window {
	uint64_t base;
	uint64_t next;
	uint64_t high;
	uint32_t limit;
	uint32_t flight;
	uint32_t mask;
	struct window_list lists[WINDOW_LISTS];
	struct window_slot *slots;
};

/* Returns 0 or -ENOMEM. @first is the number of the first block. */
int window_init(struct window *window, uint32_t limit, uint64_t first);
void window_uninit(struct window *window);

/* Return the number of slots. */
static inline uint32_t window_slots(const struct window *window)
{
	return window->mask + 1;
}

/* Slot of a block that is in the window, or was within as many blocks as there are slots. */
static inline struct window_slot *window_slot(const struct window *window, uint64_t block)
{
	return &window->slots[(uint32_t)block & window->mask];
}

/* Return the number of blocks from @next on that may be sent now. */
static inline uint32_t window_room(const struct window *window)
{
	return window->limit - (uint32_t)(window->next - window->base);
}

/*
 * Find the block with these low 32 bits. Return true, and set *block, if it was sent and may be
 * answered, or has been answered already.
 */
static inline bool window_find(const struct window *window, uint32_t wire_id, uint64_t *block)
{
	uint32_t ahead = wire_id - (uint32_t)window->base;

	if (ahead >= window->next - window->base)
		return false;
	*block = window->base + ahead;
	return true;
}

/* Return true if a block that waits and the next one were sent together, once each, for one request. */
static inline bool window_is_pair(const struct window *window, uint64_t block)
{
	const struct window_slot *slot = window_slot(window, block);
	const struct window_slot *next = window_slot(window, block + 1);

	return slot->newer == (uint32_t)(next - window->slots) && slot->tries == 1 &&
	       next->tries == 1 && next->sent == slot->sent && next->merged == slot->merged &&
	       next->request == slot->request;
}

/* The contribution of the block at @high has been made, of so many bytes, or a question in its place. */
static inline void window_made(struct window *window, struct weir_request *request, uint32_t bytes,
			       bool is_question)
{
	struct window_slot *slot = window_slot(window, window->high);

	slot->request = request;
	slot->bytes = bytes;
	slot->is_question = is_question;
	window->high++;
}

/*
 * Contributions were sent for the first time, @count from @next on whose slots lie together;
 * @merged with others or by itself.
 */
void window_sent(struct window *window, uint32_t count, uint64_t now, bool merged);

/* A contribution was sent again, by itself. */
void window_sent_again(struct window *window, uint64_t block, uint64_t now);

/* The box was asked about a block that waits. */
void window_asked(struct window *window, uint64_t block, uint64_t now, enum window_asked why);

/* The box has replied that a block is in, and waits for other ranks. */
void window_held(struct window *window, uint64_t block, uint64_t now);

/* The box has replied that it lacks a block. */
void window_wanted(struct window *window, uint64_t block);

/*
 * Blocks that waited were answered, @count from @block on, each sent with the one before it (see
 * window_is_pair()); moves @base past all that are.
 */
void window_answered(struct window *window, uint64_t block, uint32_t count);

/*
 * The block at @next, whose contribution was made, is answered and was not sent: its result came
 * before.
 */
void window_skipped(struct window *window);

/* Forget all blocks, and begin at this one. */
void window_restart(struct window *window, uint64_t block);

/* The first block with a request that waits for its answer; @high where there is none. */
uint64_t window_lacks(const struct window *window);

/* All blocks from @block on are to be sent again; answered ones stay answered. */
void window_rewind(struct window *window, uint64_t block);

/* Return the one of two lists whose oldest block was sent first; @one if both are empty. */
enum window_where window_oldest(const struct window *window, enum window_where one, enum window_where other);

/* Number of the block in a slot. */
uint64_t window_block(const struct window *window, uint32_t slot);

/* The later one of two blocks. */
static inline uint64_t block_later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

#endif

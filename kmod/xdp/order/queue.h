/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _WEIR_ORDER_QUEUE_H
#define _WEIR_ORDER_QUEUE_H

#include <linux/types.h>

/* In a slot: the packet has left by another way, and none waits for it. */
#define WEIR_QUEUE_GONE		((void *)1)

/**
 * struct weir_queue_slot - what has come with a number
 * @item: a packet, WEIR_QUEUE_GONE, or NULL
 * @since: ns at which it came, where it has to wait
 */
struct weir_queue_slot {
	void	*item;
	u64	since;
};

/**
 * struct weir_queue - packets of a flow that wait for earlier ones
 * @head: the number that leaves next
 * @waiting: packets in slots
 * @mask: slots without one; their number is a power of two
 * @late: the number of the last packet far behind @head, for the next one to follow; see
 *	weir_queue_restarts()
 * @slot: by number
 *
 * The Reorder Engine's queue (Trio paper, section 2.2). The caller has a lock.
 */
struct weir_queue {
	u64			head;
	u32			waiting;
	u32			mask;
	u64			late;
	struct weir_queue_slot	*slot;
};

/**
 * enum weir_queue_put - what becomes of a packet
 * @WEIR_QUEUE_TURN: it is its turn, or it waits
 * @WEIR_QUEUE_LATE: its turn was given up
 * @WEIR_QUEUE_TWICE: its number is there already
 * @WEIR_QUEUE_FULL: it is too far from the head
 */
enum weir_queue_put {
	WEIR_QUEUE_TURN,
	WEIR_QUEUE_LATE,
	WEIR_QUEUE_TWICE,
	WEIR_QUEUE_FULL,
};

/* The first one's number is @head. */
static inline void weir_queue_begin(struct weir_queue *queue, u64 head)
{
	queue->head = head;
	queue->waiting = 0;
	queue->late = head;
}

/**
 * weir_queue_number() - the number of a packet whose sequence number wraps
 * @queue: the flow's
 * @raw: the number in the packet
 * @bits: its width, 1 to 32
 *
 * Return: the number that is nearest to the head.
 */
static inline u64 weir_queue_number(const struct weir_queue *queue, u32 raw, unsigned int bits)
{
	u32 ahead = (raw - (u32)queue->head) << (32 - bits);

	return queue->head + ((s32)ahead >> (32 - bits));
}

/* Return true if there is an item to take. */
static inline bool weir_queue_ready(const struct weir_queue *queue)
{
	return queue->slot[queue->head & queue->mask].item;
}

/**
 * weir_queue_pass() - let a packet go whose turn it is, and for which none waits
 * @queue: its flow's
 * @number: its number
 *
 * Return: true if so, else nothing has changed.
 */
static inline bool weir_queue_pass(struct weir_queue *queue, u64 number)
{
	if (number != queue->head || queue->waiting)
		return false;
	queue->head++;
	return true;
}

enum weir_queue_put weir_queue_put(struct weir_queue *queue, u64 number, void *item, u64 now);
struct weir_queue_slot weir_queue_take(struct weir_queue *queue);
u64 weir_queue_skip(struct weir_queue *queue);
u64 weir_queue_expired(const struct weir_queue *queue, u64 before, u64 *oldest);
bool weir_queue_restarts(struct weir_queue *queue, u64 number);

#endif /* _WEIR_ORDER_QUEUE_H */

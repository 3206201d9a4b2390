// SPDX-License-Identifier: GPL-2.0
/* The packets of one flow, in the order of their numbers. */
#include <linux/kernel.h>

#include "xdp/order/queue.h"

/**
 * weir_queue_put() - a packet has come
 * @queue: its flow's
 * @number: its number
 * @item: the packet, or WEIR_QUEUE_GONE
 * @now: ns
 *
 * Return: WEIR_QUEUE_TURN where the queue has it now; else it is the caller's.
 */
enum weir_queue_put weir_queue_put(struct weir_queue *queue, u64 number, void *item, u64 now)
{
	struct weir_queue_slot *slot = &queue->slot[number & queue->mask];

	if (unlikely((s64)(number - queue->head) < 0))
		return WEIR_QUEUE_LATE;
	if (unlikely(number - queue->head > queue->mask))
		return WEIR_QUEUE_FULL;
	if (unlikely(slot->item))
		return WEIR_QUEUE_TWICE;
	slot->item = item;
	slot->since = now;
	queue->waiting++;
	return WEIR_QUEUE_TURN;
}

/**
 * weir_queue_take() - the packet whose turn it is
 * @queue: the flow's
 *
 * Return: it, with the item NULL where it has not come yet.
 */
struct weir_queue_slot weir_queue_take(struct weir_queue *queue)
{
	struct weir_queue_slot *slot = &queue->slot[queue->head & queue->mask];
	struct weir_queue_slot taken = *slot;

	if (!taken.item)
		return taken;
	slot->item = NULL;
	queue->head++;
	queue->waiting--;
	return taken;
}

/**
 * weir_queue_skip() - give the turn of packets that have not come to the next one that has
 * @queue: the flow's
 *
 * Return: how many turns were given up.
 */
u64 weir_queue_skip(struct weir_queue *queue)
{
	u64 begin = queue->head;

	if (!queue->waiting)
		return 0;
	while (queue->head - begin <= queue->mask && !weir_queue_ready(queue))
		queue->head++;
	return queue->head - begin;
}

/**
 * weir_queue_expired() - find those that have waited for long enough
 * @queue: the flow's
 * @before: ns; who came then, or earlier, has
 * @oldest: set to when the first of the others came; U64_MAX where there are none
 *
 * Return: the number behind the last of them; the head where there are none.
 */
u64 weir_queue_expired(const struct weir_queue *queue, u64 before, u64 *oldest)
{
	u64 number = queue->head, end = number;
	u32 left = queue->waiting;

	*oldest = U64_MAX;
	for (; left && number - queue->head <= queue->mask; number++) {
		const struct weir_queue_slot *slot = &queue->slot[number & queue->mask];

		if (!slot->item)
			continue;
		left--;
		*oldest = min(*oldest, slot->since);
		if (slot->since > before)
			continue;
		end = number + 1;
		*oldest = U64_MAX;
	}
	return end;
}

/**
 * weir_queue_restarts() - check whether the sender has restarted
 * @queue: a flow's, whose sender numbers the packets
 * @number: of a packet that is not between the head and the last slot
 *
 * As RTP does (RFC 3550, A.1): two packets in sequence, far from all others, are a new
 * beginning, and one is a stray.
 */
bool weir_queue_restarts(struct weir_queue *queue, u64 number)
{
	bool far = number - queue->head + queue->mask > 2ULL * queue->mask;
	bool follows = number == queue->late + 1;

	if (far)
		queue->late = number;
	return far && follows;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "send.h"

#include <errno.h>

#include "comm.h"
#include "path.h"
#include "request.h"
#include "wire.h"

/*
 * What the timer sends again at most. It has run out because nothing came, so many
 * would meet whatever it is that swallows packets; and mostly a rank is just slow. So
 * one, first; then, while nothing comes, twice as many each time, so that one more
 * loss does not cost another, longer timeout. Their answers pay for the rest.
 */
#define TIMEOUT_BURST	4

/**
 * struct picked - blocks to send together
 * @count: how many
 * @block: their numbers
 */
struct picked {
	unsigned int count;
	uint64_t block[BATCH];
};

static void write_packet(struct weir *comm, unsigned int index, uint64_t block)
{
	const struct config *config = &comm->config;
	const struct weir_request *request = window_slot(&comm->window, block)->request;
	uint16_t grads = request_block_grads(request, block);

	wire_put_header(batch_packet(&comm->tx, index), &(struct wire_header) {
		.block = (uint32_t)block,
		.generation = comm->generation,
		.grads = grads,
		.job = config->job,
		.flags = request_is_final(request, block) ? WEIR_TRIO_FINAL : 0,
		.rank = (uint8_t)config->rank,
		.ranks = 1,
	});
	request_to_wire(request, block, batch_gradients(&comm->tx, index));
	comm->tx.vectors[index].iov_len = WIRE_SIZE(grads);
}

static void note_sent(struct weir *comm, uint64_t block)
{
	if (!comm->window.flight)
		comm->timer = comm->now;
	if (block != comm->window.next)
		comm->stats.retransmits++;
	comm->stats.packets_sent++;
	window_sent(&comm->window, block, comm->now);
}

/* Sends some of what was written. Returns how many, or a negative errno. */
static int send_some(struct weir *comm, unsigned int first, unsigned int count)
{
	int sent = sendmmsg(comm->fd, comm->tx.messages + first, count, 0);
	int err;

	if (sent >= 0)
		return sent;
	comm->blocked = errno == EAGAIN;
	if (comm->blocked || errno == EINTR)
		return 0;
	err = path_error(comm, errno);
	/* Lost before it left: the timer will try it again. */
	return err ?: 1;
}

/*
 * Sends @at_once in a call. Returns how many were sent, or a negative errno.
 *
 * An error behind a call's first packet is lost in the kernel. A refusal comes back
 * that fast where the box is near, and it comes seldom, as it is limited in rate. So
 * after a call that was cut short the rest goes one by one, and so does what the timer
 * sends.
 */
static int send_picked(struct weir *comm, const struct picked *picked, unsigned int at_once)
{
	unsigned int done = 0;

	for (unsigned int i = 0; i < picked->count; i++)
		write_packet(comm, i, picked->block[i]);
	while (done < picked->count) {
		unsigned int left = picked->count - done;
		unsigned int count = left < at_once ? left : at_once;
		int sent = send_some(comm, done, count);

		if (sent < 0)
			return sent;
		if (!sent)
			break;
		if ((unsigned int)sent < count)
			at_once = 1;
		for (int i = 0; i < sent; i++)
			note_sent(comm, picked->block[done++]);
	}
	return (int)done;
}

static uint64_t timer_end(const struct weir *comm)
{
	return comm->timer + rtt_timeout(&comm->rtt);
}

static void pick_oldest(const struct weir *comm, struct picked *picked)
{
	const struct window *window = &comm->window;

	for (uint64_t block = window->base; block != window->next; block++) {
		if (!window_slot(window, block)->waiting)
			continue;
		picked->block[picked->count++] = block;
		if (picked->count == comm->burst)
			break;
	}
}

static void grow_burst(struct weir *comm)
{
	/* Any answer sets the timer anew: has one come since it ran out last? */
	if (comm->timer != comm->timed_out)
		comm->burst = 1;
	else if (comm->burst < TIMEOUT_BURST)
		comm->burst *= 2;
}

static int send_timed_out(struct weir *comm)
{
	struct picked picked = { 0 };

	if (!comm->window.flight || comm->now < timer_end(comm))
		return 0;
	grow_burst(comm);
	pick_oldest(comm, &picked);
	pace_lost(&comm->pace, window_slot(&comm->window, picked.block[0])->sent, comm->now);
	comm->stats.timeouts++;
	comm->rtt.backoff++;
	comm->timer = comm->now;
	comm->timed_out = comm->now;
	comm->silent_from = comm->answered_sent;
	return send_picked(comm, &picked, 1);
}

/* Overtaken: something that was sent later has been answered. */
static bool is_overtaken(const struct weir *comm, const struct window_slot *slot)
{
	return slot->sent < comm->answered_sent;
}

/*
 * When an overtaken block counts as lost: at once when it was overtaken by more
 * than packets change places by; else when its answer is late by as much.
 */
static uint64_t lost_when(const struct weir *comm, const struct window_slot *slot)
{
	uint64_t reordering = rtt_reordering(&comm->rtt);

	if (comm->answered_sent - slot->sent > reordering)
		return slot->sent;
	return slot->sent + comm->rtt.latest + reordering;
}

static void pick_lost(struct weir *comm, struct picked *picked)
{
	struct window *window = &comm->window;
	uint32_t index = window->oldest;

	while (index != WINDOW_NONE && picked->count < BATCH && comm->pace.credit) {
		struct window_slot *slot = &window->slots[index];

		if (!is_overtaken(comm, slot) || comm->now < lost_when(comm, slot))
			break;
		pace_lost(&comm->pace, slot->sent, comm->now);
		picked->block[picked->count++] = window_block(window, index);
		comm->pace.credit--;
		index = slot->newer;
	}
}

static int send_lost(struct weir *comm)
{
	struct picked picked = { 0 };

	pick_lost(comm, &picked);
	return send_picked(comm, &picked, BATCH);
}

static uint32_t room(const struct weir *comm)
{
	uint32_t window = window_room(&comm->window);
	uint32_t pace = pace_room(&comm->pace, comm->window.flight);

	return window < pace ? window : pace;
}

static void pick_new(struct weir *comm, struct picked *picked)
{
	uint32_t left = room(comm);
	uint64_t block = comm->window.next;

	for (; left && picked->count < BATCH; left--, block++) {
		struct weir_request *request = request_sending(comm, block);

		if (!request)
			break;
		window_slot(&comm->window, block)->request = request;
		picked->block[picked->count++] = block;
	}
}

static int send_new(struct weir *comm)
{
	struct picked picked = { 0 };

	pick_new(comm, &picked);
	return send_picked(comm, &picked, BATCH);
}

int send_due(struct weir *comm)
{
	static int (*const steps[])(struct weir *comm) = { send_timed_out, send_lost, send_new };
	int total = 0;

	comm->blocked = false;
	for (unsigned int i = 0; i < sizeof(steps) / sizeof(steps[0]) && !comm->blocked; i++) {
		int sent = steps[i](comm);

		if (sent < 0)
			return sent;
		total += sent;
	}
	return total;
}

uint64_t send_deadline(const struct weir *comm)
{
	const struct window *window = &comm->window;
	const struct window_slot *slot;
	uint64_t end, lost;

	if (!window->flight)
		return UINT64_MAX;
	end = timer_end(comm);
	slot = &window->slots[window->oldest];
	if (!comm->pace.credit || !is_overtaken(comm, slot))
		return end;
	lost = lost_when(comm, slot);
	return lost < end ? lost : end;
}

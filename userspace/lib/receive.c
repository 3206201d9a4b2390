// SPDX-License-Identifier: BSD-2-Clause
#include "receive.h"

#include <errno.h>

#include "comm.h"
#include "path.h"
#include "request.h"
#include "wire.h"

/*
 * A time is only worth something when the packet was awaited and sent once, when
 * the timer did not run out meanwhile, and when nothing that was sent later has
 * been answered before: else it was held up by a loss somewhere, perhaps another
 * rank's, and a timer that followed it would follow the other rank's timer.
 */
static void note_time(struct weir *comm, const struct window_slot *slot)
{
	uint64_t took = comm->now - slot->sent;

	/* The answer to an earlier sending says nothing about this one. */
	if (slot->tries > 1 && took < comm->rtt.min)
		return;
	/*
	 * The timer had run out in silence, and this was never sent again: what
	 * was sent again and answered before it was only late, and overtook nothing.
	 */
	if (slot->tries == 1 && slot->sent < comm->timed_out && slot->sent > comm->silent_from)
		comm->answered_sent = slot->sent;
	if (slot->sent < comm->answered_sent)
		return;
	comm->answered_sent = slot->sent;
	if (slot->tries == 1 && slot->sent >= comm->timed_out && !comm->away)
		rtt_sample(&comm->rtt, slot->sent, comm->now);
}

static void note_request(struct weir *comm, struct weir_request *request,
			 const struct wire_header *header)
{
	if (header->flags & WEIR_TRIO_OVERFLOW)
		request->overflow_blocks++;
	if (header->ranks < comm->config.ranks)
		request->degraded_blocks++;
	if (!request->min_ranks || header->ranks < request->min_ranks)
		request->min_ranks = header->ranks;
	request->left--;
}

static void deliver(struct weir *comm, uint64_t block, const struct wire_header *header,
		    const uint32_t *gradients)
{
	struct window_slot *slot = window_slot(&comm->window, block);
	struct weir_request *request = slot->request;

	request_from_wire(request, block, gradients);
	note_request(comm, request, header);
	note_time(comm, slot);
	window_answered(&comm->window, block);
	pace_answered(&comm->pace);
	rtt_answered(&comm->rtt);
	comm->timer = comm->now;
	comm->progress = comm->now;
	comm->path_errno = 0;
	comm->stats.elements += header->grads;
}

/* Does a result of the right length tell of contributors that can be? */
static bool contributors_fit(const struct weir *comm, const struct wire_header *header)
{
	if (header->ranks == comm->config.ranks)
		return true;
	return header->ranks < comm->config.ranks && (header->flags & WEIR_TRIO_DEGRADED);
}

/* Is it a result of this communicator, as far as that can be told without the block? */
static bool is_ours(const struct weir *comm, const struct wire_header *header, size_t length)
{
	return header->job == comm->config.job && header->generation == comm->generation &&
	       length == WIRE_SIZE(header->grads) && contributors_fit(comm, header);
}

/* Blocks of which an answer may still be under way after they were answered. */
static bool is_past(const struct weir *comm, const struct wire_header *header)
{
	return (uint32_t)comm->window.base - header->block <= comm->blocks;
}

static bool is_join_answer(const struct weir *comm, const struct wire_header *header,
			   size_t length)
{
	return header->job == comm->config.job && (header->flags & WEIR_TRIO_CONTROL) &&
	       length == WIRE_JOIN;
}

static bool fits_block(const struct weir *comm, uint64_t block, const struct wire_header *header)
{
	const struct weir_request *request = window_slot(&comm->window, block)->request;

	return header->grads == request_block_grads(request, block);
}

static void take(struct weir *comm, const void *packet, const uint32_t *gradients, size_t length)
{
	struct wire_header header;
	uint64_t block;

	if (length < WIRE_HEADER) {
		comm->stats.malformed++;
		return;
	}
	wire_get_header(&header, packet);
	if (is_join_answer(comm, &header, length)) {
		/* The box answers a join as often as it was sent. */
		comm->stats.duplicates++;
	} else if ((header.flags & WEIR_TRIO_CONTROL) || !is_ours(comm, &header, length)) {
		comm->stats.malformed++;
	} else if (!window_find(&comm->window, header.block, &block)) {
		if (is_past(comm, &header))
			comm->stats.duplicates++;
		else
			comm->stats.malformed++;
	} else if (!window_slot(&comm->window, block)->waiting) {
		comm->stats.duplicates++;
	} else if (!fits_block(comm, block, &header)) {
		comm->stats.malformed++;
	} else {
		deliver(comm, block, &header, gradients);
	}
}

static void take_message(struct weir *comm, unsigned int index)
{
	const struct mmsghdr *message = &comm->rx.messages[index];
	size_t length = message->msg_len;

	comm->stats.packets_received++;
	if (message->msg_hdr.msg_flags & MSG_TRUNC)
		comm->stats.malformed++;
	else
		take(comm, batch_packet(&comm->rx, index), batch_gradients(&comm->rx, index),
		     length);
}

/* Returns how many packets, or a negative errno. */
static int receive_from(struct weir *comm, int fd)
{
	int got = recvmmsg(fd, comm->rx.messages, BATCH, MSG_DONTWAIT, NULL);

	if (got < 0)
		return path_error(comm, errno);
	for (int i = 0; i < got; i++)
		take_message(comm, (unsigned int)i);
	return got;
}

int receive(struct weir *comm)
{
	int group = 0;
	int got = receive_from(comm, comm->fd);

	if (got >= 0 && comm->group_fd >= 0)
		group = receive_from(comm, comm->group_fd);
	if (got < 0 || group < 0)
		return got < 0 ? got : group;
	if (got < BATCH && group < BATCH)
		comm->away = false;
	return got + group;
}

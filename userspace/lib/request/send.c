// SPDX-License-Identifier: BSD-2-Clause
#include "request/send.h"

#include "base/time.h"
#include "comm/comm.h"
#include "join/join.h"
#include "join/standby.h"
#include "number/number.h"
#include "packet/wire.h"
#include "path/behind.h"
#include "path/socket.h"
#include "request/ack.h"
#include "request/batch.h"
#include "request/question.h"
#include "request/receive.h"
#include "request/request.h"
#include "request/share.h"

/* Blocks that are asked about one by one, before results are looked at again. */
#define ASKED_MAX	32

static struct wire_header contribution(const struct weir *comm,
				       const struct weir_request *request, uint64_t block)
{
	struct wire_header header = question_header(comm, block);

	header.grads = request_block_grads(request, block);
	header.flags = (request_is_final(request, block) ? WEIR_TRIO_FINAL : 0) |
		       (comm->member.little ? WEIR_TRIO_LITTLE : 0) |
		       (share_sends(request, block) ? 0 : WEIR_TRIO_EMPTY) |
		       (share_needs(request, block) ? 0 : WEIR_TRIO_BRIEF);
	header.has_exponent = request_has_exponent(request, block);
	if (header.has_exponent)
		header.exponent = request_exponent(request, block);
	return header;
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* Return the number of packets from a block's on, @most at most, that differ in block and elements alone. */
static uint32_t count_likes(const struct weir *comm, const struct weir_request *request,
			    uint64_t block, uint32_t most)
{
	uint32_t to_wrap = window_slots(&comm->window) - ((uint32_t)block & comm->window.mask);
	uint64_t alike = request_alike(request, block);

	if (request->exponents || !alike)
		return 1;
	alike = share_alike(request, block, alike < most ? alike : most);
	return least(alike < most ? (uint32_t)alike : most, to_wrap);
}

/*
 * Make packets of the first blocks that have none, one or more, and keep them. Return the number of
 * blocks.
 */
static uint32_t make_packets(struct weir *comm, struct weir_request *request, uint32_t most)
{
	uint64_t block = comm->window.high;
	uint64_t slot = block & comm->window.mask;
	uint32_t blocks = count_likes(comm, request, block, most);
	bool followed = request_is_followed(request);
	struct wire_header header = followed ? question_header(comm, block) :
					       contribution(comm, request, block);
	size_t grads = header.flags & WEIR_TRIO_EMPTY ? 0 : header.grads;
	size_t size = wire_header_size(&header);
	uint32_t bytes = (uint32_t)(size + grads * number_size(comm->config.type));
	uint8_t *first = kept_at(&comm->kept, slot, bytes);

	wire_put_header(first, &header);
	window_made(&comm->window, request, bytes, followed);
	for (uint32_t i = 1; i < blocks; i++) {
		wire_put_like(kept_at(&comm->kept, slot + i, bytes), first, block + i);
		window_made(&comm->window, request, bytes, followed);
	}
	if (grads)
		request_to_wire(request, block, blocks, grads, first + size,
				kept_stride(&comm->kept, bytes));
	return blocks;
}

static void pick_from(const struct weir *comm, struct batch *batch, enum window_where where,
		      unsigned int most)
{
	const struct window *window = &comm->window;
	uint32_t index = window->lists[where].oldest;

	for (; index != WINDOW_NONE && batch->blocks < most; index = window->slots[index].newer)
		batch_add(comm, batch, window_block(window, index), 1);
}

/*
 * Ask about blocks when the probe timeout expires. The first expiry sends one question, since mostly another rank
 * is slow. Each further one without an answer sends twice as many, so that the loss of a question does not cost
 * another, longer timeout. Credit from the answers allows further questions. Return the number of packets.
 */
static int ask_timed_out(struct weir *comm)
{
	enum window_where oldest;
	struct batch batch;
	uint32_t probes;

	if (!comm->window.flight || comm->now < recovery_timeout(&comm->recovery))
		return 0;
	batch_begin(&batch, WINDOW_ASKED_SILENCE, false);
	probes = recovery_expired(&comm->recovery, comm->now);
	/* First blocks without a reply, the oldest packet first: the others mostly wait for a slow rank. */
	oldest = window_oldest(&comm->window, WINDOW_SENT, WINDOW_ASKED);
	pick_from(comm, &batch, oldest, probes);
	pick_from(comm, &batch, oldest == WINDOW_SENT ? WINDOW_ASKED : WINDOW_SENT, probes);
	pick_from(comm, &batch, WINDOW_HELD, probes);
	comm->stats.timeouts++;
	comm->life.unheard++;
	pace_silent(&comm->pace, RECOVERY_PROBES);
	return batch_send(comm, &batch, false);
}

/* Return the time when the first block of a list will be due; UINT64_MAX is not before another event. */
static uint64_t list_due(const struct weir *comm, enum window_where where)
{
	const struct window *window = &comm->window;
	const struct window_slot *slot;

	if (window->lists[where].oldest == WINDOW_NONE || !comm->pace.credit)
		return UINT64_MAX;
	slot = &window->slots[window->lists[where].oldest];
	return where == WINDOW_HELD ? recovery_held_at(&comm->recovery, slot) :
				      recovery_lost_at(&comm->recovery, slot);
}

/* Asking moves a block to the end of those that were sent. */
static int ask_first(struct weir *comm, enum window_where where)
{
	const struct window *window = &comm->window;
	struct batch batch;
	int sent;

	batch_begin(&batch, WINDOW_ASKED_OVERTAKEN, false);
	batch_add(comm, &batch, window_block(window, window->lists[where].oldest), 1);
	sent = batch_send(comm, &batch, false);
	if (sent > 0)
		comm->pace.credit--;
	return sent;
}

static int ask_due(struct weir *comm, enum window_where where)
{
	int total = 0;

	while (total < ASKED_MAX && list_due(comm, where) <= comm->now) {
		int sent = ask_first(comm, where);

		if (sent <= 0)
			return sent < 0 ? sent : total;
		total += sent;
	}
	comm->more |= total >= ASKED_MAX;
	return total;
}

static int ask_overtaken(struct weir *comm)
{
	return ask_due(comm, WINDOW_SENT);
}

static int ask_again(struct weir *comm)
{
	return ask_due(comm, WINDOW_ASKED);
}

static int ask_held(struct weir *comm)
{
	return ask_due(comm, WINDOW_HELD);
}

/* Each reply that wants a block pays for one packet. */
static int send_wanted(struct weir *comm)
{
	struct batch batch;

	if (comm->window.lists[WINDOW_WANTED].oldest == WINDOW_NONE)
		return 0;
	batch_begin(&batch, WINDOW_NOT_ASKED, false);
	pick_from(comm, &batch, WINDOW_WANTED, OUTBOX_PLAIN);
	comm->more |= batch.blocks == OUTBOX_PLAIN;
	return batch_send(comm, &batch, true);
}

static uint32_t room(const struct weir *comm)
{
	return least(window_room(&comm->window), pace_room(&comm->pace, comm->window.flight));
}

/* One that was made already goes out again, perhaps in another generation. */
static uint32_t made_before(struct weir *comm, uint64_t block)
{
	uint64_t slot = block & comm->window.mask;
	uint32_t bytes = window_slot(&comm->window, block)->bytes;

	wire_set_generation(kept_at(&comm->kept, slot, bytes), comm->member.generation);
	return 1;
}

/*
 * Make the packets of blocks from this one on, @most at most, that are not there and can be made now.
 * Return the number of blocks with packets. Packets of scaled floats wait for the agreed exponent.
 */
static uint32_t made(struct weir *comm, uint64_t block, uint32_t most)
{
	struct weir_request *request;

	if (block < comm->window.high)
		return made_before(comm, block);
	request = request_sending(comm, block);
	if (!request || !request_is_ready(request, block))
		return 0;
	return make_packets(comm, request, most);
}

/*
 * Marks have no effect on a window of PACE_LEAST. A call of one packet is not to pay for hearing of
 * them.
 */
static void note_sent(struct weir *comm)
{
	uint32_t flight = comm->window.flight;

	pace_sent(&comm->pace, flight);
	if (flight > PACE_LEAST && comm->is_capable && !comm->hears_marks)
		socket_hear_marks(comm);
}

/* Return the number of blocks from the next one on, @most at most, that have no result yet. */
static uint32_t until_early(const struct weir *comm, uint32_t most)
{
	uint32_t count = 0;

	if (!comm->early.used)
		return most;
	while (count < most && !early_has(&comm->early, comm->window.next + count))
		count++;
	return count;
}

/*
 * Return whether @most blocks, of more that are left, wait for room in the window. The rank whose next
 * block is the lowest of all is answered without further packets of others, so none waits forever.
 */
static bool waits_for_room(const struct weir *comm, uint32_t most)
{
	const struct merging_room room = {
		.most = most,
		.flight = comm->window.flight,
		.window = least(comm->window.limit, comm->pace.limit),
		.call = outbox_room(socket_payload(comm), true),
		.message = outbox_fit(socket_payload(comm)),
	};

	return !comm->early.used && comm->window.next + most < comm->queue.end &&
	       merging_waits(&room);
}

/* Make packets of the next @most blocks, as far as they can be made now, and add them. */
static void add_fresh(struct weir *comm, struct batch *batch, uint32_t most)
{
	uint64_t block = comm->window.next;
	uint32_t count;

	for (; batch->blocks < most && batch_room(batch); block += count) {
		count = made(comm, block, least(most - batch->blocks, batch_room(batch)));
		if (!count)
			break;
		batch_add(comm, batch, block, count);
	}
}

/* Return the number of blocks to be sent by one call now, as far as their packets can be made. */
static uint32_t fresh_room(const struct weir *comm)
{
	bool merge = merging_is_on(&comm->merging, comm->now);
	uint32_t most = least(room(comm), outbox_room(socket_payload(comm), merge));

	most = until_early(comm, most);
	return most && merge && waits_for_room(comm, most) ? 0 : most;
}

static int send_fresh(struct weir *comm)
{
	uint32_t most = fresh_room(comm);
	struct batch batch;
	int sent;

	if (!most || standby_holds(comm))
		return 0;
	batch_begin(&batch, WINDOW_NOT_ASKED, merging_begin(&comm->merging, comm->now));
	batch.ack = batch.merge && ack_goes_along(comm);
	/* Leave room for it in the last message. */
	if (batch.ack && most % OUTBOX == 0)
		most--;
	add_fresh(comm, &batch, most);
	sent = batch_send(comm, &batch, true);
	if (sent <= 0)
		return sent;
	note_sent(comm);
	comm->more |= (batch.blocks == most || !batch_room(&batch)) && fresh_room(comm);
	return sent;
}

/* The next block of a call may be one that the box no longer has. */
static void check_gone(struct weir *comm)
{
	uint64_t block = comm->window.next;

	if (block < comm->acks.floor && request_sending(comm, block) &&
	    !early_has(&comm->early, block))
		behind_begin(comm, block, comm->acks.floor, comm->acks.newest);
}

/* Results that are there already lie between blocks that are sent, where some of them were lost. */
static int send_new(struct weir *comm)
{
	int total = 0, sent, err;

	do {
		err = receive_early(comm);
		if (!err)
			check_gone(comm);
		sent = err ?: send_fresh(comm);
		if (sent < 0)
			return sent;
		total += sent;
	} while (sent && early_has(&comm->early, comm->window.next) && !comm->blocked);
	return total;
}

int send_due(struct weir *comm)
{
	static int (*const steps[])(struct weir *comm) = {
		send_wanted, ask_timed_out, ask_again, ask_overtaken, ask_held, send_new, ack_due,
	};
	int total = 0;

	comm->blocked = false;
	comm->more = false;
	if (state_is_asking(comm->state))
		return join_send(comm);
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
	uint64_t due;

	if (state_is_asking(comm->state))
		return comm->member.again;
	if (!comm->window.flight)
		return ack_deadline(comm);
	due = time_earlier(list_due(comm, WINDOW_SENT), list_due(comm, WINDOW_ASKED));
	due = time_earlier(due, list_due(comm, WINDOW_HELD));
	return time_earlier(due, recovery_timeout(&comm->recovery));
}

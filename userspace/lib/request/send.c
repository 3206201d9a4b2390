// SPDX-License-Identifier: BSD-2-Clause
#include "request/send.h"

#include <errno.h>

#include "comm/comm.h"
#include "join/rejoin.h"
#include "number/number.h"
#include "packet/outbox.h"
#include "packet/wire.h"
#include "path/path.h"
#include "path/socket.h"
#include "request/request.h"

/*
 * Blocks that the timer asks about, at most. It has run out because no packet came: many
 * queries would be lost in the same way, and mostly a rank is just slow. So one, first; then,
 * while no packet comes, twice as many each time, so that one more loss does not cost another,
 * longer timeout. Their answers pay for the rest.
 */
#define TIMEOUT_BURST	4

/* Blocks that are asked about one by one, before results are looked at again. */
#define ASKED_MAX	32

/**
 * struct picked - blocks to send packets about, together
 * @why: why the box is asked about them; WINDOW_NOT_ASKED sends contributions
 * @merge: those of one length may be one message
 * @count: how many
 * @block: their numbers
 */
struct picked {
	enum window_asked why;
	bool merge;
	unsigned int count;
	uint64_t block[OUTBOX];
};

/* Its room is not worth to be cleared. */
static void pick_none(struct picked *picked, enum window_asked why)
{
	picked->why = why;
	picked->merge = false;
	picked->count = 0;
}

/**
 * struct outgoing - packets that are sent together
 * @box: the packets
 * @queries: packets that are not kept
 */
struct outgoing {
	struct outbox box;
	uint8_t queries[OUTBOX][WIRE_HEADER];
};

/* A packet without gradients is a query. */
static struct wire_header query(const struct weir *comm, uint64_t block)
{
	const struct config *config = &comm->config;

	return (struct wire_header) {
		.block = (uint32_t)block,
		.generation = comm->member.generation,
		.job = config->job,
		.rank = (uint8_t)config->rank,
		.ranks = 1,
		.joined = true,
	};
}

static struct wire_header contribution(const struct weir *comm,
				       const struct weir_request *request, uint64_t block)
{
	struct wire_header header = query(comm, block);

	header.grads = request_block_grads(request, block);
	header.flags = request_is_final(request, block) ? WEIR_TRIO_FINAL : 0;
	if (request->exponents) {
		header.has_exponent = true;
		header.exponent = request_exponent(request, block);
	}
	return header;
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* How many packets from a block's on, @most at most, differ in no more than block and elements. */
static uint32_t count_likes(const struct weir *comm, const struct weir_request *request,
			    uint64_t block, uint32_t most)
{
	uint32_t to_wrap = window_slots(&comm->window) - ((uint32_t)block & comm->window.mask);
	uint64_t alike = request_alike(request, block);

	if (request->exponents || !alike)
		return 1;
	return least(alike < most ? (uint32_t)alike : most, to_wrap);
}

/* Makes packets of the first blocks that have none, one or more, and keeps them. */
static void make_packets(struct weir *comm, struct weir_request *request, uint32_t most)
{
	uint64_t block = comm->window.high;
	uint64_t slot = block & comm->window.mask;
	uint32_t blocks = count_likes(comm, request, block, most);
	bool followed = request_is_followed(request);
	struct wire_header header = followed ? query(comm, block) :
					       contribution(comm, request, block);
	uint32_t size = (uint32_t)wire_header_size(&header);
	uint32_t bytes = size + header.grads * (uint32_t)number_size(comm->config.type);
	void *first = packets_at(&comm->kept, slot, size);

	wire_put_header(first, &header);
	window_made(&comm->window, request, size, bytes);
	for (uint32_t i = 1; i < blocks; i++) {
		wire_put_like(packets_at(&comm->kept, slot + i, size), first, block + i);
		window_made(&comm->window, request, size, bytes);
	}
	if (!followed)
		request_to_wire(request, block, blocks, header.grads,
				packets_gradients(&comm->kept, slot), comm->kept.stride);
}

static void put_contribution(const struct weir *comm, struct iovec *vector, uint64_t block)
{
	const struct window_slot *slot = window_slot(&comm->window, block);

	vector->iov_base = packets_at(&comm->kept, block & comm->window.mask, slot->header);
	vector->iov_len = slot->bytes;
	/* It may have been made in a generation that is over. */
	wire_set_generation(vector->iov_base, comm->member.generation);
}

static void write_packets(const struct weir *comm, const struct picked *picked,
			  struct outgoing *out)
{
	struct wire_header header;

	for (unsigned int i = 0; i < picked->count; i++) {
		if (picked->why == WINDOW_NOT_ASKED) {
			put_contribution(comm, &out->box.vectors[i], picked->block[i]);
			continue;
		}
		header = query(comm, picked->block[i]);
		wire_put_header(out->queries[i], &header);
		out->box.vectors[i] = (struct iovec) { out->queries[i], WIRE_HEADER };
	}
}

static void count_contribution(struct weir *comm, uint64_t block)
{
	comm->stats.packets_sent++;
	if (block < comm->window.next || block < comm->replay_end)
		comm->stats.retransmits++;
}

/* A contribution, or the question of a rank that only follows. */
static void note_block(struct weir *comm, uint64_t block, bool merged)
{
	struct window_slot *slot = window_slot(&comm->window, block);

	if (slot->bytes == WIRE_HEADER)
		comm->stats.queries++;
	else
		count_contribution(comm, block);
	window_sent(&comm->window, block, comm->now);
	slot->merged = merged;
}

static void note_query(struct weir *comm, uint64_t block, enum window_asked why)
{
	comm->stats.queries++;
	window_asked(&comm->window, block, comm->now, why);
}

/* The packets of a message were sent, from the @first on. */
static void note_message(struct weir *comm, const struct picked *picked, unsigned int first,
			 unsigned int packets)
{
	comm->stats.merged_sent += packets > 1 ? packets : 0;
	for (unsigned int i = first; i < first + packets; i++) {
		if (picked->why == WINDOW_NOT_ASKED)
			note_block(comm, picked->block[i], packets > 1);
		else
			note_query(comm, picked->block[i], picked->why);
	}
}

/* The first @messages were sent. Returns how many packets they have. */
static unsigned int note_sent(struct weir *comm, const struct picked *picked,
			      const struct outbox *box, unsigned int first, unsigned int messages)
{
	unsigned int packets = 0;

	if (!comm->window.flight)
		comm->timer = comm->now;
	comm->life.spoke = true;
	for (unsigned int i = 0; i < messages; i++) {
		note_message(comm, picked, first + packets, outbox_packets(box, i));
		packets += outbox_packets(box, i);
	}
	return packets;
}

/*
 * A merged message is refused where the path has IPsec, where a packet is longer than the path
 * carries, and by some devices: what is wrong with the packets themselves shows when they are
 * sent one by one.
 */
static bool is_too_much(const struct outbox *box)
{
	if (outbox_packets(box, 0) == 1)
		return false;
	return errno == EINVAL || errno == EIO || errno == EMSGSIZE || errno == EOPNOTSUPP;
}

/* Sends some of @count packets from the @first on. Returns how many messages, or -1 and errno. */
static int send_some(struct weir *comm, struct outbox *box, unsigned int first,
		     unsigned int count, bool merge)
{
	int sent = outbox_send(box, comm->fd, outbox_fill(box, first, count, merge));

	if (sent >= 0 || !is_too_much(box))
		return sent;
	comm->merging.is_on = false;
	return outbox_send(box, comm->fd, outbox_fill(box, first, count, false));
}

/* Returns whether a packet is lost by an error of the path, or a negative errno. */
static int take_error(struct weir *comm)
{
	int err;

	comm->blocked = errno == EAGAIN;
	if (comm->blocked || errno == EINTR)
		return 0;
	err = path_error(comm, errno);
	return err ?: 1;
}

/*
 * Sends packets, @together or one by one. Returns how many were sent, or a negative errno.
 *
 * An error behind a call's first message is lost in the kernel. A refusal comes back that fast
 * where the box is near, and it comes seldom, as it is limited in rate. So after a call that
 * was cut short the rest goes one by one, and so do the timer's packets.
 */
static int send_picked(struct weir *comm, const struct picked *picked, bool together)
{
	struct outgoing out;
	unsigned int done = 0;

	write_packets(comm, picked, &out);
	while (done < picked->count) {
		unsigned int count = together ? picked->count - done : 1, packets;
		int sent = send_some(comm, &out.box, done, count,
				     picked->merge && comm->merging.is_on);

		if (sent < 0) {
			sent = take_error(comm);
			/* The first one is lost before it left: the timer will ask about it. */
			outbox_fill(&out.box, done, 1, false);
		}
		if (sent < 0)
			return sent;
		if (!sent)
			break;
		packets = note_sent(comm, picked, &out.box, done, (unsigned int)sent);
		if (packets < count)
			together = false;
		done += packets;
	}
	return (int)done;
}

unsigned int send_at_once(const struct weir *comm)
{
	return outbox_room(socket_payload(comm), comm->merging.is_on);
}

static uint64_t timer_end(const struct weir *comm)
{
	return comm->timer + rtt_timeout(&comm->rtt);
}

static void pick_from(const struct weir *comm, struct picked *picked, enum window_where where,
		      unsigned int most)
{
	const struct window *window = &comm->window;
	uint32_t index = window->lists[where].oldest;

	for (; index != WINDOW_NONE && picked->count < most; index = window->slots[index].newer)
		picked->block[picked->count++] = window_block(window, index);
}

static void grow_burst(struct weir *comm)
{
	/* Any answer sets the timer anew: has one come since it ran out last? */
	if (comm->timer != comm->timed_out)
		comm->burst = 1;
	else if (comm->burst < TIMEOUT_BURST)
		comm->burst *= 2;
}

static int ask_timed_out(struct weir *comm)
{
	struct picked picked;

	if (!comm->window.flight || comm->now < timer_end(comm))
		return 0;
	pick_none(&picked, WINDOW_ASKED_SILENCE);
	grow_burst(comm);
	/* First blocks without a reply: the others mostly wait for a slow rank. */
	pick_from(comm, &picked, WINDOW_SENT, comm->burst);
	pick_from(comm, &picked, WINDOW_HELD, comm->burst);
	comm->stats.timeouts++;
	comm->life.unheard++;
	comm->rtt.backoff++;
	comm->timer = comm->now;
	comm->timed_out = comm->now;
	comm->silent_from = comm->answered_sent;
	pace_silent(&comm->pace, TIMEOUT_BURST);
	return send_picked(comm, &picked, false);
}

/* Overtaken: a packet that was sent later has been answered. */
static bool is_overtaken(const struct weir *comm, const struct window_slot *slot)
{
	return slot->sent < comm->answered_sent;
}

/*
 * When an overtaken block is asked about: at once when it was overtaken by more
 * than packets change places by; else when its answer is late by as much.
 */
static uint64_t lost_when(const struct weir *comm, const struct window_slot *slot)
{
	uint64_t reordering = rtt_reordering(&comm->rtt);

	if (comm->answered_sent - slot->sent > reordering)
		return slot->sent;
	return slot->sent + comm->rtt.latest + reordering;
}

/* The same for one that waited for other ranks, while later contributions are answered. */
static uint64_t held_until(const struct weir *comm, const struct window_slot *slot)
{
	return slot->replied + rtt_timeout(&comm->rtt);
}

static bool is_held_up(const struct weir *comm, const struct window_slot *slot)
{
	return slot->contributed < comm->answered_contributed;
}

/* When the first block of a list will be due; UINT64_MAX is not before another event. */
static uint64_t list_due(const struct weir *comm, enum window_where where)
{
	const struct window *window = &comm->window;
	const struct window_slot *slot;

	if (window->lists[where].oldest == WINDOW_NONE || !comm->pace.credit)
		return UINT64_MAX;
	slot = &window->slots[window->lists[where].oldest];
	if (where == WINDOW_SENT)
		return is_overtaken(comm, slot) ? lost_when(comm, slot) : UINT64_MAX;
	return is_held_up(comm, slot) ? held_until(comm, slot) : UINT64_MAX;
}

/* Asking moves a block to the end of those that were sent. */
static int ask_first(struct weir *comm, enum window_where where)
{
	const struct window *window = &comm->window;
	struct picked picked;
	int sent;

	pick_none(&picked, WINDOW_ASKED_OVERTAKEN);
	picked.block[picked.count++] = window_block(window, window->lists[where].oldest);
	sent = send_picked(comm, &picked, false);
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
	return total;
}

static int ask_overtaken(struct weir *comm)
{
	return ask_due(comm, WINDOW_SENT);
}

static int ask_held(struct weir *comm)
{
	return ask_due(comm, WINDOW_HELD);
}

/* Each reply that wants a block pays for one packet. */
static int send_wanted(struct weir *comm)
{
	struct picked picked;

	if (comm->window.lists[WINDOW_WANTED].oldest == WINDOW_NONE)
		return 0;
	pick_none(&picked, WINDOW_NOT_ASKED);
	pick_from(comm, &picked, WINDOW_WANTED, send_at_once(comm));
	return send_picked(comm, &picked, true);
}

static uint32_t room(const struct weir *comm)
{
	return least(window_room(&comm->window), pace_room(&comm->pace, comm->window.flight));
}

/*
 * Is there a packet of the block, or can it be made now, with up to @most in all? Packets of
 * scaled floats wait for the agreed exponent.
 */
static bool is_made(struct weir *comm, uint64_t block, uint32_t most)
{
	struct weir_request *request;

	if (block < comm->window.high)
		return true;
	request = request_sending(comm, block);
	if (!request || !request_is_ready(request, block))
		return false;
	make_packets(comm, request, most);
	return true;
}

static int send_new(struct weir *comm)
{
	uint32_t most = least(room(comm), send_at_once(comm));
	struct picked picked;
	uint64_t block = comm->window.next;

	pick_none(&picked, WINDOW_NOT_ASKED);
	picked.merge = true;
	for (; picked.count < most && is_made(comm, block, most - picked.count); block++)
		picked.block[picked.count++] = block;
	return send_picked(comm, &picked, true);
}

int send_due(struct weir *comm)
{
	static int (*const steps[])(struct weir *comm) = {
		send_wanted, ask_timed_out, ask_overtaken, ask_held, send_new,
	};
	int total = 0;

	comm->blocked = false;
	if (comm->member.is_asking)
		return rejoin_send(comm);
	for (unsigned int i = 0; i < sizeof(steps) / sizeof(steps[0]) && !comm->blocked; i++) {
		int sent = steps[i](comm);

		if (sent < 0)
			return sent;
		total += sent;
	}
	return total;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint64_t send_deadline(const struct weir *comm)
{
	if (comm->member.is_asking)
		return comm->member.again;
	if (!comm->window.flight)
		return UINT64_MAX;
	return earlier(timer_end(comm), earlier(list_due(comm, WINDOW_SENT),
						list_due(comm, WINDOW_HELD)));
}

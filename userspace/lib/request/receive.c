// SPDX-License-Identifier: BSD-2-Clause
#include "request/receive.h"

#include <errno.h>

#include "comm/comm.h"
#include "join/join.h"
#include "join/notice.h"
#include "join/rejoin.h"
#include "join/said.h"
#include "number/number.h"
#include "packet/wire.h"
#include "path/absence.h"
#include "path/behind.h"
#include "path/path.h"
#include "request/digest.h"
#include "request/question.h"
#include "request/request.h"
#include "request/result.h"
#include "request/share.h"

/**
 * struct message - those of its packets that are not taken yet
 * @packet: the first of them
 * @length: its bytes
 * @stride: bytes of each but the last
 * @left: bytes of all
 * @marked: a queue was full that they went through
 */
struct message {
	const uint8_t *packet;
	size_t length;
	size_t stride;
	size_t left;
	bool marked;
};

static void next_packet(struct message *message)
{
	message->packet += message->length;
	message->left -= message->length;
	if (message->left < message->stride)
		message->length = message->left;
}

/* Results up to so far beyond the blocks that this rank has sent are of this communicator. */
#define AHEAD_MAX	(1u << 30)

/* A result that came only after a query, because a later one had come before, was lost on its way down. */
static void note_loss(struct weir *comm, const struct window_slot *slot)
{
	if (recovery_was_lost(&comm->recovery, slot, comm->now))
		pace_lost(&comm->pace, slot->contributed, comm->now);
}

/* A block that is only followed may have been complete before the query. */
static bool is_sample(const struct weir *comm, const struct window_slot *slot)
{
	return !comm->away && !slot->is_question;
}

static void note_heard(struct weir *comm)
{
	comm->life.heard = comm->now;
	comm->life.unheard = 0;
	comm->path_errno = 0;
}

/* Only a box that has this rank in its generation sends this. */
static void note_member(struct weir *comm)
{
	note_heard(comm);
	comm->life.doubts = 0;
}

static void note_answers(struct weir *comm, const struct window_slot *slot,
			 const struct result *result)
{
	const struct pace_answer answer = {
		.blocks = result->blocks,
		.marked = result->marked,
		.sent = slot->contributed,
		.again = slot->tries > 1,
	};

	comm->stats.marked += result->marked ? result->blocks : 0;
	pace_answered(&comm->pace, &answer, comm->now);
}

/* The box has not waited for this rank, and will not until the rank reports that it has caught up. */
static void note_late(struct weir *comm, const struct result *result)
{
	if (bitmap_count(result->contributors) &&
	    !bitmap_has(result->contributors, comm->config.rank))
		comm->acks.is_late = true;
}

static void deliver(struct weir *comm, uint64_t block, struct window_slot *slot,
		    const struct result *result)
{
	if (slot->request) {
		comm->acks.follows = request_is_followed(slot->request);
		request_deliver(slot->request, block, result);
		comm->stats.elements += (uint64_t)result->header.grads * result->blocks;
	}
	if (slot->merged && bitmap_has(result->contributors, comm->config.rank))
		merging_arrived(&comm->merging);
	note_late(comm, result);
	note_loss(comm, slot);
	recovery_answered(&comm->recovery, slot, comm->now, is_sample(comm, slot));
	note_answers(comm, slot, result);
	window_answered(&comm->window, block, result->blocks);
	comm->progress = comm->now;
}

/* Blocks of which an answer may still be under way after they were answered. */
static bool is_past(const struct weir *comm, uint32_t wire_id)
{
	return (uint32_t)comm->window.base - wire_id <= comm->member.blocks;
}

/* Blocks that this rank has not sent, and that were answered without it. */
static bool is_early(const struct weir *comm, uint32_t wire_id)
{
	return wire_id - (uint32_t)comm->window.next < AHEAD_MAX;
}

/*
 * The program has not asked for it yet. It is kept, so that the box need not. A rank that has fallen
 * behind needs the newest results, from where it will resume.
 */
static void take_early(struct weir *comm, uint32_t wire_id, const struct message *message)
{
	uint64_t next = comm->window.next, block = next + (wire_id - (uint32_t)next);

	if (block >= comm->ahead)
		comm->ahead = block + 1;
	comm->stats.early++;
	early_put(&comm->early, next, state_is_behind(comm->state), block, message->packet, message->length);
}

/* A block sent again for the sake of other ranks was checked when it was answered first. */
static bool fits_block(const struct weir_request *request, uint64_t block,
		       const struct wire_header *header)
{
	if (!request)
		return true;
	return header->grads == request_block_grads(request, block) &&
	       header->has_exponent == request_has_exponent(request, block) &&
	       !(header->flags & WEIR_TRIO_EMPTY && share_needs(request, block));
}

static void take_other(struct weir *comm, uint32_t wire_id, const struct message *message)
{
	if (is_early(comm, wire_id))
		take_early(comm, wire_id, message);
	else if (is_past(comm, wire_id))
		comm->stats.duplicates++;
	else
		comm->stats.malformed++;
}

/* Results whose headers are all the same but for the block. */
static bool has_likes(const struct result *result)
{
	return !result->header.has_exponent && !(result->header.flags & WEIR_TRIO_DEGRADED);
}

/*
 * The results behind this one are taken with it as far as they are like it, and their blocks were
 * sent with its block: then they differ in the sums alone.
 */
static void add_likes(struct weir *comm, uint64_t block, const struct weir_request *request,
		      struct result *result, struct message *message)
{
	uint64_t most;

	if (message->left < 2 * message->length || !request || !has_likes(result))
		return;
	most = share_alike(request, block, request_alike(request, block));
	while (message->left >= 2 * message->length && result->blocks < most &&
	       window_is_pair(&comm->window, block++) &&
	       wire_is_next(message->packet + message->length, message->packet)) {
		result->blocks++;
		next_packet(message);
	}
}

static int take_result(struct weir *comm, struct result *result, struct message *message)
{
	const struct wire_header *header = &result->header;
	struct window_slot *slot;
	uint64_t block;

	result->marked = message->marked;
	note_member(comm);
	if (!window_find(&comm->window, header->block, &block)) {
		take_other(comm, header->block, message);
		return 0;
	}
	slot = window_slot(&comm->window, block);
	if (!slot->waiting) {
		comm->stats.duplicates++;
	} else if (slot->request && digest_is_unlike(slot->request, block, result)) {
		return digest_fail(slot->request, block, result);
	} else if (!fits_block(slot->request, block, header)) {
		comm->stats.malformed++;
	} else {
		add_likes(comm, block, slot->request, result, message);
		deliver(comm, block, slot, result);
	}
	return 0;
}

/* Replies without a query, or about a block that is answered meanwhile, are ignored. */
static void take_reply(struct weir *comm, const struct wire_header *header, const uint8_t *packet,
		       size_t length)
{
	struct window_slot *slot;
	uint64_t block;
	bool was_held;

	note_member(comm);
	if (!window_find(&comm->window, header->block, &block))
		return;
	slot = window_slot(&comm->window, block);
	if (!slot->waiting)
		return;
	was_held = slot->has_reply && !slot->is_wanted;
	slot->has_reply = true;
	slot->is_wanted = header->flags & WEIR_TRIO_WANTED;
	slot->ranks = wire_replied(packet);
	if (length > WIRE_HEADER)
		absence_note(comm, packet + WIRE_HEADER);
	recovery_replied(&comm->recovery, slot);
	if (slot->where != WINDOW_ASKED && (slot->where != WINDOW_SENT || !slot->is_question))
		return;
	if (!slot->is_wanted || slot->is_question) {
		window_held(&comm->window, block, comm->now);
		return;
	}
	/* A contribution that the box had before was refused by it, and not lost. */
	if (slot->merged && !was_held)
		merging_lost(&comm->merging, slot->contributed, comm->now);
	pace_lost(&comm->pace, slot->contributed, comm->now);
	window_wanted(&comm->window, block);
}

static int take_control(struct weir *comm, const struct wire_header *header, const void *packet,
			size_t length)
{
	bool is_answer = said_is_answer(comm, header, length);

	if (behind_is(comm, header, length)) {
		note_member(comm);
		behind_take(comm, header, packet);
		return 0;
	}
	if (!is_answer && !notice_is(comm, header, length)) {
		comm->stats.malformed++;
		return 0;
	}
	note_heard(comm);
	if (is_answer)
		return rejoin_take(comm, header, packet);
	return notice_take(comm, header, packet, length);
}

static bool is_reply(const struct weir *comm, const struct wire_header *header, size_t length)
{
	bool names = length == WIRE_HEADER + WIRE_TRAILER(comm->config.ranks);

	return (length == WIRE_HEADER || names) && !header->grads && header->source == comm->config.source &&
	       !(header->flags & ~WEIR_TRIO_WANTED) && header->job == comm->config.job &&
	       header->generation == comm->member.generation;
}

/* Takes the first packet, and may take some of those behind it. */
static int take(struct weir *comm, struct message *message)
{
	const uint8_t *packet = message->packet;
	size_t length = message->length;
	struct result result;

	if (length < WIRE_HEADER || !wire_get_header(&result.header, packet, length)) {
		comm->stats.malformed++;
		return 0;
	}
	/* A packet without this flag is from a worker that takes this one for a box. */
	if (!result.header.down) {
		comm->stats.malformed++;
		return 0;
	}
	if (result.header.flags & WEIR_TRIO_CONTROL)
		return take_control(comm, &result.header, packet, length);
	/* It is of the box that this rank has left. */
	if (state_is_moving(comm->state))
		return 0;
	if (is_reply(comm, &result.header, length))
		take_reply(comm, &result.header, packet, length);
	else if (result_read(comm, &result, packet, length))
		return take_result(comm, &result, message);
	else
		comm->stats.malformed++;
	return 0;
}

/*
 * All packets of a box are of whole numbers: behind another one none would be aligned. Those of
 * 8 bytes are aligned to 4, as headers are.
 */
static bool is_aligned(const struct weir *comm, size_t stride)
{
	size_t size = number_size(comm->config.type);

	return stride % (size < 4 ? size : 4) == 0;
}

/* It was valid when it was received; the generation may have changed since. */
static bool read_early(struct weir *comm, uint64_t block, struct result *result)
{
	size_t length;
	uint8_t *packet = early_at(&comm->early, block, &length);

	wire_set_generation(packet, comm->member.generation);
	if (!wire_get_header(&result->header, packet, length) ||
	    !result_read(comm, result, packet, length))
		return false;
	result->unsent = block >= comm->window.high;
	return true;
}

/* Make a question in place of a contribution that is not made: the box may be asked for the block. */
static void make_question(struct weir *comm, struct weir_request *request, uint64_t block)
{
	const struct wire_header header = question_header(comm, block);

	wire_put_header(kept_at(&comm->kept, block & comm->window.mask, WIRE_HEADER), &header);
	window_made(&comm->window, request, WIRE_HEADER, true);
}

/* Deliver the result of the next block. Return 1, 0 if its request is not ready, or an error. */
static int deliver_early(struct weir *comm)
{
	uint64_t block = comm->window.next;
	struct weir_request *request = block < comm->window.high ?
				       window_slot(&comm->window, block)->request :
				       request_sending(comm, block);
	struct result result;

	if (block >= comm->window.high && (!request || !request_is_ready(request, block)))
		return 0;
	if (!read_early(comm, block, &result)) {
		early_discard(&comm->early, block);
		return 1;
	}
	if (request && digest_is_unlike(request, block, &result))
		return digest_fail(request, block, &result);
	if (!fits_block(request, block, &result.header)) {
		comm->stats.malformed++;
		early_discard(&comm->early, block);
		return 1;
	}
	if (block >= comm->window.high)
		make_question(comm, request, block);
	if (request) {
		request_deliver(request, block, &result);
		comm->stats.elements += result.header.grads;
		comm->stats.kept++;
		comm->acks.is_late = true;
		comm->acks.follows = request_is_followed(request);
	}
	early_discard(&comm->early, block);
	window_skipped(&comm->window);
	comm->progress = comm->now;
	return 1;
}

int receive_early(struct weir *comm)
{
	int delivered = 1;

	while (delivered > 0 && window_room(&comm->window) &&
	       early_has(&comm->early, comm->window.next))
		delivered = deliver_early(comm);
	return delivered < 0 ? delivered : 0;
}

/* Return the number of packets of a message: an empty one is one packet. */
static uint64_t count_packets(size_t length, size_t stride)
{
	return length ? (length + stride - 1) / stride : 1;
}

/* Takes the packets of a message, one or many. */
static int take_message(struct weir *comm, unsigned int index)
{
	const struct mmsghdr *received = &comm->in.messages[index];
	const struct inbox_notes notes = inbox_notes(&comm->in, index);
	size_t length = received->msg_len, stride = notes.stride;
	uint64_t packets = count_packets(length, stride);
	struct message message = {
		.packet = inbox_at(&comm->in, index),
		.length = length < stride ? length : stride,
		.stride = stride,
		.left = length,
		.marked = notes.marked,
	};
	int err;

	comm->stats.packets_received += packets;
	comm->stats.merged_received += packets > 1 ? packets : 0;
	if (received->msg_hdr.msg_flags & MSG_TRUNC || (packets > 1 && !is_aligned(comm, stride))) {
		comm->stats.malformed += packets;
		return 0;
	}
	do {
		err = take(comm, &message);
		next_packet(&message);
	} while (message.left && !err);
	return err;
}

/* Returns how many messages, or a negative errno. */
static int receive_from(struct weir *comm, int fd, unsigned int most)
{
	int got = inbox_receive(&comm->in, fd, most);
	int err;

	if (got < 0)
		return path_error(comm, errno);
	for (int i = 0; i < got; i++) {
		err = take_message(comm, (unsigned int)i);
		if (err)
			return err;
	}
	return got;
}

/*
 * Return the number of messages to read at once. If one result is awaited, looking for a second message
 * would add to its latency.
 */
static unsigned int messages_at_once(const struct weir *comm)
{
	uint32_t flight = comm->window.flight;

	return flight && flight < comm->in.at_once ? flight : comm->in.at_once;
}

int receive(struct weir *comm)
{
	unsigned int most = messages_at_once(comm);
	int group = 0;
	int got = receive_from(comm, comm->fd, most);

	if (got >= 0 && comm->group_fd >= 0)
		group = receive_from(comm, comm->group_fd, most);
	if (got < 0 || group < 0)
		return got < 0 ? got : group;
	comm->drained = got < (int)most && group < (int)most;
	if (comm->drained)
		comm->away = false;
	return got + group;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "request/ack.h"

#include <errno.h>
#include <sys/socket.h>

#include "comm/comm.h"
#include "packet/wire.h"
#include "path/behind.h"
#include "path/path.h"
#include "request/question.h"
#include "request/request.h"

/* Results that are asked for together, of those that were lost before the program wanted them. */
#define ASKED_MAX	32

/* They are asked for so often, each time after a longer pause; then the call has to. */
#define TRIES_MAX	8
#define PAUSE_GROWTH	3

/* All blocks before it are acknowledged, by what was sent. */
static uint64_t known(const struct weir *comm)
{
	uint64_t next = comm->window.next, half = comm->member.blocks / 2;

	return block_later(comm->acks.sent, next > half ? next - half : 0);
}

static bool is_much(const struct weir *comm, uint64_t received)
{
	return received >= known(comm) + (comm->member.blocks + 7) / 8;
}

/* Return true if this rank has caught up, after blocks that are complete without it. */
static bool has_caught_up(const struct weir *comm)
{
	return comm->acks.is_late && !comm->early.used;
}

/* The next block to be sent is of a call that this rank contributes to. */
static bool contributes(const struct weir *comm)
{
	return comm->queue.sending && !request_is_followed(comm->queue.sending);
}

/* And is its first one. */
static bool is_at_begin(const struct weir *comm)
{
	return contributes(comm) && comm->window.next == comm->queue.sending->first;
}

bool ack_goes_along(const struct weir *comm)
{
	return comm->member.takes_acks &&
	       (comm->acks.repeat || (has_caught_up(comm) && is_at_begin(comm)) ||
		is_much(comm, comm->window.base));
}

static void write_ack(const struct weir *comm, void *packet, uint64_t block, bool is_final)
{
	struct wire_header header = question_header(comm, block);

	header.flags = WEIR_TRIO_ACK | (is_final ? WEIR_TRIO_FINAL : 0);
	wire_put_header(packet, &header);
}

/* All that the program has called for before the blocks that go with it is there. */
void ack_write(struct weir *comm, void *packet)
{
	write_ack(comm, packet, comm->window.base,
		  comm->acks.repeat || (has_caught_up(comm) && contributes(comm)));
}

static bool is_final(const void *packet)
{
	const struct weir_trio *trio = packet;

	return trio->flags & WEIR_TRIO_FINAL;
}

static void note_sent(struct weir *comm, uint64_t block)
{
	comm->acks.sent = block_later(comm->acks.sent, block);
	comm->stats.acks++;
}

void ack_sent(struct weir *comm, const void *packet)
{
	note_sent(comm, comm->window.base);
	if (!is_final(packet))
		return;
	comm->acks.repeat = has_caught_up(comm);
	comm->acks.is_late = false;
}

/* Return 1 when it was sent, 0 when it was not, or a negative errno. */
static int send_packet(struct weir *comm, const void *packet)
{
	if (send(comm->fd, packet, WIRE_HEADER, 0) >= 0)
		return 1;
	if (errno == EAGAIN || errno == EINTR)
		return 0;
	return path_error(comm, errno);
}

static int send_ack(struct weir *comm, uint64_t block, bool is_final)
{
	uint8_t packet[WIRE_HEADER];
	int sent;

	write_ack(comm, packet, block, is_final);
	sent = send_packet(comm, packet);
	if (sent <= 0)
		return sent;
	note_sent(comm, block);
	if (is_final) {
		comm->acks.repeat = true;
		comm->acks.is_late = false;
	}
	return sent;
}

/* Nothing is under way, and no call waits. */
static bool is_at_end(const struct weir *comm)
{
	return !state_is_behind(comm->state) && comm->window.base == comm->queue.end;
}

static int ask(struct weir *comm, uint64_t block)
{
	struct wire_header question = question_header(comm, block);
	uint8_t packet[WIRE_HEADER];
	int sent;

	wire_put_header(packet, &question);
	sent = send_packet(comm, packet);
	if (sent > 0)
		comm->stats.queries++;
	return sent;
}

uint64_t ack_deadline(const struct weir *comm)
{
	const struct acks *acks = &comm->acks;
	unsigned int growth = acks->tries < PAUSE_GROWTH ? acks->tries : PAUSE_GROWTH;

	return acks->has_gap ? acks->asked + (rtt_timeout(&comm->recovery.rtt) << growth) : UINT64_MAX;
}

/*
 * Results are missing between those that were received early. The box retains them until they are
 * acknowledged, and may evict them later. Packets that are only late are given time to come.
 */
static int ask_for_lost(struct weir *comm, uint64_t first)
{
	uint64_t reordered = comm->window.limit / 4, end = first + comm->window.limit;
	struct acks *acks = &comm->acks;
	int total = 0;

	if (first != acks->gap)
		acks->tries = 0;
	acks->gap = first;
	acks->has_gap = comm->ahead > first + reordered && acks->tries < TRIES_MAX;
	if (comm->now < ack_deadline(comm))
		return 0;
	if (end > comm->ahead - reordered)
		end = comm->ahead - reordered;
	for (uint64_t block = first; block < end && total < ASKED_MAX; block++) {
		int sent = early_has(&comm->early, block) ? 0 : ask(comm, block);

		if (sent < 0)
			return sent;
		total += sent;
	}
	if (total) {
		acks->asked = comm->now;
		acks->tries++;
	}
	return total;
}

/* For results that the program has not asked for. */
static int ack_early(struct weir *comm)
{
	uint64_t received = behind_lacks(comm);

	if (is_much(comm, received))
		return send_ack(comm, received, false);
	if (state_is_behind(comm->state) || received < comm->window.next)
		return 0;
	return ask_for_lost(comm, received);
}

int ack_due(struct weir *comm)
{
	uint64_t base = comm->window.base;
	bool follows = comm->acks.follows;

	comm->acks.has_gap = false;
	if (!comm->member.takes_acks)
		return 0;
	if (comm->early.used || state_is_behind(comm->state))
		return ack_early(comm);
	if (is_at_end(comm) && ((comm->acks.is_late && !follows) || is_much(comm, base)))
		return send_ack(comm, base, !follows);
	if (merging_is_on(&comm->merging, comm->now) || !is_much(comm, base))
		return 0;
	return send_ack(comm, base, has_caught_up(comm) && !follows);
}

int ack_resumed(struct weir *comm)
{
	int sent = comm->member.takes_acks ? send_ack(comm, comm->window.base, true) : 0;

	return sent < 0 ? sent : 0;
}

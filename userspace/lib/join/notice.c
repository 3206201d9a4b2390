// SPDX-License-Identifier: BSD-2-Clause
#include "join/notice.h"

#include <errno.h>
#include <string.h>

#include "comm/comm.h"
#include "comm/error.h"
#include "join/rejoin.h"
#include "join/standby.h"
#include "packet/wire.h"
#include "path/absence.h"

/*
 * A notice may be old. Another generation counts only when the box reports it in answer to
 * so many packets, and gives no other answer.
 */
#define DOUBTS_MAX	3

bool notice_is(const struct weir *comm, const struct wire_header *header, size_t length)
{
	return (length == WIRE_NOTICE(comm->config.ranks) || length == WIRE_HEADER) &&
	       header->job == comm->config.job &&
	       (header->flags & WEIR_TRIO_NOTICE) == WEIR_TRIO_NOTICE;
}

static void note(struct weir *comm, const struct wire_notice *notice)
{
	struct members *members = &comm->members;

	members->notices++;
	memcpy(members->dead, notice->dead, sizeof(members->dead));
	memcpy(members->excluded, notice->excluded, sizeof(members->excluded));
	memcpy(members->waiting, notice->waiting, sizeof(members->waiting));
}

static int excluded(struct weir *comm)
{
	const struct config *config = &comm->config;

	return error_fail(comm, -ECONNRESET,
			  "%s has excluded rank %u of job %u, as it was not heard for too long: close "
			  "and open again to come in with the next generation",
			  config->box_text, config->rank, config->job);
}

static int dead(struct weir *comm)
{
	const struct config *config = &comm->config;

	return error_fail(comm, -ECONNRESET,
			  "%s has counted rank %u of job %u out, as it was not heard for too long, and "
			  "does not keep the blocks any more that it lacks: all ranks have to be "
			  "opened anew",
			  config->box_text, config->rank, config->job);
}

static int other_generation(struct weir *comm, uint16_t generation)
{
	const struct config *config = &comm->config;

	return error_fail(comm, -ESTALE,
			  "job %u on %s is in generation %u, and rank %u is of generation %u: another "
			  "process has joined as this rank, or all others have started anew. Close and "
			  "open again",
			  config->job, config->box_text, generation, config->rank,
			  comm->member.generation);
}

/* Count a report of another generation after a packet of this rank. Return true after DOUBTS_MAX. */
static bool is_certain(struct life *life)
{
	if (!life->spoke)
		return false;
	life->spoke = false;
	return ++life->doubts >= DOUBTS_MAX;
}

/*
 * Return true, and set *block, if a notice is about a block that this rank waits for. A notice to all
 * ranks names block 0.
 */
static bool names_block(const struct weir *comm, const struct wire_header *header,
			uint64_t *block)
{
	return header->block && window_find(&comm->window, header->block, block) &&
	       window_slot(&comm->window, *block)->waiting;
}

/*
 * A block that this rank waits for is gone: the box did not keep it while the rank was
 * dead. To be dead alone does no harm, and ends with the next packet of the rank.
 */
static int take_gone(struct weir *comm, uint64_t block)
{
	if (window_slot(&comm->window, block)->request)
		return dead(comm);
	/* It was sent again for the sake of other ranks, and they have it. */
	window_answered(&comm->window, block, 1);
	return 0;
}

static int judge(struct weir *comm, const struct wire_header *header,
		 const struct wire_notice *notice)
{
	unsigned int rank = comm->config.rank;
	uint64_t block;

	if (header->generation != comm->member.generation)
		return is_certain(&comm->life) ? other_generation(comm, header->generation) : 0;
	if (bitmap_has(notice->excluded, rank))
		return excluded(comm);
	if (bitmap_has(notice->dead, rank) && names_block(comm, header, &block))
		return take_gone(comm, block);
	return 0;
}

int notice_take(struct weir *comm, const struct wire_header *header, const void *packet,
		size_t length)
{
	struct wire_notice notice = { 0 };

	if (length > WIRE_HEADER) {
		wire_get_notice(&notice, packet, comm->config.ranks);
		note(comm, &notice);
		if (state_is_asking(comm->state))
			absence_note_joins(comm, &notice);
	}
	comm->stats.notices++;
	if (header->flags & WEIR_TRIO_DEGRADED) {
		rejoin_begin(comm);
		return 0;
	}
	/* While a new generation is awaited, all others are of the past or not yet ours. */
	if (state_is_asking(comm->state))
		return 0;
	return standby_called(comm) ?: state_is_asking(comm->state) ? 0 : judge(comm, header, &notice);
}

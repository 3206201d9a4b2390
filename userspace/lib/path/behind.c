// SPDX-License-Identifier: BSD-2-Clause
#include "path/behind.h"

#include <errno.h>
#include <inttypes.h>

#include "comm/comm.h"
#include "comm/error.h"
#include "packet/wire.h"

bool behind_is(const struct weir *comm, const struct wire_header *header, size_t length)
{
	return length == WIRE_BEHIND && header->job == comm->config.job &&
	       header->flags == WEIR_TRIO_BEHIND && header->source == comm->config.source;
}

/* The block near @block that has these low 32 bits. */
static uint64_t near(uint64_t block, uint32_t wire_id)
{
	return block + (uint64_t)(int64_t)(int32_t)(wire_id - (uint32_t)block);
}

/* A rank that has fallen behind needs only results to come: another rank gives it the rest. */
uint64_t behind_lacks(struct weir *comm)
{
	uint64_t first = window_lacks(&comm->window);

	if (state_is_behind(comm->state))
		return block_later(first, comm->ahead);
	return early_reach(&comm->early, block_later(first, comm->acks.floor));
}

/* Blocks that were sent are of no use: no result of them may reach a vector that is the caller's again. */
void behind_begin(struct weir *comm, uint64_t block, uint64_t oldest, uint64_t next)
{
	comm->behind = (struct behind) {
		.block = block,
		.oldest = oldest,
		.next = next,
		.failed = comm->queue.made,
	};
	state_change(comm, RANK_OVERTAKEN);
	comm->queue.sending = NULL;
	comm->replay_end = 0;
	window_restart(&comm->window, comm->window.high);
}

/*
 * Note that a result was lost before there was a call for it. Later results are acknowledged all the
 * same; a call that comes to the block fails.
 */
static void note_gone(struct weir *comm, uint32_t wire_id, uint64_t oldest, uint64_t next)
{
	uint64_t block = near(comm->window.next, wire_id);

	if (block < comm->window.next || early_has(&comm->early, block) || oldest <= comm->acks.floor)
		return;
	comm->acks.floor = oldest;
	comm->acks.newest = next;
}

/* One about a block that was sent again for other ranks' sake tells that they have it. */
void behind_take(struct weir *comm, const struct wire_header *header, const void *packet)
{
	uint64_t base = comm->window.base, block, oldest, next;
	const struct window_slot *slot;
	struct wire_behind behind;

	comm->stats.notices++;
	if (header->generation != comm->member.generation || state_is_asking(comm->state))
		return;
	wire_get_behind(&behind, packet);
	oldest = near(base, behind.oldest);
	next = near(base, behind.next);
	if (!window_find(&comm->window, header->block, &block)) {
		note_gone(comm, header->block, oldest, next);
		return;
	}
	slot = window_slot(&comm->window, block);
	if (!slot->waiting)
		return;
	if (slot->request)
		behind_begin(comm, block, oldest, next);
	else
		window_answered(&comm->window, block, 1);
}

int behind_refuse(struct weir *comm)
{
	const struct behind *behind = &comm->behind;
	const struct config *config = &comm->config;

	return error_refuse(comm, -ESTALE,
			    "rank %u of job %u has fallen behind: it is at block %" PRIu64 ", and %s has "
			    "results from block %" PRIu64 " to block %" PRIu64 " only. Copy the model from a "
			    "rank that has not, and continue at its position by weir_resume()",
			    config->rank, config->job, behind->block, config->box_text, behind->oldest,
			    behind->next);
}

void behind_end(struct weir *comm, uint64_t block, uint64_t sequence)
{
	state_change(comm, RANK_RESUMED);
	comm->queue.end = block;
	comm->queue.begun = sequence;
	comm->acks.floor = block_later(comm->acks.floor, block);
	comm->acks.is_late = false;
	comm->progress = comm->now;
	window_restart(&comm->window, block);
	early_discard_before(&comm->early, block);
}

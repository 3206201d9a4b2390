// SPDX-License-Identifier: BSD-2-Clause
#include "join/rejoin.h"

#include <errno.h>
#include <inttypes.h>

#include "comm/comm.h"
#include "comm/error.h"
#include "join/join.h"
#include "packet/wire.h"
#include "path/behind.h"
#include "path/socket.h"

/*
 * So long after a generation began, a notice that there is none was overtaken on its
 * way. If it is not, the next packet fetches another.
 */
#define GRACE	(50 * NSEC_PER_MSEC)

/*
 * The number stays the same. So a box that has kept its state recognizes it, and
 * answers at once: an old notice has no effect.
 */
void rejoin_begin(struct weir *comm)
{
	struct membership *member = &comm->member;

	if (state_is_asking(comm->state) || comm->now - member->since < GRACE)
		return;
	state_change(comm, RANK_LOST);
	member->again = comm->now;
	member->repeat = JOIN_REPEAT_FIRST;
	comm->progress = comm->now;
}

/* The block near those under way that has these low 32 bits. */
static uint64_t near(const struct weir *comm, uint32_t wire_id)
{
	uint64_t high = comm->window.high;

	return high + (uint64_t)(int64_t)(int32_t)(wire_id - (uint32_t)high);
}

/* Return true if the answer only confirms the old generation. */
static bool is_known(struct weir *comm, const struct wire_header *header, uint64_t start)
{
	const struct membership *member = &comm->member;

	if (state_is_moving(comm->state) || header->generation != member->generation || header->block != (uint32_t)member->start)
		return false;
	/*
	 * A box that counts anew may have come to the same figures; but no rank is
	 * further behind than a window.
	 */
	return !state_is_asking(comm->state) || behind_lacks(comm) - start > comm->window.limit;
}

static int too_far(struct weir *comm, uint64_t start)
{
	const struct config *config = &comm->config;

	return error_fail(comm, -ESTALE,
			  "%s has lost its state, and job %u goes on at block %" PRIu64 ", which rank "
			  "%u can no longer send: it is at block %" PRIu64 ". All ranks have to be opened "
			  "again",
			  config->box_text, config->job, start, config->rank,
			  window_lacks(&comm->window));
}

static int too_few_slots(struct weir *comm, uint32_t blocks)
{
	const struct config *config = &comm->config;

	return error_fail(comm, -EPROTO,
			  "job %u on %s was made anew with %u block slots, and rank %u has a window of "
			  "%u: it takes twice as many",
			  config->job, config->box_text, blocks, config->rank, comm->window.limit);
}

/* Blocks after the next one that this rank does not lack were received before they were sent. */
static void go_back(struct weir *comm, uint64_t start)
{
	struct window *window = &comm->window;

	if (start > window->next)
		start = window->next;
	if (window->next > comm->replay_end)
		comm->replay_end = window->next;
	window_rewind(window, start);
	recovery_restart(&comm->recovery, comm->now);
	comm->progress = comm->now;
}

/* At another box times are others, and so is how much may be under way. */
static void forget_path(struct weir *comm)
{
	comm->recovery.rtt = (struct rtt) { 0 };
	pace_init(&comm->pace, join_room(comm), socket_growth(comm));
}

static int begin_again(struct weir *comm, const struct wire_header *header,
		       const struct wire_join *answer, uint64_t start)
{
	struct membership *member = &comm->member;
	const struct window *window = &comm->window;
	uint64_t lacks = behind_lacks(comm);
	bool is_elsewhere = state_is_moving(comm->state);
	int err = join_check(comm, header, answer);

	if (err)
		return err;
	if (answer->blocks / 2 < window->limit)
		return too_few_slots(comm, answer->blocks);
	if (!state_is_behind(comm->state) && start + window_slots(window) < window->high)
		return too_far(comm, start);
	join_began(comm, header, answer);
	member->start = start;
	if (is_elsewhere)
		forget_path(comm);
	else
		pace_cap(&comm->pace, join_room(comm));
	comm->life.doubts = 0;
	comm->acks.sent = start;
	/* The others have begun without this rank. */
	if (start > lacks && !state_is_behind(comm->state))
		behind_begin(comm, lacks, start, start);
	else if (!state_is_behind(comm->state))
		go_back(comm, start);
	return 0;
}

int rejoin_take(struct weir *comm, const struct wire_header *header, const void *packet)
{
	uint64_t start = near(comm, header->block);
	struct wire_join answer;

	wire_get_join(&answer, packet);
	if (answer.nonce != comm->member.nonce) {
		comm->stats.malformed++;
		return 0;
	}
	if (join_cookie(comm, header, &answer))
		return 0;
	if (is_known(comm, header, start)) {
		/* The box answers a join as often as it was sent. */
		comm->stats.duplicates++;
		state_change(comm, RANK_FOUND);
		return 0;
	}
	return begin_again(comm, header, &answer, start);
}

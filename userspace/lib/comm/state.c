// SPDX-License-Identifier: BSD-2-Clause
#include "comm/state.h"

#include "comm/comm.h"

/* The state after an event, plus one; 0 is an event that does not happen in the state. */
#define TO(state) (1 + RANK_##state)

static const unsigned char next[RANK_STATES][RANK_EVENTS] = {
	[RANK_JOINING] = {
		[RANK_BEGAN] = TO(RUNNING),
		[RANK_LEFT] = TO(MOVING),
		[RANK_ENDED] = TO(FAILED),
	},
	/* An answer may begin another generation at once. A rank that skips calls resumes, too. */
	[RANK_RUNNING] = {
		[RANK_BEGAN] = TO(RUNNING),
		[RANK_FOUND] = TO(RUNNING),
		[RANK_LOST] = TO(REJOINING),
		[RANK_LEFT] = TO(MOVING),
		[RANK_OVERTAKEN] = TO(BEHIND),
		[RANK_RESUMED] = TO(RUNNING),
		[RANK_ENDED] = TO(FAILED),
	},
	/* With several trees a rank is overtaken on all, and resumes on all, whatever each of them does. */
	[RANK_REJOINING] = {
		[RANK_BEGAN] = TO(RUNNING),
		[RANK_FOUND] = TO(RUNNING),
		[RANK_LEFT] = TO(MOVING),
		[RANK_OVERTAKEN] = TO(BEHIND_REJOINING),
		[RANK_RESUMED] = TO(REJOINING),
		[RANK_ENDED] = TO(FAILED),
	},
	[RANK_MOVING] = {
		[RANK_BEGAN] = TO(RUNNING),
		[RANK_FOUND] = TO(RUNNING),
		[RANK_LEFT] = TO(MOVING),
		[RANK_OVERTAKEN] = TO(BEHIND_MOVING),
		[RANK_RESUMED] = TO(MOVING),
		[RANK_ENDED] = TO(FAILED),
	},
	[RANK_BEHIND] = {
		[RANK_BEGAN] = TO(BEHIND),
		[RANK_FOUND] = TO(BEHIND),
		[RANK_LOST] = TO(BEHIND_REJOINING),
		[RANK_LEFT] = TO(BEHIND_MOVING),
		[RANK_RESUMED] = TO(RUNNING),
		[RANK_ENDED] = TO(FAILED),
	},
	[RANK_BEHIND_REJOINING] = {
		[RANK_BEGAN] = TO(BEHIND),
		[RANK_FOUND] = TO(BEHIND),
		[RANK_LEFT] = TO(BEHIND_MOVING),
		[RANK_RESUMED] = TO(REJOINING),
		[RANK_ENDED] = TO(FAILED),
	},
	[RANK_BEHIND_MOVING] = {
		[RANK_BEGAN] = TO(BEHIND),
		[RANK_FOUND] = TO(BEHIND),
		[RANK_LEFT] = TO(BEHIND_MOVING),
		[RANK_RESUMED] = TO(MOVING),
		[RANK_ENDED] = TO(FAILED),
	},
	[RANK_FAILED] = {
		[RANK_ENDED] = TO(FAILED),
	},
};

enum rank_state state_after(enum rank_state state, enum rank_event event)
{
	return next[state][event] ? next[state][event] - 1 : RANK_STATES;
}

void state_change(struct weir *comm, enum rank_event event)
{
	enum rank_state after = state_after(comm->state, event);

	if (after != RANK_STATES)
		comm->state = after;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state of a rank in its job, and the events that change it.
 *
 *	joining    -BEGAN->     running
 *	joining    -LEFT->      moving
 *	running    -LOST->      rejoining  -BEGAN or FOUND->  running
 *	running    -LEFT->      moving     -BEGAN or FOUND->  running
 *	running    -OVERTAKEN-> behind     -RESUMED->         running
 *
 * A rank that is behind loses its box as any other does: it is then behind and rejoining, or behind
 * and moving. ENDED leads from each state to failed, which is final. state.c has all transitions.
 */
#ifndef WEIR_STATE_H
#define WEIR_STATE_H

#include <stdbool.h>

struct weir;

enum rank_state {
	RANK_JOINING,		/* asks for the first generation */
	RANK_RUNNING,		/* takes part in a generation */
	RANK_REJOINING,		/* asks again: the box has lost its state */
	RANK_MOVING,		/* asks at another box: its own is silent, or others wait there */
	RANK_BEHIND,		/* lacks an evicted result: calls fail until it resumes */
	RANK_BEHIND_REJOINING,	/* and asks again, so that the others do not wait for it */
	RANK_BEHIND_MOVING,	/* and asks at another box */
	RANK_FAILED,		/* has its final error */
	RANK_STATES,
};

enum rank_event {
	RANK_BEGAN,		/* the answer to a join names the generation */
	RANK_FOUND,		/* the generation from before goes on */
	RANK_LOST,		/* the box has begun no generation */
	RANK_LEFT,		/* the rank has gone to another box */
	RANK_OVERTAKEN,		/* the box has evicted a result that a call needs */
	RANK_RESUMED,		/* the program has another rank's position */
	RANK_ENDED,		/* an error is final */
	RANK_EVENTS,
};

/* Return the state after an event; RANK_STATES if the event does not happen in that state. */
enum rank_state state_after(enum rank_state state, enum rank_event event);

/* Change the state of a rank as an event does. No other function changes it. */
void state_change(struct weir *comm, enum rank_event event);

/* Return true where a rank sends joins, and nothing else. */
static inline bool state_is_asking(enum rank_state state)
{
	return state == RANK_JOINING || state == RANK_REJOINING || state == RANK_MOVING ||
	       state == RANK_BEHIND_REJOINING || state == RANK_BEHIND_MOVING;
}

/* Return true where the box has not answered yet: results that come are of the box before. */
static inline bool state_is_moving(enum rank_state state)
{
	return state == RANK_MOVING || state == RANK_BEHIND_MOVING;
}

/* Return true where calls fail until the rank resumes. */
static inline bool state_is_behind(enum rank_state state)
{
	return state == RANK_BEHIND || state == RANK_BEHIND_REJOINING ||
	       state == RANK_BEHIND_MOVING;
}

#endif

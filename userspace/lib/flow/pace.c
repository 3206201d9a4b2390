// SPDX-License-Identifier: BSD-2-Clause
#include "flow/pace.h"

/* The weight of the last round trip in the share of marked answers: the sixteenth of RFC 8257. */
#define SHARE_GAIN	16

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* The window in parts. */
static uint64_t window(const struct pace *pace)
{
	return (uint64_t)pace->limit * PACE_ONE + pace->parts;
}

static void set_window(struct pace *pace, uint64_t parts)
{
	if (parts > (uint64_t)pace->ceiling * PACE_ONE)
		parts = (uint64_t)pace->ceiling * PACE_ONE;
	pace->limit = (uint32_t)(parts / PACE_ONE);
	pace->parts = parts % PACE_ONE;
}

void pace_init(struct pace *pace, uint32_t ceiling, uint32_t growth)
{
	*pace = (struct pace) {
		.limit = least(PACE_START, ceiling),
		.ceiling = ceiling,
		.threshold = ceiling,
		.growth = growth > PACE_ONE ? growth : PACE_ONE,
		.share = PACE_SHARE_ALL,
		.quickest = UINT64_MAX,
		.base = UINT64_MAX,
	};
}

void pace_cap(struct pace *pace, uint32_t ceiling)
{
	pace->ceiling = ceiling;
	set_window(pace, window(pace));
	pace->threshold = least(pace->threshold, ceiling);
}

/* By a share, but not below @floor, if it was not there before; it grows slowly from there. */
static void fall(struct pace *pace, uint32_t share, uint32_t floor, uint64_t now)
{
	floor = least(floor, pace->limit);
	set_window(pace, window(pace) - window(pace) * share / PACE_SHARE_ALL);
	if (pace->limit < floor)
		set_window(pace, (uint64_t)floor * PACE_ONE);
	pace->threshold = pace->limit;
	pace->recovery = now;
}

static bool is_quick(const struct pace *pace)
{
	return pace->limit < pace->threshold;
}

/* Return true if more than half of the window is used. */
static bool is_used(const struct pace *pace)
{
	return 2 * pace->used > pace->limit;
}

static void average(struct pace *pace)
{
	uint32_t share;

	if (!pace->answers)
		return;
	share = (uint32_t)((uint64_t)pace->marked * PACE_SHARE_ALL / pace->answers);
	pace->share = pace->share - pace->share / SHARE_GAIN + share / SHARE_GAIN;
}

/* The wait for a late rank is taken for a queue, too: it only makes the window grow slowly. */
static bool is_queue(const struct pace *pace)
{
	uint64_t more = pace->base / 8;

	if (pace->quickest == UINT64_MAX || pace->answers < PACE_SAMPLES)
		return false;
	if (more < PACE_QUEUE_MIN)
		more = PACE_QUEUE_MIN;
	if (more > PACE_QUEUE_MAX)
		more = PACE_QUEUE_MAX;
	return pace->quickest >= pace->base + more;
}

static void grow_quickly(struct pace *pace, uint32_t blocks)
{
	if (is_queue(pace))
		pace->threshold = pace->limit;
	else
		pace->limit = least(pace->limit + blocks, pace->threshold);
}

/* An answer adds its part of what a whole window adds. */
static void grow_slowly(struct pace *pace, uint32_t blocks)
{
	uint64_t growth = pace->marks ? pace->growth : PACE_ONE;

	set_window(pace, window(pace) + growth * blocks / pace->limit);
}

static void grow(struct pace *pace, uint32_t blocks)
{
	if (is_quick(pace))
		grow_quickly(pace, blocks);
	else
		grow_slowly(pace, blocks);
}

static void note_time(struct pace *pace, uint64_t took)
{
	if (took < pace->quickest)
		pace->quickest = took;
	if (took < pace->base)
		pace->base = took;
}

static void end_round(struct pace *pace, uint64_t now)
{
	average(pace);
	pace->quickest = UINT64_MAX;
	pace->answers = 0;
	pace->marked = 0;
	pace->round = now;
}

void pace_answered(struct pace *pace, const struct pace_answer *answer, uint64_t now)
{
	pace->credit = least(pace->credit + answer->blocks * PACE_CREDIT, PACE_CREDIT_MAX);
	if (answer->sent >= pace->round)
		end_round(pace, now);
	pace->answers += answer->blocks;
	if (!answer->again)
		note_time(pace, now - answer->sent);
	if (answer->marked) {
		pace->marked += answer->blocks;
		if (answer->sent >= pace->recovery)
			fall(pace, pace->share / 2, PACE_LEAST, now);
		pace->marks = true;
	} else if (answer->sent >= pace->recovery && is_used(pace)) {
		grow(pace, answer->blocks);
	}
}

void pace_silent(struct pace *pace, uint32_t credit)
{
	pace->credit = least(pace->credit, credit);
}

void pace_lost(struct pace *pace, uint64_t sent, uint64_t now)
{
	if (sent < pace->recovery)
		return;
	fall(pace, PACE_SHARE_ALL / 4, PACE_FLOOR, now);
	pace->marks = false;
}

uint32_t pace_room(const struct pace *pace, uint32_t flight)
{
	return flight < pace->limit ? pace->limit - flight : 0;
}

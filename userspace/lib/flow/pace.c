// SPDX-License-Identifier: BSD-2-Clause
#include "flow/pace.h"

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

void pace_init(struct pace *pace, uint32_t ceiling)
{
	*pace = (struct pace) {
		.limit = least(PACE_START, ceiling),
		.ceiling = ceiling,
		.threshold = ceiling,
	};
}

void pace_answered(struct pace *pace, uint32_t count)
{
	uint32_t quick = 0;

	pace->credit = least(pace->credit + count * PACE_CREDIT, PACE_CREDIT_MAX);
	if (pace->limit >= pace->ceiling)
		return;
	if (pace->limit < pace->threshold)
		quick = least(count, pace->threshold - pace->limit);
	pace->limit += quick;
	pace->answers += count - quick;
	while (pace->answers >= pace->limit && pace->limit < pace->ceiling)
		pace->answers -= pace->limit++;
}

void pace_silent(struct pace *pace, uint32_t credit)
{
	pace->credit = least(pace->credit, credit);
}

void pace_lost(struct pace *pace, uint64_t sent, uint64_t now)
{
	uint32_t floor = least(PACE_FLOOR, pace->ceiling);

	if (sent < pace->recovery)
		return;
	pace->recovery = now;
	pace->limit -= pace->limit / 4;
	if (pace->limit < floor)
		pace->limit = floor;
	pace->threshold = pace->limit;
	pace->answers = 0;
}

uint32_t pace_room(const struct pace *pace, uint32_t flight)
{
	return flight < pace->limit ? pace->limit - flight : 0;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "flow/merging.h"

/* The part of the window that may wait. */
#define WAITING_SHARE	8

bool merging_waits(const struct merging_room *room)
{
	uint32_t share = room->window / WAITING_SHARE;
	uint32_t wanted = room->call <= share ? room->call : room->message;

	return wanted <= share && room->most < wanted && room->flight >= room->window / 2;
}

bool merging_begin(struct merging *merging, uint64_t now)
{
	if (!merging_is_on(merging, now))
		return false;
	if (merging->probe_at) {
		merging->probe_at = now + merging->probe_after;
		merging->last = now - 1;
	}
	return true;
}

void merging_lost(struct merging *merging, uint64_t sent, uint64_t now)
{
	if (sent <= merging->last)
		return;
	merging->last = sent;
	merging->lost++;
	if (merging->lost < MERGING_LOST_MAX && !merging->probe_at)
		return;
	if (!merging->probe_after)
		merging->probe_after = MERGING_PROBE_FIRST;
	else if (merging->probe_after < MERGING_PROBE_MAX)
		merging->probe_after *= 2;
	merging->probe_at = now + merging->probe_after;
	merging->last = now;
}

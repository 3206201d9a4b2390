// SPDX-License-Identifier: BSD-2-Clause
#include <string.h>

#include "base/sized.h"
#include "comm/comm.h"
#include "comm/guard.h"
#include "path/absence.h"

#define STRINGS(x)	#x
#define STRING(x)	STRINGS(x)

static struct weir_stats count(const struct weir *comm)
{
	struct weir_stats now = comm->stats;

	now.generation = comm->member.generation;
	now.window = comm->config.window;
	now.blocks = comm->member.blocks;
	now.grads = comm->config.grads;
	now.receive_buffer = comm->receive_buffer;
	now.rtt_us = (uint32_t)(comm->rtt.smoothed / NSEC_PER_USEC);
	now.rttvar_us = (uint32_t)(comm->rtt.deviation / NSEC_PER_USEC);
	now.rtt_min_us = (uint32_t)(comm->rtt.min / NSEC_PER_USEC);
	now.flight_limit = comm->pace.limit;
	now.type = comm->config.type;
	now.operation = comm->config.operation;
	now.rank = comm->config.rank;
	now.ranks = comm->config.ranks;
	now.job = comm->config.job;
	now.port = address_port(&comm->config.box);
	return now;
}

int weir_get_stats(const struct weir *comm, struct weir_stats *stats)
{
	bool is_shared = guard_begin_read(comm);
	struct weir_stats now = count(comm);

	if (is_shared)
		guard_end_read(comm);
	return sized_out(stats, stats->size, &now, sizeof(now));
}

/* The caller's calls alone write it. */
int weir_get_info(const struct weir *comm, struct weir_info *info)
{
	struct weir_info now = comm->info;

	return sized_out(info, info->size, &now, sizeof(now));
}

static void put_ranks(uint64_t few[4], const uint64_t **all, const uint64_t bitmap[BITMAP_WORDS])
{
	memcpy(few, bitmap, 4 * sizeof(*few));
	*all = bitmap;
}

int weir_get_members(const struct weir *comm, struct weir_members *members)
{
	static const uint64_t nobody[BITMAP_WORDS];
	const struct members *now = &comm->members;
	struct weir_members told = { .size = 0 };
	bool is_shared = guard_begin_read(comm);
	bool known = absence_is_known(comm);

	told.notices = now->notices;
	put_ranks(told.dead, &told.all_dead, now->dead);
	put_ranks(told.excluded, &told.all_excluded, now->excluded);
	put_ranks(told.waiting, &told.all_waiting, now->waiting);
	put_ranks(told.missing, &told.all_missing, known ? comm->absence.ranks : nobody);
	if (is_shared)
		guard_end_read(comm);
	return sized_out(members, members->size, &told, sizeof(told));
}

const char *weir_version(void)
{
	return STRING(WEIR_VERSION_MAJOR) "." STRING(WEIR_VERSION_MINOR) "." STRING(WEIR_VERSION_PATCH);
}

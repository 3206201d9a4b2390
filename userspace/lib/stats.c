// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <string.h>

#include "comm.h"

#define STRINGS(x)	#x
#define STRING(x)	STRINGS(x)

/*
 * Callers of another version have structures of another length: they get what
 * both know, and zeroes where only they do.
 */
static int copy_out(void *to, size_t size, void *from, size_t known)
{
	size_t common = size < known ? size : known;

	if (size < sizeof(size))
		return -EINVAL;
	memset(to, 0, size);
	memcpy(to, from, common);
	memcpy(to, &size, sizeof(size));
	return 0;
}

int weir_get_stats(const struct weir *comm, struct weir_stats *stats)
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
	return copy_out(stats, stats->size, &now, sizeof(now));
}

int weir_get_info(const struct weir *comm, struct weir_info *info)
{
	struct weir_info now = comm->info;

	return copy_out(info, info->size, &now, sizeof(now));
}

int weir_get_members(const struct weir *comm, struct weir_members *members)
{
	struct weir_members now = comm->members;

	return copy_out(members, members->size, &now, sizeof(now));
}

const char *weir_version(void)
{
	return STRING(WEIR_VERSION_MAJOR) "." STRING(WEIR_VERSION_MINOR) "." STRING(WEIR_VERSION_PATCH);
}

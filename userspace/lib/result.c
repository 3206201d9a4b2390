// SPDX-License-Identifier: BSD-2-Clause
#include "result.h"

#include "comm.h"

static bool is_ours(const struct weir *comm, const struct wire_header *header)
{
	return header->job == comm->config.job && header->generation == comm->member.generation &&
	       header->grads;
}

/* The bitmap of a degraded result: it must name as many as the header counts. */
static bool read_contributors(const struct weir *comm, struct result *result)
{
	unsigned int ranks = comm->config.ranks;

	wire_get_bitmap(result->contributors, result->sums + result->header.grads, ranks);
	return result->header.ranks < ranks &&
	       bitmap_count(result->contributors) == result->header.ranks &&
	       bitmap_is_below(result->contributors, ranks);
}

bool result_read(const struct weir *comm, struct result *result, const uint32_t *gradients,
		 size_t length)
{
	const struct wire_header *header = &result->header;
	size_t sums = WIRE_SIZE(header->grads);

	if (!is_ours(comm, header))
		return false;
	result->sums = gradients;
	if (header->flags & WEIR_TRIO_DEGRADED)
		return length == sums + WIRE_TRAILER(comm->config.ranks) &&
		       read_contributors(comm, result);
	bitmap_fill(result->contributors, comm->config.ranks);
	return length == sums && header->ranks == comm->config.ranks;
}

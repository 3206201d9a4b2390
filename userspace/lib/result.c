// SPDX-License-Identifier: BSD-2-Clause
#include "result.h"

#include <string.h>

#include "comm.h"

static bool is_ours(const struct weir *comm, const struct wire_header *header)
{
	return header->job == comm->config.job && header->generation == comm->member.generation &&
	       header->grads;
}

/*
 * The bitmap of a degraded result: it must name as many as the header counts. The box
 * leaves it out where the packet had not fitted with it.
 */
static bool read_contributors(const struct weir *comm, struct result *result, size_t left)
{
	unsigned int ranks = comm->config.ranks;

	memset(result->contributors, 0, sizeof(result->contributors));
	if (!left)
		return result->header.ranks < ranks;
	if (left != WIRE_TRAILER(ranks))
		return false;
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
		return length >= sums && read_contributors(comm, result, length - sums);
	bitmap_fill(result->contributors, comm->config.ranks);
	return length == sums && header->ranks == comm->config.ranks;
}

// SPDX-License-Identifier: BSD-2-Clause
#include "request/result.h"

#include <string.h>

#include "comm/comm.h"
#include "number/number.h"

static bool is_ours(const struct weir *comm, const struct wire_header *header)
{
	return header->job == comm->config.job && header->generation == comm->member.generation &&
	       header->grads;
}

/*
 * The bitmap of a degraded result: it must name as many as the header counts. The box
 * leaves it out where the packet would not fit with it.
 */
static bool read_contributors(const struct weir *comm, struct result *result, size_t bytes,
			      size_t left)
{
	unsigned int ranks = comm->config.ranks;

	memset(result->contributors, 0, sizeof(result->contributors));
	if (!left)
		return result->header.ranks < ranks;
	if (left != WIRE_TRAILER(ranks))
		return false;
	wire_get_bitmap(result->contributors, (const uint8_t *)result->sums + bytes, ranks);
	return result->header.ranks < ranks &&
	       bitmap_count(result->contributors) == result->header.ranks &&
	       bitmap_is_below(result->contributors, ranks);
}

bool result_read(const struct weir *comm, struct result *result, const void *gradients,
		 size_t length)
{
	const struct wire_header *header = &result->header;
	size_t before = wire_header_size(header);
	size_t bytes = header->grads * number_size(comm->config.type);
	size_t sums = before + bytes;

	if (!is_ours(comm, header))
		return false;
	result->sums = (const uint8_t *)gradients + before - WIRE_HEADER;
	if (header->flags & WEIR_TRIO_DEGRADED)
		return length >= sums && read_contributors(comm, result, bytes, length - sums);
	bitmap_fill(result->contributors, comm->config.ranks);
	return length == sums && header->ranks == comm->config.ranks;
}

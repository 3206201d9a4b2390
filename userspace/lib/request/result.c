// SPDX-License-Identifier: BSD-2-Clause
#include "request/result.h"

#include <string.h>


/*
 * The bitmap of a degraded result: it must name as many as the header counts. The box
 * leaves it out where the packet would not fit with it.
 */
bool result_read_contributors(const struct weir *comm, struct result *result, const void *rest,
			      size_t left)
{
	unsigned int ranks = comm->config.ranks, count;

	memset(result->named, 0, sizeof(result->named));
	result->contributors = result->named;
	if (!left)
		return result->header.ranks < ranks;
	if (left != WIRE_TRAILER(ranks))
		return false;
	wire_get_bitmap(result->named, rest, ranks);
	count = bitmap_count(result->named);
	if (!wire_counts(&result->header, count))
		return false;
	result->header.ranks = (uint16_t)count;
	return count && count < ranks && bitmap_is_below(result->named, ranks);
}

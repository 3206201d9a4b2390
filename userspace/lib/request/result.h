/* SPDX-License-Identifier: BSD-2-Clause */
/* A result as the box has sent it. */
#ifndef WEIR_RESULT_H
#define WEIR_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "comm/comm.h"
#include "number/number.h"
#include "packet/bitmap.h"
#include "packet/wire.h"

/**
 * struct result - a result, or those of blocks in a row that are alike but for the sums
 * @header: its header; that of the first
 * @blocks: number of blocks
 * @bytes: from one's sums to the next one's
 * @unsent: this rank has not contributed, whatever the result says
 * @marked: a queue was full that it, or a contribution to it, went through
 * @sums: gradients, in the byte order that the header tells
 * @contributors: the ranks that are summed; empty where the result does not name them
 * @named: the room for those that it names
 */
struct result {
	struct wire_header header;
	unsigned int blocks;
	size_t bytes;
	bool unsent;
	bool marked;
	const uint8_t *sums;
	const uint64_t *contributors;
	uint64_t named[BITMAP_WORDS];
};

/* The rest of a degraded result, of @left bytes behind its sums. False when it is none. */
bool result_read_contributors(const struct weir *comm, struct result *result, const void *rest,
			      size_t left);

/*
 * Reads the bytes behind a header in a packet of @length bytes. False when it is no result of
 * this communicator, as far as that can be told without the block.
 */
static inline bool result_read(const struct weir *comm, struct result *result,
			       const uint8_t *packet, size_t length)
{
	const struct wire_header *header = &result->header;
	size_t before = wire_header_size(header);
	size_t grads = header->flags & WEIR_TRIO_EMPTY ? 0 : header->grads;
	size_t end = before + grads * number_size(comm->config.type);

	if (header->job != comm->config.job || header->generation != comm->member.generation ||
	    !header->grads || length < end)
		return false;
	result->blocks = 1;
	result->unsent = false;
	result->bytes = length;
	result->sums = packet + before;
	if (header->flags & WEIR_TRIO_DEGRADED)
		return result_read_contributors(comm, result, packet + end, length - end);
	result->contributors = comm->config.everyone;
	if (length != end || !wire_counts(header, comm->config.ranks))
		return false;
	result->header.ranks = comm->config.ranks;
	return true;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* An allreduce under way, and the queue of them. */
#ifndef WEIR_REQUEST_H
#define WEIR_REQUEST_H

#include <stddef.h>
#include <stdint.h>

struct queue;
struct weir;

/**
 * struct weir_request - an allreduce
 * @comm: where it runs
 * @previous: begun before it and still outstanding
 * @next: begun after it
 * @in: elements
 * @out: sums
 * @count: elements
 * @scale: of floats; 0 says that the elements are integers
 * @first: number of its first block
 * @blocks: how many it has
 * @left: how many are not answered
 * @overflow_blocks: answered, with a sum that left int32
 * @degraded_blocks: answered, without all ranks
 * @min_ranks: the fewest in an answer
 */
struct weir_request {
	struct weir *comm;
	struct weir_request *previous;
	struct weir_request *next;
	const void *in;
	void *out;
	size_t count;
	double scale;
	uint64_t first;
	uint64_t blocks;
	uint64_t left;
	uint64_t overflow_blocks;
	uint64_t degraded_blocks;
	uint32_t min_ranks;
};

/* The request of the first block that was never sent; NULL is none. */
struct weir_request *request_sending(struct weir *comm, uint64_t block);

/* How many elements a block has. */
uint16_t request_block_grads(const struct weir_request *request, uint64_t block);

/* Is it the request's last block? */
int request_is_final(const struct weir_request *request, uint64_t block);

/* Puts a block's elements on the wire. */
void request_to_wire(const struct weir_request *request, uint64_t block, uint32_t *wire);

/* Takes a block's sums from the wire. */
void request_from_wire(struct weir_request *request, uint64_t block, const uint32_t *wire);

/* Frees all that are outstanding. */
void request_free_all(struct queue *queue);

#endif

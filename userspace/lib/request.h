/* SPDX-License-Identifier: BSD-2-Clause */
/* An allreduce under way, and the queue of them. */
#ifndef WEIR_REQUEST_H
#define WEIR_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct queue;
struct result;
struct weir;

/**
 * struct weir_request - an allreduce
 * @comm: where it runs
 * @previous: begun before it and still outstanding
 * @next: begun after it
 * @in: elements; NULL where this rank only follows
 * @out: sums
 * @residual: elements that are not in the sums; NULL where nobody asks
 * @count: elements
 * @scale: of floats; 0 says that the elements are integers
 * @sequence: how many were begun before it
 * @first: number of its first block
 * @blocks: how many it has
 * @left: how many are not answered
 * @overflow_blocks: answered, with a sum that left int32
 * @degraded_blocks: answered, without all ranks
 * @missed_blocks: answered, without this rank
 * @min_ranks: the fewest in an answer
 */
struct weir_request {
	struct weir *comm;
	struct weir_request *previous;
	struct weir_request *next;
	const void *in;
	void *out;
	void *residual;
	size_t count;
	double scale;
	uint64_t sequence;
	uint64_t first;
	uint64_t blocks;
	uint64_t left;
	uint64_t overflow_blocks;
	uint64_t degraded_blocks;
	uint64_t missed_blocks;
	uint32_t min_ranks;
};

/* Puts a request, with what the caller gave, at the end of the queue. */
void request_begin(struct weir_request *request);

/* Takes it out, and frees it. */
void request_release(struct weir_request *request);

/* Frees all that are outstanding. */
void request_free_all(struct queue *queue);

/* The request of the first block that was never sent; NULL is none. */
struct weir_request *request_sending(struct weir *comm, uint64_t block);

/* Does this rank only follow? */
bool request_is_followed(const struct weir_request *request);

/* Is it answered, and no other rank waits for what this one has to send again? */
bool request_is_done(const struct weir_request *request);

/* How many elements a block has. */
uint16_t request_block_grads(const struct weir_request *request, uint64_t block);

/* Is it the request's last block? */
int request_is_final(const struct weir_request *request, uint64_t block);

/* Puts a block's elements on the wire. */
void request_to_wire(const struct weir_request *request, uint64_t block, uint32_t *wire);

/* Takes a block's result. */
void request_deliver(struct weir_request *request, uint64_t block, const struct result *result);

#endif

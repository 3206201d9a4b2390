/* SPDX-License-Identifier: BSD-2-Clause */
/* An allreduce under way, and the queue of them. */
#ifndef WEIR_REQUEST_H
#define WEIR_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libweir.h"

/**
 * enum share_kind - a collective of which a rank has a share: some elements in a row
 * @SHARE_NONE: an allreduce, of which each rank has all
 * @SHARE_OF_SUMS: a reduce-scatter: @in has all elements, @out the sums of the share
 * @SHARE_OF_ELEMENTS: an all-gather: @in has the share, @out all elements
 */
enum share_kind { SHARE_NONE, SHARE_OF_SUMS, SHARE_OF_ELEMENTS };

/**
 * struct share - this rank's
 * @kind: the collective
 * @first: the first element of it
 * @end: the element after its last one
 */
struct share {
	enum share_kind kind;
	size_t first;
	size_t end;
};

struct exponents;
struct queue;
struct result;
struct weir;

/**
 * struct weir_request - an allreduce, or what one tree does of it: its vectors are the caller's
 *	then, and its blocks those that the tree is dealt
 * @comm: the communicator that it runs on
 * @parts: the part of each tree if there are several; else NULL
 * @previous: begun before it and still outstanding
 * @next: begun after it
 * @in: elements; NULL where this rank only follows
 * @out: sums
 * @residual: elements that are not in the sums; NULL where the caller gave none
 * @count: elements, of all ranks' shares
 * @share: this rank's
 * @grads: of a block
 * @type: of the elements
 * @operation: operation that combines them
 * @flags: WEIR_ACCEPT_*, WEIR_AVERAGE
 * @scale: of floats that the caller scales, else 0
 * @limit: of integers that are scaled so; 0 where all fit
 * @bad: an element of this rank cannot be sent with it: -EDOM, or -ERANGE; else 0
 * @bad_at: index of that element
 * @bad_value: its value
 * @exponents: of floats that the ranks agree on a scale for; NULL where they do not
 * @digest: of the call, see digest.h
 * @sequence: number of requests that were begun before it, as all ranks count them
 * @made: and of those by this rank alone
 * @first: number of its first block
 * @blocks: number of its blocks: those of elements, and before them one where there are exponents
 * @left: number of blocks that are not answered
 * @overflow_blocks: answered, with a sum that left int32
 * @degraded_blocks: answered, without all ranks
 * @missed_blocks: answered, without this rank
 * @cut_blocks: with elements of this rank that were cut
 * @min_ranks: the fewest in an answer
 * @has_failed: one of its parts has, though the communicator can go on
 * @not_finite: an element of some rank is not
 * @out_of_range: an element of some rank times the scale does not fit int32
 * @is_greeting: it is the library's own, by which ranks hear how many trees others have
 * @is_told: the caller's event loop knows that it is done
 */
struct weir_request {
	struct weir *comm;
	struct weir_request **parts;
	struct weir_request *previous;
	struct weir_request *next;
	const void *in;
	void *out;
	void *residual;
	size_t count;
	struct share share;
	uint16_t grads;
	enum weir_type type;
	enum weir_operation operation;
	uint32_t flags;
	double scale;
	double limit;
	int bad;
	size_t bad_at;
	double bad_value;
	struct exponents *exponents;
	int32_t digest;
	uint64_t sequence;
	uint64_t made;
	uint64_t first;
	uint64_t blocks;
	uint64_t left;
	uint64_t overflow_blocks;
	uint64_t degraded_blocks;
	uint64_t missed_blocks;
	uint64_t cut_blocks;
	uint32_t min_ranks;
	bool has_failed;
	bool not_finite;
	bool out_of_range;
	bool is_greeting;
	bool is_told;
};

/*
 * Puts a request, with the caller's arguments filled in, at the end of the queue. Returns 0,
 * or -ENOMEM without an effect.
 */
int request_begin(struct weir_request *request);

/* Puts one that only its parts have blocks of there. */
void request_append(struct weir_request *request);

/* Takes one out that was begun last, and of which nothing was sent, and frees it. */
void request_withdraw(struct weir_request *request);

/* Takes it out, and frees it. */
void request_release(struct weir_request *request);

/* Frees all that are outstanding. */
void request_free_all(struct queue *queue);

/* The request of the first block that was never sent; NULL is none. */
struct weir_request *request_sending(struct weir *comm, uint64_t block);

/* Return true if this rank only follows. */
static inline bool request_is_followed(const struct weir_request *request)
{
	return !request->in;
}

/* Return true if it has ended without a result, as this rank has fallen behind. */
bool request_has_failed(const struct weir_request *request);

/* Return true if it has failed, or is answered and this rank has no block to send again for another. */
bool request_is_done(const struct weir_request *request);

/* Blocks of elements. */
uint64_t request_data_blocks(const struct weir_request *request);

/*
 * Return true if a block comes before those of elements. If exponents are agreed on, the first block
 * carries the first of them, and nothing else.
 */
static inline bool request_is_prologue(const struct weir_request *request, uint64_t block)
{
	return request->exponents && block == request->first;
}

/* The number of a block of elements among those. */
static inline uint64_t request_data_block(const struct weir_request *request, uint64_t block)
{
	return block - request->first - (request->exponents ? 1 : 0);
}

/*
 * The first element of the tree's block of so many before it: the trees are dealt blocks in turn, and
 * shares take turns, see share_place().
 */
size_t request_offset(const struct weir_request *request, uint64_t data_block);

/* Return the number of elements that a block has in a packet. */
static inline uint16_t request_block_grads(const struct weir_request *request, uint64_t block)
{
	size_t left = request->count -
		      request_offset(request, request_data_block(request, block));

	if (request_is_prologue(request, block))
		return 1;
	return left < request->grads ? (uint16_t)left : request->grads;
}

/* Return true if it is the request's last block. */
static inline bool request_is_final(const struct weir_request *request, uint64_t block)
{
	return block == request->first + request->blocks - 1;
}

/* Return true if a block's packet has an exponent, of numbers or as the digest of the call. */
static inline bool request_has_exponent(const struct weir_request *request, uint64_t block)
{
	return request->exponents || request_is_final(request, block);
}

/* Return the number of blocks from this one on with as many elements; the last block may have fewer. */
static inline uint64_t request_alike(const struct weir_request *request, uint64_t block)
{
	return request->first + request->blocks - 1 - block;
}

/* Return true if the exponent that a block is made with is there. */
bool request_is_ready(const struct weir_request *request, uint64_t block);

/* The exponent that a block's packet carries, where it has one. */
int32_t request_exponent(const struct weir_request *request, uint64_t block);

/*
 * Puts elements of @blocks blocks from this one on into their packets, @count of each, and
 * @stride bytes from one's to the next one's; of one block where there are exponents.
 */
void request_to_wire(struct weir_request *request, uint64_t block, uint32_t blocks, size_t count,
		     uint8_t *wire, size_t stride);

/* Takes a block's result, or those of several blocks from it on. */
void request_deliver(struct weir_request *request, uint64_t block, const struct result *result);

#endif

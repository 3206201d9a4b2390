/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A block in a box of the model. Instead of gradients a contribution has one number, which follows from
 * rank and block; so each sum can be checked against the ranks that are said to be in it.
 */
#ifndef SIM_BLOCK_H
#define SIM_BLOCK_H

#include "net.h"
#include "random.h"

/**
 * struct block - one in a box
 * @seen: sources that are in it, as a bitmap
 * @ranks: ranks that are in it, as a bitmap
 * @sum: of what they contributed; of the result, once that is there
 * @marked: one of their packets was
 * @count: how many sources
 * @is_passed: the sum has gone up
 * @is_done: the result is there
 */
struct block {
	uint64_t seen;
	struct ranks ranks;
	uint64_t sum;
	bool marked;
	uint16_t count;
	bool is_passed;
	bool is_done;
};

/* Return what a rank contributes to a block. */
static inline uint64_t block_value(unsigned int rank, uint32_t tree, uint32_t block)
{
	return random_mix(random_mix(((uint64_t)tree << 32) + block) + rank);
}

/* Adds what a packet has. Returns false where one of its ranks is in already. */
bool block_add(struct block *block, const struct packet *packet);

/* Return true if the sum is that of the ranks in the result. */
bool block_is_right(const struct packet *result, uint32_t tree);

/* Return the number of ranks. */
unsigned int ranks_count(const struct ranks *ranks);

#endif

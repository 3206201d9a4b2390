// SPDX-License-Identifier: GPL-2.0
#include "block.h"

#define WORDS	(SIM_RANKS / 64)

bool block_add(struct block *block, const struct packet *packet)
{
	uint64_t twice = 0;

	for (unsigned int i = 0; i < WORDS; i++) {
		twice |= block->ranks.words[i] & packet->ranks.words[i];
		block->ranks.words[i] |= packet->ranks.words[i];
	}
	block->sum += packet->sum;
	block->marked |= packet->marked;
	block->seen |= 1ULL << packet->extra;
	block->count++;
	return !twice;
}

bool block_is_right(const struct packet *result, uint32_t tree)
{
	uint64_t sum = 0;

	for (unsigned int rank = 0; rank < SIM_RANKS; rank++)
		if (result->ranks.words[rank / 64] & 1ULL << rank % 64)
			sum += block_value(rank, tree, result->number);
	return sum == result->sum;
}

unsigned int ranks_count(const struct ranks *ranks)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < WORDS; i++)
		count += (unsigned int)__builtin_popcountll(ranks->words[i]);
	return count;
}

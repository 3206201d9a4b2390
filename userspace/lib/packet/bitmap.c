// SPDX-License-Identifier: BSD-2-Clause
#include "packet/bitmap.h"

unsigned int bitmap_count(const uint64_t bitmap[BITMAP_WORDS])
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < BITMAP_WORDS; i++)
		count += (unsigned int)__builtin_popcountll(bitmap[i]);
	return count;
}

void bitmap_fill(uint64_t bitmap[BITMAP_WORDS], unsigned int ranks)
{
	for (unsigned int i = 0; i < BITMAP_WORDS; i++) {
		unsigned int left = ranks > 64 * i ? ranks - 64 * i : 0;

		bitmap[i] = left >= 64 ? UINT64_MAX : (1ULL << left) - 1;
	}
}

bool bitmap_is_below(const uint64_t bitmap[BITMAP_WORDS], unsigned int ranks)
{
	uint64_t all[BITMAP_WORDS];
	uint64_t beyond = 0;

	bitmap_fill(all, ranks);
	for (unsigned int i = 0; i < BITMAP_WORDS; i++)
		beyond |= bitmap[i] & ~all[i];
	return !beyond;
}

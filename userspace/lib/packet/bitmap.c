// SPDX-License-Identifier: BSD-2-Clause
#include "packet/bitmap.h"

#include <stdio.h>

#define RANKS	(64 * BITMAP_WORDS)

/* The longest words about a run, and those that say that there are more. */
#define RUN_TEXT	sizeof(", 123-123, ...")

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

/* The first rank from @rank on that is in it, or is not. */
static unsigned int find(const uint64_t bitmap[BITMAP_WORDS], unsigned int rank, bool is_in)
{
	while (rank < RANKS && bitmap_has(bitmap, rank) != is_in)
		rank++;
	return rank;
}

void bitmap_text(const uint64_t bitmap[BITMAP_WORDS], char text[BITMAP_TEXT])
{
	const char *separator = bitmap_count(bitmap) == 1 ? "rank " : "ranks ";
	unsigned int first = find(bitmap, 0, true), end;
	size_t length = 0;

	text[0] = '\0';
	for (; first < RANKS; first = find(bitmap, end, true)) {
		end = find(bitmap, first, false);
		if (length + RUN_TEXT > BITMAP_TEXT) {
			snprintf(text + length, BITMAP_TEXT - length, ", ...");
			return;
		}
		length += (size_t)snprintf(text + length, BITMAP_TEXT - length,
					   end - first > 1 ? "%s%u-%u" : "%s%u", separator, first,
					   end - 1);
		separator = ", ";
	}
}

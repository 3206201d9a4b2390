/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets of ranks: rank r is bit r % 64 of word r / 64. */
#ifndef WEIR_LIB_BITMAP_H
#define WEIR_LIB_BITMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As many as the most ranks of a job need. */
#define BITMAP_WORDS	64

static inline bool bitmap_has(const uint64_t bitmap[BITMAP_WORDS], unsigned int rank)
{
	return bitmap[rank / 64] >> (rank % 64) & 1;
}

/* Return the number of ranks in it. */
unsigned int bitmap_count(const uint64_t bitmap[BITMAP_WORDS]);

/* Makes it the set of the ranks below @ranks. */
void bitmap_fill(uint64_t bitmap[BITMAP_WORDS], unsigned int ranks);

/* Room for the words of bitmap_text(). */
#define BITMAP_TEXT	128

/*
 * Names the ranks in it, from the first on, as far as there is room: "rank 3", or "ranks 0, 2-5".
 */
void bitmap_text(const uint64_t bitmap[BITMAP_WORDS], char text[BITMAP_TEXT]);

/* Return true if all ranks in it are below @ranks. */
bool bitmap_is_below(const uint64_t bitmap[BITMAP_WORDS], unsigned int ranks);

#endif

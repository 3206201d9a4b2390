/* SPDX-License-Identifier: GPL-2.0 */
/* The word that was meant, where another one was written. */
#ifndef WEIR_NEAR_H
#define WEIR_NEAR_H

#include <stddef.h>

#define NEAR_TEXT 64

/**
 * struct near - the nearest of some words
 * @word: as it was written
 * @best: the nearest so far; NULL where none is near enough
 * @distance: from @word to it: letters that are more, fewer, others or swapped
 */
struct near {
	const char *word;
	const char *best;
	unsigned int distance;
};

void near_begin(struct near *near, const char *word);
void near_try(struct near *near, const char *candidate);

/* Write the hint " (did you mean job?)", or nothing. Return @text. */
const char *near_hint(const struct near *near, char text[static NEAR_TEXT]);

#endif

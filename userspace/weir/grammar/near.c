// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "grammar/near.h"

#define LENGTH_MAX 31

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* Optimal string alignment: the row before the last one is there for swapped neighbours. */
static unsigned int distance(const char *a, const char *b)
{
	unsigned int rows[3][LENGTH_MAX + 1], i, j;
	size_t la = strlen(a), lb = strlen(b);

	if (la > LENGTH_MAX || lb > LENGTH_MAX)
		return LENGTH_MAX;
	for (j = 0; j <= lb; j++)
		rows[0][j] = j;
	for (i = 1; i <= la; i++) {
		unsigned int *row = rows[i % 3], *above = rows[(i - 1) % 3];

		row[0] = i;
		for (j = 1; j <= lb; j++) {
			row[j] = least(above[j - 1] + (a[i - 1] != b[j - 1]),
				       least(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = least(row[j], rows[(i - 2) % 3][j - 2] + 1);
		}
	}
	return rows[la % 3][lb];
}

/* One mistake in a short word, and one more for each four letters of a longer one. */
void near_begin(struct near *near, const char *word)
{
	near->word = word;
	near->best = NULL;
	near->distance = 2 + (strlen(word) >= 8);
	if (strlen(word) < 3)
		near->distance = 1;
}

void near_try(struct near *near, const char *candidate)
{
	unsigned int found = *candidate ? distance(near->word, candidate) : LENGTH_MAX;

	if (found && found < near->distance) {
		near->distance = found;
		near->best = candidate;
	}
}

const char *near_hint(const struct near *near, char text[static NEAR_TEXT])
{
	*text = '\0';
	if (near->best)
		snprintf(text, NEAR_TEXT, " (did you mean %s?)", near->best);
	return text;
}

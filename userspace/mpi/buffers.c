// SPDX-License-Identifier: BSD-2-Clause
#include "buffers.h"

#include <stdbool.h>
#include <stdlib.h>

/* The smallest spare one that is large enough; else the largest, to make room for a larger one. */
static struct buffer *best(struct buffers *buffers, size_t size)
{
	struct buffer *found = &buffers->spare[0];

	for (int i = 1; i < BUFFERS_SPARE; i++) {
		struct buffer *each = &buffers->spare[i];
		bool fits = each->size >= size;

		if (found->size >= size ? fits && each->size < found->size : each->size > found->size)
			found = each;
	}
	return found;
}

struct buffer buffers_take(struct buffers *buffers, size_t size)
{
	struct buffer *spare = best(buffers, size), taken = *spare;

	*spare = (struct buffer){ 0 };
	if (taken.memory && taken.size >= size)
		return taken;
	free(taken.memory);
	taken.memory = malloc(size);
	taken.size = taken.memory ? size : 0;
	return taken;
}

void buffers_give(struct buffers *buffers, struct buffer buffer)
{
	for (int i = 0; i < BUFFERS_SPARE; i++) {
		struct buffer *spare = &buffers->spare[i], smaller = *spare;

		if (smaller.size >= buffer.size)
			continue;
		*spare = buffer;
		buffer = smaller;
	}
	free(buffer.memory);
}

void buffers_free(struct buffers *buffers)
{
	for (int i = 0; i < BUFFERS_SPARE; i++)
		free(buffers->spare[i].memory);
	*buffers = (struct buffers){ 0 };
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory for results, reused by later calls: fresh memory costs a page fault a page. */
#ifndef WEIR_MPI_BUFFERS_H
#define WEIR_MPI_BUFFERS_H

#include <stddef.h>

/* As many as a channel has in use at once, unless many iallreduces are under way. */
#define BUFFERS_SPARE	4

struct buffer {
	void *memory;
	size_t size;
};

struct buffers {
	struct buffer spare[BUFFERS_SPARE];
};

/* Returns a buffer of at least @size bytes, whose memory is NULL if there is none. */
struct buffer buffers_take(struct buffers *buffers, size_t size);

/* Keeps @buffer for later calls, or frees the smallest one if there are too many. */
void buffers_give(struct buffers *buffers, struct buffer buffer);

void buffers_free(struct buffers *buffers);

#endif

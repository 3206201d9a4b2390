// SPDX-License-Identifier: BSD-2-Clause
#include "batch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "wire.h"

/* The header lies at the end of a cache line, so that the gradients begin one. */
#define LINE	64
#define HEADROOM	(LINE - WIRE_HEADER)

int batch_init(struct batch *batch, size_t size)
{
	memset(batch, 0, sizeof(*batch));
	batch->stride = (HEADROOM + size + LINE - 1) / LINE * LINE;
	batch->memory = aligned_alloc(LINE, batch->stride * BATCH);
	if (!batch->memory)
		return -ENOMEM;
	for (unsigned int i = 0; i < BATCH; i++) {
		batch->vectors[i].iov_base = batch_packet(batch, i);
		batch->vectors[i].iov_len = size;
		batch->messages[i].msg_hdr.msg_iov = &batch->vectors[i];
		batch->messages[i].msg_hdr.msg_iovlen = 1;
	}
	return 0;
}

void batch_uninit(struct batch *batch)
{
	free(batch->memory);
	batch->memory = NULL;
}

void *batch_packet(const struct batch *batch, unsigned int index)
{
	return batch->memory + index * batch->stride + HEADROOM;
}

uint32_t *batch_gradients(const struct batch *batch, unsigned int index)
{
	return (uint32_t *)(batch->memory + index * batch->stride + LINE);
}

// SPDX-License-Identifier: BSD-2-Clause
#include "packet/packets.h"

#include <errno.h>
#include <stdlib.h>

#include "packet/wire.h"

/* Headers lie at the end of a cache line, so that the gradients begin one. */
#define LINE	64

int packets_init(struct packets *packets, size_t count, size_t size)
{
	packets->stride = (LINE + size + LINE - 1) / LINE * LINE;
	packets->memory = aligned_alloc(LINE, packets->stride * count);
	return packets->memory ? 0 : -ENOMEM;
}

void packets_uninit(struct packets *packets)
{
	free(packets->memory);
	packets->memory = NULL;
}

void *packets_at(const struct packets *packets, size_t index, size_t header)
{
	return packets->memory + index * packets->stride + LINE - header;
}

void *packets_gradients(const struct packets *packets, size_t index)
{
	return packets->memory + index * packets->stride + LINE;
}

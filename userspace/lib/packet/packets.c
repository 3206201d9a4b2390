// SPDX-License-Identifier: BSD-2-Clause
#include "packet/packets.h"

#include <errno.h>
#include <stdlib.h>

#define LINE	PACKETS_LINE

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

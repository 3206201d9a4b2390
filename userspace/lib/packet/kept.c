// SPDX-License-Identifier: BSD-2-Clause
#include "packet/kept.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "packet/wire.h"

int kept_init(struct kept *kept, size_t count, size_t size)
{
	kept->stride = WIRE_HEADER + size;
	kept->wide = false;
	kept->memory = malloc(count * (kept->stride + WIRE_EXPONENT));
	return kept->memory ? 0 : -ENOMEM;
}

void kept_uninit(struct kept *kept)
{
	free(kept->memory);
	kept->memory = NULL;
}

/* The last one first: each moves up, over those that have moved. */
void kept_widen(struct kept *kept, size_t count)
{
	size_t stride = kept->stride;

	if (kept->wide)
		return;
	kept->wide = true;
	kept->stride += WIRE_EXPONENT;
	while (count--)
		memmove(kept_at(kept, count), kept->memory + count * stride, stride);
}

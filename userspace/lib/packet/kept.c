// SPDX-License-Identifier: BSD-2-Clause
#include "packet/kept.h"

#include <errno.h>
#include <stdlib.h>

int kept_init(struct kept *kept, size_t count, size_t size)
{
	kept->length = WIRE_HEADER + size;
	kept->plain = malloc(count * kept->length);
	kept->longer = malloc(count * (kept->length + WIRE_EXPONENT));
	kept->header = malloc(count * WIRE_HEADER);
	if (kept->plain && kept->longer && kept->header)
		return 0;
	kept_uninit(kept);
	return -ENOMEM;
}

void kept_uninit(struct kept *kept)
{
	free(kept->plain);
	free(kept->longer);
	free(kept->header);
	kept->plain = NULL;
	kept->longer = NULL;
	kept->header = NULL;
}

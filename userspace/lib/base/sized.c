// SPDX-License-Identifier: BSD-2-Clause
#include "base/sized.h"

#include <errno.h>
#include <string.h>

int sized_out(void *theirs, size_t size, const void *mine, size_t known)
{
	if (size < sizeof(size))
		return -EINVAL;
	memset(theirs, 0, size);
	memcpy(theirs, mine, size < known ? size : known);
	memcpy(theirs, &size, sizeof(size));
	return 0;
}

int sized_in(void *mine, size_t known, const void *theirs, size_t least)
{
	const unsigned char *bytes = theirs;
	size_t size;

	memcpy(&size, theirs, sizeof(size));
	if (size < least)
		return -EINVAL;
	memset(mine, 0, known);
	memcpy(mine, theirs, size < known ? size : known);
	for (size_t i = known; i < size; i++)
		if (bytes[i])
			return -E2BIG;
	return 0;
}

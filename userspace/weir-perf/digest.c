// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "perf.h"

/* FNV-1a, by words instead of bytes: it has to keep up with results, not with attacks. */
uint64_t digest(uint64_t from, const void *elements, size_t bytes)
{
	const unsigned char *at = elements;
	uint32_t word;

	for (; bytes; at += sizeof(word), bytes -= bytes < sizeof(word) ? bytes : sizeof(word)) {
		word = 0;
		memcpy(&word, at, bytes < sizeof(word) ? bytes : sizeof(word));
		from = (from ^ word) * 0x100000001b3u;
	}
	return from;
}

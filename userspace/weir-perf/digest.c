// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "perf.h"

static uint64_t add(uint64_t from, uint32_t word)
{
	return (from ^ word) * 0x100000001b3u;
}

/* FNV-1a, by words instead of bytes: it has to keep up with results, not with attacks. */
uint64_t digest(uint64_t from, const void *elements, size_t bytes)
{
	const unsigned char *at = elements, *end = at + bytes / sizeof(uint32_t) * sizeof(uint32_t);
	uint32_t word;

	for (; at < end; at += sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		from = add(from, word);
	}
	word = 0;
	memcpy(&word, at, bytes % sizeof(word));
	return bytes % sizeof(word) ? add(from, word) : from;
}

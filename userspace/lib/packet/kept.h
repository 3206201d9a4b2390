/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contributions as they were sent, to be sent again. Those of a whole block's length lie without
 * gaps, so that the kernel takes many as one piece of memory. So do those that have an exponent
 * besides, and those that have nothing but a header, each in memory of their own.
 */
#ifndef WEIR_KEPT_H
#define WEIR_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "packet/wire.h"

/**
 * struct kept - an array of packets
 * @plain: those of the length of a whole block at most
 * @longer: those that are longer by an exponent
 * @header: those without elements and exponent; a packet is in one of the three
 * @length: of a whole block's packet without an exponent
 */
struct kept {
	uint8_t *plain;
	uint8_t *longer;
	uint8_t *header;
	size_t length;
};

/*
 * Makes room for @count packets with up to @size bytes of gradients; unused room takes no
 * memory. Returns 0 or -ENOMEM.
 */
int kept_init(struct kept *kept, size_t count, size_t size);
void kept_uninit(struct kept *kept);

/* Bytes from a packet of so many bytes to the one behind it. */
static inline size_t kept_stride(const struct kept *kept, size_t bytes)
{
	if (bytes == WIRE_HEADER)
		return WIRE_HEADER;
	return kept->length + (bytes > kept->length ? WIRE_EXPONENT : 0);
}

/* The packet at @index, which has so many bytes. */
static inline void *kept_at(const struct kept *kept, size_t index, size_t bytes)
{
	uint8_t *memory = bytes > kept->length ? kept->longer :
			  bytes == WIRE_HEADER ? kept->header : kept->plain;

	return memory + index * kept_stride(kept, bytes);
}

/* Return true if a packet of @bytes bytes ends where the next one begins. */
static inline bool kept_is_dense(const struct kept *kept, size_t bytes)
{
	return bytes == kept_stride(kept, bytes);
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contributions as they were sent, to be sent again. Those of a whole block's length lie without
 * gaps, so that the kernel takes many as one piece of memory.
 */
#ifndef WEIR_KEPT_H
#define WEIR_KEPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct kept - an array of packets
 * @memory: all of them
 * @stride: bytes from one to the next
 * @wide: there is room for an exponent in each
 */
struct kept {
	uint8_t *memory;
	size_t stride;
	bool wide;
};

/*
 * Makes room for @count packets with up to @size bytes of gradients; unused room takes no
 * memory. Returns 0 or -ENOMEM.
 */
int kept_init(struct kept *kept, size_t count, size_t size);
void kept_uninit(struct kept *kept);

/* Makes room for exponents, where there is none, between the first @count packets and behind. */
void kept_widen(struct kept *kept, size_t count);

/* The packet at @index. */
static inline void *kept_at(const struct kept *kept, size_t index)
{
	return kept->memory + index * kept->stride;
}

/* Does a packet of so many bytes end where the next one begins? */
static inline bool kept_is_dense(const struct kept *kept, size_t bytes)
{
	return bytes == kept->stride;
}

#endif

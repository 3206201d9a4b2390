/* SPDX-License-Identifier: BSD-2-Clause */
/* Room for many packets, with aligned gradients where only a header stands before them. */
#ifndef WEIR_PACKETS_H
#define WEIR_PACKETS_H

#include <stddef.h>
#include <stdint.h>

/* Headers lie at the end of a cache line, so that the gradients begin one. */
#define PACKETS_LINE	64

/**
 * struct packets - an array of packets
 * @memory: all of them
 * @stride: bytes from one to the next
 */
struct packets {
	uint8_t *memory;
	size_t stride;
};

/*
 * Makes room for @count packets of up to @size bytes; unused room takes no memory. Returns
 * 0 or -ENOMEM.
 */
int packets_init(struct packets *packets, size_t count, size_t size);
void packets_uninit(struct packets *packets);

/* The bytes behind the header of the packet at @index. */
static inline void *packets_gradients(const struct packets *packets, size_t index)
{
	return packets->memory + index * packets->stride + PACKETS_LINE;
}

/* The packet at @index, with a header of so many bytes. */
static inline void *packets_at(const struct packets *packets, size_t index, size_t header)
{
	return (uint8_t *)packets_gradients(packets, index) - header;
}

#endif

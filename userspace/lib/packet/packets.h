/* SPDX-License-Identifier: BSD-2-Clause */
/* Room for many packets, with aligned gradients where only a header stands before them. */
#ifndef WEIR_PACKETS_H
#define WEIR_PACKETS_H

#include <stddef.h>
#include <stdint.h>

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

/* The packet at @index, with a header of so many bytes. */
void *packets_at(const struct packets *packets, size_t index, size_t header);

/* The bytes behind its header. */
void *packets_gradients(const struct packets *packets, size_t index);

#endif

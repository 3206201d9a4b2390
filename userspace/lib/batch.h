/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets that cross the system call boundary together. */
#ifndef WEIR_BATCH_H
#define WEIR_BATCH_H

#include <stddef.h>
#include <stdint.h>

#include <sys/socket.h>

/*
 * Enough to make the system call cheap beside its packets; and 32 packets of
 * 4 KiB still fit the second-level cache, between conversion and copy.
 */
#define BATCH	32

/**
 * struct batch - buffers for a batch
 * @messages: for sendmmsg() and recvmmsg()
 * @vectors: one a message
 * @memory: all packets
 * @stride: bytes from one packet to the next
 */
struct batch {
	struct mmsghdr messages[BATCH];
	struct iovec vectors[BATCH];
	uint8_t *memory;
	size_t stride;
};

/* Makes room for packets of up to @size bytes. Returns 0 or -ENOMEM. */
int batch_init(struct batch *batch, size_t size);
void batch_uninit(struct batch *batch);

/* The packet at @index; the gradients behind its header are aligned. */
void *batch_packet(const struct batch *batch, unsigned int index);
uint32_t *batch_gradients(const struct batch *batch, unsigned int index);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets that cross the system call boundary together. */
#ifndef WEIR_BATCH_H
#define WEIR_BATCH_H

#include <stddef.h>
#include <stdint.h>

#include <sys/socket.h>

#include "packet/packets.h"

/*
 * Enough to make the system call cheap beside its packets; and 32 packets of
 * 4 KiB still fit the second-level cache, between copy and conversion.
 */
#define BATCH	32

/**
 * struct batch - where packets are received
 * @messages: for recvmmsg()
 * @vectors: one a message
 * @packets: one a message
 */
struct batch {
	struct mmsghdr messages[BATCH];
	struct iovec vectors[BATCH];
	struct packets packets;
};

/* Makes room for packets of up to @size bytes. Returns 0 or -ENOMEM. */
int batch_init(struct batch *batch, size_t size);
void batch_uninit(struct batch *batch);

#endif

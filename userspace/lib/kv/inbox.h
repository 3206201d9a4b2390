/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets that a reducer reads from its socket, many at once. */
#ifndef WEIR_KV_INBOX_H
#define WEIR_KV_INBOX_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/address.h"
#include "kv/wire.h"

#define KV_INBOX	32

/**
 * struct kv_inbox - room for packets
 * @bytes: of each, and one more, by which those that are too long are known
 * @peer: sender of each
 * @part: of each message
 * @message: for recvmmsg()
 */
struct kv_inbox {
	uint8_t bytes[KV_INBOX][KV_PACKET_MAX + 1];
	struct address peer[KV_INBOX];
	struct iovec part[KV_INBOX];
	struct mmsghdr message[KV_INBOX];
};

/* NULL where there is no memory. */
struct kv_inbox *kv_inbox_make(void);

/* Read packets. Return their number or a negative errno, -EAGAIN if none has come. */
int kv_inbox_read(struct kv_inbox *inbox, int fd);

#endif

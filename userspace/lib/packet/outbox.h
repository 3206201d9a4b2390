/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets on their way to the kernel. With UDP_SEGMENT, packets of one length are one message,
 * which the kernel takes through its stack as one and cuts at the end; the last may be shorter.
 */
#ifndef WEIR_OUTBOX_H
#define WEIR_OUTBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sys/socket.h>

/* Packets of one message: the least UDP_MAX_SEGMENTS of all kernels. Vectors of one call, too. */
#define OUTBOX		64

/*
 * Full messages of one call. With four the kernel's copies took a tenth more: the first packets had left
 * the second-level cache before they were copied.
 */
#define OUTBOX_MESSAGES	2

/*
 * Bytes of one message, with room for all headers: a device takes less than 64 KiB, and cuts up
 * what is longer before it has to.
 */
#define OUTBOX_MERGED	((64 << 10) - 256)

/* Enough to make the system call cheap beside packets that are not merged. */
#define OUTBOX_PLAIN	32

/* Holds the length of a merged message's packets. */
union outbox_control {
	struct cmsghdr header;
	uint8_t bytes[CMSG_SPACE(sizeof(uint16_t))];
};

/**
 * struct outbox - packets for one system call
 * @vectors: packets that lie together, one or many of one length
 * @sizes: that length, of each vector
 * @messages: for sendmmsg(); each has vectors that lie together
 * @controls: one a message
 * @appended: the message that outbox_append() has appended a packet to, counted from 1; 0 is none
 */
struct outbox {
	struct iovec vectors[OUTBOX + 1];
	uint32_t sizes[OUTBOX];
	struct mmsghdr messages[OUTBOX];
	union outbox_control controls[OUTBOX];
	unsigned int appended;
};

/* Return how many packets of @size bytes one merged message takes. */
unsigned int outbox_fit(size_t size);

/* Return how many packets of @size bytes are sent by one call. */
unsigned int outbox_room(size_t size, bool merged);

/* Makes a vector of @count packets of @size bytes. */
void outbox_put(struct outbox *outbox, unsigned int index, void *packets, uint32_t count,
		uint32_t size);

/*
 * Makes messages of @count vectors, @first the first of them: of as many as can be merged, or
 * one a vector, which has one packet then. Returns how many messages.
 */
unsigned int outbox_fill(struct outbox *outbox, unsigned int first, unsigned int count,
			 bool merged);

/*
 * Append a packet, shorter than all others, to the last one of @messages that outbox_fill() has made,
 * as the last of its packets. Return whether the message takes it.
 */
bool outbox_append(struct outbox *outbox, unsigned int messages, void *packet, uint32_t size);

/* Return the number of vectors of a message, without one that was appended. */
unsigned int outbox_vectors(const struct outbox *outbox, unsigned int message);

/* Return true if it has more than one packet. */
bool outbox_is_merged(const struct outbox *outbox, unsigned int message);

/* Sends messages. Returns how many, or -1 and errno. */
int outbox_send(struct outbox *outbox, int fd, unsigned int messages);

#endif

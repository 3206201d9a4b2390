/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packets on their way from the kernel. A message of the socket's is one of them, or, with
 * UDP_GRO, many that the kernel has merged: all of one length, but the last may be shorter.
 */
#ifndef WEIR_INBOX_H
#define WEIR_INBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sys/socket.h>

/* Enough messages to make the system call cheap beside packets that are not merged. */
#define INBOX		32

/* Bytes that still fit the second-level cache between the kernel's copy and the conversion. */
#define INBOX_BYTES	(256 << 10)

/* No message has more than IP's lengths can say. */
#define INBOX_MERGED	(64 << 10)

/* Holds two ints: the length of a merged message's packets, and the byte with ECN of IP's header. */
union inbox_control {
	struct cmsghdr header;
	uint8_t bytes[2 * CMSG_SPACE(sizeof(int))];
};

/**
 * struct inbox - where packets are received
 * @at_once: so many messages in a call, as they are INBOX_BYTES if they are as long as the last
 * @messages: for recvmmsg()
 * @vectors: one a message
 * @controls: one a message
 * @memory: of all messages
 */
struct inbox {
	unsigned int at_once;
	struct mmsghdr messages[INBOX];
	struct iovec vectors[INBOX];
	union inbox_control controls[INBOX];
	void *memory;
};

/*
 * Makes room for packets of up to @size bytes, and for merged messages where there may be
 * any. Returns 0 or -ENOMEM.
 */
int inbox_init(struct inbox *inbox, size_t size, bool merged);
void inbox_uninit(struct inbox *inbox);

/* Receives up to @most messages, without waiting. Returns how many, or -1 and errno. */
int inbox_receive(struct inbox *inbox, int fd, unsigned int most);

/* The first packet of a message. */
const uint8_t *inbox_at(const struct inbox *inbox, unsigned int index);

/**
 * struct inbox_notes - what the kernel says of a message
 * @stride: bytes of its packets, of which the last may be shorter
 * @marked: a queue was full that they went through; those of one message are alike
 */
struct inbox_notes {
	size_t stride;
	bool marked;
};

struct inbox_notes inbox_notes(const struct inbox *inbox, unsigned int index);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* Frames: those of the tests' tables and of the fuzzers' corpora, as they are and changed. */
#ifndef FRAME_H
#define FRAME_H

#include <linux/virtio_net.h>
#include <stdbool.h>
#include <stdint.h>

#include "rng.h"
#include "tap.h"

/* Bytes of the sender's Ethernet address say which frame it is: nothing looks at them. */
#define FRAME_ID_AT	6

/**
 * struct frame - a frame that is sent
 * @hdr: the work left to the device
 * @gso: it is many packets in one
 * @partial: a checksum is left to be filled in
 * @odd: one that is filled in anywhere
 * @parts: packets that are counted by themselves; 0 where the stack may drop all of it, which
 *	is many in one, of bytes that are no packets
 * @routed: to the box's own address, to be forwarded to another host
 * @seen: something of it has come out
 * @len: bytes of it
 * @data: its bytes
 */
struct frame {
	struct virtio_net_hdr hdr;
	bool gso;
	bool partial;
	bool odd;
	unsigned int parts;
	bool routed;
	bool seen;
	size_t len;
	uint8_t data[TAP_FRAME_MAX];
};

/* Reads the corpora. */
void frame_init(void);

/* The router's Ethernet address: routed frames go to it. */
extern uint8_t frame_router[6];

/* A frame for ports that trim. @gso is whether it may be many in one. */
void frame_trim(struct frame *f, struct rng *rng, bool gso, size_t mtu);

/* A frame for jobs. */
void frame_contribution(struct frame *f, struct rng *rng, bool gso, size_t mtu);

/* A packet of the box: it may bring the cookie that joins need from now on. */
void frame_hear(const uint8_t *data, size_t len);

/* Writes which one it is. */
void frame_number(struct frame *f, uint32_t number);

/* Return the number of a frame that has come, or of one that comes back; -1 if it is none of ours. */
int64_t frame_is(const uint8_t *data, size_t len);
int64_t frame_comes_back(const uint8_t *data, size_t len);

#endif

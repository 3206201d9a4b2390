/* SPDX-License-Identifier: GPL-2.0 */
/* Packet sockets: frames put into devices, and frames that come out of them, byte by byte. */
#ifndef TAP_H
#define TAP_H

#include <linux/virtio_net.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The longest that is many packets in one. */
#define TAP_FRAME_MAX	66000

/* For frames that arrive at a device of this process's namespace; frames sent are not seen. */
int tap_listen(const char *dev);

/* For sending by it. */
int tap_sender(const char *dev);

/*
 * Sends a frame; @hdr says how it is to be cut up and which checksum is left to be filled in.
 * Returns whether it was sent: with @queued also where a queue of the device has dropped it
 * then.
 */
bool tap_send(int fd, const struct virtio_net_hdr *hdr, const void *frame, size_t len,
	      bool queued);

/* One frame, with the tag that lay beside it; 0 where there is none. */
size_t tap_read(int fd, uint8_t *frame);

#endif

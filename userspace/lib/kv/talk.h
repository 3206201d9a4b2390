/* SPDX-License-Identifier: BSD-2-Clause */
/* Packets that a mapper sends and receives. */
#ifndef WEIR_KV_TALK_H
#define WEIR_KV_TALK_H

#include <stdint.h>

#include "kv/wire.h"

struct kv_sender;
struct weir_stream;

/* The socket, connected to the other end. Returns 0 or a negative errno, with its sentence. */
int kv_talk_open(struct weir_stream *stream);

/* A header from the mapper's side: flags and numbers are the caller's. */
struct kv_header kv_talk_header(const struct weir_stream *stream, uint8_t flags);

/* Send a packet. If the path loses it, the function that waits for its answer sends it again. */
void kv_talk_send(struct weir_stream *stream, const uint8_t *packet, size_t length);

/* A packet of a header alone that has no number of its own. */
void kv_talk_probe(struct weir_stream *stream, uint32_t seq);

/* Takes all that has come. Returns 0 or a negative errno, with its sentence. */
int kv_talk_listen(struct weir_stream *stream);

/*
 * Exclude the time since @until from the silence of the other end: the caller meant to be back then, or
 * the stream to wake up.
 */
void kv_talk_excuse(struct kv_sender *sender, uint64_t until);

/* Waits for something to come, until a time. Returns 0, also then, or -EINTR. */
int kv_talk_wait(struct weir_stream *stream, uint64_t until);

/*
 * Opens a session, which follows the last one. Returns 0 or a negative errno, with its sentence.
 */
int kv_talk_begin(struct weir_stream *stream);

/* Return 0, or a negative errno with its sentence if the other end has been silent for too long. */
int kv_talk_check(struct weir_stream *stream);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* A mapper's end of a stream. */
#ifndef WEIR_KV_SENDER_H
#define WEIR_KV_SENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kv/flight.h"
#include "kv/table.h"

struct weir_stream;

/**
 * struct kv_sender - it
 * @room: bytes of pairs that a packet of the path's MTU carries
 * @used: bytes of pairs in the packet that is being filled
 * @pairs: number of pairs in it
 * @flight: numbered packets
 * @kept: keys whose values are combined here
 * @instance: the number that it has chosen itself for the session
 * @session: the receiver's number; 0 before the session is open
 * @follows: the session before it; 0 where there was none
 * @cookie: of the receiver; 0 before it has come
 * @taken_since: time at which the receiver first said that the source is taken, ns; 0 if it did not
 * @ended: the last packet has its number
 * @over: and is acknowledged
 * @heard: time of the last packet received, ns
 * @behind_silent: that was of a box which hears nothing of the reducer
 * @sent: time of the last packet sent, ns
 * @silent_since: time of the first packet sent after @heard; 0 if none was
 * @left: end of the last call that has used the socket, ns
 * @trouble: the last error of the path, an errno; 0 where packets have come since
 */
struct kv_sender {
	size_t room;
	size_t used;
	unsigned int pairs;
	struct kv_flight flight;
	struct kv_table kept;
	uint32_t instance;
	uint32_t session;
	uint32_t follows;
	uint64_t cookie;
	uint64_t taken_since;
	bool ended;
	bool over;
	uint64_t heard;
	bool behind_silent;
	uint64_t sent;
	uint64_t silent_since;
	uint64_t left;
	int trouble;
};

/* Return 0 or a negative errno, with its sentence. */
int kv_sender_open(struct weir_stream *stream);
int kv_sender_progress(struct weir_stream *stream);

/* It may be NULL. */
void kv_sender_free(struct kv_sender *sender);

size_t kv_sender_keys(const struct kv_sender *sender);

#endif

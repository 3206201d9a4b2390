/* SPDX-License-Identifier: BSD-2-Clause */
/* The reducer's end of streams. */
#ifndef WEIR_KV_RECEIVER_H
#define WEIR_KV_RECEIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kv/hash.h"
#include "kv/session.h"
#include "kv/table.h"

struct kv_inbox;
struct weir_stream;

/**
 * struct kv_receiver - it
 * @table: keys and values of the run
 * @session: one a source
 * @inbox: room for packets that come together
 * @secret: of cookies
 * @run: number of runs, with this one
 * @window: packets that each mapper may have under way
 * @last: the number of the session that was opened last
 * @complete: all mappers have ended: the table no longer changes
 * @ended: time of that, ns
 * @repeated: time at which the last acknowledgments were repeated
 * @read: number of pairs of the result that the caller has had
 */
struct kv_receiver {
	struct kv_table table;
	struct kv_session *session;
	struct kv_inbox *inbox;
	struct kv_secret secret;
	uint64_t run;
	uint16_t window;
	uint32_t last;
	bool complete;
	uint64_t ended;
	uint64_t repeated;
	size_t read;
};

/* Return 0 or a negative errno, with its sentence. */
int kv_receiver_open(struct weir_stream *stream);
int kv_receiver_progress(struct weir_stream *stream);

/* It may be NULL. */
void kv_receiver_free(struct kv_receiver *receiver);

size_t kv_receiver_keys(const struct kv_receiver *receiver);

#endif

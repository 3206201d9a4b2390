/* SPDX-License-Identifier: BSD-2-Clause */
/* One end of a key-value stream, and what both ends share. */
#ifndef WEIR_KV_STREAM_H
#define WEIR_KV_STREAM_H

#include <stdint.h>

#include "base/address.h"
#include "kv/value.h"
#include "kv/wire.h"
#include "libweir.h"

#define KV_ERROR	320

struct kv_sender;
struct kv_receiver;

/**
 * struct kv_config - the options, with defaults filled in
 * @numbers: type and operation
 * @peer: a mapper's: where its packets go. A reducer's: its own address, of no length for any
 * @own: a mapper's: its own address, of no length where the routing table chooses
 * @text: @peer in words
 * @port: of @peer
 * @job: the job's id
 * @source: a mapper's number
 * @sources: number of sources that a reducer waits for
 * @local_keys: number of keys that a mapper may keep
 * @timeout: silence that a mapper bears, ns
 */
struct kv_config {
	struct kv_numbers numbers;
	struct address peer;
	struct address own;
	char text[ADDRESS_TEXT];
	uint16_t port;
	uint16_t job;
	uint16_t source;
	uint16_t sources;
	uint32_t local_keys;
	uint64_t timeout;
};

/**
 * struct weir_stream - one end
 * @config: see there
 * @fd: its socket
 * @sender: of a mapper; else NULL
 * @receiver: of a reducer; else NULL
 * @failed: a final error, or -ERESTART until the mapper restarts
 * @stats: counters, without those of bad packets
 * @faults: packets that were bad, by reason
 * @error: the sentence of the last error
 */
struct weir_stream {
	struct kv_config config;
	int fd;
	struct kv_sender *sender;
	struct kv_receiver *receiver;
	int failed;
	struct weir_kv_stats stats;
	uint64_t faults[KV_FAULTS];
	char error[KV_ERROR];
};

/* Notes the sentence of an error that leaves the stream as it is; returns @err. */
__attribute__((format(printf, 3, 4)))
int kv_refuse(struct weir_stream *stream, int err, const char *format, ...);

/* Notes the sentence of an error that ends the stream; returns @err. */
__attribute__((format(printf, 3, 4)))
int kv_fail(struct weir_stream *stream, int err, const char *format, ...);

#endif

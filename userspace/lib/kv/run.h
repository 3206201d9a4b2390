/* SPDX-License-Identifier: BSD-2-Clause */
/* Begin a reducer's run, make it void, and end it. */
#ifndef WEIR_KV_RUN_H
#define WEIR_KV_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "kv/wire.h"

struct address;
struct weir_stream;

/* A packet with WEIR_KV_OPEN. */
void kv_run_open(struct weir_stream *stream, const struct address *peer,
		 const struct kv_header *header, uint64_t now);

/* Ends the run where all mappers have. */
void kv_run_end(struct weir_stream *stream, uint64_t now);

/* Repeats the last acknowledgments where that is due. Returns false if no mapper needs them any longer. */
bool kv_run_repeat(struct weir_stream *stream, uint64_t now);

/* Return the time when that is due again. */
uint64_t kv_run_repeat_time(const struct weir_stream *stream);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* Answers of a reducer to its mappers: never more bytes than it was sent. */
#ifndef WEIR_KV_ANSWER_H
#define WEIR_KV_ANSWER_H

#include <stdint.h>

#include "kv/wire.h"

struct address;
struct weir_stream;

/* An answer that repeats what @to was about. */
void kv_answer(struct weir_stream *stream, const struct address *peer, const struct kv_header *to,
	       enum weir_kv_status status);

/* To WEIR_KV_OPEN, with a cookie, or with a session's number. */
void kv_answer_cookie(struct weir_stream *stream, const struct address *peer,
		      const struct kv_header *to, uint64_t cookie);
void kv_answer_opened(struct weir_stream *stream, const struct address *peer,
		      const struct kv_header *to, uint32_t number);

/* Report the packets that a source's session has, or that the session has become void. */
void kv_answer_session(struct weir_stream *stream, uint16_t source, enum weir_kv_status status);

#endif

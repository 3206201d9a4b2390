/* SPDX-License-Identifier: BSD-2-Clause */
/* A reducer's state of one mapper's stream: the packets that are taken. */
#ifndef WEIR_KV_SESSION_H
#define WEIR_KV_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/address.h"
#include "kv/wire.h"

/**
 * struct kv_session - a session
 * @number: the reducer's number of it; 0 where the source has no session
 * @instance: the mapper's own
 * @peer: address of the mapper
 * @base: all packets before this one are taken
 * @more: and of those behind it these, as in struct weir_kv
 * @ended: the last packet has come, and its pairs are taken
 * @last: its number
 * @confirmed: the mapper knows that all have ended
 * @heard: time of the last packet, ns
 */
struct kv_session {
	uint32_t number;
	uint32_t instance;
	struct address peer;
	uint32_t base;
	uint64_t more;
	bool ended;
	uint32_t last;
	bool confirmed;
	uint64_t heard;
};

/* Return true if packet @seq is taken. */
bool kv_session_has(const struct kv_session *session, uint32_t seq);

/* Return true if packet @seq may come now. @last: it is the last one, with WEIR_KV_FIN. */
bool kv_session_expects(const struct kv_session *session, uint32_t seq, bool last);

/* Packet @seq is taken. The last one is not acknowledged yet. */
void kv_session_take(struct kv_session *session, uint32_t seq, bool last);

/* Return true if a packet or more are taken. */
static inline bool kv_session_is_used(const struct kv_session *session)
{
	return session->base || session->more || session->ended;
}

/* Return true if all packets are taken. */
static inline bool kv_session_is_whole(const struct kv_session *session)
{
	return session->number && session->ended && session->base == session->last;
}

#endif

// SPDX-License-Identifier: BSD-2-Clause
#include "kv/session.h"

bool kv_session_has(const struct kv_session *session, uint32_t seq)
{
	return (session->ended && seq == session->last) ||
	       kv_has(session->base, session->more, seq);
}

bool kv_session_expects(const struct kv_session *session, uint32_t seq, bool last)
{
	uint32_t ahead = seq - session->base;

	if (ahead >= WEIR_KV_WINDOW)
		return false;
	if (session->ended)
		return !last && kv_before(seq, session->last);
	/* Nothing can have come behind the last. */
	return !last || !ahead || !(session->more >> (ahead - 1));
}

void kv_session_take(struct kv_session *session, uint32_t seq, bool last)
{
	if (last) {
		session->ended = true;
		session->last = seq;
		return;
	}
	if (seq != session->base) {
		session->more |= 1ULL << (seq - session->base - 1);
		return;
	}
	do {
		bool next = session->more & 1;

		session->base++;
		session->more >>= 1;
		if (!next)
			return;
	} while (true);
}

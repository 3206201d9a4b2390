// SPDX-License-Identifier: BSD-2-Clause
#include "kv/session.h"

bool kv_session_has(const struct kv_session *session, uint32_t seq)
{
	uint32_t behind = seq - session->base - 1;

	if (kv_before(seq, session->base) || (session->ended && seq == session->last))
		return true;
	return seq != session->base && behind < 64 && session->more >> behind & 1;
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

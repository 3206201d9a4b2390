// SPDX-License-Identifier: BSD-2-Clause
#include "kv/run.h"

#include <errno.h>
#include <string.h>

#include "flow/rtt.h"
#include "kv/answer.h"
#include "kv/receiver.h"
#include "kv/stream.h"

/* The pause between the last acknowledgments, and the time for which they are repeated at most. */
#define REPEAT_PAUSE	(100 * NSEC_PER_MSEC)
#define REPEAT_FOR	(5 * NSEC_PER_SEC)

/* struct cookie_of - the input of the hash that is a cookie */
struct cookie_of {
	struct in6_addr address;
	uint64_t run;
	uint32_t scope;
	uint32_t instance;
	uint16_t port;
	uint16_t source;
	uint32_t family;
};

static uint64_t cookie_for(const struct kv_receiver *receiver, const struct address *peer,
			   const struct kv_header *header)
{
	struct cookie_of of;

	memset(&of, 0, sizeof(of));
	if (peer->any.sa_family == AF_INET) {
		memcpy(&of.address, &peer->v4.sin_addr, sizeof(peer->v4.sin_addr));
	} else {
		of.address = peer->v6.sin6_addr;
		of.scope = peer->v6.sin6_scope_id;
	}
	of.run = receiver->run;
	of.instance = header->session;
	of.port = address_port(peer);
	of.source = header->source;
	of.family = peer->any.sa_family;
	return kv_hash(&receiver->secret, &of, sizeof(of));
}

/* Nothing of the run counts: all mappers but the one that restarts are told to restart, too. */
static void make_void(struct weir_stream *stream, uint16_t beginner)
{
	struct kv_receiver *receiver = stream->receiver;

	for (uint16_t i = 0; i < stream->config.sources; i++) {
		if (receiver->session[i].number && i != beginner)
			kv_answer_session(stream, i, WEIR_KV_STATUS_UNKNOWN);
		memset(&receiver->session[i], 0, sizeof(receiver->session[i]));
	}
	kv_table_clear(&receiver->table);
	receiver->run++;
	stream->stats.voids++;
}

/* Numbers that have been given are not given again, so that no old packet fits a new session. */
static uint32_t new_number(struct kv_receiver *receiver)
{
	if (!++receiver->last)
		receiver->last = 1;
	return receiver->last;
}

static void begin_session(struct kv_receiver *receiver, const struct address *peer,
			  const struct kv_header *header, uint64_t now)
{
	receiver->session[header->source] = (struct kv_session) {
		.number = new_number(receiver),
		.instance = header->session,
		.peer = *peer,
		.heard = now,
	};
}

/*
 * Return true if another mapper has the source, and was heard not long ago. Numbers of sessions can be
 * guessed by those who have one, so a session is followed only by one from the same address.
 */
static bool is_taken(const struct kv_session *session, const struct address *peer,
		     const struct kv_header *header, uint64_t now)
{
	if (!session->number ||
	    (session->number == header->seq && address_is_same(&session->peer, peer)))
		return false;
	return now - session->heard < WEIR_KV_SILENCE * NSEC_PER_SEC;
}

static bool is_of(const struct kv_session *session, const struct address *peer,
		  const struct kv_header *header)
{
	return session->number && session->instance == header->session &&
	       address_is_same(&session->peer, peer);
}

static void open_session(struct weir_stream *stream, const struct address *peer,
			 const struct kv_header *header, uint64_t now)
{
	struct kv_receiver *receiver = stream->receiver;
	struct kv_session *session = &receiver->session[header->source];

	if (!is_of(session, peer, header)) {
		if (is_taken(session, peer, header, now)) {
			kv_answer(stream, peer, header, WEIR_KV_STATUS_TAKEN);
			return;
		}
		/* One of which nothing was taken leaves no trace, and the others can go on. */
		if (session->number && kv_session_is_used(session))
			make_void(stream, header->source);
		begin_session(receiver, peer, header, now);
	}
	kv_answer_opened(stream, peer, header, session->number);
}

void kv_run_open(struct weir_stream *stream, const struct address *peer,
		 const struct kv_header *header, uint64_t now)
{
	const struct kv_numbers *numbers = &stream->config.numbers;
	struct kv_receiver *receiver = stream->receiver;
	uint64_t cookie = cookie_for(receiver, peer, header);

	/* A mapper that comes after the end is for the next reducer. */
	if (receiver->complete)
		return;
	if (header->op != (uint8_t)numbers->operation || header->dtype != (uint8_t)numbers->type)
		kv_answer(stream, peer, header, WEIR_KV_STATUS_UNLIKE);
	else if (header->more != cookie)
		kv_answer_cookie(stream, peer, header, cookie);
	else
		open_session(stream, peer, header, now);
}

void kv_run_end(struct weir_stream *stream, uint64_t now)
{
	struct kv_receiver *receiver = stream->receiver;
	const struct kv_entry *overflow;

	for (uint16_t i = 0; i < stream->config.sources; i++)
		if (!kv_session_is_whole(&receiver->session[i]))
			return;
	overflow = kv_table_overflow(&receiver->table);
	if (overflow) {
		kv_fail(stream, -EOVERFLOW, "the sum of the key '%.*s' has no room in 64 bits",
			overflow->length, (const char *)kv_table_key(&receiver->table, overflow));
		return;
	}
	receiver->complete = true;
	receiver->ended = now;
	for (uint16_t i = 0; i < stream->config.sources; i++)
		receiver->session[i].base++;
}

bool kv_run_repeat(struct weir_stream *stream, uint64_t now)
{
	struct kv_receiver *receiver = stream->receiver;
	bool due = now >= kv_run_repeat_time(stream);
	bool needed = false;

	for (uint16_t i = 0; i < stream->config.sources; i++) {
		if (receiver->session[i].confirmed)
			continue;
		needed = true;
		if (due)
			kv_answer_session(stream, i, WEIR_KV_STATUS_OK);
	}
	if (due)
		receiver->repeated = now;
	return needed && now - receiver->ended < REPEAT_FOR;
}

uint64_t kv_run_repeat_time(const struct weir_stream *stream)
{
	return stream->receiver->repeated + REPEAT_PAUSE;
}

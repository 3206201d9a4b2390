// SPDX-License-Identifier: BSD-2-Clause
#include "kv/answer.h"

#include <sys/socket.h>

#include "kv/receiver.h"
#include "kv/stream.h"

static void send_to(struct weir_stream *stream, const struct address *peer,
		    const struct kv_header *header)
{
	uint8_t packet[KV_HEADER];

	kv_header_write(packet, header);
	/* One that is lost here is asked for again. */
	if (sendto(stream->fd, packet, sizeof(packet), MSG_DONTWAIT, &peer->any, peer->length) >= 0)
		stream->stats.packets_sent++;
}

static struct kv_header header_for(const struct weir_stream *stream, uint16_t source,
				   enum weir_kv_status status)
{
	const struct kv_config *config = &stream->config;

	return (struct kv_header) {
		.kind = WEIR_KV_DOWN,
		.flags = WEIR_KV_CPA | WEIR_KV_CPK,
		.op = (uint8_t)config->numbers.operation,
		.dtype = (uint8_t)config->numbers.type,
		.job = config->job,
		.source = source,
		.pairs = status,
	};
}

static struct kv_header header_to(const struct weir_stream *stream, const struct kv_header *to,
				  enum weir_kv_status status)
{
	struct kv_header header = header_for(stream, to->source, status);

	header.flags |= to->flags & WEIR_KV_OPEN;
	header.session = to->session;
	return header;
}

void kv_answer(struct weir_stream *stream, const struct address *peer, const struct kv_header *to,
	       enum weir_kv_status status)
{
	struct kv_header header = header_to(stream, to, status);

	send_to(stream, peer, &header);
}

void kv_answer_cookie(struct weir_stream *stream, const struct address *peer,
		      const struct kv_header *to, uint64_t cookie)
{
	struct kv_header header = header_to(stream, to, WEIR_KV_STATUS_COOKIE);

	header.more = cookie;
	send_to(stream, peer, &header);
}

void kv_answer_opened(struct weir_stream *stream, const struct address *peer,
		      const struct kv_header *to, uint32_t number)
{
	struct kv_header header = header_to(stream, to, WEIR_KV_STATUS_OPENED);

	header.seq = number;
	header.more = to->more;
	header.window = stream->receiver->window;
	send_to(stream, peer, &header);
}

void kv_answer_session(struct weir_stream *stream, uint16_t source, enum weir_kv_status status)
{
	const struct kv_session *session = &stream->receiver->session[source];
	struct kv_header header = header_for(stream, source, status);

	header.session = session->number;
	header.seq = session->base;
	if (status == WEIR_KV_STATUS_OK) {
		header.more = session->more;
		header.window = stream->receiver->window;
	}
	send_to(stream, &session->peer, &header);
}

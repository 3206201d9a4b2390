// SPDX-License-Identifier: BSD-2-Clause
#include "kv/receiver.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sized.h"
#include "flow/rtt.h"
#include "kv/answer.h"
#include "kv/inbox.h"
#include "kv/run.h"
#include "kv/stream.h"

/* Room of a packet in the socket's buffer, with the kernel's overhead; and the least window. */
#define PACKET_ROOM	4096
#define WINDOW_LEAST	2

void kv_receiver_free(struct kv_receiver *receiver)
{
	if (!receiver)
		return;
	kv_table_uninit(&receiver->table);
	free(receiver->session);
	free(receiver->inbox);
	free(receiver);
}

size_t kv_receiver_keys(const struct kv_receiver *receiver)
{
	return receiver->table.count;
}

static int path_error(struct weir_stream *stream, const char *what)
{
	const struct kv_config *config = &stream->config;
	char text[ADDRESS_TEXT];
	int err = errno;

	return kv_fail(stream, -err, "%s %s port %u: %s", what,
		       config->peer.length ? address_format(&config->peer, text) : "any address",
		       config->port, strerror(err));
}

/* Set the window so that the packets under way of all mappers fit the socket's buffer. */
static void set_window(struct weir_stream *stream)
{
	int wanted = stream->config.sources * WEIR_KV_WINDOW * PACKET_ROOM;
	int got = 0, window = WEIR_KV_WINDOW;
	socklen_t length = sizeof(got);

	if (setsockopt(stream->fd, SOL_SOCKET, SO_RCVBUFFORCE, &wanted, sizeof(wanted)))
		setsockopt(stream->fd, SOL_SOCKET, SO_RCVBUF, &wanted, sizeof(wanted));
	if (!getsockopt(stream->fd, SOL_SOCKET, SO_RCVBUF, &got, &length))
		window = got / PACKET_ROOM / stream->config.sources;
	if (window < WINDOW_LEAST)
		window = WINDOW_LEAST;
	stream->receiver->window = window < WEIR_KV_WINDOW ? (uint16_t)window : WEIR_KV_WINDOW;
}

static int make_socket(struct weir_stream *stream, const struct address *address)
{
	const int both = 0;

	stream->fd = socket(address->any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (stream->fd < 0)
		return -errno;
	/* A wildcard of IPv6 takes IPv4, too. */
	if (address->any.sa_family == AF_INET6 && !stream->config.peer.length)
		setsockopt(stream->fd, IPPROTO_IPV6, IPV6_V6ONLY, &both, sizeof(both));
	return bind(stream->fd, &address->any, address->length) ? -errno : 0;
}

static int open_socket(struct weir_stream *stream)
{
	const struct kv_config *config = &stream->config;
	struct address address = config->peer;
	int err;

	if (!address.length)
		address_any(&address, AF_INET6, config->port);
	err = make_socket(stream, &address);
	/* A host may be without IPv6. */
	if ((err == -EAFNOSUPPORT || err == -EADDRNOTAVAIL) && !config->peer.length) {
		if (stream->fd >= 0)
			close(stream->fd);
		address_any(&address, AF_INET, config->port);
		err = make_socket(stream, &address);
	}
	errno = -err;
	return err ? path_error(stream, "listening at") : 0;
}

int kv_receiver_open(struct weir_stream *stream)
{
	struct kv_receiver *receiver = calloc(1, sizeof(*receiver));

	if (!receiver)
		return kv_fail(stream, -ENOMEM, "no memory for a stream");
	stream->receiver = receiver;
	receiver->run = 1;
	receiver->session = calloc(stream->config.sources, sizeof(*receiver->session));
	receiver->inbox = kv_inbox_make();
	if (!receiver->session || !receiver->inbox)
		return kv_fail(stream, -ENOMEM, "no memory for a stream");
	if (kv_table_init(&receiver->table) ||
	    kv_random(&receiver->secret, sizeof(receiver->secret)) ||
	    kv_random(&receiver->last, sizeof(receiver->last)))
		return kv_fail(stream, -EIO, "the kernel gives no random number");
	if (open_socket(stream))
		return stream->failed;
	set_window(stream);
	return 0;
}

/* The reason why a packet's header does not fit this reducer, if it does not. */
static enum kv_fault look_at_header(const struct weir_stream *stream,
				    const struct kv_header *header, size_t length)
{
	const struct kv_config *config = &stream->config;
	uint8_t alone = WEIR_KV_COLLECT | WEIR_KV_FIN;

	if (header->kind != WEIR_KV_UP || !(header->flags & WEIR_KV_CPA) ||
	    header->flags & WEIR_KV_CPK || length > KV_PACKET_MAX)
		return KV_BAD_HEADER;
	if (header->flags & WEIR_KV_OPEN && (header->flags & alone || length != KV_HEADER))
		return KV_BAD_HEADER;
	if (header->job != config->job || header->source >= config->sources)
		return KV_BAD_SOURCE;
	return KV_FINE;
}

static bool is_alike(const struct weir_stream *stream, const struct kv_header *header)
{
	const struct kv_numbers *numbers = &stream->config.numbers;

	return header->op == (uint8_t)numbers->operation &&
	       header->dtype == (uint8_t)numbers->type;
}

/* All pairs of a packet that has been looked at. */
static void take_pairs(struct weir_stream *stream, struct kv_cursor cursor)
{
	const struct kv_numbers *numbers = &stream->config.numbers;
	struct kv_pair pair = { .length = 0 };

	while (!stream->failed && cursor.left && kv_pair_read(&cursor, &pair) == KV_FINE)
		kv_table_take(&stream->receiver->table, numbers, pair.key, pair.length,
			      kv_value_read(numbers, pair.bits));
}

/**
 * struct letter - a packet that has come
 * @header: its header
 * @bytes: all of it
 * @length: number of bytes
 * @peer: its sender
 */
struct letter {
	struct kv_header header;
	const uint8_t *bytes;
	size_t length;
	const struct address *peer;
};

/* A packet with a number of its own. Nothing of it is taken before all of it was looked at. */
static enum kv_fault take_numbered(struct weir_stream *stream, struct kv_session *session,
				   const struct letter *letter)
{
	const struct kv_header *header = &letter->header;
	struct kv_cursor cursor = kv_pairs(header, letter->bytes, letter->length);
	bool last = header->flags & WEIR_KV_FIN;
	size_t bytes;
	enum kv_fault fault = kv_pairs_check(cursor, header->pairs, &bytes);

	if (fault)
		return fault;
	if (kv_session_has(session, header->seq)) {
		stream->stats.duplicates++;
		return KV_FINE;
	}
	if (!kv_session_expects(session, header->seq, last))
		return KV_BAD_SEQUENCE;
	if (kv_table_reserve(&stream->receiver->table, header->pairs, bytes)) {
		kv_fail(stream, -ENOMEM, "no memory for more than %zu keys",
			stream->receiver->table.count);
		return KV_FINE;
	}
	take_pairs(stream, cursor);
	stream->stats.pairs += header->pairs;
	kv_session_take(session, header->seq, last);
	return KV_FINE;
}

/* A packet of a session that there is. */
static enum kv_fault take_in_session(struct weir_stream *stream, struct kv_session *session,
				     const struct letter *letter, uint64_t now)
{
	const struct kv_header *header = &letter->header;
	bool probe = !header->pairs && letter->length == KV_HEADER &&
		     !(header->flags & (WEIR_KV_COLLECT | WEIR_KV_FIN));
	enum kv_fault fault = probe ? KV_FINE : take_numbered(stream, session, letter);

	if (fault)
		return fault;
	session->heard = now;
	if (!stream->receiver->complete)
		kv_run_end(stream, now);
	/* A confirmation of the last acknowledgment is not answered: that would go on for ever. */
	if (probe && stream->receiver->complete && header->seq == session->base)
		session->confirmed = true;
	else if (!stream->failed)
		kv_answer_session(stream, header->source, WEIR_KV_STATUS_OK);
	return KV_FINE;
}

static enum kv_fault take(struct weir_stream *stream, struct letter *letter, uint64_t now)
{
	const struct kv_header *header = &letter->header;
	struct kv_session *session;
	enum kv_fault fault;

	if (!kv_header_read(&letter->header, letter->bytes, letter->length))
		return KV_BAD_HEADER;
	fault = look_at_header(stream, header, letter->length);
	if (fault)
		return fault;
	if (header->flags & WEIR_KV_OPEN) {
		kv_run_open(stream, letter->peer, header, now);
		return is_alike(stream, header) ? KV_FINE : KV_BAD_NUMBERS;
	}
	session = &stream->receiver->session[header->source];
	if (!session->number || session->number != header->session) {
		kv_answer(stream, letter->peer, header, WEIR_KV_STATUS_UNKNOWN);
		return KV_BAD_SESSION;
	}
	if (!address_is_same(&session->peer, letter->peer))
		return KV_BAD_SOURCE;
	if (!is_alike(stream, header))
		return KV_BAD_NUMBERS;
	return take_in_session(stream, session, letter, now);
}

/* All packets that have come. */
static int take_all(struct weir_stream *stream)
{
	struct kv_inbox *inbox = stream->receiver->inbox;
	int count;

	while (!stream->failed && (count = kv_inbox_read(inbox, stream->fd)) > 0) {
		uint64_t now = rtt_now();

		for (int i = 0; i < count && !stream->failed; i++) {
			struct letter letter = {
				.bytes = inbox->bytes[i],
				.length = inbox->message[i].msg_len,
				.peer = &inbox->peer[i],
			};

			stream->faults[take(stream, &letter, now)]++;
			stream->stats.packets_received++;
		}
	}
	return stream->failed;
}

static int await(struct weir_stream *stream)
{
	struct pollfd poller = { .fd = stream->fd, .events = POLLIN };
	uint64_t now = rtt_now(), until = kv_run_repeat_time(stream);
	int pause = -1;

	if (stream->receiver->complete)
		pause = until > now ? (int)((until - now) / NSEC_PER_MSEC) + 1 : 0;
	if (poll(&poller, 1, pause) < 0 && errno == EINTR)
		return kv_refuse(stream, -EINTR, "a signal handler ran");
	return 0;
}

int kv_receiver_progress(struct weir_stream *stream)
{
	const struct kv_receiver *receiver = stream->receiver;
	int err = take_all(stream);

	if (err)
		return err;
	if (!receiver->complete)
		return kv_refuse(stream, -EAGAIN, "not all mappers have ended");
	kv_run_repeat(stream, rtt_now());
	return 0;
}

int weir_kv_wait(struct weir_stream *stream)
{
	const struct kv_receiver *receiver = stream->receiver;
	int err;

	if (!receiver)
		return kv_refuse(stream, -EINVAL, "the stream is a mapper's: reducers wait");
	err = take_all(stream);
	while (!err && (!receiver->complete || kv_run_repeat(stream, rtt_now())))
		err = await(stream) ?: take_all(stream);
	return err;
}

int weir_kv_next(struct weir_stream *stream, struct weir_kv_pair *pair)
{
	struct kv_receiver *receiver = stream->receiver;
	struct weir_kv_pair mine = { .size = sizeof(mine) };
	const struct kv_entry *entry;

	if (!receiver)
		return kv_refuse(stream, -EINVAL, "the stream is a mapper's: a reducer has pairs");
	if (!receiver->complete)
		return kv_refuse(stream, -EINVAL, "not all mappers have ended: wait for them");
	if (receiver->read == receiver->table.count)
		return 0;
	entry = &receiver->table.entries[receiver->read];
	mine.key = kv_table_key(&receiver->table, entry);
	mine.length = entry->length;
	if (kv_value_is_integer(&stream->config.numbers))
		mine.integer = entry->value.integer;
	else
		mine.real = entry->value.real;
	if (sized_out(pair, pair->size, &mine, sizeof(mine)))
		return kv_refuse(stream, -EINVAL,
				 "the pair's size is %zu: set it to sizeof(struct weir_kv_pair)",
				 pair->size);
	receiver->read++;
	return 1;
}

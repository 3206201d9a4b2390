// SPDX-License-Identifier: BSD-2-Clause
#include "kv/talk.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/time.h"
#include "kv/sender.h"
#include "kv/stream.h"
#include "number/number.h"

/* The time for which a source that another mapper has is asked for, and the pause between requests. */
#define TAKEN_FOR	(10 * NSEC_PER_SEC)
#define TAKEN_PAUSE	(500 * NSEC_PER_MSEC)

static int path_error(struct weir_stream *stream, const char *what)
{
	const struct kv_config *config = &stream->config;
	int err = errno;

	return kv_fail(stream, -err, "%s %s port %u: %s", what, config->text, config->port,
		       strerror(err));
}

/* Packets are never fragmented: a box does not read fragments. */
static void forbid_fragments(const struct weir_stream *stream)
{
	const int discover = IP_PMTUDISC_DO;

	if (stream->config.peer.any.sa_family == AF_INET)
		setsockopt(stream->fd, IPPROTO_IP, IP_MTU_DISCOVER, &discover, sizeof(discover));
	else
		setsockopt(stream->fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, &discover,
			   sizeof(discover));
}

static int measure(struct weir_stream *stream)
{
	const struct address *peer = &stream->config.peer;
	bool v4 = peer->any.sa_family == AF_INET;
	size_t least = kv_pair_size(WEIR_KV_KEY_MAX, kv_width(stream->config.numbers.type));
	size_t header = address_overhead(peer) + KV_HEADER;
	socklen_t length = sizeof(int);
	int mtu;

	if (getsockopt(stream->fd, v4 ? IPPROTO_IP : IPPROTO_IPV6, v4 ? IP_MTU : IPV6_MTU, &mtu,
		       &length))
		return path_error(stream, "the path's MTU to");
	if (mtu < 0 || (size_t)mtu < header + least)
		return kv_fail(stream, -EMSGSIZE,
			       "the path to %s has an MTU of %d, and a pair takes %zu",
			       stream->config.text, mtu, header + least);
	stream->sender->room = (size_t)mtu - header;
	if (stream->sender->room > WEIR_KV_BYTES_MAX)
		stream->sender->room = WEIR_KV_BYTES_MAX;
	return 0;
}

int kv_talk_open(struct weir_stream *stream)
{
	const struct kv_config *config = &stream->config;
	int type = SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK;

	stream->fd = socket(config->peer.any.sa_family, type, 0);
	if (stream->fd < 0)
		return path_error(stream, "a socket to");
	forbid_fragments(stream);
	if (config->own.length && bind(stream->fd, &config->own.any, config->own.length))
		return path_error(stream, "bind_address towards");
	if (connect(stream->fd, &config->peer.any, config->peer.length))
		return path_error(stream, "no way to");
	return measure(stream);
}

struct kv_header kv_talk_header(const struct weir_stream *stream, uint8_t flags)
{
	const struct kv_config *config = &stream->config;

	return (struct kv_header) {
		.kind = WEIR_KV_UP,
		.flags = WEIR_KV_CPA | WEIR_KV_PACKED | flags,
		.op = (uint8_t)config->numbers.operation,
		.dtype = (uint8_t)config->numbers.type,
		.job = config->job,
		.source = config->source,
		.session = stream->sender->session,
	};
}

void kv_talk_send(struct weir_stream *stream, const uint8_t *packet, size_t length)
{
	struct kv_sender *sender = stream->sender;

	sender->sent = rtt_now();
	if (!sender->silent_since)
		sender->silent_since = sender->sent;
	if (send(stream->fd, packet, length, 0) >= 0)
		return;
	/* A full buffer loses it, as a full queue does. */
	if (errno == EMSGSIZE)
		kv_fail(stream, -EMSGSIZE,
			"a packet of %zu bytes is too long for the path to %s: its MTU has become less",
			length, stream->config.text);
	else if (errno != EAGAIN && errno != ENOBUFS && errno != EINTR)
		sender->trouble = errno;
}

void kv_talk_probe(struct weir_stream *stream, uint32_t seq)
{
	struct kv_header header = kv_talk_header(stream, 0);
	uint8_t packet[KV_HEADER];

	header.seq = seq;
	kv_header_write(packet, &header);
	kv_talk_send(stream, packet, sizeof(packet));
	stream->stats.probes++;
}

static int unlike(struct weir_stream *stream, const struct kv_header *header)
{
	const struct kv_config *config = &stream->config;

	return kv_fail(stream, -EPROTO,
		       "job %u at %s has the operation %s and values of %s, and this mapper %s and %s",
		       config->job, config->text, operation_name(header->op),
		       number_name(header->dtype), operation_name(config->numbers.operation),
		       number_name(config->numbers.type));
}

static int is_taken(struct weir_stream *stream, uint64_t now)
{
	const struct kv_config *config = &stream->config;
	struct kv_sender *sender = stream->sender;

	if (!sender->taken_since)
		sender->taken_since = now;
	if (now - sender->taken_since < TAKEN_FOR)
		return 0;
	return kv_fail(stream, -EADDRINUSE,
		       "source %u of job %u at %s is taken: another mapper has it and is alive",
		       config->source, config->job, config->text);
}

/* An answer to WEIR_KV_OPEN. */
static int take_opening(struct weir_stream *stream, const struct kv_header *header, uint64_t now)
{
	struct kv_sender *sender = stream->sender;

	switch (header->pairs) {
	case WEIR_KV_STATUS_COOKIE:
		sender->cookie = header->more;
		return 0;
	case WEIR_KV_STATUS_OPENED:
		sender->session = header->seq;
		if (header->window)
			sender->flight.limit = header->window;
		return 0;
	case WEIR_KV_STATUS_TAKEN:
		return is_taken(stream, now);
	case WEIR_KV_STATUS_UNLIKE:
		return unlike(stream, header);
	default:
		stream->faults[KV_BAD_HEADER]++;
		return 0;
	}
}

static int take_void(struct weir_stream *stream)
{
	const struct kv_config *config = &stream->config;

	stream->stats.voids++;
	return kv_fail(stream, -ERESTART,
		       "the run of job %u at %s is void, as a mapper began anew or a box or the reducer did: begin with the first pair",
		       config->job, config->text);
}

static int take_answer(struct weir_stream *stream, const struct kv_header *header, uint64_t now)
{
	struct kv_sender *sender = stream->sender;

	/* A mapper that has the last acknowledgment has ended, whatever becomes of the receiver. */
	if (sender->over)
		return 0;
	switch (header->pairs) {
	case WEIR_KV_STATUS_OK:
		if (!kv_flight_acked(&sender->flight, header, now))
			stream->faults[KV_BAD_SEQUENCE]++;
		return 0;
	case WEIR_KV_STATUS_UNKNOWN:
		return take_void(stream);
	case WEIR_KV_STATUS_UNLIKE:
		return unlike(stream, header);
	default:
		stream->faults[KV_BAD_HEADER]++;
		return 0;
	}
}

/* The reason why an answer is none, if it is none. */
static enum kv_fault look_at(const struct weir_stream *stream, const struct kv_header *header)
{
	const struct kv_config *config = &stream->config;
	const struct kv_sender *sender = stream->sender;

	if (header->kind != WEIR_KV_DOWN || !(header->flags & WEIR_KV_CPA) ||
	    !(header->flags & WEIR_KV_CPK))
		return KV_BAD_HEADER;
	if (header->job != config->job || header->source != config->source)
		return KV_BAD_SOURCE;
	if (header->flags & WEIR_KV_OPEN)
		return header->session == sender->instance ? KV_FINE : KV_BAD_SESSION;
	return sender->session && header->session == sender->session ? KV_FINE : KV_BAD_SESSION;
}

static int take(struct weir_stream *stream, const uint8_t *packet, size_t length)
{
	struct kv_sender *sender = stream->sender;
	struct kv_header header = { .kind = 0 };
	enum kv_fault fault = KV_BAD_HEADER;
	uint64_t now = rtt_now();

	stream->stats.packets_received++;
	if (kv_header_read(&header, packet, length))
		fault = look_at(stream, &header);
	if (fault) {
		stream->faults[fault]++;
		return 0;
	}
	sender->heard = now;
	sender->behind_silent = header.flags & WEIR_KV_SILENT;
	if (!sender->behind_silent)
		sender->silent_since = 0;
	sender->trouble = 0;
	if (!(header.flags & WEIR_KV_OPEN))
		return take_answer(stream, &header, now);
	return sender->session ? 0 : take_opening(stream, &header, now);
}

int kv_talk_listen(struct weir_stream *stream)
{
	uint8_t packet[KV_HEADER + 1];
	ssize_t length;
	int err = stream->failed;

	while (!err) {
		length = recv(stream->fd, packet, sizeof(packet), 0);
		if (length >= 0)
			err = take(stream, packet, (size_t)length);
		else if (errno == EAGAIN)
			break;
		else if (errno != EINTR)
			stream->sender->trouble = errno;
	}
	return err;
}

void kv_talk_excuse(struct kv_sender *sender, uint64_t until)
{
	uint64_t now = rtt_now();

	if (sender->silent_since && now > until)
		sender->silent_since += now - until;
}

int kv_talk_wait(struct weir_stream *stream, uint64_t until)
{
	struct pollfd poller = { .fd = stream->fd, .events = POLLIN };
	uint64_t now = rtt_now();
	const struct timespec limit = rtt_left(until, now);

	if (ppoll(&poller, 1, &limit, NULL) < 0 && errno == EINTR)
		return kv_refuse(stream, -EINTR, "a signal handler ran");
	kv_talk_excuse(stream->sender, time_later(until, now));
	return 0;
}

int kv_talk_check(struct weir_stream *stream)
{
	const struct kv_config *config = &stream->config;
	const struct kv_sender *sender = stream->sender;
	unsigned long long seconds = config->timeout / NSEC_PER_SEC;

	if (!sender->silent_since || rtt_now() - sender->silent_since < config->timeout)
		return 0;
	if (sender->trouble)
		return kv_fail(stream, -sender->trouble,
			       "nothing has come from %s port %u for %llu s: %s", config->text,
			       config->port, seconds, strerror(sender->trouble));
	if (sender->behind_silent)
		return kv_fail(stream, -ETIMEDOUT,
			       "the box %s hears nothing of the reducer of job %u, its parent: is that there?",
			       config->text, config->job);
	return kv_fail(stream, -ETIMEDOUT,
		       "nothing has come from %s port %u for %llu s: is job %u with source %u there?",
		       config->text, config->port, seconds, config->job, config->source);
}

static void ask(struct weir_stream *stream)
{
	struct kv_header header = kv_talk_header(stream, WEIR_KV_OPEN);
	struct kv_sender *sender = stream->sender;
	uint8_t packet[KV_HEADER];

	header.session = sender->instance;
	header.seq = sender->follows;
	header.more = sender->cookie;
	kv_header_write(packet, &header);
	kv_talk_send(stream, packet, sizeof(packet));
}

/* Listens until there is an answer that changes something, or a time. */
static int await(struct weir_stream *stream, uint64_t until)
{
	const struct kv_sender *sender = stream->sender;
	uint64_t cookie = sender->cookie;
	int err;

	do {
		err = kv_talk_wait(stream, until) ?: kv_talk_listen(stream) ?:
		      kv_talk_check(stream);
	} while (!err && !sender->session && sender->cookie == cookie && rtt_now() < until);
	return err;
}

/* Until something has come, as often as a lost packet is sent again. */
static uint64_t pause_after(const struct kv_sender *sender, unsigned int asked)
{
	uint64_t pause = RTO_FLOOR << (asked < 8 ? asked : 8);

	if (sender->taken_since)
		return TAKEN_PAUSE;
	return time_earlier(pause, RTO_CAP);
}

int kv_talk_begin(struct weir_stream *stream)
{
	struct kv_sender *sender = stream->sender;
	int err = 0;

	for (unsigned int asked = 0; !err && !sender->session; asked++) {
		ask(stream);
		err = await(stream, rtt_now() + pause_after(sender, asked));
	}
	return err;
}

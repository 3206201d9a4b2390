// SPDX-License-Identifier: BSD-2-Clause
#include "kv/sender.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

#include "base/time.h"
#include "kv/hash.h"
#include "kv/stream.h"
#include "kv/talk.h"
#include "number/number.h"

/* A mapper that has sent nothing for this long sends a probe, to show that it is alive. */
#define PROBE_AFTER	NSEC_PER_SEC

/*
 * The last acknowledgment is repeated each 100 ms until it is confirmed: if none comes for a few of
 * these times, the confirmation has been received. The limit is for a mapper that is always answered.
 */
#define CONFIRM_PAUSE	(50 * NSEC_PER_MSEC)
#define CONFIRM_SILENCE	(350 * NSEC_PER_MSEC)
#define CONFIRM_LIMIT	NSEC_PER_SEC

void kv_sender_free(struct kv_sender *sender)
{
	if (!sender)
		return;
	kv_flight_uninit(&sender->flight);
	kv_table_uninit(&sender->kept);
	free(sender);
}

size_t kv_sender_keys(const struct kv_sender *sender)
{
	return sender->kept.count;
}

/* As for a first session, but for the number of the one before. */
static int reset(struct weir_stream *stream)
{
	struct kv_sender *sender = stream->sender;

	kv_flight_reset(&sender->flight);
	kv_table_clear(&sender->kept);
	sender->used = 0;
	sender->pairs = 0;
	if (sender->session)
		sender->follows = sender->session;
	sender->session = 0;
	sender->cookie = 0;
	sender->taken_since = 0;
	sender->ended = false;
	sender->silent_since = 0;
	stream->failed = 0;
	if (kv_random(&sender->instance, sizeof(sender->instance)))
		return kv_fail(stream, -EIO, "the kernel gives no random number");
	return 0;
}

static void enter(struct kv_sender *sender)
{
	kv_talk_excuse(sender, sender->left);
}

static int leave(struct kv_sender *sender, int err)
{
	sender->left = rtt_now();
	return err;
}

static int prepare(struct weir_stream *stream)
{
	struct kv_sender *sender = stream->sender;
	int err = kv_talk_open(stream);

	if (err)
		return err;
	if (kv_table_init(&sender->kept) ||
	    kv_flight_init(&sender->flight, KV_HEADER + sender->room))
		return kv_fail(stream, -ENOMEM, "no memory for the stream's packets");
	return reset(stream);
}

int kv_sender_open(struct weir_stream *stream)
{
	stream->sender = calloc(1, sizeof(*stream->sender));
	if (!stream->sender)
		return kv_fail(stream, -ENOMEM, "no memory for a stream");
	return leave(stream->sender, prepare(stream) ?: kv_talk_begin(stream));
}

/* Gives the packet that is being filled its number. */
static void seal(struct weir_stream *stream, uint8_t flags)
{
	struct kv_sender *sender = stream->sender;
	struct kv_packet *packet = kv_flight_packet(&sender->flight, sender->flight.next);
	struct kv_header header = kv_talk_header(stream, flags);

	header.pairs = (uint16_t)sender->pairs;
	header.seq = sender->flight.next++;
	kv_header_write(packet->bytes, &header);
	packet->length = KV_HEADER + sender->used;
	sender->used = 0;
	sender->pairs = 0;
}

static void send_packet(struct weir_stream *stream, struct kv_packet *packet)
{
	kv_flight_sent(&stream->sender->flight, packet, rtt_now());
	kv_talk_send(stream, packet->bytes, packet->length);
	stream->stats.packets_sent++;
	stream->stats.retransmits += packet->again;
}

static void send_all(struct weir_stream *stream)
{
	struct kv_flight *flight = &stream->sender->flight;
	struct kv_packet *packet;
	uint64_t now = rtt_now();

	if (now >= kv_flight_expiry(flight)) {
		kv_flight_expire(flight, now);
		stream->stats.timeouts++;
	}
	while ((packet = kv_flight_lost(flight, now)))
		send_packet(stream, packet);
	while (kv_flight_may_send(flight))
		send_packet(stream, kv_flight_packet(flight, flight->unsent));
}

/* Return the time when a probe is due: soon if the other end had no room, which only its answers report. */
static uint64_t probe_time(const struct kv_sender *sender)
{
	const struct kv_flight *flight = &sender->flight;

	if (flight->unsent != flight->next && !flight->under_way)
		return sender->sent + rtt_timeout(&flight->rtt);
	return sender->sent + PROBE_AFTER;
}

static void show_life(struct weir_stream *stream)
{
	struct kv_sender *sender = stream->sender;
	bool waits = sender->flight.unsent != sender->flight.next;

	if (rtt_now() < probe_time(sender))
		return;
	if (waits && !sender->flight.under_way)
		sender->flight.rtt.backoff++;
	/* The number behind the last packet's would say that its acknowledgment has come. */
	kv_talk_probe(stream, sender->flight.base);
}

/* Receive and send the packets that are due. Return 0 or a negative errno. */
static int work(struct weir_stream *stream)
{
	int err = kv_talk_listen(stream);

	if (err)
		return err;
	send_all(stream);
	show_life(stream);
	return stream->failed ?: kv_talk_check(stream);
}

static int work_or_wait(struct weir_stream *stream)
{
	struct kv_sender *sender = stream->sender;

	return kv_talk_wait(stream, time_earlier(kv_flight_expiry(&sender->flight),
						 probe_time(sender))) ?: work(stream);
}

/*
 * Until there is a packet to fill, which mostly there is: most pairs ask no clock. A signal's handler
 * changes nothing here.
 */
static int await_slot(struct weir_stream *stream)
{
	struct kv_sender *sender = stream->sender;
	int err = stream->failed;

	if (err || kv_flight_has_slot(&sender->flight))
		return err;
	enter(sender);
	while (!err && !kv_flight_has_slot(&sender->flight)) {
		err = work_or_wait(stream);
		if (err == -EINTR)
			err = 0;
	}
	return leave(sender, err);
}

/* A packet more goes, with these flags. */
static int push(struct weir_stream *stream, uint8_t flags)
{
	int err = await_slot(stream);

	if (err)
		return err;
	seal(stream, flags);
	enter(stream->sender);
	return leave(stream->sender, work(stream));
}

/* Puts a pair that the wire can carry into a packet. */
static int add(struct weir_stream *stream, const void *key, size_t length, union kv_value value)
{
	const struct kv_numbers *numbers = &stream->config.numbers;
	struct kv_sender *sender = stream->sender;
	size_t width = kv_width(numbers->type);
	struct kv_packet *packet;
	int err = 0;

	if (sender->used + kv_pair_size(length, width) > sender->room)
		err = push(stream, 0);
	if (!err)
		err = await_slot(stream);
	if (err)
		return err;
	packet = kv_flight_packet(&sender->flight, sender->flight.next);
	sender->used += kv_pair_write(packet->bytes + KV_HEADER + sender->used, key, length,
				      kv_value_bits(numbers, value), width);
	sender->pairs++;
	stream->stats.pairs++;
	return 0;
}

static int send_kept(struct weir_stream *stream)
{
	struct kv_table *kept = &stream->sender->kept;
	int err = 0;

	for (size_t i = 0; !err && i < kept->count; i++) {
		const struct kv_entry *entry = &kept->entries[i];

		err = add(stream, kv_table_key(kept, entry), entry->length, entry->value);
	}
	kv_table_clear(kept);
	return err;
}

/* Sends what is kept of a key where it and one more value do not fit a packet's value together. */
static int make_fit(struct weir_stream *stream, struct kv_entry *entry, union kv_value value)
{
	const struct kv_numbers *numbers = &stream->config.numbers;
	union kv_value both = entry->value;
	int err;

	if (kv_value_combine(numbers, &both, value) && kv_value_fits(numbers, both)) {
		entry->value = both;
		return 0;
	}
	err = add(stream, kv_table_key(&stream->sender->kept, entry), entry->length, entry->value);
	entry->value = value;
	return err;
}

static int keep(struct weir_stream *stream, const void *key, size_t length, union kv_value value)
{
	struct kv_table *kept = &stream->sender->kept;
	struct kv_entry *entry = kv_table_find(kept, key, length);
	int err = 0;

	if (entry)
		return make_fit(stream, entry, value);
	if (kept->count == stream->config.local_keys || kv_table_reserve(kept, 1, length))
		err = send_kept(stream);
	if (err)
		return err;
	if (kv_table_reserve(kept, 1, length))
		return add(stream, key, length, value);
	kv_table_take(kept, &stream->config.numbers, key, length, value);
	return 0;
}

static int check_key(struct weir_stream *stream, size_t length)
{
	if (!length || length > WEIR_KV_KEY_MAX)
		return kv_refuse(stream, -EINVAL, "the key has %zu bytes: it must have 1 to %d",
				 length, WEIR_KV_KEY_MAX);
	return 0;
}

static int check_integer(struct weir_stream *stream, int64_t value)
{
	if (kv_value_fits(&stream->config.numbers, (union kv_value) { .integer = value }))
		return 0;
	return kv_refuse(stream, -ERANGE,
			 "the value %" PRId64 " is not from -2147483648 to 2147483647, as the job's type int32 has them",
			 value);
}

/* A double as the stream's type has it. */
static int convert(struct weir_stream *stream, double value, union kv_value *mine)
{
	const struct kv_numbers *numbers = &stream->config.numbers;

	if (!kv_value_is_integer(numbers)) {
		mine->real = value;
		if (kv_value_fits(numbers, *mine))
			return 0;
		return kv_refuse(stream, -ERANGE,
				 "the value %.17g is too large for the job's type float32", value);
	}
	if (!(value >= -0x1p63 && value < 0x1p63 && value == (double)(int64_t)value))
		return kv_refuse(stream, -ERANGE,
				 "the value %.17g is no integer that the job's type %s has", value,
				 number_name(numbers->type));
	mine->integer = (int64_t)value;
	return check_integer(stream, mine->integer);
}

/* Check that it is a mapper's stream that has not failed or ended. Return 0 or a negative errno. */
static int check_state(struct weir_stream *stream)
{
	if (!stream->sender)
		return kv_refuse(stream, -EINVAL, "the stream is a reducer's: mappers put pairs");
	if (stream->failed)
		return stream->failed;
	if (stream->sender->ended)
		return kv_refuse(stream, -EINVAL, "the stream has ended: open another one");
	return 0;
}

static int put(struct weir_stream *stream, const void *key, size_t length, union kv_value value)
{
	return stream->config.local_keys ? keep(stream, key, length, value) :
					   add(stream, key, length, value);
}

int weir_kv_put(struct weir_stream *stream, const void *key, size_t length, double value)
{
	union kv_value mine = { .integer = 0 };
	int err = check_state(stream) ?: check_key(stream, length) ?:
		  convert(stream, value, &mine);

	return err ?: put(stream, key, length, mine);
}

int weir_kv_put_integer(struct weir_stream *stream, const void *key, size_t length, int64_t value)
{
	union kv_value mine = { .integer = value };
	int err = check_state(stream) ?: check_key(stream, length);

	if (err)
		return err;
	if (kv_value_is_integer(&stream->config.numbers))
		err = check_integer(stream, value);
	else
		mine.real = (double)value;
	return err ?: put(stream, key, length, mine);
}

int weir_kv_collect(struct weir_stream *stream)
{
	return check_state(stream) ?: send_kept(stream) ?: push(stream, WEIR_KV_COLLECT);
}

int kv_sender_progress(struct weir_stream *stream)
{
	struct kv_sender *sender = stream->sender;
	int err = stream->failed;

	if (err || sender->over)
		return err;
	enter(sender);
	if (sender->pairs && kv_flight_has_slot(&sender->flight))
		seal(stream, 0);
	return leave(sender, work(stream));
}

/* Listens until something has come after a time, for as long as it may take to be repeated. */
static bool hears(struct weir_stream *stream, uint64_t said)
{
	const struct kv_sender *sender = stream->sender;
	int err = kv_talk_listen(stream);

	while (!err && sender->heard <= said && rtt_now() < said + CONFIRM_SILENCE)
		err = kv_talk_wait(stream, said + CONFIRM_SILENCE) ?: kv_talk_listen(stream);
	return !err && sender->heard > said;
}

/* Tells that the last acknowledgment has come, each time that it is repeated. */
static void confirm(struct weir_stream *stream)
{
	const struct timespec pause = { .tv_nsec = CONFIRM_PAUSE };
	uint64_t end = rtt_now() + CONFIRM_LIMIT, said;

	do {
		said = rtt_now();
		kv_talk_probe(stream, stream->sender->flight.next);
		nanosleep(&pause, NULL);
	} while (hears(stream, said) && rtt_now() < end);
}

static int await_end(struct weir_stream *stream)
{
	struct kv_flight *flight = &stream->sender->flight;
	int err = stream->failed;

	while (!err && flight->base != flight->next)
		err = work_or_wait(stream);
	return err;
}

static int finish(struct weir_stream *stream)
{
	struct kv_sender *sender = stream->sender;
	int err = 0;

	if (!sender->ended)
		err = send_kept(stream) ?: push(stream, WEIR_KV_FIN);
	if (err)
		return err;
	sender->ended = true;
	enter(sender);
	err = leave(sender, await_end(stream));
	if (err)
		return err;
	sender->over = true;
	confirm(stream);
	return 0;
}

int weir_kv_finish(struct weir_stream *stream)
{
	struct kv_sender *sender = stream->sender;

	if (!sender)
		return kv_refuse(stream, -EINVAL, "the stream is a reducer's: mappers finish");
	if (stream->failed || sender->over)
		return stream->failed;
	return finish(stream);
}

int weir_kv_restart(struct weir_stream *stream)
{
	int err;

	if (!stream->sender)
		return kv_refuse(stream, -EINVAL, "the stream is a reducer's: mappers begin anew");
	if (stream->failed != -ERESTART)
		return kv_refuse(stream, stream->failed ?: -EINVAL,
				 "the run is not void: there is nothing to begin anew");
	err = reset(stream) ?: kv_talk_begin(stream);
	/* A call that a signal has ended is made again. */
	if (err == -EINTR)
		stream->failed = -ERESTART;
	return leave(stream->sender, err);
}

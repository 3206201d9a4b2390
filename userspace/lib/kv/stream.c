// SPDX-License-Identifier: BSD-2-Clause
/* The calls that both ends have, and sentences. */
#include "kv/stream.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sized.h"
#include "kv/options.h"
#include "kv/receiver.h"
#include "kv/sender.h"

static _Thread_local char open_error[KV_ERROR];

static void note(struct weir_stream *stream, const char *format, va_list arguments)
{
	vsnprintf(stream->error, sizeof(stream->error), format, arguments);
}

int kv_refuse(struct weir_stream *stream, int err, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	note(stream, format, arguments);
	va_end(arguments);
	return err;
}

int kv_fail(struct weir_stream *stream, int err, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	note(stream, format, arguments);
	va_end(arguments);
	stream->failed = err;
	return err;
}

/* One end is opened as its own functions say. */
static int open_end(struct weir_stream **result, const struct weir_kv_options *options,
		    int (*check)(struct weir_stream *stream, const struct weir_kv_options *options),
		    int (*begin)(struct weir_stream *stream))
{
	struct weir_stream *stream = calloc(1, sizeof(*stream));
	int err;

	*result = NULL;
	if (!stream) {
		snprintf(open_error, sizeof(open_error), "no memory for a stream");
		return -ENOMEM;
	}
	stream->fd = -1;
	err = check(stream, options) ?: begin(stream);
	if (err) {
		memcpy(open_error, stream->error, sizeof(open_error));
		weir_kv_close(stream);
		return err;
	}
	*result = stream;
	return 0;
}

int weir_kv_open(struct weir_stream **stream, const struct weir_kv_options *options)
{
	return open_end(stream, options, kv_options_sender, kv_sender_open);
}

int weir_kv_listen(struct weir_stream **stream, const struct weir_kv_options *options)
{
	return open_end(stream, options, kv_options_receiver, kv_receiver_open);
}

void weir_kv_close(struct weir_stream *stream)
{
	if (!stream)
		return;
	kv_sender_free(stream->sender);
	kv_receiver_free(stream->receiver);
	if (stream->fd >= 0)
		close(stream->fd);
	free(stream);
}

int weir_kv_progress(struct weir_stream *stream)
{
	return stream->sender ? kv_sender_progress(stream) : kv_receiver_progress(stream);
}

const char *weir_kv_error(const struct weir_stream *stream)
{
	return stream ? stream->error : open_error;
}

int weir_kv_get_stats(const struct weir_stream *stream, struct weir_kv_stats *stats)
{
	struct weir_kv_stats mine = stream->stats;

	mine.keys = stream->sender ? kv_sender_keys(stream->sender) :
				     kv_receiver_keys(stream->receiver);
	mine.bad_header = stream->faults[KV_BAD_HEADER];
	mine.bad_key = stream->faults[KV_BAD_KEY];
	mine.bad_pairs = stream->faults[KV_BAD_PAIRS];
	mine.bad_numbers = stream->faults[KV_BAD_NUMBERS];
	mine.bad_source = stream->faults[KV_BAD_SOURCE];
	mine.bad_session = stream->faults[KV_BAD_SESSION];
	mine.bad_sequence = stream->faults[KV_BAD_SEQUENCE];
	return sized_out(stats, stats->size, &mine, sizeof(mine));
}

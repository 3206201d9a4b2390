// SPDX-License-Identifier: GPL-2.0
#include "http/stream.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/log.h"
#include "http/visitor.h"

#define PIECE 4096

static void wake(struct stream *stream)
{
	if (!stream->asleep)
		return;
	stream->asleep = false;
	MHD_resume_connection(stream->connection);
}

static void tell_gone(struct stream *stream)
{
	void (*gone)(void *context) = stream->gone;

	stream->gone = NULL;
	if (gone)
		gone(stream->context);
}

static void hung_up(struct watch *watch)
{
	struct stream *stream = watch_of(struct stream, watch, watch);

	watch_remove(watch);
	tell_gone(stream);
	stream->over = true;
	stream->used = 0;
	wake(stream);
}

struct stream *stream_new(void (*gone)(void *context), void *context)
{
	struct stream *stream = zalloc(sizeof(*stream));

	stream->text = zalloc(STREAM_ROOM);
	stream->gone = gone;
	stream->context = context;
	stream->watch.fd = -1;
	stream->watch.ready = hung_up;
	return stream;
}

static ssize_t read_text(void *context, uint64_t at, char *buffer, size_t most)
{
	struct stream *stream = context;
	size_t length = stream->used < most ? stream->used : most;

	(void)at;
	if (length) {
		memcpy(buffer, stream->text, length);
		stream->used -= length;
		memmove(stream->text, stream->text + length, stream->used);
		return length;
	}
	if (stream->over)
		return MHD_CONTENT_READER_END_OF_STREAM;
	stream->asleep = true;
	MHD_suspend_connection(stream->connection);
	return 0;
}

enum MHD_Result stream_begin(struct MHD_Connection *connection, struct stream *stream,
			     int status, const char *type)
{
	struct MHD_Response *response;
	enum MHD_Result result;

	response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, PIECE, read_text, stream,
						     NULL);
	if (!response)
		return MHD_NO;
	stream->connection = connection;
	stream->watch.fd = visitor_of(connection)->fd;
	watch_add(&stream->watch, EPOLLRDHUP);
	visitor_stays(connection);
	MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
	result = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return result;
}

bool stream_is_cut(const struct stream *stream)
{
	struct pollfd fd = { .fd = stream->watch.fd, .events = POLLRDHUP };

	return stream->over || poll(&fd, 1, 0) > 0;
}

bool stream_put(struct stream *stream, const char *text)
{
	size_t length = strlen(text);

	if (length > STREAM_ROOM - stream->used)
		return false;
	memcpy(stream->text + stream->used, text, length);
	stream->used += length;
	wake(stream);
	return true;
}

void stream_end(struct stream *stream)
{
	stream->gone = NULL;
	stream->over = true;
	wake(stream);
}

void stream_free(struct stream *stream)
{
	if (stream->watch.fd >= 0)
		watch_remove(&stream->watch);
	tell_gone(stream);
	free(stream->text);
	free(stream);
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Answers that go on: lines that are put in now and then, until one side ends them. Between
 * lines the connection sleeps, and its end is watched for.
 */
#ifndef WEIRD_STREAM_H
#define WEIRD_STREAM_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/watch.h"

#define STREAM_ROOM 65536

/**
 * struct stream - one of them
 * @gone: called once when the client has gone, not when stream_end() was called first
 * @context: its argument
 * @text: text that is still to be sent
 * @asleep: the connection is suspended
 * @over: nothing follows @text
 */
struct stream {
	struct watch watch;
	struct MHD_Connection *connection;
	void (*gone)(void *context);
	void *context;
	char *text;
	size_t used;
	bool asleep;
	bool over;
};

/* Begins the answer; the stream is the connection's, which frees it. */
enum MHD_Result stream_begin(struct MHD_Connection *connection, struct stream *stream,
			     int status, const char *type);

struct stream *stream_new(void (*gone)(void *context), void *context);

/* Returns true if the client has closed the connection, or nothing follows the text. */
bool stream_is_cut(const struct stream *stream);

/* Adds to the text; false where the client does not read, and there is no room left. */
bool stream_put(struct stream *stream, const char *text);
void stream_end(struct stream *stream);

/* The connection has ended. */
void stream_free(struct stream *stream);

#endif

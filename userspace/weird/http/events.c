// SPDX-License-Identifier: GPL-2.0
#include "http/events.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "http/reply.h"
#include "http/request.h"

#define LISTENERS_MAX 16

static struct stream *listener[LISTENERS_MAX];

static void gone(void *context)
{
	struct stream **place = context;

	*place = NULL;
}

enum MHD_Result answer_events(struct request *request, struct refusal *refusal)
{
	struct stream **place = listener;

	if (request->head)
		return reply_text(request->connection, MHD_HTTP_OK, "text/event-stream", " ");
	while (place < listener + LISTENERS_MAX && *place)
		place++;
	if (place == listener + LISTENERS_MAX) {
		refuse(refusal, 503, "%d listen already", LISTENERS_MAX);
		return MHD_NO;
	}
	*place = stream_new(gone, place);
	request->stream = *place;
	/* A comment, so that the client sees at once that it is heard. */
	stream_put(*place, ": weird\n\n");
	return stream_begin(request->connection, *place, MHD_HTTP_OK, "text/event-stream");
}

/* One that does not read has lost its place in the sequence, and starts again. */
void events_tell(struct json_object *event)
{
	const int flags = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE;
	struct stream **place;
	char *text = NULL;

	if (asprintf(&text, "data: %s\n\n", json_object_to_json_string_ext(event, flags)) < 0)
		return;
	for (place = listener; place < listener + LISTENERS_MAX; place++) {
		if (*place && !stream_put(*place, text)) {
			stream_end(*place);
			*place = NULL;
		}
	}
	free(text);
}

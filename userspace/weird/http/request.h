/* SPDX-License-Identifier: GPL-2.0 */
/* One request while it comes in, and the routes that requests take. */
#ifndef WEIRD_REQUEST_H
#define WEIRD_REQUEST_H

#include "ask/ask.h"
#include "http/server.h"
#include "http/stream.h"

/**
 * struct request - one of them
 * @route: the route that answers it; NULL if it was refused at once
 * @tenant: the tenant that sent it, or NULL
 * @head: only the headers of the answer are wanted
 * @path: of the URL, behind the route's
 * @refusal: the reason if it is not granted
 * @stream: the answer, where it goes on
 */
struct request {
	struct server *server;
	struct MHD_Connection *connection;
	const struct route *route;
	const struct tenant *tenant;
	bool head;
	char path[2 * JOB_NAME_MAX];
	size_t used;
	char body[ASK_SIZE_MAX + 1];
	struct refusal refusal;
	struct stream *stream;
};

/* Answers, or fills the refusal and returns MHD_NO. */
typedef enum MHD_Result answer_fn(struct request *request, struct refusal *refusal);

answer_fn answer_jobs, answer_ask, answer_delete, answer_metrics, answer_events;

/**
 * struct route - a method and a path
 * @path: all of the URL's, or, where it ends with a slash, its beginning
 * @operator: for operators alone
 * @watched: and for the addresses that the configuration lets read metrics
 */
struct route {
	const char *method;
	const char *path;
	bool operator;
	bool watched;
	answer_fn *answer;
};

/* NULL, and @refusal filled. @rest: the path behind the route's. */
const struct route *route_find(const char *method, const char *path, const char **rest,
			       struct refusal *refusal);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* One request whose answer's connection stays open. */
#ifndef WEIR_ASK_HTTP_H
#define WEIR_ASK_HTTP_H

#include <curl/curl.h>
#include <stdbool.h>

#include "ask/plugin.h"

#define HTTP_LINE 4096

/**
 * struct http - a request
 * @multi: runs it
 * @easy: the request itself
 * @headers: of it
 * @status: of the answer, 0 before it came
 * @line: the answer's lines, or all of it where it has none
 * @error: of the path
 */
struct http {
	CURLM *multi;
	CURL *easy;
	struct curl_slist *headers;
	long status;
	size_t used;
	char line[HTTP_LINE];
	char error[CURL_ERROR_SIZE];
};

/*
 * Prepare a request: @request has the daemon's URL, the credentials and the interface to send from, and
 * @path follows the URL. Return false, with http->error filled, for lack of memory.
 */
bool http_init(struct http *http, const struct ask_request *request, const char *path);
void http_post(struct http *http, const char *body);
void http_delete(struct http *http);

/* Until the first line or the end has come. False: http->error says why it has not. */
bool http_run(struct http *http, unsigned int timeout_ms);

/* Takes what has come. The other end has not closed the connection. */
bool http_is_open(struct http *http);

/* The line behind this one, where all of it has come; else NULL. */
const char *http_next(const char *line);
void http_uninit(struct http *http);

#endif

// SPDX-License-Identifier: BSD-2-Clause
#include "http.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TOKEN_MAX	300
#define POLL_MS		100

/* Keep as much of the answer as there is room for: the rest is of no use here. */
static size_t on_data(char *data, size_t size, size_t count, void *context)
{
	struct http *http = context;
	size_t length = size * count, room = HTTP_LINE - 1 - http->used;

	if (length < room)
		room = length;
	memcpy(http->line + http->used, data, room);
	http->used += room;
	http->line[http->used] = '\0';
	return length;
}

/* A child that the program starts does not hold the job. */
static int on_socket(void *context, curl_socket_t fd, curlsocktype purpose)
{
	(void)context;
	(void)purpose;
	return fcntl(fd, F_SETFD, FD_CLOEXEC) ? CURL_SOCKOPT_ERROR : CURL_SOCKOPT_OK;
}

static void set_identity(struct http *http, const struct ask_request *request)
{
	char header[TOKEN_MAX];

	if (request->token) {
		snprintf(header, sizeof(header), "Authorization: Bearer %s", request->token);
		http->headers = curl_slist_append(http->headers, header);
	}
	if (request->certificate)
		curl_easy_setopt(http->easy, CURLOPT_SSLCERT, request->certificate);
	if (request->key)
		curl_easy_setopt(http->easy, CURLOPT_SSLKEY, request->key);
	if (request->authority)
		curl_easy_setopt(http->easy, CURLOPT_CAINFO, request->authority);
}

/* Workers and box are in one network: a proxy would hide where the request comes from. */
static void set_path(struct http *http, const struct ask_request *request, const char *path)
{
	char *url = NULL;

	if (asprintf(&url, "%s%s", request->url, path) < 0)
		return;
	curl_easy_setopt(http->easy, CURLOPT_URL, url);
	free(url);
	curl_easy_setopt(http->easy, CURLOPT_PROXY, "");
	curl_easy_setopt(http->easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(http->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	if (request->interface)
		curl_easy_setopt(http->easy, CURLOPT_INTERFACE, request->interface);
}

bool http_init(struct http *http, const struct ask_request *request, const char *path)
{
	memset(http, 0, sizeof(*http));
	http->multi = curl_multi_init();
	http->easy = curl_easy_init();
	if (!http->multi || !http->easy) {
		snprintf(http->error, sizeof(http->error), "no memory for a request");
		return false;
	}
	set_path(http, request, path);
	set_identity(http, request);
	curl_easy_setopt(http->easy, CURLOPT_WRITEFUNCTION, on_data);
	curl_easy_setopt(http->easy, CURLOPT_WRITEDATA, http);
	curl_easy_setopt(http->easy, CURLOPT_SOCKOPTFUNCTION, on_socket);
	curl_easy_setopt(http->easy, CURLOPT_ERRORBUFFER, http->error);
	curl_easy_setopt(http->easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(http->easy, CURLOPT_TCP_KEEPALIVE, 1L);
	return true;
}

void http_post(struct http *http, const char *body)
{
	http->headers = curl_slist_append(http->headers, "Content-Type: application/json");
	curl_easy_setopt(http->easy, CURLOPT_COPYPOSTFIELDS, body);
}

void http_delete(struct http *http)
{
	curl_easy_setopt(http->easy, CURLOPT_CUSTOMREQUEST, "DELETE");
}

static unsigned int now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (unsigned int)(now.tv_sec * 1000 + now.tv_nsec / 1000000);
}

/* The transfer has ended: with an answer, or an error of the path. */
static bool is_over(struct http *http, bool *failed)
{
	CURLMsg *message;
	int left;

	message = curl_multi_info_read(http->multi, &left);
	if (!message || message->msg != CURLMSG_DONE)
		return false;
	*failed = message->data.result != CURLE_OK;
	if (*failed && !*http->error)
		snprintf(http->error, sizeof(http->error), "%s",
			 curl_easy_strerror(message->data.result));
	return true;
}

bool http_run(struct http *http, unsigned int timeout_ms)
{
	unsigned int start = now_ms();
	bool failed = false;
	int running;

	curl_easy_setopt(http->easy, CURLOPT_HTTPHEADER, http->headers);
	curl_multi_add_handle(http->multi, http->easy);
	do {
		curl_multi_perform(http->multi, &running);
		curl_easy_getinfo(http->easy, CURLINFO_RESPONSE_CODE, &http->status);
		if (is_over(http, &failed))
			return !failed;
		if (memchr(http->line, '\n', http->used))
			return true;
		curl_multi_poll(http->multi, NULL, 0, POLL_MS, NULL);
	} while (now_ms() - start < timeout_ms);
	snprintf(http->error, sizeof(http->error), "no answer in %u ms", timeout_ms);
	return false;
}

bool http_is_open(struct http *http)
{
	int running = 0;

	curl_multi_perform(http->multi, &running);
	return running;
}

const char *http_next(const char *line)
{
	const char *end = strchr(line, '\n');

	return end && strchr(end + 1, '\n') ? end + 1 : NULL;
}

void http_uninit(struct http *http)
{
	if (http->multi && http->easy)
		curl_multi_remove_handle(http->multi, http->easy);
	curl_easy_cleanup(http->easy);
	curl_multi_cleanup(http->multi);
	curl_slist_free_all(http->headers);
}

// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/plugin.h"
#include "http.h"

#define LEAVE_MS 2000

/**
 * struct ask_hold - a rank's hold on its job
 * @http: the request, whose connection is the hold
 * @path: of the rank, to leave by
 */
struct ask_hold {
	struct http http;
	char *path;
	char *url;
	char *token;
	char *certificate;
	char *key;
	char *authority;
	char *interface;
};

static int fail(struct ask_answer *answer, int err, const char *text)
{
	snprintf(answer->error, sizeof(answer->error), "%s", text);
	return err;
}

static void put_number(struct json_object *to, const char *name, uint32_t number)
{
	json_object_object_add(to, name, json_object_new_int64(number));
}

static void put_text(struct json_object *to, const char *name, const char *text)
{
	if (text)
		json_object_object_add(to, name, json_object_new_string(text));
}

/* "a=1&b=word": numbers are those that have digits alone. */
static void put_query(struct json_object *to, const char *query)
{
	char *copy = strdup(query), *at = copy, *pair;

	while (copy && (pair = strsep(&at, "&"))) {
		char *value = strchr(pair, '=');

		if (!value)
			continue;
		*value++ = '\0';
		if (*value && strspn(value, "0123456789") == strlen(value))
			json_object_object_add(to, pair,
					       json_object_new_int64(strtoll(value, NULL, 10)));
		else
			put_text(to, pair, value);
	}
	free(copy);
}

static struct json_object *body(const struct ask_request *request)
{
	struct json_object *object = json_object_new_object();

	put_text(object, "name", request->name);
	put_number(object, "rank", request->rank);
	put_number(object, "ranks", request->ranks);
	put_number(object, "grads", request->grads);
	if (request->port)
		put_number(object, "port", request->port);
	put_text(object, "type", request->type);
	put_text(object, "operation", request->operation);
	put_text(object, "group", request->group);
	if (request->query)
		put_query(object, request->query);
	return object;
}

static uint32_t number(struct json_object *from, const char *name)
{
	return (uint32_t)json_object_get_int64(json_object_object_get(from, name));
}

static void text(struct json_object *from, const char *name, char *to, size_t size)
{
	const char *found = json_object_get_string(json_object_object_get(from, name));

	snprintf(to, size, "%s", found ? found : "");
}

static int errno_of(long status)
{
	switch (status) {
	case 400:
	case 413:
		return -EINVAL;
	case 401:
	case 403:
		return -EACCES;
	case 409:
		return -EPROTO;
	case 429:
	case 507:
		return -EDQUOT;
	default:
		return -ECONNREFUSED;
	}
}

static int read_answer(struct http *http, struct ask_answer *answer)
{
	struct json_object *object = json_tokener_parse(http->line);

	if (!json_object_is_type(object, json_type_object)) {
		json_object_put(object);
		return fail(answer, -EPROTO, "the answer is not weird's: is the port right?");
	}
	if (http->status != 200 && http->status != 201) {
		text(object, "error", answer->error, sizeof(answer->error));
		json_object_put(object);
		return errno_of(http->status);
	}
	answer->job = number(object, "job");
	answer->port = number(object, "udp_port");
	answer->bind_port = number(object, "bind_port");
	answer->grads = number(object, "grads");
	answer->window = number(object, "window");
	text(object, "address", answer->address, sizeof(answer->address));
	text(object, "bind_address", answer->bind_address, sizeof(answer->bind_address));
	json_object_put(object);
	return 0;
}

static char *copy(const char *of)
{
	return of ? strdup(of) : NULL;
}

/* Copy from the request what it takes to leave the job later. Return NULL for lack of memory. */
static struct ask_hold *new_hold(const struct ask_request *request)
{
	struct ask_hold *hold = calloc(1, sizeof(*hold));

	if (!hold)
		return NULL;
	hold->url = copy(request->url);
	hold->token = copy(request->token);
	hold->certificate = copy(request->certificate);
	hold->key = copy(request->key);
	hold->authority = copy(request->authority);
	hold->interface = copy(request->interface);
	if (asprintf(&hold->path, "/jobs/%s/ranks/%u", request->name, request->rank) < 0)
		hold->path = NULL;
	return hold;
}

static void ask_drop(struct ask_hold *hold)
{
	http_uninit(&hold->http);
	free(hold->path);
	free(hold->url);
	free(hold->token);
	free(hold->certificate);
	free(hold->key);
	free(hold->authority);
	free(hold->interface);
	free(hold);
}

static int post(struct ask_hold *hold, const struct ask_request *request,
		struct ask_answer *answer)
{
	struct json_object *object;
	bool there;

	if (!http_init(&hold->http, request, "/jobs"))
		return fail(answer, -ENOMEM, hold->http.error);
	object = body(request);
	http_post(&hold->http, json_object_to_json_string(object));
	json_object_put(object);
	there = http_run(&hold->http, request->timeout_ms);
	return there ? read_answer(&hold->http, answer) :
		       fail(answer, -ECONNREFUSED, hold->http.error);
}

static int ask_open(struct ask_hold **hold, const struct ask_request *request,
		    struct ask_answer *answer)
{
	int err;

	memset(answer, 0, sizeof(*answer));
	*hold = new_hold(request);
	if (!*hold)
		return fail(answer, -ENOMEM, "no memory for a request");
	err = post(*hold, request, answer);
	if (err) {
		ask_drop(*hold);
		*hold = NULL;
	}
	return err;
}

static int ask_is_held(struct ask_hold *hold)
{
	return http_is_open(&hold->http);
}

/* Return true, with the reason in @why, if this line gives a reason not to wait. */
static bool read_reason(struct json_object *line, char why[static ASK_SENTENCE])
{
	struct json_object *refused = json_object_object_get(line, "refused");
	const char *ended = json_object_get_string(json_object_object_get(line, "ended"));
	char error[ASK_SENTENCE];

	if (ended)
		snprintf(why, ASK_SENTENCE, "it was ended: %s", ended);
	if (ended || !refused)
		return ended;
	text(refused, "error", error, sizeof(error));
	snprintf(why, ASK_SENTENCE, "rank %u is refused a place: %.300s",
		 number(refused, "rank"), error);
	return true;
}

static int ask_is_vain(struct ask_hold *hold, char why[static ASK_SENTENCE])
{
	const char *line = hold->http.line;
	bool found = false;

	http_is_open(&hold->http);
	while (!found && (line = http_next(line))) {
		struct json_object *object = json_tokener_parse(line);

		found = json_object_is_type(object, json_type_object) && read_reason(object, why);
		json_object_put(object);
	}
	return found;
}

/* Leave the job. If the daemon does not receive this, the grace period ends the job. */
static void ask_close(struct ask_hold *hold)
{
	const struct ask_request request = {
		.url = hold->url,
		.token = hold->token,
		.certificate = hold->certificate,
		.key = hold->key,
		.authority = hold->authority,
		.interface = hold->interface,
	};
	struct http http;

	if (hold->path && http_init(&http, &request, hold->path)) {
		http_delete(&http);
		http_run(&http, LEAVE_MS);
		http_uninit(&http);
	}
	ask_drop(hold);
}

__attribute__((visibility("default")))
const struct ask_calls weir_ask_calls = {
	.open = ask_open,
	.is_held = ask_is_held,
	.is_vain = ask_is_vain,
	.drop = ask_drop,
	.close = ask_close,
};

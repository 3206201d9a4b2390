// SPDX-License-Identifier: GPL-2.0
#include "http/server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/file.h"
#include "base/log.h"
#include "http/identity.h"
#include "http/reply.h"
#include "http/request.h"
#include "http/visitor.h"
#include "tls/tls.h"

#define CONNECTION_MEMORY	(16 * 1024)
#define OPTIONS_MAX		8

/* RFC 8996: TLS 1.2 and later. */
#define PRIORITIES		"NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

/* Return true if the request is for metrics, and comes from an address that needs no token for them. */
static bool may_watch(const struct request *request)
{
	return request->route->watched &&
	       prefixes_have(&request->server->conf->metrics,
			     &visitor_of(request->connection)->peer);
}

static bool identify(struct request *request, struct refusal *refusal)
{
	if (may_watch(request))
		return true;
	request->tenant = identity_find(&request->server->conf->tenants, request->connection,
					refusal);
	if (!request->tenant)
		return false;
	return !request->route->operator || request->tenant->operator ||
	       refuse(refusal, 403, "tenant %s is no operator", request->tenant->name);
}

/*
 * Find the route and the tenant of a request. HEAD is treated as GET, and only the headers of the answer are
 * sent. Return false, and fill @refusal, if the request is refused.
 */
static bool begin(struct request *request, const char *method, const char *url,
		  struct refusal *refusal)
{
	const char *rest = "";

	request->head = !strcmp(method, MHD_HTTP_METHOD_HEAD);
	request->route = route_find(request->head ? MHD_HTTP_METHOD_GET : method, url, &rest, refusal);
	if (!request->route)
		return false;
	if (strlen(rest) >= sizeof(request->path))
		return refuse(refusal, 414, "the path is too long");
	strcpy(request->path, rest);
	return identify(request, refusal);
}

/* Take data of the body. Too much of it is read, too, as an answer has to wait for the request's end. */
static void take(struct request *request, const char *data, size_t size)
{
	if (size > ASK_SIZE_MAX - request->used) {
		refuse(&request->refusal, 413, "a request has %d bytes at most", ASK_SIZE_MAX);
		return;
	}
	memcpy(request->body + request->used, data, size);
	request->used += size;
}

static enum MHD_Result refused(struct request *request)
{
	request->route = NULL;
	return reply_refusal(request->connection, &request->refusal);
}

static enum MHD_Result first_sight(struct server *server, struct MHD_Connection *connection,
				   const char *method, const char *url, void **context)
{
	struct request *request = zalloc(sizeof(*request));

	*context = request;
	request->server = server;
	request->connection = connection;
	return begin(request, method, url, &request->refusal) ? MHD_YES : refused(request);
}

/*
 * The tenant is looked up again: the configuration may have been replaced since the request's head
 * came.
 */
static enum MHD_Result whole(struct request *request)
{
	enum MHD_Result result = MHD_NO;

	if (!request->refusal.status && identify(request, &request->refusal))
		result = request->route->answer(request, &request->refusal);
	return request->refusal.status ? refused(request) : result;
}

static enum MHD_Result on_request(void *context, struct MHD_Connection *connection,
				  const char *url, const char *method, const char *version,
				  const char *data, size_t *size, void **of_request)
{
	struct request *request = *of_request;

	(void)version;
	if (!request)
		return first_sight(context, connection, method, url, of_request);
	if (!request->route)
		return MHD_YES;
	if (!*size)
		return whole(request);
	take(request, data, *size);
	*size = 0;
	return MHD_YES;
}

static void on_end(void *context, struct MHD_Connection *connection, void **of_request,
		   enum MHD_RequestTerminationCode code)
{
	struct request *request = *of_request;

	(void)context;
	(void)connection;
	(void)code;
	if (!request)
		return;
	if (request->stream)
		stream_free(request->stream);
	free(request);
	*of_request = NULL;
}

/*
 * Certificates and keys come from tls_give(), as a reload may replace them. To have authorities makes
 * the daemon ask clients for certificates; tls_client() decides which authorities these are. The
 * text is the library's for as long as the daemon runs.
 */
static bool tls_options(const struct conf *conf, struct MHD_OptionItem *items,
			struct refusal *refusal)
{
	size_t size;

	if (conf->tls) {
		*items++ = (struct MHD_OptionItem){ MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)PRIORITIES };
		*items++ = (struct MHD_OptionItem){ MHD_OPTION_HTTPS_CERT_CALLBACK2, 0, (void *)tls_give };
	}
	if (tls_asks_clients(conf->tls)) {
		*items = (struct MHD_OptionItem){ MHD_OPTION_HTTPS_MEM_TRUST, 0,
						  file_read(conf->authority, TLS_PEM_MAX, &size) };
		if (!items->ptr_value)
			return refuse(refusal, 500, "%s: %s", conf->authority, strerror(errno));
		items++;
	}
	items->option = MHD_OPTION_END;
	return true;
}

static void on_ready(struct watch *watch)
{
	MHD_run(watch_of(struct server, watch, watch)->daemon);
}

bool server_open(struct server *server, const struct sockaddr *address,
		 struct refusal *refusal)
{
	unsigned int flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC;
	struct MHD_OptionItem tls[OPTIONS_MAX] = {};

	visitor_room(server->conf->connections);
	if (!tls_options(server->conf, tls, refusal))
		return false;
	if (server->conf->tls)
		flags |= MHD_USE_TLS;
	if (address->sa_family == AF_INET6)
		flags |= MHD_USE_DUAL_STACK;
	server->daemon = MHD_start_daemon(flags, 0, NULL, NULL, on_request, server,
					  MHD_OPTION_SOCK_ADDR, address,
					  MHD_OPTION_NOTIFY_COMPLETED, on_end, NULL,
					  MHD_OPTION_NOTIFY_CONNECTION, visitor_notify, NULL,
					  MHD_OPTION_CONNECTION_LIMIT, server->conf->connections,
					  MHD_OPTION_CONNECTION_MEMORY_LIMIT,
					  (size_t)CONNECTION_MEMORY,
					  MHD_OPTION_LISTENING_ADDRESS_REUSE, 1U,
					  MHD_OPTION_ARRAY, tls, MHD_OPTION_END);
	if (!server->daemon)
		return refuse(refusal, 500, "cannot listen there: %s", strerror(errno));
	server->watch.fd = MHD_get_daemon_info(server->daemon,
					       MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
	server->watch.ready = on_ready;
	watch_add(&server->watch, EPOLLIN);
	return true;
}

int server_run(struct server *server)
{
	int slow = visitor_tick();
	MHD_UNSIGNED_LONG_LONG wait;

	MHD_run(server->daemon);
	if (MHD_get_timeout(server->daemon, &wait) != MHD_YES)
		return slow;
	return slow < 0 || wait < (unsigned int)slow ? (int)wait : slow;
}

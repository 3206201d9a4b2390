// SPDX-License-Identifier: GPL-2.0
#include "http/visitor.h"

#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/log.h"

/* Of patience, see pass(). */
#define REQUEST_MS	15000
#define TICK_MS		1000

/* Hosts that have vanished without a word are noticed after this. */
#define IDLE_SECONDS	10
#define PROBE_SECONDS	3
#define PROBES		3

/* Parts of the daemon's connections that those of one network may have with requests that are not complete. */
#define NETWORK_SHARE	4

/* Those with requests that are not complete, the newest first. */
static struct visitor *all;

/**
 * struct census - connections
 * @room: number of connections that there may be
 * @present: number of connections that there are
 * @waiting: of them, those in the list
 */
static struct {
	unsigned int room;
	unsigned int present;
	unsigned int waiting;
} census;

/* Milliseconds; it begins at 1, as a visitor whose time is 0 is not in the list. */
static uint64_t patience = 1;

/* An IPv4 address that has come to a socket of IPv6 is one of IPv4. */
static bool read_address(struct addr *addr, const struct sockaddr *from)
{
	const struct sockaddr_in6 *v6 = (const void *)from;
	const struct sockaddr_in *v4 = (const void *)from;

	if (from->sa_family == AF_INET)
		return addr_from(addr, &v4->sin_addr, 4);
	if (from->sa_family != AF_INET6)
		return false;
	if (IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr))
		return addr_from(addr, v6->sin6_addr.s6_addr + 12, 4);
	return addr_from(addr, &v6->sin6_addr, 16);
}

static void keep_alive(int fd)
{
	int on = 1, idle = IDLE_SECONDS, pause = PROBE_SECONDS, probes = PROBES;

	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &pause, sizeof(pause));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof(probes));
}

static void unlink_visitor(struct visitor *visitor)
{
	if (!visitor->since)
		return;
	visitor->since = 0;
	census.waiting--;
	if (visitor->next)
		visitor->next->before = visitor->before;
	if (visitor->before)
		visitor->before->next = visitor->next;
	else
		all = visitor->next;
}

/* Return true if both are in one /24 of IPv4 or /64 of IPv6: one host has all addresses of a /64. */
static bool same_network(const struct addr *a, const struct addr *b)
{
	return a->len == b->len && !memcmp(a->bytes, b->bytes, a->len == 4 ? 3 : 8);
}

static unsigned int count(const struct addr *peer)
{
	const struct visitor *visitor;
	unsigned int n = 0;

	for (visitor = all; visitor; visitor = visitor->next)
		n += same_network(&visitor->peer, peer);
	return n;
}

/* The one that has waited longest, of a network or of all. */
static struct visitor *oldest(const struct addr *peer)
{
	struct visitor *visitor, *found = NULL;

	for (visitor = all; visitor; visitor = visitor->next) {
		if (!peer || same_network(&visitor->peer, peer))
			found = visitor;
	}
	return found;
}

static void cut(struct visitor *visitor)
{
	shutdown(visitor->fd, SHUT_RDWR);
	unlink_visitor(visitor);
}

/*
 * Keep connections without a complete request to half of what those that have shown who they are leave,
 * and those of one network to a part of it. The one that has waited longest is cut: a client with a
 * credential sends its request at once.
 */
static void make_room(const struct addr *peer)
{
	unsigned int free = census.room - (census.present - census.waiting);

	if (count(peer) > census.room / NETWORK_SHARE + 1)
		cut(oldest(peer));
	else if (census.waiting > free / 2 + 1)
		cut(oldest(NULL));
}

void visitor_room(unsigned int connections)
{
	census.room = connections;
}

static struct visitor *enter(struct MHD_Connection *connection)
{
	struct visitor *visitor = zalloc(sizeof(*visitor));

	visitor->fd = MHD_get_connection_info(connection,
					      MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
	read_address(&visitor->peer,
		     MHD_get_connection_info(connection,
					     MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr);
	keep_alive(visitor->fd);
	visitor->since = patience;
	visitor->next = all;
	if (all)
		all->before = visitor;
	all = visitor;
	census.present++;
	census.waiting++;
	make_room(&visitor->peer);
	return visitor;
}

void visitor_notify(void *context, struct MHD_Connection *connection, void **socket_context,
		    enum MHD_ConnectionNotificationCode code)
{
	(void)context;
	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		*socket_context = enter(connection);
		return;
	}
	unlink_visitor(*socket_context);
	census.present--;
	free(*socket_context);
	*socket_context = NULL;
}

struct visitor *visitor_of(struct MHD_Connection *connection)
{
	return MHD_get_connection_info(connection,
				       MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

void visitor_stays(struct MHD_Connection *connection)
{
	unlink_visitor(visitor_of(connection));
}

bool visitor_called(const struct visitor *visitor, struct addr *addr)
{
	struct sockaddr_storage here;
	socklen_t length = sizeof(here);

	return !getsockname(visitor->fd, (struct sockaddr *)&here, &length) &&
	       read_address(addr, (struct sockaddr *)&here);
}

/*
 * Time in which the daemon was there to read. When it comes round late, because it is busy or was
 * stopped, the requests are in its sockets and it is not the visitors who are slow: no more than
 * two ticks are counted a round.
 */
static void pass(void)
{
	static uint64_t last;
	uint64_t now = clock_ms(), gone = now - last;

	patience += gone < 2 * TICK_MS ? gone : 2 * TICK_MS;
	last = now;
}

int visitor_tick(void)
{
	const struct visitor *visitor;

	pass();
	for (visitor = all; visitor; visitor = visitor->next) {
		if (patience - visitor->since >= REQUEST_MS)
			shutdown(visitor->fd, SHUT_RDWR);
	}
	return all ? TICK_MS : -1;
}

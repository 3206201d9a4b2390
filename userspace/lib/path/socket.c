// SPDX-License-Identifier: BSD-2-Clause
#include "path/socket.h"

#include <errno.h>
#include <limits.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <string.h>
#include <unistd.h>

#include "comm/comm.h"
#include "comm/error.h"
#include "number/number.h"
#include "packet/wire.h"

/*
 * The kernel charges a received packet for more than its bytes: headers and room before
 * the data lie in the same power of two of memory, and the struct sk_buff beside it. A box on
 * the same machine links a page, whatever is on it, and so do drivers that merge packets.
 */
#define SKB_ROOM	512
#define SKB_PAGE	4096
#define SKB_STRUCT	1024

static int set(int fd, int level, int option, int value)
{
	return setsockopt(fd, level, option, &value, sizeof(value));
}

static bool is_v4(const struct weir *comm)
{
	return comm->config.box.any.sa_family == AF_INET;
}

static int new_socket(struct weir *comm, int *fd)
{
	const struct config *config = &comm->config;

	*fd = socket(config->box.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (*fd < 0)
		return error_fail(comm, -errno, "no UDP socket: %s", strerror(errno));
	if (config->ifindex && setsockopt(*fd, SOL_SOCKET, SO_BINDTODEVICE, config->interface,
					  (socklen_t)strlen(config->interface)))
		return error_fail(comm, -errno, "the socket cannot be bound to interface %s: %s",
				  config->interface, strerror(errno));
	return 0;
}

/* Fragments would have to be put together in the box: have the kernel return an error instead. */
static int never_fragment(const struct weir *comm)
{
	if (is_v4(comm))
		return set(comm->fd, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DO);
	return set(comm->fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_DO);
}

static int bind_local(struct weir *comm)
{
	const struct config *config = &comm->config;
	char text[ADDRESS_TEXT];

	if (!bind(comm->fd, &config->local.any, config->local.length))
		return 0;
	address_format(&config->local, text);
	if (errno == EADDRINUSE)
		return error_fail(comm, -EADDRINUSE,
				  "UDP port %u of %s is in use: give this communicator another "
				  "bind_port, and tell the box ('weir source set job %u id %u "
				  "address ... port P')",
				  address_port(&config->local), text, config->job, config->rank);
	if (errno == EADDRNOTAVAIL)
		return error_fail(comm, -EADDRNOTAVAIL,
				  "%s is not an address of this machine: bind_address must be the "
				  "worker's own",
				  text);
	return error_fail(comm, -errno, "the socket cannot be bound to %s port %u: %s", text,
			  address_port(&config->local), strerror(errno));
}

static int connect_box(struct weir *comm, int fd)
{
	const struct config *config = &comm->config;

	if (!connect(fd, &config->box.any, config->box.length))
		return 0;
	return error_fail(comm, -errno,
			  "there is no way from here to %s: %s; check the address and this worker's "
			  "routes",
			  config->box_text, strerror(errno));
}

/* The path's MTU in the kernel now; 0 where there is none. */
static unsigned int path_mtu(const struct weir *comm)
{
	int mtu = 0;
	socklen_t length = sizeof(mtu);
	int err;

	if (is_v4(comm))
		err = getsockopt(comm->fd, IPPROTO_IP, IP_MTU, &mtu, &length);
	else
		err = getsockopt(comm->fd, IPPROTO_IPV6, IPV6_MTU, &mtu, &length);
	return err || mtu < 0 ? 0 : (unsigned int)mtu;
}

/*
 * Bytes that are not gradients. A degraded result is the longest packet; where there is an
 * exponent besides, the box leaves the bitmap out of those that do not fit.
 */
static unsigned int fixed_size(const struct weir *comm)
{
	return address_overhead(&comm->config.box) +
	       (unsigned int)(WIRE_HEADER + WIRE_TRAILER(comm->config.ranks));
}

/* Bytes of a gradient; the fewest while the job's type is not known. */
static unsigned int gradient_size(const struct weir *comm)
{
	return (unsigned int)number_size(comm->config.type ? comm->config.type : WEIR_FLOAT16);
}

unsigned int socket_packet_size(const struct weir *comm)
{
	return fixed_size(comm) + gradient_size(comm) * comm->config.grads;
}

void socket_local(const struct weir *comm, char text[ADDRESS_TEXT])
{
	struct address local = { .length = sizeof(local.v6) };

	/* A connected socket has a local address, even where it was bound to none. */
	if (getsockname(comm->fd, &local.any, &local.length))
		local = comm->config.local;
	address_format(&local, text);
}

/* Gradients that a path carries, of any type that the job may have. */
static unsigned int gradients_within(const struct weir *comm, unsigned int mtu)
{
	unsigned int size = comm->config.type ? gradient_size(comm) : sizeof(uint32_t);

	return (mtu - fixed_size(comm)) / size;
}

int socket_too_long(struct weir *comm)
{
	const struct config *config = &comm->config;
	unsigned int mtu = path_mtu(comm);

	if (mtu < fixed_size(comm) + sizeof(uint32_t))
		return error_fail(comm, -EMSGSIZE,
				  "the path to %s carries no packet of %u bytes: lower grads, now %u, "
				  "on every rank",
				  config->box_text, socket_packet_size(comm), config->grads);
	return error_fail(comm, -EMSGSIZE,
			  "a block of %u gradients makes a packet of %u bytes%s, and the path to %s "
			  "carries %u: set grads to %u or less on every rank, or raise the MTU",
			  config->grads, socket_packet_size(comm), config->type ? "" : " or more",
			  config->box_text, mtu, gradients_within(comm, mtu));
}

int socket_check_size(struct weir *comm)
{
	unsigned int mtu = path_mtu(comm);

	return mtu && socket_packet_size(comm) > mtu ? socket_too_long(comm) : 0;
}

/* Two sockets with this worker's address and port, of one user; a packet's sender tells which. */
static void share_port(const struct weir *comm, int fd)
{
	if (comm->standby.count > 1)
		set(fd, SOL_SOCKET, SO_REUSEPORT, 1);
}

static int open_box(struct weir *comm)
{
	int err;

	err = new_socket(comm, &comm->fd);
	if (err)
		return err;
	share_port(comm, comm->fd);
	if (never_fragment(comm))
		return error_fail(comm, -errno, "path MTU discovery cannot be set: %s",
				  strerror(errno));
	err = bind_local(comm);
	if (err)
		return err;
	err = connect_box(comm, comm->fd);
	return err ?: socket_check_size(comm);
}

static int join_v4(const struct weir *comm)
{
	const struct config *config = &comm->config;
	struct ip_mreqn request = {
		.imr_multiaddr = config->group.v4.sin_addr,
		.imr_address = config->local.v4.sin_addr,
		.imr_ifindex = (int)config->ifindex,
	};

	set(comm->group_fd, IPPROTO_IP, IP_MULTICAST_ALL, 0);
	return setsockopt(comm->group_fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &request,
			  sizeof(request));
}

/* IPv6 names the interface by number only. */
static unsigned int v6_interface(const struct weir *comm)
{
	const struct config *config = &comm->config;

	if (config->ifindex)
		return config->ifindex;
	return config->group.v6.sin6_scope_id;
}

static int join_v6(const struct weir *comm)
{
	struct ipv6_mreq request = {
		.ipv6mr_multiaddr = comm->config.group.v6.sin6_addr,
		.ipv6mr_interface = v6_interface(comm),
	};

	set(comm->group_fd, IPPROTO_IPV6, IPV6_MULTICAST_ALL, 0);
	return setsockopt(comm->group_fd, IPPROTO_IPV6, IPV6_ADD_MEMBERSHIP, &request,
			  sizeof(request));
}

static int open_group(struct weir *comm)
{
	const struct config *config = &comm->config;
	char text[ADDRESS_TEXT];
	int err;

	err = new_socket(comm, &comm->group_fd);
	if (err)
		return err;
	address_format(&config->group, text);
	/* Several workers of one machine may be in the group. */
	set(comm->group_fd, SOL_SOCKET, SO_REUSEADDR, 1);
	if (bind(comm->group_fd, &config->group.any, config->group.length))
		return error_fail(comm, -errno, "group %s port %u cannot be bound: %s", text,
				  address_port(&config->group), strerror(errno));
	if (is_v4(comm) ? join_v4(comm) : join_v6(comm))
		return error_fail(comm, -errno, "group %s cannot be joined: %s; name the interface",
				  text, strerror(errno));
	/* Only the box's results, not packets of others to the group. */
	return connect_box(comm, comm->group_fd);
}

int socket_open(struct weir *comm)
{
	int err = open_box(comm);

	if (!err && comm->config.group.length)
		err = open_group(comm);
	return err;
}

/* An option of both directions' merging is known to kernels from 4.18 and from 5.0 on. */
bool socket_merge(struct weir *comm)
{
	if (comm->config.flags & WEIR_UNMERGED)
		return false;
	comm->merging.is_possible = !set(comm->fd, SOL_UDP, UDP_SEGMENT, 0);
	if (comm->group_fd >= 0)
		set(comm->group_fd, SOL_UDP, UDP_GRO, 1);
	return !set(comm->fd, SOL_UDP, UDP_GRO, 1);
}

/* Discard all that waits in a socket, errors of the path included. */
static void discard(int fd)
{
	while (fd >= 0 && (recv(fd, NULL, 0, MSG_DONTWAIT | MSG_TRUNC) >= 0 ||
			   errno == ECONNREFUSED || errno == EHOSTUNREACH))
		;
}

static void close_aside(struct weir *comm)
{
	if (comm->standby.fd >= 0)
		close(comm->standby.fd);
	comm->standby.fd = -1;
}

bool socket_turn(struct weir *comm, const struct address *box)
{
	struct config *config = &comm->config;

	/* It may be connected to the same one, and would take its packets. */
	close_aside(comm);
	if (connect(comm->fd, &box->any, box->length))
		return false;
	config->box = *box;
	address_format(&config->box, config->box_text);
	if (comm->group_fd >= 0)
		connect(comm->group_fd, &box->any, box->length);
	discard(comm->fd);
	discard(comm->group_fd);
	return true;
}

static int open_aside(const struct weir *comm)
{
	const struct config *config = &comm->config;
	int fd = socket(config->box.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return fd;
	share_port(comm, fd);
	if ((!config->ifindex || !setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, config->interface,
					     (socklen_t)strlen(config->interface))) &&
	    !bind(fd, &config->local.any, config->local.length))
		return fd;
	close(fd);
	return -1;
}

bool socket_aside(struct weir *comm, const struct address *box)
{
	struct standby *standby = &comm->standby;

	if (standby->fd < 0)
		standby->fd = open_aside(comm);
	return standby->fd >= 0 && !connect(standby->fd, &box->any, box->length);
}

void socket_ecn(struct weir *comm, bool is_on)
{
	int ecn;

	comm->is_capable = is_on && !(comm->config.flags & WEIR_NO_ECN);
	ecn = comm->is_capable ? IPTOS_ECN_ECT0 : 0;
	if (is_v4(comm))
		set(comm->fd, IPPROTO_IP, IP_TOS, ecn);
	else
		set(comm->fd, IPPROTO_IPV6, IPV6_TCLASS, ecn);
}

static void tell_marks(const struct weir *comm, int fd)
{
	if (is_v4(comm))
		set(fd, IPPROTO_IP, IP_RECVTOS, 1);
	else
		set(fd, IPPROTO_IPV6, IPV6_RECVTCLASS, 1);
}

void socket_hear_marks(struct weir *comm)
{
	comm->hears_marks = true;
	tell_marks(comm, comm->fd);
	if (comm->group_fd >= 0)
		tell_marks(comm, comm->group_fd);
}

uint32_t socket_growth(const struct weir *comm)
{
	return (uint32_t)((uint64_t)path_mtu(comm) * PACE_ONE / socket_packet_size(comm));
}

void socket_close(struct weir *comm)
{
	if (comm->fd >= 0)
		close(comm->fd);
	if (comm->group_fd >= 0)
		close(comm->group_fd);
	close_aside(comm);
	comm->fd = -1;
	comm->group_fd = -1;
}

size_t socket_payload(const struct weir *comm)
{
	return WIRE_HEADER + WIRE_EXPONENT + WIRE_TRAILER(comm->config.ranks) +
	       (size_t)gradient_size(comm) * comm->config.grads;
}

static uint32_t packet_charge(const struct weir *comm)
{
	uint32_t charge = SKB_PAGE;

	while (charge < socket_payload(comm) + SKB_ROOM)
		charge <<= 1;
	return charge + SKB_STRUCT;
}

static int buffer_size(int fd, int option)
{
	int size = 0;
	socklen_t length = sizeof(size);

	return getsockopt(fd, SOL_SOCKET, option, &size, &length) ? 0 : size;
}

/* Sizes are as the kernel counts them: twice those given to setsockopt(). */
static void raise_buffer(int fd, int option, int forced, int wanted)
{
	if (buffer_size(fd, option) >= wanted)
		return;
	if (set(fd, SOL_SOCKET, forced, wanted / 2))
		set(fd, SOL_SOCKET, option, wanted / 2);
}

static void raise_receive(struct weir *comm, int fd, int wanted)
{
	uint32_t size;

	raise_buffer(fd, SO_RCVBUF, SO_RCVBUFFORCE, wanted);
	size = (uint32_t)buffer_size(fd, SO_RCVBUF);
	if (!comm->receive_buffer || size < comm->receive_buffer)
		comm->receive_buffer = size;
}

void socket_buffers(struct weir *comm)
{
	struct config *config = &comm->config;
	uint64_t wanted = (uint64_t)config->window * packet_charge(comm);
	uint32_t holds;

	if (wanted > INT_MAX)
		wanted = INT_MAX;
	raise_receive(comm, comm->fd, (int)wanted);
	if (comm->group_fd >= 0)
		raise_receive(comm, comm->group_fd, (int)wanted);
	raise_buffer(comm->fd, SO_SNDBUF, SO_SNDBUFFORCE, (int)wanted);
	holds = comm->receive_buffer / packet_charge(comm);
	if (config->window > holds)
		config->window = holds ? holds : 1;
}

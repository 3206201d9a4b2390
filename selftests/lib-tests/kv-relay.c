// SPDX-License-Identifier: GPL-2.0
#include "kv-relay.h"

#include <arpa/inet.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <weir_wire.h>

#include "ktap.h"

/* A packet that is held goes on after so long where no other one comes. */
#define HELD_MS 5

static struct sockaddr_in local(uint16_t port)
{
	return (struct sockaddr_in) {
		.sin_family = AF_INET,
		.sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
}

/* To the reducer, or back: what cannot be sent is lost. */
static void push(struct relay *relay, const struct relay_way *way, const uint8_t *bytes,
		 size_t length)
{
	ssize_t sent;

	if (atomic_load(&relay->cut))
		return;
	if (way == &relay->up)
		sent = send(relay->far, bytes, length, 0);
	else
		sent = sendto(relay->near, bytes, length, 0, (struct sockaddr *)&relay->mapper,
			      sizeof(relay->mapper));
	(void)sent;
}

static void let_go(struct relay *relay, struct relay_way *way)
{
	if (way->length)
		push(relay, way, way->held, way->length);
	way->length = 0;
}

static void pass(struct relay *relay, struct relay_way *way, const uint8_t *bytes, size_t length)
{
	if (faults_lose(&way->faults))
		return;
	if (!way->length && faults_hold(&way->faults)) {
		memcpy(way->held, bytes, length);
		way->length = length;
		return;
	}
	push(relay, way, bytes, length);
	if (faults_double(&way->faults))
		push(relay, way, bytes, length);
	let_go(relay, way);
}

static void pass_all(struct relay *relay, struct relay_way *way, int fd)
{
	socklen_t size = sizeof(relay->mapper);
	uint8_t bytes[RELAY_BYTES];
	ssize_t length;

	for (;; pass(relay, way, bytes, (size_t)length)) {
		if (way == &relay->up)
			length = recvfrom(fd, bytes, sizeof(bytes), MSG_DONTWAIT,
					  (struct sockaddr *)&relay->mapper, &size);
		else
			length = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT);
		if (length < 0)
			return;
		if (way == &relay->down && atomic_load(&relay->silent))
			bytes[offsetof(struct weir_kv, flags)] |= WEIR_KV_SILENT;
	}
}

static void *run(void *data)
{
	struct relay *relay = data;
	struct pollfd poller[] = {
		{ .fd = relay->near, .events = POLLIN }, { .fd = relay->far, .events = POLLIN },
	};

	while (!atomic_load(&relay->stop)) {
		if (!poll(poller, 2, HELD_MS)) {
			let_go(relay, &relay->up);
			let_go(relay, &relay->down);
		}
		pass_all(relay, &relay->up, relay->near);
		pass_all(relay, &relay->down, relay->far);
	}
	return NULL;
}

bool relay_start(struct relay *relay, uint16_t from, uint16_t to,
		 const struct faults_options *options)
{
	struct sockaddr_in near = local(from), far = local(to);

	memset(relay, 0, sizeof(*relay));
	faults_init(&relay->up.faults, options);
	faults_init(&relay->down.faults, options);
	relay->down.faults.state += 1;
	relay->near = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	relay->far = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	return CHECK(!bind(relay->near, (struct sockaddr *)&near, sizeof(near))) &&
	       CHECK(!connect(relay->far, (struct sockaddr *)&far, sizeof(far))) &&
	       CHECK(!pthread_create(&relay->thread, NULL, run, relay));
}

void relay_stop(struct relay *relay)
{
	atomic_store(&relay->stop, true);
	pthread_join(relay->thread, NULL);
	close(relay->near);
	close(relay->far);
}

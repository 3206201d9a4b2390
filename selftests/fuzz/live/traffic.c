// SPDX-License-Identifier: GPL-2.0
/* Packets of workers on this machine to jobs that may be there. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <weir.h>
#include <weir_wire.h>

#include "scene.h"

#define WORKERS		4
#define PORT		12000
#define GRADS		64

static int sockets[2 * WORKERS];	/* of IPv4, then of IPv6 */

/* The address of a host, 254 is the box. */
static socklen_t address(bool ipv6, int host, struct sockaddr_storage *to)
{
	struct sockaddr_in6 *a6 = (void *)to;
	struct sockaddr_in *a4 = (void *)to;
	char text[32];

	memset(to, 0, sizeof(*to));
	snprintf(text, sizeof(text), ipv6 ? "fd99::%x" : "10.99.0.%d", host);
	to->ss_family = ipv6 ? AF_INET6 : AF_INET;
	if (ipv6) {
		a6->sin6_port = htons(PORT);
		inet_pton(AF_INET6, text, &a6->sin6_addr);
		return sizeof(*a6);
	}
	a4->sin_port = htons(PORT);
	inet_pton(AF_INET, text, &a4->sin_addr);
	return sizeof(*a4);
}

void scene_traffic_open(void)
{
	struct sockaddr_storage at;
	socklen_t len;
	int i;

	for (i = 0; i < 2 * WORKERS; i++) {
		len = address(i >= WORKERS, i % WORKERS + 1, &at);
		sockets[i] = socket(at.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
		if (sockets[i] < 0 || bind(sockets[i], (void *)&at, len))
			err(1, "worker %d", i);
	}
}

void scene_traffic_close(void)
{
	int i;

	for (i = 0; i < 2 * WORKERS; i++)
		close(sockets[i]);
}

/* The cookie for the next join, where a worker has got one. */
static size_t answer_cookie(int i, uint8_t *buf, size_t room)
{
	struct weir_trio *hdr = (void *)buf;
	struct weir_join join;
	ssize_t len;

	while ((len = recv(sockets[i], buf, room, MSG_DONTWAIT)) >= 0) {
		if (len != sizeof(*hdr) + sizeof(join) || hdr->flags != WEIR_TRIO_COOKIE)
			continue;
		memcpy(&join, hdr + 1, sizeof(join));
		join.grads = htonl(1);
		memcpy(hdr + 1, &join, sizeof(join));
		hdr->flags = WEIR_TRIO_CONTROL;
		hdr->src_cnt = 1;
		hdr->grad_cnt[0] = 0;
		return len;
	}
	return 0;
}

static size_t fill(struct rng *rng, int source, uint8_t *buf)
{
	struct weir_trio *hdr = (void *)buf;
	uint32_t block = htonl(rng_below(rng, 64));
	unsigned int grads = rng_percent(rng, 80) ? rng_range(rng, 1, GRADS) : 0;
	struct weir_join join = {
		.nonce = rng_below(rng, 4), .ranks = htonl(rng_range(rng, 1, 4)),
		.grads = htonl(1), .dtype = WEIR_DTYPE_INT32, .op = WEIR_OP_SUM,
		.format = WEIR_FORMAT_TRIO,
	};

	memset(buf, 0, sizeof(*hdr) + 4 * GRADS);
	hdr->job_id = rng_below(rng, 6);
	memcpy(hdr->block_id, &block, sizeof(block));
	hdr->src_id = source;
	hdr->src_cnt = 1;
	hdr->gen_id[1] = rng_percent(rng, 90) ? 0 : rng_below(rng, 3);
	if (!grads && rng_percent(rng, 50)) {
		hdr->flags = WEIR_TRIO_CONTROL;
		memcpy(hdr + 1, &join, sizeof(join));
		return sizeof(*hdr) + sizeof(join);
	}
	hdr->grad_cnt[1] = grads;
	return sizeof(*hdr) + 4 * grads;
}

void scene_traffic(struct rng *rng, unsigned int packets)
{
	uint8_t buf[sizeof(struct weir_trio) + 4 * GRADS];
	struct sockaddr_storage to;
	socklen_t to_len;
	size_t len;
	int i;

	while (packets--) {
		i = rng_below(rng, 2 * WORKERS);
		len = answer_cookie(i, buf, sizeof(buf));
		if (!len)
			len = fill(rng, i % WORKERS, buf);
		to_len = address(i >= WORKERS, 254, &to);
		sendto(sockets[i], buf, len, MSG_DONTWAIT, (void *)&to, to_len);
	}
}

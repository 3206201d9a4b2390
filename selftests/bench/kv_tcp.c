// SPDX-License-Identifier: GPL-2.0
/*
 * Pairs by TCP, without a box: what key-value streams are compared with.
 *
 *	bench-kv-tcp get PORT MAPPERS		a reducer
 *	bench-kv-tcp put ADDRESS PORT		a mapper, of lines of a key, a tab and a value that it reads
 *
 * The pairs are packed as in a stream, and reduced by libweir's own table; so what differs is the way
 * there. The reducer prints how many keys and pairs there were, and the nanoseconds of processor time
 * that it took.
 */
#include <arpa/inet.h>
#include <err.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "kv/table.h"
#include "kv/wire.h"

#define BUFFER		65536
#define MAPPERS_MAX	64

/* A mapper tries to connect so many times, with a pause of so many ns between. */
#define CONNECT_TRIES	1000
#define CONNECT_PAUSE	10000000

/**
 * struct input - what comes from a mapper
 * @used: bytes that were not taken yet: a pair that has not come as a whole
 */
struct input {
	uint8_t bytes[BUFFER];
	size_t used;
};

static const struct kv_numbers sums = { WEIR_INT32, WEIR_SUM };
static struct input input[MAPPERS_MAX];
static struct pollfd mapper[MAPPERS_MAX];
static struct kv_table table;
static uint64_t pairs;

static struct sockaddr_in address_of(const char *address, const char *port)
{
	struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port)),
	};

	if (inet_pton(AF_INET, address, &to.sin_addr) != 1)
		errx(2, "%s is no address", address);
	return to;
}

/* Takes the pairs of the buffer that have come as a whole. */
static void take(struct input *in)
{
	struct kv_cursor cursor = {
		.at = in->bytes, .left = in->used, .packed = true, .width = 4,
	};
	struct kv_pair pair = { .length = 0 };

	while (cursor.left && kv_pair_read(&cursor, &pair) == KV_FINE) {
		if (kv_table_reserve(&table, 1, pair.length))
			errx(1, "a pair has no room");
		kv_table_take(&table, &sums, pair.key, pair.length, kv_value_read(&sums, pair.bits));
		pairs++;
	}
	memmove(in->bytes, cursor.at, cursor.left);
	in->used = cursor.left;
}

/* Returns whether more may come. */
static bool receive(struct pollfd *from, struct input *in)
{
	ssize_t got = read(from->fd, in->bytes + in->used, BUFFER - in->used);

	if (got < 0)
		err(1, "read");
	in->used += (size_t)got;
	take(in);
	if (got)
		return true;
	if (in->used)
		errx(1, "a mapper has ended within a pair");
	close(from->fd);
	from->fd = -1;
	return false;
}

static void accept_all(const char *port, int mappers)
{
	struct sockaddr_in own = address_of("0.0.0.0", port);
	int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&own, sizeof(own)) || listen(fd, mappers))
		err(1, "port %s", port);
	for (int i = 0; i < mappers; i++) {
		mapper[i].fd = accept(fd, NULL, NULL);
		mapper[i].events = POLLIN;
		if (mapper[i].fd < 0)
			err(1, "accept");
	}
}

static int get(const char *port, int mappers)
{
	struct timespec used;
	int left = mappers;

	if (mappers < 1 || mappers > MAPPERS_MAX || kv_table_init(&table))
		errx(2, "1 to %d mappers", MAPPERS_MAX);
	accept_all(port, mappers);
	while (left) {
		poll(mapper, (nfds_t)mappers, -1);
		for (int i = 0; i < mappers; i++)
			if (mapper[i].fd >= 0 && mapper[i].revents && !receive(&mapper[i], &input[i]))
				left--;
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	printf("%zu %" PRIu64 " %lld\n", table.count, pairs,
	       used.tv_sec * 1000000000LL + used.tv_nsec);
	return 0;
}

static void send_all(int fd, const uint8_t *bytes, size_t length)
{
	ssize_t sent;

	for (; length; bytes += sent, length -= (size_t)sent) {
		sent = write(fd, bytes, length);
		if (sent < 0)
			err(1, "write");
	}
}

/* The reducer may come later. */
static int connect_to(const char *address, const char *port)
{
	const struct timespec pause = { .tv_nsec = CONNECT_PAUSE };
	struct sockaddr_in to = address_of(address, port);

	for (int i = 0; i < CONNECT_TRIES; i++) {
		int fd = socket(AF_INET, SOCK_STREAM, 0);

		if (!connect(fd, (struct sockaddr *)&to, sizeof(to)))
			return fd;
		close(fd);
		nanosleep(&pause, NULL);
	}
	err(1, "%s", address);
}

static int put(const char *address, const char *port)
{
	int fd = connect_to(address, port);
	uint8_t bytes[BUFFER];
	size_t used = 0;
	char line[256];

	while (fgets(line, sizeof(line), stdin)) {
		char *tab = strchr(line, '\t');

		if (!tab || tab - line > WEIR_KV_KEY_BYTES)
			errx(1, "that is no pair: %s", line);
		used += kv_pair_write(bytes + used, line, (size_t)(tab - line),
				      (uint64_t)atoll(tab + 1), 4);
		if (used > sizeof(bytes) - sizeof(line)) {
			send_all(fd, bytes, used);
			used = 0;
		}
	}
	send_all(fd, bytes, used);
	return close(fd);
}

int main(int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "get"))
		return get(argv[2], atoi(argv[3]));
	if (argc == 4 && !strcmp(argv[1], "put"))
		return put(argv[2], argv[3]);
	fprintf(stderr, "usage: bench-kv-tcp get PORT MAPPERS | put ADDRESS PORT\n");
	return 2;
}

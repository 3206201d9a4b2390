// SPDX-License-Identifier: GPL-2.0
/*
 * Flows of DCTCP between all pairs of namespaces, as a Poisson process, each by a connection of its own.
 * Lengths are those of the web search and the data mining workload, half of the flows each, divided by a
 * scale. One process has all ends, so that one clock takes all times: from a flow's arrival, when it
 * connects, until its last byte has been read. It goes before whatever else shares its processor: a host
 * has a processor for that.
 *
 *	bench-short RATE LOAD SCALE WARMUP FLOWS SECONDS NAMESPACE=ADDRESS...
 *
 * RATE is a link's in bit/s, of which the flows of each sender take LOAD. After WARMUP seconds so many
 * short FLOWS are measured; others go on to arrive until those are done, or until SECONDS have passed
 * since the last of them arrived. One that is not done then counts as if it were. Prints words and
 * numbers: when it began and was over (ns of the monotonic clock), what short flows took (us), and what
 * came of all flows.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "lengths.h"
#include "random.h"

#define HOSTS_MAX	16
#define FLOWS_MAX	(1 << 17)
#define FDS_MAX		16384
#define PORT		5001
#define SEED		18
#define STEP		0x9e3779b97f4a7c15	/* SplitMix64 */
#define BUFFER		(1 << 18)
#define EVENTS		64

struct host {
	struct in_addr address;
	int netns;
};

/**
 * struct flow - one transfer
 * @bytes: with its number, the first four of them
 * @sent: of these
 * @got: of these
 * @arrived: ns
 * @done: ns; 0 before
 * @is_measured: whether it counts
 */
struct flow {
	uint32_t bytes;
	uint32_t sent;
	uint32_t got;
	uint64_t arrived;
	uint64_t done;
	bool is_measured;
};

enum kind { TIMER, LISTENER, SENDER, RECEIVER };

/**
 * struct end - what a descriptor is
 * @used: of @number
 * @number: a receiver's flow, as far as it has been read
 */
struct end {
	enum kind kind;
	uint32_t used;
	uint32_t number;
};

static struct host host[HOSTS_MAX];
static int hosts;
static struct flow flow[FLOWS_MAX];
static uint32_t flows;
static struct end end[FDS_MAX];
static uint8_t buffer[BUFFER];
static int poller, timer;

/* The arguments: see above. */
static double scale, mean_ns;
static uint64_t warmup_ns, patience_ns;
static int wanted;

static uint64_t began, next, last_measured;
static int measured, open_measured;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* At least 0, less than 1. */
static double draw(void)
{
	static uint64_t state = SEED;
	uint64_t mixed = random_mix(state);

	state += STEP;
	return (mixed >> 11) * 0x1p-53;
}

static double mean_bits(void)
{
	return 8 * LENGTHS_PACKET * lengths_mean() / scale;
}

static void enter(const struct host *h)
{
	if (setns(h->netns, CLONE_NEWNET))
		err(1, "setns");
}

/* Events of a new end come from now on. */
static void await(int fd, enum kind kind, uint32_t number, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.fd = fd };

	if (fd >= FDS_MAX)
		errx(1, "too many flows at once");
	end[fd] = (struct end) { .kind = kind, .number = number };
	if (epoll_ctl(poller, EPOLL_CTL_ADD, fd, &event))
		err(1, "epoll");
}

static int made(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), on = 1;

	if (fd < 0)
		err(1, "socket");
	if (setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "dctcp", 5))
		err(1, "DCTCP");
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	return fd;
}

static void add_host(char *word)
{
	struct sockaddr_in any = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	char *address = strchr(word, '=');
	struct host *h = &host[hosts++];
	char path[256];
	int fd;

	if (hosts > HOSTS_MAX || !address)
		errx(2, "that is no host: %s", word);
	*address++ = 0;
	snprintf(path, sizeof(path), "/run/netns/%s", word);
	h->netns = open(path, O_RDONLY | O_CLOEXEC);
	if (h->netns < 0 || inet_pton(AF_INET, address, &h->address) != 1)
		err(2, "%s at %s", word, address);
	enter(h);
	fd = made();
	if (bind(fd, (struct sockaddr *)&any, sizeof(any)) || listen(fd, SOMAXCONN))
		err(1, "port %d", PORT);
	await(fd, LISTENER, 0, EPOLLIN);
}

static bool is_short(const struct flow *f)
{
	return f->bytes * scale < LENGTHS_SHORT;
}

static void arrive(void)
{
	int from = (int)(draw() * hosts), to = (int)(draw() * (hosts - 1));
	bool is_websearch = draw() < 0.5;
	double bytes = lengths_at(is_websearch, draw()) * LENGTHS_PACKET / scale;
	struct flow *f = &flow[flows];
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	int fd;

	if (flows == FLOWS_MAX)
		errx(1, "too many flows");
	to += to >= from;
	f->arrived = next;
	f->bytes = bytes < sizeof(flows) ? sizeof(flows) : (uint32_t)bytes;
	f->is_measured = is_short(f) && next >= began + warmup_ns && measured < wanted;
	if (f->is_measured) {
		measured++;
		open_measured++;
		last_measured = next;
	}
	enter(&host[from]);
	fd = made();
	address.sin_addr = host[to].address;
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) && errno != EINPROGRESS)
		err(1, "connect");
	await(fd, SENDER, flows++, EPOLLOUT);
}

/* The next arrival. */
static void arm(void)
{
	struct itimerspec at = { 0 };

	next += (uint64_t)(-log(1 - draw()) * mean_ns);
	at.it_value.tv_sec = next / 1000000000;
	at.it_value.tv_nsec = next % 1000000000;
	if (timerfd_settime(timer, TFD_TIMER_ABSTIME, &at, NULL))
		err(1, "timer");
}

static void arrivals(void)
{
	uint64_t times;

	if (read(timer, &times, sizeof(times)) < 0)
		return;
	arrive();
	arm();
}

static void accept_one(int listener)
{
	int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK);

	if (fd >= 0)
		await(fd, RECEIVER, 0, EPOLLIN);
}

static void send_more(int fd)
{
	uint32_t number = end[fd].number;
	struct flow *f = &flow[number];
	ssize_t sent;

	while (f->sent < f->bytes) {
		size_t left = f->bytes - f->sent;

		/* Only the first bytes are looked at. */
		memcpy(buffer, &number, sizeof(number));
		sent = write(fd, buffer, left < BUFFER ? left : BUFFER);
		if (sent < 0 && errno == EAGAIN)
			return;
		if (sent < (ssize_t)(f->sent ? 1 : sizeof(number)))
			err(1, "flow %u of %u bytes", number, f->bytes);
		f->sent += (uint32_t)sent;
	}
	close(fd);
}

static void finish(struct flow *f)
{
	f->done = now();
	open_measured -= f->is_measured;
}

/* Takes @length bytes that have come. */
static void take(struct end *e, const uint8_t *bytes, size_t length)
{
	struct flow *f;

	for (; e->used < sizeof(e->number) && length; length--)
		((uint8_t *)&e->number)[e->used++] = *bytes++;
	if (e->used < sizeof(e->number))
		return;
	f = &flow[e->number];
	if (!f->got)
		f->got = sizeof(e->number);
	f->got += (uint32_t)length;
	if (f->got == f->bytes && !f->done)
		finish(f);
}

static void receive(int fd)
{
	static uint8_t room[BUFFER];
	ssize_t got;

	while ((got = read(fd, room, sizeof(room))) > 0)
		take(&end[fd], room, (size_t)got);
	if (!got)
		close(fd);
	else if (errno != EAGAIN)
		err(1, "a flow ends");
}

static void handle(int fd)
{
	switch (end[fd].kind) {
	case TIMER:
		arrivals();
		break;
	case LISTENER:
		accept_one(fd);
		break;
	case SENDER:
		send_more(fd);
		break;
	case RECEIVER:
		receive(fd);
		break;
	}
}

static bool is_over(void)
{
	return measured == wanted &&
	       (!open_measured || now() > last_measured + patience_ns);
}

static void run(void)
{
	struct epoll_event events[EVENTS];
	int n, i;

	next = began = now();
	arm();
	while (!is_over()) {
		n = epoll_wait(poller, events, EVENTS, -1);
		for (i = 0; i < n; i++)
			handle(events[i].data.fd);
	}
}

static int by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void report(void)
{
	double *took = malloc(wanted * sizeof(*took)), bytes = 0, rates = 0;
	uint64_t over = now();
	int n = 0, longs = 0;
	uint32_t i;

	if (!took)
		err(1, "no memory");
	for (i = 0; i < flows; i++) {
		const struct flow *f = &flow[i];
		double us = ((f->done ?: over) - f->arrived) / 1e3;

		bytes += f->got;
		if (f->is_measured)
			took[n++] = us;
		if (!is_short(f) && f->got) {
			rates += f->got * 8 / us;
			longs++;
		}
	}
	qsort(took, n, sizeof(*took), by_size);
	printf("began %llu\nover %llu\n", (unsigned long long)began, (unsigned long long)over);
	printf("flows %d\nunfinished %d\n", n, open_measured);
	printf("p50 %.0f\np90 %.0f\np99 %.0f\nlongest %.0f\n", took[n / 2], took[n * 9 / 10],
	       took[n * 99 / 100], took[n - 1]);
	printf("mbit %.1f\n", bytes * 8e3 / (over - began) / hosts);
	printf("long %d\nlong_mbit %.1f\n", longs, longs ? rates / longs : 0);
	free(took);
}

static void first(void)
{
	const struct sched_param before = { .sched_priority = 1 };
	const struct rlimit many = { FDS_MAX, FDS_MAX };

	if (sched_setscheduler(0, SCHED_FIFO, &before))
		err(1, "priority");
	if (setrlimit(RLIMIT_NOFILE, &many))
		err(1, "descriptors");
	/* Nothing is read from a file once the clock counts. */
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		err(1, "memory");
}

int main(int argc, char **argv)
{
	int i;

	if (argc < 9) {
		fprintf(stderr,
			"usage: bench-short RATE LOAD SCALE WARMUP FLOWS SECONDS NAMESPACE=ADDRESS...\n");
		return 2;
	}
	scale = atof(argv[3]);
	warmup_ns = (uint64_t)(atof(argv[4]) * 1e9);
	wanted = atoi(argv[5]);
	patience_ns = (uint64_t)(atof(argv[6]) * 1e9);
	first();
	poller = epoll_create1(0);
	timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
	await(timer, TIMER, 0, EPOLLIN);
	for (i = 7; i < argc; i++)
		add_host(argv[i]);
	mean_ns = mean_bits() * 1e9 / (atof(argv[1]) * atof(argv[2]) * hosts);
	run();
	report();
	return 0;
}

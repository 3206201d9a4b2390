// SPDX-License-Identifier: GPL-2.0
/* Numbered UDP datagrams of several flows, and whether they arrive in the order of their numbers. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static const char usage[] =
"usage: order-traffic send ADDRESS [--port PORT] [--count N] [--flows F] [--size BYTES]\n"
"                          [--swap N] [--rtp] [--first N[,N...]] [--window FILE]\n"
"       order-traffic recv FILE [--port PORT] [--flows F]\n"
"\n"
"send sends N datagrams of each of F flows, in turn; a flow is a source port. With --swap the\n"
"first goes alone, and then each run of N datagrams leaves backwards; with --rtp they begin as\n"
"RTP's do, numbered from --first on, and so many again from each further number on, once all before\n"
"have arrived. With --window it is never more than 240 ahead of what the receiver has written to\n"
"that FILE.\n"
"recv counts until it is ended. FILE is always whole: a JSON object of how many datagrams came\n"
"(\"packets\"), came after a later one of their flow (\"violations\"), and came twice (\"twice\"),\n"
"and when the last one came, in ns (\"last\").\n";

#define BATCH		32
#define LONGEST		8192
#define FLOWS_MAX	128
#define FIRSTS_MAX	8
/* A veth's ring has room for 256, which others use, too. */
#define AHEAD		240
#define IDLE_MS		50
#define BUFFER		(1 << 26)
#define RTP_LEN		12
#define RTP_FLAGS	0x80	/* version 2; no flow of a mark is that high */

struct options {
	const char *word;
	const char *window;
	unsigned int port;
	unsigned int flows;
	unsigned int size;
	unsigned int swap;
	unsigned int first[FIRSTS_MAX];
	unsigned int firsts;
	uint64_t count;
	bool rtp;
};

/* Behind RTP's header, where there is one. */
struct mark {
	uint32_t flow;
	uint32_t reserved;
	uint64_t number;
};

/* So many datagrams are sent, or received, at once. */
struct batch {
	unsigned char data[BATCH][LONGEST];
	struct iovec vectors[BATCH];
	struct mmsghdr messages[BATCH];
};

/* The only one, for datagrams of @size bytes. */
static struct batch *batch_of(size_t size)
{
	static struct batch batch;
	int i;

	for (i = 0; i < BATCH; i++) {
		batch.vectors[i] = (struct iovec){ batch.data[i], size };
		batch.messages[i].msg_hdr =
			(struct msghdr){ .msg_iov = &batch.vectors[i], .msg_iovlen = 1 };
	}
	return &batch;
}

static int open_socket(unsigned int port)
{
	struct sockaddr_in any = { .sin_family = AF_INET, .sin_port = htons(port) };
	int fd = socket(AF_INET, SOCK_DGRAM, 0), room = BUFFER;

	if (fd < 0)
		err(1, "socket");
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)))
		err(1, "SO_RCVBUFFORCE");
	if (bind(fd, (void *)&any, sizeof(any)))
		err(1, "port %u", port);
	return fd;
}

static void put16(unsigned char *at, unsigned int number)
{
	at[0] = number >> 8;
	at[1] = number;
}

/* The mark of a datagram, behind what RTP has. */
static void fill(const struct options *o, unsigned char *data, unsigned int flow, uint64_t number)
{
	struct mark mark = { .flow = flow, .number = number };

	if (o->rtp) {
		data[0] = RTP_FLAGS;
		put16(data + 2, o->first[number / o->count] + number % o->count);
		put16(data + 10, flow + 1);
	}
	memcpy(data + (o->rtp ? RTP_LEN : 0), &mark, sizeof(mark));
}

/* Where nobody receives, what was sent before is answered so. */
static void send_all(int fd, struct mmsghdr *messages, unsigned int count)
{
	while (count) {
		int sent = sendmmsg(fd, messages, count, 0);

		if (sent < 0 && errno != ENOBUFS && errno != EINTR && errno != ECONNREFUSED)
			err(1, "sendmmsg");
		if (sent > 0) {
			messages += sent;
			count -= sent;
		}
	}
}

static uint64_t received(const char *path)
{
	unsigned long long packets = 0;
	FILE *file = fopen(path, "r");

	if (!file)
		return 0;
	if (fscanf(file, "{\"packets\": %llu", &packets) != 1)
		packets = 0;
	fclose(file);
	return packets;
}

/*
 * Wait until at most @ahead packets are under way. Lost ones do not count for ever: there are only so many
 * looks in all.
 */
static void wait_for(const struct options *o, uint64_t sent, uint64_t ahead)
{
	static unsigned int patience = 60000;

	for (; sent > received(o->window) + ahead && patience; patience--)
		poll(NULL, 0, 1);
}

static int *open_flows(const struct options *o)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(o->port) };
	int *fds = calloc(o->flows, sizeof(*fds));
	unsigned int flow;

	if (!fds || inet_pton(AF_INET, o->word, &to.sin_addr) != 1)
		errx(2, "%s is no IPv4 address", o->word);
	for (flow = 0; flow < o->flows; flow++) {
		fds[flow] = open_socket(0);
		if (connect(fds[flow], (void *)&to, sizeof(to)))
			err(1, "connect");
	}
	return fds;
}

/* @count datagrams of each flow. */
static void send_some(const struct options *o, const int *fds, struct batch *batch, uint64_t number,
		      unsigned int count)
{
	unsigned int flow, i;

	for (flow = 0; flow < o->flows; flow++) {
		for (i = 0; i < count; i++)
			fill(o, batch->data[i], flow, number + (o->swap ? count - 1 - i : i));
		send_all(fds[flow], batch->messages, count);
		sched_yield();
	}
}

/* From the first of a run of numbers on: how many are sent at once. */
static unsigned int at_once(const struct options *o, uint64_t number)
{
	unsigned int most = o->swap ? o->swap : BATCH;

	if (!number)
		return 1;
	return o->count - number < most ? o->count - number : most;
}

static int send_traffic(const struct options *o)
{
	uint64_t number, all = o->count * o->firsts;
	struct batch *batch = batch_of(o->size);
	int *fds = open_flows(o);
	unsigned int count;

	for (number = 0; number < all; number += count) {
		count = at_once(o, number % o->count);
		if (o->window && number && number % o->count == 0)
			wait_for(o, number * o->flows, 0);
		if (o->window)
			wait_for(o, (number + count) * o->flows, AHEAD);
		send_some(o, fds, batch, number, count);
	}
	printf("%llu\n", (unsigned long long)all * o->flows);
	return 0;
}

static struct {
	uint64_t packets, violations, twice, last;
	uint64_t next[FLOWS_MAX];
} seen;

/* ns since 1970 */
static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void look(const unsigned char *data, unsigned int len)
{
	unsigned int skip = len && data[0] == RTP_FLAGS ? RTP_LEN : 0;
	struct mark mark;

	if (len < skip + sizeof(mark))
		return;
	memcpy(&mark, data + skip, sizeof(mark));
	if (mark.flow >= FLOWS_MAX)
		return;
	seen.packets++;
	seen.last = now();
	if (mark.number + 1 == seen.next[mark.flow])
		seen.twice++;
	else if (mark.number < seen.next[mark.flow])
		seen.violations++;
	else
		seen.next[mark.flow] = mark.number + 1;
}

static void write_down(const char *path)
{
	char other[4096];
	FILE *file;

	snprintf(other, sizeof(other), "%s.new", path);
	file = fopen(other, "w");
	if (!file)
		err(1, "%s", other);
	fprintf(file, "{\"packets\": %llu, \"violations\": %llu, \"twice\": %llu, \"last\": %llu}\n",
		(unsigned long long)seen.packets, (unsigned long long)seen.violations,
		(unsigned long long)seen.twice, (unsigned long long)seen.last);
	fclose(file);
	if (rename(other, path))
		err(1, "%s", path);
}

static void __attribute__((noreturn)) recv_traffic(const struct options *o)
{
	struct batch *batch = batch_of(LONGEST);
	struct pollfd poller = { .fd = open_socket(o->port), .events = POLLIN };
	unsigned int quiet = 0;
	int i, count;

	write_down(o->word);
	for (;;) {
		if (poll(&poller, 1, IDLE_MS) <= 0) {
			write_down(o->word);
			continue;
		}
		count = recvmmsg(poller.fd, batch->messages, BATCH, MSG_DONTWAIT, NULL);
		for (i = 0; i < count; i++)
			look(batch->data[i], batch->messages[i].msg_len);
		if (++quiet % 4 == 0)
			write_down(o->word);
	}
}

static uint64_t number(const char *word, uint64_t max)
{
	char *end;
	unsigned long long value = strtoull(word, &end, 0);

	if (!*word || *end || value > max)
		errx(2, "%s: a number up to %llu", word, (unsigned long long)max);
	return value;
}

static void numbers(struct options *o, char *list)
{
	char *word;

	for (o->firsts = 0; (word = strsep(&list, ",")); o->firsts++) {
		if (o->firsts == FIRSTS_MAX)
			errx(2, "--first takes %d numbers", FIRSTS_MAX);
		o->first[o->firsts] = number(word, 65535);
	}
}

int main(int argc, char **argv)
{
	static const struct option known[] = {
		{ "port", required_argument, NULL, 'p' }, { "count", required_argument, NULL, 'n' },
		{ "flows", required_argument, NULL, 'f' }, { "size", required_argument, NULL, 's' },
		{ "swap", required_argument, NULL, 'w' }, { "first", required_argument, NULL, '1' },
		{ "rtp", no_argument, NULL, 'r' }, { "window", required_argument, NULL, 'o' },
		{},
	};
	struct options o = { .port = 7000, .flows = 1, .size = 64, .count = 1000, .firsts = 1 };
	int option;

	while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
		switch (option) {
		case 'p': o.port = number(optarg, 65535); break;
		case 'n': o.count = number(optarg, UINT64_MAX); break;
		case 'f': o.flows = number(optarg, FLOWS_MAX); break;
		case 's': o.size = number(optarg, LONGEST); break;
		case 'w': o.swap = number(optarg, BATCH); break;
		case '1': numbers(&o, optarg); break;
		case 'r': o.rtp = true; break;
		case 'o': o.window = optarg; break;
		default: fputs(usage, stderr); return 2;
		}
	}
	if (argc - optind != 2 || !o.count || o.size < RTP_LEN + sizeof(struct mark)) {
		fputs(usage, stderr);
		return 2;
	}
	o.word = argv[optind + 1];
	if (!strcmp(argv[optind], "send"))
		return send_traffic(&o);
	if (!strcmp(argv[optind], "recv"))
		recv_traffic(&o);
	fputs(usage, stderr);
	return 2;
}

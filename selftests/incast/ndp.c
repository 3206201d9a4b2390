// SPDX-License-Identifier: GPL-2.0
/*
 * trim-ndp: a small receiver-driven transport, to show the use of trimming. An
 * incast of short flows over UDP port 666: senders send a first window blindly;
 * from then on the receiver pulls packets one by one, at the rate of its link. A
 * header that arrives without its payload is answered at once by a NACK, so that
 * its packet goes again with one of the next pulls; a packet that vanishes
 * altogether is sent again only after a timeout.
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define NDP_PORT	666
#define NDP_DATA	0x01
#define NDP_ACK		0x02
#define NDP_NACK	0x04
#define NDP_PULL	0x08
#define NDP_CHOPPED	0x80

#define FLOWS_MAX	64
#define PACKETS_MAX	1024
#define FRAME_HEADERS	42	/* Ethernet, IPv4 and UDP */

static const char usage[] =
	"usage: trim-ndp receive|send --to ADDRESS --rate BYTES [OPTION...]\n"
	"\n"
	"  --to ADDRESS   the receiver's address\n"
	"  --rate BYTES   of the receiver's link, a second\n"
	"  --flows N      flows, each of a sender (16)\n"
	"  --packets N    packets a flow (30)\n"
	"  --window N     of them, those sent blindly (30)\n"
	"  --frame BYTES  bytes of a frame (1514)\n"
	"  --rto MS       silence after which what is not acknowledged goes again (50)\n"
	"  --dscp N       DSCP of data (10)\n"
	"\n"
	"The receiver prints {\"fct_ms\": {\"median\", \"max\"}, \"headers\": trimmed ones,\n"
	"\"duplicates\"} when all flows have ended; the sender {\"sent\", \"timeouts\"}.\n";

/* The shim of 8 bytes; all but the flags is this transport's own. */
struct shim {
	uint8_t flags;
	uint8_t flow;
	uint16_t reserved;
	uint32_t seq;
};

struct run {
	const char *to;
	double rate;
	int flows;
	int packets;
	int window;
	int frame;
	int rto;
	int dscp;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

/* A timer that ticks each time that a frame takes on the receiver's link. */
static int tick_each_frame(const struct run *r, double share)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
	long ns = r->frame / r->rate * 1e9 * share;
	struct itimerspec its = {
		.it_value = { ns / 1000000000, ns % 1000000000 },
		.it_interval = { ns / 1000000000, ns % 1000000000 },
	};

	if (fd < 0 || timerfd_settime(fd, 0, &its, NULL))
		err(1, "timer");
	return fd;
}

static uint64_t ticks(int fd)
{
	uint64_t n = 0;

	return read(fd, &n, sizeof(n)) == sizeof(n) ? n : 0;
}

static struct sockaddr_in address(const struct run *r)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_port = htons(NDP_PORT) };

	if (inet_pton(AF_INET, r->to, &a.sin_addr) != 1)
		errx(2, "%s is no IPv4 address", r->to);
	return a;
}

/* The receiver. */

/**
 * struct inflow - a flow as the receiver sees it
 * @from: its sender
 * @got: packets that came whole
 * @left: how many are lacking
 * @pulls: pulls that it is owed, one for each packet or header that came
 * @end: when the last packet came, ms
 */
struct inflow {
	struct sockaddr_in from;
	bool got[PACKETS_MAX];
	int left;
	int pulls;
	double end;
};

struct receiver {
	const struct run *run;
	int socket;
	struct inflow flow[FLOWS_MAX];
	int next;		/* flow to pull from, in turn */
	int open;
	double start;
	long headers;
	long duplicates;
};

static void answer(struct receiver *v, int flow, uint8_t flags, uint32_t seq)
{
	struct shim s = { .flags = flags, .flow = flow, .seq = htonl(seq) };
	struct inflow *f = &v->flow[flow];

	sendto(v->socket, &s, sizeof(s), 0, (struct sockaddr *)&f->from,
	       sizeof(f->from));
}

static void whole(struct receiver *v, struct inflow *f, uint32_t seq)
{
	if (f->got[seq]) {
		v->duplicates++;
		return;
	}
	f->got[seq] = true;
	if (!--f->left) {
		f->end = now();
		v->open--;
	}
}

static void take(struct receiver *v, const struct shim *s,
		 const struct sockaddr_in *from)
{
	uint32_t seq = ntohl(s->seq);
	struct inflow *f = &v->flow[s->flow];

	if (s->flow >= v->run->flows || seq >= (uint32_t)v->run->packets ||
	    !(s->flags & NDP_DATA))
		return;
	if (!v->start)
		v->start = now();
	f->from = *from;
	f->pulls++;
	if (s->flags & NDP_CHOPPED) {
		v->headers++;
		answer(v, s->flow, NDP_NACK, seq);
		return;
	}
	whole(v, f, seq);
	answer(v, s->flow, NDP_ACK, seq);
}

static void take_all(struct receiver *v)
{
	union {
		struct shim shim;
		uint8_t bytes[16384];
	} buf;
	struct sockaddr_in from;
	socklen_t len = sizeof(from);

	while (recvfrom(v->socket, &buf, sizeof(buf), MSG_DONTWAIT,
			(struct sockaddr *)&from, &len) >= (ssize_t)sizeof(buf.shim))
		take(v, &buf.shim, &from);
}

/* One pull, to the next flow in turn that is owed one. */
static void pull(struct receiver *v)
{
	int i;

	for (i = 0; i < v->run->flows; i++) {
		v->next = (v->next + 1) % v->run->flows;
		if (!v->flow[v->next].pulls || !v->flow[v->next].left)
			continue;
		v->flow[v->next].pulls--;
		answer(v, v->next, NDP_PULL, 0);
		return;
	}
}

static int by_time(const void *a, const void *b)
{
	double d = *(const double *)a - *(const double *)b;

	return d < 0 ? -1 : d > 0;
}

static void report(const struct receiver *v)
{
	double fct[FLOWS_MAX];
	int i;

	for (i = 0; i < v->run->flows; i++)
		fct[i] = v->flow[i].end - v->start;
	qsort(fct, v->run->flows, sizeof(*fct), by_time);
	printf("{\"fct_ms\": {\"median\": %.3f, \"max\": %.3f}, \"headers\": %ld, \"duplicates\": %ld}\n",
	       fct[v->run->flows / 2], fct[v->run->flows - 1], v->headers,
	       v->duplicates);
}

static void receive(const struct run *r)
{
	static struct receiver v;
	struct sockaddr_in at = address(r);
	struct pollfd p[2] = { { .events = POLLIN }, { .events = POLLIN } };
	int i, size = 64 << 20;

	v.run = r;
	v.open = r->flows;
	for (i = 0; i < r->flows; i++)
		v.flow[i].left = r->packets;
	v.socket = socket(AF_INET, SOCK_DGRAM, 0);
	if (v.socket < 0 || bind(v.socket, (struct sockaddr *)&at, sizeof(at)))
		err(1, "socket");
	setsockopt(v.socket, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size));
	p[0].fd = v.socket;
	p[1].fd = tick_each_frame(r, 1);
	fputs("ready\n", stderr);
	while (v.open) {
		poll(p, 2, -1);
		take_all(&v);
		for (i = ticks(p[1].fd); i > 0; i--)
			pull(&v);
	}
	report(&v);
	/* Acknowledgements that got lost are asked for again. */
	while (poll(p, 1, 4 * r->rto) > 0)
		take_all(&v);
}

/* The senders. */

enum state { UNSENT, IN_FLIGHT, AGAIN, ACKED };

/**
 * struct outflow - a flow as its sender sees it
 * @state: of each packet
 * @left: packets that are not acknowledged
 * @heard: when the receiver was last heard, or something was last sent, ms
 */
struct outflow {
	int socket;
	enum state state[PACKETS_MAX];
	int left;
	double heard;
};

struct sender {
	const struct run *run;
	struct outflow flow[FLOWS_MAX];
	int open;
	long sent;
	long timeouts;
};

static void send_packet(struct sender *s, int flow, int seq)
{
	static union {
		struct shim shim;
		uint8_t bytes[16384];
	} buf;
	struct outflow *f = &s->flow[flow];

	buf.shim = (struct shim){ .flags = NDP_DATA, .flow = flow,
				  .seq = htonl(seq) };
	f->state[seq] = IN_FLIGHT;
	s->sent++;
	if (send(f->socket, &buf, s->run->frame - FRAME_HEADERS, 0) < 0 &&
	    errno != ENOBUFS && errno != ECONNREFUSED)
		err(1, "send");
}

/* Trimmed packets first, then packets that were never sent. */
static void send_next(struct sender *s, int flow)
{
	struct outflow *f = &s->flow[flow];
	int seq;

	for (seq = 0; seq < s->run->packets; seq++)
		if (f->state[seq] == AGAIN) {
			send_packet(s, flow, seq);
			return;
		}
	for (seq = 0; seq < s->run->packets; seq++)
		if (f->state[seq] == UNSENT) {
			send_packet(s, flow, seq);
			return;
		}
}

static void hear(struct sender *s, int flow)
{
	struct outflow *f = &s->flow[flow];
	struct shim m;
	uint32_t seq;

	while (recv(f->socket, &m, sizeof(m), MSG_DONTWAIT) == sizeof(m)) {
		seq = ntohl(m.seq);
		f->heard = now();
		if (seq >= (uint32_t)s->run->packets)
			continue;
		if (m.flags & NDP_ACK && f->state[seq] != ACKED) {
			f->state[seq] = ACKED;
			if (!--f->left)
				s->open--;
		} else if (m.flags & NDP_NACK && f->state[seq] == IN_FLIGHT) {
			f->state[seq] = AGAIN;
		} else if (m.flags & NDP_PULL) {
			send_next(s, flow);
		}
	}
}

/* Nothing is heard: all that is under way is taken for lost, and one goes. */
static void time_out(struct sender *s, int flow)
{
	struct outflow *f = &s->flow[flow];
	int seq;

	if (!f->left || now() - f->heard < s->run->rto)
		return;
	for (seq = 0; seq < s->run->packets; seq++)
		if (f->state[seq] == IN_FLIGHT)
			f->state[seq] = AGAIN;
	s->timeouts++;
	f->heard = now();
	send_next(s, flow);
}

/* The first window, each sender at the rate of its own link. */
static void send_window(struct sender *s)
{
	int fd = tick_each_frame(s->run, 1), i, seq;
	struct pollfd p = { .fd = fd, .events = POLLIN };

	for (seq = 0; seq < s->run->window; seq++) {
		for (i = 0; i < s->run->flows; i++) {
			hear(s, i);
			if (s->flow[i].state[seq] == UNSENT)
				send_packet(s, i, seq);
			s->flow[i].heard = now();
		}
		poll(&p, 1, -1);
		ticks(fd);
	}
	close(fd);
}

static void send_all(const struct run *r)
{
	static struct sender s;
	struct sockaddr_in to = address(r);
	struct pollfd p[FLOWS_MAX];
	int i, tos = r->dscp << 2;

	s.run = r;
	s.open = r->flows;
	for (i = 0; i < r->flows; i++) {
		s.flow[i].left = r->packets;
		s.flow[i].socket = socket(AF_INET, SOCK_DGRAM, 0);
		if (s.flow[i].socket < 0 ||
		    setsockopt(s.flow[i].socket, IPPROTO_IP, IP_TOS, &tos, sizeof(tos)) ||
		    connect(s.flow[i].socket, (struct sockaddr *)&to, sizeof(to)))
			err(1, "socket");
		p[i] = (struct pollfd){ .fd = s.flow[i].socket, .events = POLLIN };
	}
	send_window(&s);
	while (s.open) {
		poll(p, r->flows, r->rto / 4 + 1);
		for (i = 0; i < r->flows; i++) {
			hear(&s, i);
			time_out(&s, i);
		}
	}
	printf("{\"sent\": %ld, \"timeouts\": %ld}\n", s.sent, s.timeouts);
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "to", 1, NULL, 't' }, { "rate", 1, NULL, 'r' },
		{ "flows", 1, NULL, 'n' }, { "packets", 1, NULL, 'c' },
		{ "window", 1, NULL, 'w' }, { "frame", 1, NULL, 'b' },
		{ "rto", 1, NULL, 'o' }, { "dscp", 1, NULL, 'q' }, { }
	};
	struct run r = { .flows = 16, .packets = 30, .window = 30,
			 .frame = 1514, .rto = 50, .dscp = 10 };
	int c;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		switch (c) {
		case 't': r.to = optarg; break;
		case 'r': r.rate = atof(optarg); break;
		case 'n': r.flows = atoi(optarg); break;
		case 'c': r.packets = atoi(optarg); break;
		case 'w': r.window = atoi(optarg); break;
		case 'b': r.frame = atoi(optarg); break;
		case 'o': r.rto = atoi(optarg); break;
		case 'q': r.dscp = atoi(optarg); break;
		default:
			fputs(usage, stderr);
			return 2;
		}
	}
	if (!r.to || r.rate <= 0 || r.flows < 1 || r.flows > FLOWS_MAX ||
	    r.packets < 1 || r.packets > PACKETS_MAX || r.window < 1 ||
	    r.window > r.packets || r.frame < FRAME_HEADERS + (int)sizeof(struct shim) ||
	    r.frame > 9014 || r.rto < 1 || optind + 1 != argc) {
		fputs(usage, stderr);
		return 2;
	}
	if (!strcmp(argv[optind], "receive"))
		receive(&r);
	else if (!strcmp(argv[optind], "send"))
		send_all(&r);
	else {
		fputs(usage, stderr);
		return 2;
	}
	return 0;
}

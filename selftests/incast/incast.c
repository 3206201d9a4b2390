// SPDX-License-Identifier: GPL-2.0
/*
 * trim-incast: many senders into one port, each at the port's rate, each frame a
 * little early or late. One process, so that the offered load is exact on a busy
 * machine, too: it waits for the time of each frame and never leaves one out.
 */
#include <arpa/inet.h>
#include <err.h>
#include <getopt.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "frame.h"

static const char usage[] =
	"usage: trim-incast --dev DEV --mac MAC --to ADDRESS --rate BYTES [OPTION...]\n"
	"\n"
	"  --dev DEV      device to send by\n"
	"  --mac MAC      destination's (or router's) Ethernet address\n"
	"  --to ADDRESS   destination, IPv4\n"
	"  --from ADDRESS source (198.18.0.1)\n"
	"  --rate BYTES   bytes of frames a second, each sender\n"
	"  --senders N    how many (4)\n"
	"  --frame BYTES  bytes of a frame, Ethernet header included (1514)\n"
	"  --frames N     how many each sends (1000)\n"
	"  --jitter N     percent of the time between two that one may be off (50)\n"
	"  --dscp N       DSCP (10)\n"
	"  --port N       UDP destination port (4791)\n"
	"\n"
	"Prints {\"sent\": frames, \"refused\": that the device would not take,\n"
	"\"late_us\": the latest one's delay, \"seconds\": the whole}.\n";

/**
 * struct load - the frames to send
 * @gap: nanoseconds between two frames of a sender
 */
struct load {
	const char *dev;
	const char *mac;
	const char *to;
	const char *from;
	double rate;
	int senders;
	int frame;
	int frames;
	int jitter;
	int dscp;
	int port;
	double gap;
};

/**
 * struct sender - one of them
 * @due: when its next frame is due, without jitter
 * @at: when it is sent
 * @left: frames that it still has to send
 */
struct sender {
	double due;
	double at;
	int left;
};

static uint64_t random_state = 0x9e3779b97f4a7c15;

static double unit(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (random_state >> 11) * 0x1p-53;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static uint16_t checksum(const void *data, size_t len)
{
	const uint16_t *word = data;
	uint32_t sum = 0;

	for (; len; len -= 2)
		sum += *word++;
	sum = (sum & 0xffff) + (sum >> 16);
	return ~(sum + (sum >> 16));
}

static void fill(const struct load *l, uint8_t *buf)
{
	struct flow_frame *f = (void *)buf;
	unsigned int b[6];
	int i;

	if (sscanf(l->mac, "%x:%x:%x:%x:%x:%x", b, b + 1, b + 2, b + 3, b + 4,
		   b + 5) != 6)
		errx(2, "%s is no Ethernet address", l->mac);
	for (i = 0; i < 6; i++)
		f->eth.h_dest[i] = b[i];
	/* A locally administered address, which no device has. */
	f->eth.h_source[0] = 2;
	f->eth.h_proto = htons(ETH_P_IP);
	f->ip.version = 4;
	f->ip.ihl = 5;
	f->ip.tos = l->dscp << 2;
	f->ip.tot_len = htons(l->frame - sizeof(f->eth));
	f->ip.ttl = 64;
	f->ip.protocol = IPPROTO_UDP;
	if (inet_pton(AF_INET, l->from, &f->ip.saddr) != 1 ||
	    inet_pton(AF_INET, l->to, &f->ip.daddr) != 1)
		errx(2, "no IPv4 address");
	f->ip.check = checksum(&f->ip, sizeof(f->ip));
	f->udp.dest = htons(l->port);
	f->udp.len = htons(l->frame - sizeof(f->eth) - sizeof(f->ip));
}

static int open_device(const struct load *l)
{
	struct sockaddr_ll to = { .sll_family = AF_PACKET,
				  .sll_ifindex = if_nametoindex(l->dev) };
	int s = socket(AF_PACKET, SOCK_RAW, 0), size = 64 << 20;

	if (!to.sll_ifindex)
		err(2, "%s", l->dev);
	if (s < 0 || bind(s, (struct sockaddr *)&to, sizeof(to)))
		err(1, "packet socket");
	/* Frames that wait in queues on the way are this socket's. */
	setsockopt(s, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size));
	return s;
}

static void schedule(const struct load *l, struct sender *s)
{
	s->due += l->gap;
	s->at = s->due + l->gap * l->jitter / 100 * (2 * unit() - 1);
}

static struct sender *next(struct sender *s, int n)
{
	struct sender *first = NULL;
	int i;

	for (i = 0; i < n; i++)
		if (s[i].left && (!first || s[i].at < first->at))
			first = &s[i];
	return first;
}

static void incast(const struct load *l)
{
	static struct sender senders[FLOWS_MAX];
	static uint8_t buf[16384];
	struct flow_frame *f = (void *)buf;
	long sent = 0, refused = 0;
	double late = 0, start, t;
	int s = open_device(l), i;
	struct sender *who;

	fill(l, buf);
	start = now() + 1e6;
	for (i = 0; i < l->senders; i++) {
		senders[i].left = l->frames;
		senders[i].due = start + l->gap * unit();
		schedule(l, &senders[i]);
	}
	while ((who = next(senders, l->senders))) {
		while ((t = now()) < who->at)
			;
		if (t - who->at > late)
			late = t - who->at;
		f->udp.source = htons(FLOW_PORT + (who - senders));
		if (send(s, buf, l->frame, 0) == l->frame)
			sent++;
		else
			refused++;
		who->left--;
		schedule(l, who);
	}
	printf("{\"sent\": %ld, \"refused\": %ld, \"late_us\": %.0f, \"seconds\": %.6f}\n",
	       sent, refused, late / 1e3, (now() - start) / 1e9);
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "dev", 1, NULL, 'd' }, { "mac", 1, NULL, 'm' },
		{ "to", 1, NULL, 't' }, { "from", 1, NULL, 'f' },
		{ "rate", 1, NULL, 'r' }, { "senders", 1, NULL, 'n' },
		{ "frame", 1, NULL, 'b' }, { "frames", 1, NULL, 'c' },
		{ "jitter", 1, NULL, 'j' }, { "dscp", 1, NULL, 'q' },
		{ "port", 1, NULL, 'p' }, { }
	};
	struct load l = { .from = "198.18.0.1", .senders = 4, .frame = 1514,
			  .frames = 1000, .jitter = 50, .dscp = 10, .port = 4791 };
	int c;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		switch (c) {
		case 'd': l.dev = optarg; break;
		case 'm': l.mac = optarg; break;
		case 't': l.to = optarg; break;
		case 'f': l.from = optarg; break;
		case 'r': l.rate = atof(optarg); break;
		case 'n': l.senders = atoi(optarg); break;
		case 'b': l.frame = atoi(optarg); break;
		case 'c': l.frames = atoi(optarg); break;
		case 'j': l.jitter = atoi(optarg); break;
		case 'q': l.dscp = atoi(optarg); break;
		case 'p': l.port = atoi(optarg); break;
		default:
			fputs(usage, stderr);
			return 2;
		}
	}
	if (!l.dev || !l.mac || !l.to || l.rate <= 0 || l.senders < 1 ||
	    l.senders > FLOWS_MAX || l.frame < (int)sizeof(struct flow_frame) ||
	    l.frame > 16384 || optind != argc) {
		fputs(usage, stderr);
		return 2;
	}
	l.gap = l.frame / l.rate * 1e9;
	incast(&l);
	return 0;
}

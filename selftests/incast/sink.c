// SPDX-License-Identifier: GPL-2.0
/*
 * trim-sink: counts the frames that arrive of an incast, whole and trimmed, by flow. The
 * kernel writes the beginnings of all frames into a ring, with their time, so that none is
 * missed while the senders have the processor.
 */
#include <arpa/inet.h>
#include <err.h>
#include <getopt.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "frame.h"

#define SLOT		256		/* bytes: a header of the ring and 128 of the frame */
#define BLOCK		(1 << 20)

static const char usage[] =
	"usage: trim-sink --dev DEV [OPTION...]\n"
	"\n"
	"Counts the frames of trim-incast until SIGTERM, and prints what came as JSON.\n"
	"\n"
	"  --dev DEV       where they come\n"
	"  --frame BYTES   bytes of a whole frame (1514)\n"
	"  --skip MS       after the first frame, not in the window (0)\n"
	"  --window MS     length of the window; 0 for all that is left (0)\n"
	"  --slots N       frames that may wait to be counted, in thousands (256)\n"
	"  --pcap FILE     keep the trimmed ones there\n";

struct counts {
	uint64_t whole;
	uint64_t trimmed;
	uint64_t window_whole;
	uint64_t window_trimmed;
	uint64_t other;
	uint64_t flow[FLOWS_MAX];	/* whole ones, in the window */
};

struct sink {
	const char *dev;
	const char *pcap;
	int frame;
	double skip;
	double window;
	int slots;
	double first;
	FILE *out;
	struct counts n;
};

static volatile sig_atomic_t ended;

static void end(int sig)
{
	(void)sig;
	ended = 1;
}

static void save(struct sink *s, const struct tpacket2_hdr *h)
{
	uint32_t record[4] = { h->tp_sec, h->tp_nsec / 1000, h->tp_snaplen, h->tp_len };

	fwrite(record, sizeof(record), 1, s->out);
	fwrite((const char *)h + h->tp_mac, h->tp_snaplen, 1, s->out);
}

static void open_pcap(struct sink *s)
{
	static const uint32_t head[6] = { 0xa1b2c3d4, 4 << 16 | 2, 0, 0, 65535, 1 };

	s->out = fopen(s->pcap, "w");
	if (!s->out)
		err(1, "%s", s->pcap);
	fwrite(head, sizeof(head), 1, s->out);
}

static void count(struct sink *s, const struct tpacket2_hdr *h)
{
	const struct flow_frame *f = (const void *)((const char *)h + h->tp_mac);
	double t = h->tp_sec * 1e3 + h->tp_nsec / 1e6;
	unsigned int flow;
	bool in;

	if (h->tp_len < sizeof(*f) || f->eth.h_proto != htons(ETH_P_IP) ||
	    f->ip.protocol != IPPROTO_UDP) {
		s->n.other++;
		return;
	}
	flow = ntohs(f->udp.source) - FLOW_PORT;
	if (flow >= FLOWS_MAX) {
		s->n.other++;
		return;
	}
	if (!s->first)
		s->first = t;
	t -= s->first + s->skip;
	in = t >= 0 && (!s->window || t < s->window);
	if ((int)h->tp_len == s->frame) {
		s->n.whole++;
		s->n.window_whole += in;
		s->n.flow[flow] += in;
	} else {
		s->n.trimmed++;
		s->n.window_trimmed += in;
		if (s->out)
			save(s, h);
	}
}

static int open_ring(struct sink *s, char **ring, size_t *size)
{
	struct sockaddr_ll from = { .sll_family = AF_PACKET,
				    .sll_protocol = htons(ETH_P_ALL),
				    .sll_ifindex = if_nametoindex(s->dev) };
	int fd = socket(AF_PACKET, SOCK_RAW, 0), version = TPACKET_V2, ours = 1;
	struct tpacket_req req = { .tp_block_size = BLOCK, .tp_frame_size = SLOT };

	if (!from.sll_ifindex)
		err(2, "%s", s->dev);
	req.tp_frame_nr = s->slots * 1024;
	req.tp_block_nr = (size_t)req.tp_frame_nr * SLOT / BLOCK;
	*size = (size_t)req.tp_block_nr * BLOCK;
	if (fd < 0 ||
	    setsockopt(fd, SOL_PACKET, PACKET_VERSION, &version, sizeof(version)) ||
	    setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &ours, sizeof(ours)) ||
	    setsockopt(fd, SOL_PACKET, PACKET_RX_RING, &req, sizeof(req)))
		err(1, "packet ring");
	*ring = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (*ring == MAP_FAILED || bind(fd, (struct sockaddr *)&from, sizeof(from)))
		err(1, "packet ring");
	return fd;
}

/* All that is in the ring; returns whether there was anything. */
static void drain(struct sink *s, char *ring, size_t size, size_t *at)
{
	struct tpacket2_hdr *h;

	for (;;) {
		h = (void *)(ring + *at);
		if (!(__atomic_load_n(&h->tp_status, __ATOMIC_ACQUIRE) & TP_STATUS_USER))
			return;
		count(s, h);
		__atomic_store_n(&h->tp_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
		*at = (*at + SLOT) % size;
	}
}

static void print(const struct sink *s, int fd)
{
	struct tpacket_stats stats = { };
	socklen_t len = sizeof(stats);
	int i, last = 0;

	getsockopt(fd, SOL_PACKET, PACKET_STATISTICS, &stats, &len);
	printf("{\"whole\": %lu, \"trimmed\": %lu, \"window_whole\": %lu, \"window_trimmed\": %lu, \"other\": %lu, \"missed\": %u, \"flows\": [",
	       s->n.whole, s->n.trimmed, s->n.window_whole, s->n.window_trimmed,
	       s->n.other, stats.tp_drops);
	for (i = 0; i < FLOWS_MAX; i++)
		if (s->n.flow[i])
			last = i;
	for (i = 0; i <= last; i++)
		printf("%s%lu", i ? ", " : "", s->n.flow[i]);
	printf("]}\n");
}

static void receive(struct sink *s)
{
	struct sigaction sa = { .sa_handler = end };
	struct pollfd p = { .events = POLLIN };
	size_t size, at = 0;
	char *ring;

	sigaction(SIGTERM, &sa, NULL);
	p.fd = open_ring(s, &ring, &size);
	/* From this line on no frame is missed. */
	fputs("ready\n", stderr);
	while (!ended) {
		drain(s, ring, size, &at);
		poll(&p, 1, 100);
	}
	drain(s, ring, size, &at);
	print(s, p.fd);
	if (s->out)
		fclose(s->out);
}

int main(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "dev", 1, NULL, 'd' }, { "frame", 1, NULL, 'b' },
		{ "skip", 1, NULL, 's' }, { "window", 1, NULL, 'w' },
		{ "slots", 1, NULL, 'n' }, { "pcap", 1, NULL, 'p' }, { }
	};
	struct sink s = { .frame = 1514, .slots = 256 };
	int c;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		switch (c) {
		case 'd': s.dev = optarg; break;
		case 'b': s.frame = atoi(optarg); break;
		case 's': s.skip = atof(optarg); break;
		case 'w': s.window = atof(optarg); break;
		case 'n': s.slots = atoi(optarg); break;
		case 'p': s.pcap = optarg; break;
		default:
			fputs(usage, stderr);
			return 2;
		}
	}
	if (!s.dev || s.slots < 4 || optind != argc) {
		fputs(usage, stderr);
		return 2;
	}
	if (s.pcap)
		open_pcap(&s);
	receive(&s);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Sends contributions from several namespaces in turn, as workers in perfect
 * step would, without waiting for results, and prints the time a contribution
 * took in nanoseconds. Under QEMU's -icount on one CPU that is instructions, and
 * everything that a packet causes happens before the next one is sent.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <fcntl.h>
#include <getopt.h>
#include <netinet/udp.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <weir_wire.h>

#define SOURCES_MAX	256
#define GRADS_MAX	2048
#define MERGED_MAX	64		/* UDP_MAX_SEGMENTS of older kernels */

static const char usage[] =
	"usage: bench-blast --to ADDRESS [OPTION...] NAMESPACE...\n"
	"\n"
	"Source S of a job sends from the namespace S modulo their number, from the\n"
	"address there that routing chooses for the first of them, from the next\n"
	"address up for the second, and so on.\n"
	"\n"
	"  --to ADDRESS   the job's address\n"
	"  --port N       its UDP port (12000)\n"
	"  --job N        its id (0)\n"
	"  --jobs N       take turns over so many jobs from that id on (1)\n"
	"  --generation N their generation (0)\n"
	"  --block N      first block (0)\n"
	"  --blocks N     how many, over all jobs (100)\n"
	"  --grads N      gradients a block (1024)\n"
	"  --floats N     they are floats of so many bytes, 2 or 4, and not int32\n"
	"  --merged N     a source sends N blocks' datagrams in one packet (UDP_SEGMENT)\n"
	"  --sources N    how many sources (one a namespace)\n"
	"  --first N      the first of them that sends (0)\n";

/**
 * struct options - the command line
 * @to: address of the box
 * @port: UDP port there
 * @job: first job's id
 * @jobs: how many jobs
 * @block: first block
 * @generation: their generation
 * @blocks: how many, over all jobs
 * @grads: gradients a packet
 * @floats: bytes of each where they are floats, else 0
 * @merged: datagrams a packet, each of another block
 * @first: first source that sends
 * @sources: one more than the last
 */
struct options {
	const char *to;
	int port;
	int job;
	int jobs;
	uint32_t block;
	int generation;
	int blocks;
	int grads;
	int floats;
	int merged;
	int first;
	int sources;
};

static int sockets[SOURCES_MAX];

static void enter(const char *netns)
{
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "/run/netns/%s", netns);
	fd = open(path, O_RDONLY);
	if (fd < 0 || setns(fd, CLONE_NEWNET))
		err(1, "namespace %s", netns);
	close(fd);
}

static size_t gradient_size(const struct options *o)
{
	return o->floats ? (size_t)o->floats : sizeof(int32_t);
}

static size_t datagram_size(const struct options *o)
{
	return sizeof(struct weir_trio) + gradient_size(o) * o->grads;
}

/* Make each write a single packet, which stands for datagrams of @size bytes. */
static void send_merged(int s, int size)
{
	if (setsockopt(s, IPPROTO_UDP, UDP_SEGMENT, &size, sizeof(size)))
		err(1, "UDP_SEGMENT");
}

static int socket_to(const struct sockaddr_in *to,
		     const struct sockaddr_in *from)
{
	int s = socket(AF_INET, SOCK_DGRAM, 0), no_pmtu = IP_PMTUDISC_DONT;

	if (s < 0)
		err(1, "socket");
	setsockopt(s, IPPROTO_IP, IP_MTU_DISCOVER, &no_pmtu, sizeof(no_pmtu));
	if ((from && bind(s, (const struct sockaddr *)from, sizeof(*from))) ||
	    connect(s, (const struct sockaddr *)to, sizeof(*to)))
		err(1, "socket to the box");
	return s;
}

/* The address that routing chose, @n further up, and any port. */
static struct sockaddr_in nth_address(int s, int n)
{
	struct sockaddr_in a;
	socklen_t len = sizeof(a);

	if (getsockname(s, (struct sockaddr *)&a, &len))
		err(1, "getsockname");
	a.sin_addr.s_addr = htonl(ntohl(a.sin_addr.s_addr) + n);
	a.sin_port = 0;
	return a;
}

static void open_sockets(const struct options *o, char **netns, int n)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(o->port) };
	struct sockaddr_in from;
	int i, s;

	if (inet_pton(AF_INET, o->to, &to.sin_addr) != 1)
		errx(2, "%s is no IPv4 address", o->to);
	for (i = 0; i < n; i++) {
		enter(netns[i]);
		if (i < o->sources)
			sockets[i] = socket_to(&to, NULL);
		for (s = i + n; s < o->sources; s += n) {
			from = nth_address(sockets[i], s / n);
			sockets[s] = socket_to(&to, &from);
		}
	}
	for (s = 0; s < o->sources && o->merged > 1; s++)
		send_merged(sockets[s], datagram_size(o));
}

static void parse(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{ "to", 1, NULL, 't' }, { "port", 1, NULL, 'p' },
		{ "job", 1, NULL, 'j' }, { "jobs", 1, NULL, 'J' },
		{ "generation", 1, NULL, 'G' }, { "block", 1, NULL, 'b' }, { "blocks", 1, NULL, 'B' },
		{ "grads", 1, NULL, 'g' }, { "sources", 1, NULL, 's' },
		{ "floats", 1, NULL, 'F' }, { "first", 1, NULL, 'f' },
		{ "merged", 1, NULL, 'm' }, { }
	};
	int c;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		switch (c) {
		case 't': o->to = optarg; break;
		case 'p': o->port = atoi(optarg); break;
		case 'j': o->job = atoi(optarg); break;
		case 'J': o->jobs = atoi(optarg); break;
		case 'b': o->block = strtoul(optarg, NULL, 0); break;
		case 'G': o->generation = atoi(optarg); break;
		case 'B': o->blocks = atoi(optarg); break;
		case 'g': o->grads = atoi(optarg); break;
		case 'F': o->floats = atoi(optarg); break;
		case 's': o->sources = atoi(optarg); break;
		case 'f': o->first = atoi(optarg); break;
		case 'm': o->merged = atoi(optarg); break;
		default:
			fputs(usage, stderr);
			exit(2);
		}
	}
	if (!o->sources)
		o->sources = argc - optind;
	if (!o->to || optind == argc || o->first < 0 ||
	    o->first >= o->sources || o->sources > SOURCES_MAX ||
	    o->jobs < 1 || o->blocks < 1 || o->grads < 0 ||
	    o->grads > GRADS_MAX || o->merged < 1 || o->merged > MERGED_MAX ||
	    (o->floats && o->floats != 2 && o->floats != 4)) {
		fputs(usage, stderr);
		exit(2);
	}
}

static void fill(struct weir_trio *hdr, const struct options *o, int source, int i)
{
	uint32_t block = htonl(o->block + i / o->jobs);

	hdr->job_id = o->job + i % o->jobs;
	memcpy(hdr->block_id, &block, sizeof(block));
	hdr->src_id = source;
	hdr->src_cnt = 1;
	hdr->gen_id[0] = o->generation >> 8;
	hdr->gen_id[1] = o->generation;
	hdr->grad_cnt[0] = o->grads >> 8;
	hdr->grad_cnt[1] = o->grads;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

/*
 * Small integers: no sum may overflow, which would cost a second pass. Or floats of either sign
 * whose size differs by some powers of two, as that of gradients does, in any of the types.
 */
static void fill_gradients(uint8_t *buf, size_t len, const struct options *o)
{
	size_t size = gradient_size(o), b;

	for (b = 0; b < len; b++)
		if (!o->floats)
			buf[b] = b % 4 < 2 ? 0 : b;
		else
			buf[b] = b % size ? b : (0x37 + b / size * 7 % 5) | (b / size * 3 & 0x80);
}

/* One packet of @source: the blocks from number @i on, @n of them. */
static void send_blocks(const struct options *o, uint8_t *gradients, int source, int i, int n)
{
	static struct weir_trio heads[MERGED_MAX];
	struct iovec parts[2 * MERGED_MAX];
	int k;

	for (k = 0; k < n; k++) {
		fill(&heads[k], o, source, i + k);
		parts[2 * k] = (struct iovec){ &heads[k], sizeof(heads[k]) };
		parts[2 * k + 1] = (struct iovec){ gradients, gradient_size(o) * o->grads };
	}
	if (writev(sockets[source], parts, 2 * n) != (ssize_t)(n * datagram_size(o)))
		err(1, "send");
}

/* Each source's gradients begin elsewhere, so that they are not all the same. */
static double blast(const struct options *o)
{
	static uint8_t gradients[4 * (GRADS_MAX + SOURCES_MAX)];
	double start;
	int i, s, n;

	fill_gradients(gradients, sizeof(gradients), o);
	start = now();
	for (i = 0; i < o->blocks; i += n) {
		n = o->blocks - i < o->merged ? o->blocks - i : o->merged;
		for (s = o->first; s < o->sources; s++)
			send_blocks(o, gradients + s * gradient_size(o), s, i, n);
	}
	return (now() - start) / o->blocks / (o->sources - o->first);
}

int main(int argc, char **argv)
{
	struct options o = { .port = 12000, .jobs = 1, .blocks = 100,
			     .grads = 1024, .merged = 1 };

	parse(argc, argv, &o);
	open_sockets(&o, argv + optind, argc - optind);
	printf("%.0f\n", blast(&o));
	return 0;
}

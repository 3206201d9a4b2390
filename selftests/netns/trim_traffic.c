// SPDX-License-Identifier: GPL-2.0
/*
 * UDP datagrams by DSCP, and what arrives of them. In C, as tests start it again and again, and
 * Python takes an emulated machine longer to start than all the rest of such a test.
 */
#include <arpa/inet.h>
#include <err.h>
#include <errno.h>
#include <getopt.h>
#include <netinet/udp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static const char usage[] =
"usage: trim-traffic send ADDRESS [--port PORT] [--count N] [--size BYTES] [--dscp DSCP]\n"
"                         [--merge N] [--returned FILE] [--seconds S] [--flows]\n"
"       trim-traffic count FILE [--port PORT]\n"
"\n"
"send sends N datagrams of so many bytes of payload, 8 at least; with --merge so many at once, as\n"
"one that the stack or the device cuts up; with --seconds it goes on for so long; with --flows each\n"
"comes from another port. It prints how many these were. With --returned it stays and counts what\n"
"comes back, until it is ended.\n"
"\n"
"count counts until it is ended. FILE is always whole: a JSON object of DSCPs, each with how many\n"
"datagrams came with it (\"packets\") and of what lengths (\"lengths\"); and of \"twice\", how often a\n"
"datagram came that had come before.\n";

#define DSCPS		64
#define LONGEST		65536
#define IDLE_MS		100
#define BUFFER		(1 << 25)

struct options {
	const char *word;	/* the address, or the file */
	const char *returned;
	unsigned int port;
	unsigned int count;
	unsigned int size;
	unsigned int dscp;
	unsigned int merge;
	double seconds;
	bool flows;
};

/* First bytes of each datagram. */
struct mark {
	uint32_t process;
	uint32_t number;
};

static int open_socket(int family)
{
	int fd = socket(family, SOCK_DGRAM, 0), room = BUFFER, on = 1;

	if (fd < 0)
		err(1, "socket");
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)) ||
	    setsockopt(fd, IPPROTO_IP, IP_RECVTOS, &on, sizeof(on)) ||
	    (family == AF_INET6 && setsockopt(fd, IPPROTO_IPV6, IPV6_RECVTCLASS, &on, sizeof(on))))
		err(1, "socket options");
	return fd;
}

static void bind_port(int fd, int family, unsigned int port)
{
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons(port) };
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons(port) };

	if (bind(fd, family == AF_INET6 ? (void *)&v6 : (void *)&v4,
		 family == AF_INET6 ? sizeof(v6) : sizeof(v4)))
		err(1, "port %u", port);
}

/* Datagrams of one DSCP. */
struct seen {
	unsigned int packets;
	unsigned int lengths;	/* so many different ones, in the order that they came in */
	uint32_t *length;
};

static struct {
	struct seen dscp[DSCPS];
	unsigned int twice;
	uint64_t *mark;		/* a hash table, half full at most; 0 is free */
	size_t marks, room;
} all;

static void grow(void)
{
	uint64_t *old = all.mark;
	size_t room = all.room;

	all.room = room ? 2 * room : 1024;
	all.mark = calloc(all.room, sizeof(*all.mark));
	if (!all.mark)
		err(1, "marks");
	for (size_t i = 0; i < room; i++) {
		size_t at = old[i] % (all.room - 1);

		if (!old[i])
			continue;
		while (all.mark[at])
			at = (at + 1) % all.room;
		all.mark[at] = old[i];
	}
	free(old);
}

/*
 * Return true if a datagram with these first bytes has come before, else note it. One that was cut may have
 * fewer than eight.
 */
static bool is_again(const void *data, size_t length)
{
	uint64_t mark = 0;
	size_t at;

	memcpy(&mark, data, length < sizeof(mark) ? length : sizeof(mark));
	if (length < sizeof(mark))
		mark |= (0xf0 + length) << 56;
	if (2 * all.marks >= all.room)
		grow();
	for (at = mark % (all.room - 1); all.mark[at]; at = (at + 1) % all.room)
		if (all.mark[at] == mark)
			return true;
	all.mark[at] = mark;
	all.marks++;
	return false;
}

static void note_length(struct seen *seen, uint32_t length)
{
	for (unsigned int i = 0; i < seen->lengths; i++)
		if (seen->length[i] == length)
			return;
	seen->length = realloc(seen->length, (seen->lengths + 1) * sizeof(*seen->length));
	if (!seen->length)
		err(1, "lengths");
	seen->length[seen->lengths++] = length;
}

static void print_dscp(FILE *file, unsigned int dscp)
{
	const struct seen *seen = &all.dscp[dscp];

	fprintf(file, ", \"%u\": {\"packets\": %u, \"lengths\": [", dscp, seen->packets);
	for (unsigned int i = 0; i < seen->lengths; i++)
		fprintf(file, "%s%u", i ? ", " : "", seen->length[i]);
	fprintf(file, "]}");
}

static void keep(const char *path)
{
	char new[4096];
	FILE *file;

	if (snprintf(new, sizeof(new), "%s.new", path) >= (int)sizeof(new))
		errx(1, "%s is too long", path);
	file = fopen(new, "w");
	if (!file)
		err(1, "%s", new);
	fprintf(file, "{\"twice\": %u", all.twice);
	for (unsigned int dscp = 0; dscp < DSCPS; dscp++)
		if (all.dscp[dscp].packets)
			print_dscp(file, dscp);
	fprintf(file, "}\n");
	if (fclose(file) || rename(new, path))
		err(1, "%s", path);
}

/* The TOS of IPv4 is a byte, the traffic class of IPv6 an integer. */
static unsigned int tos_of(struct msghdr *message)
{
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(message);
	int value;

	if (!cmsg)
		errx(1, "a datagram came without its DSCP");
	if (cmsg->cmsg_level == IPPROTO_IP)
		return *CMSG_DATA(cmsg);
	memcpy(&value, CMSG_DATA(cmsg), sizeof(value));
	return value & 0xff;
}

static void take(int fd)
{
	static char data[LONGEST];
	char control[256];
	struct iovec iov = { data, sizeof(data) };
	struct msghdr message = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control),
	};
	ssize_t length = recvmsg(fd, &message, 0);
	struct seen *seen;

	if (length < 0)
		err(1, "receive");
	seen = &all.dscp[tos_of(&message) >> 2];
	seen->packets++;
	note_length(seen, length);
	all.twice += is_again(data, length);
}

static void count(int fd, const char *path)
{
	struct pollfd readable = { .fd = fd, .events = POLLIN };
	bool changed = false;

	keep(path);
	for (;;) {
		if (poll(&readable, 1, changed ? IDLE_MS : -1) > 0) {
			take(fd);
			changed = true;
			continue;
		}
		keep(path);
		changed = false;
	}
}

static void set_dscp(int fd, int family, unsigned int dscp)
{
	int tos = dscp << 2;

	if (family == AF_INET6 ? setsockopt(fd, IPPROTO_IPV6, IPV6_TCLASS, &tos, sizeof(tos)) :
				 setsockopt(fd, IPPROTO_IP, IP_TOS, &tos, sizeof(tos)))
		err(1, "DSCP %u", dscp);
}

/* Another socket, which gets the next port; the old one keeps its own until then. */
static int next_flow(int fd, int family, const struct options *options)
{
	struct sockaddr_storage own;
	socklen_t length = sizeof(own);
	int next = open_socket(family);
	in_port_t port;

	if (getsockname(fd, (struct sockaddr *)&own, &length))
		err(1, "port");
	port = family == AF_INET6 ? ((struct sockaddr_in6 *)&own)->sin6_port :
				    ((struct sockaddr_in *)&own)->sin_port;
	set_dscp(next, family, options->dscp);
	bind_port(next, family, 20000 + ntohs(port) % 20000 + 1);
	close(fd);
	return next;
}

/* @merge datagrams, one behind the other. */
static size_t fill(char *data, const struct options *options, unsigned int number)
{
	memset(data, ' ', (size_t)options->merge * options->size);
	for (unsigned int i = 0; i < options->merge; i++) {
		struct mark mark = { getpid(), number + i };

		memcpy(data + (size_t)i * options->size, &mark, sizeof(mark));
	}
	return (size_t)options->merge * options->size;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

static int send_all(const struct options *options)
{
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = htons(options->port) };
	struct sockaddr_in v4 = { .sin_family = AF_INET, .sin_port = htons(options->port) };
	bool is_v6 = strchr(options->word, ':');
	int family = is_v6 ? AF_INET6 : AF_INET, fd = open_socket(family), size = options->size;
	double end = now() + options->seconds;
	static char data[LONGEST];
	unsigned int sent = 0;

	if (inet_pton(family, options->word, is_v6 ? (void *)&v6.sin6_addr : (void *)&v4.sin_addr) != 1)
		errx(2, "%s is no address", options->word);
	set_dscp(fd, family, options->dscp);
	if (options->merge > 1 && setsockopt(fd, SOL_UDP, UDP_SEGMENT, &size, sizeof(size)))
		err(1, "UDP_SEGMENT");
	while (sent < options->count || now() < end) {
		if (options->flows && sent)
			fd = next_flow(fd, family, options);
		if (sendto(fd, data, fill(data, options, sent), 0, is_v6 ? (void *)&v6 : (void *)&v4,
			   is_v6 ? sizeof(v6) : sizeof(v4)) < 0)
			err(1, "%s", options->word);
		sent += options->merge;
	}
	printf("%u\n", sent);
	fflush(stdout);
	return fd;
}

static unsigned int number(const char *text, unsigned int least, unsigned int most)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (*end || end == text || value < least || value > most)
		errx(2, "%s is no number from %u to %u", text, least, most);
	return value;
}

static void read_options(int argc, char **argv, struct options *options)
{
	static const struct option known[] = {
		{ "port", required_argument, NULL, 'p' }, { "count", required_argument, NULL, 'c' },
		{ "size", required_argument, NULL, 's' }, { "dscp", required_argument, NULL, 'd' },
		{ "merge", required_argument, NULL, 'm' }, { "returned", required_argument, NULL, 'r' },
		{ "seconds", required_argument, NULL, 't' }, { "flows", no_argument, NULL, 'f' },
		{},
	};
	int option;

	while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
		switch (option) {
		case 'p': options->port = number(optarg, 1, 65535); break;
		case 'c': options->count = number(optarg, 0, INT32_MAX); break;
		case 's': options->size = number(optarg, sizeof(struct mark), LONGEST); break;
		case 'd': options->dscp = number(optarg, 0, DSCPS - 1); break;
		case 'm': options->merge = number(optarg, 1, LONGEST); break;
		case 'r': options->returned = optarg; break;
		case 't': options->seconds = strtod(optarg, NULL); break;
		case 'f': options->flows = true; break;
		default: exit(2);
		}
	}
	if (argc - optind != 1 || (uint64_t)options->merge * options->size > LONGEST) {
		fputs(usage, stderr);
		exit(2);
	}
	options->word = argv[optind];
}

int main(int argc, char **argv)
{
	struct options options = { .port = 5000, .count = 100, .size = 1400, .dscp = 10, .merge = 1 };
	int fd;

	if (argc < 2 || (strcmp(argv[1], "send") && strcmp(argv[1], "count"))) {
		fputs(usage, stderr);
		return 2;
	}
	read_options(argc - 1, argv + 1, &options);
	if (!strcmp(argv[1], "count")) {
		fd = open_socket(AF_INET6);
		bind_port(fd, AF_INET6, options.port);
		count(fd, options.word);
	}
	fd = send_all(&options);
	if (options.returned)
		count(fd, options.returned);
	return 0;
}

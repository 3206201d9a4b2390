// SPDX-License-Identifier: GPL-2.0
/*
 * Records of flows by requests and on frames: each frame is counted once, in the record of its
 * flow; what there is no room for is bounded; what ends is reported. In a namespace of its own, on
 * its loopback device, by frames that a program of the chain makes, or that are given here.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <err.h>
#include <errno.h>
#include <linux/genetlink.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <weir_xdp_nl.h>

#include "bpf/traffic.skel.h"
#include "bpf/weir_chain.skel.h"
#include "bpf/weir_flow.skel.h"
#include "ktap.h"
#include "lib/genl.h"

#define LOOPBACK	1
#define NET		0x0a000000u
#define FRAME_MAX	256
#define PATIENCE	120	/* seconds */

static struct traffic_bpf *traffic;
static struct weir_chain_bpf *base;
static struct weir_flow_bpf *own;
static char sentence[256];

/* Frames. */
struct frame {
	uint8_t byte[FRAME_MAX];
	size_t len;
};

static const uint8_t ethernet[] = { 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0 };

static void put16(uint8_t *at, unsigned int value)
{
	at[0] = value >> 8;
	at[1] = value;
}

static void put32(uint8_t *at, uint32_t value)
{
	put16(at, value >> 16);
	put16(at + 2, value);
}

/* IPv4 from 10.0.0.0 to 192.0.2.1, whose payload follows, with @payload bytes. */
static uint8_t *ipv4(struct frame *frame, uint8_t proto, size_t payload)
{
	uint8_t *ip = frame->byte + sizeof(ethernet);

	memset(frame, 0, sizeof(*frame));
	memcpy(frame->byte, ethernet, sizeof(ethernet));
	ip[0] = 0x45;
	put16(ip + 2, 20 + payload);
	ip[8] = 64;
	ip[9] = proto;
	put32(ip + 12, NET);
	put32(ip + 16, 0xc0000201);
	frame->len = sizeof(ethernet) + 20 + payload;
	return ip + 20;
}

static void ports(uint8_t *at, unsigned int source, unsigned int destination)
{
	put16(at, source);
	put16(at + 2, destination);
}

static void udp(struct frame *frame, size_t payload)
{
	ports(ipv4(frame, IPPROTO_UDP, 8 + payload), 1000, 53);
}

static void tcp(struct frame *frame, uint32_t seq, uint8_t flags, size_t payload)
{
	uint8_t *at = ipv4(frame, IPPROTO_TCP, 20 + payload);

	ports(at, 1000, 80);
	put32(at + 4, seq);
	at[12] = 0x50;
	at[13] = flags;
}

/* The same packet of IPv6; of its addresses the first words are those of IPv4. */
static struct frame to_ipv6(const struct frame *frame)
{
	const uint8_t *from = frame->byte + sizeof(ethernet);
	struct frame made = *frame;
	uint8_t *ip = made.byte + sizeof(ethernet);

	memset(ip, 0, 40);
	put16(ip - 2, 0x86dd);
	ip[0] = 0x60 | from[1] >> 4;
	ip[1] = from[1] << 4;
	put16(ip + 4, frame->len - sizeof(ethernet) - 20);
	ip[6] = from[9];
	ip[7] = 64;
	memcpy(ip + 8, from + 12, 4);
	memcpy(ip + 24, from + 16, 4);
	memcpy(ip + 40, from + 20, frame->len - sizeof(ethernet) - 20);
	made.len += 20;
	return made;
}

static void run(const struct frame *frame, unsigned int repeat)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame->byte, .data_size_in = frame->len,
		    .repeat = repeat);

	if (bpf_prog_test_run_opts(bpf_program__fd(base->progs.weir_chain), &opts))
		err(1, "a frame cannot pass");
	if (opts.retval != XDP_PASS)
		errx(1, "a frame got the verdict %u", opts.retval);
}

/* Requests. */
static int set(uint32_t flows, uint32_t sample, uint32_t idle, uint32_t active)
{
	char buf[GENL_REQUEST_MAX];
	struct nlmsghdr *request = genl_begin(buf, WEIR_XDP_CMD_FLOW_SET);

	mnl_attr_put_u32(request, WEIR_A_FLOW_IFINDEX, LOOPBACK);
	if (flows)
		mnl_attr_put_u32(request, WEIR_A_FLOW_FLOWS, flows);
	if (sample)
		mnl_attr_put_u32(request, WEIR_A_FLOW_SAMPLE, sample);
	if (idle)
		mnl_attr_put_u32(request, WEIR_A_FLOW_IDLE, idle);
	if (active)
		mnl_attr_put_u32(request, WEIR_A_FLOW_ACTIVE, active);
	mnl_attr_put_u64(request, WEIR_A_FLOW_TRIMMED, 1ull << 45);
	return genl_try(request, NULL, NULL, sentence, sizeof(sentence));
}

static void begin(uint32_t flows, uint32_t idle, uint32_t active)
{
	if (set(flows, 1, idle, active))
		errx(1, "flows are not recorded: %s", sentence);
}

static int end(void)
{
	char buf[GENL_REQUEST_MAX];
	struct nlmsghdr *request = genl_begin(buf, WEIR_XDP_CMD_FLOW_DEL);

	mnl_attr_put_u32(request, WEIR_A_FLOW_IFINDEX, LOOPBACK);
	return genl_try(request, NULL, NULL, sentence, sizeof(sentence));
}

static void chain(uint8_t command, uint32_t prio, int fd)
{
	char buf[GENL_REQUEST_MAX];
	struct nlmsghdr *request = genl_begin(buf, command);

	mnl_attr_put_u32(request, WEIR_A_CHAIN_IFINDEX, LOOPBACK);
	mnl_attr_put_u32(request, WEIR_A_CHAIN_PRIO, prio);
	if (fd >= 0)
		mnl_attr_put_u32(request, WEIR_A_CHAIN_FD, fd);
	genl_ask(request, NULL, NULL, "programs are changed");
}

/* The generator is before what records, or is not. */
static void generate(uint64_t flows, uint64_t heavy)
{
	traffic->bss->frames = 0;
	traffic->data->flows = flows;
	traffic->bss->heavy = heavy;
	chain(WEIR_XDP_CMD_CHAIN_ADD, 60, bpf_program__fd(traffic->progs.flow_traffic));
}

static void generate_no_more(void)
{
	chain(WEIR_XDP_CMD_CHAIN_DEL, 60, -1);
}

/* Store the memory and the counters of a table in @data. */
static int take_stats(const struct nlmsghdr *message, void *data)
{
	struct nlattr *attr, *inner;
	uint64_t *stats = data;

	mnl_attr_for_each(attr, message, sizeof(struct genlmsghdr)) {
		if (mnl_attr_get_type(attr) == WEIR_A_FLOW_MEMORY)
			stats[0] = genl_uint(attr);
		if (mnl_attr_get_type(attr) != WEIR_A_FLOW_STATS)
			continue;
		mnl_attr_for_each_nested(inner, attr)
			stats[mnl_attr_get_type(inner)] = genl_uint(inner);
	}
	return MNL_CB_OK;
}

/* By attribute; the memory is the first. */
static void read_stats(uint64_t stats[WEIR_A_FLOW_STATS_MAX + 1])
{
	char buf[GENL_REQUEST_MAX];
	struct nlmsghdr *request = genl_begin(buf, WEIR_XDP_CMD_FLOW_GET);

	memset(stats, 0, (WEIR_A_FLOW_STATS_MAX + 1) * sizeof(*stats));
	mnl_attr_put_u32(request, WEIR_A_FLOW_IFINDEX, LOOPBACK);
	genl_ask(request, take_stats, stats, "a table is shown");
}

static uint64_t stat_of(int attr)
{
	uint64_t stats[WEIR_A_FLOW_STATS_MAX + 1];

	read_stats(stats);
	return stats[attr];
}

/**
 * struct seen - records
 * @count: how many
 * @sum: of all, by attribute
 * @last: the last one, by attribute
 * @heavy: packets of the first flows of the generator
 * @missed: their bounds
 * @falling: each has no more bytes than the one before
 */
struct seen {
	uint64_t count;
	uint64_t sum[WEIR_A_FLOW_RECORD_MAX + 1];
	uint64_t last[WEIR_A_FLOW_RECORD_MAX + 1];
	uint64_t heavy[64];
	uint64_t missed[64];
	bool falling;
};

static uint64_t value_of(const struct nlattr *attr)
{
	switch (mnl_attr_get_type(attr)) {
	case WEIR_A_FLOW_RECORD_SRC:
		return ntohl(mnl_attr_get_u32(attr));
	case WEIR_A_FLOW_RECORD_DST:
	case WEIR_A_FLOW_RECORD_IFNAME:
		return mnl_attr_get_payload_len(attr);
	default:
		return genl_uint(attr);
	}
}

static int take_record(const struct nlmsghdr *message, void *data)
{
	uint64_t before, source;
	struct seen *seen = data;
	struct nlattr *attr;

	before = seen->last[WEIR_A_FLOW_RECORD_BYTES];
	memset(seen->last, 0, sizeof(seen->last));
	mnl_attr_for_each(attr, message, sizeof(struct genlmsghdr))
		seen->last[mnl_attr_get_type(attr)] = value_of(attr);
	for (int i = 0; i <= WEIR_A_FLOW_RECORD_MAX; i++)
		seen->sum[i] += seen->last[i];
	seen->falling &= !seen->count || seen->last[WEIR_A_FLOW_RECORD_BYTES] <= before;
	source = seen->last[WEIR_A_FLOW_RECORD_SRC] - NET;
	if (source < 64) {
		seen->heavy[source] += seen->last[WEIR_A_FLOW_RECORD_PACKETS];
		seen->missed[source] = seen->last[WEIR_A_FLOW_RECORD_MISSED_PACKETS];
	}
	seen->count++;
	return MNL_CB_OK;
}

static void look(struct seen *seen, uint32_t top)
{
	char buf[GENL_REQUEST_MAX];
	struct nlmsghdr *request = genl_begin(buf, WEIR_XDP_CMD_FLOW_RECORD_GET);

	memset(seen, 0, sizeof(*seen));
	seen->falling = true;
	request->nlmsg_flags &= ~NLM_F_ACK;
	request->nlmsg_flags |= NLM_F_DUMP;
	mnl_attr_put_u32(request, WEIR_A_FLOW_RECORD_IFINDEX, LOOPBACK);
	if (top)
		mnl_attr_put_u32(request, WEIR_A_FLOW_RECORD_TOP, top);
	genl_ask(request, take_record, seen, "records are dumped");
}

/* Reports, to a socket of their own. */
static struct mnl_socket *listen_to(int *error)
{
	struct mnl_socket *socket = mnl_socket_open(NETLINK_GENERIC);
	char buf[GENL_REQUEST_MAX];
	struct nlmsghdr *request = genl_begin(buf, WEIR_XDP_CMD_FLOW_LISTEN);
	ssize_t got;
	int size = 1 << 24;

	if (!socket || mnl_socket_bind(socket, 0, MNL_SOCKET_AUTOPID) < 0 ||
	    setsockopt(mnl_socket_get_fd(socket), SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) ||
	    mnl_socket_sendto(socket, request, request->nlmsg_len) < 0)
		err(1, "a socket for reports");
	got = mnl_socket_recvfrom(socket, buf, sizeof(buf));
	*error = got < 0 ? errno :
		 -((struct nlmsgerr *)mnl_nlmsg_get_payload((void *)buf))->error;
	return socket;
}

/* All that there are now. */
static void hear(struct mnl_socket *socket, struct seen *seen)
{
	struct pollfd ready = { mnl_socket_get_fd(socket), POLLIN, 0 };
	static char buf[1 << 16];
	struct nlmsghdr *message;
	ssize_t got;
	int left;

	while (poll(&ready, 1, 0) > 0) {
		got = mnl_socket_recvfrom(socket, buf, sizeof(buf));
		if (got < 0)
			err(1, "reports cannot be read");
		left = got;
		for (message = (void *)buf; mnl_nlmsg_ok(message, left);
		     message = mnl_nlmsg_next(message, &left))
			take_record(message, seen);
	}
}

static bool wait_for(bool (*done)(void))
{
	time_t until = time(NULL) + PATIENCE;

	while (!done()) {
		if (time(NULL) > until)
			return false;
		usleep(20000);
	}
	return true;
}

static bool no_records(void)
{
	return !stat_of(WEIR_A_FLOW_STATS_RECORDS);
}

static void test_counts(void)
{
	struct frame frame;
	struct seen seen;

	begin(0, 3600000, 3600000);
	udp(&frame, 100);
	generate(1000, 0);
	run(&frame, 10000);
	look(&seen, 0);
	ktap_ok(seen.count == 1000 && seen.sum[WEIR_A_FLOW_RECORD_PACKETS] == 10000 &&
		seen.sum[WEIR_A_FLOW_RECORD_BYTES] == 1280000 && seen.heavy[0] == 10 &&
		seen.heavy[63] == 10 && !seen.sum[WEIR_A_FLOW_RECORD_MISSED_PACKETS],
		"each of a thousand flows has its packets and bytes");
	ktap_ok(stat_of(WEIR_A_FLOW_STATS_PACKETS) == 10000 &&
		stat_of(WEIR_A_FLOW_STATS_BYTES) == 1280000 &&
		stat_of(WEIR_A_FLOW_STATS_CREATED) == 1000, "and the table all of them");
	generate_no_more();
	put32(frame.byte + 26, NET + 500);
	run(&frame, 5);
	look(&seen, 1);
	ktap_ok(seen.count == 1 && seen.last[WEIR_A_FLOW_RECORD_SRC] == NET + 500 &&
		seen.last[WEIR_A_FLOW_RECORD_PACKETS] == 15, "the largest comes first");
	look(&seen, 700);
	ktap_ok(seen.count == 700 && seen.falling, "a sorted list in many messages");
	end();
}

/* Four packets as @frame, of which one is longer than it says, and one shorter. */
static void test_lengths(const struct frame *frame, int ip)
{
	size_t len = frame->len - sizeof(ethernet);
	struct frame other = *frame;
	struct seen seen;

	run(frame, 2);
	other.len += 20;
	run(&other, 1);
	look(&seen, 0);
	ktap_ok(seen.count == 1 && seen.last[WEIR_A_FLOW_RECORD_PACKETS] == 3 &&
		seen.last[WEIR_A_FLOW_RECORD_BYTES] == 3 * len, "IPv%d: padding is not counted", ip);
	other.len = frame->len - 50;
	run(&other, 1);
	look(&seen, 0);
	ktap_ok(seen.count == 1 && seen.last[WEIR_A_FLOW_RECORD_BYTES] == 4 * len - 50,
		"IPv%d: of a packet that is cut, what there is", ip);
}

/* The same flow by the way of most packets, and by that of any. */
static void test_ways(void)
{
	struct frame frame;
	struct seen seen;
	uint8_t *ip;

	begin(64, 3600000, 3600000);
	udp(&frame, 100);
	test_lengths(&frame, 4);
	/* With options the packet has another way, and the same flow. */
	ip = frame.byte + sizeof(ethernet);
	memmove(ip + 24, ip + 20, 108);
	ip[0] = 0x46;
	memset(ip + 20, 1, 4);
	put16(ip + 2, 132);
	frame.len += 4;
	run(&frame, 1);
	look(&seen, 0);
	ktap_ok(seen.count == 1 && seen.last[WEIR_A_FLOW_RECORD_PACKETS] == 5,
		"options make no other flow");
	udp(&frame, 100);
	ip[6] = 0x20;
	run(&frame, 1);
	look(&seen, 0);
	ktap_ok(seen.count == 2, "fragments are a flow without ports");
	memset(frame.byte + 12, 0, 100);
	run(&frame, 7);
	ktap_ok(stat_of(WEIR_A_FLOW_STATS_OTHER) == 7, "what is not IP is counted");
	end();
}

/* IPv6 has the ways, too. */
static void test_ways_ipv6(void)
{
	static const unsigned int words[] = { 8, 16, 24, 32 };
	struct frame plain, frame;
	struct seen seen;
	uint8_t *ip;

	begin(64, 3600000, 3600000);
	udp(&plain, 100);
	plain = to_ipv6(&plain);
	test_lengths(&plain, 6);
	frame = plain;
	frame.len -= 50;
	ip = frame.byte + sizeof(ethernet);
	put16(ip + 4, 0);
	run(&frame, 1);
	look(&seen, 0);
	ktap_ok(seen.count == 1 && seen.last[WEIR_A_FLOW_RECORD_BYTES] == 5 * 148 - 2 * 50,
		"IPv6: of a packet that says no length, what there is");
	frame = plain;
	put16(ip + 2, 0xbeef);
	run(&frame, 1);
	memmove(ip + 48, ip + 40, 108);
	memset(ip + 40, 0, 8);
	ip[40] = ip[6];
	ip[6] = 0;
	put16(ip + 4, 116);
	frame.len += 8;
	run(&frame, 1);
	look(&seen, 0);
	ktap_ok(seen.count == 1 && seen.last[WEIR_A_FLOW_RECORD_PACKETS] == 7,
		"IPv6: neither labels nor extension headers make another flow");
	for (unsigned int i = 0; i < 2 * sizeof(words) / sizeof(*words); i++) {
		frame = plain;
		put32(ip + words[i / 2], NET + 1);
		run(&frame, 1);
		run(&frame, 1);
	}
	look(&seen, 0);
	ktap_ok(seen.count == 5 && seen.sum[WEIR_A_FLOW_RECORD_PACKETS] == 7 + 16,
		"IPv6: another word of an address is another flow");
	end();
}

static void test_marks(bool ipv6)
{
	struct frame frame[3];
	struct seen seen;

	begin(64, 3600000, 3600000);
	for (int i = 0; i < 3; i++) {
		udp(&frame[i], 10);
		frame[i].byte[15] = (const uint8_t []){ 0, 3, 45 << 2 }[i];
		if (ipv6)
			frame[i] = to_ipv6(&frame[i]);
		run(&frame[i], 4 + i);
	}
	look(&seen, 0);
	ktap_ok(seen.count == 1 && seen.last[WEIR_A_FLOW_RECORD_CE] == 5 &&
		seen.last[WEIR_A_FLOW_RECORD_TRIMMED] == 6 &&
		seen.last[WEIR_A_FLOW_RECORD_PACKETS] == 15, "IPv%d: packets with CE, and trimmed ones",
		ipv6 ? 6 : 4);
	end();
}

static bool segments_ipv6;

static void segment(uint32_t seq, uint8_t flags, size_t payload)
{
	struct frame frame;

	tcp(&frame, seq, flags, payload);
	if (segments_ipv6)
		frame = to_ipv6(&frame);
	run(&frame, 1);
}

static bool order_is(uint64_t gaps, uint64_t bytes, uint64_t reordered, uint64_t repeated)
{
	struct seen seen;

	look(&seen, 0);
	if (seen.count == 1 && seen.last[WEIR_A_FLOW_RECORD_GAPS] == gaps &&
	    seen.last[WEIR_A_FLOW_RECORD_GAP_BYTES] == bytes &&
	    seen.last[WEIR_A_FLOW_RECORD_REORDERED] == reordered &&
	    seen.last[WEIR_A_FLOW_RECORD_REPEATED] == repeated)
		return true;
	printf("# gaps %llu of %llu bytes, %llu reordered, %llu repeated\n",
	       (unsigned long long)seen.last[WEIR_A_FLOW_RECORD_GAPS],
	       (unsigned long long)seen.last[WEIR_A_FLOW_RECORD_GAP_BYTES],
	       (unsigned long long)seen.last[WEIR_A_FLOW_RECORD_REORDERED],
	       (unsigned long long)seen.last[WEIR_A_FLOW_RECORD_REPEATED]);
	return false;
}

static void test_order(bool ipv6)
{
	enum { FIN = 1, SYN = 2, RST = 4, ACK = 16 };
	uint32_t at = -250u;	/* so that numbers wrap */
	int ip = ipv6 ? 6 : 4;
	struct seen seen;

	segments_ipv6 = ipv6;
	begin(64, 3600000, 3600000);
	segment(at, SYN, 0);
	segment(at + 1, ACK, 100);
	segment(at + 101, ACK, 100);
	segment(at + 201, ACK, 0);
	segment(at + 201, ACK, 100);
	ktap_ok(order_is(0, 0, 0, 0), "IPv%d: TCP in order, over the end of numbers", ip);
	segment(at + 501, ACK, 100);
	ktap_ok(order_is(1, 200, 0, 0), "IPv%d: a gap, and its bytes", ip);
	segment(at + 301, ACK, 100);
	segment(at + 401, ACK, 100);
	ktap_ok(order_is(1, 200, 2, 0), "IPv%d: what it was about comes late", ip);
	segment(at + 401, ACK, 100);
	segment(at + 1, ACK, 100);
	ktap_ok(order_is(1, 200, 2, 2), "IPv%d: what was here comes again", ip);
	segment(at + 601, ACK | FIN, 0);
	segment(at + 602, ACK, 0);
	ktap_ok(order_is(1, 200, 2, 2), "IPv%d: FIN takes a number", ip);
	look(&seen, 0);
	ktap_ok(seen.last[WEIR_A_FLOW_RECORD_TCP_FLAGS] == (FIN | SYN | ACK),
		"IPv%d: flags that were seen", ip);
	end();
	begin(64, 3600000, 3600000);
	segment(0x70000000, 0, 10);
	segment(0x70000000 + 10, 0, 10);
	ktap_ok(order_is(0, 0, 0, 0),
		"IPv%d: of the first packet nothing is missing, without any flag", ip);
	end();
}

static void *run_many(void *frame)
{
	run(frame, 200000);
	return NULL;
}

static void test_processors(void)
{
	pthread_t thread[2];
	struct frame frame;
	struct seen seen;

	begin(64, 3600000, 3600000);
	udp(&frame, 10);
	for (int i = 0; i < 2; i++)
		if (pthread_create(&thread[i], NULL, run_many, &frame))
			err(1, "a thread");
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	look(&seen, 0);
	ktap_ok(seen.count == 1 && seen.last[WEIR_A_FLOW_RECORD_PACKETS] == 400000 &&
		stat_of(WEIR_A_FLOW_STATS_PACKETS) == 400000 &&
		stat_of(WEIR_A_FLOW_STATS_CREATED) == 1, "a flow on two processors has one record");
	end();
}

static void test_sample(void)
{
	uint64_t packets, few = 9000, many = 11000;
	struct frame frame;

	if (set(64, 10, 3600000, 3600000))
		errx(1, "no sample: %s", sentence);
	udp(&frame, 10);
	run(&frame, 100000);
	packets = stat_of(WEIR_A_FLOW_STATS_PACKETS);
	ktap_ok(packets > few && packets < many, "one packet of ten (%llu of 100000)",
		(unsigned long long)packets);
	end();
}

/* Each type and code of ICMP is a flow of its own, and those that are cut are another one. */
static void test_icmp(bool ipv6)
{
	struct frame frame;
	struct seen seen;
	uint8_t *at;
	int i;

	begin(64, 3600000, 3600000);
	for (i = 0; i < 3; i++) {
		at = ipv4(&frame, ipv6 ? IPPROTO_ICMPV6 : IPPROTO_ICMP, 40);
		at[0] = ipv6 ? 128 : 8;
		at[1] = i;
		if (ipv6)
			frame = to_ipv6(&frame);
		run(&frame, 1 + i);
	}
	look(&seen, 1);
	ktap_ok(seen.last[WEIR_A_FLOW_RECORD_ICMP_TYPE] == (ipv6 ? 128 : 8) &&
		seen.last[WEIR_A_FLOW_RECORD_ICMP_CODE] == 2 && !seen.last[WEIR_A_FLOW_RECORD_DPORT] &&
		seen.last[WEIR_A_FLOW_RECORD_PACKETS] == 3, "type and code of %s", ipv6 ? "ICMPv6" : "ICMP");
	frame.len = sizeof(ethernet) + (ipv6 ? 40 : 20) + 1;
	run(&frame, 1);
	udp(&frame, 10);
	run(&frame, 1);
	look(&seen, 0);
	ktap_ok(seen.count == 5 && seen.sum[WEIR_A_FLOW_RECORD_PACKETS] == 8, "are flows of their own");
	end();
}

/* A step of the clock moves both times of a record, and by as much. */
static void test_clock(void)
{
	const uint64_t step = 1000000;
	struct seen before, after;
	struct timespec clock;
	struct frame frame;

	begin(64, 3600000, 3600000);
	udp(&frame, 10);
	run(&frame, 1);
	look(&before, 0);
	clock_gettime(CLOCK_REALTIME, &clock);
	clock.tv_sec += step / 1000;
	if (clock_settime(CLOCK_REALTIME, &clock))
		err(1, "the clock cannot be set");
	look(&after, 0);
	clock_gettime(CLOCK_REALTIME, &clock);
	clock.tv_sec -= step / 1000;
	clock_settime(CLOCK_REALTIME, &clock);
	ktap_ok(after.last[WEIR_A_FLOW_RECORD_FIRST] >= before.last[WEIR_A_FLOW_RECORD_FIRST] + step / 2 &&
		after.last[WEIR_A_FLOW_RECORD_LAST] - after.last[WEIR_A_FLOW_RECORD_FIRST] < step / 2,
		"times follow a clock that is set");
	end();
}

/* Ends, and goes on, and what is told of both. */
static void test_ends(void)
{
	struct mnl_socket *socket, *other;
	struct seen told = {};
	struct frame frame;
	uint64_t reported;
	int error;

	socket = listen_to(&error);
	ktap_ok(!error, "a socket has the reports");
	other = listen_to(&error);
	ktap_ok(error == EBUSY, "and no other one");
	mnl_socket_close(other);

	begin(64, 1000, 3600000);
	udp(&frame, 100);
	generate(50, 0);
	run(&frame, 500);
	ktap_ok(wait_for(no_records) && stat_of(WEIR_A_FLOW_STATS_IDLE) == 50, "idle records end");
	hear(socket, &told);
	ktap_ok(told.count == 50 && told.sum[WEIR_A_FLOW_RECORD_PACKETS] == 500 &&
		told.sum[WEIR_A_FLOW_RECORD_BYTES] == 500 * 128 &&
		told.sum[WEIR_A_FLOW_RECORD_END] == 50 * WEIR_XDP_FLOW_END_IDLE, "and are reported");
	generate_no_more();

	memset(&told, 0, sizeof(told));
	set(0, 0, 3600000, 0);
	segment(1, 2, 0);
	segment(2, 17, 0);
	ktap_ok(wait_for(no_records) && stat_of(WEIR_A_FLOW_STATS_CLOSED) == 1,
		"a connection's record ends with it");
	hear(socket, &told);
	ktap_ok(told.count == 1 && told.last[WEIR_A_FLOW_RECORD_END] == WEIR_XDP_FLOW_END_CLOSED &&
		told.last[WEIR_A_FLOW_RECORD_PACKETS] == 2, "and is reported");

	memset(&told, 0, sizeof(told));
	set(0, 0, 0, 1000);
	run(&frame, 3);
	for (time_t until = time(NULL) + PATIENCE; !told.count && time(NULL) < until; usleep(20000))
		hear(socket, &told);
	ktap_ok(told.count == 1 && told.last[WEIR_A_FLOW_RECORD_END] == WEIR_XDP_FLOW_END_ACTIVE &&
		told.last[WEIR_A_FLOW_RECORD_PACKETS] == 3, "one that goes on is reported");
	reported = told.last[WEIR_A_FLOW_RECORD_LAST];
	memset(&told, 0, sizeof(told));
	set(0, 7, 0, 3600000);
	set(0, 1, 0, 0);
	run(&frame, 4);
	set(0, 7, 0, 0);
	ktap_ok(!end(), "recording ends");
	hear(socket, &told);
	ktap_ok(told.last[WEIR_A_FLOW_RECORD_FIRST] >= reported &&
		told.last[WEIR_A_FLOW_RECORD_FIRST] <= told.last[WEIR_A_FLOW_RECORD_LAST],
		"a report that follows another begins where that ended");
	ktap_ok(told.last[WEIR_A_FLOW_RECORD_SAMPLE] == 7, "and has the sample");
	ktap_ok(told.sum[WEIR_A_FLOW_RECORD_PACKETS] == 4 &&
		told.last[WEIR_A_FLOW_RECORD_END] == WEIR_XDP_FLOW_END_FORCED,
		"and what came since is reported");
	mnl_socket_close(socket);
	socket = listen_to(&error);
	ktap_ok(!error, "the next one may listen");
	mnl_socket_close(socket);
}

/*
 * Eight heavy flows and many that come once, of which there are far more than records. The heavy
 * ones' packets are @packets / 2 / 8 each.
 */
static void test_room(void)
{
	enum { FLOWS = 512, HEAVY = 8, ROUNDS = 40, BURST = 5000 };
	uint64_t stats[WEIR_A_FLOW_STATS_MAX + 1];
	bool within = true, there = true;
	struct mnl_socket *socket;
	struct seen told = {}, seen;
	struct frame frame;
	int error;

	socket = listen_to(&error);
	begin(FLOWS, 3600000, 3600000);
	udp(&frame, 100);
	generate(1 << 30, HEAVY);
	for (int i = 0; i < ROUNDS; i++) {
		run(&frame, BURST);
		hear(socket, &told);
		/* The visits have processors of their own, and may need some time on them. */
		usleep(10000);
	}
	generate_no_more();
	look(&seen, 0);
	read_stats(stats);
	for (int i = 0; i < HEAVY; i++) {
		uint64_t true_count = ROUNDS * BURST / 2 / HEAVY;

		within &= seen.heavy[i] <= true_count &&
			  seen.heavy[i] + seen.missed[i] >= true_count;
		there &= seen.heavy[i] > 0;
		printf("# flow %d: %llu of %llu, missed %llu at most\n", i,
		       (unsigned long long)seen.heavy[i], (unsigned long long)true_count,
		       (unsigned long long)seen.missed[i]);
	}
	ktap_ok(seen.count <= FLOWS + FLOWS / 8, "a table that is full stays as large as it is");
	ktap_ok(there, "the heavy flows have records");
	ktap_ok(within, "their counts are within the bound");
	ktap_ok(stats[WEIR_A_FLOW_STATS_ROOM] > 0, "light ones go (%llu of them, %llu packets without a record)",
		(unsigned long long)stats[WEIR_A_FLOW_STATS_ROOM],
		(unsigned long long)stats[WEIR_A_FLOW_STATS_UNRECORDED]);
	ktap_ok(!end(), "recording ends");
	hear(socket, &told);
	ktap_ok(told.sum[WEIR_A_FLOW_RECORD_PACKETS] + stats[WEIR_A_FLOW_STATS_UNRECORDED] ==
		ROUNDS * BURST && stats[WEIR_A_FLOW_STATS_PACKETS] == ROUNDS * BURST,
		"each packet is reported, or counted as not recorded");
	mnl_socket_close(socket);
}

/* As many as were asked for are exact. */
static void test_many(uint32_t flows)
{
	struct frame frame;
	struct seen seen;

	begin(flows, 3600000, 3600000);
	udp(&frame, 100);
	generate(flows, 0);
	for (uint32_t left = 3 * flows, some; left; left -= some) {
		some = left < 100000 ? left : 100000;
		run(&frame, some);
	}
	generate_no_more();
	look(&seen, 0);
	ktap_ok(seen.count == flows && stat_of(WEIR_A_FLOW_STATS_RECORDS) == flows &&
		seen.sum[WEIR_A_FLOW_RECORD_PACKETS] == 3ull * flows && seen.heavy[0] == 3 &&
		!stat_of(WEIR_A_FLOW_STATS_UNRECORDED) && !stat_of(WEIR_A_FLOW_STATS_ROOM),
		"%u flows at once, in %llu bytes", flows, (unsigned long long)stat_of(0));
	look(&seen, 20);
	ktap_ok(seen.count == 20 && seen.falling, "and the first twenty of them");
	ktap_ok(!end(), "recording ends");
}

/* Alarms of the events group, by kind; the last one's attributes. */
static uint64_t alarms[WEIR_XDP_FLOW_ALARM_SOURCE + 1], alarm_source, alarm_value;

static void hear_alarms(struct mnl_socket *socket)
{
	struct pollfd ready = { mnl_socket_get_fd(socket), POLLIN, 0 };
	static char buf[1 << 16];
	struct nlmsghdr *message = (void *)buf;
	struct nlattr *attr;
	uint64_t kind = 0;

	while (poll(&ready, 1, 0) > 0) {
		if (mnl_socket_recvfrom(socket, buf, sizeof(buf)) < 0)
			err(1, "events cannot be read");
		if (((struct genlmsghdr *)mnl_nlmsg_get_payload(message))->cmd !=
		    WEIR_XDP_CMD_FLOW_ALARM_NTF)
			continue;
		mnl_attr_for_each(attr, message, sizeof(struct genlmsghdr)) {
			if (mnl_attr_get_type(attr) == WEIR_A_FLOW_ALARM_ALARM)
				kind = genl_uint(attr);
			if (mnl_attr_get_type(attr) == WEIR_A_FLOW_ALARM_SRC)
				alarm_source = ntohl(mnl_attr_get_u32(attr));
			if (mnl_attr_get_type(attr) == WEIR_A_FLOW_ALARM_VALUE)
				alarm_value = genl_uint(attr);
		}
		alarms[kind]++;
	}
}

static bool alarms_come(struct mnl_socket *socket, int kind)
{
	for (time_t until = time(NULL) + PATIENCE; !alarms[kind] && time(NULL) < until; usleep(20000))
		hear_alarms(socket);
	return alarms[kind];
}

static void threshold(uint16_t attr, uint64_t value)
{
	char buf[GENL_REQUEST_MAX];
	struct nlmsghdr *request = genl_begin(buf, WEIR_XDP_CMD_FLOW_SET);

	mnl_attr_put_u32(request, WEIR_A_FLOW_IFINDEX, LOOPBACK);
	mnl_attr_put_u64(request, WEIR_A_FLOW_RATE, 100000);
	if (attr == WEIR_A_FLOW_SOURCE)
		mnl_attr_put_u64(request, attr, value);
	else
		mnl_attr_put_u32(request, attr, value);
	genl_ask(request, NULL, NULL, "a bound is set");
	memset(alarms, 0, sizeof(alarms));
}

static void test_alarms(void)
{
	struct mnl_socket *socket = mnl_socket_open(NETLINK_GENERIC);
	unsigned int group = genl_group(WEIR_XDP_CMD_FLOW_ALARM_NTF, "events");
	struct frame frame;

	if (!socket || mnl_socket_bind(socket, 0, MNL_SOCKET_AUTOPID) < 0 ||
	    mnl_socket_setsockopt(socket, NETLINK_ADD_MEMBERSHIP, &group, sizeof(group)) < 0)
		err(1, "a socket for events");
	begin(64, 3600000, 3600000);
	threshold(WEIR_A_FLOW_SHARE, 500000);
	udp(&frame, 100);
	run(&frame, 100000);
	ktap_ok(alarms_come(socket, WEIR_XDP_FLOW_ALARM_SHARE) && alarm_source == NET &&
		alarm_value >= 500000, "a flow with a large share of its link alarms");
	run(&frame, 100000);
	hear_alarms(socket);
	ktap_ok(alarms[WEIR_XDP_FLOW_ALARM_SHARE] == 1 && !alarms[WEIR_XDP_FLOW_ALARM_SOURCE],
		"once, and about nothing else");
	threshold(WEIR_A_FLOW_SHARE, 0);
	threshold(WEIR_A_FLOW_SOURCE, 1000);
	generate(1, 0);
	run(&frame, 100000);
	ktap_ok(alarms_come(socket, WEIR_XDP_FLOW_ALARM_SOURCE) && alarm_value >= 1000,
		"a source that sends much alarms");
	generate_no_more();
	threshold(WEIR_A_FLOW_SOURCE, 0);
	threshold(WEIR_A_FLOW_LOSS, 100000);
	for (uint32_t i = 0; i < 300; i++)
		segment(i * 100 + i / 4 * 10, 16, 100);
	ktap_ok(alarms_come(socket, WEIR_XDP_FLOW_ALARM_LOSS) && alarm_value >= 100000 &&
		alarm_value < 300000, "a flow that loses much alarms (%llu millionths)",
		(unsigned long long)alarm_value);
	end();
	mnl_socket_close(socket);
}

static void test_refusals(void)
{
	ktap_ok(end() == ENOENT && *sentence, "refused: an end without a begin");
	begin(64, 0, 0);
	ktap_ok(set(65, 0, 0, 0) == EBUSY && *sentence, "refused: another number of records");
	ktap_ok(!set(64, 2, 2000, 2000), "other settings");
	ktap_ok(set(0, 0, 999, 0) == ERANGE, "refused: too short a time");
	ktap_ok(set(0, 1000001, 0, 0) == ERANGE, "refused: too small a sample");
	ktap_ok(!end() && set(15, 0, 0, 0) == ERANGE, "refused: too few records");
}

int main(int argc, char **argv)
{
	libbpf_set_print(NULL);
	if (unshare(CLONE_NEWNET) || system("ip link set lo up"))
		err(1, "namespace");
	traffic = traffic_bpf__open_and_load();
	base = weir_chain_bpf__open_and_load();
	own = weir_flow_bpf__open_and_load();
	if (!traffic || !base || !own)
		err(1, "programs");
	ktap_header();
	chain(WEIR_XDP_CMD_CHAIN_ADD, WEIR_XDP_CHAIN_PRIO_FLOW, bpf_program__fd(own->progs.weir_flow));
	if (argc > 1) {
		test_many(atoi(argv[1]));
		return ktap_end();
	}
	test_counts();
	test_ways();
	test_ways_ipv6();
	test_marks(false);
	test_marks(true);
	test_order(false);
	test_order(true);
	test_processors();
	test_sample();
	test_icmp(false);
	test_icmp(true);
	test_clock();
	test_ends();
	test_room();
	test_many(20000);
	test_alarms();
	test_refusals();
	return ktap_end();
}

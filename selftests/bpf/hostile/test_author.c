// SPDX-License-Identifier: GPL-2.0
/*
 * Programs of an author who means harm, see author.bpf.c: notes that are forged, control blocks
 * that are read and changed, pointers into frames that are kept while the frames are cut, transmit
 * queues that there are not, and all kfuncs with anything. The kernel has to live, no byte may
 * leave that was not in a frame, and no address of the kernel be read.
 *
 * Memory that was freed too early is noticed if the kernel clears what is freed
 * (init_on_free=1). Works in a network namespace of its own; the module must be loaded.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_link.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <weir.h>
#include <weir_xdp_nl.h>
#include <weir_bpf.h>
#include <weir_trim.h>

#include "author.h"
#include "bpf/author.skel.h"
#include "ktap.h"
#include "lib/genl.h"
#include "packet.h"

#define LOOPBACK	1
#define LEN		128	/* of a frame that is redirected */
#define LONG		9000	/* of one with fragments */
#define SLICE_AT	5000	/* in the first fragment */
#define PEEKS		32	/* frames, which a socket has room for */
#define UNREAD		500	/* packets; the device takes a few, and its qdisc one */
#define ANYTHING	3000
#define PATIENCE	60000	/* ms; nothing takes so long */

static struct author_bpf *author;
static int at_out, at_lo;	/* sockets that see what arrives */

static void sh(const char *cmd)
{
	if (system(cmd))
		errx(1, "cannot set up: %s", cmd);
}

static int listener(const char *device)
{
	struct sockaddr_ll addr = {
		.sll_family	= AF_PACKET,
		.sll_protocol	= htons(ETH_P_ALL),
		.sll_ifindex	= if_nametoindex(device),
	};
	int fd = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL));

	if (fd < 0 || bind(fd, (void *)&addr, sizeof(addr)))
		err(1, "listen at %s", device);
	return fd;
}

/* The device that packets of the loopback device's order are redirected to. */
static unsigned int order_device(void)
{
	FILE *links = popen("ip -o link show type weir", "r");
	unsigned int ifindex = 0, at;
	char line[1024], name[64];

	if (!links)
		err(1, "ip");
	while (fgets(line, sizeof(line), links))
		if (sscanf(line, "%u: %63[^:]:", &at, name) == 2 && strstr(name, "@lo"))
			ifindex = at;
	pclose(links);
	if (!ifindex)
		errx(1, "the order has no device");
	return ifindex;
}

/* out1 takes no redirected frames, as nothing polls there: all come back to the module. */
static void setup(void)
{
	if (unshare(CLONE_NEWNET))
		err(1, "unshare");
	sh("ip link set lo up");
	sh("for i in 1 254; do ip addr add 10.99.0.$i/24 dev lo; done");
	sh("ip link add out0 type veth peer name out1");
	sh("ip link add in0 type veth peer name in1");
	sh("for i in out0 out1 in0 in1; do ip link set $i up; done");
	sh("ethtool -K in0 tx off");
	sh("tc qdisc add dev out0 root weir");
	sh("weir trim set dev out0 hook xdp from in1 dscp 45 rule any size 200 rate 10gbit");
	/* Where a port is an edge, no packet passes by a qdisc that is idle. */
	sh("weir trim set dev in0 hook none edge on");
	sh("weir port attach dev lo mode tc udp 11999");
	sh("weir job add id 4 sources 1 blocks 64 grads 16 address 10.99.0.254");
	sh("weir source add job 4 id 0 address 10.99.0.1");
}

static void open_programs(void)
{
	static const char *const device[] = { "out0", "out1", "in0", "in1", "lo" };
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = if_nametoindex("out0"),
		    .attach_point = BPF_TC_EGRESS);
	LIBBPF_OPTS(bpf_tc_opts, opts);
	size_t i;

	author = author_bpf__open_and_load();
	if (!author)
		err(1, "load BPF object");
	opts.prog_fd = bpf_program__fd(author->progs.author_mark);
	if (bpf_tc_hook_create(&hook) || bpf_tc_attach(&hook, &opts))
		err(1, "attach to out0");
	author->bss->port = if_nametoindex("out0");
	for (i = 0; i < AUTHOR_DEVICES; i++)
		author->bss->devices[i] = if_nametoindex(device[i % 5]);
}

/* A frame whose bytes say which it is. */
static size_t build(uint8_t *frame, uint8_t which)
{
	memset(frame, which, LEN);
	memset(frame, 0xff, ETH_ALEN);
	frame[ETH_ALEN] = 2;
	frame[12] = 0x88;
	frame[13] = 0xb5;
	return LEN;
}

static int live(const struct bpf_program *program, void *frame, size_t len, unsigned int repeat)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = len,
		    .repeat = repeat, .batch_size = 64, .flags = BPF_F_TEST_XDP_LIVE_FRAMES);

	return bpf_prog_test_run_opts(bpf_program__fd(program), &opts);
}

/*
 * Return: the length of the next frame that arrives, 0 where none does. At out1 nothing but IPv6's
 * own packets comes besides those of these tests; on the loopback device there are answers.
 */
static size_t arrives(int fd, uint8_t *frame, size_t room)
{
	struct pollfd readable = { .fd = fd, .events = POLLIN };
	ssize_t len;

	while (poll(&readable, 1, PATIENCE) == 1) {
		len = recv(fd, frame, room, MSG_TRUNC);
		if (len < 0)
			err(1, "receive");
		if (fd == at_out ? len < 14 || memcmp(frame + 12, "\x86\xdd", 2) :
				   len >= 14 && !memcmp(frame, "\xff\xff\xff\xff\xff\xff\x02", 7))
			return len;
	}
	return 0;
}

static bool is_frame(const uint8_t *frame, size_t len, uint8_t which)
{
	uint8_t sent[LEN];

	return len == build(sent, which) && !memcmp(frame, sent, LEN);
}

/* Send a frame with the module's own note. Return whether it arrives next, as it was sent. */
static bool honest(uint8_t which)
{
	uint8_t frame[LEN];
	static uint8_t got[65536];
	size_t len;

	author->bss->honest = true;
	author->bss->moved = 0;
	author->bss->forged.counter = WEIR_TRIM_C_OTHER;
	len = build(frame, which);
	if (live(author->progs.author_note, frame, len, 1))
		return false;
	len = arrives(at_out, got, sizeof(got));
	if (is_frame(got, len, which))
		return true;
	printf("# %zu bytes arrive, of frame %#x\n", len, got[14]);
	return false;
}

/* A packet with such a note does not leave; the ones that follow do. */
static void note(const char *what, bool made, int moved, struct author_note forged)
{
	static uint8_t which = 0x20;
	uint8_t frame[LEN];
	int ret;

	author->bss->honest = made;
	author->bss->moved = moved;
	author->bss->forged = forged;
	ret = live(author->progs.author_note, frame, build(frame, which++), 1);
	ktap_ok(!ret && honest(which++), "a note of a frame: %s", what);
}

static void notes(void)
{
	struct author_note right = {
		.magic		= AUTHOR_TRIM_MAGIC,
		.counter	= WEIR_TRIM_C_OTHER,
		.headroom	= AUTHOR_HEADROOM,
		.len		= LEN,
	}, note_;

	ktap_ok(honest(0x10), "a frame that its device does not take leaves by the qdisc");
	note_ = right;
	note_.len = 60000;
	note("longer than the frame", false, 0, note_);
	note_.len = 1000;
	note("longer than the frame, not than a packet", false, 0, note_);
	note_.len = 1;
	note("shorter than an Ethernet header", false, 0, note_);
	note_ = right;
	note_.headroom = 0;
	note("before the frame's memory", false, 0, note_);
	note_.headroom = 60000;
	note("behind the frame's memory", false, 0, note_);
	note_ = right;
	note_.counter = 0x0fffffff;
	note("a counter that there is not", false, 0, note_);
	note("of a frame that begins elsewhere", true, 14, right);
}

/* Return a control block without the addresses that a program may know. */
static uint64_t rest(unsigned int i)
{
	const struct author_mark *seen = &author->bss->seen[i];

	return seen->block ^ seen->packet ^ seen->device;
}

/* The module leaves a mark in the control block of a packet on its way to the qdisc. */
static void control_blocks(void)
{
	static uint8_t got[65536];
	uint8_t frame[LEN];
	bool differ = false;
	unsigned int i;

	author->bss->marks = 0;
	author->bss->honest = true;
	author->bss->moved = 0;
	if (live(author->progs.author_note, frame, build(frame, 0x60), AUTHOR_MARKS))
		err(1, "run frames");
	for (i = 0; i < AUTHOR_MARKS && arrives(at_out, got, sizeof(got)); i++)
		;
	for (i = 1; i < AUTHOR_MARKS; i++)
		differ |= rest(i) != rest(0);
	ktap_ok(author->bss->marks == AUTHOR_MARKS && differ,
		"a control block: no address can be computed from it");

	author->bss->forged_counter = 0x0fffffff;
	author->bss->forges_mark = true;
	ktap_ok(honest(0x61), "a control block: a counter that there is not");
	author->bss->forges_mark = false;
}

/* A tap that no process reads, so that packets wait in its qdisc. */
static int unread_tap(const char *name)
{
	struct ifreq ifr = { .ifr_flags = IFF_TAP | IFF_NO_PI };
	int fd = open("/dev/net/tun", O_RDWR);

	snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", name);
	if (fd < 0 || ioctl(fd, TUNSETIFF, &ifr))
		err(1, "make %s", name);
	return fd;
}

static uint64_t backlog(void)
{
	FILE *tc = popen("tc -s -j qdisc show dev tap0 | gojq '.[0].backlog'", "r");
	unsigned long long bytes = 0;

	if (!tc || fscanf(tc, "%llu", &bytes) != 1)
		errx(1, "no qdisc");
	pclose(tc);
	return bytes;
}

/*
 * A program says of packets without IP that it has trimmed them. They find no room, and packets
 * that were trimmed go back to their senders: there is nothing here to turn round.
 */
static void returns(void)
{
	int in, tap;
	uint8_t frame[LEN];
	unsigned int i;

	sh("modprobe -q tun; :");
	tap = unread_tap("tap0");
	sh("ip link set tap0 up");
	sh("tc qdisc add dev tap0 root weir");
	sh("weir trim set dev tap0 hook xdp from in1 dscp 45 rule any size 200 rate 10gbit headers 1 "
	   "full return return-dscp 40");
	sh("ip link add in2 type veth peer name in3");
	sh("ip link set in2 up && ip link set in3 up");
	if (bpf_xdp_attach(if_nametoindex("in3"), bpf_program__fd(author->progs.author_note),
			   XDP_FLAGS_SKB_MODE, NULL))
		err(1, "attach to in3");
	author->bss->port = if_nametoindex("tap0");
	author->bss->honest = true;
	author->bss->moved = 0;
	author->bss->forged.counter = WEIR_TRIM_C_TX_OF(0);
	in = listener("in2");
	build(frame, 0x68);
	for (i = 0; i < UNREAD; i++)
		if (send(in, frame, LEN, 0) != LEN)
			err(1, "send");
	ktap_ok(backlog() > 0, "a packet without IP that is said to be trimmed, without room");
	close(in);
	close(tap);
	author->bss->port = if_nametoindex("out0");
}

static int chain(uint8_t cmd, uint32_t prio, const struct bpf_program *program)
{
	char buf[GENL_REQUEST_MAX], sentence[256];
	struct nlmsghdr *request = genl_begin(buf, cmd);
	int ret;

	mnl_attr_put_u32(request, WEIR_A_CHAIN_IFINDEX, LOOPBACK);
	mnl_attr_put_u32(request, WEIR_A_CHAIN_PRIO, prio);
	if (program)
		mnl_attr_put_u32(request, WEIR_A_CHAIN_FD, bpf_program__fd(program));
	ret = genl_try(request, NULL, NULL, sentence, sizeof(sentence));
	if (ret)
		printf("# chain: %s (%s)\n", sentence, strerror(ret));
	return ret;
}

/* Frames with notes of an order that the module has not written. */
static void order_notes(void)
{
	struct packet_spec spec = { .csum = 3 };
	static uint8_t got[65536], udp[PACKET_MAX];
	size_t len = packet_build(&spec, udp), n;
	uint8_t frame[LEN];
	bool alone;

	sh("weir order add dev lo prio 1 rule proto=udp cpus 0 hold 1000s mode generic");
	author->bss->order_device = order_device();
	author->bss->forged_order = (struct author_order_note) { .magic = AUTHOR_ORDER_MAGIC };
	author->bss->inside = true;
	if (live(author->progs.author_order_note, frame, build(frame, 0x70), 1))
		err(1, "run frames");
	/* A flow's home is the only CPU: what comes by it is behind what came before. */
	memset(udp, 0xff, ETH_ALEN);
	udp[ETH_ALEN] = 2;
	if (live(author->progs.author_order, udp, len, 1))
		err(1, "run frames");
	n = arrives(at_lo, got, sizeof(got));
	alone = n == len && !memcmp(got, udp, len);
	if (!alone)
		printf("# %zu bytes arrive, of frame %#x\n", n, n ? got[14] : 0);
	ktap_ok(alone, "a note of an order in the frame's own bytes");

	author->bss->inside = false;
	author->bss->forged_order.cpu = 1;
	if (chain(WEIR_XDP_CMD_CHAIN_ADD, WEIR_XDP_CHAIN_PRIO_ORDER + 10, author->progs.author_peek) ||
	    live(author->progs.author_order_note, frame, build(frame, 0x71), PEEKS))
		err(1, "run frames");
	for (n = 0; n < PEEKS && arrives(at_lo, got, sizeof(got)); n++)
		;
	printf("# %zu frames arrive; %llu of %llu have an address\n", n,
	       (unsigned long long)author->bss->addresses, (unsigned long long)author->bss->peeks);
	ktap_ok(n == PEEKS && author->bss->peeks >= PEEKS && !author->bss->addresses,
		"a note of an order: no address can be read");
	chain(WEIR_XDP_CMD_CHAIN_DEL, WEIR_XDP_CHAIN_PRIO_ORDER + 10, NULL);

	author->bss->forged_order.cpu = 2;
	author->bss->forged_order.flow = ~0U;
	ktap_ok(!live(author->progs.author_order_note, frame, build(frame, 0x72), 1),
		"a note of an order: a CPU and a flow that there are not");
}

static bool clears_freed(void)
{
	FILE *cmdline = fopen("/proc/cmdline", "r");
	char line[4096] = "";

	if (!cmdline || !fgets(line, sizeof(line), cmdline))
		err(1, "/proc/cmdline");
	fclose(cmdline);
	return strstr(line, "init_on_free=1");
}

/* Runs a program on a long UDP packet, which has fragments. */
static int run_long(const struct bpf_program *program, unsigned int repeat)
{
	static uint8_t frame[LONG];
	struct packet_spec spec = { .csum = 3 };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = sizeof(frame),
		    .repeat = repeat);
	static uint8_t head[PACKET_MAX];

	memset(frame, 0xa5, sizeof(frame));
	memcpy(frame, head, packet_build(&spec, head));
	memcpy(frame, head, 42);
	author->bss->slice_at = SLICE_AT;
	return bpf_prog_test_run_opts(bpf_program__fd(program), &opts);
}

static void slice(const struct bpf_program *program, const char *what)
{
	unsigned int i;
	bool ok = true;

	if (!clears_freed()) {
		printf("ok %d %s # SKIP the kernel does not clear what is freed\n", ++ktap_n, what);
		return;
	}
	for (i = 0; i < 100 && ok; i++) {
		author->bss->before = author->bss->after = 0;
		ok = !run_long(program, 1) && author->bss->before == 0xa5a5a5a5a5a5a5a5 &&
		     author->bss->after == author->bss->before;
	}
	if (!ok)
		printf("# %#llx before, %#llx after\n", (unsigned long long)author->bss->before,
		       (unsigned long long)author->bss->after);
	ktap_ok(ok, "%s", what);
}

/* A pointer to a fragment that is cut off stays one to the frame's bytes. */
static void slices(void)
{
	slice(author->progs.author_slice_trim, "a pointer to a fragment, and weir_trim_frags_xdp()");
	if (chain(WEIR_XDP_CMD_CHAIN_ADD, WEIR_XDP_CHAIN_PRIO_ORDER + 10, author->progs.author_cut))
		errx(1, "no chain");
	author->bss->cuts = 0;
	slice(author->progs.author_slice_chain, "a pointer to a fragment, and weir_chain_xdp()");
	slice(author->progs.author_slice_order, "a pointer to a fragment, and weir_order_xdp()");
	ktap_ok(!clears_freed() || author->bss->cuts >= 100, "the chain's program cuts frames");
	chain(WEIR_XDP_CMD_CHAIN_DEL, WEIR_XDP_CHAIN_PRIO_ORDER + 10, NULL);
}

/* Of a device with a qdisc nothing is taken, whichever queue a packet is said to go by. */
static void queue(const char *device, uint32_t mapping, bool has_queue)
{
	struct packet_spec spec = { .csum = 3 };
	struct __sk_buff skb = { .ifindex = if_nametoindex(device) };
	static uint8_t frame[PACKET_MAX];
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .repeat = 1, .ctx_in = &skb,
		    .ctx_size_in = sizeof(skb));
	int ret;

	opts.data_size_in = packet_build(&spec, frame);
	author->bss->mapping = mapping;
	author->bss->reason = 0;
	ret = bpf_prog_test_run_opts(bpf_program__fd(author->progs.author_queue), &opts);
	printf("# reason %d\n", author->bss->reason);
	ktap_ok(!ret && author->bss->reason > 0 &&
		(author->bss->reason == WEIR_REASON_NO_PORT || !has_queue),
		"%s: transmit queue %u", device, mapping);
}

static void any(const struct bpf_program *program, void *frame, size_t len, bool is_live)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = len,
		    .repeat = ANYTHING);

	author->bss->runs = 0;
	if (is_live)
		live(program, frame, len, ANYTHING);
	else
		bpf_prog_test_run_opts(bpf_program__fd(program), &opts);
	ktap_ok(author->bss->runs >= ANYTHING, "%s: anything, %zu bytes%s",
		bpf_program__name(program), len, is_live ? ", redirected" : "");
}

static void anything(void)
{
	struct packet_spec spec = { .job = 4, .count = 16, .csum = 3 };
	static uint8_t frame[PACKET_MAX], many[LONG];
	size_t len = packet_build(&spec, frame);
	unsigned int i;

	chain(WEIR_XDP_CMD_CHAIN_ADD, WEIR_XDP_CHAIN_PRIO_ORDER + 10, author->progs.author_cut);
	author->bss->devices[5] = order_device();
	author->bss->devices[6] = LOOPBACK;
	memcpy(many, frame, len);
	for (i = 0; i < 3; i++) {
		any(author->progs.author_any_xdp, frame, len, false);
		any(author->progs.author_any_xdp, many, sizeof(many), false);
		any(author->progs.author_any_xdp, frame, len, true);
		any(author->progs.author_any_skb, frame, len, false);
	}
	chain(WEIR_XDP_CMD_CHAIN_DEL, WEIR_XDP_CHAIN_PRIO_ORDER + 10, NULL);
}

int main(void)
{
	cpu_set_t cpu;

	CPU_ZERO(&cpu);
	CPU_SET(0, &cpu);
	if (sched_setaffinity(0, sizeof(cpu), &cpu))
		err(1, "stay on a CPU");
	ktap_header();
	setup();
	open_programs();
	at_out = listener("out1");
	at_lo = listener("lo");
	notes();
	control_blocks();
	returns();
	order_notes();
	slices();
	queue("lo", 0, false);
	queue("lo", 60000, false);
	queue("out0", 0, true);
	queue("out0", 60000, true);
	anything();
	ktap_ok(!system("weir order flush && weir chain flush && weir trim flush && "
			"weir job del id 4 && weir port detach dev lo"),
		"all of it can be taken away");
	return ktap_end();
}

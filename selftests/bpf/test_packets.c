// SPDX-License-Identifier: GPL-2.0
/*
 * Runs the XDP and the tc program on packets, good and bad, and holds against a table: the
 * verdict, the one counter that must move, that no other moves, that a packet that is
 * passed is not changed, and every gradient of a result.
 *
 * Works in a network namespace of its own; the module must be loaded.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <err.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/pkt_cls.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <weir.h>
#include <weir_bpf.h>
#include <weir_wire.h>

#include "bpf/weir_tc.skel.h"
#include "bpf/weir_xdp.skel.h"
#include "counters.h"
#include "ktap.h"
#include "packet.h"

#define SOURCES 2

enum hook { HOOK_XDP, HOOK_TC, HOOKS };

static const char *const hook_name[HOOKS] = { "xdp", "tc" };
static int hook_fd[HOOKS];
static const int verdict_pass[HOOKS] = { XDP_PASS, TC_ACT_UNSPEC };
static const int verdict_drop[HOOKS] = { XDP_DROP, TC_ACT_SHOT };

/* Every case uses blocks of its own, so that none depends on another. */
static uint32_t next_block;

static void sh(const char *cmd)
{
	if (system(cmd))
		errx(1, "cannot set up: %s", cmd);
}

static void setup(void)
{
	if (unshare(CLONE_NEWNET))
		err(1, "unshare");
	sh("ip link set lo up");
	sh("echo 0 > /proc/sys/net/ipv6/conf/all/accept_dad");
	sh("for i in 1 2 254; do ip addr add 10.99.0.$i/24 dev lo &&"
	   " ip addr add fd99::$(printf %x $i)/64 dev lo nodad; done");
}

/* The jobs, as if nothing had ever been sent to them. */
static void fresh_jobs(void)
{
	next_block = 0;
	sh("weir job flush");
	sh("weir job add id 4 sources 2 blocks 1024 retain 0 grads 2048 address 10.99.0.254");
	sh("weir job add id 6 sources 2 blocks 1024 retain 0 grads 2048 address fd99::fe");
	sh("weir job add id 9 sources 2 blocks 64 grads 16 address 10.99.0.254 port 12001");
	sh("weir job add id 20 sources 1 blocks 2 grads 256 address 10.99.0.254 format lab");
	sh("weir job add id 21 sources 1 blocks 2 grads 256 address 10.99.0.254 port 8001 format lab");
	sh("weir job add id 22 sources 1 blocks 2 grads 256 address fd99::fe format lab");
	sh("weir job add id 23 sources 1 blocks 2 grads 256 address ff:ff:ff:ff:ff:ff format lab-ethernet");
	sh("weir job add id 24 sources 1 blocks 2 grads 256 address 02:00:00:00:00:01 format lab-ethernet");
	sh("weir source add job 20 id 0 address 10.99.0.1");
	sh("weir source add job 21 id 0 address 10.99.0.1");
	sh("weir source add job 22 id 0 address fd99::1");
	sh("weir source add job 23 id 0 address 02:00:00:00:00:01 dev lo");
	sh("weir source add job 24 id 0 address 02:00:00:00:00:02 dev lo");
	sh("weir job add id 11 format switchml sources 2 blocks 256 grads 256 address 10.99.0.254");
	sh("weir job add id 53 sources 2 blocks 1024 retain 0 grads 256 address 10.99.0.254 format panama");
	sh("weir job add id 54 sources 2 blocks 1024 retain 0 grads 256 address 10.99.0.254 port 12057 format panama");
	sh("weir job add id 55 sources 2 keys 64 address 10.99.0.254 format kv parent 10.98.0.9 source 3");
	sh("weir source add job 55 id 0 address 10.99.0.1 && weir source add job 55 id 1 address 10.99.0.2");
	sh("weir source add job 53 id 0 address 10.99.0.1 && weir source add job 53 id 1 address 10.99.0.2");
	sh("for i in 0 1; do h=$((i + 1));"
	   " weir source add job 4 id $i address 10.99.0.$h &&"
	   " weir source add job 11 id $i address 10.99.0.$h &&"
	   " weir source add job 6 id $i address fd99::$h; done");
}

static void load(void)
{
	static const struct weir_format_entry formats[] = {
		{ 12000, WEIR_FORMAT_TRIO, 0 }, { 12001, WEIR_FORMAT_TRIO, 0 },
		{ 8000, WEIR_FORMAT_LAB, 0 }, { 8001, WEIR_FORMAT_LAB, 0 },
		{ WEIR_LAB_ETHERTYPE, WEIR_FORMAT_LAB_ETHERNET, 0 },
		{ WEIR_PORT_SWITCHML, WEIR_FORMAT_SWITCHML, 0 },
		{ 12056, WEIR_FORMAT_PANAMA, 0 }, { 12064, WEIR_FORMAT_KV, 0 },
	};
	struct weir_xdp_bpf *xdp = weir_xdp_bpf__open();
	struct weir_tc_bpf *tc = weir_tc_bpf__open();

	if (!xdp || !tc)
		err(1, "open BPF objects");
	memcpy((void *)xdp->rodata->weir_formats, formats, sizeof(formats));
	memcpy((void *)tc->rodata->weir_formats, formats, sizeof(formats));
	if (weir_xdp_bpf__load(xdp) || weir_tc_bpf__load(tc))
		err(1, "load BPF objects");
	hook_fd[HOOK_XDP] = bpf_program__fd(xdp->progs.weir_xdp);
	hook_fd[HOOK_TC] = bpf_program__fd(tc->progs.weir_tc);
}

/* Runs a program on a frame; says whether the frame came out as it went in. */
static int run(enum hook hook, const uint8_t *frame, size_t len,
	       unsigned int gso_size, bool *same)
{
	static uint8_t out[PACKET_MAX];
	struct __sk_buff skb = { .gso_size = gso_size };
	LIBBPF_OPTS(bpf_test_run_opts, opts,
		    .data_in = frame, .data_size_in = len,
		    .data_out = out, .data_size_out = sizeof(out),
		    .repeat = 1);
	int ret;

	if (hook == HOOK_TC && gso_size) {
		opts.ctx_in = &skb;
		opts.ctx_size_in = sizeof(skb);
	}
	ret = bpf_prog_test_run_opts(hook_fd[hook], &opts);
	if (ret) {
		printf("# test run: %s\n", strerror(errno));
		return -2;
	}
	*same = opts.data_size_out == len && !memcmp(frame, out, len);
	return opts.retval;
}

/**
 * struct test - a packet and its expected fate
 * @name: its description
 * @spec: the packet; the block id is added
 * @pass: it is passed and not dropped
 * @reason: the reason that is counted, 0 for none
 * @taken: it is summed
 * @queried: it is answered as a query
 * @untouched: nothing is counted at all
 */
struct test {
	const char *name;
	struct packet_spec spec;
	bool pass;
	int reason;
	bool taken;
	bool queried;
	bool untouched;
};

#define V4 .job = 4
#define V6 .job = 6, .ipv6 = true
#define TAKEN .taken = true
#define PASSED .pass = true, .untouched = true
#define REFUSED(r) .reason = WEIR_REASON_##r
#define LET_GO(r) .pass = true, .reason = WEIR_REASON_##r

static const uint8_t junk[2000];

/* The first packet of a tensor of SwitchML, in a slot; all of them in others. */
#define SML_HEAD(kind, tensor, set, slot) \
	.head = (const uint8_t []){ kind, tensor, 0, 0, 0, 0, set, slot, 0, 0 }, \
	.head_len = sizeof(struct weir_switchml)
#define SML_AT(...) SML_HEAD(__VA_ARGS__), .dport = WEIR_PORT_SWITCHML
#define SML(kind, n) SML_AT(kind, n, 0, n)

static const struct test tests[] = {
	{ "IPv4", { V4, .count = 64 }, TAKEN },
	{ "IPv6", { V6, .count = 64 }, TAKEN },
	{ "one gradient", { V4, .count = 1 }, TAKEN },
	{ "IPv4 in 802.1Q", { V4, .count = 64, .vlans = 1 }, TAKEN },
	{ "IPv6 in 802.1Q", { V6, .count = 64, .vlans = 1 }, TAKEN },
	{ "IPv4 in QinQ", { V4, .count = 64, .vlans = 2 }, TAKEN },
	{ "IPv4 in three tags", { V4, .count = 64, .vlans = 3 }, PASSED },
	{ "IPv4 options", { V4, .count = 64, .options = 8 }, TAKEN },
	{ "IPv4 with all options", { V4, .count = 64, .options = 40 }, TAKEN },
	{ "IPv6 extension header", { V6, .count = 64, .exthdrs = 1 }, TAKEN },
	{ "IPv6 with three", { V6, .count = 64, .exthdrs = 3 }, TAKEN },
	{ "IPv6 with twelve", { V6, .count = 64, .exthdrs = 12 }, PASSED },
	{ "IPv6 atomic fragment", { V6, .count = 64, .fragment = 3 }, TAKEN },
	{ "padded frame", { V4, .count = 1, .pad = 2 }, TAKEN },
	{ "no checksum, IPv4", { V4, .count = 64, .csum = 2 }, TAKEN },
	{ "final block", { V4, .count = 64, .flags = WEIR_TRIO_FINAL }, TAKEN },
	{ "odd count", { V4, .count = 173 }, TAKEN },
	{ "850 gradients", { V4, .count = 850 }, TAKEN },

	{ "other UDP port", { V4, .count = 64, .dport = 53 }, PASSED },
	{ "TCP", { V4, .count = 64, .protocol = 6 }, PASSED },
	{ "TCP over IPv6", { V6, .count = 64, .protocol = 6 }, PASSED },
	{ "ARP", { V4, .count = 64, .ethertype = 0x0806 }, PASSED },
	{ "later fragment", { V4, .count = 64, .fragment = 2 }, PASSED },
	{ "later fragment, IPv6", { V6, .count = 64, .fragment = 2 }, PASSED },
	{ "cut in the UDP header", { V4, .cut = 16 }, PASSED },

	{ "first fragment", { V4, .count = 64, .fragment = 1 },
	  LET_GO(FRAGMENT) },
	{ "first fragment, IPv6", { V6, .count = 64, .fragment = 1 },
	  LET_GO(FRAGMENT) },
	{ "unknown job", { .job = 5, .count = 64 }, LET_GO(NO_JOB) },
	{ "job at another port", { .job = 9, .count = 16 }, LET_GO(NO_JOB) },
	{ "another address", { V4, .count = 64, .to = 2 }, LET_GO(NOT_LOCAL) },

	{ "a frame for another host", { V4, .count = 64, .frame_to = 1 },
	  LET_GO(NOT_LOCAL) },
	{ "a frame for a group", { V6, .count = 64, .frame_to = 2 },
	  LET_GO(NOT_LOCAL) },
	{ "a frame for all", { V4, .count = 64, .frame_to = 3 },
	  LET_GO(NOT_LOCAL) },
	{ "a frame for another host, odd length", { V4, .count = 64,
	  .count_says = 1, .frame_to = 1 }, LET_GO(NOT_LOCAL) },
	{ "another address, no header", { V4, .to = 2, .cut = 12,
	  .udp_len_more = -12, .ip_len_more = -12 }, LET_GO(NOT_LOCAL) },
	{ "another address, odd flags", { V4, .to = 2, .flags = 0xff,
	  .count = 64 }, LET_GO(NOT_LOCAL) },
	{ "another address, odd length", { V4, .to = 2, .count = 64,
	  .count_says = 1 }, LET_GO(NOT_LOCAL) },
	{ "another address, wrong checksum", { V4, .to = 2, .count = 64,
	  .csum = 1 }, LET_GO(NOT_LOCAL) },
	{ "another address, wrong header checksum", { V4, .to = 2, .count = 64,
	  .ip_csum = 1 }, LET_GO(NOT_LOCAL) },
	{ "another address, from a mapped one", { V6, .to = 2, .count = 64,
	  .mapped = 1 }, LET_GO(NOT_LOCAL) },
	{ "another address, cut short", { V6, .to = 2, .count = 64,
	  .cut = 40 }, LET_GO(NOT_LOCAL) },

	{ "no header", { V4, .cut = 12, .udp_len_more = -12,
			 .ip_len_more = -12 }, REFUSED(RUNT) },
	{ "half a header", { V4, .cut = 6, .udp_len_more = -6,
			     .ip_len_more = -6 }, REFUSED(RUNT) },
	{ "frame cut short", { V4, .count = 64, .cut = 40 }, REFUSED(LENGTH) },
	{ "count too high", { V4, .count = 64, .count_says = 65 },
	  REFUSED(LENGTH) },
	{ "count too low", { V4, .count = 64, .count_says = 63 },
	  REFUSED(LENGTH) },
	{ "UDP longer than IP", { V4, .count = 64, .udp_len_more = 4 },
	  REFUSED(LENGTH) },
	{ "UDP shorter than IP", { V4, .count = 64, .udp_len_more = -4 },
	  REFUSED(LENGTH) },
	{ "IP longer than the frame", { V4, .count = 64, .udp_len_more = 4,
					.ip_len_more = 4, .count_says = 65 },
	  REFUSED(LENGTH) },
	{ "half a gradient", { V4, .count = 3, .body = junk, .body_len = 14 },
	  REFUSED(LENGTH) },
	{ "wrong checksum", { V4, .count = 64, .csum = 1 },
	  REFUSED(CHECKSUM) },
	{ "wrong checksum, IPv6", { V6, .count = 64, .csum = 1 },
	  REFUSED(CHECKSUM) },
	{ "no checksum, IPv6", { V6, .count = 64, .csum = 2 },
	  REFUSED(CHECKSUM) },
	{ "wrong header checksum", { V4, .count = 64, .ip_csum = 1 },
	  REFUSED(CHECKSUM) },
	{ "no header checksum", { V4, .count = 64, .ip_csum = 2 },
	  REFUSED(CHECKSUM) },
	{ "wrong header checksum, options", { V4, .count = 64, .ip_csum = 1,
	  .options = 40 }, REFUSED(CHECKSUM) },
	{ "IPv4-mapped addresses in IPv6", { .job = 4, .ipv6 = true,
	  .count = 64, .mapped = 3 }, REFUSED(MARTIAN) },
	{ "from an IPv4-mapped address", { V6, .count = 64, .mapped = 1 },
	  REFUSED(MARTIAN) },
	{ "to an IPv4-mapped address", { .job = 4, .ipv6 = true, .count = 64,
	  .mapped = 2 }, REFUSED(MARTIAN) },
	{ "unbound source", { .job = 9, .dport = 12001, .count = 16 },
	  REFUSED(NO_SOURCE) },
	{ "source id too high", { V4, .source = 2, .count = 64 },
	  REFUSED(NO_SOURCE) },
	{ "another's source id", { V4, .count = 64, .host = 2 },
	  REFUSED(SPOOFED) },
	{ "another's, IPv6", { V6, .count = 64, .host = 2 },
	  REFUSED(SPOOFED) },
	{ "an exponent", { V4, .count = 64, .has_exponent = true }, TAKEN },
	{ "an exponent that is not there", { V4, .count_says = WEIR_TRIO_EXPONENT },
	  REFUSED(RUNT) },
	{ "half an exponent", { V4, .count_says = WEIR_TRIO_EXPONENT, .body = junk,
				.body_len = 2 }, REFUSED(RUNT) },
	{ "an exponent in the place of a gradient", { V4, .count = 64,
	  .count_says = 64 | WEIR_TRIO_EXPONENT }, REFUSED(LENGTH) },
	{ "query", { V4 }, .queried = true },
	{ "query, IPv6", { V6 }, .queried = true },
	{ "query with something behind", { V4, .body = junk, .body_len = 4 },
	  REFUSED(LENGTH) },
	{ "weight 2", { V4, .count = 64, .weight = 2 }, REFUSED(WEIGHT) },
	{ "weight 0", { V4, .count = 64, .weight = -1 }, REFUSED(WEIGHT) },
	{ "age_op set", { V4, .count = 64, .flags = 0x10 }, REFUSED(FLAGS) },
	{ "little-endian, not joined", { V4, .count = 64, .flags = WEIR_TRIO_LITTLE }, REFUSED(FLAGS) },
	{ "little-endian, of a join", { V4, .flags = WEIR_TRIO_LITTLE | WEIR_TRIO_CONTROL,
	  .count_says = WEIR_TRIO_JOINED, .body = junk, .body_len = sizeof(struct weir_join) },
	  REFUSED(FLAGS) },
	{ "little-endian, of no generation", { V4, .count = 64, .flags = WEIR_TRIO_LITTLE,
	  .count_says = 64 | WEIR_TRIO_JOINED }, REFUSED(GENERATION) },
	{ "no gradients, not joined", { V4, .flags = WEIR_TRIO_EMPTY, .count_says = 64 },
	  REFUSED(FLAGS) },
	{ "no gradients, of no generation", { V4, .flags = WEIR_TRIO_EMPTY,
	  .count_says = 64 | WEIR_TRIO_JOINED }, REFUSED(GENERATION) },
	{ "no gradients, though they follow", { V4, .count = 64, .flags = WEIR_TRIO_EMPTY,
	  .count_says = 64 | WEIR_TRIO_JOINED }, REFUSED(LENGTH) },
	{ "no need of the result, not joined", { V4, .count = 64, .flags = WEIR_TRIO_BRIEF },
	  REFUSED(FLAGS) },
	{ "no need of the result, of no generation", { V4, .count = 64, .flags = WEIR_TRIO_BRIEF,
	  .count_says = 64 | WEIR_TRIO_JOINED }, REFUSED(GENERATION) },
	{ "query with no need of the result", { V4, .flags = WEIR_TRIO_BRIEF,
	  .count_says = WEIR_TRIO_JOINED }, REFUSED(FLAGS) },
	{ "acknowledgment with no need of the result", { V4,
	  .flags = WEIR_TRIO_ACK | WEIR_TRIO_BRIEF, .count_says = WEIR_TRIO_JOINED },
	  REFUSED(FLAGS) },
	{ "what a box answers: a result", { V4, .count = 64,
	  .count_says = 64 | WEIR_TRIO_DOWN }, REFUSED(DIRECTION) },
	{ "what a box answers: a degraded result", { V4, .count = 64,
	  .flags = WEIR_TRIO_DEGRADED, .count_says = 64 | WEIR_TRIO_DOWN },
	  REFUSED(DIRECTION) },
	{ "what a box answers: a reply", { V4, .count_says = WEIR_TRIO_DOWN },
	  REFUSED(DIRECTION) },
	{ "what a box answers: to a join", { V4, .flags = WEIR_TRIO_CONTROL,
	  .body = junk, .body_len = sizeof(struct weir_join),
	  .count_says = WEIR_TRIO_DOWN }, REFUSED(DIRECTION) },
	{ "what a box sends up, to a job of one box", { V4, .count = 64,
	  .count_says = 64 | WEIR_TRIO_UP }, REFUSED(WEIGHT) },
	{ "likewise, degraded and without its bitmap", { V4, .count = 64,
	  .flags = WEIR_TRIO_DEGRADED | WEIR_TRIO_OVERFLOW,
	  .count_says = 64 | WEIR_TRIO_UP }, REFUSED(WEIGHT) },
	{ "likewise, a join", { V4, .flags = WEIR_TRIO_CONTROL, .body = junk,
	  .body_len = sizeof(struct weir_join) + 4, .count_says = WEIR_TRIO_UP }, REFUSED(JOIN) },
	{ "likewise, a join of half a word", { V4, .flags = WEIR_TRIO_CONTROL, .body = junk,
	  .body_len = sizeof(struct weir_join) + 2, .count_says = WEIR_TRIO_UP },
	  REFUSED(LENGTH) },
	{ "up and down", { V4, .count = 64, .count_says = 64 | WEIR_TRIO_UP | WEIR_TRIO_DOWN },
	  REFUSED(DIRECTION) },
	{ "degraded set", { V4, .count = 64, .flags = WEIR_TRIO_DEGRADED },
	  REFUSED(FLAGS) },
	{ "overflow set", { V4, .count = 64, .flags = WEIR_TRIO_OVERFLOW },
	  REFUSED(FLAGS) },
	{ "old generation", { V4, .count = 64, .generation = 65535 },
	  REFUSED(GENERATION) },
	{ "join cut short", { V4, .flags = WEIR_TRIO_CONTROL, .body = junk,
			      .body_len = 12 }, REFUSED(LENGTH) },
	{ "SwitchML, 256 gradients", { SML(0x13, 0), .count = 256 }, TAKEN },
	{ "SwitchML, 64 gradients", { SML(0x11, 1), .count = 64 }, TAKEN },
	{ "SwitchML as its worker sends it", { SML(0x11, 2), .count = 64, .ip_csum = 2, .csum = 3 },
	  TAKEN },
	{ "SwitchML, no checksums", { SML(0x13, 3), .count = 256, .ip_csum = 2, .csum = 2 }, TAKEN },
	{ "SwitchML, IPv4 options", { SML(0x11, 4), .count = 64, .ip_csum = 2, .options = 40 },
	  TAKEN },
	{ "SwitchML in 802.1Q", { SML(0x11, 5), .count = 64, .vlans = 1 }, TAKEN },
	{ "SwitchML, the last slot", { SML_AT(0x11, 6, 0x80, 127), .count = 64 }, TAKEN },
	{ "SwitchML, a slot too many", { SML_AT(0x11, 7, 0, 128), .count = 64 }, REFUSED(AHEAD) },
	{ "SwitchML, a slot of nobody", { SML_AT(0x11, 8, 0x7f, 0xff), .count = 64 },
	  REFUSED(AHEAD) },
	{ "SwitchML, wrong checksum", { SML(0x11, 9), .count = 64, .csum = 1 },
	  REFUSED(CHECKSUM) },
	{ "SwitchML, wrong header checksum", { SML(0x11, 9), .count = 64, .ip_csum = 1 },
	  REFUSED(CHECKSUM) },
	{ "SwitchML, no header", { SML(0x11, 9), .cut = 10, .udp_len_more = -10,
				   .ip_len_more = -10 }, REFUSED(RUNT) },
	{ "SwitchML, 9 bytes of a header", { SML(0x11, 9), .cut = 1, .udp_len_more = -1,
					     .ip_len_more = -1 }, REFUSED(RUNT) },
	{ "SwitchML, no gradients", { SML(0x11, 9) }, REFUSED(LENGTH) },
	{ "SwitchML, a gradient too few", { SML(0x11, 9), .count = 63 }, REFUSED(LENGTH) },
	{ "SwitchML, a gradient too many", { SML(0x13, 9), .count = 257 }, REFUSED(LENGTH) },
	{ "SwitchML, 64 gradients that say 256", { SML(0x13, 9), .count = 64 }, REFUSED(LENGTH) },
	{ "SwitchML, cut short", { SML(0x13, 9), .count = 256, .cut = 40 }, REFUSED(LENGTH) },
	{ "SwitchML, 128 gradients", { SML(0x12, 9), .count = 128 }, REFUSED(FLAGS) },
	{ "SwitchML, 32 gradients", { SML(0x10, 9), .count = 32 }, REFUSED(FLAGS) },
	{ "SwitchML, the unused bit", { SML(0x19, 9), .count = 64 }, REFUSED(FLAGS) },
	{ "SwitchML, another type", { SML(0x21, 9), .count = 64 }, REFUSED(FLAGS) },
	{ "SwitchML, no type", { SML(0x01, 9), .count = 64 }, REFUSED(FLAGS) },
	{ "SwitchML from a box", { SML(0x11, 9), .count = 64, .sport = WEIR_PORT_SWITCHML },
	  REFUSED(DIRECTION) },
	{ "SwitchML, unknown sender", { SML(0x11, 9), .count = 64, .host = 3 },
	  REFUSED(NO_SOURCE) },
	{ "SwitchML, first fragment", { SML(0x11, 9), .count = 64, .fragment = 1 },
	  REFUSED(FRAGMENT) },
	{ "SwitchML, later fragment", { SML(0x11, 9), .count = 64, .fragment = 2 }, PASSED },
	{ "SwitchML, no job", { SML(0x11, 9), .count = 64, .to = 2 }, REFUSED(NO_JOB) },
	{ "SwitchML, no job, no type", { SML(0, 9), .count = 64, .to = 2 }, REFUSED(NO_JOB) },
	{ "SwitchML, no job, fragment", { SML(0x11, 9), .count = 64, .to = 2, .fragment = 1 },
	  REFUSED(NO_JOB) },
	{ "SwitchML to another host", { SML(0x11, 9), .count = 64, .to = -1 }, LET_GO(NOT_LOCAL) },
	{ "SwitchML to another host, no type", { SML(0, 9), .count = 64, .to = -1 },
	  LET_GO(NOT_LOCAL) },
	{ "SwitchML to another host, fragment", { SML(0x11, 9), .count = 64, .to = -1,
	  .fragment = 1 }, LET_GO(NOT_LOCAL) },
	{ "SwitchML in a frame for another host", { SML(0x11, 9), .count = 64, .frame_to = 1 },
	  LET_GO(NOT_LOCAL) },
	{ "SwitchML, IPv6", { SML(0x11, 9), .count = 64, .ipv6 = true }, LET_GO(NOT_LOCAL) },
	{ "Trio-ML at the port of SwitchML", { V4, .count = 64, .dport = WEIR_PORT_SWITCHML },
	  REFUSED(FLAGS) },
	{ "SwitchML at the port of Trio-ML", { SML_HEAD(0x11, 9, 0, 9), .count = 64 },
	  LET_GO(NO_JOB) },
	{ "join of other ranks", { V4, .flags = WEIR_TRIO_CONTROL, .body = junk,
				   .body_len = sizeof(struct weir_join) },
	  REFUSED(JOIN) },
};

/*
 * Of format lab: jobs of one source, to which each contribution is a whole chunk. Those of
 * one chunk an iteration differ in their gradients, which is the number of the case.
 */
#define LAB(...) .lab = &(const struct lab_spec){ __VA_ARGS__ }
#define AT(c, t, s) .reliable = true, .chunk = c, .total = t, .slot = s
#define CHUNK AT(1, 1, 1)
#define FRAME .no_ip = true, .frame_to = 3
#define UNICAST .no_ip = true, .frame_to = 1, .host = 2
#define RELIABLE .dport = 8001

static const struct test lab_tests[] = {
	{ "basic", { LAB(), .count = 32 }, TAKEN },
	{ "basic, IPv6", { LAB(), .count = 32, .ipv6 = true }, TAKEN },
	{ "basic, one value", { LAB(), .count = 1 }, TAKEN },
	{ "basic, padded frame", { LAB(), .count = 1, .pad = 6 }, TAKEN },
	{ "basic, 256 values, QinQ", { LAB(), .count = 256, .vlans = 2 }, TAKEN },
	{ "m_val", { LAB(.scaled = true, .scale = -5), .count = 33 }, TAKEN },
	{ "reliable", { LAB(CHUNK), RELIABLE, .count = 32 }, TAKEN },
	{ "reliable, one value", { LAB(CHUNK), RELIABLE, .count = 1 }, TAKEN },
	{ "reliable, m_val", { LAB(CHUNK, .scaled = true), RELIABLE, .count = 32 }, TAKEN },
	{ "no checksum", { LAB(), .count = 32, .csum = 2 }, TAKEN },

	{ "another port", { LAB(), .count = 32, .dport = 8002 }, PASSED },
	{ "the EtherType as a port", { LAB(), .count = 32, .dport = WEIR_LAB_ETHERTYPE },
	  PASSED },
	{ "a packet of trio", { .dport = 8000, .count = 32 }, REFUSED(LENGTH) },
	{ "another address", { LAB(), .count = 32, .to = 2 }, LET_GO(NO_JOB) },
	{ "another address, cut short", { LAB(), .count = 32, .to = 2, .count_says = 30 },
	  LET_GO(NOT_LOCAL) },
	{ "a frame for another host", { LAB(), .count = 32, .frame_to = 1 },
	  LET_GO(NOT_LOCAL) },
	{ "first fragment", { LAB(), .count = 32, .fragment = 1 }, LET_GO(FRAGMENT) },

	{ "nothing", { LAB(), .cut = 8, .udp_len_more = -8, .ip_len_more = -8 },
	  REFUSED(RUNT) },
	{ "half a header", { LAB(), .cut = 4, .udp_len_more = -4, .ip_len_more = -4 },
	  REFUSED(RUNT) },
	{ "half a header, padded", { LAB(), .cut = 4, .udp_len_more = -4, .ip_len_more = -4,
	  .pad = 14 }, REFUSED(RUNT) },
	{ "no values", { LAB() }, REFUSED(LENGTH) },
	{ "chunk_size too high", { LAB(), .count = 32, .count_says = 33 }, REFUSED(LENGTH) },
	{ "chunk_size too low", { LAB(), .count = 32, .count_says = 30 }, REFUSED(LENGTH) },
	{ "chunk_size of 2^30 and the right one", { LAB(), .count = 32,
	  .count_says = 0x40000020 }, REFUSED(LENGTH) },
	{ "chunk_size of all bits", { LAB(), .count = 32, .count_says = -1 },
	  REFUSED(LENGTH) },
	{ "half a value", { LAB(), .count = 3, .count_says = 3, .body = junk, .body_len = 14 },
	  REFUSED(LENGTH) },
	{ "half an m_val", { LAB(.scaled = true), .count = 2, .body = junk, .body_len = 6 },
	  REFUSED(LENGTH) },
	{ "a byte too many", { LAB(), .count = 2, .body = junk, .body_len = 9 },
	  REFUSED(LENGTH) },
	{ "reliable, a byte too few", { LAB(CHUNK), RELIABLE, .count = 2, .body = junk,
	  .body_len = 7 }, REFUSED(LENGTH) },
	{ "UDP longer than IP", { LAB(), .count = 32, .udp_len_more = 4 }, REFUSED(LENGTH) },
	{ "frame cut short", { LAB(), .count = 32, .cut = 40 }, REFUSED(LENGTH) },
	{ "frame cut in the header", { LAB(CHUNK), RELIABLE, .count = 1, .cut = 6 },
	  REFUSED(RUNT) },
	{ "more values than the job's", { LAB(), .count = 257 }, REFUSED(TOO_LONG) },
	{ "wrong checksum", { LAB(), .count = 32, .csum = 1 }, REFUSED(CHECKSUM) },
	{ "num_workers too high", { LAB(.workers = 1), .count = 32 }, REFUSED(WORKERS) },
	{ "num_workers 0", { LAB(.workers = -1), .count = 32 }, REFUSED(WORKERS) },
	{ "reliable, num_workers of all bits", { LAB(CHUNK, .workers = -2), RELIABLE,
	  .count = 32 }, REFUSED(WORKERS) },
	{ "another's address", { LAB(), .count = 32, .host = 2 }, REFUSED(NO_SOURCE) },
	{ "another's rank", { LAB(CHUNK, .rank = 1), RELIABLE, .count = 32 },
	  REFUSED(SPOOFED) },
	{ "a rank of 256", { LAB(CHUNK, .rank = 256), RELIABLE, .count = 32 },
	  REFUSED(SPOOFED) },
	{ "a result", { LAB(CHUNK, .rank = -1), RELIABLE, .count = 32 },
	  REFUSED(DIRECTION) },
	{ "a result with m_val", { LAB(CHUNK, .rank = -1, .scaled = true), RELIABLE,
	  .count = 32 }, REFUSED(DIRECTION) },
	{ "chunk 0", { LAB(AT(0, 1, 0)), RELIABLE, .count = 32 },
	  REFUSED(CHUNK) },
	{ "a chunk more than there are", { LAB(AT(3, 2, 1)), RELIABLE,
	  .count = 32 }, REFUSED(CHUNK) },
	{ "no chunks", { LAB(AT(1, 0, 1)), RELIABLE, .count = 32 }, REFUSED(CHUNK) },
	{ "the other slot", { LAB(AT(1, 1, 0)), RELIABLE, .count = 32 },
	  REFUSED(CHUNK) },
	{ "a third slot", { LAB(AT(1, 1, 3)), RELIABLE, .count = 32 },
	  REFUSED(CHUNK) },
	{ "a chunk ahead", { LAB(AT(2, 3, 0)), RELIABLE,
	  .count = 32 }, REFUSED(STALE) },

	{ "frame, basic", { LAB(), FRAME, .count = 32 }, TAKEN },
	{ "frame, one value", { LAB(), FRAME, .count = 1 }, TAKEN },
	{ "frame, one value, padded", { LAB(), FRAME, .count = 1, .pad = 34,
	  .pad_with = -1 }, TAKEN },
	{ "frame, nine values, padded", { LAB(), FRAME, .count = 9, .pad = 2,
	  .pad_with = -1 }, TAKEN },
	{ "frame, padded, in 802.1Q", { LAB(), FRAME, .count = 2, .pad = 26, .vlans = 1,
	  .pad_with = -1 }, TAKEN },
	{ "frame, 256 values, QinQ", { LAB(), FRAME, .count = 256, .vlans = 2 }, TAKEN },
	{ "frame, m_val", { LAB(.scaled = true), FRAME, .count = 32 }, TAKEN },
	{ "frame, m_val, one value", { LAB(.scaled = true), FRAME, .count = 1 }, TAKEN },
	{ "frame to one, reliable", { LAB(CHUNK), UNICAST, .count = 32 }, TAKEN },
	{ "frame to one, reliable, one value", { LAB(CHUNK), UNICAST, .count = 1 }, TAKEN },
	{ "frame to one, reliable, m_val", { LAB(CHUNK, .scaled = true), UNICAST,
	  .count = 6 }, TAKEN },

	{ "frame of another EtherType", { LAB(), FRAME, .count = 32, .ethertype = 0x8778 },
	  PASSED },
	{ "frame of an EtherType that is a UDP port", { LAB(), FRAME, .count = 32,
	  .ethertype = 8000 }, PASSED },
	{ "frame in three tags", { LAB(), FRAME, .count = 32, .vlans = 3 }, PASSED },
	{ "frame to nobody", { LAB(), .no_ip = true, .count = 32, .frame_to = 2 }, LET_GO(NO_JOB) },
	{ "frame to nobody, odd", { LAB(), .no_ip = true, .count = 32, .count_says = 3,
	  .frame_to = 2 }, LET_GO(NOT_LOCAL) },
	{ "an IPv4 packet in a frame", { LAB(), .count = 32, .frame_to = 3,
	  .ethertype = WEIR_LAB_ETHERTYPE }, REFUSED(LENGTH) },
	{ "ARP that is none", { .count = 32, .ethertype = 0x0806 }, PASSED },

	{ "frame, half a header", { LAB(), FRAME, .cut = 4 }, REFUSED(RUNT) },
	{ "frame, nothing", { LAB(), FRAME, .cut = 8 }, REFUSED(RUNT) },
	{ "frame, no values", { LAB(), FRAME }, REFUSED(LENGTH) },
	{ "frame, no values, padded", { LAB(), FRAME, .pad = 38, .pad_with = -1 },
	  REFUSED(LENGTH) },
	{ "frame, chunk_size too high", { LAB(), FRAME, .count = 32, .count_says = 33 },
	  REFUSED(LENGTH) },
	{ "frame, chunk_size of 2^30 and the right one", { LAB(), FRAME, .count = 4,
	  .count_says = 0x40000004 }, REFUSED(LENGTH) },
	{ "frame, padded with something", { LAB(), FRAME, .count = 1, .pad = 34 },
	  REFUSED(LENGTH) },
	{ "frame, longer than the shortest, padded", { LAB(), FRAME, .count = 9, .pad = 3,
	  .pad_with = -1 }, REFUSED(LENGTH) },
	{ "frame, reliable, padded", { LAB(CHUNK), UNICAST, .count = 1, .pad = 21,
	  .pad_with = -1 }, REFUSED(LENGTH) },
	{ "frame, more values than the job's", { LAB(), FRAME, .count = 257 },
	  REFUSED(TOO_LONG) },
	{ "frame, num_workers", { LAB(.workers = 1), FRAME, .count = 32 },
	  REFUSED(WORKERS) },
	{ "frame, another's address", { LAB(), FRAME, .count = 32, .host = 2 },
	  REFUSED(NO_SOURCE) },
	{ "frame, another's rank", { LAB(CHUNK, .rank = 1), UNICAST, .count = 32 },
	  REFUSED(SPOOFED) },
	{ "frame, a result", { LAB(CHUNK, .rank = -1), UNICAST, .count = 32 },
	  REFUSED(DIRECTION) },
	{ "frame, the other slot", { LAB(AT(1, 1, 0)), UNICAST, .count = 32 },
	  REFUSED(CHUNK) },
};

/* Of format kv. */
#define KV(kind_, flags_, job_, source_, pairs_)						\
	.sport = 12064, .dport = 12064, .head_len = sizeof(struct weir_kv),			\
	.head = &(const struct weir_kv){							\
		.kind = kind_, .flags = flags_, .op = WEIR_OP_SUM, .dtype = WEIR_DTYPE_INT32,	\
		.job = { 0, job_ }, .source = { 0, source_ }, .pairs = { 0, pairs_ },		\
	}
#define PAIR	.body = "\1k\0\0\0\1", .body_len = 6
#define UP	WEIR_KV_UP
#define PAIRS	(WEIR_KV_CPA | WEIR_KV_PACKED)

static const struct test kv_tests[] = {
	{ "pairs of no session", { KV(UP, PAIRS, 55, 0, 1), PAIR }, REFUSED(SESSION) },
	{ "no pairs where there are to be", { KV(UP, PAIRS, 55, 0, 1) }, REFUSED(LENGTH) },
	{ "pairs where there are to be none", { KV(UP, PAIRS, 55, 0, 0), PAIR }, REFUSED(LENGTH) },
	{ "a session with pairs", { KV(UP, PAIRS | WEIR_KV_OPEN, 55, 0, 1), PAIR }, REFUSED(FLAGS) },
	{ "a session that ends", { KV(UP, WEIR_KV_CPA | WEIR_KV_OPEN | WEIR_KV_FIN, 55, 0, 0) }, REFUSED(FLAGS) },
	{ "without CPA", { KV(UP, WEIR_KV_PACKED, 55, 0, 1), PAIR }, REFUSED(FLAGS) },
	{ "a flag that means nothing", { KV(UP, PAIRS | 1, 55, 0, 1), PAIR }, REFUSED(FLAGS) },
	{ "CPK towards the reducer", { KV(UP, PAIRS | WEIR_KV_CPK, 55, 0, 1), PAIR }, REFUSED(FLAGS) },
	{ "a third direction", { KV(0x13, PAIRS, 55, 0, 1), PAIR }, REFUSED(FLAGS) },
	{ "back, but not of the parent", { KV(WEIR_KV_DOWN, WEIR_KV_CPA | WEIR_KV_CPK, 55, 3, 0) }, REFUSED(DIRECTION) },
	{ "back, without CPK", { KV(WEIR_KV_DOWN, WEIR_KV_CPA, 55, 3, 0) }, REFUSED(FLAGS) },
	{ "a source too many", { KV(UP, PAIRS, 55, 2, 1), PAIR }, REFUSED(NO_SOURCE) },
	{ "another's number", { KV(UP, PAIRS, 55, 1, 1), PAIR }, REFUSED(SPOOFED) },
	{ "a job of another format", { KV(UP, PAIRS, 4, 0, 1), PAIR }, LET_GO(NO_JOB) },
	{ "half a header", { KV(UP, PAIRS, 55, 0, 1), .cut = 14, .udp_len_more = -14, .ip_len_more = -14 }, REFUSED(RUNT) },
	{ "wrong checksum", { KV(UP, WEIR_KV_CPA | WEIR_KV_OPEN, 55, 0, 0), .csum = 1 }, REFUSED(CHECKSUM) },
	{ "another address", { KV(UP, PAIRS, 55, 0, 1), PAIR, .to = 2 }, LET_GO(NOT_LOCAL) },
};

/* Of format panama: tree 5 of job 3, and a tree 6 at another port. */
#define PANAMA(...) .job = 53, .panama = &(const struct panama_spec){ __VA_ARGS__ }

static const struct test panama_tests[] = {
	{ "a contribution", { PANAMA(), .count = 64 }, TAKEN },
	{ "one gradient", { PANAMA(), .count = 1 }, TAKEN },
	{ "256 gradients, QinQ", { PANAMA(), .count = 256, .vlans = 2 }, TAKEN },
	{ "IPv4 options", { PANAMA(), .count = 64, .options = 40 }, TAKEN },
	{ "padded frame", { PANAMA(), .count = 1, .pad = 6 }, TAKEN },
	{ "no checksum", { PANAMA(), .count = 64, .csum = 2 }, TAKEN },
	{ "FIN", { PANAMA(.flags = WEIR_PANAMA_FIN), .count = 64 }, TAKEN },
	{ "ECT(1)", { PANAMA(.ecn = 1), .count = 64 }, TAKEN },
	{ "ECT(0)", { PANAMA(.ecn = 2), .count = 64 }, TAKEN },
	{ "CE", { PANAMA(.ecn = 3), .count = 64 }, TAKEN },
	{ "a cwnd_cap", { PANAMA(.cap = 65535), .count = 64 }, TAKEN },

	{ "another DSCP", { PANAMA(.dscp = 1), .count = 64 }, PASSED },
	{ "no DSCP", { PANAMA(.dscp = -56), .count = 64 }, PASSED },
	{ "another DSCP, CE", { PANAMA(.dscp = -8, .ecn = 3), .count = 64 }, PASSED },
	{ "another DSCP, odd", { PANAMA(.dscp = -1), .count = 64, .csum = 1, .cut = 40 }, PASSED },
	{ "another DSCP, wrong header checksum", { PANAMA(.dscp = -1), .count = 64, .ip_csum = 1 },
	  PASSED },
	{ "IPv6", { PANAMA(), .count = 64, .ipv6 = true }, PASSED },
	{ "another port", { PANAMA(), .count = 64, .dport = 12057 }, PASSED },
	{ "TCP", { PANAMA(), .count = 64, .protocol = 6 }, PASSED },
	{ "later fragment", { PANAMA(), .count = 64, .fragment = 2 }, PASSED },

	{ "first fragment", { PANAMA(), .count = 64, .fragment = 1 }, LET_GO(FRAGMENT) },
	{ "another address", { PANAMA(), .count = 64, .to = 2 }, LET_GO(NOT_LOCAL) },
	{ "another address, odd", { PANAMA(.kind = 0x77), .count = 64, .to = 2 },
	  LET_GO(NOT_LOCAL) },
	{ "a frame for another host", { PANAMA(), .count = 64, .frame_to = 1 },
	  LET_GO(NOT_LOCAL) },
	{ "another tree", { PANAMA(.tree = -1), .count = 64 }, LET_GO(NO_JOB) },
	{ "a tree at another port", { PANAMA(.tree = 1), .count = 64 }, LET_GO(NO_JOB) },
	{ "another job's tree", { PANAMA(.job = 1), .count = 64 }, LET_GO(NO_JOB) },
	{ "a job of another format", { PANAMA(.job = -3, .tree = -1), .count = 64 },
	  LET_GO(NO_JOB) },
	{ "the tree after the last", { PANAMA(.job = -1, .tree = 16), .count = 64 },
	  LET_GO(NO_JOB) },
	{ "the job after the last", { PANAMA(.job = 16), .count = 64 }, LET_GO(NO_JOB) },
	{ "the right job, and 4096", { PANAMA(.job = 4096), .count = 64 }, LET_GO(NO_JOB) },

	{ "nothing", { PANAMA(), .cut = 16, .udp_len_more = -16, .ip_len_more = -16 },
	  REFUSED(RUNT) },
	{ "half a header", { PANAMA(), .cut = 8, .udp_len_more = -8, .ip_len_more = -8 },
	  REFUSED(RUNT) },
	{ "half a header, padded", { PANAMA(), .cut = 8, .udp_len_more = -8, .ip_len_more = -8,
				     .pad = 16 }, REFUSED(RUNT) },
	{ "no gradients", { PANAMA() }, REFUSED(LENGTH) },
	{ "half a gradient", { PANAMA(), .count = 3, .body = junk, .body_len = 14 },
	  REFUSED(LENGTH) },
	{ "a byte too many", { PANAMA(), .count = 2, .body = junk, .body_len = 9 },
	  REFUSED(LENGTH) },
	{ "UDP longer than IP", { PANAMA(), .count = 64, .udp_len_more = 4 }, REFUSED(LENGTH) },
	{ "UDP shorter than IP", { PANAMA(), .count = 64, .udp_len_more = -4 },
	  REFUSED(LENGTH) },
	{ "frame cut short", { PANAMA(), .count = 64, .cut = 40 }, REFUSED(LENGTH) },
	{ "frame cut in the header", { PANAMA(), .count = 1, .cut = 6 }, REFUSED(RUNT) },
	{ "more gradients than the job's", { PANAMA(), .count = 257 }, REFUSED(TOO_LONG) },
	{ "wrong checksum", { PANAMA(), .count = 64, .csum = 1 }, REFUSED(CHECKSUM) },
	{ "wrong header checksum", { PANAMA(), .count = 64, .ip_csum = 1 }, REFUSED(CHECKSUM) },
	{ "a result", { PANAMA(.kind = WEIR_PANAMA_DOWN), .count = 64 }, REFUSED(DIRECTION) },
	{ "a result of nothing", { PANAMA(.kind = WEIR_PANAMA_DOWN) }, REFUSED(DIRECTION) },
	{ "a result with flags", { PANAMA(.kind = WEIR_PANAMA_DOWN, .flags = 0xff), .count = 64 },
	  REFUSED(DIRECTION) },
	{ "a third direction", { PANAMA(.kind = 0x13), .count = 64 }, REFUSED(FLAGS) },
	{ "another version", { PANAMA(.kind = 0x21), .count = 64 }, REFUSED(FLAGS) },
	{ "another version's result", { PANAMA(.kind = 0x22), .count = 64 }, REFUSED(FLAGS) },
	{ "a flag that means nothing", { PANAMA(.flags = 0x05), .count = 64 }, REFUSED(FLAGS) },
	{ "a box's sum of two", { PANAMA(.flags = WEIR_PANAMA_BOX), .count = 64, .weight = 2 }, TAKEN },
	{ "a box's sum of none", { PANAMA(.flags = WEIR_PANAMA_BOX), .count = 64, .weight = -1 },
	  REFUSED(WEIGHT) },
	{ "of two sources", { PANAMA(), .count = 64, .weight = 2 }, REFUSED(WEIGHT) },
	{ "of 257 sources", { PANAMA(), .count = 64, .weight = 257 }, REFUSED(WEIGHT) },
	{ "of none", { PANAMA(), .count = 64, .weight = -1 }, REFUSED(WEIGHT) },
	{ "a worker too many", { PANAMA(), .count = 64, .source = 2 }, REFUSED(NO_SOURCE) },
	{ "another's rank", { PANAMA(), .count = 64, .host = 2 }, REFUSED(SPOOFED) },
	{ "an old round", { PANAMA(), .count = 64, .generation = 65535 }, REFUSED(GENERATION) },
	{ "a VID far ahead", { PANAMA(), .count = 64, .block_more = 2000 }, REFUSED(AHEAD) },
};

/* Checks the counters' changes; reports others on a '#' line. */
static bool counters_fit(const struct test *t, const struct counters *before,
			 const struct counters *after)
{
	uint64_t want, got;
	bool ok = true;
	int i;

	for (i = 1; i <= WEIR_REASON_MAX; i++) {
		want = i == t->reason;
		got = after->refused[i] - before->refused[i];
		if (got != want) {
			printf("# reason %d: %llu more, not %llu\n", i,
			       (unsigned long long)got,
			       (unsigned long long)want);
			ok = false;
		}
	}
	got = after->stat[WEIR_A_STATS_CONTRIBUTIONS] -
	      before->stat[WEIR_A_STATS_CONTRIBUTIONS];
	if (got != t->taken) {
		printf("# %llu contributions\n", (unsigned long long)got);
		ok = false;
	}
	got = after->stat[WEIR_A_STATS_QUERIES] -
	      before->stat[WEIR_A_STATS_QUERIES];
	if (got != t->queried) {
		printf("# %llu queries\n", (unsigned long long)got);
		ok = false;
	}
	return ok;
}

static void test_table(enum hook hook, const char *format, const struct test *table,
		       size_t count)
{
	static int32_t grads[WEIR_GRADS_MAX];
	static uint8_t frame[PACKET_MAX];
	struct counters before, after;
	const struct test *t;
	bool same = false, ok;
	int verdict, want;
	size_t len;

	for (t = table; t < table + count; t++) {
		struct packet_spec spec = t->spec;

		spec.block = next_block++ + spec.block_more;
		grads[0] = spec.block;
		spec.grads = grads;
		len = packet_build(&spec, frame);
		counters_read(&before);
		verdict = run(hook, frame, len, 0, &same);
		counters_read(&after);
		want = t->pass ? verdict_pass[hook] : verdict_drop[hook];
		ok = counters_fit(t, &before, &after);
		if (verdict != want) {
			printf("# verdict %d, not %d\n", verdict, want);
			ok = false;
		}
		if (t->pass && !same) {
			puts("# the frame was changed");
			ok = false;
		}
		ktap_ok(ok, "%s: %s%s", hook_name[hook], format, t->name);
	}
}

static int udp_socket(bool ipv6, int host)
{
	struct sockaddr_in6 a6 = { .sin6_family = AF_INET6,
				   .sin6_port = htons(12000) };
	struct sockaddr_in a4 = { .sin_family = AF_INET,
				  .sin_port = htons(12000) };
	char text[64];
	int fd = socket(ipv6 ? AF_INET6 : AF_INET, SOCK_DGRAM, 0), ret;

	snprintf(text, sizeof(text), ipv6 ? "fd99::%d" : "10.99.0.%d", host);
	inet_pton(ipv6 ? AF_INET6 : AF_INET, text,
		  ipv6 ? (void *)&a6.sin6_addr : (void *)&a4.sin_addr);
	ret = ipv6 ? bind(fd, (void *)&a6, sizeof(a6)) :
		     bind(fd, (void *)&a4, sizeof(a4));
	if (fd < 0 || ret)
		err(1, "socket for %s", text);
	return fd;
}

/*
 * A result as a worker gets it, the kernel having verified its checksum. Reports mistakes
 * on a '#' line.
 */
static bool result_fits(int fd, const struct packet_spec *spec,
			const int64_t *sum, int flags)
{
	static uint8_t buf[PACKET_MAX];
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct weir_trio *hdr = (struct weir_trio *)buf;
	uint32_t block = htonl(spec->block), g;
	int more = spec->has_exponent ? 4 : 0, i, n;

	if (poll(&p, 1, 5000) != 1) {
		puts("# no result came");
		return false;
	}
	n = recv(fd, buf, sizeof(buf), 0);
	if (n != (int)sizeof(*hdr) + more + spec->count * 4) {
		printf("# the result has %d bytes\n", n);
		return false;
	}
	if (hdr->job_id != spec->job || memcmp(hdr->block_id, &block, 4) ||
	    hdr->flags != flags || hdr->src_cnt != SOURCES ||
	    (hdr->grad_cnt[0] << 8 | hdr->grad_cnt[1]) !=
	    (spec->count | WEIR_TRIO_DOWN | (more ? WEIR_TRIO_EXPONENT : 0))) {
		puts("# the result's header is wrong");
		return false;
	}
	memcpy(&g, buf + sizeof(*hdr), 4);
	if (more && (int32_t)ntohl(g) != spec->exponent) {
		printf("# the exponent is %d\n", (int32_t)ntohl(g));
		return false;
	}
	for (i = 0; i < spec->count; i++) {
		memcpy(&g, buf + sizeof(*hdr) + more + 4 * i, 4);
		if (ntohl(g) != (uint32_t)sum[i]) {
			printf("# gradient %d: %d, not %lld\n", i,
			       (int)ntohl(g), (long long)sum[i]);
			return false;
		}
	}
	return true;
}

static bool contribute(enum hook hook, const struct packet_spec *spec)
{
	static uint8_t frame[PACKET_MAX];
	size_t len = packet_build(spec, frame);
	bool same;
	int verdict = run(hook, frame, len, 0, &same);

	if (verdict != verdict_drop[hook])
		printf("# verdict %d\n", verdict);
	return verdict == verdict_drop[hook];
}

/*
 * Checks the sum of two contributions of @count gradients made by @grad. Where they have
 * an exponent, @spec's is the larger one, of the first.
 */
static void test_sum(enum hook hook, const char *name, struct packet_spec spec,
		     int32_t (*grad)(int source, int i), int flags)
{
	static int32_t grads[SOURCES][WEIR_GRADS_MAX];
	static int64_t sum[WEIR_GRADS_MAX];
	int32_t exponent = spec.exponent;
	int fd[SOURCES], i, s;
	bool ok = true;

	memset(sum, 0, sizeof(sum));
	spec.block = next_block++;
	for (s = 0; s < SOURCES; s++) {
		fd[s] = udp_socket(spec.ipv6, s + 1);
		for (i = 0; i < spec.count; i++) {
			grads[s][i] = grad(s, i);
			sum[i] += grads[s][i];
		}
	}
	for (s = 0; s < SOURCES; s++) {
		spec.source = s;
		spec.grads = grads[s];
		spec.exponent = exponent - 5 * s;
		ok &= contribute(hook, &spec);
	}
	spec.exponent = exponent;
	for (s = 0; s < SOURCES; s++) {
		ok = ok && result_fits(fd[s], &spec, sum, flags);
		close(fd[s]);
	}
	ktap_ok(ok, "%s: sum: %s", hook_name[hook], name);
}

static int32_t grad_random(int source, int i)
{
	(void)source, (void)i;
	return (random() - random()) / 2;
}

static int32_t grad_small(int source, int i)
{
	return (source ? -1 : 3) * i;
}

/* Large, but no sum leaves int32: the flag must stay off. */
static int32_t grad_edge(int source, int i)
{
	return i & 1 ? (source ? 0 : INT32_MIN) :
		       (source ? 1 : INT32_MAX - 1);
}

/* One sum of all is one too large, at the very end. */
static int32_t grad_over(int source, int i)
{
	return i == 36 ? (source ? 1 : INT32_MAX) : i;
}

static int32_t grad_under(int source, int i)
{
	return i == 0 ? (source ? INT32_MIN : -1) : i;
}

static void test_sums(enum hook hook)
{
	static const int counts[] = { 1, 7, 8, 63, 64, 65, 173, 256, 850 };
	/* Longer ones come in fragments, which a tc test run cannot make. */
	static const int long_counts[] = { 1023, 1024, 1025, 2047, 2048 };
	char name[64];
	unsigned int i;

	for (i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		snprintf(name, sizeof(name), "%d gradients", counts[i]);
		test_sum(hook, name, (struct packet_spec){
			 V4, .count = counts[i] }, grad_random,
			 0);
		snprintf(name, sizeof(name), "%d gradients, IPv6", counts[i]);
		test_sum(hook, name, (struct packet_spec){
			 V6, .count = counts[i] }, grad_small, 0);
	}
	for (i = 0; hook == HOOK_XDP &&
		    i < sizeof(long_counts) / sizeof(*long_counts); i++) {
		snprintf(name, sizeof(name), "%d gradients in fragments",
			 long_counts[i]);
		test_sum(hook, name, (struct packet_spec){
			 V4, .count = long_counts[i] }, grad_small, 0);
		snprintf(name, sizeof(name), "%d gradients across them",
			 long_counts[i]);
		test_sum(hook, name, (struct packet_spec){
			 V6, .count = long_counts[i], .exthdrs = 1, .vlans = 1,
			 }, grad_edge, 0);
	}
	test_sum(hook, "with an exponent", (struct packet_spec){
		 V4, .count = 100, .has_exponent = true, .exponent = 7 }, grad_small,
		 WEIR_TRIO_UNLIKE);
	test_sum(hook, "with exponents below 0", (struct packet_spec){
		 V6, .count = 300, .has_exponent = true, .exponent = -3 }, grad_small,
		 WEIR_TRIO_UNLIKE);
	test_sum(hook, "nearly too large", (struct packet_spec){
		 V4, .count = 100 }, grad_edge, 0);
	test_sum(hook, "one too large", (struct packet_spec){
		 V4, .count = 37 }, grad_over, WEIR_TRIO_OVERFLOW);
	test_sum(hook, "one too large, vector", (struct packet_spec){
		 V4, .count = 128 }, grad_over, WEIR_TRIO_OVERFLOW);
	test_sum(hook, "one too small", (struct packet_spec){
		 V4, .count = 128 }, grad_under, WEIR_TRIO_OVERFLOW);
}

/* Each source asks for a block on the way, so that both may soon come to @block. */
static void show_both(enum hook hook, uint32_t block)
{
	struct packet_spec spec = { V4 };
	int i;

	for (i = 0; i < 4; i++) {
		spec.source = i & 1;
		spec.block = block - (4 - i) * 200;
		contribute(hook, &spec);
	}
}

/* Duplicates, a repeated question, stale and too early blocks. */
static void test_order(enum hook hook)
{
	struct packet_spec spec = { V4, .count = 64, .block = 0 };
	static const int64_t zero[64];
	struct counters c[6];
	bool ok;
	int fd;

	spec.block = next_block++;
	counters_read(&c[0]);
	contribute(hook, &spec);
	contribute(hook, &spec);
	counters_read(&c[1]);
	ktap_ok(c[1].refused[WEIR_REASON_DUPLICATE] -
		c[0].refused[WEIR_REASON_DUPLICATE] == 1 &&
		c[1].stat[WEIR_A_STATS_CONTRIBUTIONS] -
		c[0].stat[WEIR_A_STATS_CONTRIBUTIONS] == 1,
		"%s: a duplicate counts once", hook_name[hook]);

	show_both(hook, spec.block + 1024);
	fd = udp_socket(false, 1);
	spec.block += 1024;
	contribute(hook, &spec);
	counters_read(&c[2]);
	ktap_ok(c[2].refused[WEIR_REASON_BUSY] -
		c[1].refused[WEIR_REASON_BUSY] == 1,
		"%s: an open block keeps its slot", hook_name[hook]);

	spec.block -= 1024;
	spec.count = 63;
	spec.source = 1;
	contribute(hook, &spec);
	counters_read(&c[3]);
	ktap_ok(c[3].refused[WEIR_REASON_COUNT] -
		c[2].refused[WEIR_REASON_COUNT] == 1,
		"%s: all contributions to a block are equally long",
		hook_name[hook]);

	spec.count = 64;
	contribute(hook, &spec);
	spec.source = 0;
	ok = result_fits(fd, &spec, zero, 0);
	contribute(hook, &spec);
	ok &= result_fits(fd, &spec, zero, 0);
	counters_read(&c[4]);
	ktap_ok(ok && c[4].stat[WEIR_A_STATS_REPEATS] -
		c[3].stat[WEIR_A_STATS_REPEATS] == 1,
		"%s: a complete block is answered again", hook_name[hook]);

	spec.block -= 1024;
	contribute(hook, &spec);
	counters_read(&c[5]);
	ktap_ok(c[5].refused[WEIR_REASON_STALE] -
		c[4].refused[WEIR_REASON_STALE] == 1,
		"%s: a block of the past is refused", hook_name[hook]);
	close(fd);
}

/* Descriptors and calls of the wrong form are refused, also when merged. */
static void test_merged(void)
{
	static uint8_t frame[PACKET_MAX];
	int32_t grads[3 * 64 + 2 * 3] = {};
	struct packet_spec spec = { V4, .count = 64, .csum = 2 };
	struct counters before, after;
	struct weir_trio hdr;
	uint8_t *next;
	bool same;
	size_t len;
	int i;

	/*
	 * Three datagrams in one, the headers of the later two within the
	 * payload of the first. Their last gradients are 0, where a checksum
	 * of "none" is looked for.
	 */
	spec.grads = grads;
	spec.count = 3 * 64 + 2 * 3;
	spec.block = next_block;
	len = packet_build(&spec, frame);
	next = frame + 14 + 20 + 8;
	memcpy(&hdr, next, sizeof(hdr));
	hdr.grad_cnt[0] = 0;
	hdr.grad_cnt[1] = 64;
	for (i = 0; i < 3; i++) {
		hdr.block_id[3] = next_block++;
		memcpy(next + i * (12 + 256), &hdr, sizeof(hdr));
	}
	counters_read(&before);
	i = run(HOOK_TC, frame, len, 12 + 256, &same);
	counters_read(&after);
	ktap_ok(i == verdict_drop[HOOK_TC] &&
		after.stat[WEIR_A_STATS_CONTRIBUTIONS] -
		before.stat[WEIR_A_STATS_CONTRIBUTIONS] == 3 &&
		after.stat[WEIR_A_STATS_GRADIENTS] -
		before.stat[WEIR_A_STATS_GRADIENTS] == 192,
		"tc: three datagrams merged into one packet");
}

/* Of SwitchML likewise: a header a datagram. */
static void test_merged_switchml(void)
{
	static const uint8_t head[] = { 0x11, 200, 0, 0, 0, 0, 0, 100, 0, 0 };
	static uint8_t frame[PACKET_MAX], body[3 * 266];
	struct packet_spec spec = {
		.head = head, .head_len = sizeof(head), .dport = WEIR_PORT_SWITCHML, .csum = 2,
		.body = body, .body_len = sizeof(body) - sizeof(head),
	};
	struct counters before, after;
	bool same;
	size_t len;
	int i;

	for (i = 1; i < 3; i++) {
		uint8_t *next = body + i * 266 - sizeof(head);

		memcpy(next, head, sizeof(head));
		next[2] = i;		/* packet */
		next[7] += i;		/* slot */
	}
	len = packet_build(&spec, frame);
	counters_read(&before);
	i = run(HOOK_TC, frame, len, 266, &same);
	counters_read(&after);
	ktap_ok(i == verdict_drop[HOOK_TC] &&
		after.stat[WEIR_A_STATS_CONTRIBUTIONS] -
		before.stat[WEIR_A_STATS_CONTRIBUTIONS] == 3,
		"tc: three datagrams of SwitchML merged into one packet");
}

/*
 * A join is of format trio, whatever its port's is; the datagram behind it is of the port's. The
 * job answers the join with its own format.
 */
static void test_merged_join(void)
{
	static const uint8_t join[44] = { [0] = 20, [5] = WEIR_TRIO_CONTROL, [7] = 1 };
	static uint8_t frame[PACKET_MAX], lab[44] = { [3] = 1, [7] = 9 };
	struct packet_spec spec = {
		.head = join, .head_len = sizeof(join), .dport = 8000, .csum = 2,
		.body = lab, .body_len = sizeof(lab),
	};
	struct counters before, after;
	bool same;
	size_t len;
	int i;

	len = packet_build(&spec, frame);
	counters_read(&before);
	i = run(HOOK_TC, frame, len, sizeof(join), &same);
	counters_read(&after);
	ktap_ok(i == verdict_drop[HOOK_TC] &&
		after.refused[WEIR_REASON_JOIN] - before.refused[WEIR_REASON_JOIN] == 1 &&
		after.stat[WEIR_A_STATS_CONTRIBUTIONS] -
		before.stat[WEIR_A_STATS_CONTRIBUTIONS] == 1,
		"tc: a join and a datagram of another format merged into one packet");
}

/* A packet that claims more datagrams than any kernel merges is counted once. */
static void test_merged_of_too_many(void)
{
	static uint8_t frame[PACKET_MAX];
	struct packet_spec spec = { V4, .count = 400, .csum = 2 };
	struct counters before, after;
	size_t len = packet_build(&spec, frame);
	bool same;
	int verdict;

	counters_read(&before);
	verdict = run(HOOK_TC, frame, len, 12, &same);
	counters_read(&after);
	ktap_ok(verdict == verdict_drop[HOOK_TC] &&
		after.refused[WEIR_REASON_MERGED] -
		before.refused[WEIR_REASON_MERGED] == 1,
		"tc: more datagrams in a packet than are ever merged");
}

/* Without a port the packet goes on its way. */
static void test_no_port(enum hook hook)
{
	static uint8_t frame[PACKET_MAX];
	struct packet_spec spec = { V4, .count = 64, .block = next_block++ };
	struct counters before, after;
	bool same = false;
	size_t len = packet_build(&spec, frame);
	int verdict;

	counters_read(&before);
	verdict = run(hook, frame, len, 0, &same);
	counters_read(&after);
	ktap_ok(verdict == verdict_pass[hook] && same &&
		after.refused[WEIR_REASON_NO_PORT] -
		before.refused[WEIR_REASON_NO_PORT] == 1,
		"%s: a device that is no port", hook_name[hook]);
}

int main(void)
{
	enum hook hook;

	ktap_header();
	setup();
	load();
	fresh_jobs();
	for (hook = 0; hook < HOOKS; hook++)
		test_no_port(hook);
	/* The programs are run by hand; lo is only to be a port. */
	sh("weir port attach dev lo mode tc udp 11999");
	for (hook = 0; hook < HOOKS; hook++) {
		fresh_jobs();
		test_table(hook, "", tests, sizeof(tests) / sizeof(*tests));
		test_table(hook, "lab: ", lab_tests, sizeof(lab_tests) / sizeof(*lab_tests));
		test_table(hook, "panama: ", panama_tests,
			   sizeof(panama_tests) / sizeof(*panama_tests));
		test_table(hook, "kv: ", kv_tests, sizeof(kv_tests) / sizeof(*kv_tests));
		test_sums(hook);
		test_order(hook);
	}
	test_merged();
	test_merged_switchml();
	test_merged_join();
	test_merged_of_too_many();
	return ktap_end();
}

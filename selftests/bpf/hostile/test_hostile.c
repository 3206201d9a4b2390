// SPDX-License-Identifier: GPL-2.0
/*
 * A BPF program hands the module a descriptor in a map, and it is changed when the module
 * is half way through with it. The module has to use the values that it has checked.
 * Where it does not, the kernel dies, or the packet is not taken. And a program asks for
 * a struct of another size than the module's.
 *
 * Works in a network namespace of its own; the module must be loaded.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <err.h>
#include <linux/bpf.h>
#include <net/if.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include <weir.h>
#include <weir_bpf.h>

#include "bpf/hostile.skel.h"
#include "ktap.h"
#include "packet.h"

#define CALLS	100
#define GRADS	16
#define DATAGRAM	(12 + 4 * GRADS)

static void sh(const char *cmd)
{
	if (system(cmd))
		errx(1, "cannot set up: %s", cmd);
}

/* One source, so that each contribution is a block. */
static void setup(void)
{
	if (unshare(CLONE_NEWNET))
		err(1, "unshare");
	sh("ip link set lo up");
	sh("for i in 1 254; do ip addr add 10.99.0.$i/24 dev lo; done");
	sh("weir port attach dev lo mode tc udp 11999");
	sh("weir job add id 4 sources 1 blocks 64 grads 16 address 10.99.0.254");
	sh("weir source add job 4 id 0 address 10.99.0.1");
	sh("ip link add port0 type dummy");
	sh("ip link set port0 up");
	sh("weir trim set dev port0 hook qdisc rule proto=udp dscp 45 limit 16kb");
}

static struct hostile_bpf *load(void)
{
	struct hostile_bpf *hostile = hostile_bpf__open_and_load();

	if (!hostile)
		err(1, "load BPF object");
	if (hostile_bpf__attach(hostile))
		err(1, "attach to the module's functions");
	return hostile;
}

/* Each round is a generation of its own, as its blocks begin anew. */
static struct weir_contrib describe(void)
{
	static uint16_t generation;

	return (struct weir_contrib) {
		.saddr		= { 0, 0, htonl(0xffff), inet_addr("10.99.0.1") },
		.daddr		= { 0, 0, htonl(0xffff), inet_addr("10.99.0.254") },
		.block		= UINT32_MAX,
		.job		= 4,
		.generation	= generation++,
		.weight		= 1,
		.count		= GRADS,
		.udp_off	= 34,
		.udp_len	= 8 + DATAGRAM,
		.payload_off	= 34 + 8 + 12,
		.sport		= 12000,
		.dport		= 12000,
		.format		= WEIR_FORMAT_TRIO,
	};
}

/* Runs a program on a packet, which is merged of datagrams of so many bytes; 0 for a plain one. */
static int run(struct hostile_bpf *hostile, const struct bpf_program *program,
	       unsigned int gso_size)
{
	/* Nobody has checked the checksum here, and of a merged packet the module cannot. */
	struct packet_spec spec = { .job = 4, .count = GRADS, .csum = gso_size ? 2 : 3 };
	struct __sk_buff skb = { .gso_size = gso_size };
	static uint8_t frame[PACKET_MAX];
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .repeat = CALLS);

	opts.data_size_in = packet_build(&spec, frame);
	if (gso_size) {
		opts.ctx_in = &skb;
		opts.ctx_size_in = sizeof(skb);
	}
	hostile->bss->right = describe();
	hostile->bss->taken = 0;
	hostile->bss->changed = 0;
	return bpf_prog_test_run_opts(bpf_program__fd(program), &opts);
}

static void attack(struct hostile_bpf *hostile, const struct bpf_program *program,
		   unsigned int gso_size)
{
	int ret = run(hostile, program, gso_size);

	printf("# %llu of %u calls taken, changed %llu times\n",
	       (unsigned long long)hostile->bss->taken, CALLS,
	       (unsigned long long)hostile->bss->changed);
	ktap_ok(!ret && hostile->bss->taken == CALLS &&
		hostile->bss->changed >= CALLS,
		"%s, changed under way", bpf_program__name(program));
}

static void lie(struct hostile_bpf *hostile, const struct bpf_program *program,
		unsigned int gso_size)
{
	int ret = run(hostile, program, gso_size);

	ktap_ok(!ret && hostile->bss->taken == CALLS, "%s: datagrams of %u bytes",
		bpf_program__name(program), gso_size);
}

/* Of each struct that which is as long as the module's, and no other. */
static void sizes(struct hostile_bpf *hostile, const struct bpf_program *program)
{
	struct packet_spec spec = { .job = 4, .count = GRADS, .csum = 3 };
	static uint8_t frame[PACKET_MAX];
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame);
	int ret;

	opts.data_size_in = packet_build(&spec, frame);
	hostile->bss->port = if_nametoindex("port0");
	hostile->bss->given = 0;
	ret = bpf_prog_test_run_opts(bpf_program__fd(program), &opts);
	printf("# %#x handed out\n", hostile->bss->given);
	ktap_ok(!ret && hostile->bss->given == 0x11,
		"%s: structs of another size are not handed out",
		bpf_program__name(program));
}

int main(void)
{
	struct hostile_bpf *hostile;

	ktap_header();
	setup();
	hostile = load();
	/* The module reads the datagram's own generation, which is the first. */
	attack(hostile, hostile->progs.hostile_contribute_merged_skb, DATAGRAM);
	attack(hostile, hostile->progs.hostile_contribute_xdp, 0);
	attack(hostile, hostile->progs.hostile_contribute_skb, 0);
	attack(hostile, hostile->progs.hostile_refuse_xdp, 0);
	attack(hostile, hostile->progs.hostile_refuse_skb, 0);
	lie(hostile, hostile->progs.hostile_lie_merged_skb, 1);
	lie(hostile, hostile->progs.hostile_lie_merged_skb, DATAGRAM);
	lie(hostile, hostile->progs.hostile_lie_merged_skb, 65535);
	sizes(hostile, hostile->progs.hostile_sizes_xdp);
	sizes(hostile, hostile->progs.hostile_sizes_skb);
	return ktap_end();
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Runs the programs that trim on the table of packets: when there is room, when
 * there is room for headers, and when there is none. Each must come out with the
 * very bytes that are expected, and with all counters as they must be.
 *
 * Works in a network namespace of its own; the module must be loaded.
 */
#define _GNU_SOURCE
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <err.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <linux/pkt_cls.h>
#include <net/if.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <weir_trim_nl.h>

#include "bpf/ktap.h"
#include "bpf/weir_forward.skel.h"
#include "bpf/weir_trim.skel.h"
#include "cases.h"
#include "policy.h"

enum hook { XDP, TC, HOOKS };
enum room { ALL, HEADERS, NONE, ROOMS };

static const char *const hook_name[HOOKS] = { "xdp", "tc" };
static const char *const room_name[ROOMS] = { "room", "headers", "full" };

/* The devices that frames leave by, and that they come in by. */
static unsigned int egress[HOOKS], ingress[HOOKS];
static int program[HOOKS];

/* The longest frame in a test run of a tc program. */
#define TC_MAX		3400
#define PRIORITY	6

static void sh(const char *cmd)
{
	if (system(cmd))
		errx(1, "cannot set up: %s", cmd);
}

static unsigned int index_of(const char *name)
{
	unsigned int ifindex = if_nametoindex(name);

	if (!ifindex)
		err(1, "%s", name);
	return ifindex;
}

/* The bridge gets an entry for the frames' receiver. */
static void station(void)
{
	const uint8_t *to = trim_mac_to;
	char cmd[128];

	snprintf(cmd, sizeof(cmd),
		 "bridge fdb add %02x:%02x:%02x:%02x:%02x:%02x dev weir-x master static",
		 to[0], to[1], to[2], to[3], to[4], to[5]);
	sh(cmd);
}

static void setup(void)
{
	if (unshare(CLONE_NEWNET))
		err(1, "unshare");
	sh("ip link set lo up");
	sh("ip link add weir-x mtu 9200 up type veth peer name weir-y mtu 9200");
	sh("ip link add weir-t mtu 9200 up type veth peer name weir-e mtu 9200");
	sh("ip link set weir-y up && ip link set weir-e up");
	/* A veth takes redirected frames where its other end polls. */
	sh("ethtool -K weir-y gro on");
	/* Senders are not looked at, as the bridge learns nothing from them. */
	sh("ip link add weir-i mtu 9200 up type veth peer name weir-j mtu 9200");
	sh("ip link set weir-j up");
	sh("ip link add weir-b up type bridge forward_delay 0 mcast_snooping 0");
	sh("ip link set weir-i master weir-b && ip link set weir-x master weir-b");
	sh("bridge link set dev weir-i learning off");
	station();
	egress[XDP] = index_of("weir-x");
	egress[TC] = index_of("weir-t");
	ingress[XDP] = index_of("weir-i");
	ingress[TC] = index_of("weir-e");
}

static void load(void)
{
	struct weir_forward_bpf *forward = weir_forward_bpf__open_and_load();
	struct weir_trim_bpf *trim = weir_trim_bpf__open_and_load();

	if (!forward || !trim)
		err(1, "load BPF objects");
	program[XDP] = bpf_program__fd(forward->progs.weir_forward);
	program[TC] = bpf_program__fd(trim->progs.weir_trim);
	/* A veth has a receive queue that a test run can come in by while it has a program. */
	if (bpf_xdp_attach(ingress[XDP], program[XDP], XDP_FLAGS_DRV_MODE, NULL))
		err(1, "XDP");
}

/**
 * struct outcome - the fate of a frame
 * @verdict: of the program
 * @frame: as it came out
 * @len: bytes of it
 * @priority: of the packet, tc only
 */
struct outcome {
	int verdict;
	uint8_t frame[TRIM_FRAME_MAX];
	size_t len;
	uint32_t priority;
};

static bool run(enum hook hook, const uint8_t *frame, size_t len, int gso_size,
		struct outcome *o)
{
	struct xdp_md from = { .ingress_ifindex = ingress[XDP], .data_end = len };
	struct __sk_buff in = { .ifindex = egress[TC],
				.ingress_ifindex = ingress[TC],
				.gso_size = gso_size }, out = {};
	LIBBPF_OPTS(bpf_test_run_opts, opts,
		    .data_in = frame, .data_size_in = len,
		    .data_out = o->frame, .data_size_out = sizeof(o->frame),
		    .repeat = 1);

	if (hook == TC) {
		opts.ctx_in = &in;
		opts.ctx_size_in = sizeof(in);
		opts.ctx_out = &out;
		opts.ctx_size_out = sizeof(out);
	} else {
		opts.ctx_in = &from;
		opts.ctx_size_in = sizeof(from);
	}
	if (bpf_prog_test_run_opts(program[hook], &opts)) {
		printf("# test run: %s\n", strerror(errno));
		return false;
	}
	o->verdict = opts.retval;
	o->len = opts.data_size_out;
	o->priority = out.priority;
	return true;
}

/* tc has no way back, so nothing that comes is on it. */
static int class_of(enum hook hook, const struct trim_case *c)
{
	if (hook == TC && (c->class == WEIR_TRIM_RETURNED ||
			   c->spec.dscp == TRIM_RETURN))
		return WEIR_TRIM_OTHER;
	return c->class;
}

static bool goes_back(enum hook hook, const struct trim_case *c)
{
	return hook == XDP && c->spec.segments < 2 && (c->class == WEIR_TRIM_DATA ||
	       (c->class == WEIR_TRIM_HEADER && !(c->spec.ndp & 0x0e)));
}

/* A rate at which the queue stays as it is filled, for as long as a test may take. */
static void set_room(enum hook hook, enum room room, const struct trim_case *c)
{
	const struct policy p = {
		.hook		= hook == XDP ? WEIR_TRIM_HOOK_XDP :
						WEIR_TRIM_HOOK_TC,
		.size		= c->size ? c->size : WEIR_TRIM_SIZE_DEFAULT,
		.keep		= c->keep,
		.returns	= hook == XDP,
		.rate		= WEIR_TRIM_RATE_MIN,
		.limit		= room == ALL ? 1 << 30 : 1,
		.header_time	= room == HEADERS ? 4000000000u : 1,
		.priority	= hook == TC ? PRIORITY : 0,
	};
	const struct policy edge = { .hook = WEIR_TRIM_HOOK_NONE,
				     .edge = c->edge };

	policy_set(egress[hook], &p);
	policy_set(ingress[hook], &edge);
}

/* A long packet, so that the queue is not empty. */
static bool fill(enum hook hook)
{
	static const struct trim_spec filler = { .dscp = -1, .payload = 1400 };
	uint8_t frame[TRIM_FRAME_MAX];
	struct outcome o;

	return run(hook, frame, trim_build(&filler, frame), 0, &o);
}

/* A bridge says a moment later that its ports forward. */
static void wait_for_bridge(void)
{
	static const struct trim_case c = { .spec = { .payload = 1400 } };
	const struct timespec moment = { .tv_nsec = 10000000 };
	uint8_t frame[TRIM_FRAME_MAX];
	struct outcome o = {};
	int i;

	set_room(XDP, ALL, &c);
	for (i = 0; i < 6000; i++) {
		if (!run(XDP, frame, trim_build(&c.spec, frame), 0, &o))
			break;
		if (o.verdict == XDP_REDIRECT)
			return;
		nanosleep(&moment, NULL);
	}
	errx(1, "the bridge does not forward: the verdict is %d", o.verdict);
}

/* Checks the frame and the counters. */
static void expect(enum hook hook, enum room room, const struct trim_case *c,
		   struct outcome *want, uint64_t *count)
{
	size_t len = trim_build(&c->spec, want->frame);

	want->len = len;
	want->verdict = hook == XDP ? XDP_REDIRECT : TC_ACT_UNSPEC;
	want->priority = 0;
	switch (class_of(hook, c)) {
	case WEIR_TRIM_DATA:
		if (room == ALL) {
			count[WEIR_TRIM_C_WHOLE]++;
			count[WEIR_TRIM_C_WHOLE_BYTES] += len;
			return;
		}
		want->len = trim_build_trimmed(c, want->frame);
		want->priority = hook == TC ? PRIORITY : 0;
		count[WEIR_TRIM_C_TRIM]++;
		count[WEIR_TRIM_C_TRIM_BYTES] += len - want->len;
		count[WEIR_TRIM_C_SHORT] += len == want->len;
		if (room == HEADERS)
			count[WEIR_TRIM_C_TX_TRIM]++;
		else if (goes_back(hook, c))
			count[WEIR_TRIM_C_RETURNED]++;
		else
			count[WEIR_TRIM_C_DROPPED_TRIM]++;
		break;
	case WEIR_TRIM_HEADER:
	case WEIR_TRIM_RETURNED:
	case WEIR_TRIM_CONTROL:
		want->priority = hook == TC ? PRIORITY : 0;
		count[WEIR_TRIM_C_HEADERS]++;
		count[WEIR_TRIM_C_HEADERS_DROPPED] += room == NONE;
		break;
	case WEIR_TRIM_UNTRUSTED:
		want->len = trim_build_unmarked(c, want->frame);
		count[WEIR_TRIM_C_UNTRUSTED]++;
		count[WEIR_TRIM_C_OTHER]++;
		return;
	default:
		count[WEIR_TRIM_C_OTHER]++;
		return;
	}
	if (room == NONE && goes_back(hook, c)) {
		want->len = trim_build_returned(c, want->frame);
		want->verdict = XDP_TX;
	} else if (room == NONE) {
		want->verdict = hook == XDP ? XDP_DROP : TC_ACT_SHOT;
	}
}

static bool counters_fit(const uint64_t *before, const uint64_t *after,
			 const uint64_t *more)
{
	bool ok = true;
	int i;

	for (i = 0; i < WEIR_TRIM_C_MAX; i++) {
		if (after[i] - before[i] == more[i])
			continue;
		printf("# counter %d: %llu more, not %llu\n", i,
		       (unsigned long long)(after[i] - before[i]),
		       (unsigned long long)more[i]);
		ok = false;
	}
	return ok;
}

static bool outcome_fits(const struct outcome *got, const struct outcome *want)
{
	bool ok = true;

	if (got->verdict != want->verdict) {
		printf("# verdict %d, not %d\n", got->verdict, want->verdict);
		ok = false;
	}
	if (want->verdict == XDP_DROP || want->verdict == TC_ACT_SHOT)
		return ok;
	if (got->priority != want->priority) {
		printf("# priority %u, not %u\n", got->priority, want->priority);
		ok = false;
	}
	return trim_same(got->frame, got->len, want->frame, want->len) && ok;
}

static void test_case(enum hook hook, enum room room, const struct trim_case *c)
{
	uint64_t before[WEIR_TRIM_C_MAX], after[WEIR_TRIM_C_MAX];
	uint64_t more[WEIR_TRIM_C_MAX] = {};
	static struct outcome got, want;
	uint8_t frame[TRIM_FRAME_MAX];
	size_t len = trim_build(&c->spec, frame);
	bool ok;

	/* A test run of a tc program takes no long frames, and no half IP headers. */
	if (hook == TC && (len > TC_MAX || len < (c->spec.ipv6 ? 54 : 34)))
		return;
	set_room(hook, room, c);
	ok = room == ALL || fill(hook);
	policy_counters(egress[hook], before);
	ok = ok && run(hook, frame, len, 0, &got);
	policy_counters(egress[hook], after);
	expect(hook, room, c, &want, more);
	/* The bridge has no way for groups, and VLANs of 802.1Q only. */
	if (hook == XDP && (c->spec.multicast || c->spec.vlans > 1)) {
		want.verdict = XDP_PASS;
		memset(more, 0, sizeof(more));
	}
	ok = ok && outcome_fits(&got, &want) && counters_fit(before, after, more);
	ktap_ok(ok, "%s, %s: %s", hook_name[hook], room_name[room], c->name);
}

/* A merged packet goes on whole, and takes the room of all its segments. */
static void test_merged(void)
{
	static const struct trim_case c = { .spec = { .payload = 2400 } };
	uint64_t before[WEIR_TRIM_C_MAX], after[WEIR_TRIM_C_MAX];
	uint64_t more[WEIR_TRIM_C_MAX] = { [WEIR_TRIM_C_MERGED] = 1 };
	static struct outcome got, want = { .verdict = TC_ACT_UNSPEC };
	uint8_t frame[TRIM_FRAME_MAX];
	size_t len = trim_build(&c.spec, frame);
	bool ok;

	want.len = trim_build(&c.spec, want.frame);
	set_room(TC, HEADERS, &c);
	fill(TC);
	policy_counters(egress[TC], before);
	ok = run(TC, frame, len, 1200, &got);
	policy_counters(egress[TC], after);
	ktap_ok(ok && outcome_fits(&got, &want) &&
		counters_fit(before, after, more), "tc: a merged packet");
}

/* A frame for a device that has no such policy is the stack's. */
static void test_none(enum hook hook, const char *what)
{
	static const struct trim_spec spec = { .payload = 1400 };
	static struct outcome got, want;
	bool ok;

	want.len = trim_build(&spec, want.frame);
	want.verdict = hook == XDP ? XDP_PASS : TC_ACT_UNSPEC;
	ok = run(hook, want.frame, want.len, 0, &got);
	ktap_ok(ok && outcome_fits(&got, &want), "%s: %s", hook_name[hook], what);
}

int main(void)
{
	enum hook hook;
	enum room room;
	size_t i;

	ktap_header();
	setup();
	load();
	for (hook = 0; hook < HOOKS; hook++)
		test_none(hook, "a device without a policy");
	wait_for_bridge();
	for (hook = 0; hook < HOOKS; hook++)
		for (room = 0; room < ROOMS; room++)
			for (i = 0; i < trim_cases_count; i++)
				test_case(hook, room, &trim_cases[i]);
	test_merged();
	return ktap_end();
}

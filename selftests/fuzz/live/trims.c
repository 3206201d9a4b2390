// SPDX-License-Identifier: GPL-2.0
/*
 * Ports that trim: by XDP, at clsact egress, and by the weir qdisc. A frame that goes in
 * comes out whole, or as a header, or comes back, or is counted as dropped.
 */
#include <stdio.h>

#include <weir_trim_nl.h>

#include "arena.h"
#include "programs.h"
#include "scene.h"
#include "trim/cases.h"
#include "trim/policy.h"

/* A rate at which a meter's queue stays as it is filled; and that of the real queue. */
#define METER_RATE	WEIR_TRIM_RATE_MIN
#define QUEUE_RATE	"8mbit"

/*
 * Frames that fill one buffer: Linux up to 6.17 gives back the others of a veth, and of
 * generic XDP, to where they are not from when a program cuts them off ("page_pool leak").
 */
#define XDP_MTU		3000

static bool backlog;
static size_t longest;

static uint64_t one_of(struct rng *rng, uint64_t a, uint64_t b, uint64_t c)
{
	const uint64_t of[] = { a, b, c };

	return RNG_PICK(rng, of);
}

static struct policy any_policy(struct rng *rng, int hook)
{
	return (struct policy){
		.hook = hook,
		.size = rng_percent(rng, 50) ? WEIR_TRIM_SIZE_DEFAULT : rng_range(rng, 64, 4084),
		.keep = rng_percent(rng, 30),
		.returns = hook != WEIR_TRIM_HOOK_TC && rng_percent(rng, 50),
		.rate = METER_RATE,
		.limit = one_of(rng, 1, 20000, 1 << 30),
		.header_time = one_of(rng, 0, 1000, 1000000000),
		.headers = one_of(rng, 0, 1, 8),
	};
}

/* In no namespace but ours; the counters are new. */
static void apply(const struct wires *w, struct rng *rng, const struct policy *p,
		  struct fates *f)
{
	const struct policy edge = {
		.hook = WEIR_TRIM_HOOK_NONE, .edge = rng_percent(rng, 30),
	};

	policy_flush();
	policy_set(w->box[WIRE_B], p);
	policy_set(w->box[WIRE_A], &edge);
	f->trims = true;
	f->dscp = TRIM_TRIMMED;
	f->return_dscp = TRIM_RETURN;
	f->keep = p->keep;
}

/*
 * For each sender by wire a, wire b leads to the station. The qdisc of wire b would count
 * packets that the box itself sends by the bridge (multicast listeners, neighbours).
 */
static void bridge_up(void)
{
	const uint8_t *to = trim_mac_to;

	scene_run("ip link add br0 type bridge forward_delay 0 mcast_snooping 0 &&"
		  " tc qdisc add dev br0 clsact && tc filter add dev br0 egress matchall action drop &&"
		  " ip link set a0 master br0 && ip link set b0 master br0 &&"
		  " bridge link set dev a0 learning off && bridge link set dev b0 learning off &&"
		  " ip link set br0 up &&"
		  " bridge fdb add %02x:%02x:%02x:%02x:%02x:%02x dev b0 master static",
		  to[0], to[1], to[2], to[3], to[4], to[5]);
}

static void enter_xdp(struct wires *w, bool is_generic)
{
	wires_stop(w);
	program_xdp(w->box[WIRE_A], PROGRAM_FORWARD, is_generic);
	bridge_up();
	/* The qdisc that the meter "backlog" reads. */
	scene_run("tc qdisc add dev b0 root weir");
}

static void leave_xdp(struct wires *w, bool is_generic)
{
	policy_flush();
	scene_run("tc qdisc del dev b0 root");
	scene_run("ip link del br0");
	program_no_xdp(w->box[WIRE_A], is_generic);
}

static void enter_driver(struct wires *w)
{
	enter_xdp(w, false);
	wires_far_program(w, true);
}

static void leave_driver(struct wires *w)
{
	wires_far_program(w, false);
	leave_xdp(w, false);
}

static void enter_generic(struct wires *w)
{
	enter_xdp(w, true);
}

static void leave_generic(struct wires *w)
{
	leave_xdp(w, true);
}

static void round_xdp(struct wires *w, struct rng *rng, struct fates *f)
{
	struct policy p = any_policy(rng, WEIR_TRIM_HOOK_XDP);

	p.meter = rng_range(rng, WEIR_TRIM_METER_SHARED, WEIR_TRIM_METER_BACKLOG);
	p.headers = 0;
	backlog = p.meter == WEIR_TRIM_METER_BACKLOG;
	longest = XDP_MTU;
	arena_local = false;
	apply(w, rng, &p, f);
}

static void enter_tc(struct wires *w)
{
	wires_lead(w, WIRE_B);
	program_tc(w->box[WIRE_B], PROGRAM_TRIM, true);
}

static void leave_tc(struct wires *w)
{
	program_no_tc(w->box[WIRE_B], true);
	policy_flush();
}

static void round_tc(struct wires *w, struct rng *rng, struct fates *f)
{
	struct policy p = any_policy(rng, WEIR_TRIM_HOOK_TC);

	longest = WIRES_MTU;
	p.headers = 0;
	p.priority = rng_percent(rng, 30) ? 6 : 0;
	p.meter = rng_range(rng, WEIR_TRIM_METER_SHARED, WEIR_TRIM_METER_PERCPU);
	arena_local = rng_percent(rng, 50);
	apply(w, rng, &p, f);
}

static void enter_qdisc(struct wires *w)
{
	wires_lead(w, WIRE_B);
	scene_run("tc qdisc add dev b0 root handle 1: tbf rate " QUEUE_RATE
		  " burst 70000 limit 100000000 && tc qdisc add dev b0 parent 1:1 handle 10: weir");
}

static void leave_qdisc(struct wires *w)
{
	(void)w;
	scene_run("tc qdisc del dev b0 root");
	policy_flush();
}

/* One packet is all that waits, most of the time. */
static void round_qdisc(struct wires *w, struct rng *rng, struct fates *f)
{
	struct policy p = any_policy(rng, WEIR_TRIM_HOOK_QDISC);

	longest = WIRES_MTU;
	p.packets = rng_percent(rng, 70) ? 1 : rng_range(rng, 1, 12);
	p.limit = one_of(rng, 0, 0, 20000);
	p.victim = rng_range(rng, WEIR_TRIM_VICTIM_ARRIVING, WEIR_TRIM_VICTIM_COIN);
	p.share = rng_range(rng, WEIR_TRIM_SHARE_STRICT, WEIR_TRIM_SHARE_BYTES);
	arena_local = rng_percent(rng, 30);
	apply(w, rng, &p, f);
}

/* XDP sees packets after the stack has cut them up, and these must not be longer either. */
static void make(struct frame *frame, struct rng *rng)
{
	frame_trim(frame, rng, arena_gso, longest);
	if (longest == XDP_MTU && frame->hdr.gso_size > XDP_MTU / 2)
		frame->hdr.gso_size = XDP_MTU / 2;
}

/* Frames that have left by the port, by its counters. */
static uint64_t counted_out(const uint64_t *n)
{
	return n[WEIR_TRIM_C_WHOLE] + n[WEIR_TRIM_C_TX_TRIM] + n[WEIR_TRIM_C_HEADERS] -
	       n[WEIR_TRIM_C_HEADERS_DROPPED] + n[WEIR_TRIM_C_OTHER] -
	       n[WEIR_TRIM_C_OTHER_DROPPED] + n[WEIR_TRIM_C_MERGED];
}

static uint64_t counted_in(const uint64_t *n)
{
	return n[WEIR_TRIM_C_WHOLE] + n[WEIR_TRIM_C_TRIM] + n[WEIR_TRIM_C_HEADERS] +
	       n[WEIR_TRIM_C_OTHER] + n[WEIR_TRIM_C_MERGED] + n[WEIR_TRIM_C_FAILED];
}

/* Frames trimmed in a former round may leave only now; some of the lost ones were trimmed. */
static bool trims_add_up(const struct fates *f, const uint64_t *n)
{
	uint64_t left = n[WEIR_TRIM_C_TX_TRIM] + n[WEIR_TRIM_C_DROPPED_TRIM] +
			n[WEIR_TRIM_C_RETURNED];

	return n[WEIR_TRIM_C_TRIM] <= left + n[WEIR_TRIM_C_LOST] &&
	       (f->late || n[WEIR_TRIM_C_TRIM] >= left);
}

/* A header that finds no room comes back as well, and is counted as dropped all the same. */
static bool returns_add_up(const struct fates *f, const uint64_t *n)
{
	return f->returned + f->returned_late >= n[WEIR_TRIM_C_RETURNED] &&
	       f->returned <= n[WEIR_TRIM_C_RETURNED] + n[WEIR_TRIM_C_HEADERS_DROPPED];
}

/*
 * Return true if the counters account for all frames. That is unknown with GSO packets: the number of
 * packets that come out of one is not known, and some cannot be segmented. A frame that cannot be
 * trimmed, as its checksum's place is wrong, is dropped and counted.
 */
static bool in_and_out_add_up(const struct fates *f, const uint64_t *n, uint64_t passed)
{
	return arena_gso ||
	       (counted_in(n) + passed <= f->sent &&
		counted_in(n) + passed + n[WEIR_TRIM_C_LOST] >= f->sent && n[WEIR_TRIM_C_FAILED] <= f->odd &&
		counted_out(n) == fates_out(f, WIRE_B) + f->routed);
}

static bool port_adds_up(const struct wires *w, const struct fates *f)
{
	uint64_t n[WEIR_TRIM_C_MAX];

	policy_counters(w->box[WIRE_B], n);
	return trims_add_up(f, n) && returns_add_up(f, n) && in_and_out_add_up(f, n, 0);
}

/* Some frames are the stack's; with the meter "backlog" all are, as they are or trimmed. */
static bool xdp_adds_up(const struct wires *w, const struct fates *f)
{
	uint64_t n[WEIR_TRIM_C_MAX], stack = fates_out(f, WIRE_S);

	policy_counters(w->box[WIRE_B], n);
	if (!trims_add_up(f, n))
		return false;
	if (backlog)
		return arena_gso || f->sent == stack;
	return returns_add_up(f, n) && in_and_out_add_up(f, n, stack);
}

static void tell(const struct wires *w)
{
	uint64_t n[WEIR_TRIM_C_MAX];
	int i;

	policy_counters(w->box[WIRE_B], n);
	for (i = 0; i < WEIR_TRIM_C_MAX; i++)
		if (n[i])
			printf("# counter %d: %llu\n", i, (unsigned long long)n[i]);
}

const struct arena arena_forward = {
	.name = "forwarding", .enter = enter_driver, .leave = leave_driver, .round = round_xdp,
	.frame = make, .adds_up = xdp_adds_up, .tell = tell,
};

const struct arena arena_forward_generic = {
	.name = "forwarding, generic", .enter = enter_generic, .leave = leave_generic,
	.round = round_xdp, .frame = make, .adds_up = xdp_adds_up, .tell = tell,
};

const struct arena arena_trim = {
	.name = "clsact egress", .enter = enter_tc, .leave = leave_tc, .round = round_tc,
	.frame = make, .adds_up = port_adds_up, .tell = tell,
};

const struct arena arena_qdisc = {
	.name = "the qdisc", .enter = enter_qdisc, .leave = leave_qdisc, .round = round_qdisc,
	.frame = make, .adds_up = port_adds_up, .tell = tell,
};

// SPDX-License-Identifier: GPL-2.0
/*
 * A port that hands packets over to jobs. What goes in and does not come out on its way is
 * counted once: as a contribution, a join, or refused; or it was answered.
 */
#include <stdio.h>
#include <string.h>

#include "arena.h"
#include "bpf/counters.h"
#include "scene.h"

static struct counters start;

static void add_sources(int job, const char *format)
{
	char address[32];
	int i;

	for (i = 0; i < 2; i++) {
		snprintf(address, sizeof(address), format, i + 1);
		scene_run("weir source add job %d id %d address %s", job, i, address);
	}
}

static void enter(const char *mode)
{
	scene_run("weir job add id 4 sources 2 blocks 128 grads 2048 address 10.99.0.254");
	scene_run("weir job add id 6 sources 2 blocks 64 grads 2048 address fd99::fe"
		  " policy partial timeout 20ms");
	scene_run("weir job add id 8 sources 2 blocks 16 grads 256 address 10.99.0.254"
		  " quorum 1 timeout 1ms policy partial rate packets 2000 bytes 10mbps");
	add_sources(4, "10.99.0.%d");
	add_sources(6, "fd99::%d");
	add_sources(8, "10.99.0.%d");
	scene_run("weir port attach dev a0 mode %s", mode);
}

static void enter_xdp(struct wires *w)
{
	wires_stop(w);
	enter("xdp");
}

static void enter_generic(struct wires *w)
{
	wires_stop(w);
	enter("generic");
}

static void enter_tc(struct wires *w)
{
	wires_lead(w, WIRE_S);
	enter("tc");
}

static void leave(struct wires *w)
{
	(void)w;
	scene_run("weir port detach dev a0 && weir job flush");
}

static void next_round(struct wires *w, struct rng *rng, struct fates *f)
{
	(void)w;
	(void)rng;
	f->trims = false;
	arena_local = false;
	counters_read(&start);
}

static void make(struct frame *frame, struct rng *rng)
{
	frame_contribution(frame, rng, arena_gso, WIRES_MTU);
}

static uint64_t since(const struct counters *now, int stat)
{
	return now->stat[stat] - start.stat[stat];
}

static uint64_t refused(const struct counters *now, int reason)
{
	return now->refused[reason] - start.refused[reason];
}

/* Those below runt are passed. */
static uint64_t dropped(const struct counters *now)
{
	uint64_t n = 0;
	int i;

	for (i = WEIR_REASON_RUNT; i <= WEIR_REASON_MAX; i++)
		n += refused(now, i);
	return n;
}

/*
 * Who asks, contributes again or comes late is answered: with a result (repeats), or with
 * a reply where there is none. A question that finds its block's slot busy is both refused
 * and answered, so that what was refused as busy says how exact this is.
 */
static bool adds_up(const struct wires *w, const struct fates *f)
{
	uint64_t passed = fates_out(f, WIRE_S), most, slack;
	struct counters now;

	(void)w;
	counters_read(&now);
	most = since(&now, WEIR_A_STATS_CONTRIBUTIONS) + since(&now, WEIR_A_STATS_JOINS) +
	       since(&now, WEIR_A_STATS_REPEATS) + since(&now, WEIR_A_STATS_REPLIES) +
	       dropped(&now);
	slack = refused(&now, WEIR_REASON_BUSY);
	if (f->box < since(&now, WEIR_A_STATS_RESULTS) + since(&now, WEIR_A_STATS_REPEATS) +
		     since(&now, WEIR_A_STATS_REPLIES) + since(&now, WEIR_A_STATS_ANSWERS) +
		     since(&now, WEIR_A_STATS_NOTICES))
		return false;
	if (since(&now, WEIR_A_STATS_RESULT_ERRORS))
		return false;
	return arena_gso || (f->sent <= passed + most && f->sent + slack >= passed + most);
}

static void tell(const struct wires *w)
{
	struct counters now;
	int i;

	(void)w;
	counters_read(&now);
	for (i = 1; i <= WEIR_A_STATS_MAX; i++)
		if (since(&now, i))
			printf("# counter %d: %llu\n", i, (unsigned long long)since(&now, i));
	for (i = 1; i <= WEIR_REASON_MAX; i++)
		if (refused(&now, i))
			printf("# reason %d: %llu\n", i, (unsigned long long)refused(&now, i));
}

#define SUMS(which, said)							\
	{ .name = said, .enter = which, .leave = leave, .round = next_round,	\
	  .frame = make, .adds_up = adds_up, .tell = tell }

const struct arena arena_sum_xdp = SUMS(enter_xdp, "a port, XDP");
const struct arena arena_sum_generic = SUMS(enter_generic, "a port, generic XDP");
const struct arena arena_sum_tc = SUMS(enter_tc, "a port, tc");

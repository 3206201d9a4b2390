// SPDX-License-Identifier: GPL-2.0
/*
 * Frames of all kinds at the XDP, tc and qdisc hooks of the live module: those of the
 * tests' tables, changed in some places, some of them many packets in one or with a
 * checksum left to be filled in. Each is accounted for, and frames that must not be
 * changed come out as they went in.
 */
#include <err.h>
#include <getopt.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "arena.h"
#include "bpf/ktap.h"
#include "programs.h"
#include "report.h"
#include "scene.h"

/* Time in which accounts must be settled, on the slowest machine. */
#define SETTLE_SECONDS	30

/* Rounds in an arena at least, before the next one; each comes twice, if time allows. */
#define ROUNDS		5
#define VISITS		2

static const char usage[] =
	"usage: fuzz-frames [--seconds N | --count N] [--seed SEED] [--arena N]\n"
	"\n"
	"Sends frames to the module's hooks, and looks at what comes out and what is counted.\n"
	"--count ends after so many frames. Works in namespaces of its own; the module must be\n"
	"loaded. Speaks KTAP.\n";

struct options {
	unsigned int seconds;
	uint64_t count;
	uint64_t seed;
	int arena;
};

static struct options options = { .seconds = 60, .arena = -1 };

bool arena_local, arena_gso;

static const struct arena *const all[] = {
	&arena_sum_xdp, &arena_sum_generic, &arena_sum_tc, &arena_forward,
	&arena_forward_generic, &arena_trim, &arena_qdisc,
};

#define ARENAS	((int)(sizeof(all) / sizeof(*all)))

static struct wires wires;
static struct fates fates;
static double end;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static bool is_over(void)
{
	return options.count ? run->sent >= options.count : now() >= end;
}

static void send_round(const struct arena *arena, struct rng *rng)
{
	struct frame *frame;
	unsigned int i;

	for (i = 0; i < FATE_FRAMES; i++) {
		frame = &fates.frame[fates.sent];
		arena->frame(frame, rng);
		frame_number(frame, fates.first + fates.sent);
		report_about(frame->data, frame->len);
		if (tap_send(arena_local ? wires.local : wires.in, &frame->hdr, frame->data,
			     frame->len, arena_local)) {
			fates.sent++;
			fates.odd += frame->odd;
			fates.parts += frame->parts;
		}
	}
	run->sent += fates.sent;
}

static void tell(const struct arena *arena)
{
	printf("# %u sent%s%s; out of a %llu, of b %llu (trimmed %llu, routed %llu), of s %llu;"
	       " %llu came back\n", fates.sent, arena_local ? ", by the box" : "",
	       arena_gso ? ", some many in one" : "",
	       (unsigned long long)fates.box, (unsigned long long)fates_out(&fates, WIRE_B),
	       (unsigned long long)fates.marked[WIRE_B], (unsigned long long)fates.routed,
	       (unsigned long long)fates_out(&fates, WIRE_S), (unsigned long long)fates.returned);
	arena->tell(&wires);
	fates_tell(&fates);
}

/* Frames that wait in queues come out, and are counted then. */
static void settle(const struct arena *arena)
{
	double limit = now() + SETTLE_SECONDS;

	for (;;) {
		fates_read(&fates, &wires);
		if (arena->adds_up(&wires, &fates))
			return;
		if (now() > limit)
			break;
		poll(NULL, 0, 5);
	}
	tell(arena);
	fault("a round does not add up");
}

static void play(const struct arena *arena, struct rng *rng)
{
	bool late = arena_gso;
	double leave_at;
	int i;

	arena_gso = rng_percent(rng, 30);
	report_as(arena->name);
	printf("# %s\n", arena->name);
	arena->enter(&wires);
	leave_at = now() + (double)options.seconds / (VISITS * ARENAS);
	for (i = 0; (i < ROUNDS || now() < leave_at) && !is_over(); i++) {
		fates.late = arena_gso || (late && !i);
		fates_begin(&fates);
		arena->round(&wires, rng, &fates);
		send_round(arena, rng);
		settle(arena);
	}
	arena->leave(&wires);
}

static void parse(int argc, char **argv)
{
	static const struct option known[] = {
		{ "seconds", required_argument, NULL, 's' },
		{ "count", required_argument, NULL, 'c' },
		{ "seed", required_argument, NULL, 'S' },
		{ "arena", required_argument, NULL, 'a' },
		{ }
	};
	int c;

	options.seed = time(NULL);
	while ((c = getopt_long(argc, argv, "", known, NULL)) != -1) {
		switch (c) {
		case 's': options.seconds = atoi(optarg); break;
		case 'c': options.count = strtoull(optarg, NULL, 0); break;
		case 'S': options.seed = strtoull(optarg, NULL, 0); break;
		case 'a': options.arena = atoi(optarg); break;
		default: fputs(usage, stderr); exit(2);
		}
	}
	if (optind != argc || options.arena >= ARENAS) {
		fputs(usage, stderr);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	struct rng rng;
	double start;
	int i;

	parse(argc, argv);
	ktap_header();
	printf("# seed %llu\n", (unsigned long long)options.seed);
	report_init();
	report_as("set-up");
	frame_init();
	programs_load();
	wires_up(&wires);
	rng.state = options.seed;
	start = now();
	end = start + options.seconds;
	for (i = 0; !is_over(); i++)
		play(all[options.arena < 0 ? i % ARENAS : options.arena], &rng);
	printf("# %llu frames\n# figure fuzz_packets_a_minute %.0f\n", (unsigned long long)run->sent,
	       run->sent * 60 / (now() - start));
	ktap_ok(true, "every frame is accounted for");
	wires_down(&wires);
	return ktap_end();
}
